"""English time expressions, as they are meant on Wednesday, 10 September 2025, half past two.

In: sentences with the expected words in brackets. Out: where these lie on the calendar.
"""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Final

import pytest

from smartbrain.text.times import find_times

ZONE: Final = timezone(timedelta(hours=8))
NOW: Final = datetime(2025, 9, 10, 14, 30, tzinfo=ZONE)
CASES: Final = [
    ("I am tired [today]", "2025-09-10", "2025-09-11", "day point"),
    ("We met [yesterday].", "2025-09-09", "2025-09-10", "day point"),
    ("See you [tomorrow]!", "2025-09-11", "2025-09-12", "day point"),
    ("Dinner [tonight]?", "2025-09-10 18:00", "2025-09-11", "part_of_day point"),
    ("I ran [this morning]", "2025-09-10 06:00", "2025-09-10 12:00", "part_of_day point"),
    ("busy [this afternoon]", "2025-09-10 12:00", "2025-09-10 18:00", "part_of_day point"),
    ("free [this evening]", "2025-09-10 18:00", "2025-09-11", "part_of_day point"),
    ("I slept badly [last night]", "2025-09-09 20:00", "2025-09-10", "part_of_day point"),
    ("[the day before yesterday]", "2025-09-08", "2025-09-09", "day point"),
    ("[the day after tomorrow]", "2025-09-12", "2025-09-13", "day point"),
    ("Call me at [3pm].", "2025-09-10 15:00", "2025-09-10 16:00", "hour point"),
    ("at [3:30 p.m.] sharp", "2025-09-10 15:30", "2025-09-10 15:31", "minute point"),
    ("Meet at [15:30]", "2025-09-10 15:30", "2025-09-10 15:31", "minute point"),
    ("lunch at [noon]", "2025-09-10 12:00", "2025-09-10 13:00", "hour point"),
    ("by [midnight]", "2025-09-11", "2025-09-11 01:00", "hour point"),
    ("[3 o'clock]", "2025-09-10 15:00", "2025-09-10 16:00", "hour point"),
    ("[tomorrow at 3]", "2025-09-11 15:00", "2025-09-11 16:00", "hour point"),
    ("[Friday 10am]", "2025-09-12 10:00", "2025-09-12 11:00", "hour point"),
    ("[3 p.m. on Friday]", "2025-09-12 15:00", "2025-09-12 16:00", "hour point"),
    ("[at 3 in the afternoon tomorrow]", "2025-09-11 15:00", "2025-09-11 16:00", "hour point"),
    ("[tomorrow morning at 7:15]", "2025-09-11 07:15", "2025-09-11 07:16", "minute point"),
    ("[Friday night]", "2025-09-12 20:00", "2025-09-13", "part_of_day point"),
    ("[last night at 2]", "2025-09-10 02:00", "2025-09-10 03:00", "hour point"),
    ("[12am]", "2025-09-10", "2025-09-10 01:00", "hour point"),
    ("[12:30pm]", "2025-09-10 12:30", "2025-09-10 12:31", "minute point"),
    ("see you [Monday].", "2025-09-08", "2025-09-09", "day point"),
    ("on [Tue]", "2025-09-09", "2025-09-10", "day point"),
    ("on [Sun]", "2025-09-14", "2025-09-15", "day point"),
    ("[Sat 10am]", "2025-09-13 10:00", "2025-09-13 11:00", "hour point"),
    ("[last Tuesday]", "2025-09-09", "2025-09-10", "day point"),
    ("[last Wednesday]", "2025-09-03", "2025-09-04", "day point"),
    ("[next Friday]", "2025-09-19", "2025-09-20", "day point"),
    ("[this Thursday]", "2025-09-11", "2025-09-12", "day point"),
    ("on [Wednesday]", "2025-09-10", "2025-09-11", "day point"),
    ("[Monday next week]", "2025-09-15", "2025-09-16", "day point"),
    ("[last week Monday]", "2025-09-01", "2025-09-02", "day point"),
    ("[last week]", "2025-09-01", "2025-09-08", "week point"),
    ("[this month]", "2025-09-01", "2025-10-01", "month point"),
    ("[next quarter]", "2025-10-01", "2026-01-01", "quarter point"),
    ("[next year]", "2026-01-01", "2027-01-01", "year point"),
    ("[the week before last]", "2025-08-25", "2025-09-01", "week point"),
    ("[the month after next]", "2025-11-01", "2025-12-01", "month point"),
    ("[last weekend]", "2025-09-06", "2025-09-08", "day point"),
    ("[this weekend]", "2025-09-13", "2025-09-15", "day point"),
    ("[early March]", "2025-03-01", "2025-03-11", "week point"),
    ("[mid-March]", "2025-03-11", "2025-03-21", "week point"),
    ("[late March]", "2025-03-21", "2025-04-01", "week point"),
    ("[end of next month]", "2025-10-27", "2025-11-01", "week point"),
    ("by [the end of the year]", "2025-12-01", "2026-01-01", "month point"),
    ("[the beginning of 2026]", "2026-01-01", "2026-02-01", "month point"),
    ("[the end of the week]", "2025-09-12", "2025-09-15", "day point"),
    ("[early next week]", "2025-09-15", "2025-09-17", "day point"),
    ("[mid-2024]", "2024-05-01", "2024-09-01", "quarter point"),
    ("[late last year]", "2024-09-01", "2025-01-01", "quarter point"),
    ("[end of Q3 2024]", "2024-09-01", "2024-10-01", "month point"),
    ("[three days ago]", "2025-09-07", "2025-09-08", "day point"),
    ("[3 days ago]", "2025-09-07", "2025-09-08", "day point"),
    ("[a week ago]", "2025-09-01", "2025-09-08", "week point"),
    ("[a couple of weeks ago]", "2025-08-25", "2025-09-01", "week point"),
    ("[a few months ago]", "2025-06-01", "2025-07-01", "month point"),
    ("[in two weeks]", "2025-09-22", "2025-09-29", "week point"),
    ("[in an hour]", "2025-09-10 15:00", "2025-09-10 16:00", "hour point"),
    ("[two weeks from now]", "2025-09-22", "2025-09-29", "week point"),
    ("[within 3 days]", "2025-09-10 14:30", "2025-09-13 14:30", "day range"),
    ("[half an hour ago]", "2025-09-10 14:00", "2025-09-10 14:01", "minute point"),
    ("[half a year ago]", "2025-03-01", "2025-04-01", "month point"),
    ("[ten years ago]", "2015-01-01", "2016-01-01", "year point"),
    ("I was ill [recently]", "2025-09-03 14:30", "2025-09-10 14:30", "day range"),
    ("[Lately] it rains", "2025-09-03 14:30", "2025-09-10 14:30", "day range"),
    ("in [the past week]", "2025-09-03 14:30", "2025-09-10 14:30", "week range"),
    ("over [the last 3 months]", "2025-06-10 14:30", "2025-09-10 14:30", "month range"),
    ("[the last few days]", "2025-09-07 14:30", "2025-09-10 14:30", "day range"),
    ("[the next two weeks]", "2025-09-10 14:30", "2025-09-24 14:30", "week range"),
    ("[last 24 hours]", "2025-09-09 14:30", "2025-09-10 14:30", "hour range"),
    ("[March 5]", "2025-03-05", "2025-03-06", "day point"),
    ("[March 5th 2025]", "2025-03-05", "2025-03-06", "day point"),
    ("[March 5, 2025]", "2025-03-05", "2025-03-06", "day point"),
    ("[5 March 2025]", "2025-03-05", "2025-03-06", "day point"),
    ("[the 5th of March]", "2025-03-05", "2025-03-06", "day point"),
    ("[Mar 5]", "2025-03-05", "2025-03-06", "day point"),
    ("[Sept. 5]", "2025-09-05", "2025-09-06", "day point"),
    ("[5 May, 3pm]", "2025-05-05 15:00", "2025-05-05 16:00", "hour point"),
    ("[2025-03-05]", "2025-03-05", "2025-03-06", "day point"),
    ("[2025/3/5]", "2025-03-05", "2025-03-06", "day point"),
    ("[3/5/2025]", "2025-03-05", "2025-03-06", "day point"),
    ("[25/12/2024]", "2024-12-25", "2024-12-26", "day point"),
    ("[2025-03-05 15:30]", "2025-03-05 15:30", "2025-03-05 15:31", "minute point"),
    ("[2025-03-05T15:30:00Z]", "2025-03-05 23:30", "2025-03-05 23:31", "minute point"),
    ("[2025-03-05T15:30:00.123+02:00]", "2025-03-05 21:30", "2025-03-05 21:31", "minute point"),
    ("[March 2025]", "2025-03-01", "2025-04-01", "month point"),
    ("in [March]", "2025-03-01", "2025-04-01", "month point"),
    ("in [may]", "2025-05-01", "2025-06-01", "month point"),
    ("In [2025], we", "2025-01-01", "2026-01-01", "year point"),
    ("I was born in [1990].", "1990-01-01", "1991-01-01", "year point"),
    ("[Q3 2025]", "2025-07-01", "2025-10-01", "quarter point"),
    ("[2025 Q3]", "2025-07-01", "2025-10-01", "quarter point"),
    ("by [Q4]", "2025-10-01", "2026-01-01", "quarter point"),
    ("[H1 2025]", "2025-01-01", "2025-07-01", "quarter point"),
    ("[the summer of 2024]", "2024-06-01", "2024-09-01", "quarter point"),
    ("[the winter of 2024]", "2024-12-01", "2025-03-01", "quarter point"),
    ("[last summer]", "2025-06-01", "2025-09-01", "quarter point"),
    ("[last March]", "2025-03-01", "2025-04-01", "month point"),
    ("[next March]", "2026-03-01", "2026-04-01", "month point"),
    ("[October]", "2025-10-01", "2025-11-01", "month point"),
    ("[every day]", "2025-09-10", "2025-09-11", "day recurring"),
    ("[every Monday]", "2025-09-15", "2025-09-16", "day recurring"),
    ("[every Monday at 9am]", "2025-09-15 09:00", "2025-09-15 10:00", "hour recurring"),
    ("[every other Friday]", "2025-09-12", "2025-09-13", "day recurring"),
    ("[every weekend]", "2025-09-13", "2025-09-15", "day recurring"),
    ("on [Mondays]", "2025-09-15", "2025-09-16", "day recurring"),
    ("[from March 1 to March 5]", "2025-03-01", "2025-03-06", "day range"),
    ("[between 3 and 5 March]", "2025-03-03", "2025-03-06", "day range"),
    ("[March 1-5]", "2025-03-01", "2025-03-06", "day range"),
    ("[Monday to Friday]", "2025-09-08", "2025-09-13", "day range"),
    ("[Mon-Fri]", "2025-09-08", "2025-09-13", "day range"),
    ("[between March and May]", "2025-03-01", "2025-06-01", "month range"),
    ("[from March to May 2024]", "2024-03-01", "2024-06-01", "month range"),
    ("[Dec 28 to Jan 3]", "2025-12-28", "2026-01-04", "day range"),
    ("[9:00-17:00]", "2025-09-10 09:00", "2025-09-10 17:00", "minute range"),
    ("[3-5pm]", "2025-09-10 15:00", "2025-09-10 17:00", "hour range"),
    ("[11-1pm]", "2025-09-10 11:00", "2025-09-10 13:00", "hour range"),
    ("[3pm to 5pm tomorrow]", "2025-09-11 15:00", "2025-09-11 17:00", "hour range"),
    ("[between 2019 and 2021]", "2019-01-01", "2022-01-01", "year range"),
    ("[Wednesday, March 5 at 10:30]", "2025-03-05 10:30", "2025-03-05 10:31", "minute point"),
    ("the [morning of March 5]", "2025-03-05 06:00", "2025-03-05 12:00", "part_of_day point"),
]


@pytest.mark.spec("C7")
@pytest.mark.parametrize(("marked", "start", "end", "kind"), CASES)
def test_english_words_are_placed_on_the_calendar(
    marked: str, start: str, end: str, kind: str
) -> None:
    """Each sentence speaks of one time: the words in brackets, read on the day it was written."""
    before, _, rest = marked.partition("[")
    words, _, after = rest.partition("]")

    [span] = find_times(before + words + after, NOW)

    assert (words, len(before)) == (span.words, span.offset)
    assert (start, end) == (shown(span.start), shown(span.end))
    assert kind == f"{span.granularity} {span.kind}"
    assert span.start.utcoffset() == span.end.utcoffset() == NOW.utcoffset()


def shown(time: datetime) -> str:
    """Write a time as the table has it: midnight by its date alone."""
    return f"{time:%Y-%m-%d %H:%M}".removesuffix(" 00:00")
