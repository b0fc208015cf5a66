"""A full retrieval plan and a full evidence pack, in Chinese and English."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from smartbrain.domain.evidence import (
    Evidence,
    EvidenceExplain,
    EvidenceMetadata,
    EvidencePack,
    EvidenceProvenance,
    EvidenceStats,
    ModeStats,
    Signals,
)
from smartbrain.domain.plan import (
    Diversity,
    Filters,
    Fusion,
    FusionMethod,
    PlanBudget,
    PlanOutput,
    PlanQuery,
    Purpose,
    QueryMode,
    Ranking,
    Rerank,
    RetrievalPlan,
    SnippetPolicy,
    TieBreaker,
    TimeRange,
)

NOW = datetime(2026, 3, 1, 9, 30, 0, 250_000, tzinfo=timezone(timedelta(hours=8)))
EARLIER = datetime(2026, 2, 20, 12, 0, tzinfo=UTC)

PLAN = RetrievalPlan(
    request_id="req-7",
    purpose=Purpose.RESEARCH,
    queries=(
        PlanQuery(
            text="蓝牙 打不开 Win11",
            mode=QueryMode.EXACT,
            filters={"language": ["zh"], "time_range": {"from": "2026-02-01T00:00:00+08:00"}},
            hints={"entities": ["蓝牙", "Win11"]},
        ),
        PlanQuery(text="bluetooth adapter driver", mode=QueryMode.ASSOCIATIVE, weight=0.6),
    ),
    global_filters=Filters(
        document_ids=("doc-驱动手册",),
        tag_ids=("硬件",),
        topic_ids=("bluetooth",),
        source_type=("url", "file"),
        source_uri_prefix=("https://docs.example/蓝牙/",),
        language=("zh", "en"),
        time_range=TimeRange(since=EARLIER, until=NOW),
    ),
    budget=PlanBudget(
        top_k=12,
        candidate_k=120,
        per_mode_k={"exact": 6, "hybrid": 12},
        diversity=Diversity(by_document=2, by_source=4, by_section=1),
    ),
    ranking=Ranking(
        fusion=Fusion(
            method=FusionMethod.WEIGHTED_SUM, rrf_k=40, weights={"exact": 0.7, "semantic": 0.3}
        ),
        rerank=Rerank(enabled=True, model="bge-reranker", top_n=20),
        tie_breaker=TieBreaker.SOURCE_PRIORITY,
        source_priority={"file": 1.0, "url": 0.9},
    ),
    output=PlanOutput(
        include_snippets=False,
        snippet_policy=SnippetPolicy.L1,
        include_signals=False,
        include_provenance=False,
        include_raw=True,
        max_snippet_chars=400,
    ),
    debug={"trace": True, "notes": "查资料 first"},
)

SIGNALS = Signals(
    vector_score=0.71,
    vector_rank=2,
    fts_score=8.5,
    fts_rank=1,
    rrf_score=0.032,
    rerank_score=0.91,
    graph_score=0.12,
    recency_score=0.8,
)
PROVENANCE = EvidenceProvenance(
    mode=QueryMode.EXACT, query_text="蓝牙 打不开 Win11", query_index=0, retrieved_at=NOW
)

PACK = EvidencePack(
    plan=PLAN,
    plan_id="plan-7",
    request_id="req-7",
    generated_at=NOW,
    evidences=(
        Evidence(
            id="doc-驱动手册:3:0",
            kind="resource_section",
            document_id="doc-驱动手册",
            section_id="3",
            title="驱动手册 · Reinstalling the driver",
            source_uri="https://docs.example/蓝牙/driver",
            source_type="url",
            snippet="先在设备管理器中卸载驱动，then restart the machine.",
            language="zh",
            signals=SIGNALS,
            provenance=PROVENANCE,
            metadata=EvidenceMetadata(
                chunk_index=0,
                offset_start=120,
                offset_end=188,
                page=3,
                section_title="重装驱动",
            ),
            raw={"content_hash": "sha256:9f2c"},
        ),
    ),
    stats=EvidenceStats(
        candidates=42,
        returned=1,
        took_ms=12.5,
        by_mode={"exact": ModeStats(candidates=30, returned=1), "associative": ModeStats()},
    ),
    explain=EvidenceExplain(
        fusion=Fusion(method=FusionMethod.NONE),
        rerank=Rerank(),
        filters_applied={"language": ["zh", "en"]},
        diversity={"by_document": 2, "applied": True},
        ignored_fields=("global_filters.tag_ids",),
    ),
    warnings=("没有配置重排模型; hits keep their fused order",),
)
