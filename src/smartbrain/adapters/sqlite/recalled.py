"""Reads of the recall and the compose path as queries.

Implements `ports.truth.Recalled` and `Composed`. Numbers and names go to SQLite as
one JSON list; each question is one statement, answered by an index whatever the size of the tenant.
Nothing here is logged as a change: no view shows when a memory was last seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from operator import itemgetter
from typing import Final

from smartbrain.adapters.sqlite.events import numbered_chunks
from smartbrain.adapters.sqlite.rows import (
    Repository,
    Row,
    RowForm,
    load,
    load_list,
    load_packed,
    nums_json,
    texts_json,
)
from smartbrain.domain.audience import unpack_marks
from smartbrain.domain.builtin_types import ENDED
from smartbrain.domain.indexed import SpokenMessage, SpokenPiece, SpokenTurn
from smartbrain.domain.keys import plain_name
from smartbrain.domain.memory import NEVER, OFF_RECORD, OVER
from smartbrain.domain.recalled import RawRef, RecalledRow, Replaced, UnsureClaim
from smartbrain.domain.time import from_micros, to_micros

# The order of these joins is the one to take: from the few given turns to those beside them.
_SPOKEN: Final = (
    "SELECT o.id, s.id, o.seq, o.at, o.utc_offset, coalesce(x.name, x.role), x.spans"
    " FROM (SELECT DISTINCT p.num FROM json_each(?1) g CROSS JOIN turns t ON t.id = g.value"
    " CROSS JOIN turns p ON p.session = t.session AND p.seq BETWEEN t.seq - ?2 AND t.seq + ?2"
    " WHERE p.num = t.num OR NOT EXISTS (SELECT 1 FROM memories e INDEXED BY episodes_by_place"
    " WHERE e.session = p.session AND e.seq = p.seq AND e.type = 'episodes'"
    " AND e.status = 'active' AND e.deleted_at IS NULL"
    f" AND instr(e.tags, '\"{OFF_RECORD}\"'))) n"
    " CROSS JOIN turns o ON o.num = n.num CROSS JOIN sessions s ON s.num = o.session"
    " CROSS JOIN messages x ON x.turn = o.num AND x.role IN ('user', 'assistant')"
    " ORDER BY o.session, o.seq, x.ordinal"
)
_UNSURE: Final = 10  # of the newest claims of an attribute are looked at
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
        rows = self._rows(_SPOKEN, texts_json(turn_ids), reach)
        spans = [load(row[-1]) for row in rows]
        chunks = dict(numbered_chunks(self._execute, {one[0] for each in spans for one in each}))
        turns: dict[str, SpokenTurn] = {}
        for (turn, session, seq, at, offset, speaker, _), placed in zip(rows, spans, strict=True):
            if turn not in turns:
                turns[turn] = SpokenTurn(turn, session, seq, from_micros(at, offset), [])
            pieces = [SpokenPiece(chunks[num], *place) for num, *place in placed if num in chunks]
            turns[turn].messages.append(SpokenMessage(speaker, tuple(pieces)))
        return list(turns.values())

    def accessed(self, memory_ids: Sequence[str], at: datetime) -> None:
        self._execute(
            "UPDATE memories SET last_access = max(?2, ifnull(last_access, ?2)) WHERE num IN"
            " (SELECT num FROM nodes WHERE id IN (SELECT value FROM json_each(?1)))",
            (texts_json(memory_ids), to_micros(at)),
        )

    def sentences(self, session_id: str, context_id: str | None) -> frozenset[str]:
        asked = (_LAST_SHOWN, session_id) if context_id is None else (_SHOWN, context_id)
        body = self._execute(asked[0], asked[1:]).get
        return unpack_marks(load_packed(body).get("sentences", ())) if body else frozenset()

    def prune_traces(self, before: datetime, most: int, most_bytes: int) -> int:
        self._execute("DELETE FROM traces WHERE created_at < ?", (to_micros(before),))
        gone = self._connection.changes()
        self._execute(
            "DELETE FROM traces WHERE context_id IN (SELECT context_id FROM (SELECT context_id,"
            " row_number() OVER newest AS place, sum(octet_length(body)) OVER newest AS total"
            " FROM traces WINDOW newest AS (ORDER BY created_at DESC, context_id DESC))"
            " WHERE place > ? OR total > ?)",
            (most, most_bytes),
        )
        return gone + self._connection.changes()


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
# `told` are the speakers of an episode; pins and votes count as one number from -1 to 1.
_COLUMNS: Final = (
    "SELECT m.num, n.id, m.type, m.key, m.title, m.text, m.value, m.entities, m.confidence,"
    " m.status, m.version, m.valid_since, m.valid_until, m.source_turn_id, s.id, m.seq,"
    " coalesce(CASE m.type WHEN 'episodes' THEN nullif(m.value ->> 'speakers', '[]') END,"
    " CASE WHEN m.speaker <> '' THEN json_array(m.speaker) END, '[]'),"
    " m.importance, m.frequency, m.arousal, m.compression, m.said_at, m.utc_offset, m.created_at,"
    " coalesce(max(-1.0, min(1.0, (w.body ->> 'pinned') + ((w.body ->> 'up') - (w.body ->> 'down'))"
    " / (abs((w.body ->> 'up') - (w.body ->> 'down')) + 2.0))), 0.0),"
    f" m.status IN ('retracted', 'superseded') AND instr(m.tags, '\"{OVER}\"'),"
    f" m.status <> 'active' AND instr(m.tags, '\"{NEVER}\"'),"
    f" CASE WHEN instr(m.tags, '\"{OFF_RECORD}\"') THEN CASE WHEN m.seq >"
    " ifnull((SELECT max(e.body ->> 'turn') FROM working_state e"
    " WHERE e.owner = 'session:' || s.id AND e.kind = 'ended'), 0) THEN s.id ELSE '' END END,"
    " m.raw_refs"
)
_FORM: Final = RowForm(
    RecalledRow,
    "num id type key title text value entities confidence status version valid_since valid_until"
    " source_turn_id session_id seq speakers importance frequency arousal compression said_at"
    " utc_offset=said_at: created_at feedback ended never only_in",
)
_BESIDE: Final = (
    " CROSS JOIN nodes n ON n.num = m.num LEFT JOIN sessions s ON s.num = m.session"
    " LEFT JOIN working_state w"
    " ON w.owner = 'tenant' AND w.kind = 'feedback' AND w.id = n.id"
)


class SqliteRecalled(Repository):
    """Rows for recall."""

    def rows(self, nums: Sequence[int]) -> list[RecalledRow]:
        found = self._execute(
            _COLUMNS
            + " FROM json_each(?) g CROSS JOIN memories m ON m.num = g.value"
            + _BESIDE
            + " WHERE m.deleted_at IS NULL",
            (nums_json(nums),),
        )
        return [_row(row) for row in sorted(found, key=itemgetter(0))]

    def sessions(self, nums: Sequence[int]) -> dict[int, str]:
        found = self._execute(
            "SELECT m.num, s.id FROM json_each(?) g CROSS JOIN memories m ON m.num = g.value"
            " CROSS JOIN sessions s ON s.num = m.session WHERE m.deleted_at IS NULL",
            (nums_json(nums),),
        )
        return dict(found)

    def standing(
        self, types: Sequence[str], *, limit: int, domain: str | None = None
    ) -> list[RecalledRow]:
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
        rows = self._execute(
            "SELECT m.key, m.num FROM memories m WHERE m.key IN (SELECT value FROM json_each(?))"
            " AND m.status IN ('active', 'candidate') AND m.deleted_at IS NULL"
            " ORDER BY m.status DESC, m.num DESC",  # an active one comes last and stays
            (texts_json(keys),),
        )
        return dict(rows)

    def versions(self, keys: Sequence[str]) -> list[RecalledRow]:
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
        rows = self._execute(
            "SELECT m.num FROM turns t INDEXED BY turns_by_time"
            " CROSS JOIN memories m INDEXED BY memories_by_source ON m.source_turn_id = t.id"
            " AND m.type = 'episodes' AND m.status = 'active' AND m.deleted_at IS NULL"
            " WHERE t.at >= ? AND t.at < ? ORDER BY t.at DESC, t.num DESC LIMIT ?",
            (to_micros(since), to_micros(until), limit),
        )
        return [row[0] for row in rows]

    def labelled(self, words: Sequence[str], *, limit: int) -> list[int]:
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
        if not claim_ids:
            return {}
        rows = self._execute(
            "SELECT id, said_at, utc_offset FROM claims"
            " WHERE id IN (SELECT value FROM json_each(?))",
            (texts_json(claim_ids),),
        )
        return {claim: from_micros(at, offset) for claim, at, offset in rows}

    def unsure(self, attributes: Sequence[str]) -> list[UnsureClaim]:
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
        # Without a time the count is answered by an index alone.
        old = "" if raw_before is None else " AND m.said_at < ? AND m.compression = 'raw'"
        before = () if raw_before is None else (to_micros(raw_before),)
        rows = self._execute(
            "SELECT g.value, (SELECT count(*) FROM (SELECT 1 FROM memories m WHERE m.type = g.value"
            f" AND m.status = 'active'{old} LIMIT ?)) FROM json_each(?) g",
            (*before, most, texts_json(types)),
        )
        return dict(rows)


def _row(row: Row) -> RecalledRow:
    return _FORM.read(row, raw_refs=_spans(row[-1]))


def _spans(stored: str) -> tuple[RawRef, ...]:
    return tuple([RawRef(*span) for span in load(stored)])
