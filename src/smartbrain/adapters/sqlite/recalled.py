"""Reads of the recall and the compose path as queries.

Implements `ports.truth.Recalled` and `ports.composed.Composed`. Numbers and names go to SQLite as
one JSON list; each question is one statement, answered by an index whatever the size of the tenant.
Nothing here is logged as a change: no view shows when a memory was last seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import lru_cache, partial
from operator import itemgetter
from typing import Any, Final

from smartbrain.adapters.sqlite.events import numbered_chunks
from smartbrain.adapters.sqlite.rows import (
    Repository,
    Row,
    load,
    load_list,
    load_packed,
    nums_json,
    texts_json,
)
from smartbrain.domain.builtin_types import ENDED
from smartbrain.domain.indexed import SpokenMessage, SpokenPiece, SpokenTurn
from smartbrain.domain.keys import plain_name
from smartbrain.domain.memory import NEVER, OFF_RECORD, OVER, Compression, Status
from smartbrain.domain.recalled import RawRef, RecalledRow, Replaced, UnsureClaim
from smartbrain.domain.time import from_micros, to_micros
from smartbrain.domain.turn import RawChunk

# The order of these joins is the one to take: from the few given turns to those beside them.
# Most messages are one run of bytes that lies in the database, which is read along.
_SPOKEN: Final = (
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
_UNSURE: Final = 10  # of the newest claims of an attribute are looked at
PlacedSpans = Sequence[tuple[int, int, int]]
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


class SqliteComposed(Repository):
    """Spoken turns, and what is noted about a compose afterwards."""

    def around(self, turn_ids: Sequence[str], *, reach: int) -> list[SpokenTurn]:
        """Return turns and those beside them, by session and place."""
        turns: list[SpokenTurn] = []
        apart: list[tuple[list[SpokenMessage], int, PlacedSpans]] = []
        last: str | None = None
        said: list[SpokenMessage] = []
        found = self._execute(_SPOKEN, (texts_json(turn_ids), reach))
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

    def _read_apart(self, apart: Sequence[tuple[list[SpokenMessage], int, PlacedSpans]]) -> None:
        """Say of messages whose words were not read along where those are."""
        wanted = sorted({span[0] for _, _, spans in apart for span in spans})
        chunks = dict(numbered_chunks(self._execute, wanted)) if wanted else {}
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


def _pieces(spans: PlacedSpans, chunks: dict[int, RawChunk]) -> tuple[SpokenPiece, ...]:
    """Return where the words of a message are; a piece whose chunk is gone is left out."""
    return tuple(
        SpokenPiece(chunks[num], offset, length) for num, offset, length in spans if num in chunks
    )


_STATUSES: Final = {one.value: one for one in Status}
_COMPRESSIONS: Final = {one.value: one for one in Compression}
_LOOKED_AT: Final = 5_000
_STANDING: Final = 300  # the newest of a type, among which those in force come first
_LATER: Final = (
    "CASE WHEN type = 'preferences' THEN NOT instructs(text) WHEN type IN ('goals', 'tasks')"
    " THEN lower(coalesce(value ->> 'status', '')) IN (SELECT value FROM json_each(?4)) ELSE 0 END"
)
_OF_DOMAIN: Final = (  # among the newest: a name is compared by a function, row by row
    " AND num > ifnull((SELECT num FROM memories INDEXED BY memories_standing WHERE type = g.value"
    " AND status IN ('active', 'candidate') ORDER BY num DESC LIMIT 1 OFFSET ?6), 0)"
    " AND (type NOT IN ('cases', 'patterns') OR plain_name(value ->> 'domain') = ?5)"
)
_CALLED: Final = (
    "' ' || replace(replace(replace(lower(m.key || ' ' || m.title), '_', ' '), ':', ' '), ',', ' ')"
    " || ' '"
)
_COLUMNS: Final = (
    "SELECT m.num, n.id, m.type, m.key, m.title, m.text, m.value, m.entities, m.confidence,"
    " m.status, m.version, m.valid_since, m.valid_until, m.source_turn_id, s.id, m.seq,"
    " m.speaker, m.importance, m.frequency, m.arousal, m.compression, m.said_at,"
    " m.utc_offset, m.created_at, m.raw_refs, w.body,"
    " CASE m.type WHEN 'episodes' THEN m.value -> 'speakers' END,"
    f" m.status IN ('retracted', 'superseded') AND instr(m.tags, '\"{OVER}\"'),"
    f" m.status <> 'active' AND instr(m.tags, '\"{NEVER}\"'),"
    f" CASE WHEN instr(m.tags, '\"{OFF_RECORD}\"') THEN CASE WHEN m.seq >"
    " ifnull((SELECT max(e.body ->> 'turn') FROM working_state e"
    " WHERE e.owner = 'session:' || s.id AND e.kind = 'ended'), 0) THEN s.id ELSE '' END END"
)
_BESIDE: Final = (
    " CROSS JOIN nodes n ON n.num = m.num LEFT JOIN sessions s ON s.num = m.session"
    " LEFT JOIN working_state w"
    " ON w.owner = 'tenant' AND w.kind = 'feedback' AND w.id = n.id"
)


class SqliteRecalled(Repository):
    """Rows for recall."""

    def rows(self, nums: Sequence[int]) -> list[RecalledRow]:
        """Return memories by number."""
        found = self._execute(
            _COLUMNS
            + " FROM json_each(?) g CROSS JOIN memories m ON m.num = g.value"
            + _BESIDE
            + " WHERE m.deleted_at IS NULL",
            (nums_json(nums),),
        )
        return [_row(row) for row in sorted(found, key=itemgetter(0))]

    def types(self, nums: Sequence[int]) -> dict[int, str]:
        """Return the types of memories by number."""
        found = self._execute(
            "SELECT m.num, m.type FROM json_each(?) g CROSS JOIN memories m ON m.num = g.value"
            " WHERE m.deleted_at IS NULL",
            (nums_json(nums),),
        )
        return dict(found)

    def standing(
        self, types: Sequence[str], *, limit: int, domain: str | None = None
    ) -> list[RecalledRow]:
        """Return the active memories of some types: those in force before those that are over."""
        given: Row = () if domain is None else (plain_name(domain), _LOOKED_AT)
        found = self._execute(
            # The index is walked from its end; it is of use only where its own condition is named.
            _COLUMNS + " FROM json_each(?1) g CROSS JOIN memories m ON m.num IN (SELECT num FROM"
            f" (SELECT num, {_LATER} AS later FROM memories INDEXED BY memories_standing"
            " WHERE type = g.value AND status IN ('active', 'candidate') AND status = 'active'"
            f" AND deleted_at IS NULL{_OF_DOMAIN if given else ''} ORDER BY num DESC LIMIT ?3)"
            " ORDER BY later, num DESC LIMIT ?2)"
            + _BESIDE
            + " ORDER BY m.said_at DESC, m.num DESC",
            (texts_json(types), limit, max(limit, _STANDING), texts_json(sorted(ENDED)), *given),
        )
        return [_row(row) for row in found]

    def keyed(self, keys: Sequence[str]) -> dict[str, int]:
        """Return the numbers of what stands under keys."""
        rows = self._execute(
            "SELECT m.key, m.num FROM memories m WHERE m.key IN (SELECT value FROM json_each(?))"
            " AND m.status IN ('active', 'candidate') AND m.deleted_at IS NULL"
            " ORDER BY m.status DESC, m.num DESC",  # an active one comes last and stays
            (texts_json(keys),),
        )
        return dict(rows)

    def versions(self, keys: Sequence[str]) -> list[RecalledRow]:
        """Return every version of keys, oldest first."""
        found = self._execute(
            _COLUMNS
            + " FROM memories m"
            + _BESIDE
            + " WHERE m.key IN (SELECT value FROM json_each(?)) AND m.deleted_at IS NULL"
            " ORDER BY m.said_at, m.seq, m.version",
            (texts_json(keys),),
        )
        return [_row(row) for row in found]

    def within(self, since: datetime, until: datetime, *, limit: int) -> list[int]:
        """Return the active episodes of a stretch of time, newest first."""
        rows = self._execute(
            "SELECT m.num FROM turns t INDEXED BY turns_by_time"
            " CROSS JOIN memories m INDEXED BY memories_by_source ON m.source_turn_id = t.id"
            " AND m.type = 'episodes' AND m.status = 'active' AND m.deleted_at IS NULL"
            " WHERE t.at >= ? AND t.at < ? ORDER BY t.at DESC, t.num DESC LIMIT ?",
            (to_micros(since), to_micros(until), limit),
        )
        return [row[0] for row in rows]

    def labelled(self, words: Sequence[str], *, limit: int) -> list[int]:
        """Return the active memories written last that have one of these keywords."""
        # What was written before it was given keywords is known by its key and its title, and so
        # is what has names of two letters, which were none once.
        spelt = [f" {word.lower()} " if word.isascii() else word for word in words]
        rows = self._execute(
            "SELECT m.num FROM (SELECT num, type, key, title, keywords, entities, tags"
            " FROM memories WHERE status = 'active' AND deleted_at IS NULL"
            " ORDER BY num DESC LIMIT ?2) m"
            " WHERE EXISTS (SELECT 1 FROM (SELECT value FROM json_each(m.keywords)"
            " UNION ALL SELECT value FROM json_each(m.entities)"
            " UNION ALL SELECT value FROM json_each(m.tags)) l"
            " WHERE lower(l.value) IN (SELECT lower(value) FROM json_each(?1)))"
            " OR m.type NOT IN ('episodes', 'entities') AND EXISTS (SELECT 1 FROM json_each(?4) w"
            f" WHERE (m.keywords = '[]' OR w.value LIKE ' __ ') AND instr({_CALLED}, w.value))"
            " ORDER BY m.num DESC LIMIT ?3",
            (texts_json(words), _LOOKED_AT, limit, texts_json(spelt)),
        )
        return [row[0] for row in rows]

    def replaced(self, turns: Sequence[str]) -> list[Replaced]:
        """Return what was told in turns and has an active version in its place."""
        found = self._execute(
            "SELECT o.num, o.source_turn_id, o.text, o.value, n.num, n.value, o.raw_refs"
            " FROM json_each(?) g"
            " CROSS JOIN memories o INDEXED BY memories_by_source ON o.source_turn_id = g.value"
            " AND o.status IN ('superseded', 'retracted', 'disputed') AND o.deleted_at IS NULL"
            " CROSS JOIN memories n INDEXED BY memories_one_active ON n.type = o.type"
            " AND n.key = o.key AND n.status = 'active' AND n.deleted_at IS NULL",
            (texts_json(turns),),
        )
        return [
            Replaced(turn, text, load(value), num, load(stands), _spans(refs))
            for _, turn, text, value, num, stands, refs in sorted(found, key=itemgetter(0))
        ]

    def claimed(self, attributes: Sequence[str], *, limit: int) -> dict[str, list[int]]:
        """Return what claims of attributes are part of, those said last first."""
        found: dict[str, dict[int, None]] = {}
        for attribute in attributes:
            rows = self._execute(
                "SELECT n.num, m.num FROM (SELECT num, memory, turn_id, said_at FROM claims"
                " WHERE attribute = ? AND attribute <> 'other'"
                " AND status IN ('counted', 'candidate') ORDER BY said_at DESC LIMIT ?) c"
                " LEFT JOIN nodes n ON n.id = c.memory"
                " LEFT JOIN memories m ON m.source_turn_id = c.turn_id AND m.type = 'episodes'"
                " AND m.status = 'active' ORDER BY c.said_at DESC, c.num DESC",
                (attribute, limit),
            )
            for pair in rows:
                found.setdefault(attribute, {}).update(dict.fromkeys(filter(None, pair)))
        return {attribute: list(nums) for attribute, nums in found.items()}

    def claimed_at(self, claim_ids: Sequence[str]) -> dict[str, datetime]:
        """Return when claims were said."""
        if not claim_ids:
            return {}
        rows = self._execute(
            "SELECT id, said_at, utc_offset FROM claims"
            " WHERE id IN (SELECT value FROM json_each(?))",
            (texts_json(claim_ids),),
        )
        return {claim: from_micros(at, offset) for claim, at, offset in rows}

    def unsure(self, attributes: Sequence[str]) -> list[UnsureClaim]:
        """Return the claims of attributes of which their reader was not sure, newest first."""
        rows = self._execute(
            "SELECT c.subject, c.attribute, c.text, c.said_at, c.utc_offset FROM json_each(?) g"
            " CROSS JOIN claims c ON c.num IN (SELECT num FROM claims WHERE attribute = g.value"
            " AND attribute <> 'other' AND status IN ('counted', 'candidate')"
            " ORDER BY said_at DESC LIMIT ?) WHERE c.status = 'candidate' AND c.say = 'assert'"
            " ORDER BY c.said_at DESC, c.num DESC",
            (texts_json(attributes), _UNSURE),
        )
        return [
            UnsureClaim(subject, attribute, text, from_micros(at, offset))
            for subject, attribute, text, at, offset in rows
        ]

    def told_by(self, raw_nums: Sequence[int], *, most: int) -> dict[int, tuple[int, ...]]:
        """Return the newest active episodes that rest on each raw chunk."""
        rows = self._execute(
            "SELECT g.value, (SELECT json_group_array(num) FROM (SELECT m.num FROM edges e"
            " CROSS JOIN memories m ON m.num = e.src AND m.type = 'episodes'"
            " AND m.status = 'active' AND m.deleted_at IS NULL"
            " WHERE e.dst = g.value AND e.type = 'DERIVED_FROM' AND e.deleted_at IS NULL"
            " ORDER BY e.num DESC LIMIT ?)) FROM json_each(?) g",
            (most, nums_json(raw_nums)),
        )
        return {raw: told for raw, nums in rows if (told := load_list(nums))}

    def said_by(self, turn_ids: Sequence[str]) -> dict[str, dict[int, str]]:
        """Return who said the originals of turns."""
        rows = self._execute(
            "SELECT t.id, coalesce(nullif(x.name, ''), x.role), x.spans FROM json_each(?) g"
            " CROSS JOIN turns t ON t.id = g.value CROSS JOIN messages x ON x.turn = t.num",
            (texts_json(turn_ids),),
        )
        heard: dict[str, dict[int, set[str]]] = {}
        for turn, speaker, spans in rows:
            said = heard.setdefault(turn, {})
            for chunk, _, _ in load(spans):
                said.setdefault(chunk, set()).add(speaker)
        return {
            turn: {chunk: one for chunk, (one, *others) in said.items() if not others}
            for turn, said in heard.items()
        }

    def counts(
        self, types: Sequence[str], *, raw_before: datetime | None = None, most: int = -1
    ) -> dict[str, int]:
        """Return how many active memories of each type there are."""
        # Without a time the count is answered by an index alone.
        old = "" if raw_before is None else " AND m.said_at < ? AND m.compression = 'raw'"
        before = () if raw_before is None else (to_micros(raw_before),)
        rows = self._execute(
            "SELECT g.value, (SELECT count(*) FROM (SELECT 1 FROM memories m WHERE m.type = g.value"
            f" AND m.status = 'active'{old} LIMIT ?)) FROM json_each(?) g",
            (*before, most, texts_json(types)),
        )
        return dict(rows)


class _StoredRow(RecalledRow):
    """A row whose JSON is read when somebody looks: most rows are ranked and never shown."""

    __slots__ = ()

    @property
    def value(self) -> dict[str, Any]:
        stored: Row = self
        found: dict[str, Any] = load(stored[6])
        return found

    @property
    def entities(self) -> tuple[str, ...]:
        stored: Row = self
        return load_list(stored[7])

    @property
    def created_at(self) -> datetime:
        stored: Row = self
        return from_micros(stored[22])

    @property
    def raw_refs(self) -> tuple[RawRef, ...]:
        stored: Row = self
        return _spans(stored[23])


def _row(row: Row) -> RecalledRow:
    """Read a row; to take it apart at once costs half of what slices do."""
    # fmt: off
    (
        num, name, kind, key, title, text, value, entities, confidence,
        status, version, since, until, turn, session, seq,
        said_by, importance, frequency, arousal, compression, said_at,
        offset, created_at, raw_refs, body, told_by, over, never, only_in,
    ) = row
    return _stored(
        (
            num, name, kind, key, title, text, value, entities, confidence,
            _STATUSES[status],
            version,
            since if since is None else from_micros(since, 0),  # spelled as the time it was said
            until if until is None else from_micros(until, 0),
            turn, session, seq,
            _speakers(told_by, said_by),
            importance, frequency, arousal,
            _COMPRESSIONS[compression],
            from_micros(said_at, offset),
            created_at, raw_refs,
            0.0 if body is None else _feedback(body),
            over == 1,
            never == 1,
            only_in,
        )
    )
    # fmt: on


_stored: Final = partial(tuple.__new__, _StoredRow)


@lru_cache(maxsize=256)
def _speakers(told: str | None, said: str | None) -> tuple[str, ...]:
    found = () if told is None else tuple(load(told) or ())
    return found or ((said,) if said else ())


def _spans(stored: str) -> tuple[RawRef, ...]:
    return tuple([RawRef(*span) for span in load(stored)])


def _feedback(body: str) -> float:
    """Return pins and votes as one number from -1 to 1."""
    given = load(body)
    votes = given["up"] - given["down"]
    total = votes / (abs(votes) + 2) + (1.0 if given["pinned"] else 0.0)
    return float(max(-1.0, min(1.0, total)))
