"""Rows as views read them, by number, and vectors of memories.

Implements `ports.truth.Followed` and `ports.truth.Vectors`. Numbers go to SQLite as one JSON list,
so a query is the same however many they are. A memory whose text changes loses its vectors, so that
lacking one is the whole of the queue: nothing has to be kept in step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import Final

from smartbrain.adapters.sqlite.connection import require_row
from smartbrain.adapters.sqlite.events import numbered_chunks
from smartbrain.adapters.sqlite.rows import (
    LISTED,
    Repository,
    Row,
    RowForm,
    load,
    nums_json,
    texts_json,
)
from smartbrain.domain.change import Change, ChangeKind, ChangeOp, Changes
from smartbrain.domain.graph import AGGREGATE, EdgeType, Tier
from smartbrain.domain.graph_search import GraphEdge, GraphLayer
from smartbrain.domain.indexed import (
    REACH,
    Embedding,
    IndexedMemory,
    IndexedPassage,
    NearbyEpisode,
    SpokenPiece,
    nearby_at,
)
from smartbrain.domain.memory import OFF_RECORD
from smartbrain.domain.time import to_micros
from smartbrain.errors import InternalError, NotFound

# Names are found by their words, and statements by the episode that tells them. The index of
# embeddings and nodes answers this alone; no page with a vector is touched.
_LACKING: Final = (
    "FROM memories m WHERE m.deleted_at IS NULL AND m.type NOT IN ('entities', 'statements')"
    " AND NOT EXISTS (SELECT 1 FROM vectors v"
    " WHERE v.embedding IN (SELECT value FROM json_each(?1)) AND v.node = m.num)"
)


class SqliteVectors(Repository):
    """What embedders made."""

    def embeddings(self) -> list[Embedding]:
        rows = self._execute("SELECT num, name, model, dimensions FROM embeddings ORDER BY num")
        return [Embedding(*row) for row in rows]

    def open(self, name: str, model: str, dimensions: int, at: datetime) -> Embedding:
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
        with self._touched.whole():
            self._connection.executemany(
                "INSERT INTO vectors (embedding, node, vector)"
                " SELECT ?, num, ? FROM memories WHERE num = ?"
                " ON CONFLICT (embedding, node) DO UPDATE SET vector = excluded.vector",
                [(embedding, vector, num) for num, vector in vectors.items()],
            )
        self._touched.note(ChangeKind.VECTOR, [num for num, vector in vectors.items() if vector])

    def get(self, embedding: int, nums: Sequence[int]) -> dict[int, bytes]:
        return dict(
            self._execute(
                "SELECT node, vector FROM vectors WHERE embedding = ? AND length(vector) > 0"
                " AND node IN (SELECT value FROM json_each(?))",
                (embedding, nums_json(nums)),
            )
        )

    def lacking(
        self, embeddings: Sequence[int], *, after: int = 0, limit: int = 1_000
    ) -> list[int]:
        rows = self._execute(
            f"SELECT m.num {_LACKING} AND m.num > ?2 ORDER BY m.num LIMIT ?3",
            (nums_json(embeddings), after, limit),
        )
        return [row[0] for row in rows]

    def count_lacking(self, embeddings: Sequence[int]) -> int:
        rows = self._execute(f"SELECT count(*) {_LACKING}", (nums_json(embeddings),))
        return sum(row[0] for row in rows)

    def drop(self, embedding: int) -> int:
        self._execute("DELETE FROM vectors WHERE embedding = ?", (embedding,))
        count = self._connection.changes()
        self._execute("DELETE FROM embeddings WHERE num = ?", (embedding,))
        return count


_TABLES: Final = {
    ChangeKind.MEMORY: "memories WHERE deleted_at IS NULL AND",
    ChangeKind.EDGE: "edges WHERE deleted_at IS NULL AND",
    ChangeKind.RAW: "raw_chunks WHERE",
}
_CHANGES: Final = "SELECT seq, kind, op, num FROM changes WHERE seq > ?1 ORDER BY seq, kind, num "
_KINDS: Final = {kind.value: kind for kind in ChangeKind}
_OPS: Final = {op.value: op for op in ChangeOp}
_TYPES: Final = {one.value: one for one in EdgeType}
_LAYERS: Final = {
    Tier.HOT.value: GraphLayer.FULL | GraphLayer.ONLINE,
    Tier.COLD.value: GraphLayer.FULL,
}
_NONE: Final[Mapping[int, IndexedMemory]] = {}
_num: Final = itemgetter(0)
# The active episodes of turns near the turn of each given memory, one row a pair.
_AROUND: Final = (
    "SELECT m.session, m.num, m.seq, e.num, e.seq,"
    f" CASE WHEN instr(e.tags, '\"{OFF_RECORD}\"') THEN '' ELSE e.text END"
    " FROM json_each(?1) g CROSS JOIN memories m ON m.num = g.value AND m.type = 'episodes'"
    " CROSS JOIN memories e INDEXED BY episodes_by_place"
    " ON e.session = m.session AND e.seq BETWEEN m.seq - ?2 AND m.seq + ?2"
    " AND e.type = 'episodes' AND e.status = 'active' AND e.deleted_at IS NULL"
)
# Numbers are given in their order, so there is nothing to sort; few edges have attributes.
_EDGES: Final = (
    "SELECT e.num, e.src, e.dst, e.type, e.weight, e.tier,"
    " CASE e.attrs WHEN '{}' THEN NULL ELSE e.attrs ->> ?1 END"
    " FROM json_each(?2) g CROSS JOIN edges e ON e.num = g.value WHERE e.deleted_at IS NULL"
)
_MEMORIES: Final = (
    "SELECT m.num, n.id, m.type, m.key, m.title, m.text, m.value, m.entities, m.tags,"
    " m.status, m.layer, m.said_at, m.utc_offset, m.source_turn_id, coalesce(s.id, ''),"
    " coalesce((SELECT r.ref_uri FROM turns t CROSS JOIN refs r ON r.turn = t.num"
    " AND r.ordinal = 0 WHERE t.id = m.source_turn_id), ''),"
    " iif(m.type = 'episodes', coalesce(m.seq, 0), 0),"
    " m.type = 'episodes' AND m.session IS NOT NULL AND NOT EXISTS"
    " (SELECT 1 FROM turns o WHERE o.session = m.session AND o.seq > m.seq),"
    " m.type = 'episodes' AND (SELECT total(e.value ->> 2) FROM json_each(m.raw_refs) e)"
    " > length(CAST(m.text AS BLOB))"
    " FROM json_each(?) g CROSS JOIN memories m ON m.num = g.value"
    " CROSS JOIN nodes n ON n.num = m.num LEFT JOIN sessions s ON s.num = m.session"
    " WHERE m.deleted_at IS NULL"
)
_FORM: Final = RowForm(
    IndexedMemory,
    "num id type key title text value entities tags status layer said_at utc_offset=said_at:"
    " source_turn_id session_id ref_uri turn last cut",
)


class SqliteFollowed(Repository):
    """Current rows for the views."""

    def changes(self, since: int, *, limit: int = 10_000) -> Changes:
        execute = self._execute
        row: Row | None = execute("SELECT seq, changes_floor FROM tenant").fetchone()
        last, floor = require_row(row, self._connection.filename)
        if since < floor:
            raise NotFound(
                f"changes up to {floor} have been dropped; start from {floor}", code="gone"
            )
        rows: list[Row] = execute(_CHANGES + "LIMIT ?2", (since, limit + 1)).fetchall()
        if len(rows) > limit:
            # Whole transactions inside the limit, or the first one if that alone is larger.
            end = max((row[0] for row in rows if row[0] < rows[-1][0]), default=rows[0][0])
            if end == rows[-1][0]:
                rows = execute(_CHANGES.replace("seq > ?1", "seq = ?1"), (end,)).fetchall()
            rows = [row for row in rows if row[0] <= end]
        found = [Change(seq, _KINDS[kind], _OPS[op], num) for seq, kind, op, num in rows]
        return Changes(last, found)

    def nums(self, kind: ChangeKind, *, after: int = 0, limit: int = 1_000) -> list[int]:
        if kind not in _TABLES:
            raise InternalError(f"views do not follow {kind}")
        rows = self._execute(
            f"SELECT num FROM {_TABLES[kind]} num > ? ORDER BY num LIMIT ?", (after, limit)
        )
        return [row[0] for row in rows]

    def memories(
        self,
        nums: Sequence[int],
        *,
        around: int | None = 0,
        known: Mapping[int, IndexedMemory] = _NONE,
    ) -> list[IndexedMemory]:
        nearby = {} if around is None else self._nearby(nums, around)
        wanted = {*nums, *nearby}
        unread = wanted - known.keys()
        rows = self._execute(_MEMORIES, (_ordered(unread),)) if unread else ()
        found = [_FORM.read(row, nearby=nearby.get(row[0], ())) for row in rows]
        found += [known[num]._replace(nearby=nearby.get(num, ())) for num in wanted & known.keys()]
        return sorted(found, key=_num) if known else found

    def spoken(self, nums: Sequence[int]) -> dict[int, list[SpokenPiece]]:
        rows = self._execute(
            "SELECT m.num, x.spans FROM json_each(?) g CROSS JOIN memories m ON m.num = g.value"
            " CROSS JOIN turns t ON t.id = m.source_turn_id CROSS JOIN messages x ON x.turn = t.num"
            " WHERE m.type = 'episodes' AND x.role IN ('user', 'assistant')"
            " ORDER BY m.num, x.ordinal",
            (nums_json(nums),),
        )
        said = [(num, span) for num, spans in rows for span in load(spans)]
        chunks = dict(numbered_chunks(self._execute, {span[0] for _, span in said}))
        found: dict[int, list[SpokenPiece]] = {}
        for num, (chunk, offset, length) in said:
            if chunk in chunks:
                found.setdefault(num, []).append(SpokenPiece(chunks[chunk], offset, length))
        return found

    def edges(self, nums: Sequence[int]) -> list[GraphEdge]:
        rows = self._execute(_EDGES, (AGGREGATE, _ordered(nums)))
        return [_edge(row) for row in rows]

    def passages(self, nums: Sequence[int]) -> list[IndexedPassage]:
        return [IndexedPassage(*found) for found in numbered_chunks(self._execute, nums)]

    def numbers(self, ids: Sequence[str]) -> dict[str, int]:
        listed = (texts_json(ids),)
        return dict(self._execute(f"SELECT id, num FROM nodes WHERE id {LISTED}", listed))

    def ids(self, nums: Sequence[int]) -> dict[int, str]:
        listed = (nums_json(nums),)
        return dict(self._execute(f"SELECT num, id FROM nodes WHERE num {LISTED}", listed))

    def _nearby(self, nums: Sequence[int], around: int) -> dict[int, tuple[NearbyEpisode, ...]]:
        """Return what the turns around episodes tell, also around those up to `around` away."""
        places: dict[int, tuple[int, int]] = {}
        told: dict[int, dict[int, dict[int, str]]] = {}
        rows = self._execute(_AROUND, (nums_json(nums), around + REACH))
        for session, num, seq, other, at, text in rows:
            places[num] = session, seq
            told.setdefault(session, {}).setdefault(at, {})[other] = text
            if abs(at - seq) <= around:
                places[other] = session, at
        return {num: nearby_at(told[session], seq) for num, (session, seq) in places.items()}


def _ordered(nums: Iterable[int]) -> str:
    return nums_json(sorted({*nums}))


def _edge(row: Row) -> GraphEdge:
    num, src, dst, kind, weight, tier, aggregate = row
    layers = GraphLayer.CONCEPTS if aggregate else _LAYERS[tier]
    return GraphEdge(num, src, dst, _TYPES[kind], weight, layers)
