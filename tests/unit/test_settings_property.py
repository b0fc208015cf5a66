"""Properties: every setting can be set in every form, and no text makes loading fall over."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pytest
import yaml
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from smartbrain.domain.policy import Rules, schema
from smartbrain.domain.policy_field import Leaf, Table
from smartbrain.errors import UsageError
from smartbrain.settings import explain, load, with_overrides

BLOCKS = ("types", "recipes", "attributes", "webhooks")
ZONES = ("UTC", "Asia/Shanghai", "America/New_York", "Europe/Berlin")


def leaves() -> list[Leaf]:
    found = []
    for node in schema().walk():
        if isinstance(node, Leaf):
            found.append(node)
        elif isinstance(node, Table) and node.path[-1] not in (
            "types",
            "recipes",
            "attributes",
            "webhooks",
        ):
            found += [node.leaf(key) for key in node.keys or ("tool:git", "工具:天气")]
    return found


def values(leaf: Leaf) -> st.SearchStrategy[Any]:
    """Everything that a setting allows."""
    letters = st.characters(exclude_categories=("Cs", "Cc"))
    texts = st.text(letters, min_size=1).filter(str.strip)
    if "a list of" in leaf.allowed:
        items = st.sampled_from(leaf.choices) if leaf.choices else texts
        allowed = st.lists(items, unique=True).map(tuple)
    elif leaf.choices:
        allowed = st.sampled_from(leaf.choices)
    elif "true or false" in leaf.allowed:
        allowed = st.booleans()
    elif "whole number" in leaf.allowed:
        allowed = st.integers(int(leaf.span[0]), int(leaf.span[1]))
    elif "number" in leaf.allowed:
        allowed = st.floats(*leaf.span)
    elif leaf.form == "ratio":
        allowed = st.integers(0, 100).map(lambda share: f"{share}/{100 - share}")
    elif leaf.form == "timezone":
        allowed = st.sampled_from(ZONES)
    else:
        allowed = texts
    return st.none() | allowed if leaf.optional else allowed


CHANGES = st.sampled_from(leaves()).flatmap(lambda leaf: st.tuples(st.just(leaf), values(leaf)))


def nested(path: tuple[str, ...], value: object) -> dict[str, Any]:
    for part in reversed(path):
        value = {part: value}
    assert isinstance(value, dict)
    return value


def read(rules: Rules, name: str) -> Any:
    value: Any = rules
    for part in name.split("."):
        value = value[part] if isinstance(value, Mapping) else getattr(value, part)
    return value


def in_order(leaf: Leaf, value: Any) -> bool:
    """Whether the neighbours, at their defaults, allow the value."""
    for high in [one for one in leaves() if one.at_least and one.path[:-1] == leaf.path[:-1]]:
        low = ".".join((*high.path[:-1], high.at_least))
        if high.name == leaf.name and value < read(Rules(), low):
            return False
        if low == leaf.name and value > read(Rules(), high.name):
            return False
    return True


def refusal(source: str | bytes | None = None, **given: Any) -> UsageError | None:
    try:
        load(source, **given)
    except UsageError as refused:
        return refused
    return None


@pytest.mark.spec("S7")
@settings(deadline=None)
@given(CHANGES)
def test_any_setting_can_be_set_in_any_form(change: tuple[Leaf, Any]) -> None:
    """Dotted or nested, as a dict or as YAML, a value arrives as it was given, and nothing else."""
    leaf, value = change
    assume(in_order(leaf, value))
    plain = list(value) if isinstance(value, tuple) else value
    dotted, deep = {leaf.name: plain}, nested(leaf.path, plain)
    by_argument = [load(overrides=dotted), load(overrides=deep), with_overrides(load(), dotted)]
    by_file = [load(yaml.safe_dump(one, allow_unicode=True)) for one in (dotted, deep)]
    for loaded in by_argument + by_file:
        assert (type(value), value) == (type(got := read(loaded.rules, leaf.name)), got)
        assert [leaf.name] == list(loaded.origins)
        others = [(row.name, row.value) for row in explain(loaded) if row.name != leaf.name]
        table = leaf.name.rpartition(".")[0]
        defaults = [(row.name, row.value) for row in explain(load())]
        assert others == [row for row in defaults if row[0] not in (leaf.name, table)]
    assert {"argument"} == {one.origin(leaf.name) for one in by_argument}
    assert by_file[0].origin(leaf.name) == "brain.yml:1"


@settings(deadline=None)
@given(st.one_of(st.text(), st.binary(), st.text("pins:- {}[]&*!|>'\"%@`#\n\t,?自我").map(str)))
def test_no_text_makes_loading_fall_over(source: str | bytes) -> None:
    """Any text either loads or is refused in one line that names its place."""
    refused = refusal(source)
    if refused is not None:
        assert re.match(r"brain\.yml:[1-9][0-9]*: \S", refused.message)
        assert len(refused.message.splitlines()) == 1
        assert refused.code == "config"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@settings(deadline=None)
@given(CHANGES.map(lambda change: change[0]), JSON)
def test_no_value_makes_loading_fall_over(leaf: Leaf, value: Any) -> None:
    """Any value is either taken as the type of its setting or refused in one line."""
    assume((leaf.name, value) != ("tenants.max_open", {}))  # a tenant of that name, with no block
    refused = refusal(overrides={leaf.name: value})
    if refused is None:
        loaded = load(overrides={leaf.name: value})
        assert leaf.read(value) == read(loaded.rules, leaf.name)
    else:
        assert refused.message.startswith("argument: ")
        assert len(refused.message.splitlines()) == 1
