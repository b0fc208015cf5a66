"""The stretches of time that a message speaks of, past and ahead, and those it only seems to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from smartbrain.domain.recall import CueTime
from smartbrain.recall.cues import read_cues

ZONE = timezone(timedelta(hours=8))
NOW = datetime(2026, 3, 18, 10, 0, tzinfo=ZONE)  # a Wednesday


def day(year: int, month: int, number: int) -> datetime:
    """Return the beginning of a day."""
    return datetime(year, month, number, tzinfo=ZONE)


@pytest.mark.spec("R2", "R14")
@pytest.mark.parametrize(
    ("text", "words", "since", "until"),
    [
        ("上周我们聊了什么", "上周", day(2026, 3, 9), day(2026, 3, 16)),
        ("what did we do last week?", "last week", day(2026, 3, 9), day(2026, 3, 16)),
        ("昨天的会议", "昨天", day(2026, 3, 17), day(2026, 3, 18)),
        ("What happened in January?", "January", day(2026, 1, 1), day(2026, 2, 1)),
        ("in December we met", "December", day(2025, 12, 1), day(2026, 1, 1)),
        ("What did I do in July?", "July", day(2025, 7, 1), day(2025, 8, 1)),
        ("七月我们去了哪里", "七月", day(2025, 7, 1), day(2025, 8, 1)),
        ("2024年5月的账单", "2024年5月", day(2024, 5, 1), day(2024, 6, 1)),
        ("today", "today", day(2026, 3, 18), day(2026, 3, 19)),
        ("What did we decide on Friday?", "Friday", day(2026, 3, 13), day(2026, 3, 14)),
        ("周五我们说了什么", "周五", day(2026, 3, 13), day(2026, 3, 14)),
        ("what changed since January", "January", day(2026, 1, 1), NOW),
        ("1月以来的变化", "1月", day(2026, 1, 1), NOW),
        ("anything after January?", "January", day(2026, 2, 1), NOW),
    ],
)
def test_past_times_narrow_a_search(
    text: str, words: str, since: datetime, until: datetime
) -> None:
    """A past time is a stretch; a month or weekday that is yet to come means its last one."""
    assert (CueTime(words=words, since=since, until=until),) == read_cues(text, now=NOW).times


@pytest.mark.spec("R2", "R14")
@pytest.mark.parametrize(
    "text",
    [
        "明天要做什么",
        "What is on tomorrow?",
        "每周五开会吗",
        "every Monday we run",
        "what's planned for July?",
        "我计划七月去日本",
        "next month",
        "What do I have on Friday?",
        "finish it before March",
        "3月之前写完",
        "this December",
    ],
)
def test_what_is_to_come_or_recurs_narrows_nothing(text: str) -> None:
    """A memory of a plan or a habit was made at another time than it is about."""
    assert () == read_cues(text, now=NOW).times


@pytest.mark.spec("R2")
@pytest.mark.parametrize(
    ("text", "words", "since", "until"),
    [
        ("明天有什么安排？", "明天", day(2026, 3, 19), day(2026, 3, 20)),
        ("What do I have planned for tomorrow?", "tomorrow", day(2026, 3, 19), day(2026, 3, 20)),
        ("下周有什么事", "下周", day(2026, 3, 23), day(2026, 3, 30)),
        ("what's planned for July?", "July", day(2026, 7, 1), day(2026, 8, 1)),
        ("What do I have on Friday?", "Friday", day(2026, 3, 20), day(2026, 3, 21)),
        ("周一我有什么安排", "周一", day(2026, 3, 23), day(2026, 3, 24)),
        ("What's happening this week?", "this week", day(2026, 3, 18), day(2026, 3, 23)),
        ("今天要做什么", "今天", day(2026, 3, 18), day(2026, 3, 19)),
        ("what was planned for today?", "today", day(2026, 3, 18), day(2026, 3, 19)),
        ("What is due before Friday?", "Friday", day(2026, 3, 18), day(2026, 3, 21)),
        ("周五之前要交什么", "周五", day(2026, 3, 18), day(2026, 3, 21)),
        ("my upcoming appointments", "upcoming", NOW, NOW + timedelta(days=14)),
        ("接下来有什么安排", "接下来", NOW, NOW + timedelta(days=14)),
        ("最近有什么计划", "最近", NOW, NOW + timedelta(days=14)),
    ],
)
def test_what_is_not_over_lies_ahead(
    text: str, words: str, since: datetime, until: datetime
) -> None:
    """From the day of the message on; a weekday that is over means that of the next week."""
    assert (CueTime(words=words, since=since, until=until),) == read_cues(text, now=NOW).ahead


@pytest.mark.spec("R2")
@pytest.mark.parametrize(
    "text",
    [
        "上周我们聊了什么",
        "what did we do this week?",
        "今天我们说了什么",
        "What happened in July?",
        "每周五开会吗",
        "what changed since Monday",
        "最近在忙什么",
        "What have I done recently?",
        "What did we decide on Monday?",
    ],
)
def test_what_was_does_not_lie_ahead(text: str) -> None:
    """Neither does what recurs, nor what a message tells as done."""
    assert () == read_cues(text, now=NOW).ahead


@pytest.mark.spec("R2", "R14")
@pytest.mark.parametrize(
    "text", ["最近在忙什么", "近期的进展", "What have I done recently?", "lately", "recent changes"]
)
def test_recently_means_two_weeks(text: str) -> None:
    """最近, recently and their like are recent, and mean the last fourteen days."""
    cues = read_cues(text, now=NOW)
    spans = [(one.since, one.until) for one in cues.times]
    assert (True, [(NOW - timedelta(days=14), NOW)]) == (cues.recent, spans)


@pytest.mark.spec("R2", "R14")
@pytest.mark.parametrize(
    "text",
    [
        "我最近一次体检是什么时候",
        "最新的版本",
        "my most recent trip",
        "what did I read most recently",
        "the latest plan",
    ],
)
def test_the_newest_may_be_old(text: str) -> None:
    """Asking for the newest of something is recent, but sets no limit in time."""
    cues = read_cues(text, now=NOW)
    assert (True, ()) == (cues.recent, cues.times)


@pytest.mark.spec("R2")
@pytest.mark.parametrize(
    "text",
    ["最近的地铁站在哪", "in recent years", "a case of late onset", "我的生日", "my birthday"],
)
def test_other_words_are_not_recent(text: str) -> None:
    """The nearest station and a span of years do not ask for the last days."""
    assert not read_cues(text, now=NOW).recent


@pytest.mark.spec("R2")
def test_last_three_days_keep_their_own_length() -> None:
    """最近三天 says how long it is."""
    (found,) = read_cues("最近三天的错误", now=NOW).times
    assert found.until - found.since <= timedelta(days=4)


@pytest.mark.spec("R2")
@pytest.mark.parametrize("now", [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)])
def test_the_ends_of_the_calendar_are_no_error(now: datetime) -> None:
    """At the first and the last day that there is, cues are still read."""
    text = "最近 recently last week 上周 in July 七月 Monday 周一 upcoming 明年 plan"
    assert text == read_cues(text, now=now).text


@pytest.mark.spec("R2")
def test_a_leap_day_moves_to_a_day_that_exists() -> None:
    """The 29th of February a year ago is the 28th."""
    now = datetime(2028, 2, 1, tzinfo=UTC)
    (found,) = read_cues("what did we do on February 29", now=now).times
    assert datetime(2027, 2, 28, tzinfo=UTC) == found.since
