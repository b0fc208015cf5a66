"""Every rule a brain can be given, with its default: `Rules` is brain.yml as one frozen value.

Each section is a small dataclass that a stage takes as its `rules`; the names are those of the
file, so `policies.retention.summarize_after_turns` is read the same way in both. `schema` tells
settings, documentation and the command line what may be set. Not the place where files are read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from types import MappingProxyType
from typing import Any, Final

from smartbrain.domain.plan import QueryMode
from smartbrain.domain.policy_field import Section, schema_of, setting
from smartbrain.domain.policy_jobs import JobsRules
from smartbrain.domain.policy_recall import PacketRules, RecallRules
from smartbrain.domain.policy_state import (
    ArtifactsRules,
    CommandsRules,
    EncryptionRules,
    FastMemoRules,
    NotebookRules,
    PinsRules,
    PrivacyRules,
    QuotaRules,
    RawRules,
    SloRules,
    StorageRules,
    TenantsRules,
    WorkingRules,
)
from smartbrain.domain.record import canonical_json, to_plain

_SHARE: Final = (0.0, 1.0)
_COUNT: Final = (1, 10_000)
_TOKENS: Final = (1, 10_000_000)
_ENCODINGS: Final = (
    "o200k_base",
    "cl100k_base",
    "llama3",
    "deepseek_v3",
    "qwen3",
    "gemma3",
    "glm4",
)


@dataclass(frozen=True, slots=True)
class EntityGateRules:
    """When an entity that was mentioned becomes a memory."""

    window_turns: int = setting(
        20, "Recent turns in which mentions of an entity are counted.", _COUNT
    )
    freq_threshold: int = setting(2, "Mentions within that window that make it a memory.", _COUNT)


@dataclass(frozen=True, slots=True)
class ConfidenceRules:
    """How sure a new memory is, by where it comes from."""

    user_asserted: float = setting(0.8, "Least confidence of what the user stated.", _SHARE)
    tool_derived: float = setting(0.9, "Least confidence of what a tool returned.", _SHARE)
    inferred: float = setting(0.6, "Most confidence of a guess nobody confirmed.", _SHARE)


@dataclass(frozen=True, slots=True)
class RetentionRules:
    """What a committed turn leaves behind in long-term memory."""

    summarize_after_turns: int = setting(
        12, "Turns after which the working summary is written again.", _COUNT
    )
    reader: str = setting(
        "rules",
        "Who reads messages: rules, or the trained reader.",
        choices=("rules", "trained"),
    )
    entity_gate: EntityGateRules = EntityGateRules()
    confidence: ConfidenceRules = ConfidenceRules()


@dataclass(frozen=True, slots=True)
class ConsolidationRules:
    """When summaries are written."""

    token_pressure: float = setting(
        0.7, "Share of the token limit above which a summary is written.", _SHARE
    )
    stage_events: bool = setting(True, "Whether tasks done, decisions and tool results write one.")
    episode_max_chars: int = setting(
        280, "Longest text of an episode; a longer turn is summarised.", (40, 10_000)
    )


@dataclass(frozen=True, slots=True)
class PriorityRules:
    """What decides between two facts that contradict each other."""

    source_trust: float = setting(0.4, "Weight of how far the source is trusted.", _SHARE)
    recency: float = setting(0.3, "Weight of how new the statement is.", _SHARE)
    evidence_support: float = setting(0.2, "Weight of the evidence behind it.", _SHARE)
    consistency: float = setting(0.1, "Weight of how well it agrees with other sure facts.", _SHARE)


@dataclass(frozen=True, slots=True)
class SourceTrustRules:
    """How far each kind of source is trusted."""

    user: float = setting(0.8, "Trust in the user's own words.", _SHARE)
    tool: float = setting(0.9, "Trust in the structured results of tools.", _SHARE)
    document: float = setting(0.7, "Trust in ingested documents.", _SHARE)
    agent: float = setting(0.6, "Trust in outside agents and models that propose memories.", _SHARE)
    assistant: float = setting(0.5, "Trust in the assistant's own words.", _SHARE)
    named: Mapping[str, float] = setting(
        {}, "Trust in single sources by name, such as `tool:git: 1.0`.", _SHARE
    )


@dataclass(frozen=True, slots=True)
class ConflictRules:
    """Which of several contradicting facts is the active one."""

    review_threshold: float = setting(
        0.05, "Gap in priority below which the loser goes to review.", _SHARE
    )
    priority: PriorityRules = PriorityRules()
    source_trust: SourceTrustRules = SourceTrustRules()


@dataclass(frozen=True, slots=True)
class EdgeWeightRules:
    """What the weight of a new edge is made of."""

    extraction: float = setting(0.5, "Weight of how sure the extraction was.", _SHARE)
    source_trust: float = setting(0.3, "Weight of how far the source is trusted.", _SHARE)
    recency: float = setting(0.2, "Weight of how new it is.", _SHARE)


@dataclass(frozen=True, slots=True)
class LinkingRules:
    """How new memories are tied into the graph."""

    same_event_days: float = setting(
        1.0, "Days between two statements that may still be one event.", (0.0, 365.0)
    )
    same_event_similarity: float = setting(
        0.8, "Similarity from which two such statements are one event.", _SHARE
    )
    similar_to_min: float = setting(
        0.75, "Similarity from which two statements are linked as SIMILAR_TO.", _SHARE
    )
    edge_weight: EdgeWeightRules = EdgeWeightRules()


@dataclass(frozen=True, slots=True)
class RetrievalDiversityRules:
    """How many candidates may come from one place while retrieving."""

    by_document: int | None = setting(3, "Candidates of one document; null: no limit.", _COUNT)
    by_source: int | None = setting(10, "Candidates of one source; null: no limit.", _COUNT)
    by_section: int | None = setting(None, "Candidates of one section; null: no limit.", _COUNT)


@dataclass(frozen=True, slots=True)
class QueryExpansionRules:
    """Further queries derived from the message."""

    enabled: bool = setting(True, "Whether further queries are derived.")
    min_queries: int = setting(3, "Fewest queries, if the message gives that many.", (1, 64))
    max_queries: int = setting(
        8, "Most queries, the message itself included.", (1, 64), at_least="min_queries"
    )
    min_weight: float = setting(0.5, "Weight of the least certain further query.", _SHARE)
    max_weight: float = setting(
        0.8, "Weight of the most certain further query.", _SHARE, at_least="min_weight"
    )


@dataclass(frozen=True, slots=True)
class RerankRules:
    """One ranking over memories and resources together."""

    enabled: bool = setting(True, "Whether a configured reranker is asked.")
    top_n: int = setting(50, "How many of the best candidates the reranker sees.", _COUNT)


@dataclass(frozen=True, slots=True)
class RetrievalRules:
    """What the retrieval plan of a message asks for."""

    enable_resource_retrieval: bool | str = setting(
        "auto",
        "Whether documents are searched; auto decides by the message.",
        choices=("auto", True, False),
    )
    resource_deadline_ms: int = setting(
        2_000, "Longest wait for documents, in milliseconds; then none come.", (1, 600_000)
    )
    top_k: int = setting(30, "Evidence items a plan returns.", _COUNT)
    candidate_k: int = setting(
        200, "Candidates each search arm may read.", (1, 100_000), at_least="top_k"
    )
    fusion: str = setting(
        "weighted_sum",
        "How a document backend joins the hits of its searches.",
        choices=("weighted_sum", "rrf", "none"),
    )
    rrf_k: int = setting(60, "Smoothing of reciprocal rank fusion (fusion: rrf).", _COUNT)
    per_mode_k: Mapping[str, int] = setting(
        {QueryMode.EXACT: 10, QueryMode.SEMANTIC: 10, QueryMode.HYBRID: 30},
        "Candidates that queries of one mode may bring.",
        _COUNT,
        choices=tuple(QueryMode),
    )
    diversity: RetrievalDiversityRules = RetrievalDiversityRules()
    query_expansion: QueryExpansionRules = QueryExpansionRules()
    rerank: RerankRules = RerankRules()


@dataclass(frozen=True, slots=True)
class DiversityRules:
    """How many evidence items may come from one place in a context."""

    by_document: int = setting(3, "Evidence items of one document.", _COUNT)
    by_source_uri: int = setting(2, "Evidence items of one source address.", _COUNT)
    memory_resource_ratio: str = setting(
        "40/60", "Evidence from memory and from documents, in percent.", form="ratio"
    )


@dataclass(frozen=True, slots=True)
class CompositionRules:
    """What fits into a composed context."""

    token_limit: int = setting(8192, "Most tokens of a context.", (1, 10_000_000))
    system_blocks_max_tokens: int = setting(800, "Most tokens of the system blocks.", _TOKENS)
    summary_max_tokens: int = setting(
        600, "Most tokens of the working summary, as written and as shown.", _TOKENS
    )
    recent_turns_max: int = setting(8, "Most recent turns in the standard recipe.", (0, 10_000))
    evidence_max_items: int = setting(12, "Most evidence items.", (0, 10_000))
    max_snippet_chars: int = setting(800, "Longest snippet of one item.", (40, 100_000))
    ctx_recent_max_tokens: int = setting(
        3000, "Chat tokens at which compaction becomes due.", _TOKENS
    )
    keep_rounds: int = setting(3, "Latest rounds that compaction leaves alone.", (1, 100))
    chat_code_max_lines: int = setting(
        20, "Lines above which code in the chat window becomes a reference.", _COUNT
    )
    tool_result_max_chars: int = setting(
        2000, "Longest excerpt of the current tool result in the tool loop.", (0, 1_000_000)
    )
    tokenizer: str = setting(
        "heuristic",
        "How tokens are counted; exactly only with the extra [tokens].",
        choices=("heuristic", *_ENCODINGS),
    )
    tell_budget: bool = setting(False, "Whether a context tells the model how large it may be.")
    diversity: DiversityRules = DiversityRules()


@dataclass(frozen=True, slots=True)
class ObservabilityRules:
    """What is kept about each call, and for how long."""

    trace: bool = setting(True, "Whether each compose and commit leaves a trace.")
    store_plans: bool = setting(True, "Whether traces keep their retrieval plan.")
    store_contexts: bool = setting(True, "Whether traces keep what was selected and composed.")
    trace_days: int = setting(30, "Days a trace is kept.", _COUNT)
    max_traces: int = setting(10_000, "Most traces kept; the oldest go first.", (1, 10_000_000))
    changes_days: int = setting(30, "Days the log of changes is kept.", _COUNT)


@dataclass(frozen=True, slots=True)
class PoliciesRules:
    """What is remembered and what is shown to the model."""

    retention: RetentionRules = RetentionRules()
    consolidation: ConsolidationRules = ConsolidationRules()
    conflicts: ConflictRules = ConflictRules()
    linking: LinkingRules = LinkingRules()
    retrieval: RetrievalRules = RetrievalRules()
    composition: CompositionRules = CompositionRules()
    observability: ObservabilityRules = ObservabilityRules()


@dataclass(frozen=True, slots=True)
class OntologyRules:
    """The attributes that memories are filed under."""

    attributes: Mapping[str, Mapping[str, Any]] = setting(
        {}, "Attributes of your own, each a block named after it."
    )


@dataclass(frozen=True, slots=True)
class Rules:
    """Everything brain.yml can say."""

    timezone: str = setting(
        "UTC", "The time zone in which times without one are read.", form="timezone"
    )
    policies: PoliciesRules = PoliciesRules()
    recall: RecallRules = RecallRules()
    packet: PacketRules = PacketRules()
    working: WorkingRules = WorkingRules()
    pins: PinsRules = PinsRules()
    notebook: NotebookRules = NotebookRules()
    fastmemo: FastMemoRules = FastMemoRules()
    commands: CommandsRules = CommandsRules()
    artifacts: ArtifactsRules = ArtifactsRules()
    raw: RawRules = RawRules()
    privacy: PrivacyRules = PrivacyRules()
    jobs: JobsRules = JobsRules()
    slo: SloRules = SloRules()
    quotas: QuotaRules = QuotaRules()
    storage: StorageRules = StorageRules()
    tenants: TenantsRules = TenantsRules()
    encryption: EncryptionRules = EncryptionRules()
    ontology: OntologyRules = OntologyRules()
    recipes: Mapping[str, Mapping[str, Any]] = setting(
        {}, "Recipes of your own: which slots a context has, by name."
    )
    types: Mapping[str, Mapping[str, Any]] = setting(
        {}, "Memory types of your own, each a block named after the type."
    )


RULES_VERSION: Final = 1
"""Raised when the same words under the same settings give other memories than before."""

PER_TENANT: Final = ("timezone", "privacy", "quotas")
"""What a tenant may have of its own; all else holds for every tenant of a root."""

_NOT_DECISIONS: Final = frozenset({"recipes", "slo", "quotas", "storage", "tenants", "encryption"})


@cache
def schema() -> Section:
    """Return the tree of everything that can be set, with defaults, meanings and bounds."""
    return schema_of(Rules())


@cache
def tenant_schema() -> Section:
    """Return the tree of what a tenant may have of its own, beside its root's."""
    whole = schema()
    children = {name: whole.children[name] for name in PER_TENANT}
    return Section((), whole.meaning, MappingProxyType(children))


def rules_hash(rules: Rules) -> str:
    """Name a set of rules: equal when every rule that decides about memory is equal.

    Where and how things are stored, observed or limited is left out, so changing that does not
    make stored decisions look as if they were taken under other rules.
    """
    plain = {name: part for name, part in to_plain(rules).items() if name not in _NOT_DECISIONS}
    plain["policies"].pop("observability")
    plain["version"] = RULES_VERSION
    return blake2b(canonical_json(plain).encode(), digest_size=16).hexdigest()
