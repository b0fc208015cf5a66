"""Reading what a caller wants a run to have in mind: goal, constraints, slots, plan, a decision.

In: anything. Out: plain JSON that can be stored and done again, or one sentence that says what to
change. Reading what was read before changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.domain.packet import PlanEntry, RunDecision
from smartbrain.domain.shapes import Boolean, ListOf, Object, Shape, Text, json_problem
from smartbrain.errors import UsageError
from smartbrain.text.controls import value_without_controls

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
    """Return what is to be changed; what is None stays as it is and is left out.

    Raises:
        UsageError: something is not what it should be; the sentence names it.
    """
    change: dict[str, Any] = {}
    if goal is not None:
        change["goal"] = _checked(goal, "goal", Text())
    if constraints is not None:
        change["constraints"] = _checked(constraints, "constraints", _TEXTS)
    if slots is not None:
        change["slots"] = _slots(slots)
    if plan is not None:
        change["plan"] = _plan(plan)
    if decision is not None:
        change["decision"] = _decision(decision)
    return change


def _checked(value: object, where: str, shape: Shape) -> Any:
    """Return a value without control characters, if it has a shape then."""
    problem = json_problem(value, where)
    cleaned = value if problem else value_without_controls(value)
    problem = problem or shape.problem(cleaned, where)
    if problem:
        raise UsageError(problem)
    return shape.stored(cleaned)


def _slots(value: object) -> dict[str, Any]:
    """Read slots; a slot of None is one to delete."""
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
    twice = next((one for one in ids if ids.count(one) > 1), None) if _repeats(ids) else None
    if twice is not None:
        raise UsageError(f"plan has two steps with the id {twice!r:.60}; give each its own")
    return named


def _repeats(ids: list[str]) -> bool:
    return len(set(ids)) < len(ids)


def _step(value: object, where: str) -> object:
    """Return a step as a dict, whatever it was given as."""
    if isinstance(value, PlanEntry):
        return value.to_dict()
    if isinstance(value, Mapping):
        _only(value, _STEP.fields, where)
        return value
    return {"text": value}


def _decision(value: object) -> dict[str, Any]:
    """Read a decision: a text, or a dict of text and detail."""
    if isinstance(value, RunDecision):
        value = {"text": value.text, "detail": value.detail}
    if isinstance(value, Mapping):
        _only(value, _DECISION.fields, "decision")
    else:
        value = {"text": value}
    read: dict[str, Any] = _checked(value, "decision", _DECISION)
    return read


def _only(given: Mapping[Any, Any], names: Mapping[str, Shape], where: str) -> None:
    """Refuse fields that mean nothing here."""
    for name in given:
        if name not in names:
            near = did_you_mean(name, names) or f"; it may have {', '.join(names)}"
            raise UsageError(f"{where} has the field {shown(name)}, which means nothing{near}")
