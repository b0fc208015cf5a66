"""The trail of what is governed: every list has a number of changes, and each can be undone (W4).

In: a list of entries as it is to be from now on. Out: the list stored as one row, with an audit
entry of just what differs in the same transaction. Rolling back undoes entries of the trail one by
one, so an earlier state comes back exactly; that is a change as well, and is on the trail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from smartbrain.domain.hints import shown
from smartbrain.domain.job import AuditEntry, StateEntry
from smartbrain.domain.record import Record
from smartbrain.domain.working import TrailEntry
from smartbrain.errors import NotFound, UsageError

if TYPE_CHECKING:
    from smartbrain.ports.truth import Transaction

TENANT: Final = "tenant"
SYSTEM: Final = "system"
"""Who changes something when nobody asked for it: a limit or an expiry."""
_SHEET: Final = "sheet"
_NAMED: Final = 20  # ids that an error names
Entry = Mapping[str, Any]


class Place(NamedTuple):
    """Where one list is kept: a kind of thing, of the tenant or of one session."""

    kind: str
    session_id: str | None = None

    @property
    def owner(self) -> str:
        """Whose row it is."""
        return TENANT if self.session_id is None else f"session:{self.session_id}"

    @property
    def subject(self) -> str:
        """What the audit calls it."""
        return self.kind if self.session_id is None else f"{self.kind}:{self.session_id}"


class Act(NamedTuple):
    """Who does what, when and why."""

    at: datetime
    actor: str
    action: str
    reason: str = ""


class Sheet(NamedTuple):
    """A list as it is stored: its entries, how often it changed, and the next free number.

    `mark` counts the sessions that began since there is a list; only pins need it. Entries are
    plain JSON and are stored as they are: a turn with a tool run reads and writes its notes.
    """

    entries: tuple[Entry, ...] = ()
    number: int = 0
    next: int = 1
    mark: int = 0


def read_sheet(place: Place, *, rows: Transaction) -> Sheet:
    """Return a list, with one statement; an empty one if there is none."""
    found = rows.working.state(place.owner, place.kind)
    if not found:
        return Sheet()
    body = found[0].body
    return Sheet(tuple(body["entries"]), body["number"], body["next"], body["mark"])


def put_state(
    owner: str, kind: str, name: str, body: Mapping[str, Any], at: datetime, *, rows: Transaction
) -> None:
    """Write one entry of working state."""
    rows.working.put_state(
        StateEntry(owner=owner, kind=kind, id=name, body=body, created_at=at, updated_at=at)
    )


def put_sheet(place: Place, sheet: Sheet, at: datetime, *, rows: Transaction) -> None:
    """Write a list as it is, without a word on the trail."""
    put_state(place.owner, place.kind, _SHEET, sheet._asdict(), at, rows=rows)


def put_entries(
    place: Place, sheet: Sheet, entries: Iterable[Record | Entry], act: Act, *, rows: Transaction
) -> Sheet:
    """Put other entries into a list and leave an audit entry of what differs, if anything does."""
    old = sheet.entries
    new = tuple(one.to_dict() if isinstance(one, Record) else one for one in entries)
    if old == new:
        return sheet
    most = min(len(old), len(new))
    first = next((place for place in range(most) if old[place] != new[place]), most)
    same = next((n for n in range(most - first) if old[-1 - n] != new[-1 - n]), most - first)
    before, after = old[first : len(old) - same], new[first : len(new) - same]
    number = sheet.number + 1
    rows.ledger.add_audit(
        AuditEntry(
            at=act.at,
            actor=act.actor,
            action=act.action,
            subject_kind=place.kind,
            subject_id=place.subject,
            before={"number": number, "place": first, "entries": before},
            after={"number": number, "place": first, "entries": after},
            reason=act.reason,
        )
    )
    free = max([sheet.next, *(int(one["id"]) + 1 for one in after if _counted(one))])
    changed = sheet._replace(entries=new, number=number, next=free)
    put_sheet(place, changed, act.at, rows=rows)
    return changed


def find_entries(entries: Iterable[Entry], ids: Iterable[str], noun: str) -> list[Entry]:
    """Return the entries of some ids, all of which have to be there."""
    known = {one["id"]: one for one in entries}
    for one in ids:
        if one not in known:
            there = ", ".join([*known][:_NAMED]) or "none"
            there += ", …" if len(known) > _NAMED else ""
            raise NotFound(f"there is no {noun} {one!r:.60}; the {noun}s are {there}")
    return [known[one] for one in ids]


def change_entries(
    place: Place,
    ids: Sequence[str],
    noun: str,
    change: Callable[[Entry], Record] | None,
    act: Act,
    *,
    rows: Transaction,
) -> list[Entry]:
    """Change the entries of some ids, or take them out; return them as they are now, or were."""
    sheet = read_sheet(place, rows=rows)
    found = find_entries(sheet.entries, ids, noun)
    changed = {one["id"]: change(one).to_dict() if change else None for one in found}
    entries = [changed.get(one["id"], one) for one in sheet.entries]
    put_entries(place, sheet, [one for one in entries if one is not None], act, rows=rows)
    return [changed[one["id"]] or one for one in found]


def read_change(to: int | str) -> int | datetime:
    """Return which change is meant: its number, or a time by which it was made."""
    return to if isinstance(to, int) else datetime.fromisoformat(to)


def roll_back(
    place: Place,
    to: int | datetime,
    act: Act,
    *,
    rows: Transaction,
    brought: Callable[[Entry], Entry] | None = None,
) -> Sheet:
    """Bring back a list as it was after a change, given by its number or by a time.

    `brought` says how an entry that comes back has to be changed.
    """
    sheet = read_sheet(place, rows=rows)
    number = to if isinstance(to, int) else _number_at(place, to, sheet, rows=rows)
    if not 0 <= number <= sheet.number:
        raise UsageError(
            f"{place.kind} has the changes 0 to {sheet.number}, not {shown(number)};"
            " history() lists them"
        )
    entries = list(sheet.entries)
    undone = sheet.number - number
    for step, entry in enumerate(rows.ledger.audit(place.subject, limit=undone)):
        before, after = entry.before or {}, entry.after or {}
        if after.get("number") != sheet.number - step:
            break
        start = after["place"]
        entries[start : start + len(after["entries"])] = before["entries"]
        undone -= 1
    if undone:
        raise NotFound(
            f"the trail of {place.kind} does not reach back to change {number}; choose a later one",
            code="gone",
        )
    if brought is not None:
        entries = list(map(brought, entries))
    why = act.reason or f"back to what it was after change {number}"
    return put_entries(place, sheet, entries, act._replace(reason=why), rows=rows)


def trail_of(place: Place, *, limit: int, rows: Transaction) -> list[TrailEntry]:
    """Return the changes of a list, newest first."""
    return [
        TrailEntry(
            number=(one.after or {})["number"],
            at=one.at,
            actor=one.actor,
            action=one.action,
            reason=one.reason,
            before=tuple((one.before or {})["entries"]),
            after=tuple((one.after or {})["entries"]),
        )
        for one in rows.ledger.audit(place.subject, limit=limit)
    ]


def _number_at(place: Place, to: datetime, sheet: Sheet, *, rows: Transaction) -> int:
    changes = trail_of(place, limit=sheet.number, rows=rows)
    return next((one.number for one in changes if one.at <= to), 0)


def _counted(entry: Entry) -> bool:
    """Tell whether an entry is named by a number of the list's own count."""
    name = entry.get("id", "")
    return isinstance(name, str) and name.isascii() and name.isdecimal() and len(name) < 10
