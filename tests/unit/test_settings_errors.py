"""What is said when brain.yml or a caller's dict is wrong: one line, the place, the way out."""

from __future__ import annotations

from typing import Any

import pytest

from smartbrain.errors import UsageError
from smartbrain.settings import load, with_overrides

ENDLESS: dict[str, Any] = {}
ENDLESS["types"] = {"a": ENDLESS}
CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


def problem(source: str | bytes | None = None, **given: Any) -> str:
    with pytest.raises(UsageError) as refused:
        load(source, **given)
    assert refused.value.code == "config"
    assert "\n" not in refused.value.message
    return refused.value.message


ZONE = "allowed: an IANA time zone name such as Asia/Shanghai"
TOP = (
    "timezone, policies, recall, packet, working, pins, notebook, fastmemo, commands, "
    "artifacts, raw, privacy, jobs, slo, quotas, forget, storage, tenants, encryption, events, "
    "telemetry, server, ontology, recipes, types"
)


@pytest.mark.spec("S7")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "policies:\n  retention:\n    # 注释\n    sumarize_after_turns: 3\n",
            "brain.yml:4: unknown key 'policies.retention.sumarize_after_turns'; "
            "did you mean 'summarize_after_turns'?",
        ),
        (
            "policies.retention.summarize-after-turns: 3",
            "brain.yml:1: unknown key 'policies.retention.summarize-after-turns'; "
            "did you mean 'summarize_after_turns'?",
        ),
        (
            "polices:\n  retention: {}\n",
            "brain.yml:1: unknown key 'polices'; did you mean 'policies'?",
        ),
        (
            "\nretention: {}",
            "brain.yml:2: unknown key 'retention'; did you mean 'policies.retention'?",
        ),
        (
            "policies:\n  token_limit: 9000\n",
            "brain.yml:2: unknown key 'policies.token_limit'; "
            "did you mean 'policies.composition.token_limit'?",
        ),
        (
            "policies:\n  pins:\n    max_pins: 3\n",
            "brain.yml:2: unknown key 'policies.pins'; did you mean 'pins'?",
        ),
        (
            "policies.composition.diversity.by_source: 3",
            "brain.yml:1: unknown key 'policies.composition.diversity.by_source'; "
            "did you mean 'by_source_uri' or 'policies.retrieval.diversity.by_source'?",
        ),
        (
            "tokn_limit: 9000",
            "brain.yml:1: unknown key 'tokn_limit'; "
            "did you mean 'policies.composition.token_limit'?",
        ),
        (
            "recall.graph.edge_weights.about: 1",
            "brain.yml:1: unknown key 'recall.graph.edge_weights.about'; did you mean 'ABOUT'?",
        ),
        (
            "pins.max_pins.most: 1",
            "brain.yml:1: pins.max_pins holds one value; 'pins.max_pins.most' is not a key",
        ),
        (
            "pins.颜色: 1",
            "brain.yml:1: unknown key 'pins.颜色'; known here: max_pins, max_chars, ttl_days, "
            "ttl_sessions, require_acceptance",
        ),
        ("'': 1", f"brain.yml:1: unknown key ''; known here: {TOP}"),
        ("enabled: 1", f"brain.yml:1: unknown key 'enabled'; known here: {TOP}"),
        ("<<: {pins: {}}", f"brain.yml:1: unknown key '<<'; known here: {TOP}"),
    ],
)
def test_an_unknown_key_is_named_with_the_nearest_known_one(text: str, expected: str) -> None:
    """A wrong name tells its line and what was probably meant, near by or in another section."""
    assert expected == problem(text)


@pytest.mark.spec("S7")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "policies:\n  retention:\n    summarize_after_turns: 0\n",
            "brain.yml:3: policies.retention.summarize_after_turns is 0; "
            "allowed: a whole number from 1 to 10,000",
        ),
        (
            "policies.retention.summarize_after_turns: yes",
            "brain.yml:1: policies.retention.summarize_after_turns is true; "
            "allowed: a whole number from 1 to 10,000",
        ),
        (
            "pins.ttl_days:",
            "brain.yml:1: pins.ttl_days is null; allowed: a whole number from 1 to 36,500",
        ),
        (
            "privacy:\n  pii: 删除\n",
            "brain.yml:2: privacy.pii is '删除'; allowed: one of tag, mask, refuse",
        ),
        ("recall.mmr: .nan", "brain.yml:1: recall.mmr is nan; allowed: a number from 0 to 1"),
        ("recall.mmr: 高", "brain.yml:1: recall.mmr is '高'; allowed: a number from 0 to 1"),
        (
            "recall.raw.trigger.pattern_tokens: [hex, hexx]",
            "brain.yml:1: recall.raw.trigger.pattern_tokens is ['hex', 'hexx']; "
            "allowed: a list of hex, uuid, url, path, code, error_code, long_number",
        ),
        (
            "policies.composition.diversity.memory_resource_ratio: 40/50",
            "brain.yml:1: policies.composition.diversity.memory_resource_ratio is '40/50'; "
            'allowed: two whole percentages that sum to 100, such as "40/60"',
        ),
        (
            "timezone: asia/shanghai_",
            "brain.yml:1: timezone is 'asia/shanghai_'; allowed: an IANA time zone name such as "
            "Asia/Shanghai; did you mean 'Asia/Shanghai'?",
        ),
        (
            "timezone: 北京",
            f"brain.yml:1: timezone is '北京'; {ZONE}",
        ),
        (
            "timezone: ../../etc/passwd",
            "brain.yml:1: timezone is '../../etc/passwd'; "
            "allowed: an IANA time zone name such as Asia/Shanghai",
        ),
        (
            "timezone: 2024-01-01",
            f"brain.yml:1: timezone is a date; {ZONE}",
        ),
        ("timezone: 2024-13-45", "brain.yml:1: '2024-13-45' cannot be read; put it in quotes"),
        (
            "timezone: {a: b}",
            f"brain.yml:1: timezone is a section; {ZONE}",
        ),
        ("pins: 5", "brain.yml:1: pins is 5; allowed: a section of keys"),
        (
            "recall.graph.edge_weights: 5",
            "brain.yml:1: recall.graph.edge_weights is 5; allowed: a section of keys",
        ),
        ("types: [recipe]", "brain.yml:1: types is ['recipe']; allowed: a section of keys"),
        ("types:\n  recipe:\n", "brain.yml:2: types.recipe is null; allowed: a block of keys"),
        (
            "ontology:\n  attributes: [{name: shoe_size}]\n",
            "brain.yml:2: ontology.attributes is [a section]; allowed: a section of keys",
        ),
        (
            "ontology.attributes:\n  鞋码: profile\n",
            "brain.yml:2: ontology.attributes.鞋码 is 'profile'; allowed: a block of keys",
        ),
        (
            "types:\n  recipe:\n    since: 2024-01-01\n",
            "brain.yml:3: 'types.recipe.since' holds something else than text, numbers, true, "
            "false, null, lists and mappings",
        ),
    ],
)
def test_a_wrong_value_is_named_with_what_is_allowed(text: str, expected: str) -> None:
    """A wrong value tells its line, its full name, what it was and what it may be."""
    assert expected == problem(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "policies.retrieval.query_expansion:\n  max_queries: 2\n",
            "brain.yml:2: policies.retrieval.query_expansion.max_queries is 2, "
            "below min_queries (3); change one of the two",
        ),
        (
            "policies.retrieval:\n  top_k: 300\n",
            "brain.yml:2: policies.retrieval.candidate_k is 200, "
            "below top_k (300); change one of the two",
        ),
    ],
)
def test_values_out_of_order_are_refused_where_they_were_set(text: str, expected: str) -> None:
    """The line is that of the value that was set, even when the other one is named."""
    assert expected == problem(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "pins:\n  max_pins: 3\n  max_pins: 4\n",
            "brain.yml:3: 'max_pins' is set twice, first at brain.yml:2; keep one",
        ),
        (
            "pins:\n  max_pins: 3\npins:\n  max_chars: 4\n",
            "brain.yml:3: 'pins' is set twice, first at brain.yml:1; keep one",
        ),
        (
            "recall:\n  vector.enabled: false\n  vector:\n    enabled: true\n",
            "brain.yml:4: 'recall.vector.enabled' is set twice, first at brain.yml:2; keep one",
        ),
        (
            "types.菜谱.key: a\ntypes: {菜谱: {key: b}}\n",
            "brain.yml:2: 'types.菜谱.key' is set twice, first at brain.yml:1; keep one",
        ),
    ],
)
def test_a_value_given_twice_is_refused(text: str, expected: str) -> None:
    """A repeated key is an error, also when one is dotted and the other nested."""
    assert expected == problem(text)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (
            "pins:\n\tmax_pins: 3\n",
            "brain.yml:2: not valid YAML: a tab cannot be used for indentation; use spaces",
        ),
        (
            "pins: [1\n",
            "brain.yml:2: not valid YAML: while parsing a flow sequence, "
            "expected ',' or ']', but got '<stream end>'",
        ),
        (
            "timezone: '未完\n",
            "brain.yml:2: not valid YAML: while scanning a quoted scalar, "
            "found unexpected end of stream",
        ),
        (
            "- 1\n- 2\n",
            "brain.yml:1: the configuration is [1, 2]; allowed: a mapping such as `timezone: UTC`",
        ),
        (
            "只有文字",
            "brain.yml:1: the configuration is '只有文字'; "
            "allowed: a mapping such as `timezone: UTC`",
        ),
        (
            "timezone: UTC\n---\npins: {}\n",
            "brain.yml:2: not valid YAML: expected a single document in the stream, "
            "but found another document",
        ),
        (
            "pins: &a {max_pins: 2}\nquotas: *a\n",
            "brain.yml:2: aliases are not supported; write the value out",
        ),
        ("types: &a\n  x: *a\n", "brain.yml:2: aliases are not supported; write the value out"),
        pytest.param(
            "\ntypes: " + "[" * 5000, "brain.yml:2: nested more than 24 levels deep", id="deep"
        ),
        ("? [a]\n: 1\n", "brain.yml:1: a key must be plain text, not a list or a mapping"),
        ("timezone: UTC\nx: \x07\n", "brain.yml:2: the character U+0007 is not allowed in YAML"),
        (
            "types:\n  a:\n    b: !!python/name:os.system x\n",
            "brain.yml:3: not valid YAML: could not determine a constructor for the tag "
            "'tag:yaml.org,2002:python/name:os.system'",
        ),
        (
            b"# ok\ntimezone: \xff\xfe\n",
            "brain.yml:2: the text is not UTF-8; save the file as UTF-8",
        ),
        (
            "timezone: UTC".encode("utf-16"),
            "brain.yml:1: the text is not UTF-8; save the file as UTF-8",
        ),
        ('types: {a: {b: "\\ud800"}}', "brain.yml:1: '\\ud800' is not valid Unicode"),
        ('"\\ud800": 1', "brain.yml:1: the key '\\ud800' is not text"),
    ],
)
def test_a_text_that_cannot_be_read_names_its_line(source: str | bytes, expected: str) -> None:
    """Whatever is wrong with the text itself, the message is one plain line."""
    assert expected == problem(source)


def test_the_file_is_called_by_its_name() -> None:
    """The name that the caller gives the file stands in front."""
    assert problem("pins: 5", name="我的/brain.yml").startswith("我的/brain.yml:1: pins is 5;")


@pytest.mark.parametrize(
    ("overrides", "expected"),
    [
        ({"pins.max_pin": 1}, "argument: unknown key 'pins.max_pin'; did you mean 'max_pins'?"),
        (
            {"recall": {"vector": {"enabled": "no"}}},
            "argument: recall.vector.enabled is 'no'; allowed: true or false",
        ),
        (
            {"recall.vector.enabled": True, "recall": {"vector.enabled": False}},
            "argument: 'recall.vector.enabled' is set twice, first at argument; keep one",
        ),
        ({3: 4}, "argument: the key 3 is not text"),
        ({"types": {"\ud800": {}}}, "argument: the key '\\ud800' is not text"),
        (
            {"policies.conflicts.source_trust.named": {"工具\n天气": 2}},
            "argument: policies.conflicts.source_trust.named.工具 天气 is 2; "
            "allowed: a number from 0 to 1",
        ),
        (
            ["pins"],
            "argument: the configuration is ['pins']; allowed: a mapping such as `timezone: UTC`",
        ),
        (
            {"timezone": object()},
            "argument: timezone is a object; allowed: an IANA time zone name such as Asia/Shanghai",
        ),
        (ENDLESS, "argument: nested more than 24 levels deep"),
        (
            {"types.a.b": CIRCLE},
            "argument: 'types.a.b' holds something else than text, numbers, true, false, null, "
            "lists and mappings",
        ),
    ],
    ids=range(10),
)
def test_a_callers_dict_is_checked_the_same_way(overrides: Any, expected: str) -> None:
    """Errors in a dict read like errors in the file, with `argument` for the place."""
    assert expected == problem(overrides=overrides)


def test_refused_overrides_leave_the_settings_as_they_were() -> None:
    """Nothing of a refused change is taken over."""
    settings = load("pins.max_pins: 5")
    with pytest.raises(UsageError, match=r"argument: pins\.max_pins is 0"):
        with_overrides(settings, {"recall.vector.enabled": False, "pins.max_pins": 0})
    assert settings == load("pins.max_pins: 5")
