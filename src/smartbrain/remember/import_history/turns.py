"""Messages of a history made into turns, each under a key that stays the same (M4).

In: messages with their sessions and times, and a source that can be read twice. Out: `HistoryTurn`
values. A turn is a user's message and all that follows up to the next one. A session whose times
never go backwards is read as it stands, and nothing of it is held; one whose times do, such as a
log with the newest first, is held up to a limit and comes behind the rest, by its times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from smartbrain.domain.history import HistoryProblem, HistoryTurn
from smartbrain.domain.ids import derive
from smartbrain.domain.record import canonical_json
from smartbrain.domain.turn import Role
from smartbrain.errors import UsageError
from smartbrain.remember.import_history.source import Source

_MAX_OPEN_SESSIONS: Final = 256
_MAX_TURN_MESSAGES: Final = 1000  # a log of one speaker has no end of a turn
_MAX_HELD_BYTES: Final = 1 << 30  # which take several times as much in memory
_CLOCK_TICK: Final = timedelta(seconds=1)  # what a clock that counts whole seconds may be behind
_FIRST: Final = datetime.min.replace(tzinfo=UTC)


class Said(msgspec.Struct, frozen=True):
    """One message of a history with its time and what it brings along."""

    message: dict[str, Any]
    at: str | None = None
    calls: Sequence[Mapping[str, Any]] = ()
    refs: Sequence[Mapping[str, Any]] = ()

    @property
    def begins(self) -> bool:
        """Whether a turn begins here: a user's message does, unless it only answers tool calls."""
        content = self.message.get("content")
        answers = isinstance(content, list) and all(
            isinstance(part, dict) and part.get("type") == "tool_result" for part in content
        )
        return self.message["role"] == Role.USER and not (content and answers)


class Entry(msgspec.Struct, frozen=True):
    """What a place of a source holds: one message, or all messages of a turn and its other events.

    `place` is how much of the source is read with it.
    """

    session_id: str
    said: list[Said]
    place: int
    events: dict[str, Any] | None = None
    turn_id: str = ""

    @property
    def at(self) -> str | None:
        """When it was said, if that is known."""
        return (self.events or {}).get("at") or next((one.at for one in self.said if one.at), None)

    @property
    def begins(self) -> bool:
        """Whether a turn begins with it."""
        return self.events is not None or self.said[0].begins


Entries = Iterable[Entry | HistoryProblem]


class TurnMaker:
    """Makes the turns of one source.

    Sessions may be interleaved: each has a turn that is open until its next user message. Beyond
    a number of them the one that was silent for longest is closed, so memory stays bounded.
    """

    def __init__(self, format_name: str, total: int | None = None) -> None:
        """Start a source; `total` is what its turns' places are out of."""
        self.total = total
        self._format = format_name
        self._open: dict[str, list[Said]] = {}
        self._last: dict[tuple[str, bool], tuple[str | None, int]] = {}

    def add_entry(self, entry: Entry) -> Iterator[HistoryTurn]:
        """Take the next entry of a session; yield the turns that it ends or is."""
        if entry.events is None:
            yield from self.add(entry.session_id, entry.said[0], entry.place)
            return
        yield from self.close(entry.session_id, entry.place)
        yield self._make(entry)

    def add(
        self, session_id: str, said: Said, place: int, *, title: str = ""
    ) -> Iterator[HistoryTurn]:
        """Take the next message of a session; yield the turns that it ends."""
        if said.begins or len(self._open.get(session_id, ())) >= _MAX_TURN_MESSAGES:
            yield from self.close(session_id, place, title=title)
        self._open[session_id] = [*self._open.pop(session_id, ()), said]  # the last to be closed
        if len(self._open) > _MAX_OPEN_SESSIONS:
            yield from self.close(next(iter(self._open)), place)

    def close(self, session_id: str, place: int, *, title: str = "") -> Iterator[HistoryTurn]:
        """Yield the open turn of a session, if it has one."""
        if said := self._open.pop(session_id, None):
            yield self._make(Entry(session_id, said, place), title=title)

    def close_all(self, place: int) -> Iterator[HistoryTurn]:
        """Yield the open turns of all sessions."""
        for session_id in list(self._open):
            yield from self.close(session_id, place)

    def _make(self, entry: Entry, *, title: str = "") -> HistoryTurn:
        given, at = entry.events or {}, entry.at
        events = {
            **given,
            "at": at,
            "messages": [_message_of(one, at) for one in entry.said],
            "tool_calls": [*given.get("tool_calls", ()), *(c for s in entry.said for c in s.calls)],
            "refs": [*given.get("refs", ()), *(ref for one in entry.said for ref in one.refs)],
        }
        events = {name: value for name, value in events.items() if value not in (None, [])}
        first = entry.turn_id or (entry.said[0].message.get("id") if entry.said else "")
        mark = f"id {first}" if first else f"number {self._ordinal(entry.session_id, at)}"
        return HistoryTurn(
            session_id=entry.session_id,
            events=events,
            key=derive("chat", self._format, entry.session_id, mark, canonical_json(events)),
            place=entry.place,
            total=self.total,
            title=title,
        )

    def _ordinal(self, session_id: str, at: str | None) -> int:
        """Count the turns of one time in a session, and apart from them those without a time.

        Counting from the beginning would give a turn another key once the oldest part of a log
        is cut off.
        """
        kind = (session_id, at is None)
        before, count = self._last.get(kind, (at, -1))
        count = count + 1 if before == at else 0
        self._last[kind] = (at, count)
        return count


def _message_of(said: Said, at: str | None) -> dict[str, Any]:
    """Return a message that keeps its time in its meta where it is not that of its turn."""
    if said.at in (None, at):
        return said.message
    return {**said.message, "meta": {"at": said.at, **(said.message.get("meta") or {})}}


def make_turns(
    read: Callable[[], Entries], turns: TurnMaker, total: int, source: Source
) -> Iterator[HistoryTurn | HistoryProblem]:
    """Yield the turns that the entries of a source make, which are read twice.

    Raises:
        UsageError: there is too much out of order to be held.
    """
    backwards = _find_backwards(read(), source)
    for entry in _sort_entries(read(), backwards) if backwards else read():
        if isinstance(entry, HistoryProblem):
            yield entry
        else:
            yield from turns.add_entry(entry)
    yield from turns.close_all(total)


def _find_backwards(entries: Entries, source: Source) -> set[str]:
    """Return the sessions whose times go backwards."""
    found: set[str] = set()
    latest: dict[tuple[str, bool], datetime] = {}
    sizes: Counter[str] = Counter()
    ended = 0
    for entry in entries:
        if isinstance(entry, HistoryProblem):
            continue
        sizes[entry.session_id] += entry.place - ended
        ended = entry.place
        if entry.at is None:
            continue
        at = datetime.fromisoformat(entry.at)
        clock = entry.session_id, at.tzinfo is None  # the two cannot be compared here
        last = latest.setdefault(clock, at)
        if at < last - (timedelta(0) if entry.begins else _CLOCK_TICK):
            found.add(entry.session_id)
        latest[clock] = max(last, at)
    if sum(sizes[session_id] for session_id in found) > _MAX_HELD_BYTES:
        raise UsageError(
            f"{source.name}: more than {_MAX_HELD_BYTES:,} bytes of it are in sessions whose times"
            " go backwards, and those are held in memory; sort its lines by time, or split it"
        )
    return found


def _sort_entries(entries: Entries, backwards: set[str]) -> Entries:
    """Yield entries, those of some sessions by time behind the rest; places count what is done."""
    held: dict[str, list[tuple[datetime, list[Entry]]]] = {one: [] for one in backwards}
    ended = done = 0
    for entry in entries:
        if isinstance(entry, HistoryProblem):
            yield entry
            continue
        size, ended = entry.place - ended, entry.place
        if entry.session_id not in backwards:
            done += size
            yield replace(entry, place=done)
            continue
        dated, entry = held[entry.session_id], replace(entry, place=size)
        if entry.at is None and dated:  # what has no time stays behind what it follows
            dated[-1][1].append(entry)
            continue
        at = datetime.fromisoformat(entry.at) if entry.at else _FIRST
        dated.append((at if at.tzinfo else at.replace(tzinfo=UTC), [entry]))
    for dated in sorted(held.values(), key=lambda dated: min(at for at, _ in dated)):
        newest_first = all(one >= other for (one, _), (other, _) in pairwise(dated))
        for _, same in groupby(sorted(dated, key=itemgetter(0)), key=itemgetter(0)):
            told = [entries for _, entries in same]
            begins, ends = told[0][0].begins, told[-1][0].begins
            # A user's message comes before what answers it, wherever that stands.
            if ends if begins != ends else newest_first:
                told.reverse()
            for entry in (entry for entries in told for entry in entries):
                done += entry.place
                yield replace(entry, place=done)
