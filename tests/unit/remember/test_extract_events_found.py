"""Events are found in what is said: what happened or will happen on a day."""

from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.domain.builtin_types import Events
from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.events import find
from smartbrain.remember.extract.said import read_said

AT = datetime.fromisoformat("2026-03-05T10:00:00+08:00")  # a Thursday
TYPE = Events()


def found(text: str, source: Source = Source.USER) -> list[Candidate]:
    """Return the events of a message."""
    said = read_said(text, source=source, speaker=source.value, at=AT)
    return [one for sentence in said.sentences for one in find(sentence, said)]


@pytest.mark.spec("C6", "C7", "M1")
@pytest.mark.parametrize(
    ("text", "date", "title", "impact"),
    [
        ("The release is July 1.", "2026-07-01", "release", "release"),
        ("v2.3 ships on July 1.", "2026-07-01", "v2.3 ships", "release"),
        ("We released v2.1 yesterday.", "2026-03-04", "released v2.1", "release"),
        ("Production went down at 3am.", "2026-03-05", "Production went down", "incident"),
        ("The kickoff is on March 12.", "2026-03-12", "kickoff", "meeting"),
        ("Our son was born last Thursday.", "2026-02-26", "son was born", "personal"),
        ("I passed my driving test this morning.", "2026-03-05", None, "milestone"),
        ("Our team offsite is from April 22 to April 24.", "2026-04-22", None, "meeting"),
        ("My parents arrive on March 22.", "2026-03-22", "parents arrive", "other"),
        ("We just deployed the hotfix.", "2026-03-05", None, "release"),
        ("Board meeting next Thursday at 10.", "2026-03-12", "Board meeting", "meeting"),
        ("I got my flu shot on Monday.", "2026-03-02", "got my flu shot", "milestone"),
        ("Someone broke into our garage last night.", "2026-03-04", None, "incident"),
        ("got towed this morning", "2026-03-05", "got towed", "incident"),
        ("We had lunch with Priya Nair on Tuesday.", "2026-03-03", None, "meeting"),
        ("The fire marshals came by on Monday and checked the exits.", "2026-03-02", None, None),
        (
            "We lost the Meyer account last week.",
            "2026-02-23",
            "lost the Meyer account",
            "milestone",
        ),
        ("The power went out last night.", "2026-03-04", "power went out", "incident"),
        ("We met our funding goal yesterday.", "2026-03-04", "met our funding goal", "milestone"),
        ("筹款昨天达到了目标金额。", "2026-03-04", "筹款达到了目标金额", "milestone"),
        ("明天整栋楼消防演习。", "2026-03-06", "整栋楼消防演习", "meeting"),
        ("上周二我和李雷在杭州见了供应商的人。", "2026-02-24", None, "personal"),
        ("昨天上线了2.0。", "2026-03-04", "上线了2.0", "release"),
        ("下周三开评审会。", "2026-03-11", "评审会", "meeting"),
        ("5月20号婚礼。", "2026-05-20", "婚礼", "meeting"),
        ("I lost my job as a clerk yesterday.", "2026-03-04", "lost my job", "personal"),
        ("Took a short trip to Porto last week.", "2026-02-23", None, "personal"),
        ("We took the kids camping last weekend.", "2026-02-28", None, "personal"),
        ("I went on a sailing trip last week.", "2026-02-23", "sailing trip", "meeting"),
        ("Last Fri I took my son to a pottery workshop.", "2026-02-27", "pottery workshop", None),
        ("I retook the language test last week.", "2026-02-23", "retook the language test", None),
        ("I scored 30 points last week.", "2026-02-23", "scored 30 points", "milestone"),
        ("Last week, I built a new website for the shop.", "2026-02-23", None, "milestone"),
        (
            "I wanted to tell you I just joined a choir.",
            "2026-03-05",
            "joined a choir",
            "milestone",
        ),
        ("My wife and I just left for our honeymoon.", "2026-03-05", None, "personal"),
        ("We're putting on a talent show next month.", "2026-04-01", None, "meeting"),
        ("I went to a support group yesterday.", "2026-03-04", "support group", "meeting"),
        ("我昨天丢了工作。", "2026-03-04", "丢了工作", "personal"),
        ("我刚加入了一个合唱团。", "2026-03-05", "加入了一个合唱团", "milestone"),
        ("昨天我有个试镜。", "2026-03-04", "试镜", "meeting"),
        ("上周我去了一个互助小组。", "2026-02-23", None, "meeting"),
        ("前天服务器宕机了两小时。", "2026-03-03", "服务器宕机了两小时", "incident"),
        ("我妹妹10月1号结婚。", None, "我妹妹结婚", "personal"),
        ("用户数昨天突破了一百万。", "2026-03-04", "用户数突破了一百万", "milestone"),
        ("线上刚刚挂了。", "2026-03-05", None, "incident"),
        ("昨晚 deploy 了新版本到 production。", "2026-03-04", None, "release"),
        ("kickoff meeting 安排在下周三上午。", "2026-03-11", "kickoff meeting", "meeting"),
    ],
)
def test_what_happens_on_a_day_is_an_event(
    text: str, date: str | None, title: str | None, impact: str | None
) -> None:
    """An event has its day, a title without the words for it, and its kind."""
    (one,) = found(text)
    assert date in (None, one.value["date"])
    assert title in (None, one.value["title"])
    assert impact in (None, one.value["impact"])
    assert "general" == one.value["scope"]
    assert one.confidence >= 0.8


@pytest.mark.spec("C6", "M2")
@pytest.mark.parametrize(
    "text",
    [
        "I attended a workshop on January 10th.",
        "I recently attended a workshop on January 10th, and I learned a lot.",
        "I'm glad I attended that workshop on January 10th - it was great.",
        "On January 10th I went to a workshop that changed how I listen.",
        "We had a great time at the workshop on January 10th.",
    ],
)
def test_the_same_event_told_again_has_the_same_key(text: str) -> None:
    """Who tells it, when, and what is remarked of it are no part of an event's name."""
    (one,) = found(text)
    assert "event:general:2026-01-10:workshop" == TYPE.key_of(one.value)


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("I won a chess cup last week and it was awesome.", "won a chess cup"),
        ("I've been great - we moved to Leeds last Friday.", "moved to Leeds"),
        ("Last week our car broke down, so we took the bus.", "car broke down"),
        ("Next month I'm hosting a quiz night to raise money.", "hosting a quiz night"),
        ("I attended the Sunday mass at St. Anne on January 4th.", "Sunday mass at St. Anne"),
        ("我们公司的新官网昨天已经上线了。", "公司的新官网上线了"),
        ("下周二要开复盘会。", "复盘会"),
        ("We went to a fair together last week.", "fair"),
        (
            'I attended a seminar on "Saying No at Work" on March 2.',
            'seminar on "Saying No at Work"',
        ),
        ("上周五我参加了“怎样拒绝别人的请求”培训。", "“怎样拒绝别人的请求”培训"),
    ],
)
def test_a_title_is_a_clean_phrase(text: str, title: str) -> None:
    """A title names the event and leaves out side remarks, the teller and the time."""
    (one,) = found(text)
    assert title == one.value["title"]


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    "text",
    [
        "As I think back on the workshop I attended on January 10th, I see more clearly.",
        "I painted it after I visited the beach last week.",
        "I'm looking for shoes like those I wore to the party on February 5th.",
        "I've been attending various workshops lately.",
        "I have a few meetings scheduled tomorrow.",
        "Something exciting happened last Friday.",
        "So pumped for the launch tomorrow!",
        "We had a great talk yesterday.",
        "Last week I had a crazy game - so intense!",
        "I had an unexpected incident on my way home last week.",
        "Last week I visited home.",
        "I took the last train yesterday.",
        "I wanted to tell you about my school event last week.",
        "The internet is down again.",
        "他们公司昨天发布了新品。",
        "仓库的租约到2027年六月为止。",
        "文档我来写，下周三之前给 review。",
    ],
)
def test_what_is_told_beside_or_vaguely_is_no_event(text: str) -> None:
    """Side clauses, plans without a name, habits and remarks tell no event."""
    assert [] == found(text)


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("My cousins and I went to a convention last month.", "My cousins and I went to"),
        ("Some friends from church and I went camping last weekend.", "Some friends from church"),
        ("上个月我和同事参加了展会。", "我和同事参加了展会"),
    ],
)
def test_who_was_there_is_told_with_an_event(text: str, words: str) -> None:
    """Those who were there with the teller are not cut off."""
    (one,) = found(text)
    assert words in one.text


@pytest.mark.spec("C6")
def test_two_events_of_one_sentence_are_two() -> None:
    """Each clause with a time of its own tells an event of its own."""
    text = "上周五新版官网上线了，下周二下午三点开复盘会。"
    first, second = found(text)
    assert ("2026-02-27", "2026-03-10") == (first.value["date"], second.value["date"])
    assert "上周五新版官网上线了" == text[first.offset : first.offset + first.length]
    assert text[second.offset : second.offset + second.length].startswith("下周二")


@pytest.mark.spec("C6")
def test_what_goes_on_about_an_event_belongs_to_it() -> None:
    """A second clause without a time of its own is told with the first."""
    (one,) = found("上周三线上出了故障，订单服务挂了半小时。")
    assert "上周三线上出了故障，订单服务挂了半小时" == one.text


@pytest.mark.spec("C6", "M2")
def test_the_project_is_the_scope() -> None:
    """An event belongs to the project that its sentence names."""
    (one,) = found("We launched the beta of the Heron project yesterday.")
    assert "Heron" == one.value["scope"]


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "text",
    [
        "I had lunch at noon.",
        "I go running every Monday.",
        "The traffic was awful this morning.",
        "We haven't released v2 yet.",
        "Did we release v2 yesterday?",
        "If all goes well, the launch is on May 3.",
        "My colleague said the outage happened yesterday.",
        "I need to renew my passport before March 20.",
        "Apple released a new phone yesterday.",
        "The stock market crashed yesterday.",
        "I might fly to Tokyo in May.",
        "Our fiscal year starts in July.",
        "I have a meeting in five minutes, brb.",
        "My train was delayed this morning, ugh.",
        "我中午吃了面。",
        "每周三开例会。",
        "昨天下雨了。",
        "版本还没上线。",
        "昨天上线了吗？",
        "如果周五上线，人手不够。",
        "听说他们下周要发布新版本。",
        "苹果昨天发布了新手机。",
        "今天又开了一天会，累死了。",
        "昨天的会议纪要帮我整理一下。",
        "我今天学会了包饺子。",
    ],
)
def test_habits_chores_and_small_talk_are_no_events(text: str) -> None:
    """What happens every day, did not happen, is asked, supposed or news is left alone."""
    assert [] == found(text)


@pytest.mark.spec("C1")
def test_an_assistant_tells_no_events() -> None:
    """What the assistant says has happened is not taken from its words."""
    assert [] == found("We released v2.1 yesterday.", Source.ASSISTANT)


_WORDS = st.sampled_from(
    [
        "we ",
        "released ",
        "v2 ",
        "yesterday",
        "on March 3",
        ", ",
        "。",
        "昨天",
        "上线了",
        "下周三",
        "开会",
        "？",
    ]
)


@pytest.mark.spec("C6", "M1")
@given(st.lists(_WORDS | st.text(max_size=4), max_size=25).map("".join))
def test_any_text_gives_valid_events(text: str) -> None:
    """Whatever is said, a candidate has a valid key and value and lies in the message."""
    for one in found(text):
        TYPE.complete(TYPE.key_of(one.value), one.value)
        assert 0 <= one.offset < one.offset + one.length <= len(text)
