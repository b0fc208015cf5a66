"""Loading: defaults, the file, the caller's values, and where each value came from."""

from __future__ import annotations

import time
from typing import Any

import pytest

from smartbrain.domain.policy import Rules
from smartbrain.settings import Settings, load, with_overrides

POLICIES_AS_PRINTED = """\
policies:
  retention:
    summarize_after_turns: 12
    entity_gate:
      window_turns: 20
      freq_threshold: 2
    confidence:
      user_asserted: 0.8
      tool_derived: 0.9
      inferred: 0.6

  retrieval:
    enable_resource_retrieval: auto
    top_k: 30
    candidate_k: 200
    query_expansion:
      enabled: true
      max_queries: 8

  composition:
    token_limit: 8192
    system_blocks_max_tokens: 800
    summary_max_tokens: 600
    recent_turns_max: 8
    evidence_max_items: 12
    max_snippet_chars: 800
    diversity:
      by_document: 3
      by_source_uri: 2
      memory_resource_ratio: "40/60"

  observability:
    trace: true
    store_plans: true
    store_contexts: true
"""

RECALL_AS_PRINTED = """\
recall:
  vector.enabled: false     # 无向量
  graph.k_hop: 1
  use_node_index: true      # 用 NodeIndex 作为图内入口
  raw.enabled: true         # 允许原文回退
  raw.trigger:
    low_coverage_topn: 10   # TopN < 10 触发
    low_concentration: 0.6  # 分数 Gini/熵阈
    pattern_tokens: [hex, uuid, url, path, code, error_code]
"""

RECIPE = {
    "key": "recipe:<cuisine>:<dish>",
    "node_kind": "Fact",
    "group": "facts",
    "on_conflict": "overwrite",
    "value": {
        "cuisine": "text",
        "dish": "text",
        "minutes": {"type": "integer", "required": False},
    },
}


class Recipe:
    """Stands for a memory type that a caller wrote."""


def test_without_a_file_every_value_is_the_default() -> None:
    """No file and an empty file give the defaults, and nothing has another origin."""
    for source in (None, "", "# 只有注释\n", "---\n", b""):
        settings = load(source)
        assert Rules() == settings.rules
        assert dict(settings.origins) == {}
        assert settings.origin("pins.max_pins") == "default"


def test_defaults_load_at_once() -> None:
    """Opening a brain without a file costs no time worth naming."""
    start = time.perf_counter()
    for _ in range(100):
        load()
    assert (time.perf_counter() - start) / 100 < 0.002


@pytest.mark.spec("S7")
def test_the_printed_policies_are_the_defaults() -> None:
    """The block of policies is valid as it was printed, and says what is the case anyway."""
    settings = load(POLICIES_AS_PRINTED)
    assert Rules() == settings.rules
    assert len(settings.origins) == 23
    assert settings.origin("policies.retention.summarize_after_turns") == "brain.yml:3"
    assert settings.origin("policies.observability.store_contexts") == "brain.yml:35"


@pytest.mark.spec("S7", "R4", "R5")
def test_the_printed_recall_switches_are_valid() -> None:
    """The block of recall, with its dotted keys, is valid as it was printed."""
    recall = load(RECALL_AS_PRINTED).rules.recall
    assert not recall.vector.enabled
    assert recall.graph.k_hop == 1
    assert recall.use_node_index
    assert recall.raw.enabled
    trigger = recall.raw.trigger
    assert (trigger.low_coverage_topn, trigger.low_concentration) == (10, 0.6)
    assert trigger.pattern_tokens == ("hex", "uuid", "url", "path", "code", "error_code")


@pytest.mark.spec("S7")
def test_the_caller_beats_the_file_and_the_file_the_defaults() -> None:
    """Each value keeps the origin of the source that gave it."""
    settings = load(
        "pins:\n  max_pins: 5\n  max_chars: 100\n",
        overrides={"pins": {"max_chars": 200}, "recall.vector.enabled": False},
    )
    pins = settings.rules.pins
    assert (pins.max_pins, pins.max_chars, pins.ttl_days) == (5, 200, 7)
    assert settings.origins == {
        "pins.max_pins": "brain.yml:2",
        "pins.max_chars": "argument",
        "recall.vector.enabled": "argument",
    }


@pytest.mark.parametrize(
    "given",
    [
        {"recall": {"vector": {"enabled": False}, "graph": {"k_hop": 1}}},
        {"recall.vector.enabled": False, "recall.graph.k_hop": 1},
        {"recall": {"vector.enabled": False}, "recall.graph": {"k_hop": 1}},
    ],
)
def test_dotted_keys_are_nested_ones(given: dict[str, Any]) -> None:
    """However a key is cut up, it means the same."""
    recall = load(overrides=given).rules.recall
    assert (recall.vector.enabled, recall.graph.k_hop) == (False, 1)


def test_chinese_text_is_kept() -> None:
    """Comments, values, names and a byte order mark in UTF-8 do no harm."""
    text = (
        "\ufeff# 配置文件\n"
        "timezone: Asia/Shanghai   # 上海\n"
        "encryption:\n"
        "  master_key_file: /etc/密钥/主密钥.bin\n"
        "policies.conflicts.source_trust.named:\n"
        '  "工具:天气.查询": 0.95\n'
    )
    for source in (text, text.encode(), text.replace("\n", "\r\n").encode()):
        settings = load(source, name="配置/brain.yml")
        assert settings.rules.timezone == "Asia/Shanghai"
        assert settings.rules.encryption.master_key_file == "/etc/密钥/主密钥.bin"
        trust = settings.rules.policies.conflicts.source_trust
        assert dict(trust.named) == {"工具:天气.查询": 0.95}
        assert settings.origin("timezone") == "配置/brain.yml:2"


def test_tables_are_extended_name_by_name() -> None:
    """A name given keeps the others, and the defaults stay what they are."""
    settings = load("recall.graph.edge_weights:\n  ABOUT: 0.1\n")
    usual = dict(Rules().recall.graph.edge_weights)
    assert {**usual, "ABOUT": 0.1} == dict(settings.rules.recall.graph.edge_weights)
    assert 1.0 == usual["ABOUT"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [("auto", "auto"), ("on", True), ("false", False), ("no", False)],
)
def test_a_switch_may_be_automatic(written: str, expected: object) -> None:
    """YAML's words for true and false work beside `auto`."""
    settings = load(f"policies.retrieval.enable_resource_retrieval: {written}")
    assert expected == settings.rules.policies.retrieval.enable_resource_retrieval


def test_an_exponent_is_a_number() -> None:
    """`1e-6` is read as the number that it looks like, and quoted as text."""
    assert (
        load("policies.linking.similar_to_min: 1e-6").rules.policies.linking.similar_to_min == 1e-6
    )
    assert load('encryption.master_key_file: "1e6"').rules.encryption.master_key_file == "1e6"


def test_overrides_leave_the_settings_they_start_from_alone() -> None:
    """`with_overrides` gives new settings; the old ones and their origins stay."""
    before = load("pins.max_pins: 5")
    after = with_overrides(before, {"recall.vector.enabled": False})
    assert before.rules.recall.vector.enabled
    assert before.origins == {"pins.max_pins": "brain.yml:1"}
    assert not after.rules.recall.vector.enabled
    assert after.rules.pins == before.rules.pins
    assert after.origins == {"pins.max_pins": "brain.yml:1", "recall.vector.enabled": "argument"}
    assert with_overrides(before, {}) == before


@pytest.mark.spec("M1")
def test_blocks_of_types_are_kept_with_their_lines() -> None:
    """A type's block is plain data, and the type and each of its keys know their line."""
    settings = load(
        "types:\n"
        "  recipe:\n"
        '    key: "recipe:<cuisine>:<dish>"\n'
        "    node_kind: Fact\n"
        "    group: facts\n"
        "    on_conflict: overwrite\n"
        "    value:\n"
        "      cuisine: text\n"
        "      dish: text\n"
        "      minutes: {type: integer, required: false}\n"
        "  菜谱:\n"
        "    key: 菜谱:<菜名>\n"
    )
    assert dict(settings.rules.types) == {"recipe": RECIPE, "菜谱": {"key": "菜谱:<菜名>"}}
    assert settings.origin("types.recipe") == "brain.yml:2"
    assert settings.origin("types.recipe.value") == "brain.yml:7"
    assert settings.origin("types.菜谱.key") == "brain.yml:12"


def test_a_later_source_adds_to_a_type_key_by_key() -> None:
    """The caller may change one key of a type that the file declares, or add a type."""
    settings = load(
        "types:\n  recipe: {group: facts, value: {dish: text}}\n",
        overrides={
            "types.recipe.value": {"cuisine": "text"},
            "types": {"empty": {}},
        },
    )
    recipe = {"group": "facts", "value": {"cuisine": "text"}}
    assert {"recipe": recipe, "empty": {}} == dict(settings.rules.types)
    assert settings.origin("types.recipe.group") == "brain.yml:2"
    assert settings.origin("types.recipe.value") == "argument"


def test_classes_listed_as_types_are_carried_through() -> None:
    """Classes come out as they went in, in order, beside what the file declares."""
    file = "types:\n  recipe: {group: facts}\n"
    settings = load(file, overrides={"types": [Recipe], "pins.max_pins": 3})
    assert settings.type_classes == (Recipe,)
    assert dict(settings.rules.types) == {"recipe": {"group": "facts"}}
    assert settings.rules.pins.max_pins == 3
    assert with_overrides(settings, {"types": (int,)}).type_classes == (Recipe, int)


def test_settings_made_by_hand_are_the_defaults() -> None:
    """`Settings()` needs no loading."""
    assert Settings() == load()
