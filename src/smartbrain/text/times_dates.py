"""Dates, holidays and counted times, in the forms that both languages write.

In: a text and when it was said. Out: dates written as such (2026-05-01, 5月1日, May 1st), the days
that a calendar names (春节, Christmas), and what is counted from now or from a day (in 3 weeks,
三天前). What each language alone says is in `times_en` and `times_zh`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from functools import partial
from typing import Final, NamedTuple

from smartbrain.domain.time import TimeKind
from smartbrain.text.pattern import pattern
from smartbrain.text.times_calendar import (
    DAY,
    EVENING,
    MINUTE,
    MONTH,
    NIGHT,
    NUMERALS,
    STEPS,
    WEEK,
    YEAR,
    Period,
    Piece,
    Reader,
    Rule,
    Step,
    chinese_number,
    days_of,
    half_of,
    last_weekday,
    month_of,
    month_reader,
    moved,
    part_of,
    quarter_of,
    recent,
    season_of,
    unit_period,
    weekend,
    year_of,
)
from smartbrain.text.times_en import (
    DAY_NAMES,
    FREE,
    NUMBERS,
    RELATIVE,
    UNITS,
    W,
    english,
    stands_after,
)

_NAMES: Final = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_SHORT: Final = (
    *("jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"),
)
_ORDINARY: Final = ("may", "march", "august")
_MONTH: Final = (
    rf"(?P<month>{'|'.join((*_NAMES, *_SHORT))})(?!\w)"
    r"(?:(?<!may)|(?!\s(?:be|have|not|also|well)\b))"
    # The stop of an abbreviation, not that of a sentence.
    r"(?:(?:(?<![a-z]{4})|(?<=sept))\.(?=\s[0-9]))?"
)
_YEAR_NUMBER: Final = "(?:19|20|21)[0-9]{2}"
_YEAR_END: Final = r"(?![\w%]|[.,:/-][0-9])"
_YEAR: Final = rf"(?P<year>{_YEAR_NUMBER}){_YEAR_END}"
_OF_YEAR: Final = (
    rf"(?:,?{W}(?:of{W})?{_YEAR}|{W}(?:of{W})?(?P<rel_year>last|this|next){W}year(?!\w))?"
)
_DAY: Final = r"[0-9]{1,2}(?:st|nd|rd|th)?"
_DAY_END: Final = r"(?![\w/%]|[.,:][0-9]|\s?[ap]\.?m(?!\w))"
_LETTERS: Final = "stndrhSTNDRH"
SEASONS: Final = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
_SECTIONS: Final = {"beginning": "start", "start": "start", "middle": "mid", "end": "end"}
_TELLING: Final = english(
    r"\b(?:(?P<sure>in|since|until|till|during)|by|of|from|before|after|around|for|the)\s{1,2}\Z"
    r"|在\s?\Z"
)
_YEAR_TELLING: Final = english(
    r"\b(?:(?P<sure>in|since|by|during|until|till|before|after)|(?P<of>of)"
    rf"|from|between|{_YEAR_NUMBER}\s(?:to|and|through|-))\s\Z"
)
_DURING: Final = english(r"\b(?:in|during|over|back)\s{1,2}(?:the\s{1,2})?\Z")
_BETWEEN: Final = english(r"\bbetween\s{1,2}\Z")
_COUNTED: Final = english(rf"{W}(?!(?:i|wa|ha|a|thi)s\b)[a-z]+s\b")


def _month_number(word: str) -> int:
    return next(number for number, name in enumerate(_NAMES, 1) if name[:3] == word[:3].lower())


def _weakness(word: str, *, numbered: bool, told: bool, sure: bool) -> bool | None:
    """Tell whether a month's name needs another piece beside it; None when it is no month.

    Names such as "May" are told by a number or by a word before them, which has to be a `sure` one
    where they have no capital letter.
    """
    name = word.lower()
    if name not in _ORDINARY and name not in _SHORT:
        return False
    if word[0].islower():
        meant = name == "august" if numbered else sure and name in _ORDINARY
        return False if meant else None
    return not (numbered or told or name == "august")


def _named_month(found: re.Match[str]) -> Piece | None:
    """Read a month by its name, with a day or days, a year, or "last" and the like."""
    word, rel = found["month"], (found["rel"] or "").lower()
    groups = found.groupdict()
    telling = stands_after(found, _TELLING)
    weak = _weakness(
        word,
        numbered=bool(found["day"] or found["year"] or found["rel_year"]),
        told=bool(telling or rel),
        sure=bool(telling and telling["sure"]) or rel in ("last", "next"),
    )
    if weak is None:
        return None
    number = _month_number(word)
    if rel:
        return Piece(_days(groups, lambda now: _relative_month(now, number, rel)))
    year = _stated_year(groups)
    bare = None if year else STEPS[YEAR]
    return Piece(_days(groups, month_reader(number, year)), weak=weak, bare=bare)


def _stated_year(groups: dict[str, str | None]) -> Reader | None:
    if written := groups["year"] or groups.get("year_alone"):
        number = int(written)
        return lambda now: year_of(now, number)
    if rel := groups.get("rel_year"):
        away = RELATIVE[rel.lower()]
        return lambda now: unit_period(YEAR, now, away)
    return None


def _days(groups: dict[str, str | None], month: Reader) -> Reader:
    if groups["day"] is None:
        return month
    first = int(groups["day"].rstrip(_LETTERS))
    last = int(groups["last_day"].rstrip(_LETTERS)) if groups["last_day"] else None
    return lambda now: days_of(month(now), first, last)


def _relative_month(now: datetime, number: int, rel: str) -> Period:
    """Return the latest such month before this one, the first after it, or this year's."""
    year = now.year
    if rel == "last":
        year -= number >= now.month
    elif rel == "next":
        year += number <= now.month
    return month_of(now, number, year)


def _day_first(found: re.Match[str]) -> Piece | None:
    word = found["month"]
    if _weakness(word, numbered=True, told=False, sure=False) is None:
        return None
    if found["and"] and not stands_after(found, _BETWEEN):
        return None
    groups = found.groupdict()
    year = _stated_year(groups)
    month = month_reader(_month_number(word), year)
    return Piece(_days(groups, month), bare=None if year else STEPS[YEAR])


def _section(found: re.Match[str]) -> Piece | None:
    """Read "early March", "the end of next month", "mid-2024"."""
    section = (found["which"] or _SECTIONS[found["noun"].lower()]).lower()
    unit, month, rel = found["unit"], found["month"], (found["rel"] or "").lower()
    year = _stated_year(found.groupdict())
    if unit:
        if found["which"] and not rel:
            return None
        whole: Reader = partial(unit_period, UNITS[unit.lower()], away=RELATIVE[rel or "the"])
    elif month:
        if month[0].islower() and month in _SHORT:
            return None
        number = _month_number(month)
        whole = month_reader(number, year)
        if rel and not year:
            whole = partial(_relative_month, number=number, rel=rel)
    elif rel:
        return None
    elif found["quarter"]:
        whole = partial(_quarter, number=int(found["quarter"]), year=year)
    elif year:
        whole = year
    else:
        return None
    bare = STEPS[YEAR] if month and not (rel or year) else None
    return Piece(lambda now: part_of(whole(now), section), bare=bare)


def _quarter(now: datetime, number: int, year: Reader | None) -> Period:
    return quarter_of(year(now) if year else year_of(now), number)


def _season(found: re.Match[str]) -> Piece | None:
    number = SEASONS[found["season"].lower()]
    rel = "last" if found["past"] else (found["rel"] or "").lower()
    year = _stated_year(found.groupdict())
    if year:
        return Piece(lambda now: season_of(year(now), number))
    if not rel:
        # A name goes on: the Spring Fling.
        named = (
            found["season"][0].isupper()
            and found.string[found.end() + 1 : found.end() + 2].isupper()
        )
        asked = not named and stands_after(found, _DURING) is not None
        this = partial(_relative_season, number=number, rel="this")
        return Piece(this, weak=True, bare=STEPS[YEAR], asked=asked)
    return Piece(lambda now: _relative_season(now, number, rel))


def _relative_season(now: datetime, number: int, rel: str) -> Period:
    """Return this year's season, the latest that is over, or the first to come."""
    if rel == "last":
        return last_season(now, number)
    this, coming = (season_of(unit_period(YEAR, now, away), number) for away in (0, 1))
    if rel == "next":
        return this if this.start > now else coming
    return this


def last_season(now: datetime, number: int) -> Period:
    """Return the latest season of a name that is over."""
    known = (season_of(unit_period(YEAR, now, away), number) for away in (0, -1, -2))
    return next(season for season in known if season.end <= now)


def _digits(found: re.Match[str]) -> Piece:
    """Read 2025-03-05, alone or with a time of day and a UTC offset."""
    year, month, day = int(found["y"]), int(found["m"]), int(found["d"])
    time, zone = found["time"], found["zone"]
    if time is None:
        return Piece(lambda now: unit_period(DAY, now.replace(year=year, month=month, day=day)))
    written = f"{year:04}-{month:02}-{day:02}T{time[:5]}{zone or ''}"

    def read(now: datetime) -> Period:
        moment = datetime.fromisoformat(written)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=now.tzinfo)
        return unit_period(MINUTE, moment.astimezone(now.tzinfo))

    return Piece(read)


def _slashes(found: re.Match[str]) -> Piece:
    month, day, year = int(found["a"]), int(found["b"]), int(found["y"])
    if month > 12:
        month, day = day, month
    return Piece(lambda now: unit_period(DAY, now.replace(year=year, month=month, day=day)))


def _part_of_year(found: re.Match[str]) -> Piece | None:
    """Read Q3 and H1 with a year; a quarter may go without one after a telling word."""
    number, year = int(found["number"]), _stated_year(found.groupdict())
    if found["kind"] in "Hh":
        if year is None or number > 2:
            return None
        return Piece(lambda now: half_of(year(now), number))
    quarter = partial(_quarter, number=number, year=year)
    if year:
        return Piece(quarter)
    weak = found["kind"] == "q" or stands_after(found, _TELLING) is None
    return Piece(quarter, weak=weak, bare=STEPS[YEAR], asked=True)


def _year_alone(found: re.Match[str]) -> Piece | None:
    """Read a year that a word before it tells from any other number."""
    telling = stands_after(found, _YEAR_TELLING)
    if telling is None or (telling["of"] and _COUNTED.match(found.string, found.end())):
        return None
    number = int(found["year"])
    return Piece(lambda now: year_of(now, number), weak=not (telling["sure"] or telling["of"]))


_TO: Final = rf"(?:\s?-\s?|{W}(?:to|through|until){W})"
_DATE_STARTS: Final = (*_NAMES, *_SHORT)
_RELATIVE_STARTS: Final = ("last", "this", "next")

RULES_DATES: Final = (
    Rule(
        (*_DATE_STARTS, *_RELATIVE_STARTS),
        english(
            rf"(?:(?P<rel>last|this|next){W})?{_MONTH}"
            rf"(?:{W}(?P<day>{_DAY}){_DAY_END}(?:{_TO}(?P<last_day>{_DAY}){_DAY_END})?)?{_OF_YEAR}"
        ),
        _named_month,
    ),
    Rule(
        ("0", "the"),
        english(
            rf"(?:the{W})?{FREE}(?P<day>{_DAY})"
            rf"(?:(?:{_TO}|{W}(?P<and>and){W})(?P<last_day>{_DAY}))?"
            rf"{W}(?:of{W})?{_MONTH}{_OF_YEAR}"
        ),
        _day_first,
    ),
    Rule(
        ("the", "early", "mid", "late", *_SECTIONS),
        english(
            rf"(?:(?P<which>early|mid|late)(?:{W}|-)"
            rf"|(?:the{W})?(?P<noun>beginning|start|middle|end){W}of{W})"
            rf"(?:(?P<rel>the|this|last|next){W})?(?:(?P<unit>week|month|quarter|year)(?![\w-])"
            rf"|(?:{_MONTH}|q(?P<quarter>[1-4])(?!\w))(?:,?{W}(?:of{W})?{_YEAR})?"
            rf"|(?P<year_alone>{_YEAR_NUMBER}){_YEAR_END})"
        ),
        _section,
    ),
    Rule(
        ("the", "past", *_RELATIVE_STARTS, *SEASONS),
        english(
            rf"(?:the{W})?(?:(?:(?P<past>(?:this{W})?past)|(?P<rel>last|this|next)){W})?"
            rf"(?P<season>{'|'.join(SEASONS)})(?![\w-]|{W}festival){_OF_YEAR}"
        ),
        _season,
    ),
    Rule(
        ("0",),
        english(
            rf"{FREE}(?<!-)(?P<y>[0-9]{{4}})(?P<sep>[-/])(?P<m>[0-9]{{1,2}})(?P=sep)"
            r"(?P<d>[0-9]{1,2})(?![0-9]|[-/][0-9])"
            r"(?:[T ](?P<time>[0-2][0-9]:[0-5][0-9](?::[0-9]{2}(?:[.,][0-9]{1,9})?)?)"
            r"(?P<zone>Z|[+-][0-9]{2}:?[0-9]{2})?(?![\w:]))?(?!\w)"
        ),
        _digits,
    ),
    Rule(
        ("0",),
        english(rf"{FREE}(?P<a>[0-9]{{1,2}})/(?P<b>[0-9]{{1,2}})/(?P<y>[0-9]{{4}})(?![\w/])"),
        _slashes,
    ),
    Rule(
        ("q", "h"),
        english(rf"(?<!\w)(?P<kind>[qh])(?P<number>[1-4])(?![\w:])(?:,?{W}(?:of{W})?{_YEAR})?"),
        _part_of_year,
    ),
    Rule(
        ("0",),
        english(rf"{FREE}(?P<year>{_YEAR_NUMBER})[ -]?(?P<kind>[qh])(?P<number>[1-4])(?![\w:])"),
        _part_of_year,
    ),
    Rule(("0",), english(rf"{FREE}(?<!-){_YEAR}(?!-\w)"), _year_alone),
)


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
    """Return a day of the Chinese calendar."""
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
_TELLING_HOLIDAY: Final = english(
    r"\b(?:over|at|on|during|since|until|till|before|after|around|by|for)\s{1,2}(?:the\s)?\Z"
)
_TELLING_ZH: Final = pattern(
    "(?:期间|假期|长假|黄金周|前后|那[天几周会]|当[天晚]|的?时候|放假|[之以]?[前后](?![台端面]))"
)


def _names(holidays: dict[str, Holiday]) -> str:
    longest = sorted(holidays, key=len, reverse=True)
    return "|".join(re.escape(name).replace("\\ ", W) for name in longest)


def _occurrence(holiday: Holiday, year: int, now: datetime) -> Period:
    first = holiday.day(year)
    start = now.replace(
        year=first.year, month=first.month, day=first.day, hour=0, minute=0, second=0, microsecond=0
    )
    kind = TimeKind.RANGE if holiday.days > 1 else TimeKind.POINT
    return Period(start, start + timedelta(days=holiday.days), DAY, kind)


def _near(holiday: Holiday, now: datetime) -> list[Period]:
    found = []
    for year in range(now.year - 2, now.year + 2):
        try:
            found.append(_occurrence(holiday, year, now))
        except (ValueError, OverflowError):
            continue
    return found


def _nearest(now: datetime, holiday: Holiday) -> Period:
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
    sure = stands_after(found, _TELLING_HOLIDAY) is not None
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


_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "last": 0} | {
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
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
