"""Blocks of single tenants: how they are written, which value holds, what is refused and how."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

from smartbrain.domain.policy import PER_TENANT, Rules, tenant_schema
from smartbrain.domain.policy_field import Leaf, Table
from smartbrain.errors import UsageError
from smartbrain.settings import Settings, explain, load, with_overrides

NAMES = [
    "acme",
    "张三的公司",
    "acme.com",
    "123",
    "a b/c:#",
    "max_open",
    "legal.privacy",
    "team.raw",
]


def blocks(settings: Settings) -> dict[str, dict[str, Any]]:
    """Return what each tenant has of its own, by dotted name."""
    return {
        name: {".".join(path): put.value for path, put in block.items()}
        for name, block in settings.tenants.items()
    }


def problem(source: str | None = None, **given: Any) -> str:
    with pytest.raises(UsageError) as refused:
        load(source, **given)
    assert refused.value.code == "config"
    assert "\n" not in refused.value.message
    return refused.value.message


@pytest.mark.spec("C10", "S7", "S8")
@pytest.mark.parametrize("name", NAMES)
def test_a_block_is_written_nested_or_dotted(name: str) -> None:
    """In every form the name is taken whole, dots and all, and the value is the same."""
    expected = {name: {"privacy.pii": "mask", "quotas.bytes": None}}
    forms: list[dict[str, Any]] = [
        {"tenants": {name: {"privacy": {"pii": "mask"}, "quotas": {"bytes": None}}}},
        {"tenants": {name: {"privacy.pii": "mask", "quotas.bytes": None}}},
        {f"tenants.{name}": {"privacy": {"pii": "mask"}, "quotas.bytes": None}},
        {f"tenants.{name}.privacy.pii": "mask", f"tenants.{name}.quotas": {"bytes": None}},
        {f"tenants.{name}.privacy": {"pii": "mask"}, f"tenants.{name}.quotas.bytes": None},
        {"tenants": {f"{name}.privacy.pii": "mask", f"{name}.quotas": {"bytes": None}}},
        {"tenants": {name: {"privacy.pii": "mask"}}, f"tenants.{name}.quotas.bytes": None},
    ]
    assert [expected] * len(forms) == [blocks(load(overrides=form)) for form in forms]
    text = f'tenants:\n  "{name}":\n    privacy.pii: mask\n    quotas: {{bytes: null}}\n'
    assert expected == blocks(load(text))


@pytest.mark.spec("S7", "S8")
def test_a_name_in_yaml_is_the_text_that_stands_there() -> None:
    """Numbers, yes and null are names as they are spelled; nothing below one is no block."""
    text = "tenants:\n  max_open: 3\n  007: {privacy.pii: mask}\n  yes: {privacy.scope: private}\n"
    settings = load(f"{text}  ~: {{timezone: UTC}}\n  张三:\n  3.5:\n    quotas.memories: 4\n")
    assert 3 == settings.rules.tenants.max_open
    assert ["007", "yes", "~", "张三", "3.5"] == list(settings.tenants)
    assert {} == settings.tenants["张三"]
    assert Rules().privacy == settings.rules.privacy


@pytest.mark.spec("C10", "S7")
def test_a_value_is_taken_from_the_most_direct_source() -> None:
    """Default, file, the file's block, argument, the argument's block: the last that has it."""
    file = "privacy.scope: team\ntenants:\n  a: {privacy: {pii: refuse, scope: public}}\n"
    alone = load(file)
    both = with_overrides(alone, {"privacy.pii": "mask", "tenants.b.privacy.pii": "tag"})
    last = with_overrides(both, {"tenants": {"a": {"privacy.pii": "tag"}}})

    def held(settings: Settings, name: str) -> tuple[str, str, str, str]:
        own = settings.of_tenant(name)
        rules = own.rules.privacy
        return rules.pii, own.origin("privacy.pii"), rules.scope, own.origin("privacy.scope")

    assert ("refuse", "brain.yml:3", "public", "brain.yml:3") == held(alone, "a")
    assert ("tag", "default", "team", "brain.yml:1") == held(alone, "b")
    assert ("mask", "argument", "public", "brain.yml:3") == held(both, "a")
    assert ("tag", "argument", "team", "brain.yml:1") == held(both, "b")
    assert ("mask", "argument", "team", "brain.yml:1") == held(both, "c")
    assert ("tag", "argument", "public", "brain.yml:3") == held(last, "a")


@pytest.mark.spec("C10", "E1")
def test_only_rules_that_decide_change_the_hash_of_a_tenant() -> None:
    """Blocks of others do not, and neither does a quota."""
    settings = load("tenants: {a: {privacy.pii: mask}, b: {quotas.bytes: 9}, c: {timezone: PRC}}")
    names = {name: settings.of_tenant(name).hash for name in "abcd"}
    assert Settings().hash == settings.hash == names["b"] == names["d"]
    assert 3 == len(set(names.values()))


@pytest.mark.spec("S7", "S8")
def test_tenants_without_any_block_cost_nothing() -> None:
    """The settings of a root without blocks are those of each tenant."""
    settings = load("tenants.max_open: 5\nprivacy.pii: mask")
    assert settings.of_tenant("any 任何") is settings
    assert {} == settings.tenants


def test_every_value_of_a_block_is_listed_with_its_line() -> None:
    """After all settings, by tenant; a tenant's own list has them in their places."""
    settings = load("tenants:\n  a.b:\n    quotas.bytes: 7\n  张三: {timezone: PRC}\n")
    rows = [row[:3] for row in explain(settings)[-2:]]
    assert [
        ("tenants.a.b.quotas.bytes", 7, "brain.yml:3"),
        ("tenants.张三.timezone", "PRC", "brain.yml:4"),
    ] == rows
    own = explain(settings.of_tenant("a.b"))
    assert [row.name for row in explain(load())] == [row.name for row in own]
    assert {("quotas.bytes", 7, "brain.yml:3")} == {row[:3] for row in own if row[2] != "default"}


def test_no_setting_of_a_tenant_needs_a_neighbour() -> None:
    """A block is checked value by value: it has no tables and nothing that must not be below."""
    for node in tenant_schema().walk():
        assert not isinstance(node, Table)
        assert not isinstance(node, Leaf) or not node.at_least


OWN = f"cannot be one tenant's own, only {', '.join(PER_TENANT)}"


@pytest.mark.spec("S7", "S8")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("tenants: 3", "brain.yml:1: tenants is 3; allowed: a section of keys"),
        (
            "tenants:\n  张三: mask",
            "brain.yml:2: 'tenants.张三' is 'mask'; allowed: a block of keys for that tenant",
        ),
        (
            "tenants:\n  max_opne: 3",
            "brain.yml:2: 'tenants.max_opne' is 3; allowed: a block of keys for that tenant"
            " (did you mean 'max_open'?)",
        ),
        (
            "tenants:\n  acme:\n    privcy: {pii: mask}",
            "brain.yml:3: unknown key 'tenants.acme.privcy'; did you mean 'privacy'?",
        ),
        (
            "tenants:\n  acme:\n    pii: mask",
            "brain.yml:3: unknown key 'tenants.acme.pii'; did you mean 'tenants.acme.privacy.pii'?",
        ),
        (
            "tenants.acme.privacy.pi: mask",
            "brain.yml:1: unknown key 'tenants.acme.privacy.pi'; did you mean 'pii'?",
        ),
        (
            "tenants:\n  acme:\n    privacy:\n      pii: maks",
            "brain.yml:4: tenants.acme.privacy.pii is 'maks'; allowed: one of tag, mask, refuse",
        ),
        (
            "tenants:\n  acme: {privacy: mask}",
            "brain.yml:2: tenants.acme.privacy is 'mask'; allowed: a section of keys",
        ),
        (
            "tenants:\n  acme: {timezone: Asia/Shangai}",
            "brain.yml:2: tenants.acme.timezone is 'Asia/Shangai'; allowed: an IANA time zone name"
            " such as Asia/Shanghai; did you mean 'Asia/Shanghai'?",
        ),
        (
            "tenants:\n  acme:\n    recall.max_k: 3",
            f"brain.yml:3: 'tenants.acme.recall.max_k' {OWN}; set recall.max_k for all,"
            " outside tenants",
        ),
        (
            "tenants.acme.encryption.enabled: true",
            f"brain.yml:1: 'tenants.acme.encryption.enabled' {OWN}; set encryption.enabled for all,"
            " outside tenants",
        ),
        (
            "tenants:\n  acme: {types: {recipe: {}}}",
            f"brain.yml:2: 'tenants.acme.types' {OWN}; set types for all, outside tenants",
        ),
        (
            "tenants.acme.privacy.pii: mask\ntenants:\n  acme: {privacy: {pii: tag}}",
            "brain.yml:3: 'tenants.acme.privacy.pii' is set twice, first at brain.yml:1; keep one",
        ),
        (
            "tenants:\n  '': {privacy.pii: mask}",
            "brain.yml:2: tenants: a tenant name is text of 1 to 200 characters, not ''",
        ),
        (
            "tenants: {max_open: x}",
            "brain.yml:1: tenants.max_open is 'x'; allowed: a whole number from 1 to 10,000",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, expected: str) -> None:
    """One line: where it stands, what is wrong, and what to write instead."""
    assert expected == problem(text)


@pytest.mark.spec("S7", "S8")
def test_names_that_no_tenant_can_have_are_refused() -> None:
    """Too long, or no text; the longest there is holds."""
    assert problem(f"\ntenants.{'名' * 201}: {{}}").startswith(
        "brain.yml:2: tenants: a tenant name"
    )
    assert "argument: the key 123 is not text" == problem(overrides={"tenants": {123: {}}})
    longest = {"名" * 200: {"privacy.pii": "mask"}}
    assert longest == blocks(load(overrides={"tenants": longest}))


@drawn(st.text(min_size=1, max_size=200), st.sampled_from(["tag", "mask", "refuse"]))
def test_any_name_has_its_block(name: str, rule: str) -> None:
    """Whatever letters it has, nested as dotted."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return
    block = {"privacy": {"pii": rule}}
    expected = {name: {"privacy.pii": rule}}
    assert expected == blocks(load(overrides={"tenants": {name: block}}))
    assert expected == blocks(load(overrides={f"tenants.{name}.privacy.pii": rule}))
