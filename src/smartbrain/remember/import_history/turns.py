"""The turns of a chat history: its messages put in order, joined, and given a key each (E4).

In: messages, whole turns and problems, as the readers of formats find them. Out: the problems, then
turns in the order of their times. A turn begins with a user's message; its key is the same whenever
the same turn is read again, and another as soon as anything in it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any, Final

import msgspec

from smartbrain.domain.history import HistoryProblem, HistoryTurn
from smartbrain.domain.ids import derive
from smartbrain.domain.record import canonical_json
from smartbrain.domain.turn import Role
from smartbrain.remember.import_history.source import HistoryFile, as_dict

_MAX_MESSAGES: Final = 1000  # of one turn: a log of one speaker has no end of a turn
_NEVER: Final = datetime.max.replace(tzinfo=UTC)


class HistoryMessage(msgspec.Struct, frozen=True):
    """One message of a history with its time and what it brings along."""

    message: dict[str, Any]
    at: str | None = None
    refs: Sequence[Mapping[str, Any]] = ()


class HistoryEntry(msgspec.Struct, frozen=True):
    """What a place of a source holds: one message, or a whole turn with its other events."""

    session_id: str
    said: Sequence[HistoryMessage]
    events: Mapping[str, Any] | None = None
    turn_id: str = ""

    @property
    def at(self) -> str | None:
        """When it was said, if that is known."""
        return (self.events or {}).get("at") or next((one.at for one in self.said if one.at), None)

    @property
    def begins(self) -> bool:
        """Whether a turn begins with it: not with a user's message that only answers calls."""
        if self.events is not None:
            return True
        message = self.said[0].message
        content = message.get("content")
        answers = isinstance(content, list) and all(
            isinstance(part, dict) and part.get("type") == "tool_result" for part in content
        )
        return message["role"] == Role.USER and not (content and answers)


def make_turns(
    entries: Iterable[HistoryEntry | HistoryProblem],
    format_name: str,
    source: HistoryFile,
    *,
    is_ordered: bool = False,
) -> Iterator[HistoryTurn | HistoryProblem]:
    """Yield the problems among entries, then the turns that the others make.

    `is_ordered` tells that a session's messages follow each other as they stand.
    """
    sessions: dict[str, list[HistoryEntry]] = {}
    for entry in entries:
        if isinstance(entry, HistoryProblem):
            yield entry
        else:
            sessions.setdefault(entry.session_id, []).append(entry)
    found: list[tuple[datetime, HistoryEntry]] = []
    for own in sessions.values():
        latest = min(map(_time_of, own))
        for turn in _join_turns(own if is_ordered else _sort_entries(own)):
            latest = max(latest, _time_of(turn)) if turn.at else latest
            found.append((latest, turn))
    found.sort(key=itemgetter(0))
    alike: Counter[tuple[str, str | None]] = Counter()
    for number, (_, turn) in enumerate(found, start=1):
        at = (turn.session_id, turn.at)
        yield _make_turn(turn, format_name, alike[at], source.size * number // len(found), source)
        alike[at] += 1


def _time_of(entry: HistoryEntry) -> datetime:
    """Return when an entry was said, to the second: clocks of one log may differ by less."""
    at = datetime.fromisoformat(entry.at) if entry.at else _NEVER
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).replace(microsecond=0)


def _sort_entries(entries: list[HistoryEntry]) -> list[HistoryEntry]:
    """Return the entries of a session by time; what has none stays behind what it follows."""
    blocks: list[list[HistoryEntry]] = []
    for entry in entries:
        if entry.at is None and blocks:
            blocks[-1].append(entry)
        else:
            blocks.append([entry])
    dated = [block for block in blocks if block[0].at]
    times = [_time_of(block[0]) for block in dated]
    has_zone = {datetime.fromisoformat(str(block[0].at)).tzinfo is not None for block in dated}
    if times == sorted(times) or len(has_zone) > 1:  # times of two clocks are not compared
        return entries
    if times == sorted(times, reverse=True):
        dated.reverse()
    # A user's message comes before what answers it, wherever that stands.
    dated.sort(key=lambda block: (_time_of(block[0]), not block[0].begins))
    undated = [block for block in blocks if not block[0].at]
    return [entry for block in (*undated, *dated) for entry in block]


def _join_turns(entries: Sequence[HistoryEntry]) -> Iterator[HistoryEntry]:
    said: list[HistoryMessage] = []
    for entry in entries:
        if said and (entry.begins or len(said) >= _MAX_MESSAGES):
            yield HistoryEntry(entry.session_id, tuple(said))
            said = []
        if entry.events is not None:
            yield entry
        else:
            said += entry.said
    if said:
        yield HistoryEntry(entries[0].session_id, tuple(said))


def _make_turn(
    turn: HistoryEntry, format_name: str, ordinal: int, place: int, source: HistoryFile
) -> HistoryTurn:
    """Return a turn; `ordinal` counts those of its session and time before it.

    Counting from the beginning would give a turn another key once the oldest part of a log is cut
    off.
    """
    at = turn.at
    refs = [ref for one in turn.said for ref in one.refs]
    events = {
        **(turn.events or {"refs": refs}),
        "at": at,
        "messages": [_message_of(one, at) for one in turn.said],
    }
    events = {name: value for name, value in events.items() if value not in (None, [])}
    first = turn.turn_id or (turn.said[0].message.get("id") if turn.said else "")
    mark = f"id {first}" if first else f"number {ordinal}"
    return HistoryTurn(
        session_id=turn.session_id,
        events=events,
        key=derive("chat", format_name, turn.session_id, mark, canonical_json(events)),
        place=place,
        total=source.size,
    )


def _message_of(said: HistoryMessage, at: str | None) -> dict[str, Any]:
    if said.at in (None, at):
        return said.message
    return {**said.message, "meta": {"at": said.at, **as_dict(said.message.get("meta"))}}
