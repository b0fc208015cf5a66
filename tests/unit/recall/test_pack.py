"""Fitting items into a budget, and keeping what is alike apart."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recalled_rows import NOW, ranked

from smartbrain.domain.packet import Quote
from smartbrain.domain.recall import RecallItem
from smartbrain.recall.items import pack, tokens_of, vary
from smartbrain.text.tokens import estimate_tokens


def item(item_id: str, text: str, score: float = 1.0, quotes: Sequence[str] = ()) -> RecallItem:
    """Build an item with a text, and the words it rests on."""
    return RecallItem(
        id=item_id,
        type="facts",
        key=f"k:{item_id}",
        text=text,
        score=score,
        quotes=tuple(Quote(text=one) for one in quotes),
        at=NOW,
        created_at=NOW,
    )


def all_tokens(items: Sequence[RecallItem]) -> int:
    """Return what items take with all that they bring."""
    quotes = [estimate_tokens(quote.text) for one in items for quote in one.quotes]
    return sum(map(tokens_of, items)) + sum(quotes)


LONG = "很长的故事 a long story " * 30


@pytest.mark.spec("R16")
@pytest.mark.parametrize("text", ["短 short", "一句话", "one sentence"])
def test_an_item_that_is_too_long_is_passed_over(text: str) -> None:
    """Shorter ones behind it come in; it says what it takes and what was left."""
    items = [item("a", text), item("b", LONG), item("c", text)]
    budget = tokens_of(items[0]) + tokens_of(items[2])
    kept, used, omitted = pack(items, budget)
    assert (["a", "c"], budget) == ([one.id for one in kept], used)
    (reason,) = omitted
    assert ("over_budget", "b", "k:b") == (reason.code, reason.id, reason.key)
    assert f"it takes {tokens_of(items[1])} of {budget} tokens" in reason.reason


@pytest.mark.spec("R16")
@pytest.mark.parametrize("word", ["窑炉排期", "kiln schedule"])
def test_many_short_ones_are_worth_more_than_a_long_one(word: str) -> None:
    """The best one stays where it brings the most, and goes where others bring more in its room."""
    items = [item("a", f"{word} " * 40, 0.9)]
    items += [item(f"b{n}", f"{word} {n}", 0.3) for n in range(4)]
    budget = tokens_of(items[0]) + 1
    kept, _, omitted = pack(items, budget)
    assert (["b0", "b1", "b2", "b3"], ["a"]) == (
        [one.id for one in kept],
        [one.id for one in omitted],
    )
    kept, _, _ = pack(items[:3], budget)
    assert ["a"] == [one.id for one in kept]


@pytest.mark.spec("R16")
@pytest.mark.parametrize("said", ["窑炉周一开。", "The kiln runs on Monday."])
def test_quotes_are_counted_and_give_way_first(said: str) -> None:
    """First those go that say no more than the item; each item says how many it lacks."""
    more = f"{said} {said} 还有 and more"
    items = [item("a", said, 0.9, [said, more]), item("b", said, 0.8, [said])]
    bare = sum(map(tokens_of, items))
    assert (bare, []) == pack(items, None)[1:]
    kept, used, omitted = pack(items, all_tokens(items))
    assert (items, all_tokens(items), []) == (kept, used, omitted)
    kept, used, omitted = pack(items, bare + estimate_tokens(more))
    assert [(more,), ()] == [tuple(quote.text for quote in one.quotes) for one in kept]
    assert all_tokens(kept) == used <= bare + estimate_tokens(more)
    assert [("quotes_over_budget", "a"), ("quotes_over_budget", "b")] == [
        (one.code, one.id) for one in omitted
    ]
    assert "1 of 2 quotes" in omitted[0].reason


@pytest.mark.spec("R16")
def test_without_a_budget_all_are_kept() -> None:
    """And what they cost is told all the same."""
    items = [item("a", "甲"), item("b", LONG)]
    assert (items, sum(map(tokens_of, items)), []) == pack(items, None)


_ITEMS = st.lists(
    st.tuples(st.text(max_size=80), st.floats(0, 1), st.lists(st.text(max_size=40), max_size=3)),
    max_size=12,
)


@pytest.mark.spec("R16")
@given(_ITEMS, st.integers(1, 700), st.integers(0, 60))
def test_no_budget_is_passed_and_more_of_it_brings_no_less(
    given_items: list[tuple[str, float, list[str]]], budget: int, more: int
) -> None:
    """Whatever the items: all that they bring fits, in order; each is kept or has a reason."""
    best = sorted(given_items, key=lambda one: -one[1])
    items = [item(f"{n:02}", text, score, said) for n, (text, score, said) in enumerate(best)]
    kept, used, omitted = pack(items, budget)
    assert used == all_tokens(kept) <= budget
    assert [one.id for one in kept] == sorted(one.id for one in kept)
    left = {one.id for one in omitted if one.code == "over_budget"}
    assert {one.id for one in items} == left | {one.id for one in kept}
    assert len(items) == len(kept) + len(left)
    larger, _, _ = pack(items, budget + more)
    assert fsum(one.score for one in larger) >= fsum(one.score for one in kept) - 1e-9


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
    assert ["a", "c", "e", "d", "b"] == [one.row.id for one in vary(found, 0.7)]
    assert found == vary(found, 1.0)


@pytest.mark.spec("R3")
def test_said_again_in_another_turn_it_moves_less() -> None:
    """That it was said again is news of its own."""
    same = [ranked(f"same-{n}", text="一样", score=1.0, source_turn_id="t") for n in range(2)]
    again = ranked("again", text="一样", score=1.0, source_turn_id="t2")
    order = [one.row.id for one in vary([*same, again], 0.5)]
    assert ["same-0", "again", "same-1"] == order
