"""Which turns answer with what does not hold any more."""

from __future__ import annotations

from typing import Any

import pytest
from recalled_rows import cues, row

from smartbrain.domain.recalled import RecalledRow, Replaced
from smartbrain.recall.guard import find_outdated


def turn(text: str, num: int = 1) -> RecalledRow:
    """Return an episode."""
    return row(f"m-{num}", "episodes", num=num, text=text, source_turn_id=f"turn{num}")


def told(text: str, value: Any, stands: Any) -> Replaced:
    """Return something that the first turn told, and what stands in its place."""
    return Replaced("turn1", text, value, 9, stands)


def outdated(query: str, said: str, *replaced: Replaced) -> dict[int, list[int]]:
    """Return the outdated turns of a question, with what holds now."""
    return find_outdated([turn(said), STANDS], replaced, cues(query))


STANDS = row(num=9)
BERLIN = {"facts": [{"k": "location", "v": "Berlin"}]}
BOTH = {"facts": [{"k": "location", "v": "Berlin"}, {"k": "role", "v": "nurse"}]}
MUNICH = {"facts": [{"k": "location", "v": "Munich"}, {"k": "role", "v": "nurse"}]}


@pytest.mark.spec("M4", "R6")
@pytest.mark.parametrize(
    ("query", "said", "text", "value", "stands"),
    [
        ("where do I live", "user: I live in Berlin.", "I live in Berlin", BERLIN, MUNICH),
        ("where do I live", "Hi! I live in Berlin now.", "user — location: Berlin", BERLIN, MUNICH),
        ("端口是多少", "user: 端口是8080。", "端口是8080", {"value": "8080"}, {"value": "9090"}),
        ("API 的端口", "API 的端口是8080。好", "…", {"value": "8080"}, {"value": "9090"}),
    ],
)
def test_a_turn_that_answers_with_what_changed_is_outdated(
    query: str, said: str, text: str, value: Any, stands: Any
) -> None:
    """It is told by the words as they were kept, or by the sentence that holds the old value."""
    assert {1: [9]} == outdated(query, said, told(text, value, stands))


@pytest.mark.spec("R6")
@pytest.mark.parametrize(
    ("query", "said", "text", "value", "stands"),
    [
        ("my dog", "I live in Berlin. My dog is Rex.", "I live in Berlin", BERLIN, MUNICH),
        ("我的狗", "我住在北京。我的狗叫小黑。", "我住在北京", {"v": "北京"}, {"v": "深圳"}),
        ("zebra", "I live in Berlin.", "I live in Berlin", BERLIN, MUNICH),
        ("a nurse", "I work as a nurse.", "user — location: Berlin; role: nurse", BOTH, MUNICH),
    ],
)
def test_a_turn_that_answers_with_something_else_is_not(
    query: str, said: str, text: str, value: Any, stands: Any
) -> None:
    """Nor one that holds no word of the question, or told another part of it."""
    assert {} == outdated(query, said, told(text, value, stands))
    assert {} == outdated(query, said, told(text, value, value))


@pytest.mark.spec("R6")
def test_only_what_is_among_the_rows_counts() -> None:
    """A type that was not asked for, or a turn that was not found, changes nothing."""
    one = told("I live in Berlin", BERLIN, MUNICH)
    asked = cues("where do I live")
    assert {} == find_outdated([turn("I live in Berlin")], [one], asked)
    assert {} == find_outdated([STANDS], [one], asked)
