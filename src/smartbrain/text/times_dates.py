"""Dates by the name of their month or in digits, years, quarters and seasons, as English has them.

In: text as `times` prepares it. Out: `RULES_DATES`. Names of months that are also ordinary words
need a capital letter and a number, or a telling word before them; a year alone needs one too.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import partial
from typing import Final

from smartbrain.text.times_calendar import (
    DAY,
    MINUTE,
    STEPS,
    YEAR,
    Period,
    Piece,
    Reader,
    Rule,
    days_of,
    half_of,
    month_of,
    month_reader,
    part_of,
    quarter_of,
    season_of,
    unit_period,
    year_of,
)
from smartbrain.text.times_en import FREE, RELATIVE, UNITS, W, english, stands_after

_NAMES: Final = (
    *("january", "february", "march", "april", "may", "june", "july", "august"),
    *("september", "october", "november", "december"),
)
_SHORT: Final = (
    "jan",
    "feb",
    "mar",
    "apr",
    "jun",
    "jul",
    "aug",
    "sep",
    "sept",
    "oct",
    "nov",
    "dec",
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
    """Return the number of a month by the beginning of its name."""
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
    """Return the reader of the year that an expression names, if it names one."""
    if written := groups["year"] or groups.get("year_alone"):
        number = int(written)
        return lambda now: year_of(now, number)
    if rel := groups.get("rel_year"):
        away = RELATIVE[rel.lower()]
        return lambda now: unit_period(YEAR, now, away)
    return None


def _days(groups: dict[str, str | None], month: Reader) -> Reader:
    """Read a day or days of a month, or the whole of it."""
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
    """Read "5 March 2025", "the 5th of March" and "between 3 and 5 March"."""
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
    """Return a quarter of that year, or of this one."""
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
    """Read 3/5/2025, the month first unless it is none."""
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
