"""Sentences that are said again, in one message or in the next: they are read alike.

In: long messages of few different sentences, and messages read twice. Out: what is found in them,
known again or not.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract import finder
from smartbrain.remember.extract.find import FINDERS
from smartbrain.remember.extract.finder import find_candidates
from smartbrain.remember.extract.said import Said, Sentence, read_said

AT: Final = datetime(2026, 3, 5, 10, tzinfo=UTC)
SAID: Final = (
    "我们的数据库是PostgreSQL，部署在阿里云上。",
    "我住在杭州。下周五之前我要把报告发给客户。不对，是发给王经理。",
    "I live in Oslo. I need to send the report by Friday. We decided to use Redis. ",
    "今天天气不错，我们一起去公园散步，看到了很多漂亮的花。",
)


DATA: Final = Path(__file__).parents[2] / "data" / "extraction"


def said_of(text: str) -> Said:
    """Read a message of the user."""
    return read_said(text, source=Source.USER, speaker="user", at=AT)


@pytest.mark.spec("C6")
@pytest.mark.parametrize("text", [*SAID, "".join(SAID)])
@pytest.mark.parametrize("times", [40, 1_000])
def test_a_repeated_sentence_is_found_as_often_as_it_is_said(
    monkeypatch: pytest.MonkeyPatch, text: str, times: int
) -> None:
    """Also where the middle of the message is left out and a sentence is cut in two."""
    said = said_of(text * times)
    found = find_candidates(said, FINDERS)
    monkeypatch.setattr(finder, "_FIRST", len(said.sentences))
    assert find_candidates(said, FINDERS) == found


@pytest.mark.spec("C6")
def test_a_repeated_sentence_is_read_once() -> None:
    """It costs the finders what it costs to be said a few times."""
    asked: list[int] = []

    def find(sentence: Sentence, said: Said) -> list[Candidate]:
        asked.append(sentence.offset)
        start = sentence.offset
        return [Candidate(type="facts", text=said.text[start : start + 3], rule="x", offset=start)]

    said = said_of(SAID[0] * 400)
    found = find_candidates(said, [find])
    assert [one.offset for one in said.sentences] == [one.offset for one in found]
    assert len(asked) < 30


@pytest.mark.spec("C6")
@pytest.mark.parametrize("name", ["first", "second", "practice"])
def test_a_message_is_read_the_same_when_it_comes_again(name: str) -> None:
    """Whatever is remembered of a sentence that was read, what is found in it stays the same."""
    rows = map(json.loads, (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
    texts = [one["content"] for row in rows for one in row["messages"]]
    different = [
        text
        for text in texts
        if find_candidates(said_of(text), FINDERS) != find_candidates(said_of(text), FINDERS)
    ]
    assert [] == different
