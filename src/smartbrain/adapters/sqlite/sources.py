"""Small lookups: by names that callers write down, of mentions, of amounts, of what was masked.

Implements `ports.truth.Sources`, `Usage` and `Mentions`. Each is answered by an index
or by the turns around a time, never by a look at every row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from smartbrain.adapters.sqlite.rows import Repository, Row, json_text, texts_json
from smartbrain.domain.graph import EdgeType

_SESSION_OF: Final = "SELECT s.id FROM sessions s JOIN turns t ON t.session = s.num "


class SqliteSources(Repository):
    """Lookups by names that callers write down."""

    def said_in(self, name: str) -> str | None:
        return self._first(
            f"{_SESSION_OF}WHERE t.id = ?1 UNION ALL"
            f" {_SESSION_OF}JOIN messages m ON m.turn = t.num WHERE m.id = ?1",
            name,
        )

    def turns_ending(self, end: str, *, within: int) -> list[str]:
        found = self._execute(
            "SELECT id FROM turns WHERE num > (SELECT max(num) FROM turns) - ?2"
            " AND substr(id, -length(?1)) = ?1 ORDER BY num DESC LIMIT 2",
            (end, within),
        )
        return [row[0] for row in found]

    def called_in(self, name: str) -> str | None:
        calls = f"{_SESSION_OF}JOIN tool_calls c ON c.turn = t.num WHERE "
        # The caller's id is in no index, and is asked for only if it is not one of ours.
        return self._first(f"{calls}c.id = ?1", name) or self._first(f"{calls}c.call_id = ?1", name)

    def referred_in(self, uri: str) -> str | None:
        return self._first(f"{_SESSION_OF}JOIN refs r ON r.turn = t.num WHERE r.ref_uri = ?1", uri)

    def _first(self, sql: str, name: str) -> str | None:
        found: str | None = self._execute(f"{sql} LIMIT 1", (name,)).get
        return found


class SqliteUsage(Repository):
    """Amounts of one tenant."""

    def artifacts(self) -> int:
        return self._number("SELECT count(*) FROM tool_calls")

    def memories(self) -> int:
        # Two counts by indexes; those that are not deleted would be a look at every row.
        deleted = self._number("SELECT count(*) FROM memories WHERE deleted_at IS NOT NULL")
        return self._number("SELECT count(*) FROM memories") - deleted

    def counts(self, types: Sequence[str]) -> dict[str, int]:
        rows = self._execute(
            "SELECT g.value, (SELECT count(*) FROM memories m WHERE m.type = g.value"
            " AND m.deleted_at IS NULL) FROM json_each(?) g",
            (texts_json(types),),
        )
        return dict(rows)

    def bytes(self) -> int:
        files = self._number(
            "SELECT coalesce(sum(length), 0) FROM raw_chunks WHERE path IS NOT NULL"
        )
        pages = self._number("PRAGMA page_count") - self._number("PRAGMA freelist_count")
        return pages * self._number("PRAGMA page_size") + files

    def _number(self, sql: str) -> int:
        found: int = self._execute(sql).get
        return found


_AROUND = (
    "SELECT seq FROM turns INDEXED BY turns_in_time WHERE session = ? AND (at, seq) {sign} (?, ?)"
    " ORDER BY at {way}, seq {way} LIMIT ?"
)
_MENTIONED_BY = (
    " CROSS JOIN edges e ON e.dst = n.num AND e.type = ?2 AND e.deleted_at IS NULL"
    " CROSS JOIN memories m ON m.num = e.src AND m.type = 'episodes'"
)


class SqliteMentions(Repository):
    """Which turns mention an entity."""

    def places(
        self, entity_ids: Sequence[str], turn_id: str, *, turns: int
    ) -> dict[str, list[int]]:
        rows: list[Row] = self._execute(
            "SELECT g.value, m.seq FROM turns one CROSS JOIN json_each(?1) g"
            f" CROSS JOIN nodes n ON n.id = g.value{_MENTIONED_BY}"
            " AND m.session = one.session AND m.seq <> one.seq WHERE one.id = ?3",
            (texts_json(entity_ids), EdgeType.MENTIONS, turn_id),
        ).fetchall()
        near = self._around(turn_id, turns) if rows else {}
        found: dict[str, list[int]] = {}
        for entity, seq in rows:
            if seq in near:
                found.setdefault(entity, []).append(near[seq])
        return found

    def named_around(self, turn_id: str, *, turns: int) -> list[str]:
        near = self._around(turn_id, turns)
        rows = self._execute(
            "SELECT m.key FROM memories m WHERE m.num IN (SELECT e.dst FROM turns one"
            " CROSS JOIN json_each(?1) g CROSS JOIN memories p ON p.session = one.session"
            " AND p.seq = g.value AND p.type = 'episodes' CROSS JOIN edges e ON e.src = p.num"
            " AND e.type = ?2 AND e.deleted_at IS NULL WHERE one.id = ?3)"
            " AND m.type = 'entities' AND m.status = 'active' AND m.deleted_at IS NULL"
            " ORDER BY m.num",
            (json_text(sorted(near)), EdgeType.MENTIONS, turn_id),
        )
        return [str(key) for (key,) in rows]

    def is_frequent(self, entity_id: str, *, times: int, turns: int) -> bool:
        told = self._execute(
            "SELECT DISTINCT t.session, t.at, t.seq FROM json_each(?1) g"
            f" CROSS JOIN nodes n ON n.id = g.value{_MENTIONED_BY}"
            " CROSS JOIN turns t ON t.session = m.session AND t.seq = m.seq ORDER BY 1, 2, 3",
            (texts_json([entity_id]), EdgeType.MENTIONS),
        ).fetchall()
        for first, last in zip(told, told[times - 1 :], strict=False):
            if first[0] == last[0]:
                between = self._execute(
                    "SELECT count(*) FROM (SELECT 1 FROM turns INDEXED BY turns_in_time"
                    " WHERE session = ?1"
                    " AND (at, seq) > (?2, ?3) AND (at, seq) <= (?4, ?5) LIMIT ?6)",
                    (*first, *last[1:], turns),
                ).get
                if between < turns:
                    return True
        return False

    def counted(
        self, entity_ids: Sequence[str], session_id: str, *, turns: int, without: str | None = None
    ) -> dict[str, int]:
        rows = self._execute(
            # Only the edges made last are looked at: no entity is mentioned more often in so many
            # turns than they have statements.
            "SELECT g.value, (SELECT count(DISTINCT m.seq) FROM (SELECT src FROM edges e"
            " WHERE e.dst = n.num AND e.type = ?2 AND e.deleted_at IS NULL"
            " ORDER BY e.num DESC LIMIT ?5) l CROSS JOIN memories m ON m.num = l.src"
            " AND m.session = s.num AND m.source_turn_id IS NOT ?6"
            " AND m.seq > (SELECT max(seq) FROM turns WHERE session = s.num) - ?4)"
            " FROM json_each(?1) g CROSS JOIN nodes n ON n.id = g.value"
            " CROSS JOIN sessions s ON s.id = ?3",
            (texts_json(entity_ids), EdgeType.MENTIONS, session_id, turns, 4 * turns, without),
        )
        return dict(rows)

    def called(self, name: str) -> list[str]:
        rows = self._execute(
            "SELECT n.id FROM memories m JOIN nodes n ON n.num = m.num"
            " WHERE m.type IN ('entities', 'concepts') AND m.deleted_at IS NULL AND ?1 IN"
            " (n.id, lower(m.key), lower(m.title), lower(m.value ->> 'canonical'))"
            " OR m.type IN ('entities', 'concepts') AND m.deleted_at IS NULL AND EXISTS"
            " (SELECT 1 FROM json_each(m.value, '$.aliases') a WHERE lower(a.value) = ?1)",
            (name.casefold(),),
        )
        return [str(node) for (node,) in rows]

    def _around(self, turn_id: str, turns: int) -> dict[int, int]:
        row = self._execute(
            "SELECT t.session, t.at, t.seq, s.last_at > t.at OR t.seq < s.turns"
            " FROM turns t JOIN sessions s ON s.num = t.session WHERE t.id = ?",
            (turn_id,),
        ).get
        if row is None:
            return {}
        session, at, seq, late = row
        near: dict[int, int] = {}
        for sign, way, step in (
            (("<", "DESC", -1), (">", "ASC", 1)) if late else (("<", "DESC", -1),)
        ):
            query = _AROUND.format(sign=sign, way=way)
            rows: Iterable[Row] = self._execute(query, (session, at, seq, turns - 1))
            near |= {other: step * place for place, (other,) in enumerate(rows, 1)}
        return near
