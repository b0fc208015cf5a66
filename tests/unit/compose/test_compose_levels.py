"""Shorter forms of texts: the words that were looked for stay, and cuts are marked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.compose.shorten import Level, SoughtWord, excerpt, text_forms

LONG = "word " * 100 + "the parrot Pico lives in Lisbon " + "more " * 100
CHINESE = "今天天气很好。" * 40 + "豆豆最喜欢吃苹果。" + "我们去散步。" * 40


@pytest.mark.spec("R17")
@pytest.mark.parametrize(
    ("text", "words", "kept"),
    [
        (LONG, ["pico", "lisbon"], "Pico lives in Lisbon"),
        (CHINESE, ["豆豆", "苹果"], "豆豆最喜欢吃苹果"),
    ],
)
def test_an_excerpt_keeps_the_words_around_what_was_looked_for(
    text: str, words: list[str], kept: str
) -> None:
    """The stretch with the most of the words is quoted, with marks where it is cut."""
    cut = excerpt(text, 120, [SoughtWord((word,), 1.0) for word in words])
    assert kept in cut
    assert (cut[0], cut[-1]) == ("…", "…")


@given(st.text(), st.integers(10, 400), st.lists(st.text(min_size=1, max_size=5), max_size=4))
def test_an_excerpt_is_never_longer_than_asked(text: str, size: int, words: list[str]) -> None:
    """Whatever the text and the words, the length holds and nothing is made up."""
    cut = excerpt(text, size, [SoughtWord((word,), 1.0) for word in words])
    assert len(cut) <= max(size, 0)
    assert cut.strip("…").strip() in text


@pytest.mark.spec("R16")
@pytest.mark.parametrize("text", ["One sentence here. " * 60, "这是一句话。" * 120])
def test_forms_get_shorter_and_end_as_a_reference(text: str) -> None:
    """A text is shown whole, as summary, as highlights, at last as what it can be found by."""
    found = list(text_forms(text, 300, "(turn:t1)"))
    assert list(Level) == [level for level, _ in found]
    sizes = [len(shorter) for _, shorter in found]
    assert sorted(sizes, reverse=True) == sizes
    assert "(turn:t1)" == found[-1][1]


def test_a_short_text_has_one_form() -> None:
    """What is short already is only shown whole."""
    assert [Level.FULL] == [level for level, _ in text_forms("hi", 300, "(turn:t1)")]


def test_an_excerpt_goes_where_the_rarest_words_are() -> None:
    """Many common words weigh less than the one that tells, in whatever form it is said."""
    text = "we moved the boxes and the books " * 12 + "护照 is in the blue tin " + "and so on " * 20
    common = [SoughtWord((word,), 0.1) for word in ("moved", "boxes", "books")]
    assert "blue tin" in excerpt(text, 120, [*common, SoughtWord(("passport", "护照"), 3.0)])
