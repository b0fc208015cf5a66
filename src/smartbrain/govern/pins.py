"""Pins, plan and notes: what is on the board of a session (W1).

In: what a caller or a command gives, the transaction, who asks and when. Out: the entry as it is
stored, or a UsageError that says what to write instead. Every change is an entry of the trail, so
it can be rolled back.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.domain.packet import PlanEntry
from smartbrain.domain.result import ArtifactSummary
from smartbrain.domain.shapes import json_problem
from smartbrain.domain.turn import CallStatus
from smartbrain.domain.working import Note, Pin, PinState, PinType
from smartbrain.errors import Conflict, UsageError
from smartbrain.govern.trail import (
    SYSTEM,
    Act,
    Entry,
    Place,
    Sheet,
    change_entries,
    find_entries,
    put_entries,
    put_sheet,
    read_change,
    read_sheet,
    roll_back,
    trail_of,
)
from smartbrain.text.controls import without_controls
from smartbrain.text.pattern import pattern

if TYPE_CHECKING:
    from smartbrain.domain.policy import NotebookRules, PinsRules, Rules
    from smartbrain.ports.truth import Transaction


LONGEST_LINE: Final = 2_000
"""The most characters of a note or a step of a plan."""
LONGEST_NAME: Final = 512
MOST_DAYS: Final = 36_500
_MOST_IDS: Final = 1_000
_WIDE: Final = str.maketrans("０１２３４５６７８９＃", "0123456789#")
_APART: Final = pattern(r"[\s,，、;；]+")
_AND: Final = pattern(r"(?<=\d)\s*(?:[和与及&]|\band\b)\s*(?=#?\d)")
_NUMBERS: Final = pattern(r"(?:[\s\d#＃,，、;；和与及&]|and)*\d[\s。.]*\Z")
_TTL: Final = pattern(
    r"\s*+(\d{1,5})\s*+(?:(d|days?|天|日)|(sessions?|次会话|个会话|会话))?\s*+\Z", re.IGNORECASE
)


def read_line(value: object, name: str, longest: int = LONGEST_LINE) -> str:
    """Return text as one line: control characters and line breaks become blanks."""
    if not isinstance(value, str):
        raise UsageError(f"{name} is {shown(value)}; it must be text")
    if problem := json_problem(value, name):
        raise UsageError(problem)
    line = " ".join(without_controls(value).split())
    if not line:
        raise UsageError(f"{name} is blank; give some words")
    if len(line) > longest:
        raise UsageError(f"{name} has {len(line)} characters, {longest} is the limit; shorten it")
    return line


def read_optional_line(value: object, name: str, longest: int = LONGEST_LINE) -> str | None:
    """Return text as one line, or None if there is none."""
    return None if value is None else read_line(value, name, longest)


def read_choice(value: object, name: str, options: Iterable[str]) -> str:
    """Return one of a fixed set of words."""
    words = [str(one) for one in options]
    if isinstance(value, str) and value in words:
        return str(value)
    near = did_you_mean(value, words)
    raise UsageError(f"{name} is {shown(value)}{near}; it must be one of {', '.join(words)}")


def read_ids(value: object, name: str = "ids") -> list[str]:
    """Return ids, given as one or many, as numbers or as text such as `3`, `#3` or `1, 3`."""
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        given = list(value)
    else:
        given = [value]
    apart = (
        split_ids(one) if isinstance(one, str) and _NUMBERS.match(one) else [one] for one in given
    )
    given = [one for several in apart for one in several]
    if not 0 < len(given) <= _MOST_IDS:
        raise UsageError(f"{name} has {len(given)} entries; give 1 to {_MOST_IDS} ids")
    return list(dict.fromkeys(read_entry_id(one, name) for one in given))


def split_ids(text: str) -> list[str]:
    """Return the ids that a text names, however people set them apart: `1, 3`, `1、3`, `1和3`."""
    named = _AND.sub(" ", text.translate(_WIDE))
    return [one for one in _APART.split(named.rstrip("。.")) if one]


def read_entry_id(value: object, name: str = "id") -> str:
    """Return one id."""
    if type(value) is int and value > 0:
        return str(value)
    if isinstance(value, str):
        return read_line(value.strip().removeprefix("#"), name, LONGEST_NAME)
    raise UsageError(f"{name} holds {shown(value)}; an id is a number or text such as '3'")


def read_ttl(value: object) -> tuple[int | None, int | None]:
    """Return how many days and how many sessions something is to live; neither if not given.

    `7` and `"7d"` are days, `"30 sessions"` are sessions, `"7天"` and `"30次会话"` as well.
    """
    if value is None:
        return None, None
    found = _TTL.match(str(value)) if type(value) in (int, str) else None
    count = int(found[1]) if found else 0
    if found is None or not 0 < count <= MOST_DAYS:
        raise UsageError(
            f"ttl is {shown(value)}; give days such as 7 or '7d', or sessions such as '30 sessions'"
        )
    return (None, count) if found[3] else (count, None)


def read_moment(value: object, name: str = "to") -> int | str:
    """Return the number of a change, or an aware time in ISO 8601."""
    if type(value) is int:
        return value
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        time = None
    if not isinstance(time, datetime) or time.utcoffset() is None:
        raise UsageError(
            f"{name} is {shown(value)}; give the number of a change, or a time with its offset"
        )
    return time.isoformat()


PINS: Final = Place("pins")
AGENT: Final = "agent"
LONGEST_TITLE: Final = 120
FIELDS: Final = ("type", "title", "summary", "source", "artifact_ref", "ttl")
"""What can be said and changed of a pin."""
_EXPIRE: Final = "pins.expire"
_NAMED: Final = 3  # pins that a full board names
_PIN, _STEP = "pin", "step"
Given = Mapping[str, Any]


def add_pin(given: Given, rows: Transaction, act: Act, rules: Rules) -> Pin:
    """Pin something; by an agent it waits for a person where the rules want that."""
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
    """Change the fields of a pin that are given; what an agent changes may have to wait again."""
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
    """Take pins off and return them."""
    settle_pins(act.at, None, rows=rows, rules=rules)
    gone = change_entries(PINS, read_ids(given["ids"]), _PIN, None, act, rows=rows)
    return list(map(Pin.from_dict, gone))


def renew_pins(given: Given, rows: Transaction, act: Act, rules: Rules) -> list[Pin]:
    """Let pins live as long again as they were to live, or as long as is given.

    One that has expired comes back under its number, if it is a note by now as well.
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
    found = map(Pin.from_dict, find_entries(entries, ids, _PIN))
    renewed = {one.id: replace(one, **fields) for one in found}
    put_entries(PINS, sheet, [renewed.get(one["id"], one) for one in entries], act, rows=rows)
    return list(renewed.values())


def accept_pins(given: Given, rows: Transaction, act: Act, rules: Rules) -> list[Pin]:
    """Let pins that an agent proposed be shown."""
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
    """Bring the board back as it was; what has expired since then lives as long again."""
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
    text = f"{pin.title}: {pin.summary} ({pin.source})"
    return Note(id="", at=now, text=text, source=pin.source, milestone=True)


def _fields(given: Given, rules: PinsRules) -> dict[str, Any]:
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
    settle_pins(act.at, None, rows=rows, rules=rules)

    def change(entry: Entry) -> Pin:
        return replace(Pin.from_dict(entry), **fields)

    return list(map(Pin.from_dict, change_entries(PINS, ids, _PIN, change, act, rows=rows)))


def _expired_before(ids: Sequence[str], sheet: Sheet, rows: Transaction) -> list[Entry]:
    missing = set(ids) - {one["id"] for one in sheet.entries}
    back: list[Entry] = []
    for change in trail_of(PINS, limit=sheet.number, rows=rows) if missing else ():
        stayed = {one["id"] for one in change.after}
        gone = [one for one in change.before if one["id"] in missing - stayed]
        missing -= {one["id"] for one in gone}  # what was taken off on purpose stays off
        back += gone if change.action == _EXPIRE else []
    return back


def _full(sheet: Sheet, rules: PinsRules) -> str:
    oldest = sorted(pins_of(sheet), key=lambda pin: (pin.renewed_at, int(pin.id)))[:_NAMED]
    named = ", ".join(f"{pin.id} ({pin.title:.40})" for pin in oldest)
    return f"there are {len(sheet.entries)} pins, {rules.max_pins} is the limit; unpin one: {named}"


def _last_session(rows: Transaction) -> str | None:
    found = rows.events.sessions(limit=1)
    return found[0][1].id if found else None


PLAN: Final = "plan"
MOST_STEPS: Final = 1_000
"""The most steps that single calls may bring a plan to."""


def plan_place(session_id: str) -> Place:
    """Return where the plan of a session is."""
    return Place(PLAN, session_id)


def read_plan(session_id: str, *, rows: Transaction) -> tuple[PlanEntry, ...]:
    """Return the plan of a session, with one statement."""
    sheet = read_sheet(plan_place(session_id), rows=rows)
    return tuple(map(PlanEntry.from_dict, sheet.entries))


def replace_plan(
    session_id: str, steps: Sequence[Mapping[str, Any]], act: Act, *, rows: Transaction
) -> None:
    """Put a whole plan into the place of the one that is there."""
    place = plan_place(session_id)
    entries = [PlanEntry.from_dict(one) for one in steps]
    put_entries(place, read_sheet(place, rows=rows), entries, act, rows=rows)


def add_step(given: Given, rows: Transaction, act: Act, _rules: Rules) -> PlanEntry:
    """Add a step at the end of a plan."""
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
    """Tick a step off, or open it again."""
    if not isinstance(given["done"], bool):
        raise UsageError(f"done is {given['done']!r:.60}; it must be True or False")

    def check(entry: Entry) -> PlanEntry:
        return replace(PlanEntry.from_dict(entry), done=given["done"])

    place, ids = plan_place(given["session"]), [read_entry_id(given["id"])]
    return PlanEntry.from_dict(change_entries(place, ids, _STEP, check, act, rows=rows)[0])


def remove_steps(given: Given, rows: Transaction, act: Act, _rules: Rules) -> list[PlanEntry]:
    """Take steps out of a plan and return them."""
    place, ids = plan_place(given["session"]), read_ids(given["ids"])
    gone = change_entries(place, ids, _STEP, None, act, rows=rows)
    return list(map(PlanEntry.from_dict, gone))


NOTEBOOK: Final = "notebook"
COMPACT: Final = "notebook.compact"
_LONGEST_CALL: Final = 200
_TOLD: Final = 3  # subjects that a folded line names
_RUN: Final = "tool:"
_LAST_RUNS: Final = 2  # notes of tool runs in a context, besides the runs that it tells itself
_MILESTONE: Final = pattern(
    r"(?i)\b(?:decided|decision|agreed|done|finished|completed|failed|failure|released|milestone)\b"
    r"|决定|决策|完成|搞定|失败|发布|里程碑"
)
_HAN: Final = pattern(r"[\u4e00-\u9fff]")
_SUBJECT: Final = pattern(r"[^\s:：，,。;；]{1,40}")


def notebook_of(session_id: str) -> Place:
    """Return where the notes of a session are."""
    return Place(NOTEBOOK, session_id)


def add_note(given: Given, rows: Transaction, act: Act, rules: Rules) -> Note:
    """Write a line into the notebook of a session."""
    note = Note(
        id="",
        at=act.at,
        text=read_line(given["text"], "text"),
        source=read_optional_line(given.get("source"), "source"),
        milestone=bool(given.get("milestone")),
    )
    return append_notes(given["session"], [note], act, rows=rows, rules=rules.notebook)[-1]


def compact_notes(given: Given, rows: Transaction, act: Act, rules: Rules) -> list[Note]:
    """Fold the older notes of a session now, and return what is left."""
    place = notebook_of(given["session"])
    sheet = _folded(place, read_sheet(place, rows=rows), act, rows=rows, rules=rules.notebook)
    return notes_of(sheet)


def append_notes(
    session_id: str, notes: Sequence[Note], act: Act, *, rows: Transaction, rules: NotebookRules
) -> list[Note]:
    """Write notes, give them their ids, and fold the older ones if there are too many."""
    place = notebook_of(session_id)
    sheet = read_sheet(place, rows=rows)
    named = [replace(one, id=str(sheet.next + n)) for n, one in enumerate(notes)]
    sheet = put_entries(place, sheet, [*sheet.entries, *named], act, rows=rows)
    if len(sheet.entries) > rules.max_notes:
        fold = Act(act.at, SYSTEM, COMPACT, f"more than {rules.max_notes} notes")
        _folded(place, sheet, fold, rows=rows, rules=rules)
    return named


def notes_of(sheet: Sheet) -> list[Note]:
    """Return the notes of a list."""
    return [Note.from_dict(one) for one in sheet.entries]


def notes_of_calls(calls: Sequence[ArtifactSummary], act: Act) -> list[Note]:
    """Return a note for each finished tool run; a failure is a milestone."""
    return [
        Note(
            id="",
            at=act.at,
            text=call.summary.partition("\n")[0][:_LONGEST_CALL],
            source=f"{_RUN}{call.id}",
            milestone=call.status is CallStatus.ERROR or bool(call.exit_code),
        )
        for call in calls
    ]


def shown_notes(notes: Sequence[Note], told: Collection[str], rules: NotebookRules) -> list[Note]:
    """Return the notes that a context shows, oldest first; their number does not follow the work.

    Of what tools left that is the last few runs which are not told elsewhere; of failures and of
    what somebody wrote, as many as the rules say: the latest, but half of them give way to what
    somebody marked as a milestone earlier. `told` are the runs that the context tells anyway.
    """
    fresh = [one for one in notes if (one.source or "").removeprefix(_RUN) not in told]
    runs = [one for one in fresh if _is_run(one) and not one.milestone]
    said = [one for one in fresh if not _is_run(one) or one.milestone]
    latest = rules.shown - rules.shown // 2
    marked = [one for one in said[:-latest] if one.milestone and not _is_run(one)]
    marked = marked[len(marked) - min(len(marked), rules.shown // 2) :]
    others = [one for one in said if one not in marked][len(marked) - rules.shown :]
    kept = {one.id for one in (*runs[-_LAST_RUNS:], *marked, *others)}
    return [one for one in fresh if one.id in kept]


def is_milestone(note: Note) -> bool:
    """Tell whether a note is worth keeping when those around it are folded."""
    said = not note.folded and not _is_run(note)
    return note.milestone or (said and bool(_MILESTONE.search(note.text)))


def _is_run(note: Note) -> bool:
    """Tell whether a finished tool run left a note by itself."""
    return note.source is not None and note.source.startswith(_RUN)


def _folded(
    place: Place, sheet: Sheet, act: Act, *, rows: Transaction, rules: NotebookRules
) -> Sheet:
    notes = notes_of(sheet)
    older, latest = notes[: -rules.keep], notes[-rules.keep :]
    kept = [one for one in older if is_milestone(one)]
    room = max(0, rules.max_notes - rules.keep - 1)
    kept = kept[len(kept) - room :] if len(kept) > room else kept
    stay = {one.id for one in kept}
    gone = [one for one in older if one.id not in stay]
    if not gone or (len(gone) == 1 and gone[0].folded):
        return sheet
    line = _fold(gone, str(sheet.next), act)
    return put_entries(place, sheet, [line, *kept, *latest], act, rows=rows)


def _fold(notes: Sequence[Note], name: str, act: Act) -> Note:
    """Return one line for many notes: how many there were, since when, and what about."""
    count = sum(one.folded or 1 for one in notes)
    subjects: Counter[str] = Counter()
    for one in notes:
        if not one.folded and (found := _SUBJECT.search(one.text)):
            subjects[found.group()] += 1
    told = ", ".join(f"{subject} {times}" for subject, times in subjects.most_common(_TOLD))
    since = min(one.at for one in notes)
    zh = any(_HAN.search(one.text) for one in notes)
    end = f"{act.at:%Y-%m-%d %H:%M}"
    text = (
        f"{count} 条较早的笔记（至 {end}）：{told}"
        if zh
        else f"{count} earlier notes (to {end}): {told}"
    )
    # The time is that of the first note, so that folding again still tells since when.
    return Note(id=name, at=since, text=text, folded=count)
