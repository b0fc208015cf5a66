"""The defaults of every rule: the numbers that were agreed on, and that each is well declared."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields, is_dataclass
from typing import Any

import pytest

from smartbrain.domain.graph import EdgeType, NodeKind
from smartbrain.domain.plan import Diversity, PlanBudget
from smartbrain.domain.policy import Rules, schema
from smartbrain.domain.policy_field import Leaf, Section, Table

AGREED = {
    "timezone": "UTC",
    "policies.retention": {
        "summarize_after_turns": 12,
        "entity_gate.window_turns": 20,
        "entity_gate.freq_threshold": 2,
        "confidence.user_asserted": 0.8,
        "confidence.tool_derived": 0.9,
        "confidence.inferred": 0.6,
    },
    "policies.consolidation": {"token_pressure": 0.7, "episode_max_chars": 280},
    "policies.linking": {
        "edge_weight.extraction": 0.5,
        "edge_weight.source_trust": 0.3,
        "edge_weight.recency": 0.2,
        "similar_to_min": 0.75,
        "same_event_days": 1.0,
    },
    "policies.retrieval": {
        "enable_resource_retrieval": "auto",
        "top_k": 30,
        "candidate_k": 200,
        "query_expansion.enabled": True,
        "query_expansion.min_queries": 3,
        "query_expansion.max_queries": 8,
        "query_expansion.min_weight": 0.5,
        "query_expansion.max_weight": 0.8,
    },
    "policies.composition": {
        "token_limit": 8192,
        "system_blocks_max_tokens": 800,
        "summary_max_tokens": 600,
        "recent_turns_max": 8,
        "evidence_max_items": 12,
        "max_snippet_chars": 800,
        "ctx_recent_max_tokens": 3000,
        "keep_rounds": 3,
        "chat_code_max_lines": 20,
        "diversity.by_document": 3,
        "diversity.by_source_uri": 2,
        "diversity.memory_resource_ratio": "40/60",
    },
    "policies.observability": {
        "trace": True,
        "store_plans": True,
        "store_contexts": True,
        "trace_days": 30,
        "max_traces": 10_000,
        "changes_days": 30,
    },
    "recall": {
        "mmr": 0.7,
        "max_k": 100,
        "deadline_ms": None,
        "ready_timeout": 30.0,
        "use_node_index": True,
        "graph.k_hop": 2,
        "raw.enabled": True,
        "raw.trigger.low_coverage_topn": 10,
        "raw.trigger.low_concentration": 0.6,
        "profiles.source.text": 0.2,
        "profiles.source.vector": 0.4,
        "profiles.source.graph": 0.3,
        "profiles.source.weight": 0.1,
        "profiles.mvp.text": 0.7,
        "profiles.mvp.recency": 0.3,
    },
    "packet": {
        "max_candidates": 100,
        "max_per_type": 30,
        "max_facts": 30,
        "max_episodes": 20,
        "max_insights": 10,
        "max_procedures": 5,
        "episodes.raw_days": 7,
        "episodes.phase_days": 30,
        "episodes.milestone_days": 90,
        "episodes.window_days": 30,
        "episodes.compress_above": 30,
        "episodes.rare_word_share": 0.05,
        "responder.procedures": False,
        "responder.window": False,
    },
    "working": {
        "window_turns": 5,
        "window_turns_pressed": 3,
        "max_quotes": 10,
        "max_quotes_pressed": 5,
        "max_insights": 10,
    },
    "pins": {
        "max_pins": 20,
        "max_chars": 600,
        "ttl_days": 7,
        "ttl_sessions": 30,
        "require_acceptance": False,
    },
    "fastmemo": {"max_bullets": 10, "max_chars": 1800},
    "artifacts": {"summary_lines": 6, "summary_chars": 1500},
    "raw": {
        "inline_bytes": 4096,
        "chunk_tokens_min": 1000,
        "chunk_tokens_max": 2000,
        "hot_days": 7,
        "cold_days": 30,
        "delete_after_days": None,
    },
    "privacy": {"pii": "tag", "scope": "private"},
    "slo": {
        "packet_p50_ms": 30.0,
        "packet_p95_ms": 80.0,
        "packet_p99_ms": 150.0,
        "recall_p95_ms": 1500.0,
        "max_active_facts": 200,
        "min_cache_hit_rate": 0.7,
    },
    "quotas": {"bytes": None, "memories": None, "artifacts": None},
    "storage": {"lock_timeout_seconds": 30.0},
    "tenants": {"max_open": 64},
    "encryption": {
        "enabled": False,
        "master_key_file": None,
        "master_key_env": "SMARTBRAIN_MASTER_KEY",
    },
}


def at(rules: Rules, dotted: str) -> Any:
    value: Any = rules
    for part in dotted.split("."):
        value = getattr(value, part)
    return value


def leaves() -> list[Leaf]:
    found = []
    for node in schema().walk():
        if isinstance(node, Leaf):
            found.append(node)
        elif isinstance(node, Table) and node.path != ("types",):
            found += [node.leaf(key) for key in node.default]
    return found


@pytest.mark.spec("S7", "R8", "R9", "R16", "R17", "C2", "C3")
def test_the_agreed_numbers_are_the_defaults() -> None:
    """Every number that the specification names is the default of its setting."""
    expected = {
        f"{section}.{name}" if isinstance(given, dict) else section: value
        for section, given in AGREED.items()
        for name, value in (given.items() if isinstance(given, dict) else [("", given)])
    }
    assert expected == {name: at(Rules(), name) for name in expected}


@pytest.mark.spec("R3", "R6")
def test_tables_hold_the_agreed_numbers() -> None:
    """Edge weights, decay times, neighbours and modes are as agreed."""
    recall, policies = Rules().recall, Rules().policies
    edges = {"ABOUT": 1.0, "SUPPORTS": 0.8, "SIMILAR_TO": 0.5, "TEMPORAL_NEXT": 0.3}
    assert edges == {name: recall.graph.edge_weights[name] for name in edges}
    times = {"Episode": 14.0, "Fact": 90.0, "Concept": 180.0}
    assert times == {name: recall.node_weight.tau_days[name] for name in times}
    near = {"Episode": 200, "Fact": 150, "Concept": 100}
    assert near == {name: recall.vector.per_kind[name] for name in near}
    assert policies.retrieval.per_mode_k == {"exact": 10, "semantic": 10, "hybrid": 30}


@pytest.mark.spec("R1")
def test_a_plan_made_by_hand_has_the_same_budget() -> None:
    """The contract's own defaults and the configured ones are the same numbers."""
    rules = Rules().policies.retrieval
    spread = rules.diversity
    expected = PlanBudget(
        top_k=rules.top_k,
        candidate_k=rules.candidate_k,
        per_mode_k=dict(rules.per_mode_k),
        diversity=Diversity(
            by_document=spread.by_document,
            by_source=spread.by_source,
            by_section=spread.by_section,
        ),
    )
    assert expected == PlanBudget()


def test_every_edge_type_and_node_kind_has_its_number() -> None:
    """The graph never meets an edge or a node that the rules do not know."""
    recall = Rules().recall
    assert {str(one) for one in EdgeType} == set(recall.graph.edge_weights)
    assert {str(one) for one in NodeKind} == set(recall.node_weight.tau_days)


def test_every_profile_can_be_chosen() -> None:
    """`recall.profile` offers exactly the profiles there are."""
    profile = schema().children["recall"]
    assert isinstance(profile, Section)
    choice, profiles = profile.children["profile"], profile.children["profiles"]
    assert isinstance(choice, Leaf)
    assert isinstance(profiles, Section)
    assert choice.choices == tuple(profiles.children)


def test_rules_cannot_be_changed_in_place() -> None:
    """Sections are frozen and slotted, tables read-only."""
    rules: Any = Rules()
    with pytest.raises(FrozenInstanceError):
        rules.pins.max_pins = 3
    with pytest.raises(TypeError):
        rules.recall.graph.edge_weights["ABOUT"] = 0.0
    waiting = [rules]
    while waiting:
        section = waiting.pop()
        assert not hasattr(section, "__dict__")
        values = [getattr(section, one.name) for one in fields(section)]
        waiting += [value for value in values if is_dataclass(value)]


@pytest.mark.parametrize("leaf", leaves(), ids=lambda leaf: leaf.name)
def test_a_default_is_allowed_and_explained(leaf: Leaf) -> None:
    """A default passes its own check unchanged, and its meaning is one short plain sentence."""
    taken = leaf.read(leaf.default)
    assert (type(leaf.default), leaf.default) == (type(taken), taken)
    assert leaf.meaning.endswith(".")
    assert 8 <= len(leaf.meaning) <= 72
    assert leaf.meaning[0].isupper() or leaf.meaning[0].isdigit()


@pytest.mark.parametrize(
    "leaf",
    [one for one in leaves() if one.allowed.startswith(("a whole", "a number"))],
    ids=lambda leaf: leaf.name,
)
def test_a_number_has_bounds_that_hold(leaf: Leaf) -> None:
    """Both ends are allowed and what lies beyond is not."""
    low, high = leaf.span
    assert low < high
    whole = "whole" in leaf.allowed
    for end in (low, high):
        assert end == leaf.read(int(end) if whole else end)
    for beyond in (low - 1, high + 1):
        with pytest.raises(ValueError, match="allowed: a"):
            leaf.read(int(beyond) if whole else beyond)


@pytest.mark.parametrize(
    "leaf", [one for one in leaves() if one.at_least], ids=lambda one: one.name
)
def test_an_ordered_setting_names_a_neighbour_and_keeps_the_order(leaf: Leaf) -> None:
    """The neighbour exists and the defaults are in order."""
    other = ".".join((*leaf.path[:-1], leaf.at_least))
    assert at(Rules(), other) <= at(Rules(), leaf.name)
