"""What a context brings is what answers the message: however old it is, and else nothing (R9, R20).

In: some months of talk in Chinese and English, questions about it, and messages that any model is
asked. Out: contexts that hold the turns which answer, and no turn for the other messages.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from recall_builders import NOW, opened, say

from smartbrain import SmartBrain
from smartbrain.domain.context import ContextPackage
from smartbrain.domain.policy_recall import PacketRules

PEOPLE = ("Mara", "小梅", "Jonas", "老周", "Priya", "阿杰")
TALK = (
    "{} started pottery classes on Tuesday evenings and made a blue bowl",
    "{}上周末带孩子去了海洋馆，看到了一条很大的鲸鲨",
    "{} is fixing the old motorbike in the garage and needs new brake cables",
    "{}新开的面馆在图书馆对面，牛肉面很好吃",
    "{} adopted two kittens from the shelter near the river",
    "{}报名了十月份的马拉松，每天早上跑十公里",
)
FIVE: dict[str, Any] = {"policies": {"composition": {"evidence_max_items": 5}}}
FLOOR = PacketRules().floor
OFF_TOPIC = (
    "Explain the difference between a mutex and a semaphore",
    "who painted The Night Watch?",
    "convert 350 fahrenheit to celsius",
    "how do vaccines train the immune system?",
    "解释一下量子纠缠",
    "快速排序的时间复杂度是多少",
    "唐朝一共有多少位皇帝",
    "珠穆朗玛峰有多高",
)


@contextmanager
def told(path: Path, days: int) -> Iterator[SmartBrain]:
    """Open a brain that was told of everybody, each thing in a session of its own."""
    with opened(path) as brain:
        for place in range(len(PEOPLE) * len(TALK)):
            who, what = PEOPLE[place % len(PEOPLE)], TALK[place // len(PEOPLE)]
            at = NOW - timedelta(days=days, hours=place)
            say(brain, what.format(who), at=at, session=f"s{place}")
        yield brain


def turns(context: ContextPackage) -> list[str]:
    """Return the evidence that quotes turns."""
    return [one.snippet for one in context.evidence if one.source_uri.startswith("turn:")]


@pytest.mark.spec("R20")
@pytest.mark.parametrize("message", OFF_TOPIC)
def test_what_nothing_answers_brings_no_turn(tmp_path: Path, message: str) -> None:
    """What any model is asked is not about the talk, and everything left out says so."""
    with told(tmp_path, days=2) as brain:
        context = brain.compose_context("now", message)
        left = brain.build_memory_packet("now", message).explain.omitted
    assert [] == turns(context)
    assert {"below_floor"} >= {one.code for one in left if one.type == "episodes" and one.id}


@pytest.mark.spec("R20")
def test_the_floor_can_be_taken_away(tmp_path: Path) -> None:
    """At zero everything that was found may come."""
    message = "explain how bowl haircuts and kittens influenced Renaissance sculpture in Florence"
    with told(tmp_path, days=2) as brain:
        silent = brain.compose_context("now", message)
        brain.configure({"packet.floor": 0.0})
        told_all = brain.compose_context("now", message)
        left = brain.build_memory_packet("now", message)
    assert [] == turns(silent)
    assert turns(told_all)
    assert left.metrics["relevance"]["chance"] < FLOOR


@pytest.mark.spec("R9", "R16")
@pytest.mark.parametrize("days", [1, 60, 700])
@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("Which classes does Jonas take?", "Jonas started pottery"),
        ("What animals were adopted by Priya?", "Priya adopted two kittens"),
        ("老周的面馆开在哪里？", "老周新开的面馆"),
        ("小梅报名了什么比赛？", "小梅报名了十月份的马拉松"),
    ],
)
def test_what_answers_comes_at_any_age(
    tmp_path: Path, message: str, answer: str, days: int
) -> None:
    """It needs no rare word and no name that only it holds; the first ones are a cue."""
    with told(tmp_path, days=days) as brain:
        context = brain.compose_context("now", message, token_limit=2_000)
    assert any(answer in one for one in turns(context))


@pytest.mark.spec("R16")
@pytest.mark.parametrize("message", ["Who adopted kittens from the shelter?", "谁报名了马拉松？"])
def test_evidence_grows_with_the_limit_unless_its_number_is_set(
    tmp_path: Path, message: str
) -> None:
    """A larger context quotes more sessions; a number that was set stays."""
    with opened(tmp_path) as brain:
        for place in range(40):
            text = f"friend {place} adopted kittens from the shelter 朋友{place}报名了马拉松"
            say(brain, text, at=NOW - timedelta(days=3, hours=place), session=f"s{place}")
        sizes = [
            len(brain.compose_context("now", message, token_limit=limit).evidence)
            for limit in (1_000, 4_000, 8_192)
        ]
    with opened(tmp_path, **FIVE) as brain:
        few = brain.compose_context("now", message)
    assert sizes == sorted(sizes)
    assert sizes[0] <= 12 < sizes[-1]
    assert 5 == len(few.evidence)


@pytest.mark.spec("R20")
@pytest.mark.parametrize("remark", ["lol", "ok thx", "好的", "Great, thanks!", "哈哈哈"])
def test_a_neighbour_that_says_nothing_is_not_quoted(tmp_path: Path, remark: str) -> None:
    """Beside a hit stand answers, a yes or a no too, and no laughter."""
    with opened(tmp_path) as brain:
        say(brain, "Is the oven at the bakery broken 面包房的烤箱坏了吗", reply="Yes, 是的。")
        say(brain, remark, reply="haha")
        say(brain, "It is the third time this year 今年第三次了", reply="ok")
        context = brain.compose_context("now", "the oven at the bakery 面包房的烤箱")
    shown = "\n".join(turns(context)).splitlines()
    lines = [line.partition(": ")[2] or line for line in shown]
    assert "Yes, 是的。" in lines
    assert not {remark, "haha", "ok"} & set(lines)


@pytest.mark.spec("R20")
def test_a_name_that_is_no_word_brings_its_turn(tmp_path: Path) -> None:
    """小郭走 is cut into 小 and 郭走: two characters that memory holds are known all the same."""
    with told(tmp_path, days=2) as brain:
        say(brain, "小郭说他不写代码了，回西安开一家咖啡烘焙店", at=NOW, session="lunch")
        context = brain.compose_context("now", "小郭走了是去干嘛的?阿泽喝断片了没听到")
    assert any("咖啡烘焙店" in snippet for snippet in turns(context))


@pytest.mark.spec("R20", "K7")
@pytest.mark.parametrize(
    ("said", "asked", "answer"),
    [
        ("I put the passports in the shortbread tin with the stag", "护照我放哪儿了", "shortbread"),
        ("备用钥匙放在隔壁孟阿姨那儿了", "where did we leave the spare key", "孟阿姨"),
    ],
)
def test_a_question_in_the_other_language_is_answered(
    tmp_path: Path, said: str, asked: str, answer: str
) -> None:
    """That no memory holds a word of the other language says little of whether one answers."""
    with told(tmp_path, days=2) as brain:
        say(brain, said, at=NOW, session="packing")
        context = brain.compose_context("now", asked)
    assert any(answer in snippet for snippet in turns(context))
