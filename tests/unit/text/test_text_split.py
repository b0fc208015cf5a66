"""Chunks: nothing lost, sizes kept, cut where a reader would."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from smartbrain.errors import UsageError
from smartbrain.text.sentences import inside_cluster, split_chunks
from smartbrain.text.tokens import estimate_tokens

ENGLISH: Final = "The pier needs repairs before winter, and the timber is ordered. "
CHINESE: Final = "旧码头必须在入冬之前修好，木材已经订了。"
FAMILY: Final = "👨‍👩‍👧‍👦"
FRAGMENTS: Final = st.sampled_from(
    [
        ENGLISH,
        CHINESE,
        "\n",
        "\n\n",
        "\r\n",
        " ",
        "word",
        "字",
        "e\u0301",
        FAMILY,
        "🇨🇳",
        "❤️",
        "👍🏽",
    ]
)
ANY_TEXT: Final = st.one_of(
    st.text(st.characters(), max_size=400),
    st.lists(st.one_of(FRAGMENTS, st.characters()), max_size=300).map("".join),
)


def paragraphs(sentence: str, sentences: int, count: int, end: str = "\n\n") -> str:
    """Return `count` paragraphs that differ, of so many sentences each."""
    return "".join(f"{number}. {sentence * sentences}{end}" for number in range(count))


def sizes(pieces: list[str]) -> list[int]:
    """Return the estimated tokens of each piece."""
    return [estimate_tokens(piece) for piece in pieces]


@pytest.mark.spec("E2")
def test_the_empty_text_has_no_chunks() -> None:
    """Nothing to store, nothing stored."""
    assert split_chunks("") == []


@pytest.mark.spec("E2")
@pytest.mark.parametrize("text", ["x", "\n", "码头。", ENGLISH * 20, CHINESE * 20])
def test_a_short_text_is_one_chunk(text: str) -> None:
    """A text within the limit is not cut."""
    assert split_chunks(text) == [text]


@pytest.mark.spec("E2")
def test_a_text_of_just_the_limit_is_one_chunk() -> None:
    """The limit itself is allowed, one token less is not."""
    text = paragraphs(ENGLISH, 5, 20)
    size = estimate_tokens(text)

    assert split_chunks(text, max_tokens=size) == [text]
    assert len(split_chunks(text, max_tokens=size - 1)) > 1


@pytest.mark.spec("E2")
@pytest.mark.parametrize(
    "text",
    [
        paragraphs(ENGLISH, 8, 120),
        paragraphs(CHINESE, 12, 120),
        paragraphs(ENGLISH + CHINESE, 6, 120),
        paragraphs('{"id": 17, "name": "pier", "open": true}, ', 3, 150, end="\n"),
        ENGLISH * 900,
        CHINESE * 900,
        "x" * 30_000,
        "龘" * 9_000,
        "TGwk9fQ2pXv7Zs0aRkYB3mHcE1oUdJi6nW4xKt" * 400,
        "\r\n" * 60_000,
        FAMILY * 2_000,
    ],
    ids=["en", "zh", "mixed", "json", "en line", "zh line", "x", "rare", "base64", "crlf", "zwj"],
)
def test_chunks_of_a_long_text_keep_both_limits(text: str) -> None:
    """Every chunk of a text that can be cut has 1000 to 2000 tokens, and none is lost."""
    pieces = split_chunks(text)

    assert "".join(pieces) == text
    assert len(pieces) > 2
    assert min(sizes(pieces)) >= 1000
    assert max(sizes(pieces)) <= 2000


@pytest.mark.spec("E2")
@pytest.mark.parametrize("sentence", [ENGLISH, CHINESE])
def test_a_chunk_ends_at_a_blank_line_if_one_is_in_reach(sentence: str) -> None:
    """Paragraphs stay whole though lines and sentences end nearer."""
    pieces = split_chunks(paragraphs(f"{sentence}\n", 20, 30))

    assert len(pieces) > 2
    assert all(piece.endswith("\n\n") for piece in pieces)


@pytest.mark.spec("E2")
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("sentence", [ENGLISH, CHINESE])
def test_a_chunk_without_blank_lines_ends_with_a_line(sentence: str, end: str) -> None:
    """Lines stay whole though sentences end nearer."""
    pieces = split_chunks(paragraphs(sentence, 3, 300, end=end))

    assert len(pieces) > 2
    assert all(piece.endswith(end) for piece in pieces)


@pytest.mark.spec("E2")
@pytest.mark.parametrize("sentence", [ENGLISH, CHINESE])
def test_the_last_chunks_are_full_and_natural_too(sentence: str) -> None:
    """However much remains at the end, it makes whole paragraphs and full chunks."""
    for count in range(30, 75):
        pieces = split_chunks(paragraphs(sentence, 7, count))

        assert all(piece.endswith("\n\n") for piece in pieces)
        assert min(sizes(pieces)) >= 1000


@pytest.mark.spec("E2")
@pytest.mark.parametrize(
    ("sentence", "end"),
    [(ENGLISH, ". "), ("He said “the old pier, the one in the east, is closed!” ", "” ")]
    + [
        (f"旧码头，{i}号{mark}", mark)
        for i, mark in enumerate(["。", "！", "？", "；", "……", "。”"])
    ],
)
def test_a_chunk_of_one_line_ends_with_a_sentence(sentence: str, end: str) -> None:
    """Sentences stay whole where lines are too long."""
    pieces = split_chunks(sentence * 1200)

    assert len(pieces) > 2
    assert all(piece.endswith(end) for piece in pieces)


@pytest.mark.spec("E2")
def test_a_chunk_without_sentences_ends_between_words() -> None:
    """Words stay whole where nothing else ends."""
    pieces = split_chunks("".join(f"harbourmaster{number} " for number in range(4000)))

    assert len(pieces) > 2
    assert all(piece.endswith(" ") for piece in pieces)


@pytest.mark.spec("E2")
@pytest.mark.parametrize(
    "cluster",
    [
        "\r\n",
        "e\u0301\u0323",
        FAMILY,
        "❤️",
        "👍🏽",
        "🇨🇳",
        "\ud83d\ude00",
        "\u1112\u1161\u11ab",
        "กำ",
        "นี้",
    ],
)
@pytest.mark.parametrize("shift", [0, 1])
def test_a_hard_cut_tears_no_character_apart(cluster: str, shift: int) -> None:
    """Every chunk holds whole characters, wherever the limit happens to fall."""
    text = "x" * shift + cluster * 1500
    pieces = split_chunks(text, min_tokens=50, max_tokens=100)

    assert "".join(pieces) == text
    assert [pieces[0].removeprefix("x"), *pieces[1:]] == [
        cluster * (len(piece) // len(cluster)) for piece in pieces
    ]


@pytest.mark.spec("E2")
def test_an_endless_character_is_cut_nevertheless() -> None:
    """A letter under thousands of accents still keeps the limit."""
    pieces = split_chunks("e" + "\u0301" * 20_000)

    assert len(pieces) > 10
    assert max(sizes(pieces)) <= 2000


@pytest.mark.spec("E2")
@pytest.mark.parametrize("sentence", [ENGLISH, CHINESE])
def test_a_longer_text_keeps_the_chunks_of_its_beginning(sentence: str) -> None:
    """What is appended changes the last chunks alone, so that the others are stored once."""
    text = paragraphs(sentence, 8, 100)
    pieces = split_chunks(text)

    assert pieces[:-2] == split_chunks(text + paragraphs(sentence, 9, 50))[: len(pieces) - 2]


@pytest.mark.parametrize(("least", "most"), [(0, 10), (11, 10), (-1, -1), (0, 0)])
def test_impossible_limits_are_refused(least: int, most: int) -> None:
    """The caller is told which limits are possible."""
    with pytest.raises(UsageError, match="1 <= min <= max"):
        split_chunks(ENGLISH, min_tokens=least, max_tokens=most)


@pytest.mark.spec("E2")
@settings(deadline=None)
@given(ANY_TEXT, st.integers(1, 60), st.integers(0, 60))
def test_any_text_comes_back_whole_and_within_the_limit(text: str, least: int, more: int) -> None:
    """Put together the chunks are the text; only a single visible character may be too large."""
    most = least + more
    pieces = split_chunks(text, min_tokens=least, max_tokens=most)

    assert "".join(pieces) == text
    assert all(pieces)
    for piece in pieces:
        torn = [inside_cluster(piece, index) for index in range(1, len(piece))]
        assert estimate_tokens(piece) <= most or all(torn)


@settings(deadline=None)
@given(ANY_TEXT)
def test_no_cut_of_any_text_is_inside_a_character(text: str) -> None:
    """Chunks end between visible characters."""
    place = 0
    for piece in split_chunks(text, min_tokens=20, max_tokens=40):
        place += len(piece)
        assert not inside_cluster(text, place)
