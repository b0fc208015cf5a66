"""The catalogue of raw chunks with their counts (E2). Implements `ports.repositories.RawChunks`.

A chunk is known by its address; the same content arriving again only raises its count.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Final

import apsw

from smartbrain.adapters.sqlite.connection import translating
from smartbrain.adapters.sqlite.rows import Row, Touched, nums_json
from smartbrain.domain.change import ChangeKind, ChangeOp
from smartbrain.domain.graph import NodeKind
from smartbrain.domain.time import from_micros, to_micros
from smartbrain.domain.turn import RawChunk, RawTier
from smartbrain.errors import Conflict

_SELECT: Final = (
    "SELECT n.id, r.address, r.length, r.mime, r.body, r.path, r.tier, r.held, r.stored_at"
    " FROM raw_chunks r JOIN nodes n ON n.num = r.num "
)
_NUMBERED: Final = _SELECT.replace(" FROM ", ", r.num FROM ", 1)
_SOME: Final = _NUMBERED + "WHERE r.num IN (SELECT value FROM json_each(?)) ORDER BY r.num"
_TIERS: Final = {tier.value: tier for tier in RawTier}


@translating
class SqliteRawChunks:
    """Who holds which piece of original content."""

    def __init__(self, connection: apsw.Connection, touched: Touched) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._executemany = connection.executemany
        self._touched = touched

    def hold(self, chunks: Sequence[RawChunk]) -> None:
        """Add each chunk or, if it is known, raise its count by one."""
        uses: dict[str, int] = {}
        for chunk in chunks:
            uses[chunk.address] = uses.get(chunk.address, 0) + 1
        first = {chunk.address: chunk for chunk in reversed(chunks)}
        with self._touched.whole:
            rows = self._executemany(
                "SELECT address, num FROM raw_chunks WHERE address = ?",
                [(address,) for address in uses],
            )
            known = dict(rows)
            if known:
                self._executemany(
                    "UPDATE raw_chunks SET held = held + ? WHERE num = ?",
                    [(uses[address], num) for address, num in known.items()],
                )
                self._touched.numbers.update(
                    (first[address].id, num) for address, num in known.items()
                )
            new = [first[address] for address in uses if address not in known]
            nums = self._touched.add_nodes([chunk.id for chunk in new], NodeKind.RAW)
            self._executemany(
                "INSERT INTO raw_chunks (num, address, length, mime, body, path, tier, held,"
                " stored_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (num, chunk.address, chunk.length, chunk.mime, chunk.body, chunk.path)
                    + (chunk.tier, uses[chunk.address], to_micros(chunk.stored_at))
                    for num, chunk in zip(nums, new, strict=True)
                ],
            )
        self._touched.note(ChangeKind.RAW, nums)

    def release(self, raw_ids: Sequence[str]) -> None:
        """Lower the count of each chunk by one; refuse all of it if one is held by nobody."""
        wanted: dict[str, int] = {}
        for raw_id in raw_ids:
            wanted[raw_id] = wanted.get(raw_id, 0) + 1
        held = {raw_id: chunk.held for raw_id, chunk in self.get(wanted).items()}
        for raw_id, count in wanted.items():
            if held.get(raw_id, 0) < count:
                raise Conflict(f"raw chunk {raw_id} is not held {count} times; nothing released")
        for raw_id, count in wanted.items():
            self._execute(
                "UPDATE raw_chunks SET held = held - ? WHERE num = ?",
                (count, self._touched.number(raw_id)),
            )

    def get(self, raw_ids: Iterable[str]) -> dict[str, RawChunk]:
        """Return the known ones among these chunks, by id."""
        rows = self._execute(
            _SELECT + "WHERE n.id IN (SELECT value FROM json_each(?))", (json.dumps(list(raw_ids)),)
        )
        return {row[0]: _chunk(row) for row in rows}

    def numbered(self, nums: Sequence[int]) -> list[tuple[int, RawChunk]]:
        """Return the known ones among chunks given by number, lowest first."""
        rows = self._execute(_SOME, (nums_json(nums),))
        return [(row[9], _chunk(row)) for row in rows]

    def page(self, after: int, limit: int) -> list[tuple[int, RawChunk]]:
        """Return chunks with their node numbers, lowest first, after `after`."""
        rows = self._execute(_NUMBERED + "WHERE r.num > ? ORDER BY r.num LIMIT ?", (after, limit))
        return [(row[9], _chunk(row)) for row in rows]

    def paths(self) -> dict[str, RawChunk]:
        """Return every chunk that is kept in a file, by its path."""
        rows = self._execute(_SELECT + "WHERE r.path IS NOT NULL ORDER BY r.path")
        return {row[5]: _chunk(row) for row in rows}

    def turns_with(self, raw_ids: Iterable[str]) -> dict[str, list[tuple[str, int]]]:
        """Return the turns that hold each chunk as (session, place), by id."""
        rows = self._execute(
            "WITH parts (turn, spans) AS (SELECT turn, spans FROM messages"
            " UNION ALL SELECT turn, result_spans FROM tool_calls"
            " UNION ALL SELECT turn, stdout_spans FROM tool_calls"
            " UNION ALL SELECT turn, stderr_spans FROM tool_calls)"
            " SELECT DISTINCT n.id, s.id, t.seq, s.num FROM parts p, json_each(p.spans) e"
            " JOIN nodes n ON n.num = e.value ->> 0 JOIN turns t ON t.num = p.turn"
            " JOIN sessions s ON s.num = t.session"
            " WHERE n.id IN (SELECT value FROM json_each(?)) ORDER BY s.num, t.seq",
            (json.dumps(list(raw_ids)),),
        )
        found: dict[str, list[tuple[str, int]]] = {}
        for raw_id, session_id, seq, _ in rows:
            found.setdefault(raw_id, []).append((session_id, seq))
        return found

    def drop_unheld(self) -> list[RawChunk]:
        """Remove the chunks nobody holds, unless an edge or a memory still leads there."""
        unheld = [
            _chunk(row)
            for row in self._execute(
                _SELECT + "WHERE r.held = 0 AND NOT EXISTS"
                " (SELECT 1 FROM edges e WHERE e.src = r.num OR e.dst = r.num) ORDER BY r.num"
            )
        ]
        if not unheld:
            return []
        # Reads every memory, but only on the rare occasion that something was let go of.
        told = {
            row[0]
            for row in self._execute(
                "SELECT DISTINCT e.value ->> 0 FROM memories m, json_each(m.raw_refs) e"
            )
        }
        chunks = [chunk for chunk in unheld if self._touched.number(chunk.id) not in told]
        for chunk in chunks:
            num = self._touched.number(chunk.id)
            self._execute("DELETE FROM raw_chunks WHERE num = ?", (num,))
            self._execute("DELETE FROM nodes WHERE num = ?", (num,))
            self._touched.note(ChangeKind.RAW, [num], ChangeOp.DELETE)
            del self._touched.numbers[chunk.id]
        return chunks


def _chunk(row: Row) -> RawChunk:
    """Read a row of the catalogue."""
    return RawChunk(
        id=row[0],
        address=row[1],
        length=row[2],
        mime=row[3],
        body=row[4],
        path=row[5],
        tier=_TIERS[row[6]],
        held=row[7],
        stored_at=from_micros(row[8]),
    )
