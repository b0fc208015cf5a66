"""Plain transcripts: `User: …`, `[2024-03-01 10:00] Alice: …`, `2024/3/1 10:00 张三：…`.

In: lines of text, names plain or as Markdown has them. Out: turns of messages; a line that begins
none goes on with the one before. Where lines are dated, only a dated line begins a message; where a
user and an assistant talk, only their names do; otherwise any short name does. A dated line without
a speaker is a system message.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from typing import Final

import msgspec

from smartbrain.domain.history import HistoryProblem, HistoryTurn
from smartbrain.domain.turn import Role
from smartbrain.errors import UsageError
from smartbrain.remember.import_history.source import Entry, Said, Source, clean_text, make_turns

_NAMES: Final = {
    Role.USER: "user human me 我 用户",
    Role.ASSISTANT: "assistant ai bot chatgpt claude 助手 机器人",
    Role.SYSTEM: "system 系统",
}
_ROLES: Final = {name: role for role, names in _NAMES.items() for name in names.split()}
_DATE: Final = r"(?P<year>\d{4})[-/.年](?P<month>\d{1,2})[-/.月](?P<day>\d{1,2})日?"
_CLOCK: Final = (
    r"(?P<half>上午|下午)?\s*+(?P<hour>\d{1,2})[:：](?P<minute>\d{2})"
    r"(?:[:：](?P<second>\d{2})(?:[.,](?P<fraction>\d{1,6})\d*)?)?(?P<zone>Z|[+-]\d{2}:?\d{2})?"
)
_DATED: Final = re.compile(
    rf"[\[(（【]?{_DATE}(?:T|[,，]\s*+|\s++|(?<=日)){_CLOCK}[\])）】]?(?:\s*+[-–—]\s+|\s+|$)(?P<rest>.*)"
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
_MAX_NAME_WORDS: Final = 3  # in a transcript without times, where much else has a colon
_MAX_DATED_NAME_WORDS: Final = 5


class _Opening(msgspec.Struct, frozen=True):
    """The first line of a message: when (if dated), who (if said), and its text."""

    dated: re.Match[str] | None
    name: str
    text: str

    @property
    def role(self) -> Role | None:
        """The role that the speaker is called by."""
        return _ROLES.get(self.name.lower())


class _Style(msgspec.Struct, frozen=True):
    """How the messages of one transcript begin, and the names on lines that are not dated."""

    is_dated: bool
    is_by_date: bool
    names: Counter[str]

    @property
    def is_by_role(self) -> bool:
        """Whether a user and an assistant talk."""
        roles = {_ROLES.get(name.lower()) for name in self.names}
        return not self.is_by_date and roles >= {Role.USER, Role.ASSISTANT}

    def opening_of(self, line: str) -> _Opening | None:
        """Return how a message begins on a line, if one does."""
        opening = _read_opening(line, dated=self.is_by_date)
        return None if opening and self.is_by_role and opening.role is None else opening


def is_transcript(head: str) -> bool:
    """Tell whether a file that begins so is a transcript beyond doubt.

    Many texts have lines with a colon, so undated names count only if one of them comes again.
    """
    style = _find_style(head)
    first = next(line for line in head.split("\n") if line.strip())
    again = max(style.names.values(), default=0) > 1 and _read_opening(first, dated=False)
    return style.is_dated or style.is_by_role or bool(again)


def holds_message(head: str) -> bool:
    """Tell whether there is a message in a file that begins so."""
    style = _find_style(head)
    return style.is_dated or bool(style.names)


def read_transcript(source: Source) -> Iterator[HistoryTurn | HistoryProblem]:
    """Yield the turns of a transcript and a problem for every message that cannot be read."""
    yield from make_turns(_read_entries(source), "transcript", source)


def _read_entries(source: Source) -> Iterator[Entry | HistoryProblem]:
    """Yield the messages of a transcript, or what is wrong with them."""
    style = _find_style(source.head)
    lines: list[str] = []  # of the message that is open
    said: Said | None = None
    left_out = 0
    for line in source.lines():
        text = clean_text(line.text)
        opening = None if line.fault else style.opening_of(text)
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
            said = _begin(opening)
        except UsageError as error:
            yield source.problem(f"line {line.number}", error.message)
    if said:
        yield _close(said, lines, source)


def _begin(opening: _Opening) -> Said:
    at = _read_time(opening.dated) if opening.dated else None
    role = opening.role if opening.name else Role.SYSTEM
    named = {} if role else {"name": opening.name}
    return Said({"role": str(role or Role.USER), "content": "", **named}, at)


def _close(said: Said, lines: list[str], source: Source) -> Entry:
    message = {**said.message, "content": "\n".join(lines).strip()}
    return Entry(source.session_id, [Said(message, said.at)])


def _find_style(head: str) -> _Style:
    """Find out how messages begin: by dates, unless a role without one comes first."""
    dated: list[bool] = []
    names: Counter[str] = Counter()
    for line in head.split("\n"):
        opening = _read_opening(line, dated=True) or _read_opening(line, dated=False)
        if opening is None or not opening.name:
            continue
        if opening.dated is None:
            names[opening.name] += 1
        if opening.dated or opening.role:
            dated.append(opening.dated is not None)
    return _Style(any(dated), bool(dated) and dated[0], names)


def _read_opening(line: str, *, dated: bool) -> _Opening | None:
    """Read a line as the first of a message."""
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
    return f"{heading['name']}:" if heading and heading["name"].lower() in _ROLES else line


def _is_name(text: str, *, dated: bool) -> bool:
    """Tell whether what stands before a colon can be a speaker's name."""
    if _SENTENCE_MARK.search(text):
        return False
    words = len(text.split())
    return (
        words <= _MAX_DATED_NAME_WORDS if dated else words <= _MAX_NAME_WORDS and text[0].isalpha()
    )


def _read_time(found: re.Match[str]) -> str:
    """Read the time before a message.

    Raises:
        UsageError: code `bad_time`, there is no such time.
    """
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
