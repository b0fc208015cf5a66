"""Reading how, why and when something happens: manners, causes and the names of times."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from smartbrain.domain.candidate import Source
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.statement import Statement
from smartbrain.remember.extract.said import read_said
from smartbrain.remember.extract.statements import find_statements
from smartbrain.text.times import find_times

AT = datetime(2026, 3, 5, 10, tzinfo=UTC)


def statements(text: str) -> list[Statement]:
    """Return what a message of the user says happens."""
    return find_statements(read_said(text, source=Source.USER, speaker="user", at=AT))


def played(text: str, role: EdgeType) -> list[tuple[str, str]]:
    """Return what plays a role in a message, with the predicate."""
    return [
        (one.predicate, r.name) for one in statements(text) for r in one.roles if r.role is role
    ]


MANNERS = [
    ("小明认真地踢足球", "play_soccer", "认真"),
    ("小明快速地跑步", "run", "快速"),
    ("小明小心翼翼地打开盒子", "open", "小心翼翼"),
    ("小红高兴地唱歌", "sing", "高兴"),
    ("小明努力工作", "work", "努力"),
    ("小明认真学习", "learn", "认真"),
    ("小红大声唱歌", "sing", "大声"),
    ("小明跑得很快", "run", "快"),
    ("我们坐高铁去上海", "go", "高铁"),
    ("小明坐地铁上班", "work", "地铁"),
    ("小明没有认真地写作业", "do_homework", "认真"),
    ("小李通过邮件发送了报告", "send", "邮件"),
    ("小李carefully写了周报", "write", "carefully"),
    ("Tom carefully opened the box", "open", "carefully"),
    ("Tom opened the box carefully", "open", "carefully"),
    ("Tom worked diligently", "work", "diligently"),
    ("Tom didn't drive carefully", "drive", "carefully"),
    ("Anna works hard", "work", "hard"),
    ("Anna went to Berlin by train", "go", "train"),
    ("The report was sent by email", "send", "email"),
    ("Tom walked to school on foot", "walk", "on foot"),
    ("Anna met Tom in person", "meet", "in person"),
    ("Tom opened the box with care", "open", "care"),
]


@pytest.mark.spec("C7")
@pytest.mark.parametrize(("text", "predicate", "manner"), MANNERS)
def test_how_something_is_done_is_its_manner(text: str, predicate: str, manner: str) -> None:
    """An adverb, a way of going, a means; nothing else takes its place."""
    assert [(predicate, manner)] == played(text, EdgeType.MANNER)
    others = {
        r.name for one in statements(text) for r in one.roles if r.role is not EdgeType.MANNER
    }
    assert manner not in others


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    "text",
    [
        "小明在公园里踢足球",
        "小明通过考试",
        "小明用锤子打开盒子",
        "小明在北京买地",
        "我得去北京",
        "小明经常去公园",
        "Tom plays soccer in the park",
        "Tom opened the door with a hammer",
        "Tom solved the hard problem",
        "Tom bought a fast car",
        "The window was broken by Tom",
        "Tom finally called Anna",
        "Anna drove to the park by the lake",
    ],
)
def test_what_is_no_manner_is_left_alone(text: str) -> None:
    """Tools, agents, adjectives, frequencies and places are none."""
    assert [] == played(text, EdgeType.MANNER)


CAUSES = [
    ("因为大雨，比赛取消了", "cancel", "大雨"),
    ("由于堵车，小明迟到了", "迟到", "堵车"),
    ("因为昨天下雨，比赛取消了", "cancel", "下雨"),
    ("比赛因为大雨取消了", "cancel", "大雨"),
    ("比赛因大雨取消", "cancel", "大雨"),
    ("小明因为生病没去学校", "go", "生病"),
    ("小明没去学校，因为他病了", "go", "病"),
    ("天气不好，所以小明没去公园", "go", "天气不好"),
    ("大雨导致比赛取消", "cancel", "大雨"),
    ("大雨导致了停电", "cause", "大雨"),
    ("由于 outage，小明取消了会议", "cancel", "outage"),
    ("The match was cancelled because of the rain", "cancel", "rain"),
    ("Because of the rain, the match was cancelled", "cancel", "rain"),
    ("The match was cancelled due to heavy rain", "cancel", "heavy rain"),
    ("Due to the storm, Tom cancelled the trip", "cancel", "storm"),
    ("The match was cancelled because it rained", "cancel", "rained"),
    ("Tom left the office because he was sick", "leave", "sick"),
    ("The storm caused a power outage", "cause", "storm"),
    ("The outage was caused by the storm", "cause", "storm"),
    ("The storm led to a delay", "cause", "storm"),
]


@pytest.mark.spec("C7")
@pytest.mark.parametrize(("text", "predicate", "cause"), CAUSES)
def test_a_reason_that_is_a_noun_or_a_few_words_is_the_cause(
    text: str, predicate: str, cause: str
) -> None:
    """It plays its role in what it brings about, and in nothing else."""
    assert [(predicate, cause)] == played(text, EdgeType.CAUSE)
    assert [None] == [one.because for one in statements(text)]


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("text", "effect", "cause"),
    [
        ("因为小红打碎了花瓶，所以妈妈批评了她", "criticize", "打碎"),
        ("因为小红打碎了花瓶，妈妈批评了她", "criticize", "打碎"),
        ("妈妈批评了小红，因为她打碎了花瓶", "criticize", "打碎"),
        ("妈妈之所以批评了小红，是因为小红打碎了花瓶", "criticize", "打碎"),
        ("服务器宕机了，所以客户取消了订单", "cancel", "crash"),
        ("服务器宕机了，导致客户取消了订单", "cancel", "crash"),
        ("Tom stayed home because Anna called the doctor", "stay", "call"),
        ("Because Anna called the doctor, Tom left the office", "leave", "call"),
        ("Since Anna left the company, Tom manages the team", "manage", "leave"),
        ("The server crashed, so Tom cancelled the meeting", "cancel", "crash"),
        ("The server crashed, therefore Tom cancelled the meeting", "cancel", "crash"),
        ("服务器宕机了, so Tom cancelled the meeting", "cancel", "crash"),
    ],
)
def test_a_clause_that_tells_the_reason_is_the_cause(text: str, effect: str, cause: str) -> None:
    """Both are statements, and the effect names the clause that its reason stands in."""
    told = {one.predicate: one for one in statements(text)}
    assert {effect, cause} == set(told)
    assert (told[cause].offset, None) == (told[effect].because, told[cause].because)
    assert [] == played(text, EdgeType.CAUSE)


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    "text",
    [
        "小明在公园里踢足球，小红看电影",
        "小明去了公园。所以小红很高兴。",
        "Tom plays soccer in the park and Anna reads a book",
        "Tom has lived in Berlin since 2021",
        "Since 2021 Tom lives in Berlin",
        "Tom saved money so that Anna could buy a house",
        "Tom saved money, so Anna could buy a house",
        "Since we last spoke, Tom bought a house",
        "So Tom called Anna",
        "Tom called Anna, so far nobody answered",
        "Tom owes money to Anna",
        "Tom called Anna after the server crashed",
    ],
)
def test_what_only_stands_beside_is_no_cause(text: str) -> None:
    """What comes after, a purpose, or a time since when is no reason."""
    assert [] == played(text, EdgeType.CAUSE)
    assert {None} >= {one.because for one in statements(text)}


@pytest.mark.spec("C7")
def test_a_reason_keeps_the_mood_and_the_denial_of_its_sentence() -> None:
    """A question stays one, and so does what is denied."""
    (asked,) = statements("Was the match cancelled because of the rain?")
    assert ("asked", ["rain"]) == (asked.modality.value, [r.name for r in asked.roles][-1:])
    (denied,) = statements("小明没去学校，因为他病了")
    assert denied.negation


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("昨天", "2026-03-04"),
        ("上周三", "2026-02-25"),
        ("明天下午3点", "2026-03-06T15:00"),
        ("昨天下午", "2026-03-04T12:00/18:00"),
        ("三天前", "2026-03-02"),
        ("上周", "2026-W09"),
        ("下个月初", "2026-04-01/2026-04-10"),
        ("上个月", "2026-02"),
        ("去年", "2025"),
        ("最近", "2026-02-26/2026-03-05"),
        ("每天早上", "每天早上"),
        ("last Tuesday", "2026-03-03"),
        ("in two weeks", "2026-W12"),
        ("Q3 2025", "2025-Q3"),
        ("Every  Monday", "every monday"),
    ],
)
def test_a_time_is_called_by_its_place_on_the_calendar(words: str, name: str) -> None:
    """Whatever words say it; what recurs has no place there and goes by its words."""
    (span,) = find_times(words, AT)
    assert name == span.name


@pytest.mark.spec("C7")
def test_a_day_has_one_name_wherever_it_is() -> None:
    """Days are those of whoever speaks."""
    east = datetime(2026, 3, 5, 10, tzinfo=timezone(timedelta(hours=8)))
    assert ["2026-03-04"] == [one.name for one in find_times("yesterday", east)]
