"""SmartBrain: a local-first memory runtime for LLM agents.

Open a brain with `SmartBrain.open(path)`; call `compose_context` before every model call and
`commit_turn` after it. In an event loop `AsyncSmartBrain` does the same, awaited. The types of
results and of arguments are here as well, for annotations.
"""

import logging
from importlib import import_module
from typing import TYPE_CHECKING

from smartbrain.brain import SmartBrain
from smartbrain.domain.archive import ExportReport, RestoreReport
from smartbrain.domain.artifact import Artifact, ArtifactPage, FoundLines, Snippet, ToolAnswer
from smartbrain.domain.claim import Claim
from smartbrain.domain.context import ContextPackage
from smartbrain.domain.context_diff import ContextDiff
from smartbrain.domain.explanation import Explanation
from smartbrain.domain.forgetting import ForgetReceipt
from smartbrain.domain.graph import Edge
from smartbrain.domain.history import GraphReport, ImportReport
from smartbrain.domain.inputs import (
    AgentState,
    AudienceName,
    ChatFormatName,
    FeedbackName,
    MessageInput,
    PinTypeName,
    ProviderName,
    RefInput,
    ToolCallInput,
    TurnInput,
)
from smartbrain.domain.memory import Memory
from smartbrain.domain.memory_event import EventPage, MemoryEvent
from smartbrain.domain.packet import (
    MemoryPacket,
    PacketItem,
    PlanEntry,
    Quote,
    RunDecision,
    WorkingMemory,
)
from smartbrain.domain.page import MemoryPage, SessionPage
from smartbrain.domain.reason import Reason
from smartbrain.domain.recall import Recall, RecallItem, RecallTrace
from smartbrain.domain.replay import RereadReport
from smartbrain.domain.result import CommitResult, ConflictOutcome, Retention
from smartbrain.domain.search import Beside
from smartbrain.domain.status import Capabilities, EmbedReport, HealthReport, TenantStatus
from smartbrain.domain.turn import Message, Ref, Session, ToolCall, Turn
from smartbrain.domain.working import Compaction, Governed, Memo, Note, Pin, Run, TrailEntry
from smartbrain.errors import (
    AdapterError,
    Conflict,
    InternalError,
    NotFound,
    SmartBrainError,
    UsageError,
)
from smartbrain.ports.embedder import Embedder
from smartbrain.ports.language_model import LanguageModel
from smartbrain.ports.reranker import Reranker
from smartbrain.ports.resources import Resources

if TYPE_CHECKING:
    from smartbrain.brain.async_handle import AsyncSmartBrain
    from smartbrain.jobs.extract import ExtractReport
    from smartbrain.jobs.work import Work, WorkOutcome

__version__ = "0.1.0"

__all__ = [
    "AdapterError",
    "AgentState",
    "Artifact",
    "ArtifactPage",
    "AsyncSmartBrain",
    "AudienceName",
    "Beside",
    "Capabilities",
    "ChatFormatName",
    "Claim",
    "CommitResult",
    "Compaction",
    "Conflict",
    "ConflictOutcome",
    "ContextDiff",
    "ContextPackage",
    "Edge",
    "EmbedReport",
    "Embedder",
    "EventPage",
    "Explanation",
    "ExportReport",
    "ExtractReport",
    "FeedbackName",
    "ForgetReceipt",
    "FoundLines",
    "Governed",
    "GraphReport",
    "HealthReport",
    "ImportReport",
    "InternalError",
    "LanguageModel",
    "Memo",
    "Memory",
    "MemoryEvent",
    "MemoryPacket",
    "MemoryPage",
    "Message",
    "MessageInput",
    "NotFound",
    "Note",
    "PacketItem",
    "Pin",
    "PinTypeName",
    "PlanEntry",
    "ProviderName",
    "Quote",
    "Reason",
    "Recall",
    "RecallItem",
    "RecallTrace",
    "Ref",
    "RefInput",
    "Reranker",
    "RereadReport",
    "Resources",
    "RestoreReport",
    "Retention",
    "Run",
    "RunDecision",
    "Session",
    "SessionPage",
    "SmartBrain",
    "SmartBrainError",
    "Snippet",
    "TenantStatus",
    "ToolAnswer",
    "ToolCall",
    "ToolCallInput",
    "TrailEntry",
    "Turn",
    "TurnInput",
    "UsageError",
    "Work",
    "WorkOutcome",
    "WorkingMemory",
    "__version__",
]

logging.getLogger(__name__).addHandler(logging.NullHandler())  # a library speaks when asked


def __getattr__(name: str) -> object:
    """Load what brings much with it, and most programs never name, when somebody asks for it."""
    if name == "AsyncSmartBrain":
        return import_module("smartbrain.brain.async_handle").AsyncSmartBrain
    if name == "ExtractReport":
        return import_module("smartbrain.jobs.extract").ExtractReport
    if name in ("Work", "WorkOutcome"):
        return getattr(import_module("smartbrain.jobs.work"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
