"""Edges as rows, by node number (M5). Implements `ports.edges.Edges`.

The same relation between the same nodes is one row, however often it is written.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Final

import apsw

from smartbrain.adapters.sqlite.connection import translating
from smartbrain.adapters.sqlite.rows import (
    Row,
    Touched,
    json_text,
    load,
    optional_time,
    provenance_of,
    texts_json,
)
from smartbrain.domain.change import ChangeKind, ChangeOp
from smartbrain.domain.graph import Edge, EdgeType, Tier
from smartbrain.domain.time import from_micros, to_micros

_UPSERT: Final = (
    "INSERT INTO edges (num, id, src, dst, type, weight, confidence, since, until, creator,"
    " creator_version, tier, attrs, created_at, updated_at, deleted_at)"
    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    " ON CONFLICT (id) DO UPDATE SET dst = excluded.dst, weight = excluded.weight,"
    " confidence = excluded.confidence,"
    " since = excluded.since, until = excluded.until, tier = excluded.tier, attrs = excluded.attrs,"
    " updated_at = excluded.updated_at, deleted_at = excluded.deleted_at"
)

SELECT_EDGES: Final = (
    "SELECT e.id, s.id, d.id, e.type, e.weight, e.confidence, e.since, e.until, e.creator,"
    " e.creator_version, e.tier, e.attrs, e.created_at, e.updated_at, e.deleted_at, e.num"
    " FROM edges e JOIN nodes s ON s.num = e.src JOIN nodes d ON d.num = e.dst "
)
_TYPES: Final = {kind.value: kind for kind in EdgeType}
_TIERS: Final = {tier.value: tier for tier in Tier}


@translating
class SqliteEdges:
    """Relations between nodes."""

    def __init__(self, connection: apsw.Connection, touched: Touched, tenant: str) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._executemany = connection.executemany
        self._touched = touched
        self._tenant = tenant

    def add(self, edges: Sequence[Edge]) -> None:
        """Add edges, or give existing ones their new weight, confidence, validity and tier."""
        known, number = self._touched.numbers.get, self._touched.number
        nums = self._touched.new_numbers("edges", len(edges))
        rows = [
            _row(
                num, edge, known(edge.src) or number(edge.src), known(edge.dst) or number(edge.dst)
            )
            for num, edge in zip(nums, edges, strict=True)
        ]
        with self._touched.whole:
            self._executemany(_UPSERT, rows)
        new = self._touched.lead_to_new([row[1:4] for row in rows])
        new = new and all(edge.type is not EdgeType.ACTIVE_OF for edge in edges)  # they may move
        self._touched.note(ChangeKind.EDGE, nums if new else self._written(edges, nums))

    def of(
        self, node_id: str, *, outgoing: bool = True, kind: EdgeType | None = None
    ) -> list[Edge]:
        """Return the living edges that leave (or reach) a node, in the order they were made."""
        near = "src" if outgoing else "dst"
        rows = self._execute(
            f"{SELECT_EDGES}WHERE e.{near} = (SELECT num FROM nodes WHERE id = ?1)"
            " AND (?2 IS NULL OR e.type = ?2) AND e.deleted_at IS NULL ORDER BY e.num",
            (node_id, kind),
        )
        return [self.read(row) for row in rows]

    def delete(self, edge_ids: Sequence[str], at: datetime) -> int:
        """Mark edges as deleted and return how many were living."""
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

    def _written(self, edges: Sequence[Edge], nums: range) -> Sequence[int]:
        """Return the numbers of edges just written; one that existed has kept its own."""
        new = self._execute("SELECT count(*) FROM edges WHERE num >= ?", (nums.start,)).get
        if new == len(nums):
            return nums
        rows = self._execute(
            "SELECT num FROM edges WHERE id IN (SELECT value FROM json_each(?))",
            (texts_json(edge.id for edge in edges),),
        )
        return [row[0] for row in rows]

    def read(self, row: Row) -> Edge:
        """Read an edge row."""
        return Edge(
            id=row[0],
            src=row[1],
            dst=row[2],
            type=_TYPES[row[3]],
            weight=row[4],
            confidence=row[5],
            since=optional_time(row[6]),
            until=optional_time(row[7]),
            provenance=provenance_of(row[8], row[9]),
            tier=_TIERS[row[10]],
            attrs=load(row[11]),
            tenant_id=self._tenant,
            created_at=from_micros(row[12]),
            updated_at=from_micros(row[13]),
            deleted_at=optional_time(row[14]),
        )


def _row(num: int, edge: Edge, src: int, dst: int) -> Row:
    """Return an edge as a row."""
    return (
        num,
        edge.id,
        src,
        dst,
        edge.type,
        edge.weight,
        edge.confidence,
        None if edge.since is None else to_micros(edge.since),
        None if edge.until is None else to_micros(edge.until),
        edge.provenance.creator,
        edge.provenance.version,
        edge.tier,
        json_text(edge.attrs),
        to_micros(edge.created_at),
        to_micros(edge.updated_at),
        None if edge.deleted_at is None else to_micros(edge.deleted_at),
    )
