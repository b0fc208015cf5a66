"""Working memory in a packet: whole, or shorter step by step."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recalled_rows import packet, ranked

from smartbrain.domain.packet import PlanEntry, RunDecision, WorkingMemory
from smartbrain.recall.candidates import Brought
from smartbrain.recall.working_view import entries, shown_working


def working(
    constraints: int = 0, slots: int = 0, plan: int = 0, decisions: int = 0, **more: Any
) -> WorkingMemory:
    """Build what a run has in mind, with so many of each."""
    given: dict[str, Any] = {"run_id": "run", "goal": "发布 1.0 release"}
    return WorkingMemory(
        constraints=tuple(f"约束 {n}" for n in range(constraints)),
        slots={f"slot{n}": n for n in range(slots)},
        plan=tuple(PlanEntry(id=f"p{n}", text=f"step {n}") for n in range(plan)),
        decisions=tuple(RunDecision(text=f"决定 {n}", detail="因为 why") for n in range(decisions)),
        **given | more,
    )


@pytest.mark.spec("W1", "R7")
def test_it_is_whole_while_there_is_room() -> None:
    """What fits is not touched."""
    whole = working(constraints=5, slots=5, plan=10, decisions=10)
    assert whole == shown_working(whole, 50).working
    filled = packet(Brought(working=whole))
    assert (whole, ()) == (filled.working_memory, filled.budget_report.degradations)
    assert ["working"] == [one.code for one in filled.explain.selected]


@pytest.mark.spec("W1", "R7", "R8")
@pytest.mark.parametrize("others", [0, 10, 29])
def test_it_is_whole_while_the_total_holds(others: int) -> None:
    """However little the others take, working memory has what they leave, and at least half."""
    found = [ranked(f"事实 {n}") for n in range(others)]
    whole = working(plan=69 - others, decisions=15)  # with the goal and the details just the total
    filled = packet(Brought(working=whole, found=found))
    assert (whole, ()) == (filled.working_memory, filled.budget_report.degradations)
    assert 100 == filled.budget_report.used["total"]
    assert 100 - others == filled.budget_report.limits["working_memory"]
    more = working(plan=70 - others, decisions=15)
    pressed = packet(Brought(working=more, found=found))
    assert pressed.working_memory is not None
    assert more.plan == pressed.working_memory.plan
    assert 15 == len(pressed.working_memory.decisions)
    assert ["drop_decision_detail"] == [one.code for one in pressed.budget_report.degradations]
    assert others == len(pressed.facts)


@pytest.mark.spec("W1")
def test_old_decisions_lose_their_detail_first() -> None:
    """The last decisions keep theirs as long as that is enough."""
    shown = shown_working(working(plan=10, decisions=10), 25)
    assert shown.working is not None
    assert [""] * 7 + ["因为 why"] * 3 == [one.detail for one in shown.working.decisions]
    assert 10 == len(shown.working.plan)
    assert [("drop_decision_detail", 31, 24)] == [
        (one.code, one.before, one.after) for one in shown.degradations
    ]


@pytest.mark.spec("W1")
def test_then_goal_constraints_and_slots_stay() -> None:
    """Plan and decisions go before anything that the run is held to."""
    shown = shown_working(working(constraints=5, slots=5, plan=40, decisions=10), 20)
    assert working(constraints=5, slots=5) == shown.working
    assert ["drop_decision_detail", "keep_core"] == [one.code for one in shown.degradations]
    assert ["working_memory"] * 2 == [one.type for one in shown.omitted]


@pytest.mark.spec("W1", "R8")
def test_ten_thousand_entries_leave_the_newest() -> None:
    """Where even the core is too much, its newest entries stay, and every step is told."""
    filled = packet(Brought(working=working(5_000, 5_000, 5_000, 5_000)))
    shown = filled.working_memory
    assert shown is not None
    assert 100 == entries(shown) == filled.budget_report.used["working_memory"]
    assert ("约束 4999", "slot4999") == (shown.constraints[-1], list(shown.slots)[-1])
    assert ["drop_decision_detail", "keep_core", "cut_core"] == [
        one.code for one in filled.budget_report.degradations
    ]
    assert len(filled.explain.omitted) == 3


@pytest.mark.spec("W1")
@given(sizes=st.tuples(*[st.integers(0, 60)] * 4), limit=st.integers(1, 80))
def test_any_working_memory_stays_within_its_limit(sizes: tuple[int, ...], limit: int) -> None:
    """The goal always stays; the same input gives the same answer."""
    given_memory = working(*sizes)
    shown = shown_working(given_memory, limit)
    assert shown.working is not None
    assert given_memory.goal == shown.working.goal
    assert entries(shown.working) <= limit
    assert shown == shown_working(given_memory, limit)
    if entries(given_memory) <= limit:
        assert (given_memory, ()) == (shown.working, shown.degradations)


def test_no_run_has_nothing_in_mind() -> None:
    """Without a run there is nothing to show, and nothing to tell about it."""
    assert (None, (), ()) == tuple(shown_working(None, 0))
