"""Vectors of memories as rows. Implements `ports.followed.Vectors`.

A memory whose text changes loses its vectors (`SqliteMemories.put_chunks`), so that lacking one is
the whole of the queue: nothing has to be kept in step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

import apsw

from smartbrain.adapters.sqlite.connection import translating
from smartbrain.adapters.sqlite.rows import Touched
from smartbrain.domain.change import ChangeKind
from smartbrain.domain.indexed import Embedding
from smartbrain.domain.time import to_micros

# Names are found by their words, and statements by the episode that tells them. The index of
# embeddings and nodes answers this alone; no page with a vector is touched.
_LACKING: Final = (
    "FROM memories m WHERE m.deleted_at IS NULL AND m.type NOT IN ('entities', 'statements')"
    " AND NOT EXISTS (SELECT 1 FROM vectors v"
    " WHERE v.embedding IN (SELECT value FROM json_each(?1)) AND v.node = m.num)"
)


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
        self._touched.note(ChangeKind.VECTOR, [num for num, vector in vectors.items() if vector])

    def get(self, embedding: int, nums: Sequence[int]) -> dict[int, bytes]:
        """Return vectors by number."""
        return dict(
            self._execute(
                "SELECT node, vector FROM vectors WHERE embedding = ? AND length(vector) > 0"
                " AND node IN (SELECT value FROM json_each(?))",
                (embedding, _json(nums)),
            )
        )

    def lacking(
        self, embeddings: Sequence[int], *, after: int = 0, limit: int = 1_000
    ) -> list[int]:
        """Return what is still to be embedded."""
        rows = self._execute(
            f"SELECT m.num {_LACKING} AND m.num > ?2 ORDER BY m.num LIMIT ?3",
            (_json(embeddings), after, limit),
        )
        return [row[0] for row in rows]

    def count_lacking(self, embeddings: Sequence[int]) -> int:
        """Return how much is still to be embedded."""
        rows = self._execute(f"SELECT count(*) {_LACKING}", (_json(embeddings),))
        return sum(row[0] for row in rows)

    def drop(self, embedding: int) -> int:
        """Delete an embedding."""
        self._execute("DELETE FROM vectors WHERE embedding = ?", (embedding,))
        count = self._connection.changes()
        self._execute("DELETE FROM embeddings WHERE num = ?", (embedding,))
        return count


def _json(nums: Sequence[int]) -> str:
    """Return numbers as SQL can take them apart."""
    return f"[{','.join(map(str, nums))}]"
