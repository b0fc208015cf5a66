"""Steps of turns in the order of their commits, and pages of what came of them.

Implements `ports.replayed.Replayed`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import apsw

from smartbrain.adapters.sqlite.connection import translating
from smartbrain.adapters.sqlite.edges import SELECT_EDGES, SqliteEdges
from smartbrain.adapters.sqlite.ledger import SELECT_OPERATIONS, operation_of
from smartbrain.adapters.sqlite.rows import json_text, load, texts_json
from smartbrain.domain.graph import Edge
from smartbrain.domain.replay import Stage, Step, StepParts
from smartbrain.domain.time import from_micros, to_micros
from smartbrain.domain.turn import Operation
from smartbrain.errors import NotFound


@translating
class SqliteReplayed:
    """What was committed in which order."""

    def __init__(self, connection: apsw.Connection, edges: SqliteEdges) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._edge = edges.read

    def add_step(self, step: Step) -> None:
        """Note what a commit has just added to its turn."""
        self._execute(
            "INSERT INTO steps (turn, stage, operation, rules_hash, context_id, parts, created_at)"
            " SELECT num, ?2, (SELECT coalesce(max(num), 0) FROM operations), ?3, ?4, ?5, ?6"
            " FROM turns WHERE id = ?1",
            (
                step.turn_id,
                step.stage,
                step.rules_hash,
                step.context_id,
                json_text(step.parts),
                to_micros(step.created_at),
            ),
        )
        if not self._connection.changes():
            raise NotFound(f"there is no turn {step.turn_id!r} in this tenant")

    def steps(self, *, after: int = 0, limit: int = 100) -> list[tuple[int, int, Step]]:
        """Return steps in order."""
        rows = self._execute(
            "SELECT s.num, s.operation, t.id, s.stage, s.rules_hash, s.context_id, s.parts,"
            " s.created_at FROM steps s JOIN turns t ON t.num = s.turn"
            " WHERE s.num > ? ORDER BY s.num LIMIT ?",
            (after, limit),
        )
        return [
            (
                row[0],
                row[1],
                Step(
                    turn_id=row[2],
                    stage=Stage(row[3]),
                    rules_hash=row[4],
                    context_id=row[5],
                    parts=StepParts.from_dict(load(row[6])),
                    created_at=from_micros(row[7]),
                ),
            )
            for row in rows
        ]

    def operations(self, *, after: int = 0, limit: int = 100) -> list[tuple[int, Operation]]:
        """Return operations in order."""
        rows = self._execute(
            f"{SELECT_OPERATIONS}WHERE num > ? ORDER BY num LIMIT ?", (after, limit)
        )
        return [(row[-1], operation_of(row)) for row in rows]

    def replies(
        self, *, after: str = "", limit: int = 100
    ) -> list[tuple[str, str, Mapping[str, Any], datetime]]:
        """Return idempotency keys in order."""
        rows = self._execute(
            "SELECT key, body_hash, result, created_at FROM idempotency_keys"
            " WHERE key > ? ORDER BY key LIMIT ?",
            (after, limit),
        )
        return [(key, hashed, load(reply), from_micros(at)) for key, hashed, reply, at in rows]

    def edge_page(self, *, after: int = 0, limit: int = 100) -> list[tuple[int, Edge]]:
        """Return edges in the order they were made, deleted ones too."""
        rows = self._execute(
            f"{SELECT_EDGES}WHERE e.num > ? ORDER BY e.num LIMIT ?", (after, limit)
        )
        return [(row[-1], self._edge(row)) for row in rows]

    def edges(self, edge_ids: Iterable[str]) -> dict[str, Edge]:
        """Return the known ones among these edges, by id."""
        rows = self._execute(
            f"{SELECT_EDGES}WHERE e.id IN (SELECT value FROM json_each(?))",
            (texts_json(edge_ids),),
        )
        return {row[0]: self._edge(row) for row in rows}

    def chunks(self, memory_ids: Iterable[str]) -> dict[str, list[str]]:
        """Return the search texts of memories in order, by memory."""
        rows = self._execute(
            "SELECT n.id, c.text FROM chunks c JOIN nodes n ON n.num = c.memory"
            " WHERE n.id IN (SELECT value FROM json_each(?)) ORDER BY c.memory, c.ordinal",
            (texts_json(memory_ids),),
        )
        found: dict[str, list[str]] = {}
        for memory, text in rows:
            found.setdefault(memory, []).append(text)
        return found
