"""Operations, replies, audit, edges, steps, working state and jobs as rows (E4, C11, M5, W4).

Implements `ports.truth.Ledger`, `Edges`, `Replayed` and `Working`. The same relation between the
same nodes is one row, however often it is written. No view follows working state, so it is not
logged (S6).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

import msgspec

from smartbrain.adapters.sqlite.rows import (
    Repository,
    Row,
    RowForm,
    Touched,
    json_text,
    load,
    load_packed,
    packed_json,
    texts_json,
)
from smartbrain.domain.change import ChangeKind, ChangeOp
from smartbrain.domain.graph import Edge, EdgeType
from smartbrain.domain.job import AuditEntry, Job, JobState, StateEntry, Tombstone, Trace
from smartbrain.domain.record import Record
from smartbrain.domain.replay import Step
from smartbrain.domain.time import from_micros, to_micros
from smartbrain.domain.turn import Operation
from smartbrain.errors import NotFound

_JOB: Final = RowForm(
    Job,
    "id kind payload state attempts run_after lease_owner lease_until result created_at updated_at",
)
_PUT_JOB: Final = (
    f"INSERT INTO jobs ({_JOB.columns}) VALUES ({_JOB.marks}) ON CONFLICT (id) DO UPDATE SET"
    " state = excluded.state, attempts = excluded.attempts, run_after = excluded.run_after,"
    " lease_owner = excluded.lease_owner, lease_until = excluded.lease_until,"
    " result = excluded.result, updated_at = excluded.updated_at"
)
_JOBS: Final = f"SELECT {_JOB.columns} FROM jobs"
_ENTRY: Final = RowForm(StateEntry, "kind id body created_at updated_at expires_at")
_PUT_STATE: Final = (
    f"INSERT INTO working_state ({_ENTRY.columns}, owner) VALUES ({_ENTRY.marks}, ?)"
    " ON CONFLICT (owner, kind, id) DO UPDATE SET body = excluded.body,"
    " updated_at = excluded.updated_at, expires_at = excluded.expires_at"
)
_STATE: Final = f"SELECT {_ENTRY.columns} FROM working_state WHERE owner = ?"
_WAITING: Final = "state IN ('queued', 'leased')"
_DUE: Final = "ifnull(iif(state = 'leased', lease_until, run_after) <= ?, 1)"


class SqliteWorking(Repository):
    """State of the present: what is pinned, planned, queued and was composed."""

    def put_state(self, entry: StateEntry) -> None:
        self._execute(_PUT_STATE, (*_ENTRY.row(entry), entry.owner))

    def state(self, owner: str, kind: str | None = None, after: str = "") -> list[StateEntry]:
        asked = {"kind = ?": kind, "id > ?": after or None}
        given = {where: value for where, value in asked.items() if value is not None}
        where = " AND ".join([_STATE, *given])  # by the index: others have long texts
        rows = self._rows(f"{where} ORDER BY num", owner, *given.values())
        return [_ENTRY.read(row, owner=owner) for row in rows]

    def drop_state(self, owner: str, kind: str | None = None, entry_id: str | None = None) -> int:
        self._execute(
            "DELETE FROM working_state WHERE owner = ?1 AND (?2 IS NULL OR kind = ?2)"
            " AND (?3 IS NULL OR id = ?3)",
            (owner, kind, entry_id),
        )
        return self._connection.changes()

    def put_job(self, job: Job) -> None:
        self._execute(_PUT_JOB, _JOB.row(job))

    def job(self, job_id: str) -> Job | None:
        row = self._execute(f"{_JOBS} WHERE id = ?", (job_id,)).get
        return None if row is None else _JOB.read(row)

    def jobs(
        self,
        *,
        kind: str | None = None,
        state: JobState | None = None,
        due: datetime | None = None,
        limit: int | None = None,
    ) -> list[Job]:
        asked: dict[str, Any] = {}
        if kind is not None:
            asked["kind = ?"] = kind
        if state is not None:
            asked["state = ?"] = state
        if due is not None:
            asked[_DUE] = to_micros(due)
        # Only these states are indexed, and the planner wants them spelled as the index has them.
        waiting = due is not None or state in (JobState.QUEUED, JobState.LEASED)
        where = " AND ".join([_WAITING if waiting else "1", *asked])
        most = -1 if limit is None else limit
        rows = self._execute(f"{_JOBS} WHERE {where} ORDER BY num LIMIT ?", (*asked.values(), most))
        return [_JOB.read(row) for row in rows]

    def put_trace(self, trace: Trace) -> None:
        at = to_micros(trace.created_at)
        self._execute(
            "INSERT INTO traces (context_id, session_id, created_at, body) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (context_id) DO UPDATE SET body = excluded.body",
            (trace.context_id, trace.session_id, at, packed_json(trace.body)),
        )

    def trace(self, context_id: str) -> Trace | None:
        row = self._execute(
            "SELECT session_id, created_at, body FROM traces WHERE context_id = ?", (context_id,)
        ).get
        if row is None:
            return None
        session, at, body = row[0], from_micros(row[1]), load_packed(row[2])
        return Trace(context_id=context_id, session_id=session, created_at=at, body=body)


OPERATIONS: Final = RowForm(
    Operation, "id kind input at utc_offset=at: actor rules_hash created_at"
)
SELECT_OPERATIONS: Final = f"SELECT {OPERATIONS.columns}, num FROM operations "
_AUDIT: Final = RowForm(AuditEntry, "at actor action subject_kind subject_id before after reason")
_TOMBSTONES: Final = RowForm(Tombstone, "kind fingerprint subject_id reason created_at")


class SqliteLedger(Repository):
    """What surrounds the memories: who did what, what was answered, what was refused."""

    def add_operation(self, operation: Operation) -> int:
        self._execute(
            f"INSERT INTO operations ({OPERATIONS.columns}) VALUES ({OPERATIONS.marks})",
            OPERATIONS.row(operation),
        )
        number = self._connection.last_insert_rowid()
        self._touched.note(ChangeKind.OPERATION, [number])
        return number

    def operations(self, *, limit: int = 100) -> list[Operation]:
        rows = self._execute(f"{SELECT_OPERATIONS}ORDER BY num DESC LIMIT ?", (limit,))
        return [OPERATIONS.read(row) for row in rows]

    def reply(self, key: str) -> tuple[str, Mapping[str, Any]] | None:
        row = self._execute(
            "SELECT body_hash, result FROM idempotency_keys WHERE key = ?", (key,)
        ).get
        return (row[0], load(row[1])) if row else None

    def keep_reply(
        self, key: str, body_hash: str, result: Mapping[str, Any] | Record, at: datetime
    ) -> None:
        self._execute(
            "INSERT INTO idempotency_keys (key, body_hash, result, created_at) VALUES (?, ?, ?, ?)",
            (key, body_hash, json_text(result), to_micros(at)),
        )

    def add_audit(self, entry: AuditEntry) -> None:
        self._execute(
            f"INSERT INTO audit ({_AUDIT.columns}) VALUES ({_AUDIT.marks})", _AUDIT.row(entry)
        )

    def audit(self, subject_id: str | None = None, *, limit: int = 100) -> list[AuditEntry]:
        rows = self._execute(
            f"SELECT {_AUDIT.columns} FROM audit WHERE ?1 IS NULL OR subject_id = ?1"
            " ORDER BY num DESC LIMIT ?2",
            (subject_id, limit),
        )
        return [_AUDIT.read(row) for row in rows]

    def add_tombstone(self, tombstone: Tombstone) -> None:
        self._execute(
            f"INSERT INTO tombstones ({_TOMBSTONES.columns}) VALUES ({_TOMBSTONES.marks})"
            " ON CONFLICT DO NOTHING",
            _TOMBSTONES.row(tombstone),
        )

    def tombstone(self, kind: str, fingerprint: str) -> Tombstone | None:
        row = self._execute(
            f"SELECT {_TOMBSTONES.columns} FROM tombstones WHERE kind = ? AND fingerprint = ?",
            (kind, fingerprint),
        ).get
        return None if row is None else _TOMBSTONES.read(row)


_EDGE: Final = RowForm(
    Edge,
    "id type weight confidence since until creator=provenance.creator"
    " creator_version=provenance.version tier attrs created_at updated_at deleted_at",
)
_UPSERT: Final = (
    f"INSERT INTO edges ({_EDGE.columns}, src, dst) VALUES ({_EDGE.marks}, ?, ?)"
    " ON CONFLICT (id) DO UPDATE SET dst = excluded.dst, weight = excluded.weight,"
    " confidence = excluded.confidence,"
    " since = excluded.since, until = excluded.until, tier = excluded.tier, attrs = excluded.attrs,"
    " updated_at = excluded.updated_at, deleted_at = excluded.deleted_at RETURNING num"
)
SELECT_EDGES: Final = (
    f"SELECT {_EDGE.prefixed('e')}, s.id, d.id, e.num"
    " FROM edges e JOIN nodes s ON s.num = e.src JOIN nodes d ON d.num = e.dst "
)


class SqliteEdges(Repository):
    """Relations between nodes."""

    def add(self, edges: Sequence[Edge]) -> None:
        number = self._touched.number
        rows = [(*_EDGE.row(edge), number(edge.src), number(edge.dst)) for edge in edges]
        with self._touched.whole():
            nums = [row[0] for row in self._executemany(_UPSERT, rows)]
        self._touched.note(ChangeKind.EDGE, nums)

    def of(
        self, node_id: str, *, outgoing: bool = True, kind: EdgeType | None = None
    ) -> list[Edge]:
        near = "src" if outgoing else "dst"
        rows = self._execute(
            f"{SELECT_EDGES}WHERE e.{near} = (SELECT num FROM nodes WHERE id = ?1)"
            " AND (?2 IS NULL OR e.type = ?2) AND e.deleted_at IS NULL ORDER BY e.num",
            (node_id, kind),
        )
        return [_read_edge(row, self._touched) for row in rows]

    def delete(self, edge_ids: Sequence[str], at: datetime) -> int:
        nums = [
            row[0]
            for row in self._execute(
                "UPDATE edges SET deleted_at = ?1, updated_at = ?1 WHERE deleted_at IS NULL"
                " AND id IN (SELECT value FROM json_each(?2)) RETURNING num",
                (to_micros(at), json.dumps(list(edge_ids))),
            )
        ]
        self._touched.note(ChangeKind.EDGE, nums, ChangeOp.DELETE)
        return len(nums)


_STEPS: Final = RowForm(Step, "stage rules_hash context_id parts created_at")


class SqliteReplayed(Repository):
    """What was committed in which order."""

    def add_step(self, step: Step) -> None:
        self._execute(
            f"INSERT INTO steps ({_STEPS.columns}, turn, operation) SELECT {_STEPS.marks}, num,"
            " (SELECT coalesce(max(num), 0) FROM operations) FROM turns WHERE id = ?",
            (*_STEPS.row(step), step.turn_id),
        )
        if not self._connection.changes():
            raise NotFound(f"there is no turn {step.turn_id!r} in this tenant")

    def steps(self, *, after: int = 0, limit: int = 100) -> list[tuple[int, int, Step]]:
        rows = self._execute(
            f"SELECT {_STEPS.prefixed('s')}, s.num, s.operation, t.id FROM steps s"
            " JOIN turns t ON t.num = s.turn WHERE s.num > ? ORDER BY s.num LIMIT ?",
            (after, limit),
        )
        return [(row[-3], row[-2], _STEPS.read(row, turn_id=row[-1])) for row in rows]

    def operations(self, *, after: int = 0, limit: int = 100) -> list[tuple[int, Operation]]:
        rows = self._execute(
            f"{SELECT_OPERATIONS}WHERE num > ? ORDER BY num LIMIT ?", (after, limit)
        )
        return [(row[-1], OPERATIONS.read(row)) for row in rows]

    def replies(
        self, *, after: str = "", limit: int = 100
    ) -> list[tuple[str, str, Mapping[str, Any], datetime]]:
        rows = self._execute(
            "SELECT key, body_hash, result, created_at FROM idempotency_keys"
            " WHERE key > ? ORDER BY key LIMIT ?",
            (after, limit),
        )
        return [(key, hashed, load(reply), from_micros(at)) for key, hashed, reply, at in rows]

    def edge_page(self, *, after: int = 0, limit: int = 100) -> list[tuple[int, Edge]]:
        rows = self._execute(
            f"{SELECT_EDGES}WHERE e.num > ? ORDER BY e.num LIMIT ?", (after, limit)
        )
        return [(row[-1], _read_edge(row, self._touched)) for row in rows]

    def edges(self, edge_ids: Iterable[str]) -> dict[str, Edge]:
        rows = self._execute(
            f"{SELECT_EDGES}WHERE e.id IN (SELECT value FROM json_each(?))",
            (texts_json(edge_ids),),
        )
        return {row[0]: _read_edge(row, self._touched) for row in rows}

    def chunks(self, memory_ids: Iterable[str]) -> dict[str, list[str]]:
        rows = self._execute(
            "SELECT n.id, c.text FROM chunks c JOIN nodes n ON n.num = c.memory"
            " WHERE n.id IN (SELECT value FROM json_each(?)) ORDER BY c.memory, c.ordinal",
            (texts_json(memory_ids),),
        )
        found: dict[str, list[str]] = {}
        for memory, text in rows:
            found.setdefault(memory, []).append(text)
        return found

    def forgotten(self) -> bytes:
        known = "SELECT 1 FROM sqlite_schema WHERE name = 'closed_claims'"
        if not self._execute(known).get:
            return b""  # an older database
        marks = self._execute("SELECT * FROM closed_claims ORDER BY claim").fetchall()
        if not marks:
            return b""
        return msgspec.json.encode((self._execute("SELECT key FROM forgetting_key").get, marks))

    def bring_forgotten(self, left: bytes) -> None:
        key, marks = msgspec.json.decode(left, type=tuple[bytes, list[list[Any]]])
        self._execute("INSERT OR REPLACE INTO forgetting_key (id, key) VALUES (1, ?)", (key,))
        for mark in marks:
            self._execute(
                "INSERT OR REPLACE INTO closed_claims VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", mark
            )


def _read_edge(row: Row, touched: Touched) -> Edge:
    return _EDGE.read(row, src=row[-3], dst=row[-2], tenant_id=touched.tenant)
