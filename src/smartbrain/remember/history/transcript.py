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
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NamedTuple

from smartbrain.domain.history import HistoryProblem, HistoryTurn
from smartbrain.domain.turn import Role
from smartbrain.errors import UsageError
from smartbrain.remember.history.order import turns_of
from smartbrain.remember.history.source import Source
from smartbrain.remember.history.turns import Entry, Said, TurnMaker
from smartbrain.remember.history.values import clean_text

_ROLES: Final = {
    **dict.fromkeys(("user", "human", "me", "我", "用户"), Role.USER),
    **dict.fromkeys(
        ("assistant", "ai", "bot", "chatgpt", "claude", "助手", "机器人"), Role.ASSISTANT
    ),
    **dict.fromkeys(("system", "系统"), Role.SYSTEM),
}
_BOTH: Final = {Role.USER, Role.ASSISTANT}

_DATE: Final = (
    r"(?:(?P<year>\d{4})[-/.年](?P<month>\d{1,2})[-/.月](?P<day>\d{1,2})日?"
    r"|(?P<one>\d{1,2})[-/.](?P<two>\d{1,2})[-/.](?P<short>\d{4}|\d{2}))"
)
_CLOCK: Final = (
    r"(?P<half>上午|下午)?\s*+(?P<hour>\d{1,2})[:：](?P<minute>\d{2})"
    r"(?:[:：](?P<second>\d{2})(?:[.,](?P<fraction>\d{1,6})\d*)?)?"
    r"(?:\s*+(?P<noon>[AaPp])\.?[Mm]\b\.?)?(?P<zone>Z|[+-]\d{2}:?\d{2})?"
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
_INVISIBLE: Final = "\ufeff\u200e\u200f"
_SENTENCE: Final = re.compile(r"[。！？!?，,；;、\"“”<>{}=\[\]|`]")
_WORDS: Final = 3  # of a name in a transcript without times, where much else has a colon
_WORDS_DATED: Final = 5


class _Start(NamedTuple):
    """The first line of a message: when (if dated), who (if said), and its text."""

    dated: re.Match[str] | None
    name: str
    text: str


@dataclass(frozen=True, slots=True)
class _Style:
    """How the messages of one transcript begin."""

    dated: bool
    roles_only: bool
    day_first: bool = True


def looks_like(head: str) -> bool:
    """Tell whether a file that begins so is a transcript beyond doubt.

    Many texts have lines with a colon, so undated names count only if one of them comes again.
    """
    dated, names = _seen(head)
    roles = {_ROLES.get(name.lower()) for name in names}
    first = next(line for line in head.split("\n") if line.strip())
    again = bool(names) and max(names.values()) > 1
    return dated or roles >= _BOTH or (again and _begin(first, dated=False) is not None)


def is_possible(head: str) -> bool:
    """Tell whether there is a message in a file that begins so."""
    dated, names = _seen(head)
    return dated or bool(names)


def read_transcript(source: Source) -> Iterator[HistoryTurn | HistoryProblem]:
    """Yield the turns of a transcript and a problem for every message that cannot be read."""
    style = _style(source)
    turns = TurnMaker("transcript", source.size)
    yield from turns_of(lambda: _entries(source, style), turns, source.size, source)


def _entries(source: Source, style: _Style) -> Iterator[Entry | HistoryProblem]:
    """Yield the messages of a transcript, or what is wrong with them."""
    session_id = source.session_id
    lines: list[str] = []  # of the message that is open
    said: Said | None = None
    left_out = place = 0
    for line in source.lines():
        if line.fault:
            yield source.problem(f"line {line.number}", line.fault)
            continue
        text = clean_text(line.text)
        start = _starts(text, style)
        if start is None:
            if said:
                lines.append(text)
            elif text.strip() and not left_out:
                left_out = line.number
                yield source.problem(f"line {left_out}", "it comes before the first message")
            continue
        if said:
            yield Entry(session_id, [_whole(said, lines)], place)
        place, left_out, lines = line.place, line.number, [start.text]
        try:
            said = _said(start, style)
        except UsageError as error:
            said = None
            yield source.problem(f"line {line.number}", error.message)
    if said:
        yield Entry(session_id, [_whole(said, lines)], source.size)


def _seen(head: str) -> tuple[bool, Counter[str]]:
    """Tell whether a speaker's line is dated, and count the names on lines that are not."""
    starts = [
        start
        for line in head.split("\n")
        for start in (_begin(line, dated=True) or _begin(line, dated=False),)
        if start and start.name
    ]
    return any(start.dated for start in starts), Counter(
        start.name for start in starts if not start.dated
    )


def _style(source: Source) -> _Style:
    """Find out how messages begin, by the first that leaves no doubt."""
    dated, names = _seen(source.head)
    if dated:
        for line in source.head.split("\n"):
            start = _begin(line, dated=True)
            if start and start.name:
                return _Style(dated=True, roles_only=False, day_first=_is_day_first(source))
            plain = _begin(line, dated=False)
            if plain and plain.name.lower() in _ROLES:
                break
    roles = {_ROLES.get(name.lower()) for name in names}
    return _Style(dated=False, roles_only=roles >= _BOTH)


def _is_day_first(source: Source) -> bool:
    """Tell whether `1/3/2024` is the first of March: by a date that can only be read one way.

    Where there is none, a clock of twice twelve hours goes with the month first.
    """
    halves = False
    for line in source.lines():
        found = _DATED.match(line.text.lstrip(_INVISIBLE))
        if found is None:
            continue
        if found["year"]:
            return True
        if int(found["one"]) > 12 or int(found["two"]) > 12:
            return int(found["one"]) > 12
        halves = halves or bool(found["noon"])
    return not halves


def _starts(text: str, style: _Style) -> _Start | None:
    """Return how a message begins on this line, if one does."""
    start = _begin(text, dated=style.dated)
    if start and style.roles_only and start.name.lower() not in _ROLES:
        return None
    return start


def _begin(line: str, *, dated: bool) -> _Start | None:
    """Read a line as the first of a message."""
    text = _unmarked(line.lstrip(_INVISIBLE))
    found = _DATED.match(text) if dated else None
    if dated:
        if found is None:
            return None
        text = _unmarked(found["rest"].lstrip(_INVISIBLE))
    spoken = _SPEAKER.match(text)
    if spoken is None or not _is_name(spoken["name"], dated=dated):
        return _Start(found, "", text) if dated else None
    return _Start(found, spoken["name"], spoken["text"])


def _unmarked(line: str) -> str:
    """Return a line without the Markdown around its speaker, whose role may be a heading."""
    strong = _STRONG.match(line)
    if strong:
        return f"{strong['name']}: {line[strong.end() :]}"
    heading = _HEADING.match(line)
    return f"{heading['name']}:" if heading and heading["name"].lower() in _ROLES else line


def _is_name(text: str, *, dated: bool) -> bool:
    """Tell whether what stands before a colon can be a speaker's name."""
    if _SENTENCE.search(text):
        return False
    words = len(text.split())
    return words <= _WORDS_DATED if dated else words <= _WORDS and text[0].isalpha()


def _said(start: _Start, style: _Style) -> Said:
    """Return a message without its text."""
    at = _time(start.dated, day_first=style.day_first) if start.dated else None
    role = _ROLES.get(start.name.lower()) if start.name else Role.SYSTEM
    named = {} if role else {"name": start.name}
    return Said({"role": str(role or Role.USER), "content": "", **named}, at)


def _whole(said: Said, lines: list[str]) -> Said:
    """Return a message with its text."""
    return said._replace(message={**said.message, "content": "\n".join(lines).strip()})


def _time(found: re.Match[str], *, day_first: bool) -> str:
    """Read the time before a message.

    Raises:
        UsageError: code `bad_time`, there is no such time.
    """
    day, month = found["day"], found["month"]
    year = found["year"] or found["short"]
    if day is None:
        day, month = (found["one"], found["two"]) if day_first else (found["two"], found["one"])
    hour = int(found["hour"])
    if found["half"] or found["noon"]:
        after = found["half"] == "下午" or (found["noon"] or "").lower() == "p"
        hour = hour % 12 + 12 * after if hour <= 12 else hour
    try:
        time = datetime.fromisoformat(
            f"{int(year) + 2000 * (len(year) == 2):04}-{int(month):02}-{int(day):02}"
            f"T{hour:02}:{found['minute']}:{found['second'] or '00'}"
            f".{found['fraction'] or '0':0<6}{found['zone'] or ''}"
        )
    except ValueError as error:
        raise UsageError(f"there is no such time: {error}", code="bad_time") from None
    return time.isoformat()
