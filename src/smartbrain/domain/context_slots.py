"""The parts of a context package, slot by slot, as they are rendered (R1, R15).

In: nothing. Out: the records that a `ContextPackage` is made of, and `Slots`, what a renderer needs
of a package. Not the package itself, with its limits and reasons: `domain.context`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, Protocol

from msgspec import field

from smartbrain.domain.evidence import EvidenceProvenance, Signals
from smartbrain.domain.packet import PlanEntry, ShownCall, ShownTurn
from smartbrain.domain.plan import QueryMode
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


class Slots(Protocol):
    """The slots of a context package, in the order of its fields."""

    @property
    def system_blocks(self) -> tuple[Block, ...]:
        """What the model is told first; `FASTMEMO` and `CONTEXT_POOL` are blocks of it."""

    @property
    def developer_blocks(self) -> tuple[Block, ...]:
        """What the agent's maker says about tools and formats."""

    @property
    def working_summary(self) -> str:
        """The summary of the session."""

    @property
    def pins(self) -> tuple[PinEntry, ...]:
        """The pinned facts."""

    @property
    def plan(self) -> tuple[PlanEntry, ...]:
        """The to-dos of the session."""

    @property
    def notebook(self) -> tuple[NotebookEntry, ...]:
        """The working notes, oldest first."""

    @property
    def recent_turns(self) -> tuple[ShownTurn, ...]:
        """The last turns, oldest first."""

    @property
    def evidence(self) -> tuple[ContextEvidence, ...]:
        """What was recalled and retrieved, in the order it is shown."""

    @property
    def turn_id(self) -> str | None:
        """The turn in progress, which is the last of `recent_turns`."""

    @property
    def tool_result(self) -> ShownCall | None:
        """The call that this step is about; of several that were made together, the last."""

    @property
    def parallel_results(self) -> tuple[ShownCall, ...]:
        """The other calls that were made together with it, in their order."""

    @property
    def user_message(self) -> Mapping[str, Any] | None:
        """The message to answer."""
