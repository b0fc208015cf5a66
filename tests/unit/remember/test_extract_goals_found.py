"""Goals in English, Chinese and mixed sentences."""

from __future__ import annotations

from datetime import datetime

import pytest

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.remember.extract import goals
from smartbrain.remember.extract.said import read_said

AT = datetime.fromisoformat("2026-03-05T10:00:00+08:00")


def found(text: str, source: Source = Source.USER) -> list[Candidate]:
    """Read a message and return its goals."""
    said = read_said(text, source=source, speaker="somebody", at=AT)
    return [one for sentence in said.sentences for one in goals.find(sentence, said)]


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("My goal is to become a staff engineer.", "become a staff engineer"),
        ("I'd like to learn to play the cello this year.", "learn to play the cello"),
        ("Our mission is to make solar power affordable.", "make solar power affordable"),
        ("Long term, I want to run my own studio.", "run my own studio"),
        ("Goal for 2026: pay off the student loan.", "pay off the student loan"),
        ("We plan to double our revenue within three years.", "double our revenue"),
        ("I'm working towards a black belt in judo.", "black belt in judo"),
        ("Becoming debt-free is my main goal.", "Becoming debt-free"),
        ("What I want in the long run is to teach.", "teach"),
        ("We're shooting for 900 members by Q4.", "900 members"),
        ("saving up for a sailing boat", "sailing boat"),
        ("one day i wanna open a bakery", "open a bakery"),
        ("The whole point of this app is to cut food waste.", "cut food waste"),
        ("We want the school to be plastic free by 2029.", "school to be plastic free"),
        ("I'm determined to finish my doctorate.", "doctorate"),
        ("I'm hoping to swim the channel by August.", "swim the channel"),
        ("Top of my bucket list: hiking in Patagonia", "hiking in Patagonia"),
        ("Long term, I see myself teaching abroad.", "teaching abroad"),
        ("Paying off the loan is my top priority this year.", "Paying off the loan"),
        ("Living by the sea, that's what I'm working towards.", "Living by the sea"),
        ("给自己立个flag，今年跑完一千公里", "跑完一千公里"),
        ("我一直盼着能开一家花店", "开一家花店"),
        ("我想把酒戒了", "把酒戒"),
        ("希望年底前能把体重降到六十公斤", "把体重降到六十公斤"),
        ("我们做这个平台是为了让农户直接卖货", "让农户直接卖货"),
        ("今年的目标很明确，用户做到十万", "用户做到十万"),
        ("考下教师资格证，我就朝着这个努力", "考下教师资格证"),
        ("我的目标是成为一名产品经理。", "成为一名产品经理"),
        ("今年我想学会游泳。", "学会游泳"),
        ("我们打算明年把业务拓展到海外。", "把业务拓展到海外"),
        ("我希望五年内实现财务自由。", "实现财务自由"),
        ("我立志当一名乡村教师。", "当一名乡村教师"),
        ("I'm trying to get more organized.", "get more organized"),
        ("I want to get stronger and improve my diet.", "get stronger and improve my diet"),
        ("I want to be known as a fair boss.", "be known as a fair boss"),
        ("我想变得更自律。", "变得更自律"),
        ("我想提高体能。", "提高体能"),
        ("争取在年底之前把贷款还清。", "把贷款还清"),
        ("把可用性提升到四个九，是我们今年最重要的目标。", "把可用性提升到四个九"),
        ("我的 OKR 是把 coverage 提到 90%。", "把 coverage 提到 90%"),
    ],
)
def test_a_lasting_aim_is_a_goal(text: str, name: str) -> None:
    """A goal is named by what is aimed at, without the time it has."""
    assert [(name, "active")] == [(one.value["name"], one.value["status"]) for one in found(text)]


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "name", "status"),
    [
        ("I reached my goal of running 10k.", "running 10k", "achieved"),
        ("I've given up on my goal of learning Latin.", "learning Latin", "abandoned"),
        ("终于实现了减重二十斤的目标。", "减重二十斤", "achieved"),
        ("我放弃了考博的目标。", "考博", "abandoned"),
    ],
)
def test_what_becomes_of_a_goal_is_its_status(text: str, name: str, status: str) -> None:
    """A goal that was reached or given up says so."""
    assert [(name, status)] == [(one.value["name"], one.value["status"]) for one in found(text)]


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    [
        *(
            "I want pizza.",
            "I want to get better.",
            "我要变更合同",
            "我想变成一只猫",
            "I want to go home.",
            "What's your goal?",
            "His goal is to become a chef.",
        ),
        *("He scored a goal in the last minute.", "Do you want to play a game this year?"),
        *("I wish I could fly one day.", "My sister plans to move to Spain next year."),
        *(
            "I want to know how this works.",
            "A good goal should be measurable.",
            "My vision is awesome.",
            "I'm planning to visit in late September.",
            "I'm aiming for a natural look.",
            "We're shooting for dinner at seven.",
            "The point of the joke is to laugh.",
            "I'd love to see that one day.",
            "希望明年你能来",
            "希望今年冬天别太冷",
            "我想买房子的时候再说",
            "一直想问你个问题",
            "长远来看，房价会跌",
            "Setting goals is hard.",
        ),
        *(
            "我想吃火锅。",
            "你的目标是什么？",
            "他的目标是当医生。",
            "我想问一下今年的政策。",
            "目标检测算法有哪些？",
        ),
        *(
            "我妈希望我明年结婚。",
            "要是明年能涨工资就好了。",
            "他们打算明年搬到深圳。",
            "我想今年不会下雪了。",
        ),
    ],
)
def test_a_wish_of_the_moment_is_no_goal(text: str) -> None:
    """Wishes, questions, what others want and talk about goals are none."""
    assert [] == found(text)


@pytest.mark.spec("C3", "C6", "M1")
def test_a_goal_has_a_key_a_project_and_the_place_of_its_words() -> None:
    """The key is made of project and name; the words are those of the message."""
    text = "Hi. The goal of the Heron project is a search engine that works offline. Bye."

    goal = found(text)[0]

    key = BUILTIN_TYPES.get("goals").key_of(goal.value)
    assert "goal:Heron:search_engine_that_works_offline" == key
    assert text[4:71] == text[goal.offset :][: goal.length]
    assert (0.9, Source.USER) == (goal.confidence, goal.source)


@pytest.mark.spec("C1")
def test_an_assistant_sets_no_goals() -> None:
    """What an assistant says about goals is not remembered."""
    assert [] == found("Your goal is to become a writer.", Source.ASSISTANT)
    assert [] == found("Our goal is to finish this year.", Source.ASSISTANT)
