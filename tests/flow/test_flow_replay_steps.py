"""Replaying the contexts of a loop of tools: the turn in progress is as it was, not as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, user

from smartbrain import SmartBrain

ROUNDS = "policies.composition.keep_rounds"
ASKS = ["Fix the bug, please.", "请修复这个问题。"]


def step(brain: SmartBrain, number: int, asks: str = "", turn_id: str | None = None) -> str:
    """Commit a step of a loop: a call and its output."""
    call = {
        "id": f"c{number}",
        "type": "function",
        "function": {"name": "run", "arguments": f'{{"i": {number}}}'},
    }
    messages = [{"role": "user", "content": asks}] if asks else []
    messages += [
        {"role": "assistant", "content": f"step {number}", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{number}", "content": f"output {number} 输出"},
    ]
    return brain.commit_turn("s", messages, turn_id=turn_id).turn_id


@pytest.mark.spec("S6")
@pytest.mark.parametrize("asks", ASKS)
@pytest.mark.parametrize("recipe", ["tool_loop", "standard", "chat"])
def test_a_step_is_replayed_without_those_after_it(tmp_path: Path, asks: str, recipe: str) -> None:
    """What came after the context, in its turn or behind it, is in no replay of it."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user("Hello. 你好。"), assistant("Hello.")])
        turn = step(brain, 1, asks)
        step(brain, 2, turn_id=turn)
        made = brain.compose_context("s", recipe=recipe, turn_id=turn)
        for number in range(3, 7):
            step(brain, number, turn_id=turn)
        step(brain, 7, "And the next one. 下一个。")
        replays = [brain.replay(made.context_id, {ROUNDS: keep}) for keep in (1, 2, 9)]
        replays += [brain.replay(made.context_id, {"recipe": "tool_loop"})]
    for diff in replays:
        assert not [one.text for one in diff.entered if "output 3" in one.text]
        changed = {one.id for one in (*diff.entered, *diff.left) if one.slot == "recent_turns"}
        assert turn not in changed
    assert "turn_of_now" not in {note.code for diff in replays for note in diff.notes}
    if recipe == "tool_loop":
        assert all(one.same for one in replays[1:])


@pytest.mark.spec("S6")
@pytest.mark.parametrize("asks", ASKS)
@pytest.mark.parametrize("keep", [1, 2, 5])
def test_a_step_replayed_is_the_step_composed_so(tmp_path: Path, asks: str, keep: int) -> None:
    """Under another number of rounds calls, notes and outcomes are those of composing with it."""
    with SmartBrain.open(tmp_path, "t") as brain:
        turn = step(brain, 1, asks)
        for number in range(2, 7):
            step(brain, number, turn_id=turn)
        made = brain.compose_context("s", recipe="tool_loop", turn_id=turn)
    with SmartBrain.open(tmp_path, "t", {ROUNDS: keep}) as brain:
        other = brain.compose_context("s", recipe="tool_loop", turn_id=turn)
        step(brain, 7, turn_id=turn)
    with SmartBrain.open(tmp_path, "t") as brain:
        replayed = brain.replay(made.context_id, {ROUNDS: keep})
        composed = brain.diff(made.context_id, other.context_id)
    assert composed.tokens == replayed.tokens
    for name in ("entered", "left", "moved", "resized"):
        assert getattr(composed, name) == getattr(replayed, name)
    assert not composed.same


@pytest.mark.spec("S6")
@pytest.mark.parametrize("asks", ASKS)
def test_a_call_without_an_outcome_is_replayed_without_one(tmp_path: Path, asks: str) -> None:
    """Composed while a tool ran, a context is replayed without what the tool gave back later."""
    call = {"id": "c1", "type": "function", "function": {"name": "run", "arguments": "{}"}}
    calls = {"role": "assistant", "content": "running", "tool_calls": [call]}
    with fake_brain(tmp_path) as brain:
        turn = brain.commit_turn("s", [user(asks), calls]).turn_id
        made = brain.compose_context("s", recipe="tool_loop", turn_id=turn)
        outcome = {"role": "tool", "tool_call_id": "c1", "content": "output 1 输出"}
        brain.commit_turn("s", [outcome], turn_id=turn)
        diff = brain.replay(made.context_id, {ROUNDS: 2})
    assert diff.same, diff.text()


@pytest.mark.spec("S6")
@pytest.mark.parametrize("asks", ASKS)
def test_a_turn_that_went_on_since_is_replayed_as_it_was(tmp_path: Path, asks: str) -> None:
    """A past turn is read as far as it had come, and one of an ended session is not read."""
    with fake_brain(tmp_path) as brain:
        turn = step(brain, 1, asks)
        made = brain.compose_context("s", "And? 然后呢？")
        step(brain, 2, turn_id=turn)
        brain.sessions.end("s")
        ended = brain.compose_context("s", "And? 然后呢？")
        diff = brain.replay(made.context_id, {"policies.composition.recent_turns_max": 3})
        after = brain.replay(ended.context_id, {"policies.composition.recent_turns_max": 3})
    assert diff.same, diff.text()
    assert after.same, after.text()
