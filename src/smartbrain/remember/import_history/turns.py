"""Messages of a history made into turns, each under a key that stays the same (M4).

In: messages with their sessions and times, in the order of the file. Out: `HistoryTurn` values, the
oldest first. A turn is a user's message and all that follows up to the next one. A session whose
times go backwards, such as a log with the newest first, is put in their order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, Final

import msgspec

from smartbrain.domain.history import HistoryProblem, HistoryTurn
from smartbrain.domain.ids import derive
from smartbrain.domain.record import canonical_json
from smartbrain.domain.turn import Role
from smartbrain.remember.import_history.source import Source

_MAX_TURN_MESSAGES: Final = 1000  # a log of one speaker has no end of a turn
_CLOCK_TICK: Final = timedelta(seconds=1)  # what a clock that counts whole seconds may be behind
_NEVER: Final = datetime.max.replace(tzinfo=UTC)


class Said(msgspec.Struct, frozen=True):
    """One message of a history with its time and what it brings along."""

    message: dict[str, Any]
    at: str | None = None
    refs: Sequence[Mapping[str, Any]] = ()


class Entry(msgspec.Struct, frozen=True):
    """What a place of a source holds: one message, or a whole turn with its other events."""

    session_id: str
    said: Sequence[Said]
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
    entries: Iterable[Entry | HistoryProblem],
    format_name: str,
    source: Source,
    *,
    is_ordered: bool = False,
) -> Iterator[HistoryTurn | HistoryProblem]:
    """Yield the problems among entries, then the turns that the others make.

    `is_ordered` tells that a session's messages follow each other as they stand.
    """
    sessions: dict[str, list[Entry]] = {}
    for entry in entries:
        if isinstance(entry, HistoryProblem):
            yield entry
        else:
            sessions.setdefault(entry.session_id, []).append(entry)
    found: list[tuple[datetime, Entry]] = []
    for own in sessions.values():
        latest = min((_time_of(entry) for entry in own), default=_NEVER)
        for turn in _join_turns(own if is_ordered else _sort_entries(own)):
            latest = max(latest, _time_of(turn)) if turn.at else latest
            found.append((latest, turn))
    found.sort(key=itemgetter(0))
    alike: Counter[tuple[str, str | None]] = Counter()
    for number, (_, turn) in enumerate(found, start=1):
        at = (turn.session_id, turn.at)
        yield _make_turn(turn, format_name, alike[at], source.size * number // len(found), source)
        alike[at] += 1


def _time_of(entry: Entry) -> datetime:
    """Return a time to sort by; one without an offset is taken for UTC."""
    at = datetime.fromisoformat(entry.at) if entry.at else _NEVER
    return at if at.tzinfo else at.replace(tzinfo=UTC)


def _sort_entries(entries: list[Entry]) -> list[Entry]:
    """Return the entries of a session by time, where it goes backwards."""
    blocks: list[list[Entry]] = []  # what has no time stays behind what it follows
    for entry in entries:
        if entry.at is None and blocks:
            blocks[-1].append(entry)
        else:
            blocks.append([entry])
    dated = [(_time_of(block[0]), block) for block in blocks if block[0].at]
    # Times with an offset and times without one are of two clocks.
    clocks: dict[bool, list[Entry]] = {}
    for _, (entry, *_) in dated:
        clocks.setdefault(datetime.fromisoformat(str(entry.at)).tzinfo is None, []).append(entry)
    if all(
        _time_of(later) >= _time_of(earlier) - (timedelta(0) if later.begins else _CLOCK_TICK)
        for told in clocks.values()
        for earlier, later in pairwise(told)
    ):
        return entries
    newest_first = all(one >= other for (one, _), (other, _) in pairwise(dated))
    ordered = [entry for block in blocks if not block[0].at for entry in block]
    for _, same in groupby(sorted(dated, key=itemgetter(0)), key=itemgetter(0)):
        alike = [block for _, block in same]
        begins, ends = alike[0][0].begins, alike[-1][0].begins
        # A user's message comes before what answers it, wherever that stands.
        if ends if begins != ends else newest_first:
            alike.reverse()
        ordered += [entry for block in alike for entry in block]
    return ordered


def _join_turns(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Yield the turns of a session as entries of all their messages."""
    said: list[Said] = []
    for entry in entries:
        if said and (entry.begins or len(said) >= _MAX_TURN_MESSAGES):
            yield Entry(entry.session_id, tuple(said))
            said = []
        if entry.events is not None:
            yield entry
        else:
            said += entry.said
    if said:
        yield Entry(entries[0].session_id, tuple(said))


def _make_turn(
    turn: Entry, format_name: str, ordinal: int, place: int, source: Source
) -> HistoryTurn:
    """Return a turn; `ordinal` counts those of its session and time before it.

    Counting from the beginning would give a turn another key once the oldest part of a log is cut
    off.
    """
    given, at = turn.events or {}, turn.at
    events = {
        **given,
        "at": at,
        "messages": [_message_of(one, at) for one in turn.said],
        "refs": [*given.get("refs", ()), *(ref for one in turn.said for ref in one.refs)],
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


def _message_of(said: Said, at: str | None) -> dict[str, Any]:
    """Return a message that keeps its time in its meta where it is not that of its turn."""
    if said.at in (None, at):
        return said.message
    return {**said.message, "meta": {"at": said.at, **(said.message.get("meta") or {})}}
