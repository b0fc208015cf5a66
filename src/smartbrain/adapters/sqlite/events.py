"""Sessions, turns, messages, tool calls and refs as rows (E1).

Implements `ports.repositories.Events`. Texts are spans here; whoever reads a turn puts them back.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

import apsw

from smartbrain.adapters.sqlite.connection import translating
from smartbrain.adapters.sqlite.rows import Row, Touched, json_text, load, optional_time
from smartbrain.domain.change import ChangeKind
from smartbrain.domain.time import from_micros, to_micros, utc_offset_seconds
from smartbrain.domain.turn import (
    CallStatus,
    LastTurn,
    Message,
    Ref,
    RefType,
    Role,
    Session,
    ToolCall,
    Turn,
)
from smartbrain.errors import Conflict, NotFound

_TURN = (
    "SELECT t.num, t.id, s.id, t.seq, t.at, t.utc_offset, t.run_id, t.context_id, t.rules_hash,"
    " t.proposals, t.created_at FROM turns t JOIN sessions s ON s.num = t.session "
)
CALL_COLUMNS = (
    "id, call_id, name, args, status, exit_code, result_json, result_spans, stdout_spans,"
    " stderr_spans, owner"
)
"""What is stored of a tool call beside its place."""
_BEFORE_ALL = (2**63 - 1, 0)  # a place that no session has, in front of all of them
_ROLES = {role.value: role for role in Role}
_NONE = (0, 0, 0)  # messages, tool calls and refs that a new turn has stored


@translating
class SqliteEvents:
    """The append-only record of what was said and done."""

    def __init__(self, connection: apsw.Connection, touched: Touched) -> None:
        self._execute = connection.execute
        self._executemany = connection.executemany
        self._connection = connection
        self._touched = touched

    def add_turns(self, turns: Sequence[Turn]) -> None:
        """Append turns with their parts; a session is made if new, reopened if ended."""
        with self._touched.whole:
            sessions = self._open_sessions(turns)
            nums = self._touched.new_numbers("turns", len(turns))
            self._executemany(
                "INSERT INTO turns (num, id, session, seq, at, utc_offset, run_id, context_id,"
                " rules_hash, proposals, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    (num, turn.id, sessions[turn.session_id], turn.seq, to_micros(turn.at))
                    + (utc_offset_seconds(turn.at), turn.run_id, turn.context_id, turn.rules_hash)
                    + (json_text(turn.proposals), to_micros(turn.created_at))
                    for num, turn in zip(nums, turns, strict=True)
                ],
            )
            self._add_parts([(num, turn, _NONE) for num, turn in zip(nums, turns, strict=True)])
        self._touched.note(ChangeKind.SESSION, sessions.values())
        self._touched.note(ChangeKind.TURN, nums)

    def _open_sessions(self, turns: Sequence[Turn]) -> dict[str, int]:
        """Count new turns in their sessions; return the sessions' numbers by id."""
        times: dict[str, list[int]] = {}
        for turn in turns:
            times.setdefault(turn.session_id, []).append(to_micros(turn.at))
        return {
            session_id: self._open_session(session_id, (min(at), max(at), len(at)))
            for session_id, at in times.items()
        }

    def _open_session(self, session_id: str, spoken: tuple[int, int, int]) -> int:
        """Count new turns, given their first time, their last and how many; return the number."""
        self._execute(
            "INSERT INTO sessions (id, started_at, last_at, turns) VALUES (?1, ?2, ?3, ?4)"
            " ON CONFLICT (id) DO UPDATE SET started_at = min(started_at, ?2),"
            " last_at = max(last_at, ?3), ended_at = NULL, turns = turns + ?4",
            (session_id, *spoken),
        )
        num: int | None = self._touched.sessions.get(session_id)
        if num is None:
            num = self._execute("SELECT num FROM sessions WHERE id = ?", (session_id,)).get
            assert num is not None
        return num

    def extend_turn(self, turn: Turn) -> None:
        """Append the parts that come after those a stored turn already has."""
        num = self._execute("SELECT num FROM turns WHERE id = ?", (turn.id,)).get
        if num is None:
            raise NotFound(f"there is no turn {turn.id!r} in this tenant")
        stored = self._execute(
            "SELECT (SELECT count(*) FROM messages WHERE turn = ?1),"
            " (SELECT count(*) FROM tool_calls WHERE turn = ?1),"
            " (SELECT count(*) FROM refs WHERE turn = ?1)",
            (num,),
        ).get
        with self._touched.whole:
            self._add_parts([(num, turn, stored)])
            self._execute(
                "UPDATE turns SET proposals = ?1 WHERE num = ?2 AND proposals <> ?1",
                (json_text(turn.proposals), num),
            )
        parts = (len(turn.messages), len(turn.tool_calls), len(turn.refs))
        if parts != stored or self._connection.changes():
            self._touched.note(ChangeKind.TURN, [num])

    def complete_call(self, call: ToolCall) -> None:
        """Write down how a stored tool call ended."""
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
        """Return a turn whole."""
        turns = self._read(list(self._execute(_TURN + "WHERE t.id = ?", (turn_id,))))
        if not turns:
            raise NotFound(f"there is no turn {turn_id!r} in this tenant")
        return turns[0]

    def turns(self, session_id: str, *, after: int = 0, limit: int = 100) -> list[Turn]:
        """Return a session's turns in order."""
        return self._read(
            list(
                self._execute(
                    _TURN + "WHERE s.id = ? AND t.seq > ? ORDER BY t.seq LIMIT ?",
                    (session_id, after, limit),
                )
            )
        )

    def last_turn(self, session_id: str) -> LastTurn | None:
        """Return where a session has come to, None for a new one."""
        row: Row | None = self._execute(
            "SELECT t.seq, t.id, t.at, t.utc_offset, s.last_at, s.ended_at IS NOT NULL, s.num"
            " FROM turns t JOIN sessions s"
            " ON s.num = t.session WHERE s.id = ? ORDER BY t.seq DESC LIMIT 1",
            (session_id,),
        ).get
        if row is None:
            return None
        self._touched.sessions[session_id] = row[6]
        at, latest = from_micros(row[2], row[3]), from_micros(row[4])
        return LastTurn(row[0], row[1], at, latest, ended=bool(row[5]))

    def sessions(
        self, *, after: tuple[int, int] | None = None, limit: int = 100
    ) -> list[tuple[tuple[int, int], Session]]:
        """Return sessions with their places, the one spoken in last first."""
        rows = self._execute(
            "SELECT id, started_at, last_at, ended_at, turns, num FROM sessions"
            " WHERE (last_at, num) < (?, ?) ORDER BY last_at DESC, num DESC LIMIT ?",
            (*(after or _BEFORE_ALL), limit),
        )
        return [
            (
                (row[2], row[5]),
                Session(
                    id=row[0],
                    started_at=from_micros(row[1]),
                    last_at=from_micros(row[2]),
                    ended_at=optional_time(row[3]),
                    turns=row[4],
                ),
            )
            for row in rows
        ]

    def end_session(self, session_id: str, at: datetime) -> None:
        """Mark a session as ended."""
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
            "messages (turn, ordinal, id, role, name, external_id, model, meta, spans)",
            [
                (num, ordinal, part.id, part.role, part.name, part.external_id, part.model)
                + (json_text(part.meta), spans(part.spans))
                for num, turn, stored in turns
                for ordinal, part in enumerate(turn.messages[stored[0] :], stored[0])
            ],
        )
        self._insert(
            f"tool_calls (turn, ordinal, {CALL_COLUMNS})",
            [
                (num, ordinal, call.id, call.call_id, call.name, json_text(call.args))
                + (call.status, call.exit_code, int(call.result_json), spans(call.result_spans))
                + (spans(call.stdout_spans), spans(call.stderr_spans), call.owner)
                for num, turn, stored in turns
                for ordinal, call in enumerate(turn.tool_calls[stored[1] :], stored[1])
            ],
        )
        self._insert(
            "refs (turn, ordinal, id, ref_type, ref_uri, ref_meta)",
            [
                (num, ordinal, ref.id, ref.ref_type, ref.ref_uri, json_text(ref.ref_meta))
                for num, turn, stored in turns
                for ordinal, ref in enumerate(turn.refs[stored[2] :], stored[2])
            ],
        )

    def _insert(self, columns: str, rows: Sequence[Row]) -> None:
        """Write the rows of one table."""
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self._executemany(f"INSERT INTO {columns} VALUES ({marks})", rows)

    def _read(self, rows: list[Row]) -> list[Turn]:
        """Read turns with their parts, a few queries however many turns there are."""
        nums = json.dumps([row[0] for row in rows])
        messages, calls, refs = self._messages(nums), self._calls(nums), self._refs(nums)
        return [
            Turn(
                id=row[1],
                session_id=row[2],
                seq=row[3],
                at=from_micros(row[4], row[5]),
                run_id=row[6],
                context_id=row[7],
                rules_hash=row[8],
                proposals=load(row[9]),
                created_at=from_micros(row[10]),
                messages=tuple(messages[row[0]]),
                tool_calls=tuple(calls[row[0]]),
                refs=tuple(refs[row[0]]),
            )
            for row in rows
        ]

    def _messages(self, nums: str) -> dict[int, list[Message]]:
        """Read the messages of turns, by turn."""
        rows = self._parts("id, role, name, external_id, model, meta, spans", "messages", nums)
        found: dict[int, list[Message]] = defaultdict(list)
        spans = self._touched.read_spans([row[7] for row in rows])
        for row, span in zip(rows, spans, strict=True):
            turn, message_id, role, name, external_id, model, meta, _ = row
            found[turn].append(
                Message(
                    id=message_id,
                    role=_ROLES[role],
                    name=name,
                    external_id=external_id,
                    model=model,
                    meta=load(meta),
                    spans=span,
                )
            )
        return found

    def _calls(self, nums: str) -> dict[int, list[ToolCall]]:
        """Read the tool calls of turns, by turn."""
        rows = self._parts(CALL_COLUMNS, "tool_calls", nums)
        found: dict[int, list[ToolCall]] = defaultdict(list)
        for row, call in zip(rows, read_calls(rows, self._touched), strict=True):
            found[row[0]].append(call)
        return found

    def _refs(self, nums: str) -> dict[int, list[Ref]]:
        """Read the refs of turns, by turn."""
        found: dict[int, list[Ref]] = defaultdict(list)
        for turn, ref_id, kind, uri, meta in self._parts(
            "id, ref_type, ref_uri, ref_meta", "refs", nums
        ):
            found[turn].append(
                Ref(id=ref_id, ref_type=RefType(kind), ref_uri=uri, ref_meta=load(meta))
            )
        return found

    def _parts(self, columns: str, table: str, nums: str) -> list[Row]:
        """Return the rows of a part table in order, each after the number of its turn."""
        return list(
            self._execute(
                f"SELECT turn, {columns} FROM {table}"
                " WHERE turn IN (SELECT value FROM json_each(?)) ORDER BY turn, ordinal",
                (nums,),
            )
        )


def read_calls(rows: Sequence[Row], touched: Touched) -> list[ToolCall]:
    """Read tool calls from rows of `CALL_COLUMNS`, each after the number of its turn."""
    spans = iter(touched.read_spans([text for row in rows for text in row[8:11]]))
    return [
        ToolCall(
            id=row[1],
            call_id=row[2],
            name=row[3],
            args=load(row[4]),
            status=CallStatus(row[5]),
            exit_code=row[6],
            result_json=bool(row[7]),
            result_spans=next(spans),
            stdout_spans=next(spans),
            stderr_spans=next(spans),
            owner=row[11],
        )
        for row in rows
    ]
