"""Claims, and the memory versions that are folded from them, as rows (K1, M3, M4, M6).

Implements `ports.truth.Claims`, `Memories` and `Remembering`. A claim names the version that it is
part of, which the fold decides, and nothing else does. The one-active-version rule is held by a
partial unique index, not by this code. Each lookup is answered by an index.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from smartbrain.adapters.sqlite.rows import (
    LISTED,
    Repository,
    Row,
    RowForm,
    Touched,
    json_text,
    load,
    nums_json,
    optional_micros,
    texts_json,
)
from smartbrain.domain.change import ChangeKind
from smartbrain.domain.claim import Claim, ClaimStatus
from smartbrain.domain.ids import chunk_id
from smartbrain.domain.memory import OVER, Memory, Status
from smartbrain.domain.record import Record
from smartbrain.domain.time import from_micros, to_micros
from smartbrain.errors import NotFound

_CLAIMS: Final = RowForm(
    Claim,
    "id grp=group type subject relation attribute value say due=when until scope topic because"
    " fields detail text turn_id operation_id session_id place message message_id start length"
    " said_at utc_offset=said_at: speaker source reader rule confidence certainty pii status",
)
_INSERT_CLAIM: Final = (
    f"INSERT INTO claims ({_CLAIMS.columns}, spans) VALUES ({_CLAIMS.marks}, ?)"
    " ON CONFLICT (id) DO NOTHING"
)
_SELECT: Final = f"SELECT {_CLAIMS.columns}, spans FROM claims "


class SqliteClaims(Repository):
    """What was stated."""

    def add(self, claims: Sequence[Claim]) -> None:
        spans = self._touched.spans
        self._executemany(
            _INSERT_CLAIM, [(*_CLAIMS.row(claim), spans(claim.spans)) for claim in claims]
        )

    def in_groups(self, groups: Iterable[str]) -> list[Claim]:
        rows = self._execute(
            _SELECT + "WHERE grp IN (SELECT value FROM json_each(?))"
            " AND status IN ('counted', 'candidate') ORDER BY num",
            (texts_json(groups),),
        )
        return self._read(rows)

    def of_turn(self, turn_id: str) -> list[Claim]:
        rows = self._execute(_SELECT + "WHERE turn_id = ? ORDER BY message, start, num", (turn_id,))
        return self._read(rows)

    def last_place(self, group: str) -> tuple[datetime, str, int] | None:
        row = self._execute(
            "SELECT said_at, utc_offset, session_id, place FROM claims WHERE grp = ?"
            " AND status IN ('counted', 'candidate')"
            " ORDER BY said_at DESC, session_id DESC, place DESC LIMIT 1",
            (group,),
        ).fetchone()
        return None if row is None else (from_micros(row[0], row[1]), row[2], row[3])

    def last_memory(self, group: str) -> str | None:
        found: str | None = self._execute(
            "SELECT m.key FROM claims c JOIN nodes n ON n.id = c.memory JOIN memories m"
            " ON m.num = n.num WHERE c.grp = ? AND c.memory IS NOT NULL"
            " ORDER BY c.said_at DESC, c.session_id DESC, c.place DESC, c.num DESC LIMIT 1",
            (group,),
        ).get
        return found

    def values_waiting(self, claim: Claim) -> list[Any]:
        rows = self._execute(
            "SELECT value FROM claims WHERE grp = ? AND status = 'candidate' AND attribute = ?"
            " AND subject = ? AND say = ? AND session_id <> ?",
            (claim.group, claim.attribute, claim.subject, claim.say.value, claim.session_id),
        )
        return [load(row[0]) for row in rows]

    def memories(self, claim_ids: Iterable[str]) -> dict[str, str]:
        rows = self._execute(
            "SELECT id, memory FROM claims WHERE memory IS NOT NULL"
            " AND id IN (SELECT value FROM json_each(?))",
            (texts_json(claim_ids),),
        )
        return dict(rows)

    def assign(self, memories: Mapping[str, str | None]) -> None:
        self._executemany(
            "UPDATE claims SET memory = ? WHERE id = ?",
            [(memory, claim) for claim, memory in memories.items()],
        )

    def set_status(self, claim_ids: Iterable[str], status: ClaimStatus) -> None:
        self._execute(
            "UPDATE claims SET status = ? WHERE id IN (SELECT value FROM json_each(?))",
            (status.value, texts_json(claim_ids)),
        )

    def delete(self, claim_ids: Iterable[str]) -> None:
        self._execute(
            "DELETE FROM claims WHERE id IN (SELECT value FROM json_each(?))",
            (texts_json(claim_ids),),
        )

    def where(self, condition: str, given: Row) -> list[Claim]:
        return self._read(self._execute(f"{_SELECT}{condition} ORDER BY num", given))

    def _read(self, rows: Iterable[Row]) -> list[Claim]:
        found = list(rows)
        spans = self._touched.read_spans([row[-1] for row in found])
        return [_CLAIMS.read(row, spans=span) for row, span in zip(found, spans, strict=True)]


_FORM: Final = RowForm(
    Memory,
    "type key version status title text value confidence valid_since valid_until source_turn_id"
    " source_message_id source_operation_id said_at utc_offset=said_at: evidence_refs keywords"
    " entities tags valence=sentiment.valence arousal=sentiment.arousal importance frequency"
    " last_access pii=privacy.pii scope=privacy.scope creator=provenance.creator"
    " creator_version=provenance.version layer compression created_at updated_at deleted_at",
)
_NAMES: Final = (*_FORM.names, "raw_refs", "num")
# Where a memory was said and by whom stands beside it; recall reads it of a hundred at a time.
_PLACE: Final = (
    "(SELECT session FROM turns WHERE id = {0}), (SELECT seq FROM turns WHERE id = {0}),"
    " (SELECT coalesce(name, role) FROM messages WHERE id = {1})"
)
_SOURCES: Final = ("source_turn_id", "source_message_id")
_INSERT: Final = (
    f"INSERT INTO memories ({', '.join(_NAMES)}, session, seq, speaker) VALUES"
    f" ({', '.join('?' * len(_NAMES))},"
    f" {_PLACE.format(*[f'?{_NAMES.index(name) + 1}' for name in _SOURCES])})"
)
_MOVE: Final = (
    "UPDATE memories SET (session, seq, speaker) ="
    f" (SELECT {_PLACE.format(*_SOURCES)}) WHERE num = ?"
)
_STORED: Final = f"SELECT {', '.join(_NAMES)} FROM memories WHERE num = ?"
SELECT_MEMORIES: Final = (
    f"SELECT {', '.join(f'm.{name}' for name in _NAMES)}, n.id"
    " FROM memories m JOIN nodes n ON n.num = m.num "
)
SELECT_HISTORY: Final = SELECT_MEMORIES + "WHERE m.key = ? ORDER BY m.said_at, m.seq, m.version"


class SqliteMemories(Repository):
    """Typed, versioned memories."""

    def add(self, memories: Sequence[Memory]) -> None:
        spans = self._touched.spans
        with self._touched.whole():
            nums = self._touched.add_nodes([memory.id for memory in memories], "Memory")
            self._executemany(
                _INSERT,
                [
                    (*_FORM.row(memory), spans(memory.raw_refs), num)
                    for num, memory in zip(nums, memories, strict=True)
                ],
            )
        self._touched.note(ChangeKind.MEMORY, nums)

    def update(self, memory: Memory) -> None:
        """Write the present state of a stored version.

        Only what differs is written: a column that is set has its indexes written too, and most
        often a memory was merely said again.
        """
        num = self._touched.number(memory.id)
        stored: Row | None = self._execute(_STORED, (num,)).get
        if stored is None:
            raise _no_memory(memory.id)
        row = (*_FORM.row(memory), self._touched.spans(memory.raw_refs), num)
        changed = {
            name: new for name, old, new in zip(_NAMES, stored, row, strict=True) if old != new
        }
        if changed:
            sets = ", ".join([f"{name} = ?" for name in changed])
            self._execute(f"UPDATE memories SET {sets} WHERE num = ?", (*changed.values(), num))
        if not changed.keys().isdisjoint(_SOURCES):
            self._execute(_MOVE, (num,))
        self._touched.note(ChangeKind.MEMORY, [num])

    def get(self, memory_ids: Iterable[str]) -> dict[str, Memory]:
        wanted = json.dumps(list(memory_ids))
        rows = self._execute(
            SELECT_MEMORIES + "WHERE n.id IN (SELECT value FROM json_each(?))", (wanted,)
        )
        return {memory.id: memory for memory in _read_memories(list(rows), self._touched)}

    def active(self, type_name: str, key: str) -> Memory | None:
        rows = self._execute(
            SELECT_MEMORIES + "WHERE m.type = ? AND m.key = ? AND m.status = 'active'",
            (type_name, key),
        )
        return next(iter(_read_memories(list(rows), self._touched)), None)

    def history(self, key: str) -> list[Memory]:
        return _read_memories(list(self._execute(SELECT_HISTORY, (key,))), self._touched)

    def of_turn(self, turn_id: str) -> list[Memory]:
        rows = self._execute(SELECT_MEMORIES + "WHERE m.source_turn_id = ?", (turn_id,))
        return _read_memories(list(rows), self._touched)

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
        return [
            (row[-2], memory)
            for row, memory in zip(rows, _read_memories(rows, self._touched), strict=True)
        ]

    def put_chunks(self, texts: Mapping[str, Sequence[str]]) -> None:
        nums = [self._number(memory_id) for memory_id in texts]
        listed = (nums_json(nums),)
        with self._touched.whole():
            self._execute(f"DELETE FROM chunks WHERE memory {LISTED}", listed)
            self._execute(f"DELETE FROM vectors WHERE node {LISTED}", listed)
            self._executemany(
                "INSERT INTO chunks (memory, ordinal, id, text) VALUES (?, ?, ?, ?)",
                [
                    (num, ordinal, chunk_id(memory_id, ordinal), text)
                    for num, (memory_id, parts) in zip(nums, texts.items(), strict=True)
                    for ordinal, text in enumerate(parts)
                ],
            )
        self._touched.note(ChangeKind.MEMORY, nums)

    def _number(self, memory_id: str) -> int:
        num = self._touched.number(memory_id)
        if self._execute("SELECT 1 FROM memories WHERE num = ?", (num,)).get is None:
            raise _no_memory(memory_id)
        return num


def _no_memory(node_id: str) -> NotFound:
    return NotFound(f"{node_id!r} is a node of this tenant, but no memory")


_NEIGHBOUR = (
    "SELECT t.id FROM turns one JOIN turns t ON t.session = one.session"
    " WHERE one.id = ? AND (t.at, t.seq) {sign} (one.at, one.seq)"
    " ORDER BY t.at {way}, t.seq {way} LIMIT 1"
)


class SqliteRemembering(Repository):
    """What a new turn is held against, and what was decided about it."""

    def histories(self, keys: Iterable[str]) -> dict[str, list[Memory]]:
        rows = self._connection.executemany(SELECT_HISTORY, [(key,) for key in dict.fromkeys(keys)])
        found: dict[str, list[Memory]] = {}
        for memory in _read_memories(list(rows), self._touched):
            found.setdefault(memory.key, []).append(memory)
        return found

    def heads(self, type_name: str, keys: Iterable[str], *, rejected: bool = False) -> list[Memory]:
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
        return _read_memories(rows, self._touched)

    def last_version(self, type_name: str, key: str) -> int:
        found: int = self._execute(
            "SELECT ifnull(max(version), 0) FROM memories WHERE type = ? AND key = ?",
            (type_name, key),
        ).get
        return found

    def fact_key(self, key: str) -> str | None:
        found: str | None = self._execute(
            "SELECT key FROM memories WHERE type = 'facts' AND lower(key) = lower(?1)"
            " AND deleted_at IS NULL ORDER BY key = ?1 DESC, num LIMIT 1",
            (key,),
        ).get
        return found

    def newest(self, type_name: str, *, limit: int = 100, put_away: bool = False) -> list[Memory]:
        statuses = "= 'archived'" if put_away else "IN ('active', 'candidate')"
        rows = self._rows(
            f"{SELECT_MEMORIES}WHERE m.type = ? AND m.status {statuses}"
            " AND m.deleted_at IS NULL ORDER BY m.num DESC LIMIT ?",
            type_name,
            limit,
        )
        return _read_memories(rows, self._touched)

    def alike(self, predicates: Iterable[str], *, limit: int = 3) -> dict[str, list[Memory]]:
        found = {}
        for predicate in sorted(predicates):
            rows = self._execute(
                SELECT_MEMORIES + "WHERE m.type = 'statements' AND m.deleted_at IS NULL"
                " AND m.value ->> '$.predicate.normalized' = ? ORDER BY m.num DESC LIMIT ?",
                (predicate, limit),
            )
            found[predicate] = _read_memories(list(rows), self._touched)
        return found

    def of_session(self, turn_ids: Iterable[str], session_id: str) -> set[str]:
        rows = self._execute(
            "SELECT t.id FROM json_each(?) g CROSS JOIN turns t ON t.id = g.value"
            " JOIN sessions s ON s.num = t.session AND s.id = ?",
            (texts_json(turn_ids), session_id),
        )
        return {row[0] for row in rows}

    def neighbours(self, turn_id: str) -> tuple[str | None, str | None]:
        before, after = (
            self._execute(_NEIGHBOUR.format(sign=sign, way=way), (turn_id,)).get
            for sign, way in (("<", "DESC"), (">", "ASC"))
        )
        return before, after

    def keep_explanation(
        self, source_id: str, body: Mapping[str, Any] | Record, at: datetime
    ) -> None:
        self._execute(
            "INSERT INTO explanations (source_id, body, created_at) VALUES (?, ?, ?)",
            (source_id, json_text(body), to_micros(at)),
        )

    def explanations(self, source_id: str) -> list[Mapping[str, Any]]:
        rows = self._execute(
            "SELECT body FROM explanations WHERE source_id = ? ORDER BY num", (source_id,)
        )
        return [load(row[0]) for row in rows]


def _read_memories(rows: Sequence[Row], touched: Touched) -> list[Memory]:
    """Read memory rows with one query for all their raw chunks; many have been read before."""
    known = touched.decoded
    new = [row for row in dict.fromkeys(rows) if row not in known]
    for row, span in zip(new, touched.read_spans([row[-3] for row in new]), strict=True):
        known[row] = _FORM.read(row, id=row[-1], raw_refs=span, tenant_id=touched.tenant)
    return [known[row] for row in rows]
