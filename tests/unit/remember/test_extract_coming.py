"""Dates that lie ahead are placed ahead, and an event that is moved has one date, the new one."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from smartbrain import SmartBrain
from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.find import find_stated
from smartbrain.remember.extract.said import read_said
from smartbrain.remember.extract.statements import find_statements

AT: Final = datetime(2026, 3, 11, 10, tzinfo=UTC)  # a Wednesday


def found(text: str) -> Candidate:
    """Return the one thing that a message of the user states."""
    (one,) = find_stated(read_said(text, source=Source.USER, speaker="user", at=AT))
    return one


@pytest.mark.spec("C6", "C7")
@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("I need to file taxes by January 15", "2027-01-15"),
        ("I have to renew the permit before 2 February", "2027-02-02"),
        ("I need to pay the rent by Monday", "2026-03-16"),
        ("我必须在1月15日之前把税报了", "2027-01-15"),
        ("待办：周一之前提交proposal", "2026-03-16"),
        ("I need to submit the form by March 5", None),
        ("I need to send the slides by January 15, 2026", None),
    ],
)
def test_a_deadline_is_the_next_such_day(text: str, due: str | None) -> None:
    """A date without a year that is long over is next year's; one just missed is none."""
    assert due == found(text).value.get("due")


@pytest.mark.spec("C6", "C7")
@pytest.mark.parametrize(
    ("text", "date", "title"),
    [
        ("The conference is on December 3.", "2026-12-03", "conference"),
        ("The launch was on December 3.", "2025-12-03", "launch"),
        ("The demo is on Monday.", "2026-03-16", "demo"),
        ("The demo was on Monday.", "2026-03-09", "demo"),
        ("We're getting married in January.", "2027-01-01", "getting married"),
        ("我们1月要结婚。", "2027-01-01", "结婚"),
        ("The design review has been moved to Monday.", "2026-03-16", "design review"),
        ("The release slipped to next Thursday.", "2026-03-19", "release"),
        ("会议又改到周五了。", "2026-03-13", "会议"),
        ("The kickoff was moved from Friday to next Monday.", "2026-03-16", "kickoff"),
        ("My dentist appointment got pushed to Tuesday.", "2026-03-17", "dentist appointment"),
        ("产品发布会定在1月20号。", "2027-01-20", "产品发布会"),
        ("和张经理的会从周五改到下周一了。", "2026-03-16", "和张经理的会"),
        ("和Bob的meeting推迟到周一。", "2026-03-16", "和Bob的meeting"),
    ],
)
def test_what_is_fixed_lies_ahead(text: str, date: str, title: str) -> None:
    """What is, or has been moved to, a day comes next; what was on it is over."""
    one = found(text)
    assert (date, title) == (one.value["date"], one.value["title"])


@pytest.mark.spec("C6", "C7")
@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("We had a meeting with Acme on Friday.", "2026-03-06"),
        ("The team shipped 2.1 on Thursday.", "2026-03-05"),
        ("We had an outage on June 5.", "2025-06-05"),
        ("We had an incident on March 2: the database was down.", "2026-03-02"),
        ("周五出了事故：缓存满了。", "2026-03-06"),
        ("6月5号出了一次事故。", "2025-06-05"),
        ("6月5日发布了新版本。", "2025-06-05"),
        ("我们 Friday 上线了新版本。", "2026-03-06"),
        ("周五和客户开会。", "2026-03-13"),
        ("We have a meeting with Acme on Friday.", "2026-03-13"),
        ("The release is on Thursday.", "2026-03-12"),
        ("We had an outage this Friday.", "2026-03-13"),
        ("2月3日主要数据库宕机了。", "2026-02-03"),
        ("We had the outage on February 3 and will write a postmortem.", "2026-02-03"),
        ("不过周五有面试。", "2026-03-13"),
        ("老板通知了周五开会。", "2026-03-13"),
        ("我和 Fred 周五开会。", "2026-03-13"),
        ("I have a United flight on Friday.", "2026-03-13"),
        ("Interview with Google confirmed for Friday.", "2026-03-13"),
        ("周五下午宕机了。", "2026-03-06"),
        ("We signed the deal on Friday.", "2026-03-06"),
    ],
)
def test_what_has_happened_is_over(text: str, date: str) -> None:
    """A day that could be either is the last one for what is told as done, in both languages."""
    said = read_said(text, source=Source.USER, speaker="user", at=AT)
    (event,) = [one for one in find_stated(said) if one.type == "events"]
    assert date == event.value["date"]


@pytest.mark.spec("C6", "C7")
@pytest.mark.parametrize(
    ("day", "text", "date"),
    [
        ("04", "I have a dentist appointment on Monday", "2026-03-09"),
        ("04", "I’m meeting Bob on Monday", "2026-03-09"),
        ("04", "There's a board meeting on Monday", "2026-03-09"),
        ("04", "My parents arrive on Monday", "2026-03-09"),
        ("06", "周一有个评审会议", "2026-03-09"),
        ("06", "周一上午评审会", "2026-03-09"),
        ("06", "周一晚上我去看牙", "2026-03-09"),
        ("07", "Meeting with Bob on Friday", "2026-03-13"),
        ("07", "周五和客户开会", "2026-03-13"),
        ("07", "周五和客户开会，资料准备好了", "2026-03-13"),
        ("04", "We had a meeting with Bob on Monday", "2026-03-02"),
        ("04", "We had a meeting with Bob’s team on Monday", "2026-03-02"),
        ("04", "Dinner with Ann on Monday, it was great", "2026-03-02"),
        ("04", "周一开了会", "2026-03-02"),
        ("04", "周一的评审会很顺利", "2026-03-02"),
        ("04", "周一开会，大家吵起来了", "2026-03-02"),
        ("04", "上周一开评审会", "2026-02-23"),
    ],
)
def test_an_appointment_is_on_the_next_such_weekday(day: str, text: str, date: str) -> None:
    """Unless something says that it is over, or which week is meant."""
    at = datetime.fromisoformat(f"2026-03-{day}T10:00:00+08:00")
    said = read_said(text, source=Source.USER, speaker="user", at=at)
    (event,) = [one for one in find_stated(said) if one.type == "events"]
    assert date == event.value["date"]


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Tom played soccer on Friday.", "2026-03-06"),
        ("Tom plays soccer on Friday.", "2026-03-13"),
        ("小明周五在公园里踢了足球。", "2026-03-06"),
        ("小明周五在公园里踢足球。", "2026-03-13"),
    ],
)
def test_statements_of_what_has_happened_are_over(text: str, date: str) -> None:
    """The time of a statement in the graph is placed the same way."""
    said = read_said(text, source=Source.USER, speaker="user", at=AT)
    (one,) = find_statements(said)
    assert one.time is not None
    assert date == one.time.start.date().isoformat()


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("first", "then", "dates"),
    [
        ("下周一和张经理开会", "和张经理的会改到下周三了", ["2026-03-18"]),
        (
            "I have a meeting with Bob next Monday",
            "the meeting with Bob has been moved to next Wednesday",
            ["2026-03-18"],
        ),
        ("和Bob的meeting定在下周一", "和Bob的meeting改到下周三了", ["2026-03-18"]),
        (
            "We had a meeting with Bob on March 2",
            "the meeting with Bob was moved to next Friday",
            ["2026-03-02", "2026-03-20"],
        ),
        ("Meeting with Jake on Thursday at 3pm", "The meeting slipped to Friday", ["2026-03-13"]),
        ("Meeting with Jake on Thursday", "We pushed the meeting to Friday", ["2026-03-13"]),
        ("Meeting with Jake next Thursday", "Thursday's meeting moved to Friday", ["2026-03-20"]),
        ("Meeting with Jake next Thursday", "The meeting was moved to Tuesday", ["2026-03-17"]),
        ("Meeting with Jake next Thursday", "It got late. Postponed to Tuesday", ["2026-03-19"]),
        (
            "Meeting with Jake next Thursday",
            "The meeting has been postponed to Tuesday",
            ["2026-03-24"],
        ),
        ("下周三下午3点和王总开会", "会议改到周四了", ["2026-03-19"]),
        ("下周三下午3点和王总开会", "和王总的会改到周四了", ["2026-03-19"]),
        ("下周三下午3点和王总开会", "周三的会改到周五", ["2026-03-20"]),
        ("下周三下午3点和王总开会", "会推迟到下周五", ["2026-03-20"]),
        ("周五和王总开会", "会议改到周一了", ["2026-03-16"]),
        ("下周三下午3点和王总开会", "会议取消了", []),
        ("下周三下午3点和王总开会", "会取消了", []),
        ("下周三下午3点和王总开会", "跟王总的会不开了", []),
        ("下周三下午3点和王总开会", "周五的会取消了", ["2026-03-18"]),
        ("下周三和王总开会。下周五和李总开会", "会议取消了", ["2026-03-18", "2026-03-20"]),
        ("下周三和王总开会。下周五和李总开会", "周五的会取消了", ["2026-03-18"]),
        ("The design review is on Friday", "Friday's meeting is cancelled", []),
        ("The design review is on Friday", "Monday's meeting is cancelled", ["2026-03-13"]),
        ("Lunch with Ann is on Friday", "Friday's meeting is cancelled", ["2026-03-13"]),
    ],
)
def test_an_event_that_is_moved_has_one_date(
    first: str, then: str, dates: list[str], tmp_path: Path
) -> None:
    """The date before is taken back; an event that is over is not moved."""
    with SmartBrain.open(tmp_path, clock=lambda: AT) as brain:
        for minutes, text in enumerate((first, then)):
            at = (AT + timedelta(minutes=minutes)).isoformat()
            brain.commit_turn("s", {"messages": [{"role": "user", "content": text}], "at": at})
        events = brain.memories.list(type="events").items
        assert dates == sorted(one.value["date"] for one in events)


@pytest.mark.spec("C4", "M1")
@pytest.mark.parametrize(
    ("text", "impact"),
    [
        ("发布推迟到下周四", "release"),
        ("上线延期到下周四了", "release"),
        ("The release got pushed to next Thursday", "release"),
        ("发布会推迟到下周四", "meeting"),
        ("评审推迟到下周四", "meeting"),
    ],
)
def test_what_is_moved_is_of_its_own_kind(text: str, impact: str) -> None:
    """A release that is put off is a release still."""
    assert impact == found(text).value["impact"]
