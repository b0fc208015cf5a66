"""The value of a version: what a claim says, beside what the version before it said (C4, K11).

In: the value that stands and the next claim. Out: the new value, and the fields in which the two
say different things. A field that a claim does not speak of keeps its value, except that a reason
belongs to the decision it was given for.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from smartbrain.domain.claim import Claim
from smartbrain.remember.extract.correction_times import changes_hour
from smartbrain.remember.extract.tasks_blocked import without_reasons
from smartbrain.remember.fold.state import FoldRules
from smartbrain.remember.sameness import differing, is_vaguer, says_same, senses

_OF_ITS_CLAIM: Final = ("rationale", "made_at")
"""Fields of a decision that belong to the claim that gave them."""


def unite(old: Mapping[str, Any], claim: Claim, type_name: str) -> dict[str, Any]:
    """Return what a claim says together with what it leaves as it was."""
    said = claim.fields
    if claim.detail.get("whole_value"):
        return dict(said)
    if stated := claim.detail.get("stated"):
        said = {name: item for name, item in said.items() if name in stated}
    if type_name == "facts":  # the case of letters makes no other fact
        return {**old, "value": said["value"]} if "value" in said else dict(old)
    kept = dict(old)
    if (
        type_name == "decisions"
        and "decision" in said
        and not says_same(old.get("decision"), said["decision"])
    ):
        kept = {name: item for name, item in old.items() if name not in _OF_ITS_CLAIM}
    value = {**kept, **{name: item for name, item in said.items() if item not in (None, "", [])}}
    if type_name == "tasks":
        if claim.detail.get("keep_status"):
            value["status"] = old["status"]
        if old.get("notes"):
            value = _with_notes(value, list(old["notes"]), list(said.get("notes") or ()))
    return value


def changed_fields(
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    attribute: str,
    said: tuple[datetime, datetime],
    rules: FoldRules,
) -> tuple[str, ...]:
    """Return the fields in which two values of an attribute say different things."""
    if old == new:
        return ()
    pair: tuple[Any, Any] = (old.get("value"), new.get("value"))
    texts = isinstance(pair[0], str) and isinstance(pair[1], str)
    if texts and pair in rules.known_apart:
        return ("value",)
    fields = differing(rules.kind, old, new, said)
    if not texts or fields != ("value",):
        return fields
    if rules.ontology.same_value(attribute, *pair):
        return ()
    if not {*senses(pair[0])} & {*senses(pair[1])}:
        rules.known_apart.add(pair)
    return fields


def keep_precise(new: dict[str, Any], old: Mapping[str, Any]) -> None:
    """Let a value said again keep its number where it is told without one: June 12, Friday."""
    if "value" in new and "value" in old and is_vaguer(new["value"], old["value"]):
        new["value"] = old["value"]


def hour_changes(old_text: str, claim: Claim, said: tuple[datetime, datetime]) -> bool:
    """Tell whether an event is told again for another hour of its day."""
    return changes_hour(old_text, claim.text, said, sure=bool(claim.detail.get("corrects")))


def _with_notes(value: dict[str, Any], old: list[Any], new: list[Any]) -> dict[str, Any]:
    """Return a task with its notes; why it was blocked is told no more once it goes on."""
    blocked, given = value.get("status") == "blocked", without_reasons(new)
    if given:
        kept: list[Any] = []
    elif blocked and not new:
        kept = old
    else:
        kept = without_reasons(old, done=value.get("status") == "done")
    notes = kept + (new if blocked else given)
    value.pop("notes", None)
    return {**value, "notes": notes} if notes else value
