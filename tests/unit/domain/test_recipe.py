"""Recipes: those that every brain has, and those of a configuration."""

from __future__ import annotations

from typing import Any

import pytest

from smartbrain.domain.recipe import BUILTIN_RECIPES, SLOTS, recipe_from_block, recipe_named
from smartbrain.errors import UsageError


@pytest.mark.spec("R15")
def test_every_recipe_shows_the_message_and_keeps_the_order() -> None:
    """Slots of all recipes stand in the order of a package, the message last."""
    for recipe in BUILTIN_RECIPES:
        assert "user_message" == recipe.slots[-1]
        assert sorted(recipe.slots, key=SLOTS.index) == list(recipe.slots)


@pytest.mark.spec("R15")
def test_a_recipe_of_ones_own_goes_before_a_built_in_one() -> None:
    """A block named like a built-in recipe takes its place."""
    own = recipe_named("chat", {"chat": {"slots": ["evidence", "system"], "recent_turns": 1}})
    assert ("system", "evidence", "user_message") == own.slots
    assert 1 == own.recent_turns


@pytest.mark.parametrize(
    ("block", "sentence"),
    [
        ({}, "`slots`"),
        ({"slots": []}, "slots`"),
        ({"slots": ["evidense"]}, "did you mean 'evidence'"),
        ({"slots": ["证据"]}, "slots are system"),
        ({"slots": ["evidence"], "recent_turns": -1}, "recent_turns`"),
        ({"slots": ["evidence"], "tool_calls": "no"}, "tool_calls`"),
        ({"slots": ["evidence"], "turns": 3}, "unknown field `turns`"),
    ],
)
def test_a_wrong_block_is_refused(block: dict[str, Any], sentence: str) -> None:
    """Each refusal names what is wrong and what there is."""
    with pytest.raises(UsageError, match=sentence) as refused:
        recipe_from_block("mine", block)
    assert "config" == refused.value.code
