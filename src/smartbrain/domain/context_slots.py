"""The parts of a context package, slot by slot, as they are rendered (R1, R15).

In: nothing. Out: the records that a `ContextPackage` is made of, and `Slots`, all of them together.
Its limits, its reasons and its forms are in `domain.context`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from msgspec import field

from smartbrain.domain.evidence import EvidenceProvenance, Signals
from smartbrain.domain.packet import PlanEntry, ShownCall, ShownTurn
from smartbrain.domain.plan import CONTRACT_VERSION, QueryMode
from smartbrain.domain.record import Record

FASTMEMO: Final = "fastmemo"
"""The type of the system block that holds the surface memory; shown after the developer blocks."""
CONTEXT_POOL: Final = "context_pool"
"""The type of the system block that holds the summary of past chat; shown after `FASTMEMO`."""


class EvidenceSource(StrEnum):
    """Where evidence comes from: what was lived through, or what was read."""

    MEMORY = "memory"
    RESOURCE = "resource"


class Block(Record, frozen=True, kw_only=True):
    """A titled text of the system or developer slot; `source` says what it was made from."""

    type: str
    text: str
    updated_at: datetime | None = None
    source: Mapping[str, Any] = field(default_factory=dict)


class PinEntry(Record, frozen=True, kw_only=True):
    """A pinned key fact as it is shown."""

    id: str
    type: str
    title: str
    summary: str
    source: str
    artifact_ref: str | None = None


class NotebookEntry(Record, frozen=True, kw_only=True):
    """A working note as it is shown."""

    id: str
    at: datetime
    text: str
    source: str | None = None
    milestone: bool = False


class EvidenceRef(Record, frozen=True, kw_only=True):
    """The stored things that a piece of evidence stands for; duplicates are told by these."""

    document_id: str | None = None
    section_id: str | None = None
    chunk_index: int | None = None
    memory_item_id: str | None = None
    turn_id: str | None = None
    message_id: str | None = None


class ContextEvidence(Record, frozen=True, kw_only=True):
    """One quotable piece of evidence from memory or resources, scored on one scale.

    `mode` is null for what came in by rule and not by a query, such as a standing preference. `at`
    is when it was said or written, `speaker` who said it; of several lines, the first.
    """

    id: str
    source: EvidenceSource
    source_uri: str
    title: str = ""
    snippet: str = ""
    mode: QueryMode | None = None
    score: float = 0.0
    signals: Signals = Signals()
    provenance: EvidenceProvenance | None = None
    ref: EvidenceRef = EvidenceRef()
    at: datetime | None = None
    speaker: str | None = None


class Slots(Record, frozen=True, kw_only=True):
    """The slots of a context package, in the order in which they are shown.

    `turn_id` is the turn in progress, if one was named: the last of `recent_turns`.
    `parallel_results` are the calls that were made together with that of `tool_result`, before it;
    `user_message` is null in a step that nobody spoke in.
    """

    version: str = CONTRACT_VERSION
    context_id: str
    session_id: str
    created_at: datetime
    system_blocks: tuple[Block, ...] = ()
    developer_blocks: tuple[Block, ...] = ()
    working_summary: str = ""
    pins: tuple[PinEntry, ...] = ()
    plan: tuple[PlanEntry, ...] = ()
    notebook: tuple[NotebookEntry, ...] = ()
    recent_turns: tuple[ShownTurn, ...] = ()
    turn_id: str | None = None
    evidence: tuple[ContextEvidence, ...] = ()
    tool_result: ShownCall | None = None
    parallel_results: tuple[ShownCall, ...] = ()
    user_message: Mapping[str, Any] | None = None
