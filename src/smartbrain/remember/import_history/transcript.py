"""Transcripts of a chat: lines that begin with who speaks, and maybe with when.

In: a file with lines such as `User: …`, `**Assistant:** …`, `## 用户`, `2024/3/1 10:00 张三：…` or
`[2024-03-01 10:00] Alice: …`. Out: its messages. A line that begins none goes on with the one
before. Names are speakers where the lines have times; without times only those of roles are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Final, NamedTuple

from smartbrain.domain.history import HistoryProblem
from smartbrain.domain.turn import Role
from smartbrain.remember.import_history.source import HistoryFile, clean_text
from smartbrain.remember.import_history.turns import HistoryEntry, HistoryMessage

_ROLES: Final = {
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
_SENTENCE_MARK: Final = re.compile(r"[。！？!?,，;；、\"“”<>{}=\[\]|`]")
_MAX_NAME_WORDS: Final = 5


class _Opening(NamedTuple):
    """The first line of a message: when (if dated), who (if said), and its text."""

    dated: re.Match[str] | None
    name: str
    text: str

    @property
    def role(self) -> Role | None:
        return _ROLES.get(self.name.lower())


def is_transcript(head: str) -> bool:
    """Tell whether a text is one beyond doubt: it has times, or both roles speak in it."""
    found = [_read_opening(line) for line in head.split("\n")]
    roles = {one.role for one in found if one}
    dated = any(one.dated and one.name for one in found if one)
    return dated or roles >= {Role.USER, Role.ASSISTANT}


def holds_message(head: str) -> bool:
    """Tell whether a line of a text begins a message."""
    return any(map(_read_opening, head.split("\n")))


def read_transcript(source: HistoryFile) -> Iterator[HistoryEntry | HistoryProblem]:
    """Yield the messages of a transcript, and a problem for what belongs to none."""
    openings = filter(None, map(_read_opening, source.head.split("\n")))
    is_dated = any(one.dated for one in list(openings)[:1])
    lines: list[str] = []  # of the message that is open
    said: HistoryMessage | None = None
    left_out = 0
    for number, line in enumerate(source.text.splitlines(), start=1):
        text = clean_text(line)
        opening = _read_opening(text)
        if opening is None or (opening.dated is None) == is_dated:
            if said:
                lines.append(text)
            elif text.strip() and not left_out:
                left_out = number
                yield source.problem(f"line {number}", "it comes before the first message")
            continue
        if said:
            yield _close(said, lines, source)
        left_out, lines, said = number, [opening.text], None
        role = opening.role if opening.name else Role.SYSTEM
        named = {} if role else {"name": opening.name}
        try:
            at = _read_time(opening.dated) if opening.dated else None
        except ValueError as error:
            yield source.problem(f"line {number}", f"there is no such time: {error}")
            continue
        said = HistoryMessage({"role": str(role or Role.USER), "content": "", **named}, at)
    if said:
        yield _close(said, lines, source)


def _close(said: HistoryMessage, lines: list[str], source: HistoryFile) -> HistoryEntry:
    message = {**said.message, "content": "\n".join(lines).strip()}
    return HistoryEntry(source.session_id, [HistoryMessage(message, said.at)])


def _read_opening(line: str) -> _Opening | None:
    text = _unmark(line)
    dated = _DATED.match(text)
    text = _unmark(dated["rest"]) if dated else text
    spoken = _SPEAKER.match(text)
    if spoken is not None and _is_name(spoken["name"]):
        opening = _Opening(dated, spoken["name"], spoken["text"])
        return opening if dated or opening.role else None
    return _Opening(dated, "", text) if dated else None


def _unmark(line: str) -> str:
    """Return a line without the Markdown around its speaker, whose role may be a heading."""
    strong = _STRONG.match(line)
    if strong:
        return f"{strong['name']}: {line[strong.end() :]}"
    heading = _HEADING.match(line)
    return f"{heading['name']}:" if heading and heading["name"].lower() in _ROLES else line


def _is_name(text: str) -> bool:
    return len(text.split()) <= _MAX_NAME_WORDS and not _SENTENCE_MARK.search(text)


def _read_time(found: re.Match[str]) -> str:
    day = f"{found['year']}-{found['month']:0>2}-{found['day']:0>2}"
    hour = int(found["hour"])
    if found["half"] and hour <= 12:
        hour = hour % 12 + 12 * (found["half"] == "下午")
    clock = f"{hour:02}:{found['minute']}:{found['second'] or '00'}"
    fraction = f"{found['fraction'] or '0':0<6}"
    return datetime.fromisoformat(f"{day}T{clock}.{fraction}{found['zone'] or ''}").isoformat()
