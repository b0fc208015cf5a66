"""Work that leaves the write path: jobs, audit entries, tombstones and compose traces.

Each is a small record written in the same transaction as what caused it. Leases are decided by the
machine's own time, never by the injected clock.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from smartbrain.domain.quick import quick
from smartbrain.domain.record import Record


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    LEASED = "leased"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Job(Record):
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class AuditEntry(Record):
    """Who changed what, from what to what, and why."""

    at: datetime
    actor: str
    action: str
    subject_kind: str
    subject_id: str
    before: Mapping[str, Any] | None = None
    after: Mapping[str, Any] | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Tombstone(Record):
    """A mark that something was forgotten, by fingerprint, without its content."""

    kind: str
    fingerprint: str
    subject_id: str
    reason: str = ""
    created_at: datetime


INGESTED: Final = "ingested"
"""The kind of working state, of the whole tenant, that tells which texts wait to be a graph."""


@quick
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class StateEntry(Record):
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Trace(Record):
    """What a compose decided, kept so that it can be explained, compared and replayed."""

    context_id: str
    session_id: str
    created_at: datetime
    body: Mapping[str, Any]
