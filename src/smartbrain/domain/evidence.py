"""The evidence pack: what a resource backend answers to a `RetrievalPlan` (R1).

Each piece of evidence says where it stands, which query found it and how it scored, in final order;
the pack says how that order came about and which wishes of the plan it could not follow. Not a
prompt: choosing and trimming evidence for a context happens later.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from smartbrain.domain.plan import CONTRACT_VERSION, Fusion, QueryMode, Rerank, RetrievalPlan
from smartbrain.domain.quick import quick
from smartbrain.domain.record import Record


@quick
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Signals(Record):
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
    time_score: float | None = None
    weight_score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class EvidenceProvenance(Record):
    """Which query of the plan found it, how and when."""

    mode: QueryMode
    query_text: str = ""
    query_index: int | None = None
    retrieved_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class EvidenceMetadata(Record):
    """Where in its document the snippet stands."""

    chunk_index: int | None = None
    offset_start: int | None = None
    offset_end: int | None = None
    page: int | None = None
    section_title: str | None = None


@quick
@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Evidence(Record):
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ModeStats(Record):
    """How many hits one mode looked at and gave."""

    candidates: int = 0
    returned: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class EvidenceStats(Record):
    """How much work a retrieval was."""

    candidates: int = 0
    returned: int = 0
    took_ms: float = 0.0
    by_mode: Mapping[str, ModeStats] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class EvidenceExplain(Record):
    """What was really done; `ignored_fields` names each wish of the plan that was not followed."""

    fusion: Fusion | None = None
    rerank: Rerank | None = None
    filters_applied: Mapping[str, Any] = field(default_factory=dict)
    diversity: Mapping[str, Any] = field(default_factory=dict)
    ignored_fields: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class EvidencePack(Record):
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
