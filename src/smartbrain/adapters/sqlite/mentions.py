"""Mentions of entities as queries. Implements `ports.mentions.Mentions`.

Only the turns around a time are looked at, however long the session is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import apsw

from smartbrain.adapters.sqlite.connection import translating
from smartbrain.adapters.sqlite.rows import Row, json_text, texts_json
from smartbrain.domain.graph import EdgeType

_AROUND = (
    "SELECT seq FROM turns INDEXED BY turns_in_time WHERE session = ? AND (at, seq) {sign} (?, ?)"
    " ORDER BY at {way}, seq {way} LIMIT ?"
)
_MENTIONED_BY = (
    " CROSS JOIN edges e ON e.dst = n.num AND e.type = ?2 AND e.deleted_at IS NULL"
    " CROSS JOIN memories m ON m.num = e.src AND m.type = 'episodes'"
)


@translating
class SqliteMentions:
    """Which turns mention an entity."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def places(
        self, entity_ids: Sequence[str], turn_id: str, *, turns: int
    ) -> dict[str, list[int]]:
        """Return where around a turn entities are mentioned, in the order of the turns' times."""
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
        """Return the keys of active entities that turns fewer than `turns` from one mention."""
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
        """Tell whether so many of some turns in a row, of one session, mention an entity."""
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
        """Return in how many of a session's last turns each entity was mentioned."""
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

    def _around(self, turn_id: str, turns: int) -> dict[int, int]:
        """Return how far from a turn those around it are, by their places in the session."""
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
