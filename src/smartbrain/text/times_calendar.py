"""The calendar that time expressions are read on: periods, steps, parts of periods and of days.

In: aware datetimes at one fixed UTC offset. Out: periods at that offset. A time that no calendar
has raises ValueError or OverflowError, for the caller to pass over. No words are known here: those
are in the modules of the languages, which turn them into `Piece`s by their `Rule`s.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from smartbrain.domain.time import Granularity, TimeKind

NUMERALS: Final = "零〇一二两三四五六七八九十百千"
"""The characters that numbers below 10,000 are written in."""

_DIGITS: Final = {"〇": 0, "两": 2} | dict(zip("零一二三四五六七八九", range(10), strict=True))
_SCALES: Final = {"十": 10, "百": 100, "千": 1000}


def chinese_number(words: str) -> int | None:
    """Return the number that Chinese numerals or ASCII digits below 10,000 write, if they do."""
    if words.isdecimal():
        return int(words)
    if all(sign in _DIGITS for sign in words):
        # Digits in a row are read one by one, as in 二〇二五; 两三 is an estimate, no number.
        read = "".join(str(_DIGITS[sign]) for sign in words)
        return int(read) if len(read) in (1, 4) else None
    total, digit, scale_before = 0, None, 10_000
    for sign in words:
        if sign in _DIGITS:
            if digit:
                return None
            digit = _DIGITS[sign]
            continue
        scale = _SCALES[sign]
        if scale >= scale_before:
            return None
        total += scale * (digit if digit is not None else 1)
        digit, scale_before = None, scale
    return total + (digit or 0)


MINUTE: Final = Granularity.MINUTE
HOUR: Final = Granularity.HOUR
DAY: Final = Granularity.DAY
WEEK: Final = Granularity.WEEK
MONTH: Final = Granularity.MONTH
QUARTER: Final = Granularity.QUARTER
YEAR: Final = Granularity.YEAR


class Step(NamedTuple):
    """How far to go on the calendar: months first, then the rest."""

    months: int = 0
    rest: timedelta = timedelta()


STEPS: Final = {
    MINUTE: Step(rest=timedelta(minutes=1)),
    HOUR: Step(rest=timedelta(hours=1)),
    DAY: Step(rest=timedelta(days=1)),
    WEEK: Step(rest=timedelta(weeks=1)),
    MONTH: Step(months=1),
    QUARTER: Step(months=3),
    YEAR: Step(months=12),
}
"""One of each unit."""

_FINER: Final = {
    MINUTE: MINUTE,
    HOUR: MINUTE,
    DAY: HOUR,
    WEEK: DAY,
    MONTH: DAY,
    QUARTER: MONTH,
    YEAR: MONTH,
}
_HALF_MONTH: Final = timedelta(days=15)
_MONTH_END_DAYS: Final = timedelta(days=5)
_THIRDS: Final = {
    WEEK: (Step(rest=timedelta(days=2)), DAY),
    MONTH: (Step(rest=timedelta(days=10)), WEEK),
    QUARTER: (STEPS[MONTH], MONTH),
    YEAR: (Step(months=4), QUARTER),
}
_AFTERNOON_HOURS: Final = range(1, 6)
_NOON, _EVENING, _MIDNIGHT = 12, 18, 24


class Period(NamedTuple):
    """A stretch of the calendar, how precise its expression was, and how it comes again."""

    start: datetime
    end: datetime
    granularity: Granularity
    kind: TimeKind = TimeKind.POINT
    every: Step | None = None


class Amount(NamedTuple):
    """So many halves of a unit."""

    halves: int
    unit: Granularity


class Part(NamedTuple):
    """A part of a day, from one full hour to another."""

    start: int
    end: int


class Clock(NamedTuple):
    """A time of day; `loose` when it does not say which half of the day it is in."""

    hour: int
    minute: int | None = None
    loose: bool = False
    until: tuple[int, int] | None = None


Reader = Callable[[datetime], Period]
"""Reads a date as it is meant at a moment."""


class Piece(NamedTuple):
    """What a few words say about a date, a part of the day, a time of day, or all of them.

    A weak piece means a time only beside another one; if `asked`, also alone in a question. `bare`
    is how far apart its occurrences are when the words do not say which one they mean.
    """

    date: Reader | None = None
    part: Part | None = None
    clock: Clock | None = None
    weak: bool = False
    bare: Step | None = None
    asked: bool = False


class Rule(NamedTuple):
    """Words that may be a time, by the first of them, and what they mean."""

    starts: tuple[str, ...]
    pattern: re.Pattern[str]
    read: Callable[[re.Match[str]], Piece | None]


NOON: Final = Part(12, 13)
SMALL_HOURS: Final = Part(0, 6)


def add_step(time: datetime, step: Step, times: int = 1) -> datetime:
    """Return the time so many steps away; a day that its month lacks becomes the last one."""
    if not step.months:
        return time + step.rest * times
    year, month = divmod(time.year * 12 + time.month - 1 + step.months * times, 12)
    day = min(time.day, monthrange(year, month + 1)[1])
    return time.replace(year=year, month=month + 1, day=day) + step.rest * times


def unit_period(unit: Granularity, time: datetime, away: int = 0) -> Period:
    """Return the calendar minute to calendar year that holds `time`, or one so many away."""
    start = _floor(unit, add_step(time, STEPS[unit], away))
    return Period(start, add_step(start, STEPS[unit]), unit)


def _floor(unit: Granularity, time: datetime) -> datetime:
    time = time.replace(second=0, microsecond=0)
    if unit is MINUTE:
        return time
    time = time.replace(minute=0)
    if unit is HOUR:
        return time
    time = time.replace(hour=0)
    if unit is DAY:
        return time
    if unit is WEEK:
        return time - timedelta(days=time.weekday())
    time = time.replace(day=1)
    if unit is MONTH:
        return time
    return time.replace(month=time.month - (time.month - 1) % (3 if unit is QUARTER else 12))


def distant(amount: Amount, time: datetime, sign: int) -> Period:
    """Return the unit so far after (1) or before (-1) a time; a half makes it a finer one."""
    unit = _FINER[amount.unit] if amount.halves % 2 else amount.unit
    return unit_period(unit, add_step(time, _length(amount), sign))


def stretch(amount: Amount, time: datetime, sign: int) -> Period:
    """Return the stretch of that length that begins (1) or ends (-1) at a time."""
    start, end = sorted((time, add_step(time, _length(amount), sign)))
    return Period(start, end, amount.unit, TimeKind.RANGE)


def _length(amount: Amount) -> Step:
    one = STEPS[amount.unit]
    if amount.unit is MONTH:
        return Step(amount.halves // 2, _HALF_MONTH * (amount.halves % 2))
    return Step(one.months * amount.halves // 2, one.rest * amount.halves / 2)


def recent(time: datetime) -> Period:
    """Return what "recently" means: the seven days before a time."""
    return stretch(Amount(14, DAY), time, -1)


def last_hour(time: datetime) -> Period:
    """Return what "just now" means."""
    return Period(time - timedelta(hours=1), time, DAY)


def day_of_week(time: datetime, weekday: int, weeks: int = 0, days: int = 1) -> Period:
    """Return a weekday, 0 for Monday, and the days after it, in the week so many away."""
    start = unit_period(WEEK, time, weeks).start + timedelta(days=weekday)
    return Period(start, start + timedelta(days=days), DAY)


def last_weekday(time: datetime, weekday: int, away: int = -1) -> Period:
    """Return the latest such weekday before the day of `time` (-1), or one before that."""
    return unit_period(DAY, time, 7 * (away + 1) - ((time.weekday() - weekday - 1) % 7 + 1))


def month_of(time: datetime, month: int, year: int | None = None) -> Period:
    """Return a month; without a year the one nearest to `time`, at six months that of its year."""
    if year is None:
        away = month - time.month
        year = time.year - (away > 6) + (away < -6)
    return unit_period(MONTH, time.replace(year=year, month=month, day=1))


def days_of(month: Period, first: int, last: int | None = None) -> Period:
    """Return a day of a month, or the days from one to another."""
    start = month.start.replace(day=first)
    if last is None:
        return unit_period(DAY, start)
    return Period(start, unit_period(DAY, month.start.replace(day=last)).end, DAY, TimeKind.RANGE)


def months_of(year: Period, first: int, count: int) -> Period:
    """Return some months of a year, counted from its beginning: a quarter, a half, a season."""
    start = add_step(year.start, Step(first))
    return Period(start, add_step(start, Step(count)), QUARTER)


def season_of(time: datetime, number: int, away: int = 0) -> Period:
    """Return a season, spring (0) from March on: this year's, the latest over, the first to come.

    Winter (3) ends in the next year.
    """
    near = [
        months_of(unit_period(YEAR, time, years), 2 + 3 * number, 3) for years in (-2, -1, 0, 1)
    ]
    if away > 0:
        return near[2 if near[2].start > time else 3]
    over = [season for season in near if season.end <= time]
    return shift_period(over[-1], STEPS[YEAR], away + 1) if away else near[2]


def year_of(time: datetime, year: int | None = None) -> Period:
    """Return a year by its number, or the one of `time`."""
    return unit_period(YEAR, time if year is None else time.replace(year=year, month=1, day=1))


def part_of(whole: Period, part: str) -> Period:
    """Return the `early`, `mid` or `late` part of a period, or its `start` or `end`.

    Days 1–10, 11–20 and the rest of a month, and its last five for `end`; Monday and Tuesday,
    Wednesday and Thursday, the rest of a week; the months of a quarter; four months of a year, but
    January for `start` and December for `end`.
    """
    third = {"start": 0, "early": 0, "mid": 1, "late": 2, "end": 2}[part]
    if whole.granularity is YEAR and part in ("start", "end"):
        return unit_period(MONTH, whole.start, 0 if part == "start" else 11)
    if whole.granularity is MONTH and part == "end":
        return Period(whole.end - _MONTH_END_DAYS, whole.end, WEEK)
    step, unit = _THIRDS[whole.granularity]
    start = add_step(whole.start, step, third)
    return Period(start, whole.end if third == 2 else add_step(start, step), unit)


def shift_period(period: Period, step: Step, times: int = 1) -> Period:
    """Return a period so many steps later."""
    start, end = (add_step(time, step, times) for time in (period.start, period.end))
    return period._replace(start=start, end=end)


def repeat_period(period: Period, step: Step) -> Period:
    """Return a period as one of those that come again after each step."""
    return period._replace(kind=TimeKind.RECURRING, every=step)


def within_day(day: Period, part: Part | None, clock: Clock | None) -> Period:
    """Return a part of a day, or a time of it as it is meant in that part."""
    if clock is None:
        assert part is not None
        return day._replace(
            start=day.start + timedelta(hours=part.start),
            end=day.start + timedelta(hours=part.end),
            granularity=Granularity.PART_OF_DAY,
        )
    start = day.start + timedelta(hours=_hour(clock, part), minutes=clock.minute or 0)
    unit = HOUR if clock.minute is None else MINUTE
    end = add_step(start, STEPS[unit])
    if clock.until is None:
        return day._replace(start=start, end=end, granularity=unit)
    hour, minute = clock.until
    end = day.start + timedelta(hours=hour, minutes=minute)
    while end <= start:
        end += timedelta(hours=12)
    kind = TimeKind.RANGE if day.every is None else day.kind
    return day._replace(start=start, end=end, granularity=unit, kind=kind)


def _hour(clock: Clock, part: Part | None) -> int:
    hour = clock.hour
    if part is None:
        return hour + 12 if clock.loose and hour in _AFTERNOON_HOURS else hour
    if part.start >= _EVENING and (hour in (0, _NOON) or hour < _AFTERNOON_HOURS.stop - 1):
        return _MIDNIGHT + hour % 12
    if part.start >= _NOON and hour < _NOON and (part != NOON or hour < _AFTERNOON_HOURS.stop):
        return hour + 12
    return 0 if part == SMALL_HOURS and hour == _NOON else hour
