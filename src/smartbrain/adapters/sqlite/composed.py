"""Reads and writes of the compose path. Implements `ports.composed.Composed`.

Ids go to SQLite as one JSON list, so a query is the same however many they are. None of it is
logged as a change: no view shows when a memory was last seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from typing import Final

import apsw

from smartbrain.adapters.sqlite.connection import translating
from smartbrain.adapters.sqlite.packed import load_packed
from smartbrain.adapters.sqlite.raw import SqliteRawChunks
from smartbrain.adapters.sqlite.rows import load, texts_json
from smartbrain.domain.indexed import SpokenPiece
from smartbrain.domain.memory import OFF_RECORD
from smartbrain.domain.spoken import SpokenMessage, SpokenTurn
from smartbrain.domain.time import from_micros, to_micros
from smartbrain.domain.turn import RawChunk

# The order of these joins is the one to take: from the few given turns to those beside them.
# Most messages are one run of bytes that lies in the database, which is read along.
_AROUND: Final = (
    "SELECT o.id, s.id, o.seq, o.at, o.utc_offset, coalesce(x.name, x.role), x.spans,"
    " substr(r.body, 1 + (x.spans ->> '$[0][1]'), x.spans ->> '$[0][2]')"
    " FROM (SELECT DISTINCT p.num FROM json_each(?1) g CROSS JOIN turns t ON t.id = g.value"
    " CROSS JOIN turns p ON p.session = t.session AND p.seq BETWEEN t.seq - ?2 AND t.seq + ?2"
    " WHERE p.num = t.num OR NOT EXISTS (SELECT 1 FROM memories e INDEXED BY episodes_by_place"
    " WHERE e.session = p.session AND e.seq = p.seq AND e.type = 'episodes'"
    " AND e.status = 'active' AND e.deleted_at IS NULL"
    f" AND instr(e.tags, '\"{OFF_RECORD}\"'))) n"
    " CROSS JOIN turns o ON o.num = n.num CROSS JOIN sessions s ON s.num = o.session"
    " CROSS JOIN messages x ON x.turn = o.num AND x.role IN ('user', 'assistant')"
    " LEFT JOIN raw_chunks r ON json_array_length(x.spans) = 1"
    " AND r.num = x.spans ->> '$[0][0]' AND r.mime GLOB 'text/*'"
    " ORDER BY o.session, o.seq, x.ordinal"
)
Spans = Sequence[tuple[int, int, int]]
"""Where the words of a message are: the number of a chunk, an offset and a length each."""
# As the classes make them, without the call of a function for each of a hundred.
_turn: Final = partial(tuple.__new__, SpokenTurn)
_message: Final = partial(tuple.__new__, SpokenMessage)
_SHOWN: Final = "SELECT body FROM traces WHERE context_id = ?"
# Few composes lie between that of a session and its commit; no more of them are looked through.
_LAST_SHOWN: Final = (
    "SELECT body FROM traces WHERE context_id ="
    " (SELECT context_id FROM (SELECT context_id, session_id FROM traces"
    " ORDER BY created_at DESC, context_id DESC LIMIT 200) WHERE session_id = ? LIMIT 1)"
)


@translating
class SqliteComposed:
    """Spoken turns, and what is noted about a compose afterwards."""

    def __init__(self, connection: apsw.Connection, raw: SqliteRawChunks) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._raw = raw

    def around(self, turn_ids: Sequence[str], *, reach: int) -> list[SpokenTurn]:
        """Return turns and those beside them, by session and place."""
        turns: list[SpokenTurn] = []
        apart: list[tuple[list[SpokenMessage], int, Spans]] = []
        last: str | None = None
        said: list[SpokenMessage] = []
        found = self._execute(_AROUND, (texts_json(turn_ids), reach))
        for turn, session, seq, at, offset, speaker, spans, body in found:
            if turn != last:
                last, said = turn, []
                turns.append(_turn((turn, session, seq, from_micros(at, offset), said)))
            if body is None:
                apart.append((said, len(said), load(spans)))
            said.append(_message((speaker, (body,))))
        if apart:
            self._read_apart(apart)
        return turns

    def _read_apart(self, apart: Sequence[tuple[list[SpokenMessage], int, Spans]]) -> None:
        """Say of messages whose words were not read along where those are."""
        wanted = sorted({span[0] for _, _, spans in apart for span in spans})
        chunks = dict(self._raw.numbered(wanted)) if wanted else {}
        for said, place, spans in apart:
            said[place] = SpokenMessage(said[place].speaker, _pieces(spans, chunks))

    def accessed(self, memory_ids: Sequence[str], at: datetime) -> None:
        """Note when memories were last shown."""
        self._execute(
            "UPDATE memories SET last_access = max(?2, ifnull(last_access, ?2)) WHERE num IN"
            " (SELECT num FROM nodes WHERE id IN (SELECT value FROM json_each(?1)))",
            (texts_json(memory_ids), to_micros(at)),
        )

    def sentences(self, session_id: str, context_id: str | None) -> frozenset[str]:
        """Return the marks of what a context showed, the session's last by default."""
        asked = (_LAST_SHOWN, session_id) if context_id is None else (_SHOWN, context_id)
        body = self._execute(asked[0], asked[1:]).get
        return frozenset(load_packed(body).get("sentences", ())) if body else frozenset()

    def prune_traces(self, before: datetime, most: int) -> int:
        """Delete traces that are too old or too many."""
        self._execute("DELETE FROM traces WHERE created_at < ?", (to_micros(before),))
        gone = self._connection.changes()
        self._execute(
            "DELETE FROM traces WHERE context_id IN (SELECT context_id FROM traces"
            " ORDER BY created_at DESC, context_id DESC LIMIT -1 OFFSET ?)",
            (most,),
        )
        return gone + self._connection.changes()


def _pieces(spans: Spans, chunks: dict[int, RawChunk]) -> tuple[SpokenPiece, ...]:
    """Return where the words of a message are; a piece whose chunk is gone is left out."""
    return tuple(
        SpokenPiece(chunks[num], offset, length) for num, offset, length in spans if num in chunks
    )
