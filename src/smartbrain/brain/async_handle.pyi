"""What type checkers know about `AsyncSmartBrain`. Written by `python tools/async_stub.py`."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from smartbrain.bootstrap.sources import Config
from smartbrain.domain.artifact import Artifact, ArtifactPage, FoundLines, Snippet
from smartbrain.domain.explanation import Explanation
from smartbrain.domain.graph import Edge
from smartbrain.domain.hit import Beside
from smartbrain.domain.import_report import GraphReport, ImportReport
from smartbrain.domain.memory import Memory
from smartbrain.domain.packet import MemoryPacket, PlanEntry, RunDecision, WorkingMemory
from smartbrain.domain.page import MemoryPage, SessionPage
from smartbrain.domain.recall import Recall
from smartbrain.domain.result import CommitResult
from smartbrain.domain.run import Run
from smartbrain.domain.status import HealthReport, TenantStatus
from smartbrain.domain.time import Clock
from smartbrain.domain.turn import Turn
from smartbrain.domain.view import Capabilities
from smartbrain.jobs.embed import EmbedReport
from smartbrain.jobs.extract import ExtractReport
from smartbrain.jobs.work import Work, WorkOutcome

class AsyncArtifacts:
    async def add(
        self,
        tool_name: str,
        output: Any = ...,
        *,
        args: Any = ...,
        stdout: str | None = ...,
        stderr: str | None = ...,
        exit_code: int | None = ...,
        status: str | None = ...,
        session_id: str | None = ...,
        turn_id: str | None = ...,
        owner: str = ...,
        idempotency_key: str | None = ...,
    ) -> Artifact: ...
    async def file_snippet(self, path: str, start: int = ..., len: int = ...) -> Snippet: ...
    async def get(self, id: str, range: str | tuple[int, int] | None = ...) -> Artifact: ...
    async def grep(
        self,
        id: str,
        pattern: str,
        limit: int = ...,
        *,
        context: int = ...,
        ignore_case: bool = ...,
        after: int = ...,
    ) -> FoundLines: ...
    async def list(
        self,
        session_id: str | None = ...,
        turn_id: str | None = ...,
        limit: int = ...,
        cursor: str | None = ...,
    ) -> ArtifactPage: ...

class AsyncGraph:
    async def add_edge(self, src: str, type: str, dst: str, weight: float = ...) -> Edge: ...
    async def add_node(self, name: str) -> Memory: ...
    async def khop(
        self, seeds: Mapping[str, float] | str, *, hops: int = ...
    ) -> Sequence[tuple[str, float]]: ...
    async def neighbors(self, node: str, *, limit: int = ...) -> Sequence[Beside]: ...
    async def ppr(
        self, seeds: Mapping[str, float] | str, *, hops: int = ...
    ) -> Sequence[tuple[str, float]]: ...

class AsyncJobs:
    async def run(self, name: str) -> EmbedReport | ExtractReport: ...

class AsyncMemories:
    async def correct(
        self, id_or_key: str, value: Mapping[str, Any], reason: str | None = ...
    ) -> CommitResult: ...
    async def get(self, id_or_key: str) -> Memory: ...
    async def history(self, key: str) -> Sequence[Memory]: ...
    async def list(
        self,
        type: str | None = ...,
        status: str | None = ...,
        since: Any = ...,
        until: Any = ...,
        limit: int = ...,
        cursor: str | None = ...,
    ) -> MemoryPage: ...
    async def put(self, type: str, key: str, value: Mapping[str, Any]) -> CommitResult: ...
    async def retract(self, id_or_key: str, reason: str | None = ...) -> CommitResult: ...

class AsyncRuns:
    async def end(self, run_id: str) -> Run: ...
    async def get(self, run_id: str) -> Run: ...
    async def insight(
        self, run_id: str, statement: str, confidence: float, evidence: Sequence[str] = ...
    ) -> str: ...
    async def list(self, session_id: str | None = ...) -> Sequence[Run]: ...
    async def start(
        self,
        session_id: str,
        goal: str | None = ...,
        constraints: Sequence[str] = ...,
        slots: Mapping[str, Any] | None = ...,
        plan: Sequence[str | Mapping[str, Any] | PlanEntry] = ...,
    ) -> str: ...
    async def update(
        self,
        run_id: str,
        *,
        goal: str | None = ...,
        constraints: Sequence[str] | None = ...,
        slots: Mapping[str, Any] | None = ...,
        plan: Sequence[str | Mapping[str, Any] | PlanEntry] | None = ...,
        decision: str | Mapping[str, Any] | RunDecision | None = ...,
    ) -> WorkingMemory: ...
    async def validate(
        self, insight_id: str, evidence: Sequence[str] = ..., *, by_user: bool = ...
    ) -> Memory: ...

class AsyncSessions:
    async def end(self, session_id: str) -> None: ...
    async def list(self, limit: int = ..., cursor: str | None = ...) -> SessionPage: ...
    async def turns(
        self, session_id: str, *, after: int = ..., limit: int = ...
    ) -> Sequence[Turn]: ...

class AsyncWorkQueue:
    async def complete(
        self, work_id: str, owner: str, result: Mapping[str, Any]
    ) -> WorkOutcome: ...
    async def fail(self, work_id: str, owner: str, error: str) -> Work: ...
    async def heartbeat(self, work_id: str, owner: str, seconds: float = ...) -> Work: ...
    async def lease(
        self, kinds: str | Sequence[str], owner: str, seconds: float = ..., limit: int = ...
    ) -> Sequence[Work]: ...
    async def list(self, kind: str | None = ..., state: str | None = ...) -> Sequence[Work]: ...

class AsyncSmartBrain:
    artifacts: AsyncArtifacts
    graph: AsyncGraph
    jobs: AsyncJobs
    memories: AsyncMemories
    runs: AsyncRuns
    sessions: AsyncSessions
    work: AsyncWorkQueue
    @classmethod
    async def open(
        cls,
        path: str | os.PathLike[str],
        tenant: str = ...,
        config: Config = ...,
        clock: Clock | None = ...,
        embedder: object = ...,
        language_model: object = ...,
        reranker: object = ...,
    ) -> Self: ...
    @property
    def tenant_name(self) -> str: ...
    async def __aenter__(self) -> Self: ...
    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
    async def build_memory_packet(
        self,
        session_id: str,
        user_message: str,
        *,
        run_id: str | None = ...,
        audience: str = ...,
        task_type: str | None = ...,
    ) -> MemoryPacket: ...
    async def capabilities(self) -> Capabilities: ...
    async def close(self) -> None: ...
    async def commit_turn(
        self,
        session_id: str,
        turn_events: object,
        *,
        turn_id: str | None = ...,
        run_id: str | None = ...,
        idempotency_key: str | None = ...,
        context_id: str | None = ...,
    ) -> CommitResult: ...
    async def configure(self, values: Mapping[str, Any]) -> None: ...
    @staticmethod
    async def doctor(path: str | os.PathLike[str], config: Config = ...) -> HealthReport: ...
    async def explain(
        self, *, turn_id: str | None = ..., query: str | None = ..., expect: str | None = ...
    ) -> Explanation: ...
    async def feedback(self, memory_id: str, action: str) -> Memory: ...
    async def import_chat(
        self,
        path: str | os.PathLike[str],
        *,
        format: str = ...,
        on_progress: Callable[[int, int | None], None] | None = ...,
    ) -> ImportReport: ...
    async def ingest(
        self,
        text_or_path: str | os.PathLike[str],
        *,
        mime: str | None = ...,
        meta: Mapping[str, Any] | None = ...,
    ) -> list[str]: ...
    async def metrics(self) -> dict[str, Any]: ...
    async def r2g(self, on_progress: Callable[[int, int], None] | None = ...) -> GraphReport: ...
    async def rebuild(
        self, on_progress: Callable[[str, int], None] | None = ...
    ) -> Capabilities: ...
    async def recall(
        self,
        query: str,
        *,
        k: int = ...,
        budget_tokens: int | None = ...,
        k_hop: int = ...,
        timebox_days: float | None = ...,
        since: object = ...,
        until: object = ...,
        session_id: str | None = ...,
        types: str | Sequence[str] | None = ...,
        as_of: object = ...,
        include_history: bool = ...,
        need_citations: bool = ...,
    ) -> Recall: ...
    async def remember(self, text: str, *, session_id: str | None = ...) -> CommitResult: ...
    async def status(self) -> TenantStatus: ...
    async def tenant(self, name: str) -> AsyncSmartBrain: ...
    @staticmethod
    async def tenants(path: str | os.PathLike[str]) -> list[str]: ...
