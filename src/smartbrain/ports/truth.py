"""The truth: one tenant's events, memories, edges and working state, in transactions.

`Truth` opens transactions; a `Transaction` is a set of small repositories that see and write one
consistent state. Reads never block and never outlive the `with` block. Derived things (search
indexes) are not here: they follow `changes`.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from smartbrain.ports.calls import Calls
from smartbrain.ports.claims import Claims
from smartbrain.ports.composed import Composed
from smartbrain.ports.edges import Edges
from smartbrain.ports.followed import Followed, Vectors
from smartbrain.ports.mentions import Mentions
from smartbrain.ports.recalled import Recalled
from smartbrain.ports.remembering import Remembering
from smartbrain.ports.replayed import Replayed
from smartbrain.ports.repositories import Events, Ledger, Memories, RawChunks, Working
from smartbrain.ports.sources import Sources
from smartbrain.ports.usage import Usage
from smartbrain.ports.withheld import Withheld

if TYPE_CHECKING:
    from smartbrain.domain.change import Change
    from smartbrain.domain.health import Finding


class Transaction(Protocol):
    """One consistent state: read it, and in a writing transaction change it, all or nothing.

    A reading transaction refuses every change with AdapterError. Let an error leave the block: a
    change of many rows may have failed half-way, and then the block cannot be committed any more.
    """

    events: Events
    calls: Calls
    raw: RawChunks
    memories: Memories
    claims: Claims
    remembering: Remembering
    mentions: Mentions
    edges: Edges
    ledger: Ledger
    working: Working
    followed: Followed
    recalled: Recalled
    composed: Composed
    vectors: Vectors
    replayed: Replayed
    sources: Sources
    usage: Usage
    withheld: Withheld

    def after_commit(self, action: Callable[[], None]) -> None:
        """Run `action` once this transaction is durable, before any other writer may start.

        Raises:
            AdapterError: never itself; what `action` raises reaches the caller of `write`.
        """
        ...


class Truth(Protocol):
    """One tenant's database."""

    def write(self) -> AbstractContextManager[Transaction]:
        """Open the writing transaction; leaving the block commits durably, an error undoes all.

        Raises:
            AdapterError: the lock was held too long (`busy`), the disk is full or read-only, …
            Conflict: another process moved the schema (`schema_moved`).
            UsageError: the truth is closed (`closed`).
            InternalError: this thread is inside a writing transaction already.
        """
        ...

    def read(self) -> AbstractContextManager[Transaction]:
        """Open a reading transaction over the last committed state; it blocks nobody.

        Raises:
            Conflict: another process moved the schema (`schema_moved`).
            UsageError: the truth is closed (`closed`).
        """
        ...

    def seq(self) -> int:
        """Return the number of the last transaction that changed anything."""
        ...

    def mark(self, earlier: str | None = None) -> str:
        """Return what this history is known by: its last node, operation and step of a turn.

        Given an earlier mark, return what stands in its place now: the same, unless the truth was
        replaced by a copy that has gone another way since.
        """
        ...

    def changes(self, since: int, *, limit: int = 10_000) -> list[Change]:
        """Return what changed after `since`, whole transactions, at least one if there is any.

        Raises:
            NotFound: code `gone`, if rows after `since` have been dropped already.
        """
        ...

    def counts(self) -> dict[str, int]:
        """Return the number of rows of each table."""
        ...

    def check(self) -> list[Finding]:
        """Return what is wrong inside the database: pages, foreign keys, counts, versions.

        Raises:
            AdapterError: the database cannot be read at all.
        """
        ...

    def close(self) -> None:
        """Close every connection, those in use when their transaction ends; twice is fine."""
        ...
