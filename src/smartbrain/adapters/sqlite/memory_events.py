"""Numbered events as rows. Implements `ports.memory_events.MemoryEvents`.

Triggers of the schema write the rows; a transaction stamps those of its own when it commits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import apsw

from smartbrain.adapters.sqlite.rows import Repository, texts_json
from smartbrain.domain.memory_event import MOST_KEPT, EventKind, EventPage, MemoryEvent
from smartbrain.domain.time import Clock, from_micros, to_micros
from smartbrain.errors import NotFound
from smartbrain.ports.memory_events import ReaderPlace

_PREFIX: Final = "Memory."
_LAST: Final = "SELECT seq FROM sqlite_sequence WHERE name = 'memory_events'"
_DROP_EVERY: Final = 1_000  # events, so that few commits look for what is to be dropped


def last_number(connection: apsw.Connection) -> int:
    """Return the number of the last event, 0 where there is none."""
    return connection.execute(_LAST).get or 0


def stamp_events(connection: apsw.Connection, before: int, clock: Clock) -> None:
    """Date the events of a transaction, which come after a number; drop the oldest of too many."""
    last = last_number(connection)
    if last == before:
        return
    now = to_micros(clock())
    connection.execute("UPDATE memory_events SET at = ? WHERE num > ?", (now, before))
    if last // _DROP_EVERY != before // _DROP_EVERY:
        connection.execute("DELETE FROM memory_events WHERE num <= ?", (last - MOST_KEPT,))


class SqliteMemoryEvents(Repository):
    """What happened."""

    def add(self, kind: EventKind, code: str) -> None:
        self._execute(
            "INSERT INTO memory_events (kind, subject, type, code) VALUES (?, '', '', ?)",
            (kind.removeprefix(_PREFIX), code),
        )

    def last(self) -> int:
        return last_number(self._connection)

    def page(self, since: int, kinds: Sequence[EventKind] = (), *, limit: int) -> EventPage:
        last = self.last()
        if since > last:
            raise NotFound(
                f"there is no event {since}, the last one is {last}; begin anew from 0", code="gone"
            )
        first: int | None = self._execute("SELECT min(num) FROM memory_events").get
        if since and first is not None and since < first - 1:
            raise NotFound(
                f"events up to {first - 1} have been dropped; begin anew from 0", code="gone"
            )
        wanted = texts_json([kind.removeprefix(_PREFIX) for kind in kinds])
        rows = self._rows(
            "SELECT num, kind, subject, type, code, at FROM memory_events WHERE num > ?1"
            " AND (?2 = '[]' OR kind IN (SELECT value FROM json_each(?2))) ORDER BY num LIMIT ?3",
            since,
            wanted,
            limit,
        )
        events = tuple(
            MemoryEvent(
                num=num,
                kind=EventKind(_PREFIX + kind),
                subject=subject,
                type=kind_of,
                code=code,
                at=from_micros(at),
            )
            for num, kind, subject, kind_of, code, at in rows
        )
        if len(events) < limit:
            return EventPage(items=events, last=last)
        return EventPage(items=events, last=events[-1].num, cursor=str(events[-1].num))

    def is_waiting(self, reader: str, *, now: int) -> bool:
        rows = self._rows("SELECT num, due_at FROM event_readers WHERE reader = ?", reader)
        return not rows or (rows[0][1] <= now and rows[0][0] < self.last())

    def claim(self, reader: str, *, now: int, until: int) -> ReaderPlace | None:
        self._execute(
            "INSERT INTO event_readers VALUES (?, ?, 0, 0) ON CONFLICT DO NOTHING",
            (reader, self.last()),
        )
        rows = self._rows(
            "UPDATE event_readers SET due_at = ? WHERE reader = ? AND due_at <= ?"
            " RETURNING num, failures",
            until,
            reader,
            now,
        )
        return ReaderPlace(*rows[0]) if rows else None

    def advance(self, reader: str, num: int) -> None:
        self._execute(
            "UPDATE event_readers SET num = max(num, ?), failures = 0, due_at = 0 WHERE reader = ?",
            (num, reader),
        )

    def postpone(self, reader: str, *, until: int) -> None:
        self._execute(
            "UPDATE event_readers SET failures = failures + 1, due_at = ? WHERE reader = ?",
            (until, reader),
        )
