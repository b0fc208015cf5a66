"""What is no time, what depends on the day, and texts in both languages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Final
from zoneinfo import ZoneInfo

import pytest

from smartbrain.text.times import find_times, last_occurrence, next_occurrence
from smartbrain.text.times_calendar import chinese_number

ZONE: Final = timezone(timedelta(hours=8))
NOW: Final = datetime(2025, 9, 10, 14, 30, tzinfo=ZONE)

NO_TIMES: Final = [
    *("", " ", "I may go", "This may be wrong", "this may work", "May I go?", "march on"),
    *("March on!", "he sat down", "Sat down he did", "the sun", "The Sun rises", "one second"),
    *("wed her", "mon ami", "Jan said hello", "mar the surface", "dec the counter", "may 5"),
    *("v2025.3", "1.2.3", "192.168.1.1", "2024.12.01", "port 8080", "2025 items"),
    *("the sum of 2025 items", "2025-13-01", "file_2025-03-05.log", "138-0013-8000", "24/7"),
    *("12/25", "ratio 1:2", "25:00", "12:75", "Q1: why", "an h1 tag", "H3 2025", "the 1990s"),
    *("3 days", "a minute", "1.5 hours ago", "twenty-one days", "in 3 steps", "at 3 places"),
    *("at 100%", "call me at 10", "good morning", "Good night", "Black Friday", "weekly report"),
    *("daily", "everyday life", "the next day", "the end of the story", "fall down", "13pm"),
    *("the last week of term", "in the end", "next to me", "last but not least", "spring water"),
    *("三天", "两个月", "十年", "两三天前", "三年级", "2025个", "二十一世纪", "1.5天前", "3.5点"),
    *("第3点", "一点都不", "有三点建议", "周杰伦", "月亮", "周期", "一周三次", "一个星期三次"),
    *("下午", "早上好", "花了一下午", "聪明天真", "以后天天", "然后天黑了", "最近的地铁站在哪"),
    *("2月30日", "8点75分", "每个人", "本来", "上班", "这个问题", "过去的事", "住过两天", "15号楼"),
    *("今日头条", "李国庆", "1000年历史", "大年初一", "夏天很热", "超过三天", "小时候", "几点"),
]

ON_OTHER_DAYS: Final = [
    # A Sunday is the last day of its week.
    ("2025-09-14T09:00", "周三", "2025-09-10", "2025-09-11"),
    ("2025-09-14T09:00", "下周一", "2025-09-15", "2025-09-16"),
    ("2025-09-14T09:00", "Monday", "2025-09-08", "2025-09-09"),
    ("2025-09-14T09:00", "last Sunday", "2025-09-07", "2025-09-08"),
    ("2025-09-14T09:00", "next Sunday", "2025-09-21", "2025-09-22"),
    ("2025-09-15T09:00", "last Sunday", "2025-09-14", "2025-09-15"),
    ("2025-09-15T09:00", "上周日", "2025-09-14", "2025-09-15"),
    ("2025-09-15T09:00", "last weekend", "2025-09-13", "2025-09-15"),
    # The nearest month is within half a year.
    ("2025-01-20T09:00", "December", "2024-12-01", "2025-01-01"),
    ("2025-01-20T09:00", "July", "2025-07-01", "2025-08-01"),
    ("2025-01-20T09:00", "八月", "2024-08-01", "2024-09-01"),
    ("2025-12-20T09:00", "一月五号", "2026-01-05", "2026-01-06"),
    ("2025-03-20T09:00", "last March", "2024-03-01", "2024-04-01"),
    ("2025-03-20T09:00", "next March", "2026-03-01", "2026-04-01"),
    ("2025-03-20T09:00", "this March", "2025-03-01", "2025-04-01"),
    # Months that are too short give their last day.
    ("2025-03-31T09:00", "上个月", "2025-02-01", "2025-03-01"),
    ("2025-03-31T09:00", "the past month", "2025-02-28T09:00", "2025-03-31T09:00"),
    ("2024-02-29T09:00", "过去一年", "2023-02-28T09:00", "2024-02-29T09:00"),
    ("2025-01-31T09:00", "every month", "2025-01-01", "2025-02-01"),
    ("2025-01-31T09:00", "每月31号早上8点", "2025-02-28T08:00", "2025-02-28T09:00"),
    ("2025-02-10T09:00", "月底", "2025-02-24", "2025-03-01"),
    ("2024-02-10T09:00", "月底", "2024-02-25", "2024-03-01"),
    # Across the new year.
    ("2025-01-01T00:00", "yesterday", "2024-12-31", "2025-01-01"),
    ("2025-01-01T00:00", "上个季度", "2024-10-01", "2025-01-01"),
    ("2025-01-15T09:00", "last winter", "2023-12-01", "2024-03-01"),
    ("2025-12-31T23:59", "in a minute", "2026-01-01", "2026-01-01T00:01"),
    ("2025-12-31T23:59", "明晚", "2026-01-01T18:00", "2026-01-02"),
    # What recurs is given by the next time that is not over.
    ("2025-09-10T07:00", "每天早上8点", "2025-09-10T08:00", "2025-09-10T09:00"),
    ("2025-09-10T08:59", "every day at 8am", "2025-09-10T08:00", "2025-09-10T09:00"),
    ("2025-09-10T09:00", "every day at 8am", "2025-09-11T08:00", "2025-09-11T09:00"),
    ("2025-09-11T09:00", "每周三", "2025-09-17", "2025-09-18"),
    ("2025-09-11T09:00", "every other Wednesday", "2025-09-24", "2025-09-25"),
]

MIXED: Final = [
    ("[明天 3pm] 开会, [next Friday下午3点] demo", ["2025-09-11 15", "2025-09-19 15"]),
    ("deadline是[下周五], see you [tomorrow]", ["2025-09-19 00", "2025-09-11 00"]),
    ("[Monday到周五]都在office", ["2025-09-08 00"]),
    ("[last week]我们讨论了[2025年Q3]的plan", ["2025-09-01 00", "2025-07-01 00"]),
    ("[昨天]\n[今天]", ["2025-09-09 00", "2025-09-10 00"]),
    ("[Monday 10am], [Tuesday 3pm].", ["2025-09-08 10", "2025-09-09 15"]),
    ("[yesterday]. Morning came", ["2025-09-09 00"]),
    ("😀[明天]👍", ["2025-09-11 00"]),
]


def moment(written: str) -> datetime:
    """Return a local time of the tests' zone."""
    return datetime.fromisoformat(written).replace(tzinfo=ZONE)


@pytest.mark.spec("C7")
@pytest.mark.parametrize("text", NO_TIMES)
def test_other_words_and_numbers_are_no_times(text: str) -> None:
    """Ordinary words, versions, codes, counts and days that do not exist name no time."""
    assert [] == [span.words for span in find_times(text, NOW)]


@pytest.mark.spec("C7")
@pytest.mark.parametrize(("now", "text", "start", "end"), ON_OTHER_DAYS)
def test_the_same_words_mean_another_time_on_another_day(
    now: str, text: str, start: str, end: str
) -> None:
    """Words are read on the day they were written, whatever week, month or year that is in."""
    [span] = find_times(text, moment(now))

    assert (moment(start), moment(end), text) == (span.start, span.end, span.words)


@pytest.mark.spec("C7")
@pytest.mark.parametrize(("marked", "starts"), MIXED)
def test_both_languages_are_read_in_one_text(marked: str, starts: list[str]) -> None:
    """A text may change its language, even within one expression."""
    spans = find_times(marked.replace("[", "").replace("]", ""), NOW)

    assert [part.split("]")[0] for part in marked.split("[")[1:]] == [one.words for one in spans]
    assert starts == [f"{one.start:%Y-%m-%d %H}" for one in spans]


@pytest.mark.spec("C7")
def test_a_day_is_one_of_the_place_it_was_spoken_at() -> None:
    """The same instant has another today in Shanghai than in New York."""
    instant = datetime(2025, 9, 10, 20, 0, tzinfo=UTC)

    [shanghai] = find_times("今天", instant.astimezone(ZONE))
    [new_york] = find_times("today", instant.astimezone(timezone(timedelta(hours=-4))))

    assert datetime(2025, 9, 10, 16, tzinfo=UTC) == shanghai.start
    assert datetime(2025, 9, 10, 4, tzinfo=UTC) == new_york.start


@pytest.mark.spec("C7")
def test_the_offset_of_now_holds_all_year() -> None:
    """A zone that changes its offset is read at the one it has now."""
    [span] = find_times("2025-12-25", datetime(2025, 7, 1, tzinfo=ZoneInfo("America/New_York")))

    assert timedelta(hours=-4) == span.start.utcoffset() == span.end.utcoffset()


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("now", "text"),
    [
        (datetime.min.replace(tzinfo=ZONE), "today, last week, 昨天, 十年前, last winter, 最近"),
        (datetime.min.replace(tzinfo=UTC), "yesterday, 去年, the week before last"),
        (datetime.max.replace(tzinfo=UTC), "tomorrow, 明年, in 9999 years, 每天早上8点, next week"),
        (NOW, "in 9999 years, 9999年后, in 99999 years, 9999-12-31, 8000 years from now"),
        (NOW, "0001-01-01T00:00+08:00, 0000-01-01"),
    ],
)
def test_what_no_calendar_has_is_passed_over(now: datetime, text: str) -> None:
    """Before the first year and after the last one there is nothing, and no error."""
    assert [] == [span.words for span in find_times(text, now)]


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("words", "number"),
    [
        *(("零", 0), ("两", 2), ("十", 10), ("十五", 15), ("二十三", 23), ("一百", 100)),
        *(("一百零五", 105), ("三百六十五", 365), ("一千零一", 1001), ("九千九百九十九", 9999)),
        *(("二〇二五", 2025), ("42", 42), ("两三", None), ("十百", None), ("", None)),
    ],
)
def test_chinese_numerals_are_numbers(words: str, number: int | None) -> None:
    """Numerals up to 9999 are read, years digit by digit; an estimate is no number."""
    assert number == chinese_number(words)


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("words", "last", "coming"),
    [
        ("周五", "2025-09-05", "2025-09-12"),
        ("Monday at 9", "2025-09-08", "2025-09-15"),
        ("三月", "2025-03-01", "2026-03-01"),
        ("the end of June", "2025-06-26", "2026-06-26"),
        ("11月20号", "2024-11-20", "2025-11-20"),
        ("Easter", "2025-04-18", "2026-04-03"),
        ("春节放假", "2025-01-29", "2026-02-17"),
        ("上周五", "2025-09-05", "2025-09-05"),
        ("next Friday", "2025-09-19", "2025-09-19"),
        ("2024年5月", "2024-05-01", "2024-05-01"),
        ("every Monday", "2025-09-15", "2025-09-15"),
        ("from Thursday to next Tuesday", "2025-09-11", "2025-09-11"),
    ],
)
def test_a_time_that_is_over_or_ahead_has_another_occurrence(
    words: str, last: str, coming: str
) -> None:
    """What is known to be over or ahead moves, unless its words say which one they mean."""
    [span] = find_times(words, NOW, asked=True)

    assert last == f"{last_occurrence(span, NOW).start:%Y-%m-%d}"
    assert coming == f"{next_occurrence(span, NOW).start:%Y-%m-%d}"
