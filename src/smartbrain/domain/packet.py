"""The memory packet: what memory brings to mind for one message, group by group (R1, R7).

Groups stand in the order of recall, each within its limit; the budget report and the explanation
say what was cut down, taken and left out. Structured, not rendered: a context is made of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import field

from smartbrain.domain.evidence import Signals
from smartbrain.domain.memory import Compression, Span, Status
from smartbrain.domain.plan import CONTRACT_VERSION
from smartbrain.domain.reason import Reason
from smartbrain.domain.record import Record
from smartbrain.domain.result import ArtifactSummary
from smartbrain.domain.turn import Role


class LadderStep(StrEnum):
    """What is done when a limit is passed, in this order, until it holds (R8)."""

    REDUCE_TOP_K = "reduce_top_k"
    TIGHTEN_WINDOW = "tighten_window"
    RAISE_COMPRESSION = "raise_compression"
    DROP_LOW = "drop_low"
    OMIT_TYPE = "omit_type"


class PlanEntry(Record, frozen=True, kw_only=True):
    """A to-do of a session and what makes it done."""

    id: str
    text: str
    done: bool = False
    done_when: str | None = None


class RunDecision(Record, frozen=True, kw_only=True):
    """Something a run decided; the detail is the first thing to go when space is short."""

    text: str
    detail: str = ""
    at: datetime | None = None


class WorkingMemory(Record, frozen=True, kw_only=True):
    """What a run has in mind."""

    run_id: str
    goal: str | None = None
    constraints: tuple[str, ...] = ()
    slots: Mapping[str, Any] = field(default_factory=dict)
    plan: tuple[PlanEntry, ...] = ()
    decisions: tuple[RunDecision, ...] = ()


class Quote(Record, frozen=True, kw_only=True):
    """Words as they were said; an empty text with a source is a quote reduced to its reference."""

    text: str = ""
    source_turn_id: str | None = None
    speaker: str | None = None
    at: datetime | None = None
    span: Span | None = None

    @property
    def turn_id(self) -> str | None:
        """The turn it was said in, by the name that results and calls have for it."""
        return self.source_turn_id


class PacketItem(Record, frozen=True, kw_only=True):
    """A memory as it is brought to mind: `compression` says how much of it `text` still shows.

    `at` is when it was said. `validated` matters for insights alone and is null elsewhere.
    """

    id: str
    type: str
    key: str
    title: str = ""
    text: str
    value: Mapping[str, Any] = field(default_factory=dict)
    confidence: float = 1.0
    status: Status = Status.ACTIVE
    score: float | None = None
    signals: Signals = Signals()
    source_turn_id: str | None = None
    session_id: str | None = None
    speaker: str | None = None
    at: datetime | None = None
    compression: Compression = Compression.RAW
    quotes: tuple[Quote, ...] = ()
    validated: bool | None = None

    @property
    def turn_id(self) -> str | None:
        """The turn it was said in, by the name that results and calls have for it."""
        return self.source_turn_id


class ShownMessage(Record, frozen=True, kw_only=True):
    """A message as it may be shown again; `calls` are the ids of the tool calls it made.

    `media` names each image and file that it showed, and where to find it: none is sent again.
    """

    role: Role
    content: str = ""
    name: str | None = None
    id: str | None = None
    calls: tuple[str, ...] = ()
    media: tuple[str, ...] = ()


class ShownCall(ArtifactSummary, frozen=True, kw_only=True):
    """A tool call as it may be shown again.

    `text` is the part of its output that is shown, cut if `truncated`: empty in all but the call
    that a context is about, because output of the past is never replayed. `media` names each image
    and file that its result showed, and where to find it.
    """

    call_id: str | None = None
    args: Any = None
    text: str = ""
    truncated: bool = False
    media: tuple[str, ...] = ()


class ShownTurn(Record, frozen=True, kw_only=True):
    """A turn as it may be shown again: what was said, and which tools ran."""

    turn_id: str
    at: datetime | None = None
    messages: tuple[ShownMessage, ...] = ()
    tool_calls: tuple[ShownCall, ...] = ()


class ShortTerm(Record, frozen=True, kw_only=True):
    """What a session has in mind: a rolling summary, quotes worth keeping, the last turns."""

    summary: str = ""
    key_quotes: tuple[Quote, ...] = ()
    window: tuple[ShownTurn, ...] = ()


class Degradation(Record, frozen=True, kw_only=True):
    """One step taken to stay within a limit: what was reduced, from what to what.

    `code` is a `LadderStep`, or the name of a step that a single group has of its own.
    """

    code: str
    reason: str
    type: str | None = None
    before: int | str | None = None
    after: int | str | None = None


class BudgetReport(Record, frozen=True, kw_only=True):
    """The limits in force, what was used of each, and every step taken to hold them."""

    limits: Mapping[str, int] = field(default_factory=dict)
    used: Mapping[str, int] = field(default_factory=dict)
    degradations: tuple[Degradation, ...] = ()


class PacketExplain(Record, frozen=True, kw_only=True):
    """Why each item is in the packet, and why others are not."""

    selected: tuple[Reason, ...] = ()
    omitted: tuple[Reason, ...] = ()


class MemoryPacket(Record, frozen=True, kw_only=True):
    """Everything memory contributes to one call, within its limits."""

    version: str = CONTRACT_VERSION
    working_memory: WorkingMemory | None = None
    facts: tuple[PacketItem, ...] = ()
    procedures: tuple[PacketItem, ...] = ()
    stm: ShortTerm = ShortTerm()
    episodes: tuple[PacketItem, ...] = ()
    insights: tuple[PacketItem, ...] = ()
    budget_report: BudgetReport = field(default_factory=BudgetReport)
    explain: PacketExplain = PacketExplain()
    metrics: Mapping[str, Any] = field(default_factory=dict)
