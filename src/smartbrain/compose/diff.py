"""Comparing two contexts slot by slot (S6).

In: two packages, what each slot of them takes, and the reasons that go with them. Out: what came
in, what went, what moved, and the tokens. Nothing is read or composed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from smartbrain.compose.chosen import EVIDENCE
from smartbrain.compose.trace import in_slot_order
from smartbrain.domain.context import ContextPackage
from smartbrain.domain.context_diff import ContextChange, ContextDiff, ContextMove, SlotChange
from smartbrain.domain.context_text import (
    call_text,
    note_text,
    pin_text,
    plan_text,
    step_results,
    turn_text,
)
from smartbrain.domain.record import canonical_json

if TYPE_CHECKING:
    from smartbrain.domain.reason import Reason

_SLOTS: Final = frozenset(one.name for one in fields(ContextPackage))
_BLOCKS: Final = ("system_blocks", "developer_blocks")
_ALONE: Final = "*"
_WORDS: Final = 80  # characters by which something is recognised


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of two contexts; `reasons` say why things are in it or were left out."""

    package: ContextPackage
    tokens: Mapping[str, int]
    reasons: Iterable[Reason] = ()


class _Shown(NamedTuple):
    """Something in its place."""

    place: int
    text: str


_Key = tuple[str, str]
"""A slot, and an id that is used once in it."""


def diff_contexts(before: Side, after: Side, **more: Any) -> ContextDiff:
    """Return what differs between two contexts; `more` are further fields of the result."""
    old, new = _things(before.package), _things(after.package)
    why_in = _by_thing(after.package.debug.why_selected)
    why_out = _by_thing(after.reasons)
    both = [key for key in old if key in new]
    moves = [_move(key, old[key], new[key]) for key in both]
    kept_old = [key for key in old if key in new]
    kept_new = [key for key in new if key in old]
    places_old, places_new = _places(kept_old), _places(kept_new)
    budgets = [one.package.constraints.token_budget for one in (before, after)]
    slots = in_slot_order({**before.tokens, **after.tokens})
    return ContextDiff(
        context_id=before.package.context_id,
        entered=tuple(_change(key, one, why_in) for key, one in new.items() if key not in old),
        left=tuple(_change(key, one, why_out) for key, one in old.items() if key not in new),
        moved=tuple(
            move
            for key, move in zip(both, moves, strict=True)
            if places_old[key] != places_new[key]
        ),
        resized=tuple(
            move for key, move in zip(both, moves, strict=True) if old[key].text != new[key].text
        ),
        tokens=tuple(
            SlotChange(
                slot=slot, before=before.tokens.get(slot, 0), after=after.tokens.get(slot, 0)
            )
            for slot in slots
        ),
        limit=SlotChange(slot="limit", before=budgets[0].limit, after=budgets[1].limit),
        used=SlotChange(
            slot="used", before=budgets[0].used_estimate, after=budgets[1].used_estimate
        ),
        **more,
    )


def _things(package: ContextPackage) -> dict[_Key, _Shown]:
    """Return everything that a context shows by slot and id, in its order."""
    things: dict[_Key, _Shown] = {}
    places: dict[str, int] = {}
    for slot, name, text in _named(package):
        places[slot] = place = places.get(slot, 0) + 1
        key, again = (slot, name), 1
        while key in things:
            again += 1
            key = (slot, f"{name}#{again}")
        things[key] = _Shown(place, text)
    return things


def _named(package: ContextPackage) -> Iterator[tuple[str, str, str]]:
    """Yield the slot, the id and the words of everything that a context shows."""
    for block in package.system_blocks:
        yield "system_blocks", block.type, block.text
    for block in package.developer_blocks:
        yield "developer_blocks", block.type, block.text
    if package.working_summary:
        yield "working_summary", "summary", package.working_summary
    for pin in package.pins:
        yield "pins", pin.id, pin_text(pin)
    for step in package.plan:
        yield "plan", step.id, plan_text(step)
    for note in package.notebook:
        yield "notebook", note.id, note_text(note)
    for turn in package.recent_turns:
        yield "recent_turns", turn.turn_id, turn_text(turn)
    for one in package.evidence:
        yield EVIDENCE, one.id, one.snippet
    for call in step_results(package):
        yield "tool_result", call.id, call_text(call)
    if package.user_message:
        yield "user_message", "message", canonical_json(package.user_message)


def _by_thing(reasons: Iterable[Reason]) -> dict[_Key, Reason]:
    """Return reasons by what they are about; one that names no slot is about evidence.

    A block is named by its type; what is alone in its slot needs no name.
    """
    found: dict[_Key, Reason] = {}
    for one in reasons:
        if one.type not in _SLOTS:
            found[EVIDENCE, one.id or ""] = one
        elif one.id is None and one.type in _BLOCKS:
            found[one.type, one.key or ""] = one
        else:
            found[one.type, one.id or _ALONE] = one
    return found


def _places(keys: Iterable[_Key]) -> dict[_Key, int]:
    """Return the places that things would have if nothing had come or gone."""
    counts: dict[str, int] = {}
    places = {}
    for key in keys:
        counts[key[0]] = places[key] = counts.get(key[0], 0) + 1
    return places


def _change(key: _Key, one: _Shown, why: Mapping[_Key, Reason]) -> ContextChange:
    slot, name = key
    words = " ".join(one.text.split())
    text = words if len(words) <= _WORDS else f"{words[: _WORDS - 1]}…"
    reason = why.get((slot, name.partition("#")[0])) or why.get((slot, _ALONE))
    return ContextChange(slot=slot, id=name, place=one.place, text=text, why=reason)


def _move(key: _Key, old: _Shown, new: _Shown) -> ContextMove:
    return ContextMove(
        slot=key[0],
        id=key[1],
        from_place=old.place,
        to_place=new.place,
        characters_before=len(old.text),
        characters_after=len(new.text),
    )
