"""Recipes of a user's own: what they leave out, and what they cannot."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain

RECIPES = {"recipes": {"bare": {"slots": ["plan"]}, "own": {"slots": ["system"]}}}
STATE = {"system": "You are Pico. 你是皮可。", "developer": "Answer in JSON. 用 JSON 回答。"}


@pytest.mark.spec("R15", "R16")
@pytest.mark.parametrize(
    ("goal", "message"),
    [("Find a flat.", "What is next?"), ("找一套房子。", "下一步是什么？")],
)
def test_a_recipe_without_the_system_slot_leaves_out_memory_but_not_the_agent(
    tmp_path: Path, goal: str, message: str
) -> None:
    """What the agent says itself is always sent; core and working memory only with their slot."""
    with fake_brain(tmp_path, **RECIPES) as brain:
        run = brain.runs.start("s", goal=goal)
        bare, own = (
            brain.compose_context("s", message, STATE, recipe=name, run_id=run)
            for name in ("bare", "own")
        )
        replayed = brain.replay(own.context_id, {"recipe": "bare"})
    assert [STATE["system"]] == [one.text for one in bare.system_blocks]
    assert ["system", "working_memory"] == [one.type for one in own.system_blocks]
    for package in (bare, own):
        assert [STATE["developer"]] == [one.text for one in package.developer_blocks]
        assert message in package.text()
    assert goal in own.text()
    assert goal not in bare.text()
    assert ["working_memory"] == [one.id for one in replayed.left]
