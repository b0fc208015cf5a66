"""The window of a chat after a soft compaction: what is told in the context pool is not shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartbrain import SmartBrain
from smartbrain.testing.clock import FakeClock

LIMIT = {"policies.composition.ctx_recent_max_tokens": 120}


@pytest.mark.spec("R19", "R15")
@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("第{}个问题：报告今天要交给客户，先检查蓝牙模块的日志。", "好的，第{}个已经检查完了。"),
        ("Question {}: the report goes to the client today, check the logs.", "Done with {}."),
    ],
)
def test_a_chat_shows_no_turn_that_its_context_pool_tells(
    tmp_path: Path, said: str, answer: str
) -> None:
    """The three latest rounds stay, and what is older comes as a line of the pool."""
    with SmartBrain.open(tmp_path, config=LIMIT, clock=FakeClock()) as brain:
        turns = [
            brain.commit_turn(
                "s",
                [
                    {"role": "user", "content": said.format(number)},
                    {"role": "assistant", "content": answer.format(number)},
                ],
            ).turn_id
            for number in range(1, 8)
        ]
        compacted = brain.state.compaction("s").up_to
        chat = brain.compose_context("s", "?", recipe="chat")
        standard = brain.compose_context("s", "?")
    assert 0 < compacted <= 4
    shown = [turn.turn_id for turn in chat.recent_turns]
    assert turns[-len(shown) :] == shown
    assert 3 <= len(shown) <= 7 - compacted
    assert "context_pool" in [block.type for block in chat.system_blocks]
    assert len(shown) <= len(standard.recent_turns)


def talked(brain: SmartBrain, count: int, words: str = "") -> list[str]:
    """Talk for some turns, in both languages, and return their ids."""
    return [
        brain.commit_turn(
            "s",
            [
                {"role": "user", "content": f"第{number}轮 question {number}: {words}"},
                {"role": "assistant", "content": f"answer {number} 好的"},
            ],
        ).turn_id
        for number in range(1, count + 1)
    ]


@pytest.mark.spec("R10", "R15", "R19")
@pytest.mark.parametrize(
    ("tokens", "words"),
    [(300, "细节 detail " * 10), (300, "日志"), (120, "logs " * 20), (3_000, "天气 weather")],
)
def test_a_chat_loses_no_turn_between_its_pool_and_its_window(
    tmp_path: Path, tokens: int, words: str
) -> None:
    """What is not compacted yet is shown, turn after turn, and contexts begin alike until it is."""
    config = {"policies.composition.ctx_recent_max_tokens": tokens}
    with SmartBrain.open(tmp_path, config=config, clock=FakeClock()) as brain:
        turns: list[str] = []
        before: tuple[int, list[str]] = (0, [])
        for _ in range(26):
            turns += talked(brain, 1, words)
            compacted = brain.state.compaction("s").up_to
            package = brain.compose_context("s", "继续 go on", recipe="chat")
            shown = [turn.turn_id for turn in package.recent_turns]
            assert turns[compacted:] == shown
            assert before[0] != compacted or shown[:-1] == before[1]
            assert package.constraints.token_budget.used_estimate <= 8_192
            before = compacted, shown


@pytest.mark.spec("R10", "R16", "R19")
@pytest.mark.parametrize(
    "words", ["天气很好，我们去公园走走吧。" * 3, "nice weather for a walk " * 4]
)
def test_older_turns_of_a_chat_give_way_in_a_small_context(tmp_path: Path, words: str) -> None:
    """The window is there before them, they leave together, and some room is left to evidence."""
    with SmartBrain.open(tmp_path, clock=FakeClock()) as brain:
        said = "Mara keeps her parrot in Lisbon. 鹦鹉养在里斯本。"
        brain.commit_turn("old", [{"role": "user", "content": said}])
        turns = talked(brain, 30, words)
        asked = "Where is the parrot of Mara? 鹦鹉养在哪里？"
        small = brain.compose_context("s", asked, recipe="chat", token_limit=1_200)
        usual = brain.compose_context("s", asked, recipe="chat")
        replayed = brain.replay(small.context_id, {})
        own = brain.replay(usual.context_id, {"recipe": "standard"})
    assert turns == [turn.turn_id for turn in usual.recent_turns]
    shown = [turn.turn_id for turn in small.recent_turns]
    assert 5 <= len(shown) < 30
    assert turns[-len(shown) :] == shown
    assert said in small.text()
    assert small.constraints.token_budget.used_estimate <= 1_200
    left = [one.id for one in small.debug.ignored if one.type == "recent_turns"]
    assert turns[: -len(shown)] == left
    assert ((), ()) == (replayed.entered, replayed.left)
    assert own.left


@pytest.mark.spec("R10", "R18")
def test_a_loop_of_tools_shows_its_last_turns_alone(tmp_path: Path) -> None:
    """Nothing that waits for a compaction comes into it."""
    with SmartBrain.open(tmp_path, clock=FakeClock()) as brain:
        turns = talked(brain, 20, "日志 logs")
        package = brain.compose_context("s", "go on", recipe="tool_loop")
    assert turns[-3:] == [turn.turn_id for turn in package.recent_turns]
