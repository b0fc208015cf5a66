"""JSONL: one message a line, or one turn a line, read line by line; or a JSON list of the same.

In: objects with `role` and `content`, or with `messages`, their time and their session under the
names that logs use. Out: turns. Messages keep the shape of their provider, which is read later,
with the turn's events. A line without a session belongs to one named after the file.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from smartbrain.domain.hints import shown
from smartbrain.domain.history import HistoryProblem, HistoryTurn
from smartbrain.domain.turn import Role
from smartbrain.errors import UsageError
from smartbrain.remember.import_history.source import (
    Line,
    Source,
    clean_json,
    parse_json,
    read_when,
)
from smartbrain.remember.import_history.turns import Entry, Said, TurnMaker, make_turns
from smartbrain.remember.names import read_id

_TIMES: Final = ("at", "time", "timestamp", "ts", "created_at")
_SESSIONS: Final = ("session_id", "session", "conversation_id")
_TURN_IDS: Final = ("turn_id", "id")
_ROLES: Final = {
    **{str(role): str(role) for role in Role},
    "function": "function",
    "human": "user",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
}
_SHAPES: Final = (
    ("content", str | list | None, "text or a list of parts"),
    ("id", str | None, "text"),
    ("name", str | None, "text"),
    ("meta", dict | None, "an object"),
)
"""The fields of a message, and what each must be."""


def starts_jsonl(head: str) -> bool:
    """Tell whether a file that begins so holds messages or turns, one a line."""
    text = head.strip()
    if text.startswith("["):  # a list over several lines, of which the last has no comma
        return False
    return any(_is_entry(line) for line in head.split("\n"))


def starts_long_line(head: str) -> bool:
    """Tell whether a file begins with one line too long to be seen whole, which may be a turn."""
    text = head.strip()
    return "\n" not in text and text.startswith("{") and _names_messages(text)


def starts_json(head: str) -> bool:
    """Tell whether a file that begins so may be one JSON document of messages."""
    return head.lstrip().startswith(("[", "{")) and _names_messages(head)


def read_json(source: Source) -> Iterator[HistoryTurn | HistoryProblem]:
    """Yield the turns of a list of messages or turns, or of an object with a list of `messages`.

    Raises:
        UsageError: it is neither.
    """
    (document,) = source.documents()
    about = document if isinstance(document, dict) else {}
    items = about.get("messages") if about else document
    if not isinstance(items, list) or not items:
        raise UsageError(f"{source.name}: is no list of messages, nor an object with 'messages'")
    own = _take_session(dict(about)) or source.session_id

    def read() -> Iterator[Entry | HistoryProblem]:
        for place, item in enumerate(items, start=1):
            yield _try_entry(item, (own, place), f"message {place}", source)

    yield from make_turns(read, TurnMaker("jsonl", len(items)), len(items), source)


def read_jsonl(source: Source) -> Iterator[HistoryTurn | HistoryProblem]:
    """Yield the turns of a file and a problem for every line that holds none."""

    def read() -> Iterator[Entry | HistoryProblem]:
        for line in source.lines():
            if line.fault or line.text.strip():
                own = source.session_id, line.place
                yield _try_entry(line, own, f"line {line.number}", source)

    yield from make_turns(read, TurnMaker("jsonl", source.size), source.size, source)


def _try_entry(
    given: object, own: tuple[str, int], where: str, source: Source
) -> Entry | HistoryProblem:
    """Read a line, or an item of a list; `own` is its session, if it names none, and place."""
    try:
        return _read_entry(_parse_line(given) if isinstance(given, Line) else given, *own)
    except UsageError as error:
        return source.problem(where, error.message)


def _names_messages(text: str) -> bool:
    return '"role"' in text or '"messages"' in text


def _is_entry(line: str) -> bool:
    try:
        value = parse_json(line)
    except UsageError:
        return False
    return isinstance(value, dict) and ("role" in value or "messages" in value)


def _parse_line(line: Line) -> object:
    if line.fault:
        raise UsageError(line.fault)
    return parse_json(line.text)


def _read_entry(given: object, own: str, place: int) -> Entry:
    """Read a message or a turn; `own` is the session of one that names none."""
    fields = clean_json(given)
    if not isinstance(fields, dict):
        raise UsageError(f"it is {shown(fields)}; a line must be an object")
    if "role" not in fields and "messages" not in fields:
        raise UsageError("it has neither 'role' and 'content' nor 'messages'")
    session_id = _take_session(fields) or own
    if "messages" not in fields:
        return Entry(session_id, [_read_message(fields)], place)
    said = _read_messages(fields.pop("messages"))
    turn_id = str(_take(fields, _TURN_IDS) or "")
    for name in ("tool_calls", "refs"):
        fields[name] = fields.get(name) or []
        if not isinstance(fields[name], list):
            raise UsageError(f"{name!r} must be a list, not {shown(fields[name])}")
    at = read_when(_take(fields, _TIMES))
    return Entry(session_id, said, place, {**fields, "at": at}, turn_id)


def _read_messages(messages: object) -> list[Said]:
    if not isinstance(messages, list) or not messages:
        raise UsageError("'messages' must be a list with at least one message")
    said = []
    for number, message in enumerate(messages):
        if not isinstance(message, dict):
            raise UsageError(f"messages[{number}] must be an object, not {shown(message)}")
        try:
            said.append(_read_message(message))
        except UsageError as error:
            raise UsageError(f"messages[{number}]: {error.message}") from None
    return said


def _read_message(entry: dict[str, Any]) -> Said:
    """Read a message; its time and session are taken out of it."""
    at = read_when(_take(entry, _TIMES))
    role = entry.get("role")
    known = _ROLES.get(role.strip().lower()) if isinstance(role, str) else None
    if known is None:
        raise UsageError(f"the role {shown(role)} is not known; give one of {', '.join(_ROLES)}")
    if entry.get("content") is None and not (entry.get("tool_calls") or entry.get("function_call")):
        raise UsageError("it has no 'content'")
    message = {**entry, "role": known}
    if isinstance(message.get("id"), int):
        message["id"] = str(message["id"])
    for name, shape, meant in _SHAPES:
        if not isinstance(message.get(name), shape):
            raise UsageError(f"{name!r} must be {meant}, not {shown(message[name])}")
    return Said(message, at)


def _take_session(entry: dict[str, Any]) -> str:
    """Take the session out of a line; empty if it has none."""
    value = _take(entry, _SESSIONS)
    if value is None or value == "":
        return ""
    return read_id(str(value) if isinstance(value, int) else value, "the session")


def _take(entry: dict[str, Any], names: tuple[str, ...]) -> Any:
    """Take out the first field of these that says something."""
    for name in names:
        value = entry.pop(name, None)
        if value is not None:
            return value
    return None
