"""What says too little finds nothing beside other words, and something where there are no others.

In: turns in Chinese, and questions made of nothing but characters that hold sentences together,
names that look like those, and small talk. Out: what a recall and a packet bring.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from recall_builders import NOW, opened, say

from smartbrain import SmartBrain

SAID = (
    "我在看《三体》。",
    "我想去冰岛看极光。",
    "我家的狗叫点点。",
    "我女儿叫一一。",
    "门禁码是 4321。",
    "My name is Hi Nguyen.",
)


def told(path: Path) -> SmartBrain:
    """Return a brain that was told a few things some weeks ago."""
    brain = opened(path)
    for place, text in enumerate(SAID):
        say(brain, text, session=f"s{place}", at=NOW - timedelta(days=12 + place), reply="")
    return brain


@pytest.mark.spec("R3", "R4")
@pytest.mark.parametrize(
    ("query", "answer"),
    [
        ("我在看什么？", "三体"),
        ("我想去哪？", "冰岛"),
        ("点点", "点点"),
        ("一一是谁？", "一一"),
        ("門禁碼", "4321"),
        ("who is Hi?", "Hi Nguyen"),
    ],
)
def test_words_that_say_little_find_what_no_others_do(
    tmp_path: Path, query: str, answer: str
) -> None:
    """Who asks by nothing else means just those."""
    with told(tmp_path) as brain:
        assert answer in brain.recall(query)[0].text


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    "message",
    ["你好，今天心情不错", "好的，谢谢", "一会儿见", "我先走了", "Hello! 今天不错", "ok thanks"],
)
def test_small_talk_brings_nothing_old(tmp_path: Path, message: str) -> None:
    """A packet is made for any message, and what is weeks old comes on a cue alone."""
    with told(tmp_path) as brain:
        assert brain.build_memory_packet("new", message).episodes == ()
        assert brain.build_memory_packet("new", "我在看什么？").episodes != ()
