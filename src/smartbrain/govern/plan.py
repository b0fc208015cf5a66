"""The plan of a session: what is to be done, and what makes it done (W1, W4).

In: what was read of a call, inside its transaction. Out: the steps as they are now. A run of the
session has the same plan in mind: there is one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.packet import PlanEntry
from smartbrain.errors import NotFound, UsageError
from smartbrain.govern.given import read_entry_id, read_ids, read_line, read_optional_line
from smartbrain.govern.trail import Act, Place, Sheet, put_entries, read_sheet

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.ports.truth import Transaction

PLAN: Final = "plan"
MOST_STEPS: Final = 1_000
"""The most steps that single calls may bring a plan to."""
Given = Mapping[str, Any]


def plan_place(session_id: str) -> Place:
    """Return where the plan of a session is."""
    return Place(PLAN, session_id)


def read_plan(session_id: str, *, rows: Transaction) -> tuple[PlanEntry, ...]:
    """Return the plan of a session, with one statement."""
    return plan_of(read_sheet(plan_place(session_id), rows=rows))


def plan_of(sheet: Sheet) -> tuple[PlanEntry, ...]:
    """Return the steps of a list."""
    return tuple(map(PlanEntry.from_dict, sheet.entries))


def replace_plan(
    session_id: str, steps: Sequence[Mapping[str, Any]], act: Act, *, rows: Transaction
) -> None:
    """Put a whole plan into the place of the one that is there."""
    place = plan_place(session_id)
    entries = [PlanEntry.from_dict(one) for one in steps]
    put_entries(place, read_sheet(place, rows=rows), entries, act, rows=rows)


def add_step(given: Given, rows: Transaction, act: Act, _rules: Rules) -> PlanEntry:
    """Add a step at the end of a plan.

    Raises:
        UsageError: the text is no line, or the plan is full.
    """
    place = plan_place(given["session"])
    sheet = read_sheet(place, rows=rows)
    if len(sheet.entries) >= MOST_STEPS:
        raise UsageError(f"the plan has {len(sheet.entries)} steps; remove those that are done")
    step = PlanEntry(
        id=str(sheet.next),
        text=read_line(given["text"], "text"),
        done_when=read_optional_line(given.get("done_when"), "done_when"),
    )
    put_entries(place, sheet, [*sheet.entries, step], act, rows=rows)
    return step


def check_step(given: Given, rows: Transaction, act: Act, _rules: Rules) -> PlanEntry:
    """Tick a step off, or open it again.

    Raises:
        UsageError: it is no id, or `done` is neither true nor false.
        NotFound: there is no such step.
    """
    if not isinstance(given["done"], bool):
        raise UsageError(f"done is {given['done']!r:.60}; it must be True or False")
    place = plan_place(given["session"])
    sheet = read_sheet(place, rows=rows)
    (step,) = _found(sheet, [read_entry_id(given["id"])])
    checked = replace(step, done=given["done"])
    entries = [checked if one["id"] == step.id else one for one in sheet.entries]
    put_entries(place, sheet, entries, act, rows=rows)
    return checked


def remove_steps(given: Given, rows: Transaction, act: Act, _rules: Rules) -> list[PlanEntry]:
    """Take steps out of a plan and return them.

    Raises:
        UsageError: there are no ids.
        NotFound: there is no such step.
    """
    place = plan_place(given["session"])
    sheet = read_sheet(place, rows=rows)
    ids = read_ids(given["ids"])
    gone = _found(sheet, ids)
    kept = [one for one in sheet.entries if one["id"] not in ids]
    put_entries(place, sheet, kept, act, rows=rows)
    return gone


def _found(sheet: Sheet, ids: Sequence[str]) -> list[PlanEntry]:
    """Return steps by their ids, in the order asked for."""
    steps = {one.id: one for one in plan_of(sheet)}
    for one in ids:
        if one not in steps:
            there = ", ".join(list(steps)[:20]) or "none"
            there += ", …" if len(steps) > 20 else ""
            raise NotFound(f"there is no step {one!r:.60} in the plan; the steps are {there}")
    return [steps[one] for one in ids]
