"""The way in to chat histories: a file is looked at, its format chosen, its turns read.

In: a path and a format's name, or `auto`. Out: an iterator of `HistoryTurn` values, among them a
`HistoryProblem` for every part that is left out; the rest goes on. Read here are JSONL, one message
or one turn a line, and a JSON list of the same; their messages keep the shape of their provider. A
line without a session belongs to one named after the file.
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
    HistoryFile,
    open_source,
    parse_json,
    read_when,
)
from smartbrain.remember.import_history.transcript import (
    holds_message,
    is_transcript,
    read_transcript,
)
from smartbrain.remember.import_history.turns import HistoryEntry, HistoryMessage, make_turns

Turns = Iterator[HistoryTurn | HistoryProblem]
_FIELD: Final = re.compile(rf'(?<!\\)"({CHATGPT.field}|{CLAUDE.field})"\s*:')
_TIMES: Final = ("at", "time", "timestamp", "ts", "created_at")
_SESSIONS: Final = ("session_id", "session", "conversation_id")
_TURN_IDS: Final = ("turn_id", "id")
_ROLES: Final = {
    **{str(role): str(role) for role in Role},
    "human": "user",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
}


def open_history(
    path: Path,
    format: str = "auto",  # noqa: A002 - the public keyword of import_chat
) -> Turns:
    """Read the turns of a chat history, the oldest first.

    A part that cannot be read comes out as a `HistoryProblem`. What can only be seen by reading,
    such as an export that breaks off, is an error at the first step.
    """
    if format != "auto" and format not in _READERS:
        raise UsageError(
            f"the format {shown(format)} is not known{did_you_mean(format, FORMATS)};"
            f" give one of auto, {', '.join(FORMATS)}"
        )
    source = open_source(path)
    name = _guess_format(source) if format == "auto" else format
    may_begin, what = _BEGINNINGS.get(name, (None, ""))
    if may_begin is not None and not may_begin(source.head):
        raise UsageError(f"{source.name}: is not {what}")
    return _READERS[name](source)


def _guess_format(source: HistoryFile) -> str:
    head = source.head
    if source.path.suffix.lower() in (".jsonl", ".ndjson") or _holds_entry(head):
        return "jsonl"
    if head.lstrip().startswith(("[", "{")):
        if field := _FIELD.search(head):
            return next(one.name for one in (CHATGPT, CLAUDE) if one.field == field[1])
        if _starts_jsonl(head):
            return "jsonl"
        if _starts_json(head):
            return "json"
    if is_transcript(head):
        return "transcript"
    raise UsageError(
        f"{source.name}: is not a chat history that we know; the formats are"
        f" {', '.join(FORMATS)}; if it is one of them, name it"
    )


def _starts_jsonl(head: str) -> bool:
    text = head.strip()
    is_long = "\n" not in text and text.startswith("{") and _names_messages(text)
    return is_long or _holds_entry(head)  # one line may be too long to be seen


def _starts_json(head: str) -> bool:
    return head.lstrip().startswith(("[", "{")) and _names_messages(head)


def _names_messages(text: str) -> bool:
    return '"role"' in text or '"messages"' in text


def _holds_entry(head: str) -> bool:
    # Of a list over several lines the last item has no comma.
    return not head.lstrip().startswith("[") and any(map(_is_entry, head.split("\n")))


def _is_entry(line: str) -> bool:
    try:
        value = parse_json(line)
    except UsageError:
        return False
    return isinstance(value, dict) and ("role" in value or "messages" in value)


def _read_json(source: HistoryFile) -> Turns:
    document = source.parse()
    about = document if isinstance(document, dict) else {}
    items = about.get("messages") if about else document
    if not isinstance(items, list) or not items:
        raise UsageError(f"{source.name}: is no list of messages, nor an object with 'messages'")
    own = _take_session(dict(about)) or source.session_id
    entries = (_try_entry(item, own, f"message {n}", source) for n, item in enumerate(items, 1))
    yield from make_turns(entries, "jsonl", source)


def _read_jsonl(source: HistoryFile) -> Turns:
    entries = (
        _try_entry(line, source.session_id, f"line {number}", source)
        for number, line in enumerate(source.text.split("\n"), start=1)
        if line.strip()
    )
    yield from make_turns(entries, "jsonl", source)


def _try_entry(
    given: object, own: str, where: str, source: HistoryFile
) -> HistoryEntry | HistoryProblem:
    try:
        return _read_entry(parse_json(given) if isinstance(given, str) else given, own)
    except UsageError as error:
        return source.problem(where, error.message)


def _read_entry(given: object, own: str) -> HistoryEntry:
    if not isinstance(given, dict):
        raise UsageError(f"it is {shown(given)}; a line must be an object")
    fields = dict(given)
    if "role" not in fields and "messages" not in fields:
        raise UsageError("it has neither 'role' and 'content' nor 'messages'")
    session_id = _take_session(fields) or own
    if "messages" not in fields:
        return HistoryEntry(session_id, [_read_message(fields)])
    messages = fields.pop("messages")
    if not isinstance(messages, list) or not messages:
        raise UsageError("'messages' must be a list with at least one message")
    said = [_read_message(message) for message in messages]
    turn_id = str(_take(fields, _TURN_IDS) or "")
    at = read_when(_take(fields, _TIMES))
    return HistoryEntry(session_id, said, {**fields, "at": at}, turn_id)


def _read_message(given: object) -> HistoryMessage:
    """Read whose message it is, and its time; what else is in it is read with the turn's events."""
    if not isinstance(given, dict):
        raise UsageError(f"a message must be an object, not {shown(given)}")
    message = dict(given)
    at = read_when(_take(message, _TIMES))
    role = message.get("role")
    known = _ROLES.get(role.strip().lower()) if isinstance(role, str) else None
    if known is None:
        raise UsageError(f"the role {shown(role)} is not known; give one of {', '.join(_ROLES)}")
    message["role"] = known
    if isinstance(message.get("id"), int):
        message["id"] = str(message["id"])
    return HistoryMessage(message, at)


def _take_session(fields: dict[str, Any]) -> str:
    value = _take(fields, _SESSIONS)
    if value in (None, ""):
        return ""
    return read_id(str(value) if isinstance(value, int) else value, "the session")


def _take(fields: dict[str, Any], names: tuple[str, ...]) -> Any:
    """Take out the first field of these that says something."""
    return next((one for name in names if (one := fields.pop(name, None)) is not None), None)


_READERS: Final[dict[str, Callable[[HistoryFile], Turns]]] = {
    "jsonl": _read_jsonl,
    "json": _read_json,
    "chatgpt": CHATGPT.read,
    "claude": CLAUDE.read,
    "transcript": lambda source: make_turns(read_transcript(source), "transcript", source),
}
FORMATS: Final = tuple(_READERS)
"""The names of the formats."""
_BEGINNINGS: Final = {
    "jsonl": (
        _starts_jsonl,
        "JSONL of a chat: no line at its beginning is an object with 'role' and"
        " 'content', or with 'messages'",
    ),
    "json": (
        _starts_json,
        "JSON of a chat: it begins with no list of messages, nor with an object that has one",
    ),
    "transcript": (
        holds_message,
        "a transcript: no line at its beginning is like 'User: hello' or"
        " '[2024-03-01 10:00] Alice: hello'",
    ),
}
"""How a file of a format must begin, and what is said of one that does not."""
