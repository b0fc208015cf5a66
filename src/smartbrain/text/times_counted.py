"""Times that are counted: the third quarter, the second week, the 5th, two summers ago, the 90s.

In: text as `times` prepares it. Out: `RULES_COUNTED` and `RULES_ASKED`, for Chinese and English.
Most of them are a part of something longer that stands beside them, as in "the 5th of last month";
alone they mean a time only where something is asked for.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from smartbrain.domain.time_span import TimeKind
from smartbrain.text.numerals import NUMERALS, chinese_number
from smartbrain.text.pattern import pattern
from smartbrain.text.times_calendar import (
    DAY,
    EVENING,
    MONTH,
    NIGHT,
    STEPS,
    WEEK,
    YEAR,
    Period,
    Piece,
    Rule,
    Step,
    days_of,
    half_of,
    last_weekday,
    moved,
    quarter_of,
    recent,
    unit_period,
    weekend,
    year_of,
)
from smartbrain.text.times_dates import SEASONS, last_season
from smartbrain.text.times_en import DAY_NAMES, NUMBERS, W, english

_ORDINALS: Final = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
    "last": 0,
}
_JUST_NOW: Final = timedelta(hours=1)
_SECOND_HALF: Final = 50
# Before a number that no word or number goes on with.
_FREE: Final = r"(?:(?<![0-9A-Za-z.,:/~\u3400-\u9fff-])|(?<=[在从到于自]))"


def _week_of(now: datetime, number: int) -> Period:
    """Return a week of a month, counted from its first day and from its first Monday: both.

    The last one, 0, are its last seven days.
    """
    month = unit_period(MONTH, now)
    week = timedelta(weeks=1)
    if not number:
        return Period(month.end - week, month.end, WEEK, TimeKind.RANGE)
    start = month.start + week * (number - 1)
    monday = start + timedelta(days=-start.weekday() % 7)
    return Period(start, min(monday + week, month.end), WEEK, TimeKind.RANGE)


def _ordinal(found: re.Match[str]) -> Piece | None:
    """Read "the first week", "the third quarter" and "the second half of the year"."""
    number, unit = _ORDINALS[found["ordinal"].lower()], found["unit"].lower()
    if unit == "week":
        return Piece(partial(_week_of, number=number), weak=True, bare=STEPS[MONTH])
    if number == 0 or (unit == "half" and number > 2):
        return None
    of = quarter_of if unit == "quarter" else half_of
    alone = unit == "quarter" or bool(found["year"])
    return Piece(lambda now: of(year_of(now), number), weak=True, bare=STEPS[YEAR], asked=alone)


def _chinese_week(found: re.Match[str]) -> Piece:
    number = chinese_number(found["number"]) or 0
    return Piece(partial(_week_of, number=number), weak=True, bare=STEPS[MONTH])


def _day_of_month(found: re.Match[str]) -> Piece:
    written = found["day"]
    number = int(written) if written.isdecimal() else chinese_number(written) or 0
    return Piece(
        lambda now: days_of(unit_period(MONTH, now), number),
        weak=True,
        bare=STEPS[MONTH],
        asked=found["alone"] is not None,
    )


def _times_ago(found: re.Match[str]) -> Piece:
    """Read "two summers ago", "three Fridays ago" and "the weekend before last"."""
    word = (found["count"] or "two").lower()
    back = 1 - (int(word) if word.isdecimal() else NUMBERS[word])
    unit = (found["unit"] or found["before"]).lower()
    if unit == "night":
        return Piece(partial(unit_period, DAY, away=-2), NIGHT)
    if unit == "weekend":
        return Piece(lambda now: weekend(now, back - 1))
    if unit in SEASONS:
        step = Step(months=12 * back)
        return Piece(lambda now: _moved(last_season(now, SEASONS[unit]), step))
    number = DAY_NAMES.index(unit[:3])
    return Piece(lambda now: _moved(last_weekday(now, number), Step(rest=timedelta(weeks=back))))


def _moved(period: Period, step: Step) -> Period:
    return period._replace(start=moved(period.start, step), end=moved(period.end, step))


def _short_year(found: re.Match[str]) -> Piece:
    """Read 23年: a year of this century, or one of the second half of the last."""
    number = int(found["year"])

    def read(now: datetime) -> Period:
        century = now.year - now.year % 100
        if number <= now.year % 100 + 1:
            return year_of(now, century + number)
        if number < _SECOND_HALF:
            raise ValueError(number)
        return year_of(now, century + number - 100)

    return Piece(read, weak=True, asked=True)


def _decade(found: re.Match[str]) -> Piece:
    written = found["decade"] or str(chinese_number(found["tens"]) or 0)
    number = int(written) if len(written) > 2 else None
    part = (found["part"] or "").lower()

    def read(now: datetime) -> Period:
        short = int(written)
        first = number or (1900 if short > now.year % 100 else 2000) + short
        start = year_of(now, first).start
        third = {"early": (0, 4), "mid": (3, 7), "late": (6, 10)}.get(part, (0, 10))
        ends = [moved(start, Step(months=12 * years)) for years in third]
        return Period(ends[0], ends[1], YEAR)

    return Piece(read, weak=True, asked=True)


def _about(found: re.Match[str]) -> Piece:
    """Read 两三天前: the units from so many to so many ago."""
    unit = {"天": DAY, "月": MONTH, "年": YEAR}.get(found["unit"][-1], WEEK)
    least, most = (chinese_number(found[name]) or 0 for name in ("least", "most"))

    def read(now: datetime) -> Period:
        first, last = (unit_period(unit, now, -away) for away in (most, least))
        return first._replace(end=last.end)

    return Piece(read, weak=True, asked=True)


def _just_now(now: datetime) -> Period:
    return unit_period(DAY, now)._replace(start=now - _JUST_NOW, end=now)


_BARE_NIGHT: Final = Piece(partial(unit_period, DAY, away=-2), EVENING)
_SEASON_NAMES: Final = "|".join(SEASONS)
_DAY_WORDS: Final = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_COUNTS: Final = "|".join(word for word in NUMBERS if word not in ("a", "an", "few", "several"))

RULES_COUNTED: Final = (
    Rule(
        ("the", "0", *(word for word in _ORDINALS if word.isalpha())),
        english(
            rf"(?:the{W})?(?P<ordinal>{'|'.join(_ORDINALS)}){W}(?P<unit>week|quarter|half)(?![\w-])"
            rf"(?P<year>{W}of{W}the{W}year(?!\w))?"
        ),
        _ordinal,
    ),
    Rule(
        ("第",),
        pattern("第(?P<number>[一二三四1-4])个?(?:周|星期|礼拜)(?![一二三四五六日天末])"),
        _chinese_week,
    ),
    Rule(
        ("the", "0", *NUMBERS),
        english(
            rf"(?:(?:a{W}(?=couple))?(?P<count>[0-9]{{1,2}}|{_COUNTS})(?:(?<=couple){W}of)?{W}"
            rf"(?P<unit>{_SEASON_NAMES}|{_DAY_WORDS}|weekend)s{W}ago"
            rf"|the{W}(?P<before>{_SEASON_NAMES}|weekend|night){W}before{W}last)(?!\w)"
        ),
        _times_ago,
    ),
    Rule(("前",), pattern("前晚(?!会)"), lambda _: _BARE_NIGHT),
)

RULES_ASKED: Final = (
    Rule(
        ("on", "the"),
        english(
            rf"(?P<alone>on{W})?the{W}(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)(?![\w-])"
            rf"(?!{W}(?:floor|time|of{W}(?!last|this|next|the{W}month)|[a-z]+ing\b))"
        ),
        _day_of_month,
    ),
    Rule(
        ("0", "一"),
        pattern(
            rf"{_FREE}(?P<alone>)(?P<day>[0-9]{{1,2}}|[{NUMERALS}]{{1,3}})"
            r"\s?号(?![线楼院门店机房码位选铺台库仓电召人文风通])"
        ),
        _day_of_month,
    ),
    Rule(
        ("0",),
        pattern(rf"{_FREE}(?P<year>[0-9]{{2}})\s?年(?![前后以之来间多半级龄代华薪])"),
        _short_year,
    ),
    Rule(
        ("in", "during", "from"),
        english(
            rf"(?:in|during|from){W}the{W}(?:(?P<part>early|mid|late)(?:{W}|-))?"
            r"(?P<decade>(?:19|20)?[0-9]0)'?s(?!\w)(?P<tens>)?"
        ),
        _decade,
    ),
    Rule(
        ("0", "一"),
        pattern(r"(?P<part>)(?:(?P<decade>(?<![0-9])[0-9]0)|(?P<tens>[二三四五六七八九]十))年代"),
        _decade,
    ),
    Rule(
        ("the",),
        english(rf"(?<=\b(?:at|on)\s)the{W}weekend(?!\w)|(?<=\bover\s)the{W}weekend(?!\w)"),
        lambda _: Piece(weekend, weak=True, bare=STEPS[WEEK], asked=True),
    ),
    Rule(
        ("一", "两"),
        pattern(
            r"(?P<least>[两二三四五六七八])(?P<most>[三四五六七八九])(?P<unit>天|个?星期|周|个月|年)[之以]?前"
        ),
        _about,
    ),
    Rule(
        ("just", "a", "刚", "方"),
        pattern(rf"(?i:just{W}now|a{W}moment{W}ago)(?!\w)|刚[才刚](?!好)|方才"),
        lambda _: Piece(_just_now, weak=True, asked=True),
    ),
    Rule(
        ("not", "不", "前"),
        pattern(rf"(?i:not{W}(?:too{W}|so{W})?long{W}ago)(?!\w)|不久[之以]?前|前不久"),
        lambda _: Piece(recent, weak=True, asked=True),
    ),
)
"""Those that are read only where something is asked for."""
