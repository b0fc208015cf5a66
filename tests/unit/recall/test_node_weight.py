"""How easily a memory comes to mind: every term of the formula, and its bounds."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recalled_rows import NOW, days_ago, row

from smartbrain.domain.policy_recall import NodeWeightRules
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.recall.fuse import days_since, weigh_node

RULES = NodeWeightRules()


def weight(type_name: str = "facts", rules: NodeWeightRules = RULES, **fields: Any) -> float:
    """Return the weight of a row with some fields."""
    one = row("x", type_name, **fields)
    age = days_since(one.said_at, NOW)
    return weigh_node(one, age, now=NOW, types=BUILTIN_TYPES, rules=rules)


@pytest.mark.spec("R6")
@pytest.mark.parametrize(
    ("less", "more"),
    [
        ({"importance": 0.1}, {"importance": 0.9}),
        ({"frequency": 1}, {"frequency": 9}),
        ({"said_at": days_ago(90)}, {"said_at": days_ago(1)}),
        ({"arousal": 0.0}, {"arousal": 0.8}),
        ({"feedback": -0.5}, {"feedback": 0.0}),
        ({"feedback": 0.0}, {"feedback": 1.0}),
        ({"valid_until": days_ago(1)}, {"valid_until": days_ago(-1)}),
        ({"valid_until": NOW}, {"valid_until": None}),
    ],
)
def test_each_term_counts(less: dict[str, Any], more: dict[str, Any]) -> None:
    """More important, said more often, later, more strongly, liked, still valid: heavier."""
    assert weight(**less) < weight(**more)


@pytest.mark.spec("R6")
def test_the_sum_is_the_formula() -> None:
    """With each share as the rules give it."""
    found = weight(importance=0.5, frequency=9, arousal=0.4, feedback=0.25, said_at=days_ago(90))
    often = math.log(1 + 9) / math.log(1 + 100)
    expected = 0.3 * 0.5 + 0.1 * often + 0.3 * math.exp(-1) + 0.1 * 0.4 + 0.2 * 0.25
    assert expected == pytest.approx(found)


@pytest.mark.spec("R6")
@pytest.mark.parametrize(
    ("type_name", "days"),
    [("episodes", 14), ("facts", 90), ("concepts", 180), ("preferences", 180), ("tasks", 30)],
)
def test_recency_falls_to_a_third_in_the_days_of_its_kind(type_name: str, days: float) -> None:
    """An episode fades in weeks, a fact in months, a concept in half a year."""
    alone = NodeWeightRules(importance=0.0, frequency=0.0, emotion=0.0, recency=1.0)
    assert math.exp(-1) == pytest.approx(weight(type_name, alone, said_at=days_ago(days)))
    assert 1.0 == weight(type_name, alone, said_at=NOW)
    assert 1.0 == weight(type_name, alone, said_at=days_ago(-5)), "a clock ahead is no merit"


@pytest.mark.spec("R6")
def test_a_type_that_is_gone_still_has_a_weight() -> None:
    """A row of a type that the rules no longer know fades like a fact."""
    assert weight("facts") == weight("没有这种")


@pytest.mark.spec("R6")
@given(
    importance=st.floats(0, 1),
    frequency=st.integers(0, 10**9),
    arousal=st.floats(0, 1),
    feedback=st.floats(-1, 1),
    days=st.floats(-1_000, 40_000),
)
def test_a_weight_is_from_0_to_1(
    importance: float, frequency: int, arousal: float, feedback: float, days: float
) -> None:
    """Whatever a row holds."""
    found = weight(
        importance=importance,
        frequency=frequency,
        arousal=arousal,
        feedback=feedback,
        said_at=days_ago(days),
        valid_until=days_ago(1),
    )
    assert 0.0 <= found <= 1.0
