"""What is measured of recall: the metrics by name, and the alerts that targets raise (S5).

In: nothing; a registry is filled with these. Out: names, kinds, labels and buckets that every
surface shows alike, and records of alerts. Not the registry, and nothing here is decided by.
"""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final, NamedTuple

from smartbrain.domain.record import Record


class MetricKind(StrEnum):
    """How a metric adds up: it only grows, it is what it was last, or it is a distribution."""

    COUNTER = "counter"
    GAUGE = "gauge"
    HISTOGRAM = "histogram"


class Metric(NamedTuple):
    """One metric; `label` names what it is split by, `bounds` are the upper ends of its buckets."""

    name: str
    kind: MetricKind
    meaning: str
    label: str = ""
    bounds: tuple[float, ...] = ()


_COUNTS: Final = (0.0, 1.0, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 100.0, 200.0)
_MILLISECONDS: Final = (
    *(0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0, 50.0, 70.0),
    *(100.0, 150.0, 200.0, 300.0, 500.0, 700.0, 1_000.0, 1_500.0, 2_000.0, 5_000.0, 10_000.0),
)

_COUNTER, _GAUGE, _HISTOGRAM = MetricKind

CANDIDATES: Final = Metric(
    "candidate_count_by_type",
    _HISTOGRAM,
    "Candidates of each type for a memory packet.",
    "type",
    _COUNTS,
)
COMPRESSION: Final = Metric(
    "compression_level_distribution",
    _COUNTER,
    "Episodes shown in memory packets, by how much of them is shown.",
    "level",
)
DEGRADATIONS: Final = Metric(
    "degradation_events_count",
    _COUNTER,
    "Steps taken to hold a limit, and arms that were late, failed or not ready.",
    "code",
)
PACKET_LATENCY: Final = Metric(
    "build_memory_packet_latency_ms",
    _HISTOGRAM,
    "Time a memory packet took, in milliseconds.",
    bounds=_MILLISECONDS,
)
PREFIX_SHARE: Final = Metric(
    "context_prefix_share",
    _HISTOGRAM,
    "Share of a context's request that begins as the one before it in its session.",
    bounds=tuple(tenth / 10 for tenth in range(11)),
)
STAGE_TIME: Final = Metric(
    "db_query_time_ms_by_stage",
    _HISTOGRAM,
    "Time of each stage and arm of a recall, in milliseconds.",
    "stage",
    _MILLISECONDS,
)
QUERY_LATENCY: Final = Metric(
    "query_latency_ms", _HISTOGRAM, "Time a recall took, in milliseconds.", bounds=_MILLISECONDS
)
QUERY_P99: Final = Metric(
    "query_latency_p99", _GAUGE, "99th percentile of a recall's time, in milliseconds."
)
ACTIVE_FACTS: Final = Metric(
    "active_facts_count", _GAUGE, "Facts that hold now; more than the target is an alert."
)
OLD_RAW_EPISODES: Final = Metric(
    "episode_raw_count_over_30d",
    _GAUGE,
    "Episodes older than 30 days that are still shown as they were.",
)
EXPIRED_INSIGHTS: Final = Metric(
    "insight_expired_rate", _GAUGE, "Share of insights that have expired."
)
GRAPH_DENSITY: Final = Metric("graph_density", _GAUGE, "Edges for each node of the graph.")
FRAGMENTATION: Final = Metric(
    "index_fragmentation", _GAUGE, "Share of an index that is dead weight.", "index"
)
VIEW_REBUILDS: Final = Metric(
    "view_rebuilds_count",
    _GAUGE,
    "Views that were built anew since the tenant was opened, by view and reason.",
    "view",
)
CACHE_HITS: Final = Metric(
    "cache_hit_rate",
    _GAUGE,
    "Share of reads that a cache served: `views` are the indexes of a tenant that is kept open.",
    "cache",
)
RECALL_PRECISION: Final = Metric(
    "recall_precision",
    _GAUGE,
    "Share of the memories with feedback that has more for them than against.",
)
MODEL_CALLS: Final = Metric(
    "language_model_calls_count",
    _COUNTER,
    "Turns that the language model was asked to read: read, retried, failed, or too late.",
    "outcome",
)
MODEL_TOKENS: Final = Metric(
    "language_model_tokens_count",
    _COUNTER,
    "Tokens of prompts and answers, as the language model counts them.",
    "kind",
)
MODEL_CLAIMS: Final = Metric(
    "language_model_claims_count",
    _COUNTER,
    "Claims of the language model that were kept or dropped, and others that they replaced.",
    "outcome",
)

METRICS: Final = (
    *(CANDIDATES, COMPRESSION, DEGRADATIONS, PACKET_LATENCY, PREFIX_SHARE, STAGE_TIME),
    *(QUERY_LATENCY, QUERY_P99),
    *(ACTIVE_FACTS, OLD_RAW_EPISODES, EXPIRED_INSIGHTS, GRAPH_DENSITY, FRAGMENTATION),
    *(VIEW_REBUILDS, CACHE_HITS, RECALL_PRECISION, MODEL_CALLS, MODEL_TOKENS, MODEL_CLAIMS),
)
"""Every metric, in the order in which it is shown."""


class Alert(Record, frozen=True, kw_only=True):
    """A target was missed: by which value, which limit, since when."""

    code: str
    sentence: str
    value: float
    limit: float
    at: datetime
