"""Lookups of the write path as queries. Implements `ports.remembering.Remembering`.

Each is answered by an index, whatever the size of the tenant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import apsw

from smartbrain.adapters.sqlite.connection import translating
from smartbrain.adapters.sqlite.memories import SELECT_HISTORY, SELECT_MEMORIES, SqliteMemories
from smartbrain.adapters.sqlite.rows import Row, Touched, json_text, load, texts_json
from smartbrain.domain.memory import OVER, Memory
from smartbrain.domain.record import Record
from smartbrain.domain.time import to_micros

_NEIGHBOUR = (
    "SELECT t.id FROM turns one JOIN turns t ON t.session = one.session"
    " WHERE one.id = ? AND (t.at, t.seq) {sign} (one.at, one.seq)"
    " ORDER BY t.at {way}, t.seq {way} LIMIT 1"
)


@translating
class SqliteRemembering:
    """What a new turn is held against, and what was decided about it."""

    def __init__(
        self, connection: apsw.Connection, touched: Touched, memories: SqliteMemories
    ) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._touched = touched
        self._memories = memories

    def histories(self, keys: Iterable[str]) -> dict[str, list[Memory]]:
        """Return all versions of keys, oldest first by their own time."""
        rows = self._connection.executemany(SELECT_HISTORY, [(key,) for key in dict.fromkeys(keys)])
        found: dict[str, list[Memory]] = {}
        for memory in self._read(rows):
            found.setdefault(memory.key, []).append(memory)
        return found

    def heads(self, type_name: str, keys: Iterable[str], *, rejected: bool = False) -> list[Memory]:
        """Return what stands of keys or disputes it, and the version of each that was said last."""
        rows: list[Row] = []
        for key in keys:
            rows += self._execute(
                SELECT_MEMORIES + "WHERE m.key = ?1 AND m.type = ?2 AND m.deleted_at IS NULL"
                " AND (m.status IN ('active', 'archived', 'deprecated', 'disputed')"
                " OR (?3 AND (m.status = 'retracted' OR instr(m.tags, ?4))) OR m.num ="
                " (SELECT num FROM memories WHERE key = ?1 AND type = ?2 AND deleted_at IS NULL"
                " ORDER BY valid_since DESC, seq DESC, version DESC LIMIT 1))"
                " ORDER BY m.valid_since, m.seq, m.version",
                (key, type_name, rejected, f'"{OVER}"'),
            )
        return self._read(rows)

    def last_version(self, type_name: str, key: str) -> int:
        """Return the highest number of a version of a key; 0 where there is none."""
        found: int = self._execute(
            "SELECT ifnull(max(version), 0) FROM memories WHERE type = ? AND key = ?",
            (type_name, key),
        ).get
        return found

    def fact_key(self, key: str) -> str | None:
        """Return the key of a fact as it is stored, whatever the case of its letters."""
        found: str | None = self._execute(
            "SELECT key FROM memories WHERE type = 'facts' AND lower(key) = lower(?1)"
            " AND deleted_at IS NULL ORDER BY key = ?1 DESC, num LIMIT 1",
            (key,),
        ).get
        return found

    def newest(self, type_name: str, *, limit: int = 100, put_away: bool = False) -> list[Memory]:
        """Return the standing or archived memories of a type that were written last."""
        if put_away:
            return self._put_away(type_name, limit)
        if type_name in self._touched.lacking:
            return []
        known = self._touched.standing.setdefault(type_name, {})
        if limit not in known:
            known[limit] = self._newest(type_name, limit)
            if not known[limit] and limit:
                self._touched.lacking.add(type_name)
        return list(known[limit])

    def _newest(self, type_name: str, limit: int) -> list[Memory]:
        """Read what stands of a type."""
        rows = self._execute(
            SELECT_MEMORIES + "WHERE m.type = ? AND m.status IN ('active', 'candidate')"
            " AND m.deleted_at IS NULL ORDER BY m.num DESC LIMIT ?",
            (type_name, limit),
        )
        return self._read(rows)

    def _put_away(self, type_name: str, limit: int) -> list[Memory]:
        """Read what is archived of a type."""
        rows = self._execute(
            SELECT_MEMORIES + "WHERE m.type = ? AND m.status = 'archived'"
            " AND m.deleted_at IS NULL ORDER BY m.num DESC LIMIT ?",
            (type_name, limit),
        )
        return self._read(rows)

    def alike(self, predicates: Iterable[str], *, limit: int = 3) -> dict[str, list[Memory]]:
        """Return the statements written last that tell each kind of event, newest first."""
        found = {}
        for predicate in sorted(predicates):
            rows = self._execute(
                SELECT_MEMORIES + "WHERE m.type = 'statements' AND m.deleted_at IS NULL"
                " AND m.value ->> '$.predicate.normalized' = ? ORDER BY m.num DESC LIMIT ?",
                (predicate, limit),
            )
            found[predicate] = self._read(rows)
        return found

    def of_session(self, turn_ids: Iterable[str], session_id: str) -> set[str]:
        """Return those of some turns that a session has."""
        rows = self._execute(
            "SELECT t.id FROM json_each(?) g CROSS JOIN turns t ON t.id = g.value"
            " JOIN sessions s ON s.num = t.session AND s.id = ?",
            (texts_json(turn_ids), session_id),
        )
        return {row[0] for row in rows}

    def neighbours(self, turn_id: str) -> tuple[str | None, str | None]:
        """Return the turns of its session just before and just after a turn."""
        before, after = (
            self._execute(_NEIGHBOUR.format(sign=sign, way=way), (turn_id,)).get
            for sign, way in (("<", "DESC"), (">", "ASC"))
        )
        return before, after

    def keep_explanation(
        self, source_id: str, body: Mapping[str, Any] | Record, at: datetime
    ) -> None:
        """Keep why a commit wrote what it wrote."""
        self._execute(
            "INSERT INTO explanations (source_id, body, created_at) VALUES (?, ?, ?)",
            (source_id, json_text(body), to_micros(at)),
        )

    def explanations(self, source_id: str) -> list[Mapping[str, Any]]:
        """Return what was kept about a turn or an operation, in order."""
        rows = self._execute(
            "SELECT body FROM explanations WHERE source_id = ? ORDER BY num", (source_id,)
        )
        return [load(row[0]) for row in rows]

    def _read(self, rows: Iterable[Row]) -> list[Memory]:
        """Read memories and keep their rows, for what is written next often changes them."""
        found, decoded = list(rows), self._touched.decoded
        for row in found:
            self._touched.numbers[row[-1]] = row[0]
            self._touched.stored[row[0]] = row
        # The turns of an import are held against the same memories, one turn after the other.
        new = [row for row in found if row[0] not in decoded or decoded[row[0]][0] != row]
        if new:
            decoded.update(
                (row[0], (row, memory))
                for row, memory in zip(new, self._memories.read(new), strict=True)
            )
        return [decoded[row[0]][1] for row in found]
