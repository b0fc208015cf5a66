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
from smartbrain.remember.history.order import turns_of
from smartbrain.remember.history.source import Line, Source
from smartbrain.remember.history.turns import Entry, Said, TurnMaker
from smartbrain.remember.history.values import clean, parse, read_when
from smartbrain.remember.names import read_id

_TIMES: Final = ("at", "time", "timestamp", "ts", "created_at")
_SESSIONS: Final = ("session_id", "session", "conversation_id")
_TURN_IDS: Final = ("turn_id", "id")
_LISTS: Final = ("tool_calls", "refs")
_ROLES: Final = {
    **{str(role): str(role) for role in Role},
    "function": "function",
    "human": "user",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
}
_CALLS: Final = ("tool_calls", "function_call")


def looks_like(head: str) -> bool:
    """Tell whether a file that begins so holds messages or turns, one a line."""
    if head.lstrip().startswith("["):  # a list over several lines, of which the last has no comma
        return False
    return any(_is_entry(line) for line in head.split("\n"))


def looks_cut(head: str) -> bool:
    """Tell whether a file begins with one line too long to be seen whole, which may be a turn."""
    text = head.strip()
    return "\n" not in text and text.startswith("{") and ('"role"' in text or '"messages"' in text)


def looks_listed(head: str) -> bool:
    """Tell whether a file that begins so may be one JSON document of messages."""
    return head.lstrip().startswith(("[", "{")) and ('"role"' in head or '"messages"' in head)


def read_json(source: Source) -> Iterator[HistoryTurn | HistoryProblem]:
    """Yield the turns of a list of messages or turns, or of an object with a list of `messages`.

    Raises:
        UsageError: it is neither.
    """
    (document,) = source.documents()
    about, items = {}, document
    if isinstance(document, dict):
        about, items = document, document.get("messages")
    if not isinstance(items, list) or not items:
        raise UsageError(f"{source.name}: is no list of messages, nor an object with 'messages'")
    own = _session(dict(about)) or source.session_id

    def read() -> Iterator[Entry | HistoryProblem]:
        for place, item in enumerate(items, start=1):
            try:
                yield _entry(item, own, place)
            except UsageError as error:
                yield source.problem(f"message {place}", error.message)

    yield from turns_of(read, TurnMaker("jsonl", len(items)), len(items), source)


def read_jsonl(source: Source) -> Iterator[HistoryTurn | HistoryProblem]:
    """Yield the turns of a file and a problem for every line that holds none."""

    def read() -> Iterator[Entry | HistoryProblem]:
        for line in source.lines():
            if line.fault or line.text.strip():
                try:
                    yield _entry(_parsed(line), source.session_id, line.place)
                except UsageError as error:
                    yield source.problem(f"line {line.number}", error.message)

    yield from turns_of(read, TurnMaker("jsonl", source.size), source.size, source)


def _is_entry(line: str) -> bool:
    try:
        value = parse(line)
    except UsageError:
        return False
    return isinstance(value, dict) and ("role" in value or "messages" in value)


def _parsed(line: Line) -> object:
    """Return what a line holds."""
    if line.fault:
        raise UsageError(line.fault)
    return parse(line.text)


def _entry(given: object, own: str, place: int) -> Entry:
    """Read a message or a turn; `own` is the session of one that names none."""
    fields = clean(given)
    if not isinstance(fields, dict):
        raise UsageError(f"it is {shown(fields)}; a line must be an object")
    if "role" not in fields and "messages" not in fields:
        raise UsageError("it has neither 'role' and 'content' nor 'messages'")
    session_id = _session(fields) or own
    if "messages" not in fields:
        return Entry(session_id, [_said(fields)], place)
    said = _messages(fields)
    turn_id = str(_take(fields, _TURN_IDS) or "")
    _check_lists(fields)
    at = read_when(_take(fields, _TIMES))
    return Entry(session_id, said, place, {**fields, "at": at}, turn_id)


def _messages(entry: dict[str, Any]) -> list[Said]:
    """Take the messages out of a line that is a turn."""
    messages = entry.pop("messages")
    if not isinstance(messages, list) or not messages:
        raise UsageError("'messages' must be a list with at least one message")
    said = []
    for number, message in enumerate(messages):
        if not isinstance(message, dict):
            raise UsageError(f"messages[{number}] must be an object, not {shown(message)}")
        try:
            said.append(_said(message))
        except UsageError as error:
            raise UsageError(f"messages[{number}]: {error.message}") from None
    return said


def _said(entry: dict[str, Any]) -> Said:
    """Read a message; its time and session are taken out of it."""
    at = read_when(_take(entry, _TIMES))
    role = entry.get("role")
    known = _ROLES.get(role.strip().lower()) if isinstance(role, str) else None
    if known is None:
        raise UsageError(f"the role {shown(role)} is not known; give one of {', '.join(_ROLES)}")
    content = entry.get("content")
    if content is None and not any(entry.get(name) for name in _CALLS):
        raise UsageError("it has no 'content'")
    if not isinstance(content, str | list | None):
        raise UsageError(f"'content' must be text or a list of parts, not {shown(content)}")
    message = {**entry, "role": known}
    if isinstance(message.get("id"), int):
        message["id"] = str(message["id"])
    for name in ("id", "name"):
        if not isinstance(message.get(name), str | None):
            raise UsageError(f"{name!r} must be text, not {shown(message[name])}")
    if not isinstance(message.get("meta"), dict | None):
        raise UsageError(f"'meta' must be an object, not {shown(message['meta'])}")
    return Said(message, at)


def _session(entry: dict[str, Any]) -> str:
    """Take the session out of a line; empty if it has none."""
    value = _take(entry, _SESSIONS)
    if value is None or value == "":
        return ""
    return read_id(str(value) if isinstance(value, int) else value, "the session")


def _check_lists(entry: dict[str, Any]) -> None:
    """Refuse calls and refs that are no lists; none is an empty one."""
    for name in _LISTS:
        entry[name] = entry.get(name) or []
        if not isinstance(entry[name], list):
            raise UsageError(f"{name!r} must be a list, not {shown(entry[name])}")


def _take(entry: dict[str, Any], names: tuple[str, ...]) -> Any:
    """Take out the first field of these that says something."""
    for name in names:
        value = entry.pop(name, None)
        if value is not None:
            return value
    return None
