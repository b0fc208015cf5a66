"""What verbs give, by the names that their signatures use.

In: nothing. Out: a table from the name of a type to the type, for whoever reads a signature.
"""

from __future__ import annotations

from typing import Any, Final

from smartbrain.domain.artifact import Artifact, ArtifactPage, FoundLines, Snippet, ToolAnswer
from smartbrain.domain.claim import Claim
from smartbrain.domain.context import ContextPackage
from smartbrain.domain.context_diff import ContextDiff
from smartbrain.domain.explanation import Explanation
from smartbrain.domain.forgetting import ForgetReceipt
from smartbrain.domain.graph import Edge
from smartbrain.domain.history import GraphReport
from smartbrain.domain.memory import Memory
from smartbrain.domain.memory_event import EventPage
from smartbrain.domain.packet import MemoryPacket, PlanEntry, RunDecision, WorkingMemory
from smartbrain.domain.page import MemoryPage, SessionPage
from smartbrain.domain.recall import Recall
from smartbrain.domain.replay import RereadReport
from smartbrain.domain.result import CommitResult
from smartbrain.domain.search import Beside
from smartbrain.domain.status import Capabilities, EmbedReport, TenantStatus
from smartbrain.domain.turn import Turn
from smartbrain.domain.working import Compaction, Governed, Memo, Note, Pin, Run, TrailEntry
from smartbrain.jobs.extract import ExtractReport
from smartbrain.jobs.work import Work, WorkOutcome

RESULTS: Final[dict[str, Any]] = {
    kind.__name__: kind
    for kind in (
        *(Artifact, ArtifactPage, Beside, Capabilities, Claim, CommitResult, Compaction),
        *(ContextDiff, ContextPackage, Edge, EmbedReport, EventPage, Explanation, ExtractReport),
        *(ForgetReceipt, FoundLines, Governed, GraphReport, Memo, Memory, MemoryPacket),
        *(MemoryPage, Note, Pin, PlanEntry, Recall, RereadReport, Run, RunDecision, SessionPage),
        *(Snippet, TenantStatus, ToolAnswer, TrailEntry, Turn, Work, WorkOutcome, WorkingMemory),
    )
}
