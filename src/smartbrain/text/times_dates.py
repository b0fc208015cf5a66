"""Holidays, in either language: the days of each year that a calendar names.

In: the list of holidays in `words.txt`. Out: `RULES_HOLIDAYS`, which read their names, and
`HOLIDAY`, which knows them. Most names mean a time only where a word beside them says so, or where
something is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import partial
from typing import Final, NamedTuple

from smartbrain.domain.time import TimeKind
from smartbrain.text.pattern import english, pattern, stands_after
from smartbrain.text.times_calendar import DAY, STEPS, YEAR, Period, Piece, Rule
from smartbrain.text.word_list import stored_meanings, stored_words

W: Final = r"\s{1,3}"
"""Between two words."""

YEAR_NUMBER: Final = "(?:19|20|21)[0-9]{2}"
"""A year, if something tells that it is no other number."""

_FIRST_YEAR: Final = 2015
_YEARS: Final = [
    year.split() for year in stored_words(__file__, "_LUNAR").replace("\n", "|").split("|")
]


def _lunar(year: int, column: int) -> date:
    """Return a day of the Chinese calendar."""
    if not 0 <= year - _FIRST_YEAR < len(_YEARS):
        raise ValueError(year)
    written = _YEARS[year - _FIRST_YEAR][column]
    return date(year, int(written[:2]), int(written[2:]))


def _easter_sunday(year: int) -> date:
    century, place = divmod(year, 100)
    golden = year % 19
    leap, rest = divmod(century, 4)
    shift = (century - (century + 8) // 25 + 1) // 3
    moon = (19 * golden + century - leap - shift + 15) % 30
    weekday = (32 + 2 * rest + 2 * (place // 4) - moon - place % 4) % 7
    late = (golden + 11 * moon + 22 * weekday) // 451
    month, day = divmod(moon + weekday - 7 * late + 114, 31)
    return date(year, month, day + 1)


def _thanksgiving(year: int) -> date:
    """Return the fourth Thursday of November."""
    first = date(year, 11, 1)
    return first + timedelta(days=(3 - first.weekday()) % 7 + 21)


def _qingming(year: int) -> date:
    place = year % 100
    return date(year, 4, int(place * 0.2422 + 4.81) - place // 4)


_MOVING: Final[dict[str, Callable[[int], date]]] = {
    "spring": partial(_lunar, column=0),
    "dragon": partial(_lunar, column=1),
    "autumn": partial(_lunar, column=2),
    "easter": _easter_sunday,
    "thanksgiving": _thanksgiving,
    "qingming": _qingming,
}
_WHEN: Final = pattern(r"(?:(?P<moving>[a-z]+)|(?P<month>\d\d)-(?P<day>\d\d))(?P<later>[+-]\d+)?")


class Holiday(NamedTuple):
    """When a holiday begins, how many days it has, and whether its name alone always means it."""

    when: str
    days: int
    sure: bool

    def occurrence(self, year: int, now: datetime) -> Period:
        """Return its days in a year."""
        found = _WHEN.fullmatch(self.when)
        assert found is not None
        moving = _MOVING.get(found["moving"])
        first = moving(year) if moving else date(year, int(found["month"]), int(found["day"]))
        first += timedelta(days=int(found["later"] or 0))
        start = datetime(first.year, first.month, first.day, tzinfo=now.tzinfo)
        kind = TimeKind.RANGE if self.days > 1 else TimeKind.POINT
        return Period(start, start + timedelta(days=self.days), DAY, kind)

    def near(self, now: datetime, rel: str) -> Period:
        """Return the nearest one, this year's, the latest that is over, or the first to come."""
        found = []
        for year in (now.year,) if rel == "this" else range(now.year - 2, now.year + 2):
            try:
                found.append(self.occurrence(year, now))
            except (ValueError, OverflowError):
                continue
        if rel == "last":
            found = [one for one in found if one.end <= now][-1:]
        elif rel == "next":
            found = [one for one in found if one.start > now][:1]
        return min(found, key=lambda one: abs(one.start - now))


_HOLIDAYS: Final = {
    name.rstrip("!"): Holiday(when, int(days), name.endswith("!"))
    for name, meaning in stored_meanings(__file__, "_HOLIDAYS").items()
    for when, days in [meaning.split()]
}
_CHINESE: Final = [name for name in _HOLIDAYS if not name.isascii()]
_ENGLISH: Final = [name for name in _HOLIDAYS if name.isascii()]
_ALONE_NEVER: Final = "十一"  # eleven, mostly
_TELLING: Final = english(
    r"\b(?:over|at|on|during|since|until|till|before|after|around|by|for)\s{1,2}(?:the\s)?\Z"
)
_TELLING_ZH: Final = pattern(
    "(?:期间|假期|长假|黄金周|前后|那[天几周会]|当[天晚]|的?时候|放假|[之以]?[前后](?![台端面]))"
)


def _alternatives(names: list[str]) -> str:
    longest = sorted(names, key=len, reverse=True)
    return "|".join(re.escape(name).replace("\\ ", W) for name in longest)


def _read(found: re.Match[str]) -> Piece:
    name, groups = " ".join(found["name"].lower().split()), found.groupdict()
    holiday = _HOLIDAYS[name]
    if year := groups.get("year"):
        return Piece(partial(holiday.occurrence, int(year)))
    if rel := groups.get("rel"):
        return Piece(partial(holiday.near, rel=rel.lower()))
    told = stands_after(found, _TELLING) or _TELLING_ZH.match(found.string, found.end())
    return Piece(
        partial(holiday.near, rel=""),
        weak=not (holiday.sure or told),
        bare=STEPS[YEAR],
        asked=name != _ALONE_NEVER,
    )


HOLIDAY: Final = pattern(
    rf"(?:{_alternatives(_CHINESE)})|(?:{_alternatives(_ENGLISH)})", re.IGNORECASE
)
"""The name of a holiday, as it stands alone."""

RULES_HOLIDAYS: Final = (
    Rule(
        tuple({name[0] for name in _CHINESE if name[0] not in "五十"} | {"一"}),
        pattern(
            rf"(?<![李周王张刘陈赵孙欧])(?P<name>{_alternatives(_CHINESE)})"
            r"(?![快乐树老祝贺路街目》]|广场|大道|上河|月饼|[0-9一二三四五六七八九十百千])"
        ),
        _read,
    ),
    Rule(
        ("last", "this", "next", *{re.split("[ '-]", name)[0] for name in _ENGLISH}),
        english(
            rf"(?:(?P<rel>last|this|next){W})?(?<!merry\s)(?<!happy\s)(?P<name>{_alternatives(_ENGLISH)})"
            rf"(?![\w'-])(?:,?{W}(?:of{W}|in{W})?(?P<year>{YEAR_NUMBER})(?![\w%]|[.,:/-][0-9]))?"
        ),
        _read,
    ),
)
