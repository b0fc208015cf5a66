"""Fitting items into a budget, and keeping what is alike apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recalled_rows import NOW, ranked

from smartbrain.domain.recall import RecallItem
from smartbrain.recall.pack import packed, tokens_of, varied


def item(item_id: str, text: str) -> RecallItem:
    """Build an item with a text."""
    return RecallItem(
        id=item_id, type="facts", key=f"k:{item_id}", text=text, at=NOW, created_at=NOW
    )


LONG = "很长的故事 a long story " * 30


@pytest.mark.spec("R16")
@pytest.mark.parametrize("text", ["短 short", "一句话", "one sentence"])
def test_an_item_that_is_too_long_is_passed_over(text: str) -> None:
    """Shorter ones behind it come in; it says what it takes and what was left."""
    items = [item("a", text), item("b", LONG), item("c", text)]
    budget = tokens_of(items[0]) + tokens_of(items[2])
    kept, used, omitted = packed(items, budget)
    assert (["a", "c"], budget) == ([one.id for one in kept], used)
    (reason,) = omitted
    assert ("over_budget", "b", "k:b") == (reason.code, reason.id, reason.key)
    left = budget - tokens_of(items[0])
    assert f"it takes {tokens_of(items[1])} tokens and {left} of {budget}" in reason.reason


@pytest.mark.spec("R16")
def test_without_a_budget_all_are_kept() -> None:
    """And what they cost is told all the same."""
    items = [item("a", "甲"), item("b", LONG)]
    assert (items, sum(map(tokens_of, items)), []) == packed(items, None)


@pytest.mark.spec("R16")
@given(st.lists(st.text(max_size=80), max_size=20), st.integers(1, 400))
def test_no_budget_is_passed(texts: list[str], budget: int) -> None:
    """Whatever the items: the sum holds, the order stays, each is kept or has a reason."""
    items = [item(f"{n:02}", text) for n, text in enumerate(texts)]
    kept, used, omitted = packed(items, budget)
    assert used == sum(map(tokens_of, kept)) <= budget
    assert sorted(kept, key=lambda one: one.id) == kept
    assert {one.id for one in items} == {one.id for one in (*kept, *omitted)}
    assert len(items) == len(kept) + len(omitted)
    assert all(tokens_of(items[int(one.id or 0)]) > budget - used for one in omitted)


@pytest.mark.spec("R3")
def test_what_says_the_same_moves_down() -> None:
    """Behind something less relevant that says something new; case and blanks are no difference."""
    found = [
        ranked("a", text="蓝牙 打不开", score=1.0, source_turn_id="t1"),
        ranked("b", text="打不开  蓝牙", score=0.95, source_turn_id="t1"),
        ranked("c", text="Something else", score=0.8),
        ranked("d", text="something ELSE", score=0.79, source_turn_id="t9"),
        ranked("e", text="别的", score=0.75),
    ]
    assert ["a", "c", "e", "d", "b"] == [one.row.id for one in varied(found, 0.7)]
    assert found == varied(found, 1.0)


@pytest.mark.spec("R3")
def test_said_again_in_another_turn_it_moves_less() -> None:
    """That it was said again is news of its own."""
    same = [ranked(f"same-{n}", text="一样", score=1.0, source_turn_id="t") for n in range(2)]
    again = ranked("again", text="一样", score=1.0, source_turn_id="t2")
    order = [one.row.id for one in varied([*same, again], 0.5)]
    assert ["same-0", "again", "same-1"] == order
