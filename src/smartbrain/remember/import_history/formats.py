"""The way in to chat histories: a file is looked at, its format chosen, its turns read.

In: a path and a format's name, or `auto`. Out: an iterator of `HistoryTurn` values, among them a
`HistoryProblem` for every part that is left out; the rest goes on. Nothing is stored here. Of the
formats, JSONL is read here: one message a line, or one turn a line, or a JSON list of the same,
with their times and sessions under the names that logs use. Messages keep the shape of their
provider, which is read later. A line without a session belongs to one named after the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.domain.history import HistoryProblem, HistoryTurn
from smartbrain.domain.turn import Role
from smartbrain.errors import UsageError
from smartbrain.remember.arguments import read_id
from smartbrain.remember.import_history.exports import CHATGPT, CLAUDE
from smartbrain.remember.import_history.source import (
    Entry,
    Line,
    Said,
    Source,
    make_turns,
    open_source,
    parse_json,
    read_when,
)
from smartbrain.remember.import_history.transcript import (
    holds_message,
    is_transcript,
    read_transcript,
)

_FIELD: Final = re.compile(rf'(?<!\\)"({CHATGPT.field}|{CLAUDE.field})"\s*:')


Turns = Iterator[HistoryTurn | HistoryProblem]
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


def holds_entry(head: str) -> bool:
    """Tell whether there is a line with a message or a turn in a file that begins so."""
    # Of a list over several lines the last item has no comma.
    return not head.lstrip().startswith("[") and any(map(_is_entry, head.split("\n")))


def starts_jsonl(head: str) -> bool:
    """Tell whether a file that begins so may be JSONL: one line may be too long to be seen."""
    text = head.strip()
    is_long = "\n" not in text and text.startswith("{") and _names_messages(text)
    return is_long or holds_entry(head)


def starts_json(head: str) -> bool:
    """Tell whether a file that begins so may be one JSON document of messages."""
    return head.lstrip().startswith(("[", "{")) and _names_messages(head)


def _names_messages(text: str) -> bool:
    return '"role"' in text or '"messages"' in text


def _is_entry(line: str) -> bool:
    try:
        value = parse_json(line)
    except UsageError:
        return False
    return isinstance(value, dict) and ("role" in value or "messages" in value)


def read_json(source: Source) -> Iterator[HistoryTurn | HistoryProblem]:
    """Yield the turns of a list of messages or turns, or of an object with a list of `messages`.

    Raises:
        UsageError: it is neither.
    """
    (document,) = source.parsed()
    about = document if isinstance(document, dict) else {}
    items = about.get("messages") if about else document
    if not isinstance(items, list) or not items:
        raise UsageError(f"{source.name}: is no list of messages, nor an object with 'messages'")
    own = _take_session(dict(about)) or source.session_id
    entries = (_try_entry(item, own, f"message {n}", source) for n, item in enumerate(items, 1))
    yield from make_turns(entries, "jsonl", source)


def read_jsonl(source: Source) -> Iterator[HistoryTurn | HistoryProblem]:
    """Yield the turns of a file and a problem for every line that holds none."""
    entries = (
        _try_entry(line, source.session_id, f"line {line.number}", source)
        for line in source.lines()
        if line.fault or line.text.strip()
    )
    yield from make_turns(entries, "jsonl", source)


def _try_entry(given: object, own: str, where: str, source: Source) -> Entry | HistoryProblem:
    """Read a line, or an item of a list; `own` is its session, if it names none."""
    try:
        return _read_entry(_parse_line(given) if isinstance(given, Line) else given, own)
    except UsageError as error:
        return source.problem(where, error.message)


def _parse_line(line: Line) -> object:
    if line.fault:
        raise UsageError(line.fault)
    return parse_json(line.text)


def _read_entry(given: object, own: str) -> Entry:
    """Read a message or a turn; `own` is the session of one that names none."""
    if not isinstance(given, dict):
        raise UsageError(f"it is {shown(given)}; a line must be an object")
    fields = dict(given)
    if "role" not in fields and "messages" not in fields:
        raise UsageError("it has neither 'role' and 'content' nor 'messages'")
    session_id = _take_session(fields) or own
    if "messages" not in fields:
        return Entry(session_id, [_read_message(fields)])
    messages = fields.pop("messages")
    if not isinstance(messages, list) or not messages:
        raise UsageError("'messages' must be a list with at least one message")
    said = []
    for number, message in enumerate(messages):
        try:
            said.append(_read_message(message))
        except UsageError as error:
            raise UsageError(f"messages[{number}]: {error.message}") from None
    turn_id = str(_take(fields, _TURN_IDS) or "")
    for name in ("tool_calls", "refs"):
        fields[name] = fields.get(name) or []
        if not isinstance(fields[name], list):
            raise UsageError(f"{name!r} must be a list, not {shown(fields[name])}")
    at = read_when(_take(fields, _TIMES))
    return Entry(session_id, said, {**fields, "at": at}, turn_id)


def _read_message(given: object) -> Said:
    """Read a message; its time is taken out of it."""
    if not isinstance(given, dict):
        raise UsageError(f"it must be an object, not {shown(given)}")
    message = dict(given)
    at = read_when(_take(message, _TIMES))
    role = message.get("role")
    known = _ROLES.get(role.strip().lower()) if isinstance(role, str) else None
    if known is None:
        raise UsageError(f"the role {shown(role)} is not known; give one of {', '.join(_ROLES)}")
    calls = message.get("tool_calls") or message.get("function_call")
    if message.get("content") is None and not calls:
        raise UsageError("it has no 'content'")
    message["role"] = known
    if isinstance(message.get("id"), int):
        message["id"] = str(message["id"])
    for name, shape, meant in _SHAPES:
        if not isinstance(message.get(name), shape):
            raise UsageError(f"{name!r} must be {meant}, not {shown(message[name])}")
    return Said(message, at)


def _take_session(fields: dict[str, Any]) -> str:
    """Take the session out of a line; empty if it has none."""
    value = _take(fields, _SESSIONS)
    if value is None or value == "":
        return ""
    return read_id(str(value) if isinstance(value, int) else value, "the session")


def _take(fields: dict[str, Any], names: tuple[str, ...]) -> Any:
    """Take out the first field of these that says something."""
    return next((one for name in names if (one := fields.pop(name, None)) is not None), None)


_READERS: Final[dict[str, Callable[[Source], Turns]]] = {
    "jsonl": read_jsonl,
    "json": read_json,
    "chatgpt": CHATGPT.read,
    "claude": CLAUDE.read,
    "transcript": read_transcript,
}
FORMATS: Final = tuple(_READERS)
"""The names of the formats."""
_BEGINNINGS: Final = {
    "jsonl": (
        starts_jsonl,
        "JSONL of a chat: no line at its beginning is an object with 'role' and"
        " 'content', or with 'messages'",
    ),
    "json": (
        starts_json,
        "JSON of a chat: it begins with no list of messages, nor with an object that has one",
    ),
    "transcript": (
        holds_message,
        "a transcript: no line at its beginning is like 'Alice: hello' or"
        " '[2024-03-01 10:00] Alice: hello'",
    ),
}
"""How a file of a format must begin, and what is said of one that does not."""


def open_history(
    path: Path,
    format: str = "auto",  # noqa: A002 - the public keyword of import_chat
) -> Turns:
    """Read the turns of a chat history, the oldest first.

    A part that cannot be read comes out as a `HistoryProblem`.

    Raises:
        UsageError: the file cannot be read, is empty, is no text, or is not of the format; what
            can only be seen by reading it, such as an export that breaks off, at the first step.
    """
    if format != "auto" and format not in _READERS:
        raise UsageError(
            f"the format {shown(format)} is not known{did_you_mean(format, FORMATS)};"
            f" give one of auto, {', '.join(FORMATS)}"
        )
    source = open_source(path)
    name = _guess_format(source) if format == "auto" else format
    if name in _BEGINNINGS:
        may_begin, what = _BEGINNINGS[name]
        if source.is_packed:
            why = f"an archive is read as an export; unpack it for {name}"
            raise UsageError(f"{source.name}: {why}")
        if not may_begin(source.head):
            raise UsageError(f"{source.name}: is not {what}")
    return _READERS[name](source)


def _guess_format(source: Source) -> str:
    """Choose the format by the file's name and its beginning."""
    head = source.head
    field = _FIELD.search(head) if head.lstrip().startswith(("[", "{")) else None
    if source.path.suffix.lower() in (".jsonl", ".ndjson") or holds_entry(head):
        return "jsonl"
    if field:
        return next(one.name for one in (CHATGPT, CLAUDE) if one.field == field[1])
    if starts_jsonl(head):
        return "jsonl"
    if starts_json(head):
        return "json"
    if is_transcript(head):
        return "transcript"
    raise UsageError(
        f"{source.name}: is not a chat history that we know; the formats are"
        f" {', '.join(FORMATS)}; if it is one of them, name it"
    )
