"""The names and defaults that the contracts promise, part by part, and their documentation."""

from __future__ import annotations

import inspect
import re
import typing
from pathlib import Path
from typing import Any

import pytest
from example_retrieval import NOW
from msgspec.structs import fields

from smartbrain.domain.context import (
    Block,
    Constraints,
    ContextDebug,
    ContextEvidence,
    ContextPackage,
    EvidenceSource,
    TokenBudget,
    TraceIds,
)
from smartbrain.domain.evidence import (
    Evidence,
    EvidenceExplain,
    EvidenceMetadata,
    EvidencePack,
    EvidenceProvenance,
    EvidenceStats,
    Signals,
)
from smartbrain.domain.memory import Status
from smartbrain.domain.packet import (
    BudgetReport,
    LadderStep,
    MemoryPacket,
    PacketExplain,
    ShortTerm,
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
    TimeRange,
)
from smartbrain.domain.record import Record
from smartbrain.domain.result import (
    ArtifactSummary,
    CommitExplain,
    CommitResult,
    ConflictRule,
    MemoryWritten,
    Retention,
    RetentionAction,
    SummaryUpdate,
    WrittenMemory,
)

DOCUMENT = Path(__file__).parents[3] / "docs" / "contracts.md"
CONTRACTS = (RetrievalPlan, EvidencePack, MemoryPacket, ContextPackage, CommitResult)

PROMISED_BY_READING: dict[type[Record], str] = {
    RetrievalPlan: "version request_id purpose queries global_filters budget ranking output debug",
    PlanQuery: "text mode weight filters hints",
    Filters: "document_ids tag_ids topic_ids source_type source_uri_prefix language time_range",
    TimeRange: "from to",
    PlanBudget: "top_k candidate_k per_mode_k diversity",
    Diversity: "by_document by_source by_section",
    Ranking: "fusion rerank tie_breaker source_priority",
    Fusion: "method rrf_k weights",
    Rerank: "enabled model top_n",
    PlanOutput: (
        "include_snippets snippet_policy include_signals include_provenance include_raw"
        " max_snippet_chars"
    ),
    EvidencePack: ("version plan plan_id request_id generated_at evidences stats explain warnings"),
    Evidence: (
        "id kind document_id section_id title source_uri source_type snippet language signals"
        " provenance metadata"
    ),
    Signals: (
        "vector_score vector_rank fts_score fts_rank rrf_score rerank_score graph_score"
        " recency_score coverage_score session_score time_score weight_score"
    ),
    EvidenceProvenance: "mode query_text query_index retrieved_at",
    EvidenceMetadata: "chunk_index offset_start offset_end page section_title",
    EvidenceStats: "candidates returned took_ms by_mode",
    EvidenceExplain: "fusion rerank filters_applied diversity ignored_fields",
    MemoryPacket: (
        "working_memory facts procedures stm episodes insights budget_report explain metrics"
    ),
    ShortTerm: "summary key_quotes window",
    BudgetReport: "limits used degradations",
    PacketExplain: "selected omitted",
    ContextPackage: (
        "version context_id session_id created_at system_blocks developer_blocks working_summary"
        " pins plan notebook recent_turns evidence tool_result parallel_results user_message"
        " constraints debug"
    ),
    Block: "type text updated_at source",
    ContextEvidence: "id source source_uri title snippet mode score signals provenance ref",
    Constraints: "token_budget diversity truncation",
    TokenBudget: "limit used_estimate",
    ContextDebug: "planner why_selected ignored trace",
    TraceIds: "context_id request_id plan_id",
}
PROMISED_BY_COMMIT: dict[type[Record], str] = {
    CommitResult: "ok turn_id replayed memory_written artifacts summary explain",
    MemoryWritten: "count items",
    WrittenMemory: "id type key status confidence",
    ArtifactSummary: "id tool_name status exit_code bytes summary",
    SummaryUpdate: "updated trigger_reason version source_turn_range generated_at",
    CommitExplain: "retention conflicts summary ignored",
    Retention: "type key action code reason",
}


@pytest.mark.spec("R1")
@pytest.mark.parametrize(("cls", "promised"), PROMISED_BY_READING.items())
def test_a_reading_contract_has_every_promised_field(cls: type[Record], promised: str) -> None:
    """Promised names stand in promised order; what we add beyond them is optional."""
    names = promised.split()
    assert names == [name for name in _json_names(cls) if name in names]
    extra = [field for field in fields(cls) if field.encode_name not in names]
    assert [field.name for field in extra if field.required] == []


@pytest.mark.spec("C1")
@pytest.mark.parametrize(("cls", "promised"), PROMISED_BY_COMMIT.items())
def test_a_commit_answers_with_exactly_the_promised_fields(
    cls: type[Record], promised: str
) -> None:
    """Names and order are those of the result's description, nothing more."""
    assert promised.split() == _json_names(cls)


@pytest.mark.spec("R1")
@pytest.mark.parametrize(
    ("enum", "values"),
    [
        (Purpose, "qa continue_task debug summarize research other"),
        (QueryMode, "exact semantic hybrid relational associative"),
        (FusionMethod, "rrf weighted_sum none"),
        (EvidenceSource, "memory resource"),
        (LadderStep, "reduce_top_k tighten_window raise_compression drop_low omit_type"),
    ],
)
def test_the_words_of_reading_are_exactly_the_promised_ones(enum: Any, values: str) -> None:
    """A word more or less would be another contract."""
    assert values.split() == [str(member) for member in enum]


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    ("enum", "values"),
    [
        (ConflictRule, "overwrite versioned merge append retract"),
        (RetentionAction, "written merged superseded retracted refused deferred"),
    ],
)
def test_the_words_of_a_commit_are_exactly_the_promised_ones(enum: Any, values: str) -> None:
    """Rules and actions are what programs decide by."""
    assert values.split() == [str(member) for member in enum]


@pytest.mark.spec("R1")
def test_every_versioned_contract_says_its_version() -> None:
    """Readers can tell what they have in hand."""
    made = (
        RetrievalPlan(),
        EvidencePack(generated_at=NOW),
        MemoryPacket(),
        ContextPackage(context_id="c", session_id="s", created_at=NOW),
    )
    assert [contract.to_dict()["version"] for contract in made] == ["0.1"] * 4


@pytest.mark.spec("R1")
def test_an_empty_plan_has_the_default_budget_and_ranking() -> None:
    """What a caller leaves out is what the retrieval policy asks for."""
    plan = RetrievalPlan.from_dict({})
    assert (plan.budget.top_k, plan.budget.candidate_k) == (30, 200)
    assert dict(plan.budget.per_mode_k) == {"exact": 10, "semantic": 10, "hybrid": 30}
    assert (
        plan.budget.diversity.by_document,
        plan.budget.diversity.by_source,
        plan.budget.diversity.by_section,
    ) == (3, 10, None)
    assert FusionMethod.RRF is plan.ranking.fusion.method
    assert plan.output.max_snippet_chars == 800


@pytest.mark.spec("R1")
def test_a_context_has_the_default_limits() -> None:
    """Budget, diversity and truncation are shown even where nobody set them."""
    package = ContextPackage(context_id="c", session_id="s", created_at=NOW)
    expected = {
        "token_budget": {"limit": 8192, "used_estimate": 0},
        "diversity": {"by_document": 3, "by_source_uri": 2},
        "truncation": {
            "system_blocks_max_tokens": 800,
            "summary_max_tokens": 600,
            "recent_turns_max": 8,
            "evidence_max_items": 12,
            "max_snippet_chars": 800,
        },
    }
    assert expected == package.to_dict()["constraints"]


@pytest.mark.spec("C1")
def test_the_count_of_written_memories_is_never_wrong() -> None:
    """It is counted, not told: what a file says does not matter."""
    item = {"id": "m", "type": "tasks", "key": "task:p:写", "status": "active", "confidence": 0.8}
    written = MemoryWritten.from_dict({"count": 7, "items": [item]})
    assert {"count": 1, "items": [item]} == written.to_dict()
    assert Status.ACTIVE is written.items[0].status


@pytest.mark.parametrize("cls", CONTRACTS)
def test_defaults_are_not_shared_between_contracts(cls: type[Record]) -> None:
    """Filling the free-form objects of one contract leaves the next one empty."""
    needed = {"generated_at": NOW, "created_at": NOW, "context_id": "c", "session_id": "s"}
    given = {**needed, "turn_id": "t"}
    before = cls.from_dict(given).to_dict()
    _fill(cls.from_dict(given))
    _fill(cls(**{field.name: given[field.name] for field in fields(cls) if field.required}))
    assert before == cls.from_dict(given).to_dict()


def _fill(value: Any) -> None:
    """Write into every mapping that hangs below a record."""
    if isinstance(value, dict):
        value["x_filled"] = 1
    elif isinstance(value, Record):
        for name in value.__struct_fields__:
            _fill(getattr(value, name))


@pytest.mark.parametrize("cls", CONTRACTS)
def test_every_field_of_a_contract_is_documented(cls: type[Record]) -> None:
    """Its own section, that of a contract inside it, or the one on shared parts names each."""
    sections = dict(
        re.findall(r"^## `?([\w ]+)`?\n(.*?)(?=^## |\Z)", DOCUMENT.read_text("utf-8"), re.M | re.S)
    )
    parts = _parts(cls)
    titles = ["Shared parts", *(contract.__name__ for contract in CONTRACTS if contract in parts)]
    words = {word for title in titles for word in re.findall(r"\w+", sections[title])}
    named = {f"{part.__name__}.{name}": name for part in parts for name in _json_names(part)}
    assert sorted(place for place, name in named.items() if name not in words) == []


def _parts(cls: type[Record]) -> set[type[Record]]:
    """A record class and all those that its fields can hold."""
    found: set[type[Record]] = set()
    waiting: list[Any] = [cls]
    while waiting:
        hint = waiting.pop()
        waiting += typing.get_args(hint)
        if inspect.isclass(hint) and issubclass(hint, Record) and hint not in found:
            found.add(hint)
            waiting += typing.get_type_hints(hint).values()
    return found


def _json_names(cls: type[Record]) -> list[str]:
    return [field.encode_name for field in fields(cls)]
