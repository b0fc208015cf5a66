"""Putting a session's state file in place: pins, plan, notebook and references at once (W8).

In: what `govern.state_file` read, inside a transaction. Out: how many changes that made of each
list. An entry that the file leaves as it was stays exactly what it was.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from smartbrain.domain.kept import Note, Pin, PinState
from smartbrain.domain.packet import PlanEntry
from smartbrain.domain.record import Record
from smartbrain.govern.notebook import notebook_of
from smartbrain.govern.pins import PINS, has_to_wait, settle_pins
from smartbrain.govern.plan import plan_place
from smartbrain.govern.state_file import refs_of
from smartbrain.govern.trail import Act, Place, Sheet, put_entries, read_sheet

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.ports.truth import Transaction

Given = Mapping[str, Any]


def load_state(given: Given, rows: Transaction, act: Act, rules: Rules) -> dict[str, int]:
    """Put a state in place and return the number that each list's last change has now."""
    session = given["session"]
    settle_pins(act.at, session, rows=rows, rules=rules)
    pins = read_sheet(PINS, rows=rows)
    lists: dict[Place, Sequence[Record | Given]] = {
        PINS: [_pin(one, pins, act, rules) for one in given["pins"]],
        plan_place(session): [PlanEntry.from_dict(one) for one in given["plan"]],
        notebook_of(session): [_note(one, act) for one in given["notebook"]],
        refs_of(session): [given["refs"]] if any(given["refs"].values()) else [],
    }
    return {
        place.kind: put_entries(place, read_sheet(place, rows=rows), entries, act, rows=rows).number
        for place, entries in lists.items()
    }


def _pin(given: Given, sheet: Sheet, act: Act, rules: Rules) -> Pin:
    """Return a pin of the file; what the file does not tell of it is kept."""
    fresh = {
        "actor": act.actor,
        "created_at": act.at.isoformat(),
        "session_mark": sheet.mark,
    }
    known = next((one for one in sheet.entries if one["id"] == given["id"]), fresh)
    renewed = given["renewed_at"] or act.at.isoformat()
    if known.get("renewed_at") != renewed:
        known = {**known, "session_mark": sheet.mark}
    pin = Pin.from_dict({**known, **given, "renewed_at": renewed})
    if has_to_wait(act, rules) and pin.to_dict() != known:
        return replace(pin, state=PinState.PROPOSED)
    return pin


def _note(given: Given, act: Act) -> Note:
    """Return a note of the file."""
    return Note.from_dict({**given, "at": given["at"] or act.at.isoformat()})
