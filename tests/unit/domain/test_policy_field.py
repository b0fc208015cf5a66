"""One setting: which values it takes, which it refuses, and how it says so."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pytest

from smartbrain.domain.policy_field import Leaf, Section, Table, schema_of, setting, shown
from smartbrain.errors import UsageError


class Colour(StrEnum):
    RED = "red"


@dataclass(frozen=True, slots=True)
class Inner:
    """What lies inside.

    Only the first line is the meaning.
    """

    low: int = setting(1, "Smaller.", (0, 9))
    high: int = setting(5, "Larger.", (0, 9), at_least="low")


@dataclass(frozen=True, slots=True)
class Outer:
    """Everything."""

    flag: bool = setting(True, "A switch.")
    count: int | None = setting(None, "A count.", (1, 1_000))
    share: float = setting(0.5, "A share.", (0.0, 1.0))
    mode: bool | str = setting("auto", "A mode.", choices=("auto", True, False))
    colour: str = setting("red", "A colour.", choices=("red", "红"))
    kinds: tuple[str, ...] = setting(("a",), "Kinds.", choices=("a", "b"))
    ratio: str = setting("40/60", "A ratio.", form="ratio")
    zone: str = setting("UTC", "A zone.", form="timezone")
    word: str | None = setting(None, "A word.")
    open: Mapping[str, float] = setting({}, "Any names.", (0.0, 1.0))
    closed: Mapping[str, int] = setting({"A": 1}, "Known names.", (0, 9), choices=("A", "B"))
    inner: Inner = Inner()
    named: Inner = setting(Inner(low=2), "Said otherwise.")


def leaf(name: str) -> Leaf:
    node = schema_of(Outer()).children[name]
    assert isinstance(node, Leaf)
    return node


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("flag", False, False),
        ("count", None, None),
        ("count", 1_000, 1_000),
        ("share", 1, 1.0),
        ("share", 0.25, 0.25),
        ("mode", "auto", "auto"),
        ("mode", True, True),
        ("colour", "红", "红"),
        ("colour", Colour.RED, "red"),
        ("kinds", ["b", "a"], ("b", "a")),
        ("kinds", [], ()),
        ("ratio", "100/0", "100/0"),
        ("word", "密钥/文件", "密钥/文件"),
    ],
)
def test_an_allowed_value_is_taken_as_its_type(name: str, given: object, expected: object) -> None:
    """Values come back as the type of their setting."""
    taken = leaf(name).read(given)
    assert (type(expected), expected) == (type(taken), taken)


@pytest.mark.parametrize(
    ("name", "given", "problem"),
    [
        ("flag", 1, "is 1; allowed: true or false"),
        ("flag", "true", "is 'true'; allowed: true or false"),
        ("flag", None, "is null; allowed: true or false"),
        ("count", True, "is true; allowed: a whole number from 1 to 1,000, or null"),
        ("count", 2.0, "is 2.0; allowed: a whole number from 1 to 1,000, or null"),
        ("count", 0, "is 0; allowed: a whole number from 1 to 1,000, or null"),
        pytest.param("count", 10**5000, "is a very large number; allowed: a whole", id="huge"),
        ("share", False, "is false; allowed: a number from 0 to 1"),
        ("share", float("nan"), "is nan; allowed: a number from 0 to 1"),
        ("share", float("inf"), "is inf; allowed: a number from 0 to 1"),
        ("share", 10**400, "is a very large number; allowed: a number from 0 to 1"),
        ("share", "0.5", "is '0.5'; allowed: a number from 0 to 1"),
        ("mode", 1, "is 1; allowed: one of auto, true, false"),
        ("mode", "on", "is 'on'; allowed: one of auto, true, false"),
        ("colour", "绿", "is '绿'; allowed: one of red, 红"),
        ("kinds", "a", "is 'a'; allowed: a list of a, b"),
        ("kinds", ["a", "a"], "is ['a', 'a']; allowed: a list of a, b"),
        ("kinds", [["a"]], "is […]; allowed: a list of a, b"),
        ("ratio", "40/50", "is '40/50'; allowed: two whole percentages that sum to 100"),
        ("ratio", "-1/101", "is '-1/101'; allowed: two whole percentages that sum to 100"),
        ("ratio", "４０/６０", "is '４０/６０'; allowed: two whole percentages that sum to 100"),
        ("ratio", "50/25/25", "is '50/25/25'; allowed: two whole percentages"),
        pytest.param("ratio", f"{'1' * 5000}/0", "allowed: two whole", id="long ratio"),
        ("ratio", 40, "is 40; allowed: two whole percentages"),
        ("zone", " ", "is ' '; allowed: an IANA time zone name such as Asia/Shanghai"),
        ("word", "", "is ''; allowed: text, or null"),
        pytest.param("word", "\ud800", "is '\\ud800'; allowed: text, or null", id="surrogate"),
        ("word", {"a": 1}, "is a section; allowed: text, or null"),
    ],
)
def test_another_value_is_refused_with_what_is_allowed(
    name: str, given: object, problem: str
) -> None:
    """The refusal is one line: what it was and what is allowed."""
    with pytest.raises(UsageError) as refused:
        leaf(name).read(given)
    assert refused.value.code == "config"
    assert problem in refused.value.message
    assert "\n" not in refused.value.message


def test_the_schema_keeps_order_meaning_and_defaults() -> None:
    """Sections are described by their first line, or by what the field says of them."""
    root = schema_of(Outer())
    names = [node.name for node in root.walk()]
    assert names[:3] == ["flag", "count", "share"]
    assert names[-6:] == ["inner", "inner.low", "inner.high", "named", "named.low", "named.high"]
    inner, named = root.children["inner"], root.children["named"]
    assert isinstance(inner, Section)
    assert isinstance(named, Section)
    assert (inner.meaning, named.meaning) == ("What lies inside.", "Said otherwise.")
    low = named.children["low"]
    assert isinstance(low, Leaf)
    assert (low.default, low.meaning, low.allowed) == (2, "Smaller.", "a whole number from 0 to 9")
    high = named.children["high"]
    assert isinstance(high, Leaf)
    assert high.allowed == "a whole number from 0 to 9, not below low"


def test_a_table_gives_a_leaf_for_each_of_its_names() -> None:
    """A name without a default has none, and keeps the bounds of its table."""
    table = schema_of(Outer()).children["closed"]
    assert isinstance(table, Table)
    assert (table.keys, dict(table.default)) == (("A", "B"), {"A": 1})
    other = table.leaf("B")
    assert (other.name, other.default, other.read(9)) == ("closed.B", None, 9)
    with pytest.raises(UsageError, match="is 10; allowed: a whole number from 0 to 9"):
        other.read(10)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, "null"),
        (False, "false"),
        (1.5, "1.5"),
        ("第一行\n第二行", "'第一行\\n第二行'"),
        ("长" * 200, "'" + "长" * 78 + "…"),
        ({"a": 1}, "a section"),
        (("a", ["b"]), "['a', …]"),
        (object, "a type"),
    ],
)
def test_any_value_is_shown_in_one_short_line(value: Any, expected: str) -> None:
    """Whatever was given, an error shows it on one line of at most eighty characters."""
    assert expected == shown(value)
    assert len(shown(value)) <= 80
