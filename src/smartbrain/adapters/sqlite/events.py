"""Events as rows: sessions, turns, messages, tool calls, refs and their raw chunks (E1, E2, W6).

Implements `ports.truth.StoredEvents`, `ToolCalls` and `RawChunks`. Texts are spans of chunks here;
whoever reads a turn puts them back. A chunk is known by its address; the same content arriving
again only raises its count.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Final

from msgspec import structs

from smartbrain.adapters.sqlite.rows import (
    Repository,
    Row,
    RowForm,
    T,
    Touched,
    json_text,
    nums_json,
)
from smartbrain.domain.artifact import StoredCall
from smartbrain.domain.change import ChangeKind, ChangeOp
from smartbrain.domain.graph import NodeKind
from smartbrain.domain.time import from_micros, to_micros
from smartbrain.domain.turn import (
    LastTurn,
    Message,
    RawChunk,
    RawTier,
    Ref,
    Session,
    ToolCall,
    Turn,
)
from smartbrain.errors import Conflict, NotFound

_CHUNKS: Final = RowForm(RawChunk, "address length mime body path tier held stored_at")
_SELECT: Final = (
    f"SELECT {_CHUNKS.prefixed('r')}, n.id, r.num FROM raw_chunks r JOIN nodes n ON n.num = r.num "
)
_SOME: Final = _SELECT + "WHERE r.num IN (SELECT value FROM json_each(?)) ORDER BY r.num"


class SqliteRawChunks(Repository):
    """Who holds which piece of original content."""

    def hold(self, chunks: Sequence[RawChunk]) -> None:
        uses: dict[str, int] = {}
        for chunk in chunks:
            uses[chunk.address] = uses.get(chunk.address, 0) + 1
        first = {chunk.address: chunk for chunk in reversed(chunks)}
        with self._touched.whole():
            rows = self._executemany(
                "SELECT address, num FROM raw_chunks WHERE address = ?",
                [(address,) for address in uses],
            )
            known = dict(rows)
            if known:
                self._executemany(
                    "UPDATE raw_chunks SET held = held + ? WHERE num = ?",
                    [(uses[address], num) for address, num in known.items()],
                )
                self._touched.numbers.update(
                    (first[address].id, num) for address, num in known.items()
                )
            new = [first[address] for address in uses if address not in known]
            nums = self._touched.add_nodes([chunk.id for chunk in new], NodeKind.RAW)
            self._executemany(
                f"INSERT INTO raw_chunks ({_CHUNKS.columns}, num) VALUES ({_CHUNKS.marks}, ?)",
                [
                    (*_CHUNKS.row(structs.replace(chunk, held=uses[chunk.address])), num)
                    for num, chunk in zip(nums, new, strict=True)
                ],
            )
        self._touched.note(ChangeKind.RAW, nums)

    def release(self, raw_ids: Sequence[str]) -> None:
        wanted: dict[str, int] = {}
        for raw_id in raw_ids:
            wanted[raw_id] = wanted.get(raw_id, 0) + 1
        held = {raw_id: chunk.held for raw_id, chunk in self.get(wanted).items()}
        for raw_id, count in wanted.items():
            if held.get(raw_id, 0) < count:
                raise Conflict(f"raw chunk {raw_id} is not held {count} times; nothing released")
        for raw_id, count in wanted.items():
            self._execute(
                "UPDATE raw_chunks SET held = held - ? WHERE num = ?",
                (count, self._touched.number(raw_id)),
            )

    def get(self, raw_ids: Iterable[str]) -> dict[str, RawChunk]:
        rows = self._execute(
            _SELECT + "WHERE n.id IN (SELECT value FROM json_each(?))", (json.dumps(list(raw_ids)),)
        )
        return {row[-2]: _chunk(row) for row in rows}

    def page(self, after: int, limit: int) -> list[tuple[int, RawChunk]]:
        rows = self._execute(_SELECT + "WHERE r.num > ? ORDER BY r.num LIMIT ?", (after, limit))
        return [(row[-1], _chunk(row)) for row in rows]

    def paths(self) -> dict[str, RawChunk]:
        rows = self._execute(_SELECT + "WHERE r.path IS NOT NULL ORDER BY r.path")
        return {row[4]: _chunk(row) for row in rows}

    def turns_with(self, raw_ids: Iterable[str]) -> dict[str, list[tuple[str, int]]]:
        rows = self._execute(
            "WITH parts (turn, spans) AS (SELECT turn, spans FROM messages"
            " UNION ALL SELECT turn, result_spans FROM tool_calls"
            " UNION ALL SELECT turn, stdout_spans FROM tool_calls"
            " UNION ALL SELECT turn, stderr_spans FROM tool_calls)"
            " SELECT DISTINCT n.id, s.id, t.seq, s.num FROM parts p, json_each(p.spans) e"
            " JOIN nodes n ON n.num = e.value ->> 0 JOIN turns t ON t.num = p.turn"
            " JOIN sessions s ON s.num = t.session"
            " WHERE n.id IN (SELECT value FROM json_each(?)) ORDER BY s.num, t.seq",
            (json.dumps(list(raw_ids)),),
        )
        found: dict[str, list[tuple[str, int]]] = {}
        for raw_id, session_id, seq, _ in rows:
            found.setdefault(raw_id, []).append((session_id, seq))
        return found

    def age(self, cold: datetime, archived: datetime) -> int:
        moved = 0
        for tier, time in ((RawTier.ARCHIVED, archived), (RawTier.COLD, cold)):
            colder = (RawTier.ARCHIVED.value, tier.value)
            self._execute(
                "UPDATE raw_chunks SET tier = ? WHERE stored_at < ? AND tier NOT IN (?, ?)",
                (tier.value, to_micros(time), *colder),
            )
            moved += self._connection.changes()
        return moved

    def unneeded(self, before: datetime) -> list[RawChunk]:
        rows = self._execute(
            _SELECT + "WHERE r.stored_at < ? AND r.held > 0 AND NOT EXISTS (SELECT 1 FROM edges e"
            " JOIN memories m ON m.num = e.src JOIN memories f"
            " ON f.source_turn_id = m.source_turn_id AND f.status = 'active'"
            " AND f.type NOT IN ('episodes', 'entities', 'statements', 'concepts')"
            " WHERE e.dst = r.num AND e.type = 'DERIVED_FROM') ORDER BY r.num",
            (to_micros(before),),
        )
        return [_chunk(row) for row in rows]

    def drop_unheld(self) -> list[RawChunk]:
        unheld = [
            _chunk(row)
            for row in self._execute(
                _SELECT + "WHERE r.held = 0 AND NOT EXISTS"
                " (SELECT 1 FROM edges e WHERE e.src = r.num OR e.dst = r.num) ORDER BY r.num"
            )
        ]
        if not unheld:
            return []
        # Reads every memory, but only on the rare occasion that something was let go of.
        told = {
            row[0]
            for row in self._execute(
                "SELECT DISTINCT e.value ->> 0 FROM memories m, json_each(m.raw_refs) e"
            )
        }
        chunks = [chunk for chunk in unheld if self._touched.number(chunk.id) not in told]
        for chunk in chunks:
            num = self._touched.number(chunk.id)
            self._execute("DELETE FROM raw_chunks WHERE num = ?", (num,))
            self._execute("DELETE FROM nodes WHERE num = ?", (num,))
            self._touched.note(ChangeKind.RAW, [num], ChangeOp.DELETE)
            del self._touched.numbers[chunk.id]
        return chunks


def numbered_chunks(
    execute: Callable[..., Iterable[Row]], nums: Iterable[int]
) -> list[tuple[int, RawChunk]]:
    """Return the known ones among chunks given by number, lowest first."""
    return [(row[-1], _chunk(row)) for row in execute(_SOME, (nums_json(nums),))]


def _chunk(row: Row) -> RawChunk:
    return _CHUNKS.read(row, id=row[-2])


_TURNS: Final = RowForm(
    Turn, "id seq at utc_offset=at: run_id context_id rules_hash proposals created_at"
)
_TURN: Final = (
    f"SELECT {_TURNS.prefixed('t')}, s.id, t.num FROM turns t JOIN sessions s ON s.num = t.session "
)
_SESSIONS: Final = RowForm(Session, "id started_at last_at ended_at turns")
_MESSAGES: Final = RowForm(Message, "id role name external_id model meta")
_REFS: Final = RowForm(Ref, "id ref_type ref_uri ref_meta")
CALLS: Final = RowForm(ToolCall, "id call_id name args status exit_code result_json owner")
"""What is stored of a tool call beside its place and its texts."""
CALL_SPANS: Final = ("result_spans", "stdout_spans", "stderr_spans")
_BEFORE_ALL: Final = (2**63 - 1, 0)  # a place that no session has, in front of all of them
_NONE: Final = (0, 0, 0)  # messages, tool calls and refs that a new turn has stored


class SqliteEvents(Repository):
    """The append-only record of what was said and done."""

    def add_turns(self, turns: Sequence[Turn]) -> None:
        with self._touched.whole():
            times: dict[str, list[int]] = {}
            for turn in turns:
                times.setdefault(turn.session_id, []).append(to_micros(turn.at))
            sessions = {
                session_id: self._open_session(session_id, (min(at), max(at), len(at)))
                for session_id, at in times.items()
            }
            rows = self._executemany(
                f"INSERT INTO turns ({_TURNS.columns}, session) VALUES ({_TURNS.marks}, ?)"
                " RETURNING num",
                [(*_TURNS.row(turn), sessions[turn.session_id]) for turn in turns],
            )
            nums = [row[0] for row in rows]
            self._add_parts([(num, turn, _NONE) for num, turn in zip(nums, turns, strict=True)])
        self._touched.note(ChangeKind.SESSION, sessions.values())
        self._touched.note(ChangeKind.TURN, nums)

    def _open_session(self, session_id: str, spoken: tuple[int, int, int]) -> int:
        """Count new turns, given their first time, their last and how many; return the number."""
        num: int = self._execute(
            "INSERT INTO sessions (id, started_at, last_at, turns) VALUES (?1, ?2, ?3, ?4)"
            " ON CONFLICT (id) DO UPDATE SET started_at = min(started_at, ?2),"
            " last_at = max(last_at, ?3), ended_at = NULL, turns = turns + ?4 RETURNING num",
            (session_id, *spoken),
        ).get
        return num

    def extend_turn(self, turn: Turn) -> None:
        num = self._execute("SELECT num FROM turns WHERE id = ?", (turn.id,)).get
        if num is None:
            raise NotFound(f"there is no turn {turn.id!r} in this tenant")
        stored = self._execute(
            "SELECT (SELECT count(*) FROM messages WHERE turn = ?1),"
            " (SELECT count(*) FROM tool_calls WHERE turn = ?1),"
            " (SELECT count(*) FROM refs WHERE turn = ?1)",
            (num,),
        ).get
        with self._touched.whole():
            self._add_parts([(num, turn, stored)])
            self._execute(
                "UPDATE turns SET proposals = ?1 WHERE num = ?2 AND proposals <> ?1",
                (json_text(turn.proposals), num),
            )
        parts = (len(turn.messages), len(turn.tool_calls), len(turn.refs))
        if parts != stored or self._connection.changes():
            self._touched.note(ChangeKind.TURN, [num])

    def complete_call(self, call: ToolCall) -> None:
        spans = self._touched.spans
        num = self._execute(
            "UPDATE tool_calls SET status = ?, exit_code = ?, result_json = ?, result_spans = ?,"
            " stdout_spans = ?, stderr_spans = ? WHERE id = ? AND result_spans = '[]'"
            " AND stdout_spans = '[]' AND stderr_spans = '[]' RETURNING turn",
            (
                call.status.value,
                call.exit_code,
                int(call.result_json),
                spans(call.result_spans),
                spans(call.stdout_spans),
                spans(call.stderr_spans),
                call.id,
            ),
        ).get
        if num is None:
            if self._execute("SELECT 1 FROM tool_calls WHERE id = ?", (call.id,)).get is None:
                raise NotFound(f"there is no tool call {call.id!r} in this tenant")
            raise Conflict(f"tool call {call.id!r} has its output already; append another call")
        self._touched.note(ChangeKind.TURN, [num])

    def turn(self, turn_id: str) -> Turn:
        turns = self._read(list(self._execute(_TURN + "WHERE t.id = ?", (turn_id,))))
        if not turns:
            raise NotFound(f"there is no turn {turn_id!r} in this tenant")
        return turns[0]

    def turns(self, session_id: str, *, after: int = 0, limit: int = 100) -> list[Turn]:
        return self._read(
            list(
                self._execute(
                    _TURN + "WHERE s.id = ? AND t.seq > ? ORDER BY t.seq LIMIT ?",
                    (session_id, after, limit),
                )
            )
        )

    def last_turn(self, session_id: str) -> LastTurn | None:
        row: Row | None = self._execute(
            "SELECT t.seq, t.id, t.at, t.utc_offset, s.last_at, s.ended_at IS NOT NULL"
            " FROM turns t JOIN sessions s"
            " ON s.num = t.session WHERE s.id = ? ORDER BY t.seq DESC LIMIT 1",
            (session_id,),
        ).get
        if row is None:
            return None
        at, latest = from_micros(row[2], row[3]), from_micros(row[4])
        return LastTurn(row[0], row[1], at, latest, ended=bool(row[5]))

    def sessions(
        self, *, after: tuple[int, int] | None = None, limit: int = 100
    ) -> list[tuple[tuple[int, int], Session]]:
        rows = self._execute(
            f"SELECT {_SESSIONS.columns}, num FROM sessions"
            " WHERE (last_at, num) < (?, ?) ORDER BY last_at DESC, num DESC LIMIT ?",
            (*(after or _BEFORE_ALL), limit),
        )
        return [((row[2], row[-1]), _SESSIONS.read(row)) for row in rows]

    def end_session(self, session_id: str, at: datetime) -> None:
        num = self._execute(
            "UPDATE sessions SET ended_at = ? WHERE id = ? RETURNING num",
            (to_micros(at), session_id),
        ).get
        if num is None:
            raise NotFound(f"there is no session {session_id!r} in this tenant")
        self._touched.note(ChangeKind.SESSION, [num])

    def _add_parts(self, turns: Sequence[tuple[int, Turn, tuple[int, int, int]]]) -> None:
        """Write turns' messages, tool calls and refs after as many as are stored of each."""
        spans = self._touched.spans
        self._insert(
            f"messages (turn, ordinal, {_MESSAGES.columns}, spans)",
            [
                (num, ordinal, *_MESSAGES.row(part), spans(part.spans))
                for num, turn, stored in turns
                for ordinal, part in enumerate(turn.messages[stored[0] :], stored[0])
            ],
        )
        self._insert(
            f"tool_calls (turn, ordinal, {CALLS.columns}, {', '.join(CALL_SPANS)})",
            [
                (num, ordinal, *CALLS.row(call), spans(call.result_spans))
                + (spans(call.stdout_spans), spans(call.stderr_spans))
                for num, turn, stored in turns
                for ordinal, call in enumerate(turn.tool_calls[stored[1] :], stored[1])
            ],
        )
        self._insert(
            f"refs (turn, ordinal, {_REFS.columns})",
            [
                (num, ordinal, *_REFS.row(ref))
                for num, turn, stored in turns
                for ordinal, ref in enumerate(turn.refs[stored[2] :], stored[2])
            ],
        )

    def _insert(self, columns: str, rows: Sequence[Row]) -> None:
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self._executemany(f"INSERT INTO {columns} VALUES ({marks})", rows)

    def _read(self, rows: list[Row]) -> list[Turn]:
        nums = json.dumps([row[-1] for row in rows])
        messages = self._parts(_MESSAGES, "messages", ("spans",), nums)
        calls = self._parts(CALLS, "tool_calls", CALL_SPANS, nums)
        refs = self._parts(_REFS, "refs", (), nums)
        return [
            _TURNS.read(
                row,
                session_id=row[-2],
                messages=tuple(messages[row[-1]]),
                tool_calls=tuple(calls[row[-1]]),
                refs=tuple(refs[row[-1]]),
            )
            for row in rows
        ]

    def _parts(
        self, form: RowForm[T], table: str, texts: Sequence[str], nums: str
    ) -> dict[int, list[T]]:
        rows: list[Row] = self._execute(
            f"SELECT {', '.join((*form.names, *texts))}, turn FROM {table}"
            " WHERE turn IN (SELECT value FROM json_each(?)) ORDER BY turn, ordinal",
            (nums,),
        ).fetchall()
        found: dict[int, list[T]] = defaultdict(list)
        for row, part in zip(rows, read_parts(form, texts, rows, self._touched), strict=True):
            found[row[-1]].append(part)
        return found


def read_parts(
    form: RowForm[T], texts: Sequence[str], rows: Sequence[Row], touched: Touched
) -> list[T]:
    """Read records whose rows have spans of texts behind their columns."""
    first, last = len(form.names), len(form.names) + len(texts)
    spans = iter(touched.read_spans([text for row in rows for text in row[first:last]]))
    return [form.read(row, **{name: next(spans) for name in texts}) for row in rows]


_CALL: Final = (
    f"SELECT {CALLS.prefixed('c')}, {', '.join(f'c.{name}' for name in CALL_SPANS)}, c.turn,"
    " c.ordinal, s.id, t.id, t.created_at FROM tool_calls c"
    " JOIN turns t ON t.num = c.turn JOIN sessions s ON s.num = t.session WHERE "
)
_AFTER_ALL: Final = (2**63 - 1, 0)  # a place that no call has, behind all of them


class SqliteCalls(Repository):
    """The runs of tools, one by one."""

    def get(self, call_id: str) -> StoredCall | None:
        rows = list(self._execute(_CALL + "c.id = ?", (call_id,)))
        if not rows:  # the caller's id is in no index
            latest = "c.call_id = ? ORDER BY c.turn DESC, c.ordinal DESC LIMIT 1"
            rows = list(self._execute(_CALL + latest, (call_id,)))
        return self._stored(rows)[0][1] if rows else None

    def page(
        self,
        *,
        session_id: str | None = None,
        turn_id: str | None = None,
        before: tuple[int, int] | None = None,
        limit: int = 50,
    ) -> list[tuple[tuple[int, int], StoredCall]]:
        asked: dict[str, Any] = {}
        if session_id is not None:
            asked["s.id = ?"] = session_id
        if turn_id is not None:
            asked["t.id = ?"] = turn_id
        where = " AND ".join([*asked, "(c.turn, c.ordinal) < (?, ?)"])
        rows = self._execute(
            f"{_CALL}{where} ORDER BY c.turn DESC, c.ordinal DESC LIMIT ?",
            (*asked.values(), *(before or _AFTER_ALL), limit),
        )
        return self._stored(list(rows))

    def _stored(self, rows: list[Row]) -> list[tuple[tuple[int, int], StoredCall]]:
        calls = read_parts(CALLS, CALL_SPANS, rows, self._touched)
        return [
            (
                (turn, ordinal),
                StoredCall(
                    call=call, session_id=session, turn_id=turn_id, created_at=from_micros(at)
                ),
            )
            for (*_, turn, ordinal, session, turn_id, at), call in zip(rows, calls, strict=True)
        ]
