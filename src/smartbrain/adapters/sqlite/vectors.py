"""Vectors of memories as rows. Implements `ports.followed.Vectors`.

A memory whose text changes loses its vectors (`SqliteMemories.put_chunks`), so that lacking one is
the whole of the queue: nothing has to be kept in step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import apsw

from smartbrain.adapters.sqlite.connection import translating
from smartbrain.adapters.sqlite.rows import Touched
from smartbrain.domain.change import ChangeKind
from smartbrain.domain.indexed import Embedding
from smartbrain.domain.time import to_micros


@translating
class SqliteVectors:
    """What embedders made."""

    def __init__(self, connection: apsw.Connection, touched: Touched) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._touched = touched

    def embeddings(self) -> list[Embedding]:
        """Return what was used so far."""
        rows = self._execute("SELECT num, name, model, dimensions FROM embeddings ORDER BY num")
        return [Embedding(*row) for row in rows]

    def open(self, name: str, model: str, dimensions: int, at: datetime) -> Embedding:
        """Return an embedding, entered now if it is new."""
        found = [one for one in self.embeddings() if (one.name, one.model) == (name, model)]
        for one in found:
            if one.dimensions == dimensions:
                return one
        self._execute(
            "INSERT INTO embeddings (name, model, dimensions, created_at) VALUES (?, ?, ?, ?)",
            (name, model, dimensions, to_micros(at)),
        )
        return Embedding(self._connection.last_insert_rowid(), name, model, dimensions)

    def put(self, embedding: int, vectors: Mapping[int, bytes]) -> None:
        """Keep vectors."""
        with self._touched.whole:
            self._connection.executemany(
                "INSERT INTO vectors (embedding, node, vector)"
                " SELECT ?, num, ? FROM memories WHERE num = ?"
                " ON CONFLICT (embedding, node) DO UPDATE SET vector = excluded.vector",
                [(embedding, vector, num) for num, vector in vectors.items()],
            )
        self._touched.note(ChangeKind.VECTOR, list(vectors))

    def get(self, embedding: int, nums: Sequence[int]) -> dict[int, bytes]:
        """Return vectors by number."""
        return dict(
            self._execute(
                "SELECT node, vector FROM vectors WHERE embedding = ?"
                " AND node IN (SELECT value FROM json_each(?))",
                (embedding, f"[{','.join(map(str, nums))}]"),
            )
        )

    def lacking(self, embedding: int, *, after: int = 0, limit: int = 1_000) -> list[int]:
        """Return what is still to be embedded."""
        rows = self._execute(
            "SELECT m.num FROM memories m WHERE m.num > ?1 AND m.deleted_at IS NULL AND NOT EXISTS"
            " (SELECT 1 FROM vectors v WHERE v.embedding = ?2 AND v.node = m.num)"
            " ORDER BY m.num LIMIT ?3",
            (after, embedding, limit),
        )
        return [row[0] for row in rows]

    def drop(self, embedding: int) -> int:
        """Delete an embedding."""
        self._execute("DELETE FROM vectors WHERE embedding = ?", (embedding,))
        count = self._connection.changes()
        self._execute("DELETE FROM embeddings WHERE num = ?", (embedding,))
        return count
