"""The truth: one tenant's events, memories, edges and working state, in transactions.

`Truth` opens transactions; a `Transaction` is a set of small repositories that see and write one
consistent state. Reads never block and never outlive the `with` block. A call that raises has
changed nothing, and the transaction may go on, except after an AdapterError: then it can only be
left. Codes: `active_exists`, `idempotency_conflict`, `gone`, `closed`, `busy`, `schema_moved`.
Search indexes are not here: they follow `changes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.record import Record
from smartbrain.ports.erasure import Erasure
from smartbrain.ports.forgettings import Forgettings
from smartbrain.ports.memory_events import MemoryEvents

if TYPE_CHECKING:
    from smartbrain.domain.artifact import StoredCall
    from smartbrain.domain.change import Change, ChangeKind, Changes
    from smartbrain.domain.claim import Claim, ClaimStatus
    from smartbrain.domain.graph import Edge, EdgeType
    from smartbrain.domain.graph_search import GraphEdge
    from smartbrain.domain.indexed import (
        Embedding,
        IndexedMemory,
        IndexedPassage,
        SpokenPiece,
        SpokenTurn,
    )
    from smartbrain.domain.job import AuditEntry, Job, JobState, StateEntry, Tombstone, Trace
    from smartbrain.domain.recalled import RecalledRow, Replaced, UnsureClaim
    from smartbrain.domain.replay import Step
    from smartbrain.domain.status import Finding
    from smartbrain.domain.turn import LastTurn, Operation, RawChunk, Session, ToolCall, Turn


class StoredEvents(Protocol):
    """Sessions and turns, append-only (E1)."""

    def add_turns(self, turns: Sequence[Turn]) -> None:
        """Append turns with their messages, tool calls and refs.

        A session is made if new, and open again if it had ended.
        """

    def extend_turn(self, turn: Turn) -> None:
        """Append the messages, tool calls, refs and proposals that a stored turn lacks."""

    def complete_call(self, call: ToolCall) -> None:
        """Write down how a stored tool call ended, which was not known when it was appended."""

    def turn(self, turn_id: str) -> Turn:
        """Return a turn whole; texts are given as spans into raw chunks."""

    def turns(self, session_id: str, *, after: int = 0, limit: int = 100) -> list[Turn]:
        """Return a session's turns in order, from the one after place `after`."""

    def last_turn(self, session_id: str) -> LastTurn | None:
        """Return where a session has come to, None for a new one."""

    def sessions(
        self, *, after: tuple[int, int] | None = None, limit: int = 100
    ) -> list[tuple[tuple[int, int], Session]]:
        """Return sessions with their places, the one spoken in last first, after place `after`."""

    def end_session(self, session_id: str, at: datetime) -> None:
        """Mark a session as ended."""


class RawChunks(Protocol):
    """The catalogue of original content, with a count of who holds each chunk (E2)."""

    def hold(self, chunks: Sequence[RawChunk]) -> None:
        """Add each chunk or, if it is known by its address, raise its count by one."""

    def release(self, raw_ids: Sequence[str]) -> None:
        """Lower the count of each chunk by one."""

    def get(self, raw_ids: Iterable[str]) -> dict[str, RawChunk]:
        """Return the known ones among these chunks, by id."""

    def page(self, after: int, limit: int) -> list[tuple[int, RawChunk]]:
        """Return chunks with their node numbers, lowest first, after `after`."""

    def paths(self) -> dict[str, RawChunk]:
        """Return every chunk that is kept in a file, by its path."""

    def turns_with(self, raw_ids: Iterable[str]) -> dict[str, list[tuple[str, int]]]:
        """Return the turns that hold each chunk as (session, place), by id; it reads every turn."""

    def age(self, cold: datetime, archived: datetime) -> int:
        """Move chunks stored before some times to colder tiers; return how many moved."""

    def unneeded(self, before: datetime) -> list[RawChunk]:
        """Return the chunks stored before a time from whose turns nothing that holds was read."""

    def drop_unheld(self) -> list[RawChunk]:
        """Remove the chunks that nobody holds and no memory or edge leads to; return them."""


class Memories(Protocol):
    """Typed, versioned memories: one row a version, at most one active a key (M4)."""

    def add(self, memories: Sequence[Memory]) -> None:
        """Append versions; a second active one of a key is refused (`active_exists`)."""

    def update(self, memory: Memory) -> None:
        """Write the present state of a stored version: status, validity, counters, layer."""

    def get(self, memory_ids: Iterable[str]) -> dict[str, Memory]:
        """Return the known ones among these versions, by id."""

    def active(self, type_name: str, key: str) -> Memory | None:
        """Return the active version of a key."""

    def history(self, key: str) -> list[Memory]:
        """Return all versions of a key, oldest first by their own time, then their turn's place."""

    def of_turn(self, turn_id: str) -> list[Memory]:
        """Return every version that was read from a turn, its episode too."""

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

    def put_chunks(self, texts: Mapping[str, Sequence[str]]) -> None:
        """Replace the search texts of memories, given by their ids (M6)."""


class Ledger(Protocol):
    """What surrounds the memories: operations, replies by idempotency key, audit, tombstones."""

    def add_operation(self, operation: Operation) -> int:
        """Append an operation event and return its number, which grows with each."""

    def operations(self, *, limit: int = 100) -> list[Operation]:
        """Return operations, newest first."""

    def reply(self, key: str) -> tuple[str, Mapping[str, Any]] | None:
        """Return the body's hash and the stored result of an idempotency key (E4)."""

    def keep_reply(
        self, key: str, body_hash: str, result: Mapping[str, Any] | Record, at: datetime
    ) -> None:
        """Store the result of a call under its idempotency key."""

    def add_audit(self, entry: AuditEntry) -> None:
        """Append an audit entry."""

    def audit(self, subject_id: str | None = None, *, limit: int = 100) -> list[AuditEntry]:
        """Return audit entries, newest first, of one subject or of all."""

    def add_tombstone(self, tombstone: Tombstone) -> None:
        """Remember that something was forgotten; repeating it changes nothing."""

    def tombstone(self, kind: str, fingerprint: str) -> Tombstone | None:
        """Return the tombstone of a fingerprint."""


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


class ToolCalls(Protocol):
    """Tool calls, one by one."""

    def get(self, call_id: str) -> StoredCall | None:
        """Return the call of an id, ours or its caller's; of several, the latest."""

    def page(
        self,
        *,
        session_id: str | None = None,
        turn_id: str | None = None,
        before: tuple[int, int] | None = None,
        limit: int = 50,
    ) -> list[tuple[tuple[int, int], StoredCall]]:
        """Return calls with their places, newest first, those before place `before`."""


class Claims(Protocol):
    """Claims by group and by turn, each with the version of a memory that it is part of."""

    def add(self, claims: Sequence[Claim]) -> None:
        """Append claims; one that is there already is left as it is."""

    def in_groups(self, groups: Iterable[str]) -> list[Claim]:
        """Return the claims of groups that count or may count, in the order they arrived."""

    def of_turn(self, turn_id: str) -> list[Claim]:
        """Return all claims of a turn, whatever their status, in the order of its words."""

    def last_place(self, group: str) -> tuple[datetime, str, int] | None:
        """Return when the last claim of a group was said, in which session and place."""

    def last_memory(self, group: str) -> str | None:
        """Return the key of the memory that the last claim of a group is part of, if any."""

    def values_waiting(self, claim: Claim) -> list[Any]:
        """Return what candidates of other sessions say of a claim's subject and attribute."""

    def memories(self, claim_ids: Iterable[str]) -> dict[str, str]:
        """Return the id of the version that each claim is part of, where it is part of one."""

    def assign(self, memories: Mapping[str, str | None]) -> None:
        """Let claims be part of versions, by their ids; None is for part of none."""

    def set_status(self, claim_ids: Iterable[str], status: ClaimStatus) -> None:
        """Let claims count, or not."""

    def delete(self, claim_ids: Iterable[str]) -> None:
        """Take claims away."""


class Remembering(Protocol):
    """Lookups of the write path, whose cost does not follow how much is stored."""

    def histories(self, keys: Iterable[str]) -> dict[str, list[Memory]]:
        """Return all versions of keys, oldest first by their own time, without unknown keys."""

    def heads(self, type_name: str, keys: Iterable[str], *, rejected: bool = False) -> list[Memory]:
        """Return what stands of keys or disputes it, and the version of each that was said last.

        With `rejected` also the versions that somebody took back or said to be over.
        """

    def last_version(self, type_name: str, key: str) -> int:
        """Return the highest number of a version of a key; 0 where there is none."""

    def fact_key(self, key: str) -> str | None:
        """Return the key of a fact as stored, in whatever case: the very key, else the oldest."""

    def newest(self, type_name: str, *, limit: int = 100, put_away: bool = False) -> list[Memory]:
        """Return the active and candidate (or the archived) memories of a type, newest first."""

    def alike(self, predicates: Iterable[str], *, limit: int = 3) -> dict[str, list[Memory]]:
        """Return the statements written last that tell each kind of event, newest first."""

    def of_session(self, turn_ids: Iterable[str], session_id: str) -> set[str]:
        """Return those of some turns that a session has."""

    def neighbours(self, turn_id: str) -> tuple[str | None, str | None]:
        """Return the turns of its session just before and just after a turn, by their own times."""

    def keep_explanation(
        self, source_id: str, body: Mapping[str, Any] | Record, at: datetime
    ) -> None:
        """Keep why a turn, a step of it or an operation wrote what it wrote."""

    def explanations(self, source_id: str) -> list[Mapping[str, Any]]:
        """Return what was kept about a turn or an operation, in order."""


class Mentions(Protocol):
    """Mentions of entities by the turns of sessions."""

    def places(
        self, entity_ids: Sequence[str], turn_id: str, *, turns: int
    ) -> dict[str, list[int]]:
        """Return where around a turn entities are mentioned, by the turns' own times.

        The turn just before it is -1, the one after it 1; itself and those `turns` away are none.
        """

    def named_around(self, turn_id: str, *, turns: int) -> list[str]:
        """Return the keys of active entities that turns fewer than `turns` from one mention."""

    def is_frequent(self, entity_id: str, *, times: int, turns: int) -> bool:
        """Tell whether so many of some turns in a row, of one session, mention an entity."""

    def counted(
        self, entity_ids: Sequence[str], session_id: str, *, turns: int, without: str | None = None
    ) -> dict[str, int]:
        """Return in how many of a session's last turns each entity was mentioned.

        The turn `without`, such as the one being written, does not count.
        """

    def called(self, name: str) -> list[str]:
        """Return the ids of the entities and concepts of a name, an alias, a key or an id."""


class Edges(Protocol):
    """Relations between nodes (M5)."""

    def add(self, edges: Sequence[Edge]) -> None:
        """Add edges; one that exists takes the new weight, confidence, validity and tier."""

    def of(
        self, node_id: str, *, outgoing: bool = True, kind: EdgeType | None = None
    ) -> list[Edge]:
        """Return the living edges that leave (or reach) a node, in the order they were made."""

    def delete(self, edge_ids: Sequence[str], at: datetime) -> int:
        """Mark edges as deleted and return how many were living."""


class Followed(Protocol):
    """Rows as indexes need them; what is deleted is not returned."""

    def changes(self, since: int, *, limit: int = 10_000) -> Changes:
        """Return what changed after `since`, whole transactions, at least one if there is any."""

    def nums(self, kind: ChangeKind, *, after: int = 0, limit: int = 1_000) -> list[int]:
        """Return the numbers of a kind's rows above `after`, lowest first."""

    def memories(
        self,
        nums: Sequence[int],
        *,
        around: int | None = 0,
        known: Mapping[int, IndexedMemory] = ...,
    ) -> list[IndexedMemory]:
        """Return memories with the episodes around them, by number.

        With `around`, the episodes at most so many turns from the given ones come as well; with
        None nothing is looked for around them. Those in `known` have not changed since they were
        read, and are read again only for what is around them now.
        """

    def spoken(self, nums: Sequence[int]) -> dict[int, list[SpokenPiece]]:
        """Return all that users and assistants said in the turns of episodes, in order."""

    def edges(self, nums: Sequence[int]) -> list[GraphEdge]:
        """Return edges, by number."""

    def passages(self, nums: Sequence[int]) -> list[IndexedPassage]:
        """Return raw chunks, by number."""

    def numbers(self, ids: Sequence[str]) -> dict[str, int]:
        """Return the numbers of nodes by their ids."""

    def ids(self, nums: Sequence[int]) -> dict[int, str]:
        """Return the ids of nodes by their numbers."""


class Vectors(Protocol):
    """Vectors of memories, a set for each embedding."""

    def embeddings(self) -> list[Embedding]:
        """Return the embeddings that were used so far, oldest first."""

    def open(self, name: str, model: str, dimensions: int, at: datetime) -> Embedding:
        """Return an embedding, entered now if it is new."""

    def put(self, embedding: int, vectors: Mapping[int, bytes]) -> None:
        """Keep the vectors of memories that are there; an empty one: there is none to be made."""

    def get(self, embedding: int, nums: Sequence[int]) -> dict[int, bytes]:
        """Return the vectors that there are of these memories, without the empty ones."""

    def lacking(
        self, embeddings: Sequence[int], *, after: int = 0, limit: int = 1_000
    ) -> list[int]:
        """Return the memories, no entities or statements, that are in none of these embeddings."""

    def count_lacking(self, embeddings: Sequence[int]) -> int:
        """Return how many memories are in none of these embeddings; no vector is read for it."""

    def drop(self, embedding: int) -> int:
        """Delete an embedding with its vectors; return how many there were."""


class Replayed(Protocol):
    """The order of commits, and derived rows of every state."""

    def add_step(self, step: Step) -> None:
        """Note what a commit has just added to its turn."""

    def steps(self, *, after: int = 0, limit: int = 100) -> list[tuple[int, int, Step]]:
        """Return steps in order, each with its number and that of the last operation before it."""

    def operations(self, *, after: int = 0, limit: int = 100) -> list[tuple[int, Operation]]:
        """Return operations in order, each with its number."""

    def replies(
        self, *, after: str = "", limit: int = 100
    ) -> list[tuple[str, str, Mapping[str, Any], datetime]]:
        """Return idempotency keys in order, each with its body's hash, its reply and its time."""

    def edge_page(self, *, after: int = 0, limit: int = 100) -> list[tuple[int, Edge]]:
        """Return edges in the order they were made, deleted ones too, each with its number."""

    def edges(self, edge_ids: Iterable[str]) -> dict[str, Edge]:
        """Return the known ones among these edges, deleted ones too, by id."""

    def chunks(self, memory_ids: Iterable[str]) -> dict[str, list[str]]:
        """Return the search texts of memories in order, by memory; one without is left out."""

    def forgotten(self) -> bytes:
        """Return what forgotten claims have left, with the key of it; empty where none has."""

    def bring_forgotten(self, left: bytes) -> None:
        """Store what forgotten claims have left elsewhere."""


class Sources(Protocol):
    """Lookups by names that callers write down."""

    def said_in(self, name: str) -> str | None:
        """Return the session of the message or turn of that id."""

    def turns_ending(self, end: str, *, within: int) -> list[str]:
        """Return turns whose ids end so, two at most, of so many that were stored last."""

    def called_in(self, name: str) -> str | None:
        """Return the session of the tool call that has that id, ours or its caller's."""

    def referred_in(self, uri: str) -> str | None:
        """Return the first session that refers to an address."""


class Usage(Protocol):
    """Amounts of one tenant."""

    def artifacts(self) -> int:
        """Return how many runs of tools are stored."""

    def memories(self) -> int:
        """Return how many memories there are, older versions included."""

    def counts(self, types: Sequence[str]) -> dict[str, int]:
        """Return how many memories of each type there are, whatever their status."""

    def bytes(self) -> int:
        """Return the size of the database and of the originals that lie beside it."""


class RecalledRows(Protocol):
    """Memories by number and by key; what is deleted is not returned."""

    def rows(self, nums: Sequence[int]) -> list[RecalledRow]:
        """Return memories by number, lowest first; a number that is none is left out."""

    def sessions(self, nums: Sequence[int]) -> dict[int, str]:
        """Return the sessions that memories are of by number, where they are of one."""

    def keyed(self, keys: Sequence[str]) -> dict[str, int]:
        """Return the numbers of what stands under keys now: active memories, else candidates."""

    def versions(self, keys: Sequence[str]) -> list[RecalledRow]:
        """Return every version of keys, oldest first by their own time."""


class Recalled(RecalledRows, Protocol):
    """All reads of the recall path."""

    def standing(
        self, types: Sequence[str], *, limit: int, domain: str | None = None
    ) -> list[RecalledRow]:
        """Return the active memories of some types, those said last first, at most `limit` a type.

        Of more than that, open goals and tasks and preferences that instruct come before the others
        of their type. With `domain`, cases and patterns are of that domain (`plain_name`) alone.
        """

    def within(self, since: datetime, until: datetime, *, limit: int) -> list[int]:
        """Return the numbers of active episodes of a stretch of time, newest first."""

    def labelled(self, words: Sequence[str], *, limit: int) -> list[int]:
        """Return the active memories written last that have one of these keywords, newest first.

        What was given no keywords has the words of its key and title; of an entity, its names.
        """

    def replaced(self, turns: Sequence[str]) -> list[Replaced]:
        """Return what turns told that an active version has replaced, in the order of storing."""

    def claimed(self, attributes: Sequence[str], *, limit: int) -> dict[str, list[int]]:
        """Return what the last `limit` claims of each attribute are part of, by attribute.

        Of a claim that counts it is the active memory, and of every claim the episode of its turn.
        """

    def claimed_at(self, claim_ids: Sequence[str]) -> dict[str, datetime]:
        """Return when claims were said, by their ids; an unknown one is left out."""

    def unsure(self, attributes: Sequence[str]) -> list[UnsureClaim]:
        """Return what the reader was not sure of: a few assertions of attributes, newest first."""

    def told_by(self, raw_nums: Sequence[int], *, most: int) -> dict[int, tuple[int, ...]]:
        """Return at most so many active episodes that rest on each raw chunk, newest first."""

    def said_by(self, turn_ids: Sequence[str]) -> dict[str, dict[int, str]]:
        """Return who said the originals of turns: by turn, and by the number of the raw chunk.

        It is the name, or else the role, of the message. What two say in the same words is left
        out, and so is what nobody said, such as the output of a tool.
        """

    def counts(
        self, types: Sequence[str], *, raw_before: datetime | None = None, most: int = -1
    ) -> dict[str, int]:
        """Return how many active memories of each type there are, counting no further than `most`.

        With `raw_before`, those alone that were said before it and are not compressed.
        """


class Composed(Protocol):
    """Reads and writes of the compose path; nothing of it is followed by views."""

    def around(self, turn_ids: Sequence[str], *, reach: int) -> list[SpokenTurn]:
        """Return turns and those at most so many places from them, by session and place."""

    def accessed(self, memory_ids: Sequence[str], at: datetime) -> None:
        """Note when memories were last shown; a time before the noted one changes nothing."""

    def sentences(self, session_id: str, context_id: str | None) -> frozenset[str]:
        """Return marks of the sentences that a context showed; the session's last by default."""

    def prune_traces(self, before: datetime, most: int, most_bytes: int) -> int:
        """Delete traces of before a time and the oldest beyond the limits; return how many."""


class Transaction(Protocol):
    """One consistent state; only a writing transaction changes it, all or nothing.

    Let an error leave the block: a change of many rows may have failed half-way, and then the block
    cannot be committed any more.
    """

    events: StoredEvents
    calls: ToolCalls
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
    forgettings: Forgettings
    erasure: Erasure
    memory_events: MemoryEvents

    def after_commit(self, action: Callable[[], None]) -> None:
        """Run `action` once this is durable, before any other writer; its error reaches `write`."""


class Truth(Protocol):
    """One tenant's database."""

    def write(self) -> AbstractContextManager[Transaction]:
        """Open the writing transaction; leaving the block commits durably, an error undoes all."""

    def read(self) -> AbstractContextManager[Transaction]:
        """Open a reading transaction over the last committed state; it blocks nobody."""

    def seq(self) -> int:
        """Return the number of the last transaction that changed anything."""

    def mark(self, earlier: str | None = None) -> str:
        """Return what this history is known by, or what stands in the place of an earlier mark.

        That is the same mark unless the truth was replaced by a copy that went another way since.
        """

    def changes(self, since: int, *, limit: int = 10_000) -> list[Change]:
        """Return what changed after `since`, as `Followed.changes` does."""

    def counts(self) -> dict[str, int]:
        """Return the number of rows of each table."""

    def check(self) -> list[Finding]:
        """Return what is wrong inside the database: pages, foreign keys, counts, versions."""

    def purge(self) -> bool:
        """Write all pages anew and empty the write-ahead log; false if a reader held it up.

        Afterwards no file holds what was deleted.
        """

    def backup(self, path: Path) -> None:
        """Write a copy of the last committed state to a new file, while others write."""

    def close(self) -> None:
        """Close every connection, those in use when their transaction ends; twice is fine."""
