"""One transaction on one connection: its repositories, its number and what it leaves in the log.

In: a connection and whose tenant it is. Out: `ports.truth.Transaction`. Who may begin one, and
when, is decided by `truth`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import apsw

from smartbrain.adapters.sqlite.connection import require_row, require_transaction
from smartbrain.adapters.sqlite.erasure import SqliteErasure
from smartbrain.adapters.sqlite.events import SqliteCalls, SqliteEvents, SqliteRawChunks
from smartbrain.adapters.sqlite.followed import SqliteFollowed, SqliteVectors
from smartbrain.adapters.sqlite.forgettings import SqliteForgettings
from smartbrain.adapters.sqlite.ledger import (
    SqliteEdges,
    SqliteLedger,
    SqliteReplayed,
    SqliteWorking,
)
from smartbrain.adapters.sqlite.memories import SqliteClaims, SqliteMemories, SqliteRemembering
from smartbrain.adapters.sqlite.memory_events import (
    SqliteMemoryEvents,
    last_number,
    stamp_events,
)
from smartbrain.adapters.sqlite.migrate import latest
from smartbrain.adapters.sqlite.recalled import SqliteComposed, SqliteRecalled
from smartbrain.adapters.sqlite.rows import Touched
from smartbrain.adapters.sqlite.sources import (
    SqliteMentions,
    SqliteSources,
    SqliteUsage,
)
from smartbrain.domain.time import Clock
from smartbrain.errors import Conflict, InternalError
from smartbrain.ports import truth as port
from smartbrain.ports.erasure import Erasure
from smartbrain.ports.forgettings import Forgettings
from smartbrain.ports.memory_events import MemoryEvents

_LOG: Final = "INSERT INTO changes (seq, kind, num, op) VALUES (?, ?, ?, ?)"


class SqliteTransaction:
    """The repositories over one connection; `touched` is what the transaction has changed."""

    def __init__(
        self, connection: apsw.Connection, tenant: str, clock: Clock, version: int | None = None
    ) -> None:
        self.connection = connection
        self._clock = clock
        self._last_event = 0
        self._version = version or latest()
        self.touched = touched = Touched(connection, tenant)
        self.events: port.StoredEvents = SqliteEvents(connection, touched)
        self.calls: port.ToolCalls = SqliteCalls(connection, touched)
        raw = SqliteRawChunks(connection, touched)
        self.raw: port.RawChunks = raw
        self.memories: port.Memories = SqliteMemories(connection, touched)
        claims = SqliteClaims(connection, touched)
        self.claims: port.Claims = claims
        self.remembering: port.Remembering = SqliteRemembering(connection, touched)
        self.mentions: port.Mentions = SqliteMentions(connection, touched)
        self.edges: port.Edges = SqliteEdges(connection, touched)
        self.ledger: port.Ledger = SqliteLedger(connection, touched)
        self.working: port.Working = SqliteWorking(connection, touched)
        self.followed: port.Followed = SqliteFollowed(connection, touched)
        self.recalled: port.Recalled = SqliteRecalled(connection, touched)
        self.composed: port.Composed = SqliteComposed(connection, touched)
        self.vectors: port.Vectors = SqliteVectors(connection, touched)
        self.replayed: port.Replayed = SqliteReplayed(connection, touched)
        self.sources: port.Sources = SqliteSources(connection, touched)
        self.usage: port.Usage = SqliteUsage(connection, touched)
        self.forgettings: Forgettings = SqliteForgettings(connection, touched)
        self.erasure: Erasure = SqliteErasure(connection, touched, claims, raw)
        self.memory_events: MemoryEvents = SqliteMemoryEvents(connection, touched)
        self._afterwards: list[Callable[[], None]] = []

    def after_commit(self, action: Callable[[], None]) -> None:
        self._afterwards.append(action)

    def begin(self, path: str, *, write: bool = False) -> None:
        """Start, and make sure that the schema is still the one we know."""
        self.touched.clear()
        self._afterwards.clear()
        self.connection.execute("BEGIN IMMEDIATE" if write else "BEGIN")
        if self.connection.execute("PRAGMA user_version").get != self._version:
            raise Conflict(
                f"{path}: another process upgraded this database; close the brain and reopen it"
                " with the same version of smartbrain",
                code="schema_moved",
            )
        if write:
            self._last_event = last_number(self.connection)

    def commit(self) -> None:
        require_transaction(self.connection)
        if self.touched.half_done:
            raise InternalError("a change failed half-way; let its error leave the block")
        changes = self.touched.changes
        if changes:
            counted = self.connection.execute("UPDATE tenant SET seq = seq + 1 RETURNING seq")
            seq = require_row(counted.get, self.connection.filename)
            rows = [
                (seq, kind, num, op)
                for kind, ops in sorted(changes.items())
                for num, op in ops.items()
            ]
            self.connection.executemany(_LOG, rows)
        stamp_events(self.connection, self._last_event, self._clock)
        self.connection.execute("COMMIT")

    def take_actions(self) -> list[Callable[[], None]]:
        """Return what is to be done once the transaction is durable."""
        actions, self._afterwards = self._afterwards, []
        return actions

    def abort(self) -> None:
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")
