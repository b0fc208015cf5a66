"""What English words, and dates in digits, say about time, as rules from words to pieces.

In: text as `times` prepares it. Out: `RULES_EN`. Prepositions belong to an expression only where
they make it one, as in "in two weeks". Names of months and days that are also ordinary words need a
capital letter, a number or a telling word beside them.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Final

from smartbrain.domain.time import Granularity
from smartbrain.text.pattern import pattern
from smartbrain.text.times_calendar import (
    AFTERNOON,
    DAY,
    EVENING,
    HOUR,
    MINUTE,
    MONTH,
    MORNING,
    NIGHT,
    QUARTER,
    STEPS,
    WEEK,
    YEAR,
    Amount,
    Clock,
    Piece,
    Reader,
    Rule,
    Step,
    day_of_week,
    distant,
    last_weekday,
    recent,
    repeated,
    stretch,
    unit_period,
    weekend,
)

W: Final = r"\s{1,3}"
"""Between two words."""

FREE: Final = r"(?<![\w.:/$#+])"
"""Before a number that is not part of a longer one."""

RELATIVE: Final = {"last": -1, "previous": -1, "this": 0, "the": 0, "next": 1}
"""How many units a word before a unit goes away from the present one."""

UNITS: Final = {
    "min": MINUTE,
    "hour": HOUR,
    "day": DAY,
    "week": WEEK,
    "month": MONTH,
    "quarter": QUARTER,
    "year": YEAR,
}
"""The units, without the ending of "minute"."""

_ONES: Final = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen", "twenty"),
)
NUMBERS: Final = {
    **{word: number for number, word in enumerate(_ONES, 1)},
    "a": 1,
    "an": 1,
    "couple": 2,
    "few": 3,
    "several": 3,
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "ninety": 90,
    "hundred": 100,
}
_UNIT: Final = rf"(?P<unit>{'|'.join(UNITS)})(?:ute)?s?(?![\w-])"
_AMOUNT: Final = (
    rf"(?P<half>half{W})?(?:a{W}(?=couple|few|hundred))?"
    rf"(?P<count>(?<![\w.:/$#-])[0-9]{{1,4}}|(?<!-)(?:{'|'.join(NUMBERS)}))"
    rf"(?:(?<=couple){W}of)?{W}{_UNIT}(?P<more>{W}and{W}a{W}half(?!\w))?"
)
DAY_NAMES: Final = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY: Final = (
    r"(?<!black\s)(?<!good\s)(?<!cyber\s)(?P<weekday>mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?"
    r"|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?)"
)
_WEEKDAY_STARTS: Final = (
    *DAY_NAMES,
    *("tues", "thur", "thurs"),
    *(f"{day}day" for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")),
    *(f"{day}days" for day in ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")),
)
_PARTS: Final = {"morning": MORNING, "afternoon": AFTERNOON, "evening": EVENING, "night": NIGHT}
_PART: Final = rf"(?P<part>{'|'.join(_PARTS)})(?![\w-])"
_DAYS_AWAY: Final = {"yesterday": -1, "today": 0, "tonight": 0, "tomorrow": 1}


def english(source: str) -> re.Pattern[str]:
    """Return a pattern for English words in small or capital letters."""
    return pattern(source, re.IGNORECASE | re.ASCII)


_ON: Final = english(r"\b(?:on|by|until|till|since|before|after|from|for)\s{1,2}\Z")


def stands_after(found: re.Match[str], words: re.Pattern[str]) -> re.Match[str] | None:
    """Find the word of a pattern that stands right before an expression."""
    return words.search(found.string[max(0, found.start() - 12) : found.start()])


def _amount(found: re.Match[str]) -> Amount:
    """Return so many units; "half an hour" is one half."""
    word = found["count"].lower()
    number = int(word) if word.isdecimal() else NUMBERS[word]
    halves = number if found["half"] else 2 * number + bool(found["more"])
    return Amount(halves, UNITS[found["unit"].lower()])


def _ago(found: re.Match[str]) -> Piece:
    amount = _amount(found)
    sign = -1 if found["ago"] else 1
    if found["day"]:
        return Piece(lambda now: unit_period(DAY, stretch(amount, now, sign).start))
    return Piece(lambda now: distant(amount, now, sign))


def _ahead(found: re.Match[str]) -> Piece:
    amount = _amount(found)
    reach = distant if found["way"].lower() == "in" else stretch
    return Piece(lambda now: reach(amount, now, 1))


def _stretch(found: re.Match[str]) -> Piece | None:
    """Read "the last 3 months", "the past week" and "recent days"."""
    word = found["rel"].lower()
    sign = 1 if word in ("next", "coming") else -1
    if found["count"]:
        amount = _amount(found)
    elif word == "recent" or not (found["the"] or word in ("past", "coming")):
        return None
    elif found["one"].lower() == "day" and word != "past":
        return None  # "the last day" and "the next day" depend on what was told before
    else:
        amount = Amount(2, UNITS[found["one"].lower()])
    return Piece(lambda now: stretch(amount, now, sign))


def _relative_day(found: re.Match[str]) -> Piece:
    word = found["day"].lower()
    away = _DAYS_AWAY[word] * (2 if found["far"] else 1)
    part = EVENING if word == "tonight" else None
    return Piece(lambda now: unit_period(DAY, now, away), part)


def _relative(found: re.Match[str]) -> Piece | None:
    """Read "last week", "this weekend", "next year" and "last night"."""
    away = RELATIVE[found["rel"].lower()]
    unit = found["unit"].lower()
    if unit == "weekend":
        return Piece(lambda now: weekend(now, away))
    if unit in _PARTS:
        if away > 0 or (away < 0 and unit in ("morning", "afternoon")):
            return None
        return Piece(lambda now: unit_period(DAY, now, away), _PARTS[unit])
    return Piece(lambda now: unit_period(UNITS[unit], now, away))


def _farther(found: re.Match[str]) -> Piece:
    unit = UNITS[found["unit"].lower()]
    away = -2 if found["side"] else 2
    return Piece(lambda now: unit_period(unit, now, away))


def _weekday(found: re.Match[str]) -> Piece | None:
    word = found["weekday"]
    number = DAY_NAMES.index(word[:3].lower())
    short = len(word) < len("monday")
    if short and (word[0].islower() or found["plural"]):
        return None
    if found["plural"]:
        return Piece(lambda now: repeated(day_of_week(now, number), STEPS[WEEK]))
    rel, week = found["rel"], found["week"]
    if rel and rel.lower() == "last" and not found["whole"]:
        return Piece(lambda now: last_weekday(now, number))
    if rel or week:
        away = RELATIVE[(rel or week).lower()]
        return Piece(lambda now: day_of_week(now, number, away))
    weak = short and number > 4 and not stands_after(found, _ON)
    return Piece(lambda now: day_of_week(now, number), weak=weak, bare=STEPS[WEEK])


def _every(found: re.Match[str]) -> Piece:
    times = 2 if found["other"] else 1
    if found["weekday"]:
        number = DAY_NAMES.index(found["weekday"][:3].lower())
        return _repeated(WEEK, times, lambda now: day_of_week(now, number))
    if found["weekend"]:
        return _repeated(WEEK, times, weekend)
    if found["part"]:
        piece = _repeated(DAY, times, partial(unit_period, DAY))
        return piece._replace(part=_PARTS[found["part"].lower()])
    unit = UNITS[found["unit"].lower()]
    return _repeated(unit, times, partial(unit_period, unit))


def _repeated(unit: Granularity, times: int, date: Reader) -> Piece:
    one = STEPS[unit]
    return Piece(lambda now: repeated(date(now), Step(one.months * times, one.rest * times)))


def _twelve_hours(found: re.Match[str]) -> Piece | None:
    after_noon = 12 * (found["half"] in "pP")
    hour, minute = int(found["hour"]), found["minute"]
    last, last_minute = found["last"], found["last_minute"]
    if not 1 <= hour <= 12 or (last and not 1 <= int(last) <= 12):
        return None
    minutes = int(minute) if minute else None
    if last is None:
        return Piece(clock=Clock(hour % 12 + after_noon, minutes))
    end = int(last) % 12 + after_noon
    start = hour % 12 + after_noon
    # In "11-1pm" the first hour is before noon.
    start -= 12 * (start > end and after_noon > 0)
    return Piece(clock=Clock(start, minutes, False, (end, int(last_minute or 0))))


def _full_clock(found: re.Match[str]) -> Piece:
    hour, minute = int(found["hour"]), int(found["minute"])
    return Piece(clock=Clock(hour, minute, len(found["hour"]) == 1))


def _round_hour(found: re.Match[str]) -> Piece | None:
    """Read "at 3", which is a time only beside a date, and "3 o'clock"."""
    word = found["hour"].lower()
    hour = int(word) if word.isdecimal() else NUMBERS[word]
    if hour > 24:
        return None
    return Piece(clock=Clock(hour, None, hour < 12), weak=not found[0].lower().endswith("k"))


_NOT_COUNTED: Final = (
    rf"(?![\w:%/-]|[.,][0-9]|{W}(?!(?:i|wa|ha|a|thi)s\b)[a-z]+s\b|\s?(?:[ap]\.?m\b|o'clock))"
)

RULES_EN: Final = (
    Rule(
        ("0", "half", *NUMBERS),
        english(rf"{_AMOUNT}{W}(?:(?P<ago>ago|back)(?P<day>{W}today)?|from{W}(?:now|today))(?!\w)"),
        _ago,
    ),
    Rule(
        ("in", "within"),
        english(rf"(?P<way>in|within){W}{_AMOUNT}(?!{W}(?:of|or|ago)\b)"),
        _ahead,
    ),
    Rule(
        ("the", "last", "past", "previous", "next", "coming"),
        english(
            rf"(?P<the>the{W})?(?P<rel>last|past|previous|next|coming){W}"
            rf"(?:{_AMOUNT}|(?P<one>hour|day|week|month|quarter|year)(?![\w-]))(?!{W}of\b)"
        ),
        _stretch,
    ),
    Rule(
        ("the", "day", *_DAYS_AWAY),
        english(
            rf"(?:(?:the{W})?(?P<far>day{W}(?:before(?=\s+y)|after(?=\s+tom))){W})?"
            rf"(?P<day>{'|'.join(_DAYS_AWAY)})(?!\w)"
        ),
        _relative_day,
    ),
    Rule(
        ("last", "this", "next", "previous"),
        english(
            rf"(?P<rel>last|this|next|previous){W}(?P<unit>weekend|week|month|quarter|year"
            rf"|{'|'.join(_PARTS)})(?![\w-])(?!{W}of\b)"
        ),
        _relative,
    ),
    Rule(
        ("the",),
        english(
            rf"the{W}(?P<unit>week|month|quarter|year){W}"
            rf"(?:(?P<side>before){W}last|after{W}next)(?!\w)"
        ),
        _farther,
    ),
    Rule(
        ("last", "this", "next", *_WEEKDAY_STARTS),
        english(
            rf"(?:(?P<rel>last|this|next){W}(?P<whole>week(?:'s)?{W})?)?{_WEEKDAY}"
            rf"(?:(?P<plural>s)(?!\w)"
            rf"|(?!\w)(?:{W}(?:of{W})?(?P<week>last|this|next){W}week(?!\w))?)"
        ),
        _weekday,
    ),
    Rule(
        ("recently", "lately", "these", "the"),
        english(rf"(?:recently|lately|these{W}days|the{W}other{W}day)(?!\w)"),
        lambda _: Piece(recent),
    ),
    Rule(
        ("every",),
        english(
            rf"every{W}(?P<other>other{W})?(?:(?P<weekend>weekend)(?!\w)|{_PART}"
            rf"|(?P<unit>day|week|month|quarter|year)(?![\w-])|{_WEEKDAY}(?!\w))"
        ),
        _every,
    ),
    Rule(
        ("in", "at", *_PARTS),
        english(rf"(?:in{W}the{W}|at{W}(?=night))?{_PART}"),
        lambda found: Piece(part=_PARTS[found["part"].lower()], weak=True),
    ),
    Rule(
        ("noon", "midnight"),
        english(r"noon(?!\w)|midnight(?!\w)"),
        lambda found: Piece(clock=Clock(12 if found[0][0] in "nN" else 24)),
    ),
    Rule(
        ("0",),
        english(
            rf"{FREE}(?P<hour>[0-9]{{1,2}})(?::(?P<minute>[0-5][0-9]))?"
            rf"(?:(?:\s?-\s?|{W}to{W})(?P<last>[0-9]{{1,2}})(?::(?P<last_minute>[0-5][0-9]))?)?"
            r"\s?(?P<half>[ap])(?:\.m\.|m(?!\w))"
        ),
        _twelve_hours,
    ),
    Rule(
        ("0",),
        english(
            rf"{FREE}(?P<hour>[01]?[0-9]|2[0-4]):(?P<minute>[0-5][0-9])"
            r"(?::[0-5][0-9](?:[.,][0-9]{1,6})?)?(?![\w:]|\.[0-9]|\s?[ap]\.?m\b)"
        ),
        _full_clock,
    ),
    Rule(("at",), english(rf"at{W}(?P<hour>[0-9]{{1,2}}){_NOT_COUNTED}"), _round_hour),
    Rule(
        ("0", *_ONES[:12]),
        english(rf"{FREE}(?P<hour>[0-9]{{1,2}}|{'|'.join(_ONES[:12])})\s?o'clock(?!\w)"),
        _round_hour,
    ),
)
