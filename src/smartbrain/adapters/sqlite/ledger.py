"""Operations, replies by idempotency key, audit and tombstones as rows (E4, C11).

Implements `ports.repositories.Ledger`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import apsw

from smartbrain.adapters.sqlite.connection import translating
from smartbrain.adapters.sqlite.rows import (
    Row,
    Touched,
    json_text,
    load,
    optional_json,
    optional_load,
)
from smartbrain.domain.change import ChangeKind
from smartbrain.domain.job import AuditEntry, Tombstone
from smartbrain.domain.record import Record
from smartbrain.domain.time import from_micros, to_micros, utc_offset_seconds
from smartbrain.domain.turn import Operation

SELECT_OPERATIONS: Final = (
    "SELECT id, kind, input, at, utc_offset, actor, rules_hash, created_at, num FROM operations "
)


@translating
class SqliteLedger:
    """What surrounds the memories: who did what, what was answered, what was refused."""

    def __init__(self, connection: apsw.Connection, touched: Touched) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._touched = touched

    def add_operation(self, operation: Operation) -> int:
        """Append an operation event and return its number."""
        self._execute(
            "INSERT INTO operations (id, kind, input, at, utc_offset, actor, rules_hash,"
            " created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                operation.id,
                operation.kind,
                json_text(operation.input),
                to_micros(operation.at),
                utc_offset_seconds(operation.at),
                operation.actor,
                operation.rules_hash,
                to_micros(operation.created_at),
            ),
        )
        number = self._connection.last_insert_rowid()
        self._touched.note(ChangeKind.OPERATION, [number])
        return number

    def operations(self, *, limit: int = 100) -> list[Operation]:
        """Return operations, newest first."""
        rows = self._execute(f"{SELECT_OPERATIONS}ORDER BY num DESC LIMIT ?", (limit,))
        return [operation_of(row) for row in rows]

    def reply(self, key: str) -> tuple[str, Mapping[str, Any]] | None:
        """Return the body's hash and the stored result of an idempotency key."""
        row = self._execute(
            "SELECT body_hash, result FROM idempotency_keys WHERE key = ?", (key,)
        ).get
        return (row[0], load(row[1])) if row else None

    def keep_reply(
        self, key: str, body_hash: str, result: Mapping[str, Any] | Record, at: datetime
    ) -> None:
        """Store the result of a call under its idempotency key."""
        self._execute(
            "INSERT INTO idempotency_keys (key, body_hash, result, created_at) VALUES (?, ?, ?, ?)",
            (key, body_hash, json_text(result), to_micros(at)),
        )

    def add_audit(self, entry: AuditEntry) -> None:
        """Append an audit entry."""
        self._execute(
            "INSERT INTO audit (at, actor, action, subject_kind, subject_id, before, after, reason)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                to_micros(entry.at),
                entry.actor,
                entry.action,
                entry.subject_kind,
                entry.subject_id,
                optional_json(entry.before),
                optional_json(entry.after),
                entry.reason,
            ),
        )

    def audit(self, subject_id: str | None = None, *, limit: int = 100) -> list[AuditEntry]:
        """Return audit entries, newest first, of one subject or of all."""
        return [
            AuditEntry(
                at=from_micros(row[0]),
                actor=row[1],
                action=row[2],
                subject_kind=row[3],
                subject_id=row[4],
                before=optional_load(row[5]),
                after=optional_load(row[6]),
                reason=row[7],
            )
            for row in self._execute(
                "SELECT at, actor, action, subject_kind, subject_id, before, after, reason"
                " FROM audit WHERE ?1 IS NULL OR subject_id = ?1 ORDER BY num DESC LIMIT ?2",
                (subject_id, limit),
            )
        ]

    def add_tombstone(self, tombstone: Tombstone) -> None:
        """Remember that something was forgotten."""
        self._execute(
            "INSERT INTO tombstones (kind, fingerprint, subject_id, reason, created_at)"
            " VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (
                tombstone.kind,
                tombstone.fingerprint,
                tombstone.subject_id,
                tombstone.reason,
                to_micros(tombstone.created_at),
            ),
        )

    def tombstone(self, kind: str, fingerprint: str) -> Tombstone | None:
        """Return the tombstone of a fingerprint."""
        row = self._execute(
            "SELECT subject_id, reason, created_at FROM tombstones"
            " WHERE kind = ? AND fingerprint = ?",
            (kind, fingerprint),
        ).get
        if row is None:
            return None
        return Tombstone(
            kind=kind,
            fingerprint=fingerprint,
            subject_id=row[0],
            reason=row[1],
            created_at=from_micros(row[2]),
        )


def operation_of(row: Row) -> Operation:
    """Read a row of `SELECT_OPERATIONS`."""
    return Operation(
        id=row[0],
        kind=row[1],
        input=load(row[2]),
        at=from_micros(row[3], row[4]),
        actor=row[5],
        rules_hash=row[6],
        created_at=from_micros(row[7]),
    )
