"""The repositories of a transaction: what can be read and written of each part of the truth.

In and out: domain records. Each is small and complete for its tables; none of them opens or ends a
transaction. A call that raises has changed nothing, and the transaction may go on, except after an
AdapterError: then it can only be left. Where just AdapterError is named, nothing but the storage
can fail. `ports.truth` puts them together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.record import Record

if TYPE_CHECKING:
    from smartbrain.domain.job import AuditEntry, Job, JobState, StateEntry, Tombstone, Trace
    from smartbrain.domain.turn import LastTurn, Operation, RawChunk, Session, ToolCall, Turn


class Events(Protocol):
    """Sessions and turns, append-only (E1)."""

    def add_turns(self, turns: Sequence[Turn]) -> None:
        """Append turns with their messages, tool calls and refs.

        A session is made if new, and open again if it had ended.

        Raises:
            Conflict: a session already has a turn at that place, or an id is taken.
            NotFound: a span names a raw chunk that is not held.
        """
        ...

    def extend_turn(self, turn: Turn) -> None:
        """Append the messages, tool calls, refs and proposals that a stored turn lacks.

        Raises:
            NotFound: there is no turn of that id.
        """
        ...

    def complete_call(self, call: ToolCall) -> None:
        """Write down how a stored tool call ended, which was not known when it was appended.

        Raises:
            NotFound: there is no call of that id.
            Conflict: it has an output already.
        """
        ...

    def turn(self, turn_id: str) -> Turn:
        """Return a turn whole; texts are given as spans into raw chunks.

        Raises:
            NotFound: there is no turn of that id.
        """
        ...

    def turns(self, session_id: str, *, after: int = 0, limit: int = 100) -> list[Turn]:
        """Return a session's turns in order, from the one after place `after`."""
        ...

    def last_turn(self, session_id: str) -> LastTurn | None:
        """Return where a session has come to, None for a new one."""
        ...

    def sessions(
        self, *, after: tuple[int, int] | None = None, limit: int = 100
    ) -> list[tuple[tuple[int, int], Session]]:
        """Return sessions with their places, the one spoken in last first, after place `after`."""
        ...

    def end_session(self, session_id: str, at: datetime) -> None:
        """Mark a session as ended.

        Raises:
            NotFound: there is no such session.
        """
        ...


class RawChunks(Protocol):
    """The catalogue of original content, with a count of who holds each chunk (E2)."""

    def hold(self, chunks: Sequence[RawChunk]) -> None:
        """Add each chunk or, if it is known by its address, raise its count by one.

        Raises:
            Conflict: other content has a chunk's id.
        """
        ...

    def release(self, raw_ids: Sequence[str]) -> None:
        """Lower the count of each chunk by one.

        Raises:
            Conflict: a chunk is not held by anybody; no count was changed.
        """
        ...

    def get(self, raw_ids: Iterable[str]) -> dict[str, RawChunk]:
        """Return the known ones among these chunks, by id."""
        ...

    def page(self, after: int, limit: int) -> list[tuple[int, RawChunk]]:
        """Return chunks with their node numbers, lowest first, after `after`."""
        ...

    def paths(self) -> dict[str, RawChunk]:
        """Return every chunk that is kept in a file, by its path."""
        ...

    def turns_with(self, raw_ids: Iterable[str]) -> dict[str, list[tuple[str, int]]]:
        """Return the turns that hold each chunk as (session, place), by id; it reads every turn."""
        ...

    def drop_unheld(self) -> list[RawChunk]:
        """Remove the chunks that nobody holds and no memory or edge leads to; return them."""
        ...


class Memories(Protocol):
    """Typed, versioned memories: one row a version, at most one active a key (M4)."""

    def add(self, memories: Sequence[Memory]) -> None:
        """Append versions.

        Raises:
            Conflict: a key would have two active versions (code `active_exists`), or a version
                exists already.
            NotFound: a raw ref names a chunk that is not held.
        """
        ...

    def update(self, memory: Memory) -> None:
        """Write the present state of a stored version: status, validity, counters, layer.

        Raises:
            NotFound: there is no version of that id.
            Conflict: the key would have two active versions (code `active_exists`).
        """
        ...

    def get(self, memory_ids: Iterable[str]) -> dict[str, Memory]:
        """Return the known ones among these versions, by id."""
        ...

    def active(self, type_name: str, key: str) -> Memory | None:
        """Return the active version of a key."""
        ...

    def history(self, key: str) -> list[Memory]:
        """Return all versions of a key, oldest first by their own time, then their turn's place."""
        ...

    def page(
        self,
        *,
        type_name: str | None = None,
        status: Status | None = Status.ACTIVE,
        since: datetime | None = None,
        until: datetime | None = None,
        after: int = 0,
        limit: int = 100,
        now: datetime | None = None,
    ) -> list[tuple[int, Memory]]:
        """Return versions with their node numbers, oldest number first, after `after`.

        With `now`, what was told to hold until a time that has passed counts as expired.
        """
        ...

    def put_chunks(self, texts: Mapping[str, Sequence[str]]) -> None:
        """Replace the search texts of memories, given by their ids (M6).

        Raises:
            NotFound: there is no version of that id.
        """
        ...

    def chunks(self, memory_id: str) -> list[str]:
        """Return the search texts of a memory in order."""
        ...


class Ledger(Protocol):
    """What surrounds the memories: operations, replies by idempotency key, audit, tombstones."""

    def add_operation(self, operation: Operation) -> int:
        """Append an operation event and return its number, which grows with each.

        Raises:
            Conflict: an operation of that id exists.
        """
        ...

    def operations(self, *, limit: int = 100) -> list[Operation]:
        """Return operations, newest first."""
        ...

    def reply(self, key: str) -> tuple[str, Mapping[str, Any]] | None:
        """Return the body's hash and the stored result of an idempotency key (E4)."""
        ...

    def keep_reply(
        self, key: str, body_hash: str, result: Mapping[str, Any] | Record, at: datetime
    ) -> None:
        """Store the result of a call under its idempotency key.

        Raises:
            Conflict: the key is taken (code `idempotency_conflict`).
        """
        ...

    def add_audit(self, entry: AuditEntry) -> None:
        """Append an audit entry."""
        ...

    def audit(self, subject_id: str | None = None, *, limit: int = 100) -> list[AuditEntry]:
        """Return audit entries, newest first, of one subject or of all."""
        ...

    def add_tombstone(self, tombstone: Tombstone) -> None:
        """Remember that something was forgotten; repeating it changes nothing."""
        ...

    def tombstone(self, kind: str, fingerprint: str) -> Tombstone | None:
        """Return the tombstone of a fingerprint."""
        ...


class Working(Protocol):
    """Working state, queued jobs and compose traces (W4, S6)."""

    def put_state(self, entry: StateEntry) -> None:
        """Write one entry of working state, replacing the one of the same owner, kind and id."""

    def state(self, owner: str, kind: str | None = None, after: str = "") -> list[StateEntry]:
        """Return an owner's entries as they were first written; `after` limits the ids."""

    def drop_state(self, owner: str, kind: str | None = None, entry_id: str | None = None) -> int:
        """Delete an owner's entries, all or those of a kind or id; return how many."""

    def put_job(self, job: Job) -> None:
        """Queue a job, or write the present state of one."""

    def job(self, job_id: str) -> Job | None:
        """Return a job by its id, in whatever state."""

    def jobs(
        self,
        *,
        kind: str | None = None,
        state: JobState | None = None,
        due: datetime | None = None,
        limit: int | None = None,
    ) -> list[Job]:
        """Return jobs as they were queued; at `due`, those whose pause or lease is over."""

    def put_trace(self, trace: Trace) -> None:
        """Store what a compose decided."""

    def trace(self, context_id: str) -> Trace | None:
        """Return what a compose decided."""
