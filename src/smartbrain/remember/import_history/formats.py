"""The way in to chat histories: a file is looked at, its format chosen, its turns read.

In: a path and a format's name, or `auto`. Out: an iterator of `HistoryTurn` values, among them a
`HistoryProblem` for every part that is left out; the rest goes on. Read here are JSONL, one message
or one turn a line, or a JSON list of the same, whose messages keep the shape of their provider; and
transcripts: `User: …`, `[2024-03-01 10:00] Alice: …`, `2024/3/1 10:00 张三：…`, names plain or as
Markdown has them. A line without a session belongs to one named after the file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.domain.history import HistoryProblem, HistoryTurn
from smartbrain.domain.turn import Role
from smartbrain.errors import UsageError
from smartbrain.remember.arguments import read_id
from smartbrain.remember.import_history.exports import CHATGPT, CLAUDE
from smartbrain.remember.import_history.source import (
    FileLine,
    HistoryEntry,
    HistoryFile,
    HistoryMessage,
    clean_text,
    make_turns,
    open_source,
    parse_json,
    read_when,
)

Turns = Iterator[HistoryTurn | HistoryProblem]
_FIELD: Final = re.compile(rf'(?<!\\)"({CHATGPT.field}|{CLAUDE.field})"\s*:')
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
_SPOKEN_ROLES: Final = {
    **dict.fromkeys(["user", "human", "me", "我", "用户"], Role.USER),
    **dict.fromkeys(
        ["assistant", "ai", "bot", "chatgpt", "claude", "助手", "机器人"], Role.ASSISTANT
    ),
    **dict.fromkeys(["system", "系统"], Role.SYSTEM),
}
_DATED: Final = re.compile(
    r"[\[(（【]?(?P<year>\d{4})[-/.年](?P<month>\d{1,2})[-/.月](?P<day>\d{1,2})日?"
    r"(?:T|[,，]\s*+|\s++|(?<=日))(?P<half>上午|下午)?\s*+(?P<hour>\d{1,2})[:：](?P<minute>\d{2})"
    r"(?:[:：](?P<second>\d{2})(?:[.,](?P<fraction>\d{1,6})\d*)?)?(?P<zone>Z|[+-]\d{2}:?\d{2})?"
    r"[\])）】]?(?:\s*+[-–—]\s+|\s+|$)(?P<rest>.*)"
)
_SPEAKER: Final = re.compile(
    r"(?P<name>[^\s:：](?:[^:：]{0,38}[^\s:：])?)\s*[:：](?!//)(?!(?<=\d[:：])\d)\s*(?P<text>.*)"
)
# Markdown's ways to make a name stand out: `**User:**`, `__User__:`, `### User`.
_STRONG: Final = re.compile(
    r"(?:#{1,6}\s+|[-*>]\s+)?(?P<mark>\*\*|__)(?P<name>[^*_:：]{1,40}?)(?<!\s)\s*+"
    r"(?:[:：]\s*(?P=mark)|(?P=mark)\s*[:：])\s*"
)
_HEADING: Final = re.compile(
    r"#{1,6}\s+(?:\*\*|__)?(?P<name>[^*_:：]{1,40}?)(?:\*\*|__)?\s*+(?:[:：]\s*+)?\Z"
)
_SENTENCE_MARK: Final = re.compile(r"[。！？!?，,；;、\"“”<>{}=\[\]|`]")
_MAX_NAME_WORDS: Final = {False: 3, True: 5}  # without times much else has a colon


class _Opening(NamedTuple):
    """The first line of a message: when (if dated), who (if said), and its text."""

    dated: re.Match[str] | None
    name: str
    text: str

    @property
    def role(self) -> Role | None:
        return _SPOKEN_ROLES.get(self.name.lower())


class _Style:
    """How the messages of one transcript begin: by dates, unless a role without one comes first."""

    def __init__(self, head: str) -> None:
        self.names: Counter[str] = Counter()
        told: list[bool] = []
        for line in head.split("\n"):
            opening = _read_opening(line, dated=True) or _read_opening(line, dated=False)
            if opening is None or not opening.name:
                continue
            self.names[opening.name] += opening.dated is None
            if opening.dated or opening.role:
                told.append(opening.dated is not None)
        self.is_dated, self.is_by_date = any(told), told[:1] == [True]
        roles = {_SPOKEN_ROLES.get(name.lower()) for name, count in self.names.items() if count}
        self.is_by_role = not self.is_by_date and roles >= {Role.USER, Role.ASSISTANT}

    def find_opening(self, line: str) -> _Opening | None:
        opening = _read_opening(line, dated=self.is_by_date)
        return None if opening and self.is_by_role and opening.role is None else opening


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


def _guess_format(source: HistoryFile) -> str:
    head = source.head
    field = _FIELD.search(head) if head.lstrip().startswith(("[", "{")) else None
    if source.path.suffix.lower() in (".jsonl", ".ndjson") or _holds_entry(head):
        return "jsonl"
    if field:
        return next(one.name for one in (CHATGPT, CLAUDE) if one.field == field[1])
    if _starts_jsonl(head):
        return "jsonl"
    if _starts_json(head):
        return "json"
    if _is_transcript(head):
        return "transcript"
    raise UsageError(
        f"{source.name}: is not a chat history that we know; the formats are"
        f" {', '.join(FORMATS)}; if it is one of them, name it"
    )


def _holds_entry(head: str) -> bool:
    # Of a list over several lines the last item has no comma.
    return not head.lstrip().startswith("[") and any(map(_is_entry, head.split("\n")))


def _starts_jsonl(head: str) -> bool:
    text = head.strip()
    is_long = "\n" not in text and text.startswith("{") and _names_messages(text)
    return is_long or _holds_entry(head)  # one line may be too long to be seen


def _starts_json(head: str) -> bool:
    return head.lstrip().startswith(("[", "{")) and _names_messages(head)


def _names_messages(text: str) -> bool:
    return '"role"' in text or '"messages"' in text


def _is_entry(line: str) -> bool:
    try:
        value = parse_json(line)
    except UsageError:
        return False
    return isinstance(value, dict) and ("role" in value or "messages" in value)


def _is_transcript(head: str) -> bool:
    """Tell whether it is one beyond doubt: undated names count only if one of them comes again."""
    style = _Style(head)
    first = next(line for line in head.split("\n") if line.strip())
    again = max(style.names.values(), default=0) > 1 and _read_opening(first, dated=False)
    return style.is_dated or style.is_by_role or bool(again)


def _holds_message(head: str) -> bool:
    style = _Style(head)
    return style.is_dated or bool(style.names)


def _read_json(source: HistoryFile) -> Turns:
    (document,) = source.parsed()
    about = document if isinstance(document, dict) else {}
    items = about.get("messages") if about else document
    if not isinstance(items, list) or not items:
        raise UsageError(f"{source.name}: is no list of messages, nor an object with 'messages'")
    own = _take_session(dict(about)) or source.session_id
    entries = (_try_entry(item, own, f"message {n}", source) for n, item in enumerate(items, 1))
    yield from make_turns(entries, "jsonl", source)


def _read_jsonl(source: HistoryFile) -> Turns:
    entries = (
        _try_entry(line, source.session_id, f"line {line.number}", source)
        for line in source.lines()
        if line.fault or line.text.strip()
    )
    yield from make_turns(entries, "jsonl", source)


def _try_entry(
    given: object, own: str, where: str, source: HistoryFile
) -> HistoryEntry | HistoryProblem:
    try:
        if isinstance(given, FileLine):
            if given.fault:
                return source.problem(where, given.fault)
            given = parse_json(given.text)
        return _read_entry(given, own)
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
    return HistoryEntry(session_id, said, {**fields, "at": at}, turn_id)


def _read_message(given: object) -> HistoryMessage:
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
    return HistoryMessage(message, at)


def _take_session(fields: dict[str, Any]) -> str:
    value = _take(fields, _SESSIONS)
    if value in (None, ""):
        return ""
    return read_id(str(value) if isinstance(value, int) else value, "the session")


def _take(fields: dict[str, Any], names: tuple[str, ...]) -> Any:
    """Take out the first field of these that says something."""
    return next((one for name in names if (one := fields.pop(name, None)) is not None), None)


def _read_spoken(source: HistoryFile) -> Iterator[HistoryEntry | HistoryProblem]:
    """Yield the messages of a transcript; a line that begins none goes on with the one before."""
    style = _Style(source.head)
    lines: list[str] = []  # of the message that is open
    said: HistoryMessage | None = None
    left_out = 0
    for line in source.lines():
        text = clean_text(line.text)
        opening = None if line.fault else style.find_opening(text)
        if line.fault:
            yield source.problem(f"line {line.number}", line.fault)
        elif opening is None and said:
            lines.append(text)
        elif opening is None and text.strip() and not left_out:
            left_out = line.number
            yield source.problem(f"line {left_out}", "it comes before the first message")
        if opening is None:
            continue
        if said:
            yield _close(said, lines, source)
        left_out, lines, said = line.number, [opening.text], None
        try:
            role = opening.role if opening.name else Role.SYSTEM
            named = {} if role else {"name": opening.name}
            at = _read_time(opening.dated) if opening.dated else None
            said = HistoryMessage({"role": str(role or Role.USER), "content": "", **named}, at)
        except UsageError as error:
            yield source.problem(f"line {line.number}", error.message)
    if said:
        yield _close(said, lines, source)


def _close(said: HistoryMessage, lines: list[str], source: HistoryFile) -> HistoryEntry:
    message = {**said.message, "content": "\n".join(lines).strip()}
    return HistoryEntry(source.session_id, [HistoryMessage(message, said.at)])


def _read_opening(line: str, *, dated: bool) -> _Opening | None:
    text = _unmark(line)
    found = _DATED.match(text) if dated else None
    if dated:
        if found is None:
            return None
        text = _unmark(found["rest"])
    spoken = _SPEAKER.match(text)
    if spoken is None or not _is_name(spoken["name"], dated=dated):
        return _Opening(found, "", text) if dated else None
    return _Opening(found, spoken["name"], spoken["text"])


def _unmark(line: str) -> str:
    """Return a line without the Markdown around its speaker, whose role may be a heading."""
    strong = _STRONG.match(line)
    if strong:
        return f"{strong['name']}: {line[strong.end() :]}"
    heading = _HEADING.match(line)
    return f"{heading['name']}:" if heading and heading["name"].lower() in _SPOKEN_ROLES else line


def _is_name(text: str, *, dated: bool) -> bool:
    is_short = len(text.split()) <= _MAX_NAME_WORDS[dated]
    return is_short and not _SENTENCE_MARK.search(text) and (dated or text[0].isalpha())


def _read_time(found: re.Match[str]) -> str:
    day = f"{found['year']}-{found['month']:0>2}-{found['day']:0>2}"
    hour = int(found["hour"])
    if found["half"] and hour <= 12:
        hour = hour % 12 + 12 * (found["half"] == "下午")
    clock = f"{hour:02}:{found['minute']}:{found['second'] or '00'}"
    fraction = f"{found['fraction'] or '0':0<6}"
    try:
        return datetime.fromisoformat(f"{day}T{clock}.{fraction}{found['zone'] or ''}").isoformat()
    except ValueError as error:
        raise UsageError(f"there is no such time: {error}", code="bad_time") from None


_READERS: Final[dict[str, Callable[[HistoryFile], Turns]]] = {
    "jsonl": _read_jsonl,
    "json": _read_json,
    "chatgpt": CHATGPT.read,
    "claude": CLAUDE.read,
    "transcript": lambda source: make_turns(_read_spoken(source), "transcript", source),
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
        _holds_message,
        "a transcript: no line at its beginning is like 'Alice: hello' or"
        " '[2024-03-01 10:00] Alice: hello'",
    ),
}
"""How a file of a format must begin, and what is said of one that does not."""
