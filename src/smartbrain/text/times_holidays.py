"""Holidays by their names, as rules from words to pieces of a time, and when they are.

In: text as `times` prepares it. Out: `RULES_HOLIDAYS`. Those of the Chinese calendar are known for
the years of `_LUNAR`, the others for any. A name alone is a time only where something is asked for,
or beside a year or a word that tells so: "over Christmas", 国庆期间.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import partial
from typing import Final, NamedTuple

from smartbrain.domain.time_span import TimeKind
from smartbrain.text.pattern import pattern
from smartbrain.text.times_calendar import DAY, STEPS, YEAR, Period, Piece, Rule
from smartbrain.text.times_en import W, english, stands_after

_FIRST_YEAR: Final = 2015
# From 2015 on: the Spring Festival, the Dragon Boat Festival, the Mid-Autumn Festival.
_LUNAR: Final = """
    0219 0620 0927|0208 0609 0915|0128 0530 1004|0216 0618 0924|0205 0607 0913|0125 0625 1001
    0212 0614 0921|0201 0603 0910|0122 0622 0929|0210 0610 0917|0129 0531 1006|0217 0619 0925
    0206 0609 0915|0126 0528 1003|0213 0616 0922|0203 0605 0912|0123 0624 1001|0211 0612 0919
    0131 0601 0908|0219 0620 0927|0208 0610 0916
"""
_YEARS: Final = tuple(one.split() for one in "|".join(_LUNAR.split("\n")[1:-1]).split("|"))

Day = Callable[[int], date]
"""The first day of a holiday in a year."""


class Holiday(NamedTuple):
    """When a holiday begins, how many days it has, and whether its name alone always means it."""

    day: Day
    days: int = 1
    sure: bool = False


def _lunar(year: int, column: int, later: int = 0) -> date:
    """Return a day of the Chinese calendar.

    Raises:
        ValueError: no one knows it here.
    """
    if not 0 <= year - _FIRST_YEAR < len(_YEARS):
        raise ValueError(year)
    written = _YEARS[year - _FIRST_YEAR][column]
    return date(year, int(written[:2]), int(written[2:])) + timedelta(days=later)


def _fixed(month: int, day: int) -> Day:
    return lambda year: date(year, month, day)


def _festival(column: int, later: int = 0) -> Day:
    return partial(_lunar, column=column, later=later)


def _easter(later: int) -> Day:
    return lambda year: _easter_sunday(year) + timedelta(days=later)


def _easter_sunday(year: int) -> date:
    """Return Easter by the Gregorian rule."""
    century, place = divmod(year, 100)
    golden = year % 19
    leap, rest = divmod(century, 4)
    shift = (century - (century + 8) // 25 + 1) // 3
    moon = (19 * golden + century - leap - shift + 15) % 30
    weekday = (32 + 2 * rest + 2 * (place // 4) - moon - place % 4) % 7
    late = (golden + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def _thanksgiving(year: int, later: int = 0) -> date:
    """Return the fourth Thursday of November, or a day so many days later."""
    first = date(year, 11, 1)
    return first + timedelta(days=(3 - first.weekday()) % 7 + 21 + later)


def _qingming(year: int) -> date:
    """Return the solar term that falls on the fourth or fifth of April in this century."""
    place = year % 100
    return date(year, 4, int(place * 0.2422 + 4.81) - place // 4)


_SPRING: Final = Holiday(_festival(0), 7)
_DRAGON: Final = Holiday(_festival(1))
_AUTUMN: Final = Holiday(_festival(2))
_CHINESE: Final = {
    "元旦": Holiday(_fixed(1, 1), sure=True),
    "劳动节": Holiday(_fixed(5, 1), sure=True),
    "国庆节": Holiday(_fixed(10, 1), 7, sure=True),
    "圣诞节": Holiday(_fixed(12, 25), sure=True),
    "圣诞": Holiday(_fixed(12, 25), sure=True),
    "国庆": Holiday(_fixed(10, 1), 7),
    "春节": _SPRING,
    "除夕": Holiday(_festival(0, -1)),
    "大年三十": Holiday(_festival(0, -1)),
    "元宵节": Holiday(_festival(0, 14)),
    "端午节": _DRAGON,
    "端午": _DRAGON,
    "中秋节": _AUTUMN,
    "中秋": _AUTUMN,
    "清明节": Holiday(_qingming),
    "清明": Holiday(_qingming),
    "五一": Holiday(_fixed(5, 1), 5),
    "十一": Holiday(_fixed(10, 1), 7),
    "双十一": Holiday(_fixed(11, 11)),
    "双11": Holiday(_fixed(11, 11)),
    "情人节": Holiday(_fixed(2, 14)),
    "儿童节": Holiday(_fixed(6, 1)),
    "暑假": Holiday(_fixed(7, 1), 62),
    "寒假": Holiday(_fixed(1, 15), 40),
}
_ENGLISH: Final = {
    "christmas": Holiday(_fixed(12, 24), 3),
    "xmas": Holiday(_fixed(12, 24), 3),
    "christmas eve": Holiday(_fixed(12, 24)),
    "christmas day": Holiday(_fixed(12, 25)),
    "boxing day": Holiday(_fixed(12, 26)),
    "new year's eve": Holiday(_fixed(12, 31)),
    "new year's day": Holiday(_fixed(1, 1)),
    "new year's": Holiday(_fixed(1, 1)),
    "new year": Holiday(_fixed(1, 1)),
    "easter": Holiday(_easter(-2), 4),
    "good friday": Holiday(_easter(-2)),
    "easter sunday": Holiday(_easter(0)),
    "easter monday": Holiday(_easter(1)),
    "thanksgiving": Holiday(_thanksgiving, 4),
    "thanksgiving day": Holiday(_thanksgiving),
    "black friday": Holiday(partial(_thanksgiving, later=1)),
    "halloween": Holiday(_fixed(10, 31)),
    "valentine's day": Holiday(_fixed(2, 14)),
    "chinese new year": _SPRING,
    "lunar new year": _SPRING,
    "spring festival": _SPRING,
    "dragon boat festival": _DRAGON,
    "mid-autumn festival": _AUTUMN,
}
_ALONE_NEVER: Final = frozenset(("十一",))  # eleven, mostly
_TELLING: Final = english(
    r"\b(?:over|at|on|during|since|until|till|before|after|around|by|for)\s{1,2}(?:the\s)?\Z"
)
_TELLING_ZH: Final = pattern(
    "(?:期间|假期|长假|黄金周|前后|那[天几周会]|当[天晚]|的?时候|放假|[之以]?[前后](?![台端面]))"
)


def _names(holidays: dict[str, Holiday]) -> str:
    """Return names as the choices of a pattern, the longest first."""
    longest = sorted(holidays, key=len, reverse=True)
    return "|".join(re.escape(name).replace("\\ ", W) for name in longest)


def _occurrence(holiday: Holiday, year: int, now: datetime) -> Period:
    """Return a holiday of a year, in the days of a moment."""
    first = holiday.day(year)
    start = now.replace(
        year=first.year, month=first.month, day=first.day, hour=0, minute=0, second=0, microsecond=0
    )
    kind = TimeKind.RANGE if holiday.days > 1 else TimeKind.POINT
    return Period(start, start + timedelta(days=holiday.days), DAY, kind)


def _near(holiday: Holiday, now: datetime) -> list[Period]:
    """Return the occurrences around a moment that are known, in their order."""
    found = []
    for year in range(now.year - 2, now.year + 2):
        try:
            found.append(_occurrence(holiday, year, now))
        except (ValueError, OverflowError):
            continue
    return found


def _nearest(now: datetime, holiday: Holiday) -> Period:
    """Return the occurrence nearest to a moment."""
    if not (near := _near(holiday, now)):
        raise ValueError(now)
    return min(near, key=lambda one: abs(one.start - now))


def _relative(now: datetime, holiday: Holiday, rel: str) -> Period:
    """Return the latest that is over, this year's, or the first to come."""
    if rel == "this":
        return _occurrence(holiday, now.year, now)
    near = _near(holiday, now)
    over = [one for one in near if one.end <= now]
    coming = [one for one in near if one.start > now]
    chosen = over[-1:] if rel == "last" else coming[:1]
    if not chosen:
        raise ValueError(now)
    return chosen[0]


def _chinese(found: re.Match[str]) -> Piece:
    holiday = _CHINESE[found["name"]]
    sure = holiday.sure or bool(_TELLING_ZH.match(found.string, found.end()))
    asked = found["name"] not in _ALONE_NEVER
    near = partial(_nearest, holiday=holiday)
    return Piece(near, weak=not sure, bare=STEPS[YEAR], asked=asked)


def _english(found: re.Match[str]) -> Piece:
    holiday = _ENGLISH[" ".join(found["name"].lower().split())]
    year, rel = found["year"], found["rel"]
    if year:
        number = int(year)
        return Piece(lambda now: _occurrence(holiday, number, now))
    if rel:
        return Piece(partial(_relative, holiday=holiday, rel=rel.lower()))
    sure = stands_after(found, _TELLING) is not None
    near = partial(_nearest, holiday=holiday)
    return Piece(near, weak=not sure, bare=STEPS[YEAR], asked=True)


HOLIDAY: Final = pattern(rf"(?:{_names(_CHINESE)})|(?:{_names(_ENGLISH)})", re.IGNORECASE)
"""The name of a holiday, as it stands alone."""

RULES_HOLIDAYS: Final = (
    Rule(
        tuple({name[0] for name in _CHINESE if name[0] not in "五十"} | {"一"}),
        pattern(
            rf"(?<![李周王张刘陈赵孙欧])(?P<name>{_names(_CHINESE)})"
            r"(?![快乐树老祝贺路街目》]|广场|大道|上河|月饼|[0-9一二三四五六七八九十百千])"
        ),
        _chinese,
    ),
    Rule(
        ("last", "this", "next", *{re.split("[ '-]", name)[0] for name in _ENGLISH}),
        english(
            rf"(?:(?P<rel>last|this|next){W})?(?<!merry\s)(?<!happy\s)(?P<name>{_names(_ENGLISH)})(?![\w'-])"
            rf"(?:,?{W}(?:of{W}|in{W})?(?P<year>(?:19|20)[0-9]{{2}})(?![\w%]|[.,:/-][0-9]))?"
        ),
        _english,
    ),
)
