"""A full memory packet and a full context package, in Chinese and English."""

from __future__ import annotations

from example_retrieval import EARLIER, NOW, PROVENANCE, SIGNALS
from msgspec.structs import replace

from smartbrain.domain.context import (
    Block,
    Constraints,
    ContextDebug,
    ContextDiversity,
    ContextEvidence,
    ContextPackage,
    EvidenceRef,
    EvidenceSource,
    NotebookEntry,
    PinEntry,
    TokenBudget,
    TraceIds,
    Truncation,
)
from smartbrain.domain.memory import Compression, Span
from smartbrain.domain.packet import (
    BudgetReport,
    Degradation,
    LadderStep,
    MemoryPacket,
    PacketExplain,
    PacketItem,
    PlanEntry,
    Quote,
    RunDecision,
    ShortTerm,
    ShownCall,
    ShownMessage,
    ShownTurn,
    WorkingMemory,
)
from smartbrain.domain.plan import (
    QueryMode,
)
from smartbrain.domain.reason import Reason
from smartbrain.domain.turn import CallStatus, Role

CALL = ShownCall(
    id="art-3",
    tool_name="read_log",
    status=CallStatus.ERROR,
    exit_code=2,
    bytes=48_211,
    summary="事件 ID 17：驱动加载失败\n3 errors, last at 09:12",
    call_id="call_9",
    args={"path": "系统日志.evtx", "last": 200},
    text="Event 17: driver failed to load …",
    truncated=True,
)
TURN = ShownTurn(
    turn_id="turn-12",
    at=EARLIER,
    messages=(
        ShownMessage(
            role=Role.USER,
            content="蓝牙又打不开了",
            name="小李",
            id="msg-1",
            media=("image left out: https://x.example/图.png",),
        ),
        ShownMessage(role=Role.ASSISTANT, content="Let me read the log.", calls=("call_9",)),
    ),
    tool_calls=(replace(CALL, text="", truncated=False),),
)
PLAN_ENTRY = PlanEntry(id="todo-1", text="重装驱动", done=True, done_when="Bluetooth turns on")
REASON = Reason(
    "over_limit",
    "Episodes are limited to 20 and this one ranked 21st.",
    id="mem-9",
    type="episodes",
    key="episode:s1:9",
    detail={"rank": 21, "limit": 20},
)

PACKET = MemoryPacket(
    working_memory=WorkingMemory(
        run_id="run-1",
        goal="修好蓝牙",
        constraints=("不要重装系统", "no reboot before noon"),
        slots={"device": "AX211", "tries": 2},
        plan=(PLAN_ENTRY,),
        decisions=(RunDecision(text="先查日志", detail="The log names the driver.", at=EARLIER),),
    ),
    facts=(
        PacketItem(
            id="mem-1",
            type="preferences",
            key="pref:writing:language",
            title="写作语言",
            text="用户喜欢用中文回答，code comments in English.",
            value={"scope": "writing", "name": "language", "value": "中文"},
            confidence=0.9,
            score=0.42,
            signals=SIGNALS,
            source_turn_id="turn-2",
            session_id="s1",
            speaker="user",
            at=EARLIER,
        ),
    ),
    procedures=(
        PacketItem(id="mem-2", type="patterns", key="pattern:硬件:重装", text="卸载后重启"),
    ),
    stm=ShortTerm(
        summary="Goals: 修好蓝牙\nOpen Questions: which driver?",
        key_quotes=(
            Quote(
                text="别动系统",
                source_turn_id="turn-3",
                speaker="user",
                at=EARLIER,
                span=Span("raw_0f", 12, 12),
            ),
        ),
        window=(TURN,),
    ),
    episodes=(
        PacketItem(
            id="mem-3",
            type="episodes",
            key="episode:s1:4",
            text="二月试过重装驱动, and it helped for a week.",
            compression=Compression.PHASE,
            quotes=(Quote(source_turn_id="turn-4"),),
        ),
    ),
    insights=(
        PacketItem(
            id="mem-4",
            type="insights",
            key="insight:run-1:1",
            text="也许是电源管理",
            validated=False,
        ),
    ),
    budget_report=BudgetReport(
        limits={"total": 100, "episodes": 20},
        used={"total": 4, "episodes": 1},
        degradations=(
            Degradation(
                code=LadderStep.REDUCE_TOP_K,
                reason="21 episodes for 20 places.",
                type="episodes",
                before=21,
                after=20,
            ),
            Degradation(
                code=LadderStep.RAISE_COMPRESSION,
                reason="片段太多，改为阶段摘要。",
                type="episodes",
                before="raw",
                after="phase",
            ),
        ),
    ),
    explain=PacketExplain(
        selected=(Reason("by_rule", "有效偏好总是带上。", id="mem-1"),), omitted=(REASON,)
    ),
    metrics={"candidate_count_by_type": {"facts": 1}, "latency_ms": 4.5},
)

PACKAGE = ContextPackage(
    context_id="ctx-1",
    session_id="s1",
    created_at=NOW,
    system_blocks=(
        Block(
            type="core_profile",
            text="小李是硬件工程师。",
            updated_at=EARLIER,
            source={"memory_item_id": "mem-5"},
        ),
    ),
    developer_blocks=(Block(type="tooling_rules", text="Cite evidence as [E1]."),),
    working_summary="Goals: 修好蓝牙",
    pins=(
        PinEntry(
            id="pin-1",
            type="constraint",
            title="不要重装系统",
            summary="The user forbids a reinstall.",
            source="chat:turn-3",
            artifact_ref="art-3",
        ),
    ),
    plan=(PLAN_ENTRY,),
    notebook=(NotebookEntry(id="note-1", at=EARLIER, text="日志指向驱动", source="tool:art-3"),),
    recent_turns=(TURN,),
    turn_id=TURN.turn_id,
    evidence=(
        ContextEvidence(
            id="E1",
            source=EvidenceSource.RESOURCE,
            source_uri="https://docs.example/蓝牙/driver",
            title="驱动手册",
            snippet="先卸载驱动，then restart.",
            mode=QueryMode.HYBRID,
            score=0.88,
            signals=SIGNALS,
            provenance=PROVENANCE,
            ref=EvidenceRef(
                document_id="doc-驱动手册",
                section_id="3",
                chunk_index=0,
                memory_item_id="mem-3",
                turn_id="turn-4",
                message_id="msg-7",
            ),
            at=EARLIER,
            speaker="小李",
        ),
        ContextEvidence(id="E2", source=EvidenceSource.MEMORY, source_uri="turn:turn-4"),
    ),
    tool_result=CALL,
    parallel_results=(replace(CALL, id="art-8", call_id="call_8"),),
    user_message={"role": "user", "content": "现在呢？ Any news?"},
    constraints=Constraints(
        token_budget=TokenBudget(limit=4096, used_estimate=1310),
        diversity=ContextDiversity(by_document=2, by_source_uri=1),
        truncation=Truncation(
            system_blocks_max_tokens=400,
            summary_max_tokens=300,
            recent_turns_max=3,
            evidence_max_items=6,
            max_snippet_chars=500,
        ),
    ),
    debug=ContextDebug(
        planner={"intent": "debug", "keywords": ["蓝牙", "driver"]},
        why_selected=(Reason("covers_entity", "它谈到了蓝牙。", id="E1"),),
        ignored=(REASON,),
        trace=TraceIds(context_id="ctx-1", request_id="req-7", plan_id="plan-7"),
    ),
)
