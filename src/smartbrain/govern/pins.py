"""Pins: a few key facts of a tenant that every context shows, each with a source and an end (W5).

In: what was read of a call, inside its transaction. Out: the pins as they are now, or a refusal
that changes nothing. A pin that has expired becomes a note of the session that it came from; that
is done when somebody next writes, and until then a context of that session shows it as one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.kept import Note, Pin, PinState, PinType
from smartbrain.errors import Conflict, NotFound, UsageError
from smartbrain.govern.given import (
    LONGEST_NAME,
    read_choice,
    read_entry_id,
    read_ids,
    read_line,
    read_optional_line,
    read_ttl,
)
from smartbrain.govern.notebook import append_notes
from smartbrain.govern.trail import (
    SYSTEM,
    Act,
    Entry,
    Place,
    Sheet,
    put_entries,
    put_sheet,
    read_change,
    read_sheet,
    roll_back,
    trail_of,
)

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.policy_state import PinsRules
    from smartbrain.ports.truth import Transaction

PINS: Final = Place("pins")
AGENT: Final = "agent"
LONGEST_TITLE: Final = 120
FIELDS: Final = ("type", "title", "summary", "source", "artifact_ref", "ttl")
"""What can be said and changed of a pin."""
_EXPIRE: Final = "pins.expire"
_NAMED: Final = 3  # pins that a full board names
Given = Mapping[str, Any]


def add_pin(given: Given, rows: Transaction, act: Act, rules: Rules) -> Pin:
    """Pin something; by an agent it waits for a person where the rules want that.

    Raises:
        UsageError: a field is malformed or too long.
        Conflict: code `pins_full`; the sentence names pins to take off.
    """
    settle_pins(act.at, given.get("session"), rows=rows, rules=rules)
    sheet = read_sheet(PINS, rows=rows)
    if len(sheet.entries) >= rules.pins.max_pins:
        raise Conflict(_full(sheet, rules.pins), code="pins_full")
    pin = Pin(
        id=str(sheet.next),
        **_fields({"artifact_ref": None, "ttl": None, **given}, rules.pins),
        state=PinState.PROPOSED if has_to_wait(act, rules) else PinState.ACTIVE,
        actor=act.actor,
        session_id=given.get("session"),
        created_at=act.at,
        renewed_at=act.at,
        session_mark=sheet.mark,
    )
    put_entries(PINS, sheet, [*sheet.entries, pin], act, rows=rows)
    return pin


def update_pin(given: Given, rows: Transaction, act: Act, rules: Rules) -> Pin:
    """Change the fields of a pin that are given; what an agent changes may have to wait again.

    Raises:
        UsageError: nothing is given, or a field is malformed or too long.
        NotFound: there is no such pin.
    """
    change = {name: given[name] for name in FIELDS if name in given}
    if not change:
        raise UsageError("there is nothing to update; give type, title, summary, source, …")
    fields = _fields(change, rules.pins)
    if given.get("session") is not None:
        fields["session_id"] = given["session"]
    if has_to_wait(act, rules):
        fields["state"] = PinState.PROPOSED
    (pin,) = _changed([read_entry_id(given["id"])], fields, rows, act, rules)
    return pin


def remove_pins(given: Given, rows: Transaction, act: Act, rules: Rules) -> list[Pin]:
    """Take pins off and return them.

    Raises:
        UsageError: there are no ids.
        NotFound: there is no such pin.
    """
    settle_pins(act.at, None, rows=rows, rules=rules)
    sheet = read_sheet(PINS, rows=rows)
    ids = read_ids(given["ids"])
    gone = _found(sheet, ids)
    kept = [one for one in sheet.entries if one["id"] not in ids]
    put_entries(PINS, sheet, kept, act, rows=rows)
    return gone


def renew_pins(given: Given, rows: Transaction, act: Act, rules: Rules) -> list[Pin]:
    """Let pins live as long again as they were to live, or as long as is given.

    One that has expired comes back under its number, if it is a note by now as well.

    Raises:
        UsageError: there are no ids, or the time to live is none.
        NotFound: there is no such pin, and none that has expired.
        Conflict: code `pins_full`; there is no place for one that has expired.
    """
    ids = read_ids(given["ids"])
    settle_pins(act.at, None, rows=rows, rules=rules, keep=ids)
    sheet = read_sheet(PINS, rows=rows)
    back = _expired_before(ids, sheet, rows)
    if back and len(sheet.entries) + len(back) > rules.pins.max_pins:
        raise Conflict(_full(sheet, rules.pins), code="pins_full")
    fields: dict[str, Any] = {"renewed_at": act.at, "session_mark": sheet.mark}
    if given.get("ttl") is not None:
        fields["days"], fields["sessions"] = read_ttl(given["ttl"])
    entries = (*sheet.entries, *back)
    found = _found(sheet._replace(entries=entries), ids)
    renewed = {one.id: replace(one, **fields) for one in found}
    put_entries(PINS, sheet, [renewed.get(one["id"], one) for one in entries], act, rows=rows)
    return list(renewed.values())


def accept_pins(given: Given, rows: Transaction, act: Act, rules: Rules) -> list[Pin]:
    """Let pins that an agent proposed be shown.

    Raises:
        UsageError: there are no ids.
        NotFound: there is no such pin.
    """
    return _changed(read_ids(given["ids"]), {"state": PinState.ACTIVE}, rows, act, rules)


def settle_pins(
    now: datetime,
    session_id: str | None,
    *,
    rows: Transaction,
    rules: Rules,
    begun: bool = False,
    keep: Collection[str] = (),
) -> None:
    """Make notes of the pins that have expired; `begun` counts a session that has just begun.

    Those to `keep` stay: somebody is about to renew them.

    A note goes to the session the pin came from, else to the one at hand or that spoke last.
    """
    sheet = read_sheet(PINS, rows=rows)
    if not sheet.entries:
        return
    if begun:
        sheet = sheet._replace(mark=sheet.mark + 1)
        put_sheet(PINS, sheet, now, rows=rows)
    pins = pins_of(sheet)
    over = [one for one in pins if expired(one, sheet.mark, now) and one.id not in keep]
    if not over:
        return
    act = Act(now, SYSTEM, _EXPIRE, f"{len(over)} expired; they are in the notebook now")
    put_entries(PINS, sheet, [one for one in pins if one not in over], act, rows=rows)
    notes: dict[str, list[Note]] = {}
    for pin in over:
        session = pin.session_id or session_id or _last_session(rows)
        if session is not None and pin.state is PinState.ACTIVE:
            notes.setdefault(session, []).append(_note_of(pin, now))
    for session, lines in notes.items():
        append_notes(session, lines, act, rows=rows, rules=rules.notebook)


def roll_back_pins(given: Given, rows: Transaction, act: Act, _rules: Rules) -> int:
    """Bring the board back as it was; what has expired since then lives as long again.

    Raises:
        UsageError: there is no such change.
        NotFound: code `gone`, if a part of the trail has been dropped.
    """
    mark = read_sheet(PINS, rows=rows).mark

    def alive(entry: Entry) -> Entry:
        pin = Pin.from_dict(entry)
        if not expired(pin, mark, act.at):
            return entry
        return replace(pin, renewed_at=act.at, session_mark=mark).to_dict()

    return roll_back(PINS, read_change(given["to"]), act, rows=rows, brought=alive).number


def has_to_wait(act: Act, rules: Rules) -> bool:
    """Tell whether what is pinned has to be accepted by a person first."""
    return rules.pins.require_acceptance and act.actor == AGENT


def expired(pin: Pin, mark: int, now: datetime) -> bool:
    """Tell whether a pin has lived its time."""
    over = pin.sessions is not None and mark - pin.session_mark >= pin.sessions
    return over or (pin.until is not None and now >= pin.until)


def pins_of(sheet: Sheet) -> list[Pin]:
    """Return the pins of a list, expired ones too."""
    return [Pin.from_dict(one) for one in sheet.entries]


def living_pins(*, rows: Transaction, now: datetime) -> list[Pin]:
    """Return the pins that have not expired, those that wait as well, with one statement."""
    sheet = read_sheet(PINS, rows=rows)
    return [one for one in pins_of(sheet) if not expired(one, sheet.mark, now)]


def shown_pins(
    session_id: str, *, rows: Transaction, now: datetime
) -> tuple[list[Pin], list[Note]]:
    """Return the pins a session is shown, and what its expired ones will be in its notebook."""
    sheet = read_sheet(PINS, rows=rows)
    active = [one for one in pins_of(sheet) if one.state is PinState.ACTIVE]
    over = [one for one in active if expired(one, sheet.mark, now)]
    own = [_note_of(one, now) for one in over if one.session_id == session_id]
    return [one for one in active if one not in over], own


def _note_of(pin: Pin, now: datetime) -> Note:
    """Return the line that a pin leaves in a notebook."""
    text = f"{pin.title}: {pin.summary} ({pin.source})"
    return Note(id="", at=now, text=text, source=pin.source, milestone=True)


def _fields(given: Given, rules: PinsRules) -> dict[str, Any]:
    """Read the fields of a pin that are given."""
    fields: dict[str, Any] = {}
    if "type" in given:
        fields["type"] = read_choice(given["type"], "type", list(PinType))
    if "title" in given:
        fields["title"] = read_line(given["title"], "title", LONGEST_TITLE)
    if "summary" in given:
        fields["summary"] = read_summary(given["summary"], rules)
    if "source" in given:
        fields["source"] = read_line(given["source"], "source")
    if "artifact_ref" in given:
        ref = given["artifact_ref"]
        fields["artifact_ref"] = read_optional_line(ref, "artifact_ref", LONGEST_NAME)
    if "ttl" in given:
        days, sessions = read_ttl(given["ttl"])
        default = days is None and sessions is None
        fields["days"] = rules.ttl_days if default else days
        fields["sessions"] = rules.ttl_sessions if default else sessions
    return fields


def read_summary(value: object, rules: PinsRules) -> str:
    """Read a summary; what is too long belongs into an artifact."""
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, str) and len(text) > rules.max_chars:
        raise UsageError(
            f"summary has {len(text)} characters, {rules.max_chars} is the limit; shorten it and"
            " put the rest into an artifact that artifact_ref names"
        )
    return read_line(text, "summary", rules.max_chars)


def _changed(
    ids: Sequence[str], fields: Mapping[str, Any], rows: Transaction, act: Act, rules: Rules
) -> list[Pin]:
    """Change fields of some pins and return those."""
    settle_pins(act.at, None, rows=rows, rules=rules)
    sheet = read_sheet(PINS, rows=rows)
    changed = {one.id: replace(one, **fields) for one in _found(sheet, ids)}
    entries = [changed.get(one["id"], one) for one in sheet.entries]
    put_entries(PINS, sheet, entries, act, rows=rows)
    return list(changed.values())


def _found(sheet: Sheet, ids: Sequence[str]) -> list[Pin]:
    """Return pins by their ids, in the order asked for."""
    pins = {one.id: one for one in pins_of(sheet)}
    for one in ids:
        if one not in pins:
            there = ", ".join(pins) or "none"
            raise NotFound(f"there is no pin {one!r:.60}; the pins are {there}")
    return [pins[one] for one in ids]


def _expired_before(ids: Sequence[str], sheet: Sheet, rows: Transaction) -> list[Entry]:
    """Return pins that are not on the board any more because their time was over."""
    missing = set(ids) - {one["id"] for one in sheet.entries}
    back: list[Entry] = []
    for change in trail_of(PINS, limit=sheet.number, rows=rows) if missing else ():
        stayed = {one["id"] for one in change.after}
        gone = [one for one in change.before if one["id"] in missing - stayed]
        missing -= {one["id"] for one in gone}  # what was taken off on purpose stays off
        back += gone if change.action == _EXPIRE else []
    return back


def _full(sheet: Sheet, rules: PinsRules) -> str:
    """Say that the board is full, and which pins to take off: those renewed longest ago."""
    oldest = sorted(pins_of(sheet), key=lambda pin: (pin.renewed_at, int(pin.id)))[:_NAMED]
    named = ", ".join(f"{pin.id} ({pin.title:.40})" for pin in oldest)
    return f"there are {len(sheet.entries)} pins, {rules.max_pins} is the limit; unpin one: {named}"


def _last_session(rows: Transaction) -> str | None:
    """Return the session that was spoken in last."""
    found = rows.events.sessions(limit=1)
    return found[0][1].id if found else None
