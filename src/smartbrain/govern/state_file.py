"""`context_state.json`: the working state of a session as a file that people read and edit (W8).

In: a session, or the text of such a file. Out: the text, always in the same form, or what it says,
checked and put in place at once. A file with a mistake is refused whole, with the line and the
reason. An entry that the file leaves as it was stays exactly what it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from difflib import unified_diff
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.domain.packet import PlanEntry
from smartbrain.domain.record import Record
from smartbrain.domain.working import Pin, PinState, PinType
from smartbrain.errors import UsageError
from smartbrain.govern.pins import (
    LONGEST_NAME,
    LONGEST_TITLE,
    MOST_DAYS,
    MOST_STEPS,
    PINS,
    has_to_wait,
    living_pins,
    notebook_of,
    notes_of,
    pins_of,
    plan_place,
    read_choice,
    read_entry_id,
    read_line,
    read_optional_line,
    read_plan,
    read_summary,
    settle_pins,
)
from smartbrain.govern.sources import resolve_source
from smartbrain.govern.trail import Act, Place, Sheet, put_entries, read_sheet
from smartbrain.text.pattern import pattern

if TYPE_CHECKING:
    from smartbrain.domain.policy import PinsRules, Rules
    from smartbrain.ports.truth import Transaction

Path = tuple[str | int, ...]
_DEEPEST: Final = 100  # levels that are told of; Python's reader gives up somewhere above
_MOST_DIGITS: Final = 4_300  # of a whole number, for Python's reader
_CONSTANTS: Final = ("NaN", "Infinity", "-Infinity")
_TOKEN: Final = pattern(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+')


def read_json_lines(text: str) -> tuple[Any, dict[Path, int]]:
    """Return what a text says and on which line each value begins, by its path."""
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise UsageError(f"line {error.lineno}: not JSON: {error.msg}") from None
    except (ValueError, RecursionError) as error:
        line, reason = _unreadable(text) or (1, str(error))
        raise UsageError(f"line {line}: not JSON that can be read: {reason}") from None
    return value, _places(text)


def line_of(path: Path, lines: Mapping[Path, int]) -> int:
    """Return the line of a place, or of what is around it."""
    while path not in lines and path:
        path = path[:-1]
    return lines.get(path, 1)


def _unreadable(text: str) -> tuple[int, str] | None:
    depth = 0
    for token in _TOKEN.finditer(text):
        mark = token.group()
        depth += (mark in "[{") - (mark in "]}")
        reason = ""
        if depth > _DEEPEST:
            reason = f"it is nested more than {_DEEPEST} levels deep"
        elif mark in _CONSTANTS:
            reason = f"{mark} is no value"
        elif mark.lstrip("-").isdigit() and len(mark) > _MOST_DIGITS:
            reason = f"a number has {len(mark)} digits, {_MOST_DIGITS} is the limit"
        if reason:
            return text.count("\n", 0, token.start()) + 1, reason
    return None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no value")


def _places(text: str) -> dict[Path, int]:
    lines: dict[Path, int] = {}
    path: list[str | int] = []
    inside: list[str] = []
    named = False  # whether the name of the value that comes has been read
    line, reached = 1, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", reached, token.start())
        reached = token.start()
        mark = token.group()
        if mark == ":":
            named = True
        elif mark == ",":
            named = False
            if inside[-1] == "[":
                path[-1] = int(path[-1]) + 1
        elif mark in "}]":
            inside.pop()
            path.pop()
        elif inside and inside[-1] == "{" and not named:
            path[-1] = json.loads(mark)
            if tuple(path) in lines:
                raise UsageError(f"line {line}: the name {mark:.60} is there twice")
            lines[tuple(path)] = line
        else:
            lines.setdefault(tuple(path), line)
            if mark in "{[":
                inside.append(mark)
                path.append(0 if mark == "[" else "")
                named = False
    return lines


VERSION: Final = 1
REFS: Final = "state_refs"
REF_NAMES: Final = ("base_prompt_ref", "tool_contract_ref")
_MEMO: Final = "smartbrain:fastmemo"
_FIXED: Final = {
    "fastmemo_ref": _MEMO,
    "fastmemo_dynamic_pool_ref": f"{_MEMO}[动态context池]",
}
_WORD: Final = pattern(r"(?!0+\Z)\w[\w.:-]*\Z")
_MOST_NOTES: Final = 10_000
Given = dict[str, Any]


def refs_of(session_id: str) -> Place:
    """Return where the references to a session's prompts are."""
    return Place(REFS, session_id)


def export_state(session_id: str, *, rows: Transaction, now: datetime, rules: Rules) -> Given:
    """Return the working state of a session, as plain JSON in its fixed order."""
    refs = next(iter(read_sheet(refs_of(session_id), rows=rows).entries), {})
    pins = [one.to_dict() for one in living_pins(rows=rows, now=now)]
    steps = [one.to_dict() for one in read_plan(session_id, rows=rows)]
    notes = [one.to_dict() for one in notes_of(read_sheet(notebook_of(session_id), rows=rows))]
    return {
        "version": VERSION,
        "session_id": session_id,
        **{name: refs.get(name) for name in REF_NAMES},
        **_FIXED,
        "pins": _shown(pins, _pin_fields(rules.pins)),
        "plan": _shown(steps, _STEP),
        "notebook": _shown(notes, _NOTE),
        **_settings(rules),
    }


def _shown(entries: Sequence[Given], fields: Fields) -> list[Given]:
    return [{name: one[name] for name in ("id", *fields)} for one in entries]


def state_text(state: Mapping[str, Any]) -> str:
    """Return a state as the text of its file."""
    return json.dumps(state, ensure_ascii=False, indent=2) + "\n"


def state_diff(stored: Mapping[str, Any], text: str) -> str:
    """Return how a file differs from what is stored, as a unified diff; empty if it does not."""
    try:
        other = state_text(json.loads(text))
    except (ValueError, RecursionError):
        other = text  # a file that is no JSON is compared as it stands
    lines = unified_diff(
        state_text(stored).splitlines(), other.splitlines(), "stored", "file", lineterm=""
    )
    return "\n".join(lines)


def read_state(session_id: str, text: str, *, rows: Transaction, rules: Rules) -> Given:
    """Return what a file says about a session, ready to be put in place."""
    try:
        state, lines = read_json_lines(text)
    except UsageError as error:
        raise UsageError(error.message, code="bad_state_file") from None
    reader = _Reader(lines, rows, rules)
    return reader.state(session_id, state)


def _settings(rules: Rules) -> dict[str, Any]:
    return {
        "recent_window_policy": {"keep_rounds": rules.policies.composition.keep_rounds},
        "limits": {
            "pins_max": rules.pins.max_pins,
            "pin_chars_max": rules.pins.max_chars,
            "notebook_max": rules.notebook.max_notes,
            "fastmemo_section_max": rules.fastmemo.max_bullets,
        },
    }


class _Reader:
    """Reads the parts of a state, and knows the line of each."""

    def __init__(self, lines: Mapping[Path, int], rows: Transaction, rules: Rules) -> None:
        self._lines = lines
        self._rows = rows
        self._rules = rules
        pins = pins_of(read_sheet(PINS, rows=rows))
        self._sources = {one.id: one.source for one in pins}
        self._steps: frozenset[str] = frozenset()
        self._names = {"pins": _number, "plan": self._step_name, "notebook": read_entry_id}

    def state(self, session_id: str, state: Any) -> Given:
        fixed = {"version": VERSION, "session_id": session_id, **_FIXED, **_settings(self._rules)}
        names = (*fixed, *REF_NAMES, "pins", "plan", "notebook")
        self._object(state, (), names)
        for name in names:
            with self._at((name,)):
                if name not in state and name not in REF_NAMES:
                    raise UsageError(f"the field {name} is missing")
        for name, value in fixed.items():
            with self._at((name,)):
                if state[name] != value:
                    raise UsageError(f"it is {shown(state[name])}; here it must be {shown(value)}")
        self._steps = frozenset(one.id for one in read_plan(session_id, rows=self._rows))
        refs = {name: self._field((name,), state.get(name), _ref) for name in REF_NAMES}
        return {
            "session": session_id,
            "refs": refs,
            "pins": self._entries(
                "pins", state, _pin_fields(self._rules.pins), self._rules.pins.max_pins
            ),
            "plan": self._entries("plan", state, _STEP, MOST_STEPS),
            "notebook": self._entries("notebook", state, _NOTE, _MOST_NOTES),
        }

    def _entries(self, name: str, state: Any, fields: Fields, most: int) -> list[Given]:
        entries = state[name]
        with self._at((name,)):
            if not isinstance(entries, list):
                raise UsageError(f"it is {shown(entries)}; it must be a list")
            if len(entries) > most:
                raise UsageError(f"it has {len(entries)} entries; {most} is the limit")
        done: dict[str, Given] = {}
        for place, entry in enumerate(entries):
            path = (name, place)
            self._object(entry, path, ("id", *fields))
            key = self._field((*path, "id"), entry.get("id"), self._names[name])
            with self._at((*path, "id")):
                if key in done:
                    raise UsageError(f"the id {key!r:.60} is there twice; give each its own")
            one = done[key] = {"id": key}
            for field, (read, default) in fields.items():
                left_out = default(entry) if callable(default) else default
                one[field] = self._field((*path, field), entry.get(field, left_out), read)
            if name == "pins" and self._sources.get(key) != one["source"]:
                with self._at((*path, "source")):  # it leads somewhere, or a pin has it already
                    resolve_source(one["source"], rows=self._rows)
        return list(done.values())

    def _step_name(self, value: Any) -> str:
        """Read the id of a step; `!todo done` has to be able to name it."""
        known = isinstance(value, str) and value in self._steps
        return read_entry_id(value) if known else _name(value)

    def _field(self, path: Path, value: Any, read: Callable[[Any], Any]) -> Any:
        with self._at(path):
            return read(value)

    def _object(self, value: Any, path: Path, names: tuple[str, ...]) -> None:
        with self._at(path):
            if not isinstance(value, dict):
                raise UsageError(f"it is {shown(value)}; it must be an object")
        for name in value:
            with self._at((*path, name)):
                if name not in names:
                    near = did_you_mean(name, names)
                    raise UsageError(f"no field is called so{near}; there are {', '.join(names)}")

    @contextmanager
    def _at(self, path: Path) -> Iterator[None]:
        try:
            yield
        except UsageError as error:
            where = ".".join(map(str, path)) or "the file"
            raise UsageError(
                f"line {line_of(path, self._lines)}: {where}: {error.message}; nothing was changed",
                code="bad_state_file",
            ) from None


def _ref(value: Any) -> str | None:
    return read_optional_line(value, "the reference", LONGEST_NAME)


def _number(value: Any) -> str:
    """Read the id of a pin, which `!unpin` names by its number."""
    name = read_entry_id(value)
    if not (name.isascii() and name.isdecimal() and len(name) < 10):
        raise UsageError(f"it is {shown(value)}; pins have numbers")
    return name


def _name(value: Any) -> str:
    name = read_entry_id(value)
    if not _WORD.match(name):
        raise UsageError(f"it is {shown(value)}; it must be a number from 1, or one word")
    return name


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"it is {shown(value)}; it must be true or false")
    return value


def _whole(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 10**9:
        raise UsageError(f"it is {shown(value)}; it must be a whole number from 0")
    return value


def _count(value: Any) -> int | None:
    if value is None:
        return None
    if type(value) is not int or not 0 < value <= MOST_DAYS:
        raise UsageError(f"it is {shown(value)}; it must be 1 to {MOST_DAYS}, or null")
    return value


def _time(value: Any) -> str | None:
    """Read a time with its offset; one that is left out is the present."""
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        time = None
    if time is None or time.utcoffset() is None:
        raise UsageError(f"it is {shown(value)}; it must be a time with its offset, in ISO 8601")
    return time.isoformat()


Fields = Mapping[str, tuple[Callable[[Any], Any], Any]]
"""The fields of an entry beside its id: how each is read, and what it is where it is left out."""

_STEP: Final[Fields] = {
    "text": (lambda value: read_line(value, "text"), None),
    "done": (_flag, False),
    "done_when": (lambda value: read_optional_line(value, "text"), None),
}
_NOTE: Final[Fields] = {
    "at": (_time, None),
    "text": (lambda value: read_line(value, "text"), None),
    "source": (lambda value: read_optional_line(value, "text"), None),
    "milestone": (_flag, False),
    "folded": (_whole, 0),
}


def _pin_fields(rules: PinsRules) -> Fields:
    return {
        "type": (lambda value: read_choice(value, "type", list(PinType)), None),
        "title": (lambda value: read_line(value, "title", LONGEST_TITLE), None),
        "summary": (lambda value: read_summary(value, rules), None),
        "source": (lambda value: read_line(value, "source"), None),
        "artifact_ref": (_ref, None),
        "state": (lambda value: read_choice(value, "state", list(PinState)), "active"),
        "days": (_count, lambda entry: None if "sessions" in entry else rules.ttl_days),
        "sessions": (_count, lambda entry: None if "days" in entry else rules.ttl_sessions),
        "renewed_at": (_time, None),
    }


State = Mapping[str, Any]


def load_state(given: State, rows: Transaction, act: Act, rules: Rules) -> dict[str, int]:
    """Put a state in place and return the number that each list's last change has now."""
    session = given["session"]
    settle_pins(act.at, session, rows=rows, rules=rules)
    pins = read_sheet(PINS, rows=rows)
    lists: dict[Place, Sequence[Record | State]] = {
        PINS: [_pin(one, pins, act, rules) for one in given["pins"]],
        plan_place(session): [PlanEntry.from_dict(one) for one in given["plan"]],
        notebook_of(session): [
            {**one, "at": one["at"] or act.at.isoformat()} for one in given["notebook"]
        ],
        refs_of(session): [given["refs"]] if any(given["refs"].values()) else [],
    }
    return {
        place.kind: put_entries(place, read_sheet(place, rows=rows), entries, act, rows=rows).number
        for place, entries in lists.items()
    }


def _pin(given: State, sheet: Sheet, act: Act, rules: Rules) -> Pin:
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
