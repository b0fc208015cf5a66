"""Memory versions and their search texts as rows (M3, M4, M6).

Implements `ports.repositories.Memories`. The one-active-version rule is held by a partial unique
index, not by this code.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

import apsw

from smartbrain.adapters.sqlite.connection import translating
from smartbrain.adapters.sqlite.rows import (
    MEMORY_COLUMNS,
    Row,
    Touched,
    memory_of,
    memory_row,
    optional_micros,
)
from smartbrain.domain.change import ChangeKind
from smartbrain.domain.ids import chunk_id
from smartbrain.domain.memory import Memory, Status
from smartbrain.errors import NotFound

_COLUMNS: Final = MEMORY_COLUMNS.replace(" ", "").split(",")
# Where a memory was said and by whom stands beside it; recall reads it of a hundred at a time.
_PLACE: Final = (
    "(SELECT session FROM turns WHERE id = {0}), (SELECT seq FROM turns WHERE id = {0}),"
    " (SELECT coalesce(name, role) FROM messages WHERE id = {1})"
)
_SOURCES: Final = ("source_turn_id", "source_message_id")
_INSERT: Final = (
    f"INSERT INTO memories ({MEMORY_COLUMNS}, session, seq, speaker) VALUES"
    f" ({', '.join('?' * len(_COLUMNS))},"
    f" {_PLACE.format(*[f'?{_COLUMNS.index(name) + 1}' for name in _SOURCES])})"
)
_MOVE: Final = (
    "UPDATE memories SET (session, seq, speaker) ="
    f" (SELECT {_PLACE.format(*_SOURCES)}) WHERE num = ?"
)
_STORED: Final = f"SELECT {MEMORY_COLUMNS} FROM memories WHERE num = ?"
SELECT_MEMORIES: Final = (
    f"SELECT {', '.join(f'm.{name}' for name in _COLUMNS)}, n.id"
    " FROM memories m JOIN nodes n ON n.num = m.num "
)


SELECT_HISTORY: Final = SELECT_MEMORIES + "WHERE m.key = ? ORDER BY m.said_at, m.seq, m.version"


@translating
class SqliteMemories:
    """Typed, versioned memories."""

    def __init__(self, connection: apsw.Connection, touched: Touched, tenant: str) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._executemany = connection.executemany
        self._touched = touched
        self._tenant = tenant

    def add(self, memories: Sequence[Memory]) -> None:
        """Append versions."""
        spans = self._touched.spans
        with self._touched.whole:
            nums = self._touched.add_nodes([memory.id for memory in memories], "Memory")
            self._executemany(
                _INSERT,
                [
                    memory_row(num, memory, spans(memory.raw_refs))
                    for num, memory in zip(nums, memories, strict=True)
                ],
            )
        self._touched.fresh.update(nums)
        for memory in memories:
            self._touched.write_type(memory.type)
        self._touched.note(ChangeKind.MEMORY, nums)

    def update(self, memory: Memory) -> None:
        """Write the present state of a stored version.

        Only what differs is written: a column that is set has its indexes written too, and most
        often a memory was merely said again.
        """
        num = self._touched.number(memory.id)
        stored: Row | None = self._touched.stored.pop(num, None)
        if stored is None:
            stored = self._execute(_STORED, (num,)).get
        if stored is None:
            raise _no_memory(memory.id)
        row = memory_row(num, memory, self._touched.spans(memory.raw_refs))
        changed = {
            name: new
            for name, old, new in zip(_COLUMNS, stored, row, strict=False)  # one row ends in the id
            if old != new
        }
        self._touched.write_type(memory.type)
        if changed:
            sets = ", ".join([f"{name} = ?" for name in changed])
            self._execute(f"UPDATE memories SET {sets} WHERE num = ?", (*changed.values(), num))
        if not changed.keys().isdisjoint(_SOURCES):
            self._execute(_MOVE, (num,))
        self._touched.note(ChangeKind.MEMORY, [num])

    def get(self, memory_ids: Iterable[str]) -> dict[str, Memory]:
        """Return the known ones among these versions, by id."""
        wanted = json.dumps(list(memory_ids))
        rows = self._execute(
            SELECT_MEMORIES + "WHERE n.id IN (SELECT value FROM json_each(?))", (wanted,)
        )
        return {memory.id: memory for memory in self.read(list(rows))}

    def active(self, type_name: str, key: str) -> Memory | None:
        """Return the active version of a key."""
        rows = self._execute(
            SELECT_MEMORIES + "WHERE m.type = ? AND m.key = ? AND m.status = 'active'",
            (type_name, key),
        )
        return next(iter(self.read(list(rows))), None)

    def history(self, key: str) -> list[Memory]:
        """Return all versions of a key, oldest first by their own time."""
        return self.read(list(self._execute(SELECT_HISTORY, (key,))))

    def page(
        self,
        *,
        type_name: str | None = None,
        status: Status | None = Status.ACTIVE,
        since: datetime | None = None,
        until: datetime | None = None,
        after: int = 0,
        limit: int = 100,
        now: datetime | None = None,
    ) -> list[tuple[int, Memory]]:
        """Return versions with their node numbers, oldest number first, after `after`."""
        rows = list(
            self._execute(
                SELECT_MEMORIES + "WHERE m.num > ?1 AND (?2 IS NULL OR m.type = ?2)"
                " AND (?3 IS NULL OR CASE WHEN m.status = 'active' AND m.valid_until <= ?7"
                " THEN 'expired' ELSE m.status END = ?3) AND (?4 IS NULL OR m.said_at >= ?4)"
                " AND (?5 IS NULL OR m.said_at < ?5) ORDER BY m.num LIMIT ?6",
                (after, type_name, status, optional_micros(since), optional_micros(until), limit)
                + (optional_micros(now),),
            )
        )
        return [(row[0], memory) for row, memory in zip(rows, self.read(rows), strict=True)]

    def put_chunks(self, texts: Mapping[str, Sequence[str]]) -> None:
        """Replace the search texts of memories."""
        fresh = self._touched.fresh
        nums = [self._number(memory_id) for memory_id in texts]
        with self._touched.whole:
            for num in nums:
                if num not in fresh:
                    self._execute("DELETE FROM chunks WHERE memory = ?", (num,))
                    self._execute("DELETE FROM vectors WHERE node = ?", (num,))
            self._executemany(
                "INSERT INTO chunks (memory, ordinal, id, text) VALUES (?, ?, ?, ?)",
                [
                    (num, ordinal, chunk_id(memory_id, ordinal), text)
                    for num, (memory_id, parts) in zip(nums, texts.items(), strict=True)
                    for ordinal, text in enumerate(parts)
                ],
            )
        fresh.difference_update(nums)
        self._touched.note(ChangeKind.MEMORY, nums)

    def chunks(self, memory_id: str) -> list[str]:
        """Return the search texts of a memory in order."""
        return [
            row[0]
            for row in self._execute(
                "SELECT c.text FROM chunks c JOIN nodes n ON n.num = c.memory WHERE n.id = ?"
                " ORDER BY c.ordinal",
                (memory_id,),
            )
        ]

    def read(self, rows: list[Row]) -> list[Memory]:
        """Read memory rows with one query for all their raw chunks."""
        spans = self._touched.read_spans([row[16] for row in rows])
        return [
            memory_of(row, row[-1], span, self._tenant)
            for row, span in zip(rows, spans, strict=True)
        ]

    def _number(self, memory_id: str) -> int:
        """Return the number of a memory; no other node will do."""
        num = self._touched.number(memory_id)
        known = num in self._touched.fresh
        if not known and self._execute("SELECT 1 FROM memories WHERE num = ?", (num,)).get is None:
            raise _no_memory(memory_id)
        return num


def _no_memory(node_id: str) -> NotFound:
    """Build the error for a node of another kind."""
    return NotFound(f"{node_id!r} is a node of this tenant, but no memory")
