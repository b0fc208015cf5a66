"""Runs: what an agent has in mind while it works at something, cleared when it is done (W1).

In: what a run is told. Out: its working memory, read by two statements whatever the tenant holds:
its own, one row a run and one a decision, and the plan, which is that of its session and stays.
Every write is an event first. Nothing is compressed: what is too much is refused here, and a packet
shows it shorter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.domain.packet import PlanEntry, RunDecision, WorkingMemory
from smartbrain.domain.record import canonical_json
from smartbrain.domain.shapes import Boolean, ListOf, Object, Shape, Text, json_problem
from smartbrain.domain.working import Run
from smartbrain.errors import UsageError
from smartbrain.govern.insights import expire_insights, insights_of
from smartbrain.govern.pins import read_plan, replace_plan
from smartbrain.govern.run_row import (
    DECISION,
    RUN,
    RunRow,
    add_event,
    any_row,
    open_row,
    owner_of,
    put_row,
)
from smartbrain.govern.trail import TENANT, Act, put_state
from smartbrain.text.controls import value_without_controls

if TYPE_CHECKING:
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction

MOST_ENTRIES: Final = 10_000
"""The most constraints, steps of a plan, or slots of a run."""
_NAME: Final = Text(max_length=512)
_TEXTS: Final = ListOf(Text(), max_items=MOST_ENTRIES)
_DECISION: Final = Object({"text": Text(), "detail": Text(required=False)})
_STEP: Final = Object(
    {
        "id": Text(max_length=512, required=False),
        "text": Text(),
        "done": Boolean(default=False),
        "done_when": Text(required=False),
    }
)
_STEPS: Final = ListOf(_STEP, max_items=MOST_ENTRIES)


def read_change(
    *,
    goal: object = None,
    constraints: object = None,
    slots: object = None,
    plan: object = None,
    decision: object = None,
) -> dict[str, Any]:
    """Return what is to be changed; what is None stays as it is and is left out."""
    given = {"goal": goal, "constraints": constraints, "slots": slots}
    given |= {"plan": plan, "decision": decision}
    return {name: _READERS[name](value) for name, value in given.items() if value is not None}


def _checked(value: object, where: str, shape: Shape) -> Any:
    """Return a value without control characters, if it has a shape then."""
    problem = json_problem(value, where)
    cleaned = value if problem else value_without_controls(value)
    problem = problem or shape.problem(cleaned, where)
    if problem:
        raise UsageError(problem)
    return shape.stored(cleaned)


def _slots(value: object) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise UsageError(f"slots is {shown(value)}; it must be a dict of names and JSON values")
    if len(value) > MOST_ENTRIES:
        raise UsageError(f"slots has {len(value)} entries; at most {MOST_ENTRIES}")
    slots: dict[str, Any] = _checked(dict(value), "slots", Object())
    for name in slots:
        problem = _NAME.problem(name, "the name of a slot")
        if problem:
            raise UsageError(problem)
    return slots


def _plan(value: object) -> list[dict[str, Any]]:
    """Read a plan: texts, or steps as dicts; a step without an id is named by its place."""
    if not isinstance(value, list | tuple):
        raise UsageError(f"plan is {shown(value)}; it must be a list of texts or of steps")
    given = [_step(one, f"plan[{place}]") for place, one in enumerate(value)]
    steps: list[dict[str, Any]] = _checked(given, "plan", _STEPS)
    named = [{"id": str(place), **step} for place, step in enumerate(steps, 1)]
    ids = [step["id"] for step in named]
    if len(set(ids)) < len(ids):
        twice = next(one for one in ids if ids.count(one) > 1)
        raise UsageError(f"plan has two steps with the id {twice!r:.60}; give each its own")
    return named


def _step(value: object, where: str) -> object:
    if isinstance(value, PlanEntry):
        return value.to_dict()
    if isinstance(value, Mapping):
        _only(value, _STEP.fields, where)
        return value
    return {"text": value}


def _decision(value: object) -> dict[str, Any]:
    if isinstance(value, RunDecision):
        value = {"text": value.text, "detail": value.detail}
    if isinstance(value, Mapping):
        _only(value, _DECISION.fields, "decision")
    else:
        value = {"text": value}
    read: dict[str, Any] = _checked(value, "decision", _DECISION)
    return read


def _only(given: Mapping[Any, Any], names: Mapping[str, Shape], where: str) -> None:
    for name in given:
        if name not in names:
            near = did_you_mean(name, names) or f"; it may have {', '.join(names)}"
            raise UsageError(f"{where} has the field {shown(name)}, which means nothing{near}")


_READERS: Final[Mapping[str, Callable[[object], Any]]] = {
    "goal": lambda value: _checked(value, "goal", Text()),
    "constraints": lambda value: _checked(value, "constraints", _TEXTS),
    "slots": _slots,
    "plan": _plan,
    "decision": _decision,
}

START: Final = "run_start"
UPDATE: Final = "run_update"
END: Final = "run_end"
MOST_BYTES: Final = 1_048_576
"""The most that one run may have in mind, as JSON."""


def start_run(session_id: str, change: Mapping[str, Any], *, ports: Ports, rules_hash: str) -> str:
    """Begin a run in a session and return its id, which is that of its first event.

    The session need not have any turns yet; `change` is as `read_change` gives it.
    """
    with ports.truth.write() as transaction:
        given = {"session": session_id, "change": change}
        event = add_event(START, given, transaction=transaction, ports=ports, rules_hash=rules_hash)
        row = _changed(RunRow(session_id=session_id, started_at=event.at), change)
        _check_size(row, change)
        put_row(event.id, row, event.at, transaction=transaction)
        if change.get("plan"):
            act = Act(event.at, "user", START, f"run {event.id} began with a plan")
            replace_plan(session_id, change["plan"], act, rows=transaction)
        listed = {"session_id": session_id}
        put_state(TENANT, RUN, event.id, listed, event.at, rows=transaction)
    return event.id


def update_run(
    run_id: str, change: Mapping[str, Any], *, ports: Ports, rules_hash: str
) -> WorkingMemory:
    """Change what a run has in mind and return it all.

    Slots are laid over those that are there, a slot of None goes, a decision is added; goal,
    constraints and plan are replaced.
    """
    if not change:
        raise UsageError("there is nothing to update; give goal, constraints, slots, plan, …")
    with ports.truth.write() as transaction:
        row = _changed(open_row(run_id, transaction=transaction), change)
        _check_size(row, change)
        given = {"run": run_id, "change": change}
        event = add_event(
            UPDATE, given, transaction=transaction, ports=ports, rules_hash=rules_hash
        )
        put_row(run_id, row, event.at, transaction=transaction)
        if "plan" in change:
            act = Act(event.at, "user", UPDATE, f"run {run_id} has another plan")
            replace_plan(row.session_id, change["plan"], act, rows=transaction)
        if "decision" in change:
            body = {**change["decision"], "at": event.at.isoformat()}
            owner, name = owner_of(run_id), str(row.decided)
            put_state(owner, DECISION, name, body, event.at, rows=transaction)
        working = read_run(run_id, transaction=transaction)
    assert working is not None
    return working


def end_run(run_id: str, *, ports: Ports, rules_hash: str) -> Run:
    """End a run: its working memory is cleared, and what nobody validated expires."""
    with ports.truth.write() as transaction:
        row = open_row(run_id, transaction=transaction)
        event = add_event(
            END, {"run": run_id}, transaction=transaction, ports=ports, rules_hash=rules_hash
        )
        gone = expire_insights(
            row.insights,
            "run_ended",
            "its run ended before anybody validated it",
            event.at,
            transaction=transaction,
        )
        transaction.working.drop_state(owner_of(run_id))
        transaction.working.drop_state(TENANT, RUN, run_id)
        ended = RunRow(
            session_id=row.session_id,
            started_at=row.started_at,
            ended_at=event.at,
            made=row.made,
            validated=row.validated,
        )
        put_row(run_id, ended, event.at, transaction=transaction)
        return _run(run_id, replace(ended, dropped=tuple(gone)), transaction=transaction)


def read_run(run_id: str, *, transaction: Transaction) -> WorkingMemory | None:
    """Return what a run has in mind; None for one that is unknown or ended.

    One statement reads the run, and one the plan of its session.
    """
    row, decisions = None, []
    for entry in transaction.working.state(owner_of(run_id)):
        if entry.kind == RUN:
            row = RunRow.from_dict(entry.body)
        elif entry.kind == DECISION:
            decisions.append(RunDecision.from_dict(entry.body))
    if row is None or row.ended_at is not None:
        return None
    return WorkingMemory(
        run_id=run_id,
        goal=row.goal,
        constraints=row.constraints,
        slots=row.slots_in_order(),
        plan=read_plan(row.session_id, rows=transaction),
        decisions=tuple(decisions),
    )


def get_run(run_id: str, *, ports: Ports) -> Run:
    """Return a run with its insights, ended or not."""
    with ports.truth.read() as transaction:
        row = any_row(run_id, transaction=transaction)
        return _run(run_id, row, transaction=transaction, now=ports.clock())


def list_runs(session_id: str | None = None, *, ports: Ports) -> list[Run]:
    """Return the runs that go on, oldest first, of one session or of all; without their content."""
    with ports.truth.read() as transaction:
        entries = transaction.working.state(TENANT, RUN)
    found = [
        Run(run_id=one.id, session_id=one.body["session_id"], started_at=one.created_at)
        for one in entries
    ]
    return [one for one in found if session_id in (None, one.session_id)]


def _run(run_id: str, row: RunRow, *, transaction: Transaction, now: datetime | None = None) -> Run:
    return Run(
        run_id=run_id,
        session_id=row.session_id,
        started_at=row.started_at,
        ended_at=row.ended_at,
        working_memory=read_run(run_id, transaction=transaction),
        insights=tuple(insights_of(row, transaction=transaction, now=now)),
        dropped=row.dropped,
    )


def _changed(row: RunRow, change: Mapping[str, Any]) -> RunRow:
    slots = _written(row.slots_in_order(), change.get("slots", {}))
    row = replace(
        row,
        goal=change.get("goal", row.goal),
        constraints=tuple(change.get("constraints", row.constraints)),
        slots=slots,
        slot_names=tuple(slots),
    )
    if "decision" in change:
        size = len(canonical_json(change["decision"]).encode())
        row = replace(row, decided=row.decided + 1, decided_bytes=row.decided_bytes + size)
    return row


def _written(slots: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return slots with others written behind them, by name; one of None goes.

    By name, for the event of the change keeps no other order, and doing it again is to be the same.
    """
    kept = {name: value for name, value in slots.items() if name not in given}
    new = {name: given[name] for name in sorted(given) if given[name] is not None}
    return kept | new


def _check_size(row: RunRow, change: Mapping[str, Any]) -> None:
    own = canonical_json([replace(row, slot_names=()).to_dict(), change.get("plan")])
    size = row.decided_bytes + len(own.encode())
    if size > MOST_BYTES:
        raise UsageError(
            f"the run would have {size} bytes in mind, {MOST_BYTES} is the limit; delete slots,"
            " shorten the plan, or end the run and start another"
        )
