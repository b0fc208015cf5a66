"""Times as people ask for them: holidays, quarters, parts of a year, before and until, a few."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from smartbrain.recall.cues import open_start, read_cues

ZONE = timezone(timedelta(hours=8))
NOW = datetime(2026, 11, 17, 10, 0, tzinfo=ZONE)  # a Tuesday

PLACED = [
    ("what happened last year in October?", "last year in October", "2025-10-01", "2025-11-01"),
    ("last year's October", "last year's October", "2025-10-01", "2025-11-01"),
    ("last year, in October", "last year, in October", "2025-10-01", "2025-11-01"),
    ("去年 10 月说了什么", "去年 10 月", "2025-10-01", "2025-11-01"),
    ("in Q3 last year", "Q3 last year", "2025-07-01", "2025-10-01"),
    ("the third quarter of 2025", "the third quarter of 2025", "2025-07-01", "2025-10-01"),
    ("second half of last year", "second half of last year", "2025-07-01", "2026-01-01"),
    ("last year in the summer", "last year in the summer", "2025-06-01", "2025-09-01"),
    ("the 5th of last month", "the 5th of last month", "2026-10-05", "2026-10-06"),
    ("last month on the 5th", "last month on the 5th", "2026-10-05", "2026-10-06"),
    ("last week on Tuesday", "last week on Tuesday", "2026-11-10", "2026-11-11"),
    ("上周 Friday 我们聊了什么", "上周 Friday", "2026-11-13", "2026-11-14"),
    ("last Christmas trip", "last Christmas", "2025-12-24", "2025-12-27"),
    ("what did I do over Christmas", "Christmas", "2025-12-24", "2025-12-27"),
    ("Christmas 2024", "Christmas 2024", "2024-12-24", "2024-12-27"),
    ("去年 Christmas", "去年 Christmas", "2025-12-24", "2025-12-27"),
    ("what did we eat at Easter", "Easter", "2026-04-03", "2026-04-07"),
    ("Easter 2025", "Easter 2025", "2025-04-18", "2025-04-22"),
    ("last Thanksgiving", "last Thanksgiving", "2025-11-27", "2025-12-01"),
    ("国庆期间去了哪", "国庆", "2026-10-01", "2026-10-08"),
    ("春节去了哪", "春节", "2026-02-17", "2026-02-24"),
    ("去年春节", "去年春节", "2025-01-29", "2025-02-05"),
    ("2024年春节", "2024年春节", "2024-02-10", "2024-02-17"),
    ("中秋吃了什么", "中秋", "2026-09-25", "2026-09-26"),
    ("端午节去了哪", "端午节", "2026-06-19", "2026-06-20"),
    ("清明我们去了哪", "清明", "2026-04-05", "2026-04-06"),
    ("暑假做了什么", "暑假", "2026-07-01", "2026-09-01"),
    ("Q3", "Q3", "2026-07-01", "2026-10-01"),
    ("Q3 那会儿", "Q3", "2026-07-01", "2026-10-01"),
    ("第三季度", "第三季度", "2026-07-01", "2026-10-01"),
    ("今年 Q2 的 OKR", "今年 Q2", "2026-04-01", "2026-07-01"),
    ("春天的时候", "春天", "2026-03-01", "2026-06-01"),
    ("over the summer", "the summer", "2026-06-01", "2026-09-01"),
    ("two summers ago", "two summers ago", "2025-06-01", "2025-09-01"),
    ("the summer before last", "the summer before last", "2025-06-01", "2025-09-01"),
    ("three Fridays ago", "three Fridays ago", "2026-10-30", "2026-10-31"),
    ("the weekend before last", "the weekend before last", "2026-11-07", "2026-11-09"),
    ("what did we do at the weekend", "the weekend", "2026-11-14", "2026-11-16"),
    ("the first week of October", "the first week of October", "2026-10-01", "2026-10-12"),
    ("十月第一周", "十月第一周", "2026-10-01", "2026-10-12"),
    ("the week before August 3, 2026", "August 3, 2026", "2026-07-27", "2026-08-04"),
    ("two weeks before August 11, 2026", "August 11, 2026", "2026-07-28", "2026-08-12"),
    ("on the Sunday before October 25, 2026", "October 25, 2026", "2026-10-18", "2026-10-26"),
    ("今年8月3日前一周", "今年8月3日", "2026-07-27", "2026-08-04"),
    ("what did I do on the 5th", "on the 5th", "2026-11-05", "2026-11-06"),
    ("what did you say on the 20th", "on the 20th", "2026-10-20", "2026-10-21"),
    ("20号说了什么", "20号", "2026-10-20", "2026-10-21"),
    ("月底发生了什么", "月底", "2026-10-27", "2026-11-01"),
    ("年底去了哪", "年底", "2025-12-01", "2026-01-01"),
    ("周五晚上吃了什么", "周五晚上", "2026-11-13T18", "2026-11-14"),
    ("23年", "23年", "2023-01-01", "2024-01-01"),
    ("a week ago today", "a week ago today", "2026-11-10", "2026-11-11"),
    ("a year and a half ago", "a year and a half ago", "2025-05-01", "2025-06-01"),
    ("the night before last", "the night before last", "2026-11-15T20", "2026-11-16"),
    ("前晚", "前晚", "2026-11-15T18", "2026-11-16"),
    ("earlier this year", "this year", "2026-01-01", "2026-11-17T10"),
    ("this month so far", "this month", "2026-11-01", "2026-11-17T10"),
    ("三月以来", "三月", "2026-03-01", "2026-11-17T10"),
    ("since March", "March", "2026-03-01", "2026-11-17T10"),
    ("刚才说的", "刚才", "2026-11-17T09", "2026-11-17T10"),
    ("what did I say just now", "just now", "2026-11-17T09", "2026-11-17T10"),
    ("a few days ago", "a few days ago", "2026-11-10", "2026-11-16"),
    ("几天前", "几天前", "2026-11-10", "2026-11-16"),
    ("几周前", "几周前", "2026-10-06", "2026-11-04"),
    ("前几天", "前几天", "2026-11-10T10", "2026-11-17T10"),
]


def moment(written: str) -> datetime:
    """Return a day, or an hour of it."""
    return datetime.fromisoformat(written).replace(tzinfo=ZONE)


@pytest.mark.spec("R2", "C7")
@pytest.mark.parametrize(("text", "words", "since", "until"), PLACED)
def test_a_time_that_is_asked_for_is_placed(text: str, words: str, since: str, until: str) -> None:
    """One stretch, with the words that say so."""
    (found,) = read_cues(text, now=NOW).times
    assert (words, moment(since), moment(until)) == (found.words, found.since, found.until)


@pytest.mark.spec("R2", "R14")
@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("before June", "2026-06-01"),
        ("六月之前", "2026-06-01"),
        ("what did I say before 2024", "2024-01-01"),
        ("2024年之前", "2024-01-01"),
        ("until last week", "2026-11-16"),
        ("到三月为止", "2026-04-01"),
    ],
)
def test_before_a_time_that_is_over_has_no_beginning(text: str, until: str) -> None:
    """All that was until then, and nothing to come."""
    cues = read_cues(text, now=NOW)
    (found,) = cues.times
    assert (True, moment(until), ()) == (open_start(found), found.until, cues.ahead)


@pytest.mark.spec("R2")
@pytest.mark.parametrize(
    "text", ["what are we doing for Christmas", "until Christmas", "春节 trip"]
)
def test_a_holiday_may_be_the_next_one(text: str) -> None:
    """Where nothing was done yet."""
    assert read_cues(text, now=NOW).ahead


@pytest.mark.spec("R2")
@pytest.mark.parametrize(
    "text",
    [
        *("fall in love", "spring boot config", "May said hi", "summer camp", "in her 30s"),
        *("五一广场在哪", "清明上河图是谁画的", "十一个人", "1号楼在哪", "五号电池", "那年夏天"),
        *("what do they love during Halloween?", "春节一般吃什么", "at the Spring Fling"),
        *("什么是一号风球", "海角七号的主题曲", "天正15年", "改革开放30年", "在哪个儿童节目里"),
        *("圣诞快乐", "Merry Christmas!", "finish it before Friday", "周五之前写完", "工作了23年"),
    ],
)
def test_other_words_are_no_time_of_the_past(text: str) -> None:
    """Names, verbs, wishes and what is still to be done."""
    assert () == read_cues(text, now=NOW).times


@pytest.mark.spec("R2")
@pytest.mark.parametrize("year", [1, 2, 1900, 2014, 2036, 9999])
def test_holidays_of_any_year_are_no_error(year: int) -> None:
    """Those that no table has are passed over."""
    text = (
        "春节 last Easter 去年中秋 国庆之前 a few years ago 刚才 on the 5th 月底了 until Christmas"
    )
    assert text == read_cues(text, now=datetime(year, 1, 1, tzinfo=UTC)).text
    assert text == read_cues(text, now=datetime(year, 12, 31, tzinfo=UTC)).text
