"""One transaction on one connection: its repositories, its number and what it leaves in the log.

In: a connection and whose tenant it is. Out: `ports.truth.Transaction`. Who may begin one, and
when, is decided by `truth`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import apsw

from smartbrain.adapters.sqlite.calls import SqliteCalls
from smartbrain.adapters.sqlite.claims import SqliteClaims
from smartbrain.adapters.sqlite.composed import SqliteComposed
from smartbrain.adapters.sqlite.connection import require_row, require_transaction
from smartbrain.adapters.sqlite.edges import SqliteEdges
from smartbrain.adapters.sqlite.events import SqliteEvents
from smartbrain.adapters.sqlite.followed import SqliteFollowed
from smartbrain.adapters.sqlite.ledger import SqliteLedger
from smartbrain.adapters.sqlite.memories import SqliteMemories
from smartbrain.adapters.sqlite.mentions import SqliteMentions
from smartbrain.adapters.sqlite.migrate import latest
from smartbrain.adapters.sqlite.raw import SqliteRawChunks
from smartbrain.adapters.sqlite.recalled import SqliteRecalled
from smartbrain.adapters.sqlite.remembering import SqliteRemembering
from smartbrain.adapters.sqlite.replayed import SqliteReplayed
from smartbrain.adapters.sqlite.rows import Touched
from smartbrain.adapters.sqlite.sources import SqliteSources
from smartbrain.adapters.sqlite.usage import SqliteUsage
from smartbrain.adapters.sqlite.vectors import SqliteVectors
from smartbrain.adapters.sqlite.withheld import SqliteWithheld
from smartbrain.adapters.sqlite.working import SqliteWorking
from smartbrain.errors import Conflict, InternalError
from smartbrain.ports.calls import Calls
from smartbrain.ports.claims import Claims
from smartbrain.ports.composed import Composed
from smartbrain.ports.edges import Edges
from smartbrain.ports.followed import Followed, Vectors
from smartbrain.ports.mentions import Mentions
from smartbrain.ports.recalled import Recalled
from smartbrain.ports.remembering import Remembering
from smartbrain.ports.replayed import Replayed
from smartbrain.ports.repositories import (
    Events,
    Ledger,
    Memories,
    RawChunks,
    Working,
)
from smartbrain.ports.sources import Sources
from smartbrain.ports.usage import Usage
from smartbrain.ports.withheld import Withheld

_LOG: Final = "INSERT INTO changes (seq, kind, num, op) VALUES "
_CHANGE: Final = "(?, ?, ?, ?)"
_AT_ONCE: Final = 32  # changes that one statement logs, in half the time; no turn has more


class SqliteTransaction:
    """The repositories over one connection; `touched` is what the transaction has changed."""

    def __init__(
        self, connection: apsw.Connection, tenant: str, version: int | None = None
    ) -> None:
        """Take a connection, its tenant, and its schema's version if that is not the latest."""
        self.connection = connection
        self._version = version or latest()
        self.touched = Touched(connection)
        self.events: Events = SqliteEvents(connection, self.touched)
        self.calls: Calls = SqliteCalls(connection, self.touched)
        raw = SqliteRawChunks(connection, self.touched)
        self.raw: RawChunks = raw
        memories = SqliteMemories(connection, self.touched, tenant)
        self.memories: Memories = memories
        self.claims: Claims = SqliteClaims(connection, self.touched)
        self.remembering: Remembering = SqliteRemembering(connection, self.touched, memories)
        self.mentions: Mentions = SqliteMentions(connection)
        edges = SqliteEdges(connection, self.touched, tenant)
        self.edges: Edges = edges
        self.ledger: Ledger = SqliteLedger(connection, self.touched)
        self.working: Working = SqliteWorking(connection, self.touched)
        self._followed = SqliteFollowed(connection, raw)
        self.followed: Followed = self._followed
        self.recalled: Recalled = SqliteRecalled(connection)
        self.composed: Composed = SqliteComposed(connection, raw)
        self.vectors: Vectors = SqliteVectors(connection, self.touched)
        self.replayed: Replayed = SqliteReplayed(connection, edges)
        self.sources: Sources = SqliteSources(connection)
        self.usage: Usage = SqliteUsage(connection)
        self.withheld: Withheld = SqliteWithheld(connection)
        self._afterwards: list[Callable[[], None]] = []
        self._seen: int | None = None  # what tells whether anybody else has written since

    def after_commit(self, action: Callable[[], None]) -> None:
        """Run `action` once this transaction is durable, before any other writer may start."""
        self._afterwards.append(action)

    def begin_reading(self, path: str) -> None:
        """Start, and make sure that the schema is still the one we know."""
        self._start("BEGIN")
        self.touched.forget()
        self._seen = None
        self.check_schema(path)

    def begin_writing(self, path: str) -> None:
        """Start; what is known of the rows is still so unless somebody else has written since."""
        self._start("BEGIN IMMEDIATE")
        seen: int = self.connection.execute("PRAGMA data_version").get
        if seen != self._seen:
            self.touched.forget()
            self.check_schema(path)
            self._seen = seen

    def _start(self, how: str) -> None:
        self.touched.clear()
        self._afterwards.clear()
        self.connection.execute(how)
        self._followed.forget()

    def check_schema(self, path: str) -> None:
        """Make sure that no other process has moved the schema.

        Raises:
            Conflict: code `schema_moved`.
        """
        if self.connection.execute("PRAGMA user_version").get != self._version:
            raise Conflict(
                f"{path}: another process upgraded this database; close the brain and reopen it"
                " with the same version of smartbrain",
                code="schema_moved",
            )

    def commit(self) -> None:
        """Number the transaction, log its changes and make it durable."""
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
            if len(rows) <= _AT_ONCE:
                every = ", ".join([_CHANGE] * len(rows))
                self.connection.execute(_LOG + every, [value for row in rows for value in row])
            else:
                self.connection.executemany(_LOG + _CHANGE, rows)
        self.connection.execute("COMMIT")

    def run_after_commit(self) -> None:
        """Do what was to be done once the transaction is durable."""
        actions, self._afterwards = self._afterwards, []
        for action in actions:
            action()

    def abort(self) -> None:
        """Undo everything."""
        self._seen = None
        if self.connection.in_transaction:
            self.connection.execute("ROLLBACK")
