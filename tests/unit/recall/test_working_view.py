"""Working memory in a packet: whole, or shorter step by step."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from recalled_rows import episode, packet, ranked

from smartbrain.domain.packet import LadderStep, PlanEntry, RunDecision, WorkingMemory
from smartbrain.domain.recalled import Ranked
from smartbrain.recall.candidates import PacketInputs
from smartbrain.recall.ladder import entries, shown_working


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
    filled = packet(PacketInputs(working=whole))
    assert (whole, ()) == (filled.working_memory, filled.budget_report.degradations)
    assert ["working"] == [one.code for one in filled.explain.selected]


@pytest.mark.spec("W1", "R7", "R8")
@pytest.mark.parametrize("others", [0, 10, 29])
def test_it_is_whole_while_the_total_holds(others: int) -> None:
    """However little the others take, working memory has what they leave, and at least half."""
    found = [ranked(f"事实 {n}") for n in range(others)]
    whole = working(plan=69 - others, decisions=15)  # with the goal and the details just the total
    filled = packet(PacketInputs(working=whole, found=found))
    assert (whole, ()) == (filled.working_memory, filled.budget_report.degradations)
    assert 100 == filled.budget_report.used["total"]
    assert 100 - others == filled.budget_report.limits["working_memory"]
    more = working(plan=70 - others, decisions=15)
    pressed = packet(PacketInputs(working=more, found=found))
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


def beside(facts: int, episodes: int) -> list[Ranked]:
    """Build what else comes to mind."""
    return [
        *(ranked(f"事实 {n}", score=1 - n / 100) for n in range(facts)),
        *(episode(f"e{n}", 1, "user: 聊了发布 release") for n in range(episodes)),
    ]


@pytest.mark.spec("W1", "R7", "R8")
@pytest.mark.parametrize(
    ("plan", "facts", "episodes"), [(40, 24, 20), (44, 24, 16), (65, 15, 4), (82, 1, 1)]
)
def test_it_is_whole_though_others_give_way(plan: int, facts: int, episodes: int) -> None:
    """They give way in their own order, and no further than is needed."""
    whole = working(constraints=15, plan=plan)
    filled = packet(PacketInputs(working=whole, found=beside(24, 24)))
    assert whole == filled.working_memory
    assert (facts, episodes) == (len(filled.facts), len(filled.episodes))
    report = filled.budget_report
    assert 100 == report.used["total"]
    assert plan + 16 == report.used["working_memory"] == report.limits["working_memory"]
    assert {one.code for one in report.degradations} <= set(LadderStep)


@pytest.mark.spec("W1", "R7", "R8")
def test_old_detail_goes_before_others_do() -> None:
    """That of the last decisions stays while others can give way, and goes before any entry."""

    def details(plan: int) -> tuple[list[str], int]:
        filled = packet(
            PacketInputs(working=working(plan=plan, decisions=10), found=beside(30, 20))
        )
        shown = filled.working_memory
        assert shown is not None
        assert (plan, 10) == (len(shown.plan), len(shown.decisions))
        assert 100 == filled.budget_report.used["total"] or plan < 40
        return [one.detail for one in shown.decisions], len(filled.facts) + len(filled.episodes)

    old, last = [""] * 7, ["因为 why"] * 3
    assert (old + last, 50) == details(36)
    assert (old + [""] * 3, 50) == details(39)
    assert (old + last, 46) == details(40)
    assert (old + last, 2) == details(84)
    assert (old + [""] * 3, 2) == details(87)


@pytest.mark.spec("W1", "R7", "R8")
def test_what_cannot_be_whole_leaves_others_their_room() -> None:
    """One entry more than there could be room for, and it keeps what the run is held to."""
    filled = packet(PacketInputs(working=working(constraints=15, plan=83), found=beside(30, 24)))
    shown = filled.working_memory
    assert shown is not None
    assert working(constraints=15) == shown
    assert (30, 20) == (len(filled.facts), len(filled.episodes))


@pytest.mark.spec("W1", "R7", "R8")
def test_goal_constraints_and_slots_are_whole_where_others_can_give_way() -> None:
    """A plan that has no room is no reason to cut what the run is held to."""
    held = working(constraints=30, slots=30)
    more = replace(held, plan=working(plan=90).plan)
    filled = packet(PacketInputs(working=more, found=beside(30, 24)))
    assert held == filled.working_memory
    assert ["keep_core"] == [
        one.code for one in filled.budget_report.degradations if one.type == "working_memory"
    ]
    assert (29, 10) == (len(filled.facts), len(filled.episodes))
    assert 100 == filled.budget_report.used["total"]


@pytest.mark.spec("W1", "R8")
def test_ten_thousand_entries_leave_the_newest() -> None:
    """Where even the core is too much, its newest entries stay, and every step is told."""
    filled = packet(PacketInputs(working=working(5_000, 5_000, 5_000, 5_000)))
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
