"""The evidence pack: what a resource backend answers to a `RetrievalPlan` (R1).

Each piece of evidence says where it stands, which query found it and how it scored, in final order;
the pack says how that order came about and which wishes of the plan it could not follow. Not a
prompt: choosing and trimming evidence for a context happens later.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import field

from smartbrain.domain.plan import CONTRACT_VERSION, Fusion, QueryMode, Rerank, RetrievalPlan
from smartbrain.domain.record import Record


class Signals(Record, frozen=True, kw_only=True):
    """The scores behind a rank; null where an arm did not find it or did not run."""

    vector_score: float | None = None
    vector_rank: int | None = None
    fts_score: float | None = None
    fts_rank: int | None = None
    rrf_score: float | None = None
    rerank_score: float | None = None
    graph_score: float | None = None
    recency_score: float | None = None
    coverage_score: float | None = None
    session_score: float | None = None
    time_score: float | None = None
    weight_score: float | None = None


class EvidenceProvenance(Record, frozen=True, kw_only=True):
    """Which query of the plan found it, how and when."""

    mode: QueryMode
    query_text: str = ""
    query_index: int | None = None
    retrieved_at: datetime | None = None


class EvidenceMetadata(Record, frozen=True, kw_only=True):
    """Where in its document the snippet stands."""

    chunk_index: int | None = None
    offset_start: int | None = None
    offset_end: int | None = None
    page: int | None = None
    section_title: str | None = None


class Evidence(Record, frozen=True, kw_only=True):
    """One quotable hit; `kind`, `source_type` and `language` are open vocabularies."""

    id: str
    kind: str = "other"
    document_id: str | None = None
    section_id: str | None = None
    title: str = ""
    source_uri: str
    source_type: str = "other"
    snippet: str = ""
    language: str | None = None
    signals: Signals = Signals()
    provenance: EvidenceProvenance | None = None
    metadata: EvidenceMetadata = EvidenceMetadata()
    raw: Mapping[str, Any] | None = None


class ModeStats(Record, frozen=True, kw_only=True):
    """How many hits one mode looked at and gave."""

    candidates: int = 0
    returned: int = 0


class EvidenceStats(Record, frozen=True, kw_only=True):
    """How much work a retrieval was."""

    candidates: int = 0
    returned: int = 0
    took_ms: float = 0.0
    by_mode: Mapping[str, ModeStats] = field(default_factory=dict)


class EvidenceExplain(Record, frozen=True, kw_only=True):
    """What was really done; `ignored_fields` names each wish of the plan that was not followed."""

    fusion: Fusion | None = None
    rerank: Rerank | None = None
    filters_applied: Mapping[str, Any] = field(default_factory=dict)
    diversity: Mapping[str, Any] = field(default_factory=dict)
    ignored_fields: tuple[str, ...] = ()


class EvidencePack(Record, frozen=True, kw_only=True):
    """The answer to one plan, best evidence first; `plan` is kept so that it can be run again."""

    version: str = CONTRACT_VERSION
    plan: RetrievalPlan | None = None
    plan_id: str = ""
    request_id: str = ""
    generated_at: datetime
    evidences: tuple[Evidence, ...] = ()
    stats: EvidenceStats = field(default_factory=EvidenceStats)
    explain: EvidenceExplain = field(default_factory=EvidenceExplain)
    warnings: tuple[str, ...] = ()
