"""What words say about time: readers of what the patterns of `times_rules` found.

In: the groups of a pattern, which have the same names in Chinese and English. Out: a piece of a
time, or None where the words are none. The words themselves are lists in `words.txt`.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import partial
from typing import Final

from smartbrain.domain.time import Granularity, TimeKind
from smartbrain.text.pattern import english, stands_after
from smartbrain.text.times_calendar import (
    DAY,
    MINUTE,
    MONTH,
    STEPS,
    WEEK,
    YEAR,
    Amount,
    Clock,
    Part,
    Period,
    Piece,
    Reader,
    Step,
    chinese_number,
    day_of_week,
    days_of,
    distant,
    last_weekday,
    month_of,
    months_of,
    part_of,
    repeat_period,
    season_of,
    stretch,
    unit_period,
    year_of,
)
from smartbrain.text.times_dates import YEAR_NUMBER, W
from smartbrain.text.word_list import stored_meanings


class Words(dict[str, str | None]):
    """What the groups of a pattern found, in small letters, with one blank between words."""

    def __missing__(self, name: str) -> None:
        """Return nothing for a group that the pattern does not have."""
        return


def _numbers(name: str) -> dict[str, int]:
    return {word: int(number) for word, number in stored_meanings(__file__, name).items()}


_AWAY: Final = _numbers("_AWAY")
_SEASONS: Final = _numbers("_SEASONS")
_ORDINALS: Final = _numbers("_ORDINALS")
_WEEKDAYS: Final = _numbers("_WEEKDAYS")
_MONTHS: Final = _numbers("_MONTHS")
_NUMBERS: Final = _numbers("_NUMBERS")
_UNITS: Final = {
    word: Granularity(unit) for word, unit in stored_meanings(__file__, "_UNITS").items()
}
_WAYS: Final = {word: way.split() for word, way in stored_meanings(__file__, "_WAYS").items()}
_PARTS: Final = {
    word: Part(*map(int, hours.split("-")))
    for word, hours in stored_meanings(__file__, "_PARTS").items()
}
_SECTIONS: Final = stored_meanings(__file__, "_SECTIONS")
_FRACTIONS: Final = {"半": 30, "一刻": 15, "三刻": 45}
_THIS_YEAR: Final[Reader] = partial(unit_period, YEAR)


_ON: Final = english(r"\b(?:on|by|until|till|since|before|after|from|for)\s{1,2}\Z")
_TELLING: Final = english(
    r"\b(?:(?P<sure>in|since|until|till|during)|by|of|from|before|after|around|for|the)\s{1,2}\Z"
    r"|在\s?\Z"
)
_YEAR_TELLING: Final = english(
    r"\b(?:(?P<sure>in|since|by|during|until|till|before|after)|(?P<of>of)"
    rf"|from|between|{YEAR_NUMBER}\s(?:to|and|through|-))\s\Z"
)
_DURING: Final = english(r"\b(?:in|during|over|back)\s{1,2}(?:the\s{1,2})?\Z")
_BETWEEN: Final = english(r"\bbetween\s{1,2}\Z")
_COUNTED_NOUN: Final = english(rf"{W}(?!(?:i|wa|ha|a|thi)s\b)[a-z]+s\b")


def english_words(name: str) -> tuple[str, ...]:
    """Return the English words of a list that the readers know."""
    return tuple(word for word in stored_meanings(__file__, name) if word.isascii())


def _words_of(found: re.Match[str]) -> Words:
    groups = found.groupdict()
    return Words({name: word and " ".join(word.lower().split()) for name, word in groups.items()})


def _number(word: str | None) -> int | None:
    return None if word is None else _NUMBERS.get(word) or chinese_number(word)


def _day_number(word: str) -> int:
    """Return the number of a day; what cannot be read is no day of any month."""
    return chinese_number(word.rstrip("stndrh")) or 0


def _away(words: Words) -> int:
    """Return how many units a thing is away: "last", 下下, "two … ago"."""
    if count := _number(words["count"]):
        return -count
    return _AWAY[words["rel"] or words["week"] or "this"]


def _year(words: Words) -> Reader | None:
    if word := words["year_word"]:
        return partial(unit_period, YEAR, away=_AWAY[word])
    written = words["year"]
    number = chinese_number(written) if written else None
    return None if number is None else partial(year_of, year=number)


def _month(words: Words, year: Reader | None) -> Reader:
    word = words["month"] or ""
    number = _MONTHS.get(word) or chinese_number(word) or 0

    def read(now: datetime) -> Period:
        if year or not words["rel"]:
            return month_of(now, number, year(now).start.year if year else None)
        away = _away(words)  # the latest one before this month, this year's, the next one after it
        later = away > 0 and number <= now.month
        return month_of(now, number, now.year + later - (away < 0 and number >= now.month))

    return read


def _date(words: Words, year: Reader | None = None) -> Reader:
    """Return the reader of a date, by whatever words there are for it."""
    year = year or _year(words)
    whole, away = year or partial(unit_period, MONTH), _away(words)
    nth = words["quarter"] or words["q"] or words["half"]
    if words["month"]:
        whole = _month(words, year)
    elif nth:
        months = 6 if words["half"] else 3
        first = months * ((_ORDINALS.get(nth) or chinese_number(nth) or 0) - 1)
        whole = _part_of_year(year, first, months)
    elif season := words["season"]:
        number = _SEASONS[season]
        whole = partial(season_of, number=number, away=away)
        if year:
            whole = _part_of_year(year, 2 + 3 * number, 3)
    elif words["weekend"]:
        whole = partial(day_of_week, weekday=5, weeks=away, days=2)
    elif weekday := words["weekday"]:
        number = _WEEKDAYS[weekday[:3]]
        whole = partial(day_of_week, weekday=number, weeks=away)
        if away < 0 and not words["week"]:  # "last Friday" is the latest before today
            whole = partial(last_weekday, weekday=number, away=away)
    elif unit := words["unit"]:
        whole = partial(unit_period, _UNITS[unit], away=away)
    elif words["year_part"]:
        whole = year or _THIS_YEAR
    if day := words["day"]:
        last = words["last_day"]
        until = _day_number(last) if last else None
        return lambda now: days_of(whole(now), _day_number(day), until)
    section = words["section"] or words["ten_days"] or words["year_part"]
    return (lambda now: part_of(whole(now), _SECTIONS[section])) if section else whole


def _part_of_year(year: Reader | None, first: int, months: int) -> Reader:
    return lambda now: months_of((year or _THIS_YEAR)(now), first, months)


def read_plain(found: re.Match[str]) -> Piece:
    """Read what says which one it means: 上季度, "last week", "two summers ago", 大后天."""
    return Piece(_date(_words_of(found)))


def read_day(found: re.Match[str]) -> Piece:
    """Read 明晚, "the day before yesterday", "last night", "tonight"."""
    words = _words_of(found)
    date = partial(unit_period, DAY, away=_AWAY[words["near"] or "this"])
    return Piece(date, _PARTS[words["part"]] if words["part"] else None)


def part_of_day(found: re.Match[str]) -> Piece:
    """Read 下午 and "in the morning", which are times only beside a date or a time of day."""
    return Piece(part=_PARTS[found["part"].lower()], weak=True)


def read_week(found: re.Match[str]) -> Piece | None:
    """Read a week, its weekend or a day of it, in Chinese."""
    words = _words_of(found)
    if not (words["week"] or words["weekday"] or words["weekend"]):
        return None
    words["unit"] = "周"
    bare = words["weekday"] and not words["week"]
    return Piece(_date(words), bare=STEPS[WEEK] if bare else None)


def read_english_weekday(found: re.Match[str]) -> Piece | None:
    """Read "Monday", "last Friday", "Monday next week", "on Mondays"."""
    words = _words_of(found)
    words["week"] = words["week"] or words["week_after"]
    short = len(found["weekday"]) < len("monday")
    if short and (found["weekday"][0].islower() or words["plural"]):
        return None
    date = _date(words)
    if words["plural"]:
        return Piece(lambda now: repeat_period(date(now), STEPS[WEEK]))
    if words["rel"] or words["week"]:
        return Piece(date)
    weak = short and found["weekday"][:3] in ("Sat", "Sun") and not stands_after(found, _ON)
    return Piece(date, weak=weak, bare=STEPS[WEEK])


def read_every(found: re.Match[str]) -> Piece:
    """Read 每周三, "every other Friday"."""
    words = _words_of(found)
    if words["weekday"] or words["weekend"]:
        words["week"] = "this"
    unit = WEEK if words["week"] else _UNITS[words["unit"] or "day"]
    date = _date(words, _THIS_YEAR) if not words["part"] else partial(unit_period, DAY)
    one, times = STEPS[unit], 2 if words["other"] else 1
    step = Step(one.months * times, one.rest * times)
    part = _PARTS[words["part"]] if words["part"] else None
    return Piece(lambda now: repeat_period(date(now), step), part)


def read_counted(found: re.Match[str]) -> Piece | None:
    """Read 三天前, "in two weeks", "the last 3 months", "the past week"."""
    words = _words_of(found)
    unit, count = _UNITS[words["unit"] or ""], words["count"]
    halves = 2 if count is None else 1
    if count and count != "半":
        number = _number(count)
        if number is None or (words["unit"] == "年" and 1900 <= number < 2200):
            return None
        more = words["more"] or words["extra"]
        halves = number if words["half"] else 2 * number + bool(more)
    way, sign = _WAYS.get(words["way"] or "", ("until", "-1"))
    reach = distant if way == "to" else stretch
    amount = Amount(halves, unit)
    if words["today"]:
        return Piece(lambda now: unit_period(DAY, stretch(amount, now, int(sign)).start))
    return Piece(lambda now: reach(amount, now, int(sign)))


def read_clock(found: re.Match[str]) -> Piece | None:
    """Read a time of day, or from one to another: 3-5pm, 8点一刻, at 3, 9:15."""
    words = _words_of(found)
    hour, last = _number(words["hour"]), _number(words["last"])
    minute, end = _minute(words["minute"]), _minute(words["last_minute"])
    written = words["hour"] or words["last"] or ""
    if words["hour"] is None:
        hour, minute, last, end = last, end, None, None
    noon, most = words["noon"], 24
    if noon:
        most = 12
    if hour is None or max(minute or 0, end or 0) >= 60:
        return None
    if not (noon is not None) <= min(hour, last or hour) <= max(hour, last or 0) <= most:
        return None
    loose = not noon and hour < 12 and written[0] != "0"
    if noon:
        after = 12 * (noon == "p")
        hour, last = hour % 12 + after, None if last is None else last % 12 + after
        if last is not None and hour > last:
            hour -= after  # in "11-1pm" the first hour is before noon
    until = None if last is None else (last, end or 0)
    weak = minute is None and not (noon or words["whole"])
    return Piece(clock=Clock(hour, minute, loose, until), weak=weak)


def _minute(word: str | None) -> int | None:
    if word is None:
        return None
    return _FRACTIONS.get(word) or chinese_number(word.lstrip("零〇") or "零")


def read_moment(found: re.Match[str]) -> Piece:
    """Read 2025-03-05T15:30Z."""

    def read(now: datetime) -> Period:
        moment = datetime.fromisoformat(f"{found['date']}T{found['time']}{found['zone'] or ''}")
        moment = moment if moment.tzinfo else moment.replace(tzinfo=now.tzinfo)
        return unit_period(MINUTE, moment.astimezone(now.tzinfo))

    return Piece(read)


def read_slashes(found: re.Match[str]) -> Piece:
    """Read 3/5/2025, the month first unless it can be none."""
    month, day, year = int(found["a"]), int(found["b"]), int(found["year"])
    if month > 12:
        month, day = day, month
    return Piece(lambda now: unit_period(DAY, now.replace(year=year, month=month, day=day)))


def read_chinese_date(found: re.Match[str]) -> Piece | None:
    """Read a year, a month or a day of it, or another part of it, each with or without a year."""
    words = _words_of(found)
    if not any(words.values()):
        return None
    has_year = words["year"] or words["year_word"]
    names = ("month", "quarter", "q", "half", "season")
    bare = not has_year and any(words.get(name) for name in names)
    season = bool(not has_year and words["season"])
    if season and found.string.endswith(("个", "每", "那年", *"0123456789"), 0, found.start()):
        return None
    return Piece(_date(words), weak=season, bare=STEPS[YEAR] if bare else None, asked=season)


def _is_short(month: str) -> bool:
    """Tell whether a month is written short, so that it may be another word."""
    name = month.lower()
    return name == "sept" or (len(name) == 3 and name != "may")


def _weakness(word: str, *, numbered: bool, told: bool, sure: bool) -> bool | None:
    """Tell whether a month's name needs another piece beside it; None when it is no month.

    Names such as "May" are told by a number or by a word before them, which has to be a `sure` one
    where they have no capital letter.
    """
    name = word.lower()
    ordinary = name in ("may", "march", "august")
    if not (ordinary or _is_short(name)):
        return False
    if word[0].islower():
        meant = name == "august" if numbered else sure and ordinary
        return False if meant else None
    return not (numbered or told or name == "august")


def read_named_month(found: re.Match[str]) -> Piece | None:
    """Read a month by its name, with a day or days, a year, or "last" and the like."""
    words = _words_of(found)
    has_year, rel = words["year"] or words["year_word"], words["rel"]
    telling = stands_after(found, _TELLING)
    weak = _weakness(
        found["month"],
        numbered=bool(words["day"] or has_year),
        told=bool(telling or rel),
        sure=bool(telling and telling["sure"]) or rel in ("last", "next"),
    )
    if weak is None:
        return None
    return Piece(_date(words), weak=weak and not rel, bare=None if has_year or rel else STEPS[YEAR])


def read_day_first(found: re.Match[str]) -> Piece | None:
    """Read "the 5th of March"."""
    words = _words_of(found)
    if _weakness(found["month"], numbered=True, told=False, sure=False) is None:
        return None
    if words["and"] and not stands_after(found, _BETWEEN):
        return None
    return Piece(_date(words), bare=None if words["year"] or words["year_word"] else STEPS[YEAR])


def read_section(found: re.Match[str]) -> Piece | None:
    """Read "early March", "the end of next month", "mid-2024"."""
    words = _words_of(found)
    if words["unit"] and words["section"] and not words["rel"]:
        return None
    month = found["month"]
    if month and month.islower() and _is_short(month):
        return None
    words["section"] = words["section"] or words["noun"]
    words["year"] = words["year"] or words["year_alone"]
    bare = words["month"] and not (words["rel"] or words["year"])
    return Piece(_date(words), bare=STEPS[YEAR] if bare else None)


def read_season(found: re.Match[str]) -> Piece:
    """Read "last summer", "the winter of 2024"."""
    words = _words_of(found)
    date = _date(words)
    if words["year"] or words["year_word"] or words["rel"]:
        return Piece(date)
    # A name goes on: the Spring Fling.
    goes_on = found.string[found.end() + 1 : found.end() + 2].isupper()
    named = found["season"][0].isupper() and goes_on
    asked = not named and stands_after(found, _DURING) is not None
    return Piece(date, weak=True, bare=STEPS[YEAR], asked=asked)


def read_part_by_letter(found: re.Match[str]) -> Piece | None:
    """Read Q3 and H1 with a year; a quarter may go without one after a telling word."""
    words = _words_of(found)
    if words["year"]:
        return Piece(_date(words))
    if words["half"]:
        return None
    weak = found[0][0] == "q" or stands_after(found, _TELLING) is None
    return Piece(_date(words), weak=weak, bare=STEPS[YEAR], asked=True)


def read_year_alone(found: re.Match[str]) -> Piece | None:
    """Read a year that a word before it tells from any other number."""
    telling = stands_after(found, _YEAR_TELLING)
    if telling is None or (telling["of"] and _COUNTED_NOUN.match(found.string, found.end())):
        return None
    return Piece(_date(_words_of(found)), weak=not (telling["sure"] or telling["of"]))


def read_ordinal(found: re.Match[str]) -> Piece:
    """Read "the first quarter", 第三周."""
    words = _words_of(found)
    nth = words["quarter"] or words["half"]
    if not nth:
        word = words["week_number"] or ""
        number = _ORDINALS[word] if word in _ORDINALS else chinese_number(word) or 0
        return Piece(partial(_week_of, number=number), weak=True, bare=STEPS[MONTH])
    alone = bool(words["quarter"] or words["of_year"])
    return Piece(_date(words), weak=True, bare=STEPS[YEAR], asked=alone)


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


def read_day_of_month(found: re.Match[str]) -> Piece:
    """Read 3号, "on the 9th"."""
    words = _words_of(found)
    return Piece(_date(words), weak=True, bare=STEPS[MONTH], asked=words["alone"] is not None)


def read_short_year(found: re.Match[str]) -> Piece:
    """Read 23年: a year of this century, or one of the second half of the last."""
    number = int(found["short"])

    def read(now: datetime) -> Period:
        this = now.year % 100
        if this + 1 < number < 50:
            raise ValueError(number)
        return year_of(now, now.year - this + number - 100 * (number > this + 1))

    return Piece(read, weak=True, asked=True)
