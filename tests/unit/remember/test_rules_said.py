"""A message is cut into sentences with moods; of a long one both ends are read, which is told."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rule_rows import load_rows, read_user

from smartbrain import SmartBrain
from smartbrain.remember.rules.said import MAX_READ_BYTES, asked_in, mood_of, read_of
from smartbrain.text.times import find_times


@pytest.mark.spec("C1", "C6")
def test_moods_are_told_by_their_words() -> None:
    """Questions, guesses and other people's words are no statements, in both languages."""
    wrong = [row for row in load_rows("moods") if mood_of(row["text"]) != row["mood"]]
    assert [] == wrong


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("我住在苏州不是杭州。", ["我住在苏州", "不是杭州。"]),
        ("The port is 5433 not 5432", ["The port is 5433", "not 5432"]),
        ("i live in austin not boston", ["i live in austin", "not boston"]),
        ("我不是医生，我是护士", ["我不是医生", "我是护士"]),
        ("The port is not 8080", ["The port is not 8080"]),
        ("It costs 1,200, but CI:CD works", ["It costs 1,200", "but CI:CD works"]),
    ],
)
def test_a_sentence_is_cut_into_clauses(text: str, clauses: list[str]) -> None:
    """At commas, and between what is so and what is not."""
    (sentence,) = read_user(text).sentences
    assert clauses == [clause.text for clause in sentence.clauses]
    assert clauses == [text[one.offset :][: len(one.text)] for one in sentence.clauses]


@pytest.mark.spec("C8")
def test_the_questions_of_a_message_are_found() -> None:
    """Without those in text that is only handed over."""
    text = "I live in Oslo. Where is it? 端口是多少？"
    assert ("Where is it?", "端口是多少？") == asked_in(text)
    assert () == asked_in("Translate this: where do you live?")


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize("filler", ["我今天去河边走了走。", "I walked along. ", "走 along. "])
def test_of_a_long_message_so_many_bytes_are_read(filler: str) -> None:
    """Five parts of eight at its beginning and three at its end, whatever the language."""
    text = filler * 2_000
    ends = read_of(text)
    assert ends is not None
    head, tail = (len(part.encode()) for part in (text[: ends[0]], text[-ends[1] :]))
    assert MAX_READ_BYTES - 6 <= head + tail <= MAX_READ_BYTES
    assert 5 / 8 == pytest.approx(head / (head + tail), abs=0.01)


@pytest.mark.spec("C1", "C6")
@given(st.text(max_size=40).map(lambda part: part * 300))
def test_any_message_is_read_within_its_bounds(text: str) -> None:
    """Sentences stand where they say, in order, and none is read beyond the budget."""
    said = read_user(text)
    assert sum(len(one.text.encode("utf-8", "replace")) for one in said.everything) <= 8_192
    for sentence in said.sentences:
        stands = said.text[sentence.offset :][: len(sentence.text)]
        assert all(char in (" ", there) for char, there in zip(sentence.text, stands, strict=True))


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("first", "filler", "last", "read"),
    [
        ("我得买牛奶。", "我今天去河边走了走。", "我得修自行车。", "first 1,706 and last 1,024"),
        ("I need to buy milk. ", "I walked along. ", "I need to fix my bike.", "5,120 and last 3,"),
    ],
)
def test_a_long_message_is_read_at_both_ends(
    first: str, filler: str, last: str, read: str, tmp_path: Path
) -> None:
    """What stands there is read; what stands between is in the events, and that is told."""
    told = first + filler * (20_000 // len(filler)) + last
    sentences = read_user(told).sentences
    assert [first.strip(), last] == [sentences[0].text, sentences[-1].text]
    with SmartBrain.open(tmp_path) as brain:
        result = brain.commit_turn("s", [{"role": "user", "content": told}])
        (why,) = [one.reason for one in result.explain.retention if one.code == "long_message"]
        assert read in why
        assert told == brain.sessions.turns("s")[0].messages[0].content


@pytest.mark.spec("C1", "C6")
def test_a_message_that_is_not_longer_than_both_ends_is_read_whole(tmp_path: Path) -> None:
    """Nothing is left out between them, and nothing says so."""
    half = "我今天去河边走了走。" * 130
    content = f"{half}我得买牛奶。{half}"
    assert "我得买牛奶。" in [sentence.text for sentence in read_user(content).sentences]
    with SmartBrain.open(tmp_path) as brain:
        result = brain.commit_turn("s", [{"role": "user", "content": content}])
        assert "long_message" not in {one.code for one in result.explain.retention}


@pytest.mark.spec("C6", "C7")
@pytest.mark.parametrize("text", ["I need to call mom tomorrow", "我明天要给妈妈打电话"])
def test_one_instant_is_another_day_in_another_zone(text: str) -> None:
    """Days are those of where something is said."""
    late = datetime(2026, 3, 11, 23, tzinfo=UTC)
    early = late.astimezone(timezone(timedelta(hours=8)))
    names = []
    for at in (late, early):
        said = read_user(text, at)
        names += [span.name for span in find_times(said.sentences[0].text, said.at)]
    assert ["2026-03-12", "2026-03-13"] == names
