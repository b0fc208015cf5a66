"""Long messages through the public calls: what is said after pages of code is not lost.

In: messages of code with a remark behind it, in Chinese and English. Out: the lines about them.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain

CODE = "total = total + counted[place];\n"


@pytest.mark.spec("W7")
@pytest.mark.parametrize("remark", ["Please look at build {}.", "请看一下第 {} 次构建。"])
@pytest.mark.parametrize("before", ["", "```\n" + "and so on\n" * 600 + "```\n"])
def test_a_turn_is_told_by_what_is_said_behind_pages_of_code(
    tmp_path: Path, remark: str, before: str
) -> None:
    """However far behind its beginning a message says something, the memo tells that of it."""
    with fake_brain(tmp_path) as brain:
        for n in range(12):
            content = f"{CODE * 300}{before}{remark.format(n)}\n{CODE * 300}"
            said = [{"role": "user", "content": content}, {"role": "assistant", "content": "ok"}]
            brain.commit_turn("s", said)
        told = " ".join(brain.fastmemo.read().sections["dynamic"])
    assert remark.format(0) in told
    assert "counted" not in told
