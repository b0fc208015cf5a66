"""What `commit_turn` answers: what was written, what was not, and why.

One entry a candidate, a conflict and an input that was not understood; tool output comes back as
short summaries with the ids to ask for more. A retry with the same idempotency key gets it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import field
from msgspec.structs import force_setattr

from smartbrain.domain.memory import Status
from smartbrain.domain.reason import Reason
from smartbrain.domain.record import Record
from smartbrain.domain.turn import CallStatus


class ConflictRule(StrEnum):
    """How a new value and a stored one under the same key were brought together."""

    OVERWRITE = "overwrite"
    VERSIONED = "versioned"
    MERGE = "merge"
    APPEND = "append"
    RETRACT = "retract"


class RetentionAction(StrEnum):
    """What became of a candidate; a deferred one is kept with its turn and decided on later."""

    WRITTEN = "written"
    MERGED = "merged"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    REFUSED = "refused"
    DEFERRED = "deferred"


class WrittenMemory(Record, frozen=True, kw_only=True):
    """One memory version that a commit wrote."""

    id: str
    type: str
    key: str
    status: Status
    confidence: float


class MemoryWritten(Record, frozen=True, kw_only=True):
    """The memories that a commit wrote; episodes and mentions of entities are not among them."""

    count: int = 0
    items: tuple[WrittenMemory, ...] = ()

    def __post_init__(self) -> None:
        force_setattr(self, "count", len(self.items))


class ArtifactSummary(Record, frozen=True, kw_only=True):
    """A tool call's outcome in one to six lines; the output itself waits under `id`."""

    id: str
    tool_name: str
    status: CallStatus = CallStatus.UNKNOWN
    exit_code: int | None = None
    bytes: int = 0
    summary: str = ""


class SummaryUpdate(Record, frozen=True, kw_only=True):
    """Whether the working summary was rewritten, why, and from which turns (first and last)."""

    updated: bool = False
    trigger_reason: str | None = None
    version: int | None = None
    source_turn_range: tuple[str, str] | None = None
    generated_at: datetime | None = None


class Retention(Record, frozen=True, kw_only=True):
    """What became of one candidate, and why."""

    type: str
    key: str
    action: RetentionAction
    code: str
    reason: str


class ConflictOutcome(Record, frozen=True, kw_only=True):
    """How one conflict ended.

    `active_id` is the version that holds now, if any does; `other_id` the one it was weighed
    against, now in `other_status`. `fields` are the parts of the value that differ, `dimension`
    whether time, source or value sets two facts against each other.
    """

    rule: ConflictRule
    type: str
    key: str
    code: str
    reason: str
    active_id: str | None = None
    other_id: str | None = None
    other_status: Status | None = None
    fields: tuple[str, ...] = ()
    dimension: str | None = None


class CommitExplain(Record, frozen=True, kw_only=True):
    """Why a commit wrote what it wrote; `ignored` is input that could not be understood."""

    retention: tuple[Retention, ...] = ()
    conflicts: tuple[ConflictOutcome, ...] = ()
    summary: Mapping[str, Any] = field(default_factory=dict)
    ignored: tuple[Reason, ...] = ()


class CommitResult(Record, frozen=True, kw_only=True):
    """The answer to one commit; `replayed` when its idempotency key had been seen before."""

    ok: bool = True
    turn_id: str
    replayed: bool = False
    memory_written: MemoryWritten = MemoryWritten()
    artifacts: tuple[ArtifactSummary, ...] = ()
    summary: SummaryUpdate = SummaryUpdate()
    explain: CommitExplain = field(default_factory=CommitExplain)
