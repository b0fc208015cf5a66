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
