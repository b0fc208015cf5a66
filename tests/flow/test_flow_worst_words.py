"""Messages and outputs that are hard to read: a commit stores them, and takes no longer for them.

In: 100 KB of what patterns find hardest, said by the user or printed by a tool. Out: the turn is
stored. Each of these once kept a commit busy for ever, with the lock held, or made it fail.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, user

SIZE = 100_000
SHORT = [
    "From now on use  person:called   person:",
    "token: " + "aaa_" * 40 + "9",
    "我" + "刚" * 34 + "升职了",
    "端口" + "刚" * 34 + "改到",
    "报告的截止日期" + "刚" * 34 + "推迟",
    "我们" + "刚" * 34 + "升级到",
    "我" + "刚" * 34 + "从vim换成",
    "你要" * 40 + "知x",
    "我住在北京，" + "一定要" * 30 + "记性好，记住x",
]
REPEATED = [
    "FAILED ",
    "刚刚",
    " ",
    "\n",
    "的",
    "以后都按这个来",
    "I need to ",
    "“",
    "a_",
    "1",
    "，, ",
]


@pytest.mark.spec("C6")
@pytest.mark.parametrize("text", SHORT, ids=lambda one: f"{one:.16}")
def test_a_message_that_can_be_read_in_many_ways_is_stored(tmp_path: Path, text: str) -> None:
    """A message of a hundred characters once took longer than anybody can wait."""
    with fake_brain(tmp_path) as brain:
        assert brain.commit_turn("s", [user(text)]).ok


@pytest.mark.spec("C6", "W6")
@pytest.mark.parametrize("unit", REPEATED, ids=repr)
def test_a_long_message_of_one_word_is_stored(tmp_path: Path, unit: str) -> None:
    """So is an output that says nothing else."""
    text = unit * (SIZE // len(unit))
    call = {"id": "c", "name": "run", "args": {}, "stdout": text, "exit_code": 1}
    with fake_brain(tmp_path) as brain:
        assert brain.commit_turn("s", [user(text)]).ok
        told = {"messages": [user("run it"), assistant("done")], "tool_calls": [call]}
        assert brain.commit_turn("s", told).ok
