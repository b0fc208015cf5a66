"""Work that leaves the write path: jobs, audit entries, tombstones and compose traces.

Each is a small record written in the same transaction as what caused it. `WorkKind` names what
outside agents and models take from the queue (C9). Leases are decided by the machine's own time.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from msgspec import field

from smartbrain.domain.record import Record


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    LEASED = "leased"
    DONE = "done"
    FAILED = "failed"


class Job(Record, frozen=True, kw_only=True):
    """Slow work queued by a transaction; the same `id` is queued once."""

    id: str
    kind: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    state: JobState = JobState.QUEUED
    attempts: int = 0
    run_after: datetime | None = None
    lease_owner: str | None = None
    lease_until: datetime | None = None
    result: Mapping[str, Any] | None = None
    created_at: datetime
    updated_at: datetime


class AuditEntry(Record, frozen=True, kw_only=True):
    """Who changed what, from what to what, and why."""

    at: datetime
    actor: str
    action: str
    subject_kind: str
    subject_id: str
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    reason: str = ""


class Tombstone(Record, frozen=True, kw_only=True):
    """A mark that something was forgotten, by fingerprint, without its content."""

    kind: str
    fingerprint: str
    subject_id: str
    reason: str = ""
    created_at: datetime


INGESTED: Final = "ingested"
"""The kind of working state, of the whole tenant, that tells which texts wait to be a graph."""


class StateEntry(Record, frozen=True, kw_only=True):
    """One piece of working state: a pin, a plan item, a note, a run's goal and so on.

    `owner` names whose it is: `tenant`, `session:<id>` or `run:<id>`.
    """

    owner: str
    kind: str
    id: str
    body: Mapping[str, Any]
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None


class Trace(Record, frozen=True, kw_only=True):
    """What a compose decided, kept so that it can be explained, compared and replayed."""

    context_id: str
    session_id: str
    created_at: datetime
    body: Mapping[str, Any]


class WorkKind(StrEnum):
    """What an agent is asked to do."""

    EXTRACT = "extract"  # claim what the user says in a turn
    VERIFY = "verify"  # settle which of two contradicting facts holds
    LINK = "link"  # relate new memories to other nodes
    SUMMARISE = "summarise"  # write a session's working summary in better words
    EMBED = "embed"  # make vectors of memories
