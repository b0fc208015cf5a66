"""Tool calls by id and newest first (W6). Implements `ports.calls.Calls`.

What a row says is read as `events` reads it; texts are spans here too.
"""

from __future__ import annotations

from typing import Any, Final

import apsw

from smartbrain.adapters.sqlite.connection import translating
from smartbrain.adapters.sqlite.events import CALL_COLUMNS, read_calls
from smartbrain.adapters.sqlite.rows import Row, Touched
from smartbrain.domain.artifact import StoredCall
from smartbrain.domain.time import from_micros

_COLUMNS: Final = ", ".join(f"c.{name.strip()}" for name in CALL_COLUMNS.split(","))
_SELECT: Final = (
    f"SELECT c.turn, {_COLUMNS}, c.ordinal, s.id, t.id, t.created_at FROM tool_calls c"
    " JOIN turns t ON t.num = c.turn JOIN sessions s ON s.num = t.session WHERE "
)
_AFTER_ALL: Final = (2**63 - 1, 0)  # a place that no call has, behind all of them


@translating
class SqliteCalls:
    """The runs of tools, one by one."""

    def __init__(self, connection: apsw.Connection, touched: Touched) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._touched = touched

    def get(self, call_id: str) -> StoredCall | None:
        """Return the call of an id, ours or its caller's; of several, the latest."""
        rows = list(self._execute(_SELECT + "c.id = ?", (call_id,)))
        if not rows:  # the caller's id is in no index
            latest = "c.call_id = ? ORDER BY c.turn DESC, c.ordinal DESC LIMIT 1"
            rows = list(self._execute(_SELECT + latest, (call_id,)))
        return self._stored(rows)[0][1] if rows else None

    def page(
        self,
        *,
        session_id: str | None = None,
        turn_id: str | None = None,
        before: tuple[int, int] | None = None,
        limit: int = 50,
    ) -> list[tuple[tuple[int, int], StoredCall]]:
        """Return calls with their places, newest first."""
        asked: dict[str, Any] = {}
        if session_id is not None:
            asked["s.id = ?"] = session_id
        if turn_id is not None:
            asked["t.id = ?"] = turn_id
        where = " AND ".join([*asked, "(c.turn, c.ordinal) < (?, ?)"])
        rows = self._execute(
            f"{_SELECT}{where} ORDER BY c.turn DESC, c.ordinal DESC LIMIT ?",
            (*asked.values(), *(before or _AFTER_ALL), limit),
        )
        return self._stored(list(rows))

    def _stored(self, rows: list[Row]) -> list[tuple[tuple[int, int], StoredCall]]:
        """Read rows."""
        calls = read_calls(rows, self._touched)
        return [
            (
                (row[0], row[-4]),
                StoredCall(
                    call=call,
                    session_id=row[-3],
                    turn_id=row[-2],
                    created_at=from_micros(row[-1]),
                ),
            )
            for row, call in zip(rows, calls, strict=True)
        ]
