"""The retrieval plan: what to look for, how, where, and how much of it to bring back (R1).

Made from a message and its session; read by our own recall and by any resource backend, which
answers with an `EvidencePack`. A plan only asks: it carries no result and states no fact.
The to-do list of a session is another thing, in `domain.context`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from msgspec import field

from smartbrain.domain.record import Instant, Record

CONTRACT_VERSION: Final = "0.1"
"""The version that plans, packs, packets and packages of this release are written in."""


class Purpose(StrEnum):
    """What the answer is for."""

    QA = "qa"
    CONTINUE_TASK = "continue_task"
    DEBUG = "debug"
    SUMMARIZE = "summarize"
    RESEARCH = "research"
    OTHER = "other"


class QueryMode(StrEnum):
    """How a query is matched: by words, by meaning, by both, along relations, or by association."""

    EXACT = "exact"
    SEMANTIC = "semantic"
    HYBRID = "hybrid"
    RELATIONAL = "relational"
    ASSOCIATIVE = "associative"


class FusionMethod(StrEnum):
    """How the lists of several arms become one: by ranks, by weighted scores, or not at all."""

    RRF = "rrf"
    WEIGHTED_SUM = "weighted_sum"
    NONE = "none"


class TieBreaker(StrEnum):
    """What decides between equal scores."""

    RECENCY = "recency"
    SOURCE_PRIORITY = "source_priority"
    NONE = "none"


class SnippetPolicy(StrEnum):
    """How much text a snippet shows: a headline, an outline, the passage, or what fits."""

    L0 = "l0"
    L1 = "l1"
    L2 = "l2"
    AUTO = "auto"


class PlanQuery(Record, frozen=True, kw_only=True):
    """One query; `filters` narrows it beyond the plan's own and has the names of `Filters`."""

    text: str
    mode: QueryMode = QueryMode.HYBRID
    weight: float = 1.0
    filters: Mapping[str, Any] = field(default_factory=dict)
    hints: Mapping[str, Any] = field(default_factory=dict)


class TimeRange(Record, frozen=True, kw_only=True):
    """A stretch of time, open where an end is missing; `from` and `to` in JSON."""

    since: Instant | None = field(default=None, name="from")
    until: Instant | None = field(default=None, name="to")


class Filters(Record, frozen=True, kw_only=True):
    """What a hit must satisfy; an empty list asks for nothing, several values mean any of them."""

    document_ids: tuple[str, ...] = ()
    tag_ids: tuple[str, ...] = ()
    topic_ids: tuple[str, ...] = ()
    source_type: tuple[str, ...] = ()
    source_uri_prefix: tuple[str, ...] = ()
    language: tuple[str, ...] = ()
    time_range: TimeRange | None = None


class Diversity(Record, frozen=True, kw_only=True):
    """At most so many hits of one document, source or section; null sets no cap."""

    by_document: int | None = 3
    by_source: int | None = 10
    by_section: int | None = None


class PlanBudget(Record, frozen=True, kw_only=True):
    """How many hits come back, how many are looked at, and how they must spread."""

    top_k: int = 30
    candidate_k: int = 200
    per_mode_k: Mapping[str, int] = field(
        default_factory=lambda: {QueryMode.EXACT: 10, QueryMode.SEMANTIC: 10, QueryMode.HYBRID: 30}
    )
    diversity: Diversity = Diversity()


class Fusion(Record, frozen=True, kw_only=True):
    """How hits of several modes are brought onto one scale; `weights` are by mode."""

    method: FusionMethod = FusionMethod.RRF
    rrf_k: int = 60
    weights: Mapping[str, float] = field(default_factory=dict)


class Rerank(Record, frozen=True, kw_only=True):
    """Whether a model reorders the first `top_n` hits."""

    enabled: bool = False
    model: str | None = None
    top_n: int = 50


class Ranking(Record, frozen=True, kw_only=True):
    """How the order is made; `source_priority` is by source type, higher first."""

    fusion: Fusion = field(default_factory=Fusion)
    rerank: Rerank = Rerank()
    tie_breaker: TieBreaker = TieBreaker.RECENCY
    source_priority: Mapping[str, float] = field(default_factory=dict)


class PlanOutput(Record, frozen=True, kw_only=True):
    """What each hit brings along."""

    include_snippets: bool = True
    snippet_policy: SnippetPolicy = SnippetPolicy.AUTO
    include_signals: bool = True
    include_provenance: bool = True
    include_raw: bool = False
    max_snippet_chars: int = 800


class RetrievalPlan(Record, frozen=True, kw_only=True):
    """Everything a backend needs to retrieve for one message, and to do so again."""

    version: str = CONTRACT_VERSION
    request_id: str = ""
    purpose: Purpose = Purpose.OTHER
    queries: tuple[PlanQuery, ...] = ()
    global_filters: Filters = Filters()
    budget: PlanBudget = field(default_factory=PlanBudget)
    ranking: Ranking = field(default_factory=Ranking)
    output: PlanOutput = PlanOutput()
    debug: Mapping[str, Any] = field(default_factory=dict)
