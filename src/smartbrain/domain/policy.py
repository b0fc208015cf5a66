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

from smartbrain.domain.job import WorkKind
from smartbrain.domain.plan import QueryMode
from smartbrain.domain.policy_field import Section, schema_of, setting
from smartbrain.domain.policy_recall import PacketRules, RecallRules
from smartbrain.domain.policy_server import ServerRules
from smartbrain.domain.record import canonical_json, to_plain

_SHARE: Final = (0.0, 1.0)
_COUNT: Final = (1, 10_000)
_DAYS: Final = (1, 36_500)
_BYTES: Final = (0, 1_073_741_824)
_AMOUNT: Final = (0, 10**15)


@dataclass(frozen=True, slots=True)
class WorkingRules:
    """Short-term memory of a session and insights of a run."""

    window_turns: int = setting(
        5, "Last turns kept word for word.", _COUNT, at_least="window_turns_pressed"
    )
    window_turns_pressed: int = setting(3, "Last turns kept when space is short.", _COUNT)
    max_quotes: int = setting(10, "Most key quotes.", _COUNT, at_least="max_quotes_pressed")
    max_quotes_pressed: int = setting(5, "Most key quotes when space is short.", _COUNT)
    max_insights: int = setting(10, "Most insights of a run; the least sure go first.", _COUNT)
    insight_ttl_hours: float | None = setting(
        None, "Hours an insight lives; null: until its run ends.", (0.01, 8_760.0)
    )


@dataclass(frozen=True, slots=True)
class PinsRules:
    """Key facts pinned to every context."""

    max_pins: int = setting(20, "Most pins; a full board refuses another.", _COUNT)
    max_chars: int = setting(600, "Longest summary of a pin; put more into an artifact.", _COUNT)
    ttl_days: int = setting(7, "Days a pin lives unless renewed.", _DAYS)
    ttl_sessions: int = setting(30, "Sessions a pin lives unless renewed.", _COUNT)
    require_acceptance: bool = setting(
        False, "Whether a pin that an agent proposes waits for a person."
    )


@dataclass(frozen=True, slots=True)
class NotebookRules:
    """Working notes of a session; compaction keeps the milestones."""

    max_notes: int = setting(40, "More notes than this are compacted.", _COUNT, at_least="keep")
    keep: int = setting(10, "Latest notes that compaction leaves as they are.", _COUNT)
    auto: bool = setting(True, "Whether each finished tool run leaves a note.")
    shown: int = setting(8, "Most notes of a context, besides the last tool runs.", _COUNT)


@dataclass(frozen=True, slots=True)
class FastMemoRules:
    """The surface memory: five short sections shown in every chat."""

    max_bullets: int = setting(10, "Bullets at which a section is to be compacted.", (2, 1_000))
    max_chars: int = setting(1800, "Longest text shown to the model.", (100, 1_000_000))


@dataclass(frozen=True, slots=True)
class CommandsRules:
    """Quick commands: lines such as `!pin …` in what a user says."""

    enabled: bool = setting(False, "Whether such lines are carried out.")


@dataclass(frozen=True, slots=True)
class ArtifactsRules:
    """Outputs of tools; a context shows a summary and a reference."""

    summary_lines: int = setting(6, "Most lines of a summary.", (1, 100))
    summary_chars: int = setting(1500, "Longest summary.", (100, 100_000))
    read_max_chars: int = setting(8000, "Most characters of one read.", (100, 1_000_000))
    tool_answer_max_tokens: int = setting(
        1000, "Most tokens of an answer to a tool that a model calls.", (100, 100_000)
    )
    grep_seconds: float = setting(2.0, "Longest search with one expression.", (0.1, 60))
    file_roots: tuple[str, ...] = setting((), "Folders whose files may be shown; none by default.")


@dataclass(frozen=True, slots=True)
class RawRules:
    """The original text and how it ages."""

    inline_bytes: int = setting(
        4096, "Size from which text is kept in files, not in the database.", _BYTES
    )
    chunk_tokens_min: int = setting(1000, "Smallest chunk aimed at, in tokens.", (1, 1_000_000))
    chunk_tokens_max: int = setting(
        2000, "Largest chunk, in tokens.", (1, 1_000_000), at_least="chunk_tokens_min"
    )
    hot_days: int = setting(7, "Days a chunk stays quick to read.", _DAYS)
    cold_days: int = setting(
        30, "Days after which a chunk is archived.", _DAYS, at_least="hot_days"
    )
    delete_after_days: int | None = setting(
        None, "Days after which an unneeded chunk is deleted; null: never.", _DAYS
    )


@dataclass(frozen=True, slots=True)
class PrivacyRules:
    """Personal data and who may see memories."""

    pii: str = setting(
        "tag",
        "Mark personal data, mask it, or mask it and remember none.",
        choices=("tag", "mask", "refuse"),
    )
    scope: str = setting(
        "private", "Who may see a new memory.", choices=("private", "team", "public")
    )


@dataclass(frozen=True, slots=True)
class SloRules:
    """Targets; missing one raises an alert."""

    packet_p50_ms: float = setting(
        30.0, "Median time of a memory packet, in milliseconds.", (0.1, 600_000.0)
    )
    packet_p95_ms: float = setting(80.0, "95th percentile of it.", (0.1, 600_000.0))
    packet_p99_ms: float = setting(150.0, "99th percentile of it.", (0.1, 600_000.0))
    recall_p95_ms: float = setting(
        1500.0, "95th percentile of a recall, in milliseconds.", (0.1, 600_000.0)
    )
    max_active_facts: int = setting(200, "Most active facts of a tenant.", (1, 100_000_000))
    min_cache_hit_rate: float = setting(0.7, "Least share of reads that caches serve.", _SHARE)


@dataclass(frozen=True, slots=True)
class QuotaRules:
    """What one tenant may use; null means no limit."""

    bytes: int | None = setting(None, "Bytes of the database and its originals.", _AMOUNT)
    memories: int | None = setting(None, "Memories, older versions included.", _AMOUNT)
    artifacts: int | None = setting(None, "Stored outputs of tools.", _AMOUNT)


@dataclass(frozen=True, slots=True)
class ForgetRules:
    """What is asked to be forgotten in words."""

    grace: float = setting(
        24.0, "Hours in which it is only hidden, and can be taken back.", (0.0, 8_760.0)
    )


@dataclass(frozen=True, slots=True)
class StorageRules:
    """The database of each tenant."""

    lock_timeout_seconds: float = setting(30.0, "Longest wait for another writer.", (0.0, 3_600.0))


@dataclass(frozen=True, slots=True)
class TenantsRules:
    """Tenants of one root."""

    max_open: int = setting(64, "Tenants kept open at once; the least used is closed.", _COUNT)


@dataclass(frozen=True, slots=True)
class EncryptionRules:
    """Encryption at rest."""

    enabled: bool = setting(False, "Whether new tenants are encrypted.")
    master_key_file: str | None = setting(None, "File that holds the master key.")
    master_key_env: str = setting(
        "SMARTBRAIN_MASTER_KEY", "Environment variable that holds the master key."
    )


@dataclass(frozen=True, slots=True)
class EventsRules:
    """Where events are sent; nothing is sent anywhere by default."""

    webhooks: Mapping[str, Mapping[str, Any]] = setting(
        {}, "By name: url, secret_env or secret_file, and which kinds."
    )
    webhook_seconds: float = setting(10.0, "Longest wait for an answer of a webhook.", (0.1, 300.0))
    webhook_pause_seconds: float = setting(
        3_600.0, "Longest pause before a webhook is tried again.", (0.1, 86_400.0)
    )


@dataclass(frozen=True, slots=True)
class TelemetryRules:
    """What is told of calls; nothing leaves the process by itself."""

    log: str = setting(
        "text",
        "The log of a server: warnings as text, or all calls as JSON.",
        choices=("text", "json"),
    )
    otel: bool = setting(False, "Whether OpenTelemetry is told of calls.")
    otel_arguments: bool = setting(False, "Whether spans quote what calls were given, to debug.")


@dataclass(frozen=True, slots=True)
class JobsRules:
    """Work that runs beside the calls."""

    agents: tuple[str, ...] = setting(
        (),
        "Work that a commit queues for agents; reviews always are.",
        choices=tuple(kind.value for kind in WorkKind if kind is not WorkKind.VERIFY),
    )


_TOKENS: Final = (1, 10_000_000)
_USUAL_ITEMS: Final = 12
_TOKENS_AN_ITEM: Final = 128  # of the limit for each evidence item, in a large context
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
    evidence_max_items: int = setting(
        12, "Most evidence items; 12 grows with larger limits.", (0, 10_000)
    )
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

    def evidence_places(self, limit: int) -> int:
        """Return the most evidence items of a context of so many tokens.

        The number of the source's own policy grows with the limit; any other stays as it was set.
        """
        most = self.evidence_max_items
        return max(most, limit // _TOKENS_AN_ITEM) if most == _USUAL_ITEMS else most


@dataclass(frozen=True, slots=True)
class ObservabilityRules:
    """What is kept about each call, and for how long."""

    trace: bool = setting(True, "Whether each compose and commit leaves a trace.")
    store_plans: bool = setting(True, "Whether traces keep their retrieval plan.")
    store_contexts: bool = setting(True, "Whether traces keep what was selected and composed.")
    trace_days: int = setting(30, "Days a trace is kept.", _COUNT)
    max_traces: int = setting(10_000, "Most traces kept; the oldest go first.", (1, 10_000_000))
    max_trace_bytes: int = setting(
        32 * 1024**2, "Most bytes of traces kept; the oldest go first.", (1, 2**40)
    )


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
    forget: ForgetRules = ForgetRules()
    storage: StorageRules = StorageRules()
    tenants: TenantsRules = TenantsRules()
    encryption: EncryptionRules = EncryptionRules()
    events: EventsRules = EventsRules()
    telemetry: TelemetryRules = TelemetryRules()
    server: ServerRules = ServerRules()
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

_NOT_DECISIONS: Final = frozenset(
    {
        *("recipes", "slo", "quotas", "forget", "storage", "tenants", "encryption"),
        *("server", "events", "telemetry"),
    }
)


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
