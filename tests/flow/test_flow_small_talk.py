"""What a message says to no end brings nothing to mind; what it speaks of comes as before (R7, R9).

In: turns of the last month in sessions of their own, greetings and questions in Chinese and
English. Out: packets and contexts without what shares only a bare character, a greeting, or
nothing.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from recall_builders import NOW, opened, put, say

from smartbrain import SmartBrain

CHINESE = [
    "锅炉修好了",
    "晚饭在港口吃的",
    "打印机坏了",
    "会议改到三楼了",
    "他在看一本历史书",
    "新买的椅子很好坐",
    "我们去了一趟海边",
    "房东说要涨房租",
    "今天错过了火车",
    "小心台阶，天很滑，心里着急",
    "我养了一只猫",
]
ENGLISH = [
    "The boiler is fixed",
    "Dinner was at the harbour",
    "The printer broke",
    "Hello, the meeting moved to the third floor",
    "He is reading a history book",
    "The new chair is nice to sit on",
    "We went to the seaside",
    "The landlord raises the rent",
    "I missed the train today",
    "Mind the steps, they are wet",
    "I have got a cat",
]


def told(brain: SmartBrain, turns: list[str]) -> None:
    """Say each turn in a session of its own, twelve days ago and earlier."""
    for place, text in enumerate(turns):
        at = NOW - timedelta(days=12 + place)
        say(brain, text, at=at, session=f"old {place}")


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    ("turns", "message"),
    [
        *((CHINESE, one) for one in ("你好，今天心情不错", "好的，谢谢", "一会儿见", "好了，谢谢")),
        *((CHINESE, one) for one in ("早上好", "在吗", "我先走了，拜拜", "哈哈好的", "我很开心")),
        *((ENGLISH, one) for one in ("Hello, I am in a good mood today", "ok, thanks", "See you")),
        (ENGLISH, "Good morning!"),
    ],
)
def test_small_talk_brings_nothing_old(tmp_path: Path, turns: list[str], message: str) -> None:
    """Neither a character in common nor a greeting is a cue, in either language."""
    with opened(tmp_path) as brain:
        told(brain, turns)
        packet = brain.build_memory_packet("new", message)
        context = brain.compose_context("new", message)
    assert ((), ()) == (packet.episodes, context.evidence)


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    ("turns", "message", "expected"),
    [
        (CHINESE, "锅炉怎么样了？", [0]),
        (CHINESE, "你好，打印机能用了吗？", [2]),
        (CHINESE, "那本书叫什么？", [4]),
        (CHINESE, "我的猫叫什么名字？", [10]),
        (CHINESE, "猫", [10]),
        (ENGLISH, "How is the boiler?", [0]),
        (ENGLISH, "Hello, does the printer work?", [2]),
        (ENGLISH, "What is my cat called?", [10]),
    ],
)
def test_a_question_brings_what_it_speaks_of_alone(
    tmp_path: Path, turns: list[str], message: str, expected: list[int]
) -> None:
    """A word of one character is enough; what only stands near in the graph does not come along."""
    with opened(tmp_path) as brain:
        told(brain, turns)
        packet = brain.build_memory_packet("new", message)
    brought = [one for one in turns if any(one in item.text for item in packet.episodes)]
    assert [turns[place] for place in expected] == brought


@pytest.mark.spec("R7")
@pytest.mark.parametrize("message", ["你好，今天心情不错", "Hello, I am in a good mood today"])
def test_small_talk_leaves_their_places_to_preferences(tmp_path: Path, message: str) -> None:
    """Of many facts about others none is found, and all preferences stand."""
    with opened(tmp_path) as brain:
        for place in range(22):
            liked = {"value": f"喜欢第 {place} 种茶"}
            brain.memories.put("preferences", f"pref:other:tea{place}", liked)
        for place in range(30):
            put(brain, f"fact:员工{place}:座位", f"他在第 {place} 排坐，有一个好位子了")
        packet = brain.build_memory_packet("new", message)
    assert 22 == sum(one.type == "preferences" for one in packet.facts)


@pytest.mark.spec("R9")
@pytest.mark.parametrize(
    ("said", "message"),
    [
        ("Ｔｈｅ ｇａｔｅｗａｙ ｉｓ ｆａｌｃｏｎ", "What is the gateway?"),
        ("网关的名字是ｆａｌｃｏｎ", "falcon 是什么？"),
        ("회의는 부산에서 열렸다", "부산에서 회의"),
        ("We ate at Cafe\u0301 Re\u0301gal", "Where is Caf\u00e9 R\u00e9gal?"),
    ],
)
def test_a_strong_cue_reaches_any_spelling(tmp_path: Path, said: str, message: str) -> None:
    """Letters of full width or in parts are the same words, at any age."""
    with opened(tmp_path) as brain:
        told(brain, ENGLISH)
        say(brain, said, at=NOW - timedelta(days=60), session="before")
        packet = brain.build_memory_packet("new", message)
    assert ["before"] == [one.session_id for one in packet.episodes]
