"""Rows as views read them, by number. Implements `ports.followed.Followed`.

Numbers go to SQLite as one JSON list, so a query is the same however many they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Final

import apsw

from smartbrain.adapters.sqlite.connection import require_row, translating
from smartbrain.adapters.sqlite.raw import SqliteRawChunks
from smartbrain.adapters.sqlite.rows import Row, load, nums_json, texts_json
from smartbrain.domain.change import Change, ChangeKind, ChangeOp, Changes
from smartbrain.domain.graph import AGGREGATE, EdgeType, Tier
from smartbrain.domain.graph_search import GraphEdge, GraphLayer
from smartbrain.domain.indexed import IndexedMemory, IndexedPassage, NearbyEpisode, SpokenPiece
from smartbrain.domain.time import from_micros
from smartbrain.errors import InternalError, NotFound

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
_EPISODES: Final = "episodes"
_NOTHING: Final[dict[int, str]] = {}
_NONE: Final[Mapping[int, IndexedMemory]] = {}
_num: Final = itemgetter(0)
_REACH: Final = 2  # turns away up to which an episode's text is of use for finding another
# The active episodes of turns near the turn of each given memory, one row a pair. The order of
# these joins is the one to take; SQLite's own begins with all episodes there are.
_AROUND: Final = (
    "SELECT t.session, m.num, t.seq, e.num, o.seq, e.text"
    " FROM json_each(?1) g CROSS JOIN memories m ON m.num = g.value AND m.type = 'episodes'"
    " CROSS JOIN turns t ON t.id = m.source_turn_id"
    " CROSS JOIN turns o ON o.session = t.session AND o.seq BETWEEN t.seq - ?2 AND t.seq + ?2"
    " CROSS JOIN memories e INDEXED BY memories_by_source"
    " ON e.source_turn_id = o.id AND e.type = 'episodes'"
    " AND e.status = 'active' AND e.deleted_at IS NULL"
)


@translating
class SqliteFollowed:
    """Current rows for the views."""

    def __init__(self, connection: apsw.Connection, raw: SqliteRawChunks) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._raw = raw

    def changes(self, since: int, *, limit: int = 10_000) -> Changes:
        """Return what changed after `since`, whole transactions, at least one if there is any."""
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
        """Return the numbers of a kind's rows."""
        if kind not in _TABLES:
            raise InternalError(f"views do not follow {kind}")
        rows = self._execute(
            f"SELECT num FROM {_TABLES[kind]} num > ? ORDER BY num LIMIT ?", (after, limit)
        )
        return [row[0] for row in rows]

    def memories(
        self, nums: Sequence[int], *, around: int = 0, known: Mapping[int, IndexedMemory] = _NONE
    ) -> list[IndexedMemory]:
        """Return memories with what lies around them."""
        nearby = self._nearby(nums, around)
        wanted = {*nums, *nearby}
        rows = self._execute(
            "SELECT m.num, n.id, m.type, m.key, m.title, m.text, m.value, m.entities, m.tags,"
            " m.status, m.layer, m.said_at, m.utc_offset, m.source_turn_id, m.raw_refs, s.id,"
            " (SELECT r.ref_uri FROM refs r WHERE r.turn = t.num AND r.ordinal = 0)"
            " FROM json_each(?) g CROSS JOIN memories m ON m.num = g.value"
            " CROSS JOIN nodes n ON n.num = m.num LEFT JOIN turns t ON t.id = m.source_turn_id"
            " LEFT JOIN sessions s ON s.num = t.session"
            " WHERE m.deleted_at IS NULL ORDER BY m.num",
            (nums_json(wanted - known.keys()),),
        )
        found = [_memory(row, nearby.get(row[0], ())) for row in rows]
        found += [
            known[num]._replace(nearby=tuple(nearby.get(num, ()))) for num in wanted & known.keys()
        ]
        return sorted(found, key=_num) if known else found

    def spoken(self, nums: Sequence[int]) -> dict[int, list[SpokenPiece]]:
        """Return what was said in the turns of episodes."""
        rows = self._execute(
            "SELECT m.num, x.spans FROM json_each(?) g CROSS JOIN memories m ON m.num = g.value"
            " CROSS JOIN turns t ON t.id = m.source_turn_id CROSS JOIN messages x ON x.turn = t.num"
            " WHERE m.type = 'episodes' AND x.role IN ('user', 'assistant')"
            " ORDER BY m.num, x.ordinal",
            (nums_json(nums),),
        )
        said = [(num, span) for num, spans in rows for span in load(spans)]
        chunks = dict(self._raw.numbered(sorted({span[0] for _, span in said})))
        found: dict[int, list[SpokenPiece]] = {}
        for num, (chunk, offset, length) in said:
            if chunk in chunks:
                found.setdefault(num, []).append(SpokenPiece(chunks[chunk], offset, length))
        return found

    def edges(self, nums: Sequence[int]) -> list[GraphEdge]:
        """Return living edges as the graph index takes them."""
        rows = self._execute(
            "SELECT num, src, dst, type, weight, tier, attrs ->> ? FROM edges"
            " WHERE deleted_at IS NULL"
            " AND num IN (SELECT value FROM json_each(?)) ORDER BY num",
            (AGGREGATE, nums_json(nums)),
        )
        return [_edge(row) for row in rows]

    def passages(self, nums: Sequence[int]) -> list[IndexedPassage]:
        """Return raw chunks."""
        return [IndexedPassage(num, chunk) for num, chunk in self._raw.numbered(nums)]

    def numbers(self, ids: Sequence[str]) -> dict[str, int]:
        """Return nodes' numbers."""
        return dict(
            self._execute(
                "SELECT id, num FROM nodes WHERE id IN (SELECT value FROM json_each(?))",
                (texts_json(ids),),
            )
        )

    def ids(self, nums: Sequence[int]) -> dict[int, str]:
        """Return nodes' ids."""
        return dict(
            self._execute(
                "SELECT num, id FROM nodes WHERE num IN (SELECT value FROM json_each(?))",
                (nums_json(nums),),
            )
        )

    def _nearby(self, nums: Sequence[int], around: int) -> dict[int, list[NearbyEpisode]]:
        """Return what the turns around episodes tell, also around those up to `around` away."""
        places: dict[int, tuple[int, int]] = {}
        told: dict[tuple[int, int], dict[int, str]] = {}
        rows = self._execute(_AROUND, (nums_json(nums), around + _REACH))
        for session, num, seq, other, at, text in rows:
            places[num] = session, seq
            told.setdefault((session, at), {})[other] = text
            if abs(at - seq) <= around:
                places[other] = session, at
        return {
            num: [
                NearbyEpisode(other, distance, text)
                for distance in range(1, _REACH + 1)
                for at in (seq - distance, seq + distance)
                for other, text in told.get((session, at), _NOTHING).items()
            ]
            for num, (session, seq) in places.items()
        }


def _memory(row: Row, nearby: Sequence[NearbyEpisode]) -> IndexedMemory:
    """Read a memory's row."""
    return IndexedMemory(
        num=row[0],
        id=row[1],
        type=row[2],
        key=row[3],
        title=row[4],
        text=row[5],
        value=load(row[6]),
        entities=_texts(row[7]),
        tags=_texts(row[8]),
        status=row[9],
        layer=row[10],
        said_at=from_micros(row[11], row[12]),
        source_turn_id=row[13],
        session_id=row[15] or "",
        ref_uri=row[16] or "",
        nearby=tuple(nearby),
        cut=row[2] == _EPISODES and sum(span[2] for span in load(row[14])) > len(row[5].encode()),
    )


def _texts(text: str) -> tuple[str, ...]:
    """Read a list of texts; most are empty."""
    return () if text == "[]" else tuple(load(text))


def _edge(row: Row) -> GraphEdge:
    num, src, dst, kind, weight, tier, aggregate = row
    layers = GraphLayer.CONCEPTS if aggregate else _LAYERS[tier]
    return GraphEdge(num, src, dst, _TYPES[kind], weight, layers)
