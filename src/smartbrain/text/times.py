"""Find the times that Chinese, English and mixed text speaks of, and place them on the calendar.

In: a text and the moment it was written at, whose UTC offset its days are in. Out: `TimeSpan`s. No
clock is read and no model asked, so the same text and moment always give the same answer. How words
are read that could mean several things is told at `find_times`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from functools import partial
from typing import Final, NamedTuple

from smartbrain.domain.time import Granularity, TimeKind, TimeSpan
from smartbrain.text.pattern import english, pattern
from smartbrain.text.times_calendar import (
    DAY,
    HOUR,
    MINUTE,
    NUMERALS,
    STEPS,
    WEEK,
    YEAR,
    Period,
    Piece,
    Reader,
    Rule,
    Step,
    add_step,
    shift_period,
    unit_period,
    within_day,
)
from smartbrain.text.times_rules import RULES, RULES_ASKED

# One character for another, so that places stay the same.
_SAME: Final = str.maketrans(
    "０１２３４５６７８９：－–—～，（）’\u00a0\u2009\u202f\u3000"
    "後週點號禮鐘個這兩來過從幾間內節國慶聖誕時當將數凈勞動",
    "0123456789:---~,()'\u0020\u0020\u0020\u0020"
    "后周点号礼钟个这两来过从几间内节国庆圣诞时当将数净劳动",
)
_JOIN: Final = english(
    r"\)?\s{0,3},?\s{0,3}\(?(?:(?:at|on|around|about|by|of|from|before|after|the|@)\s{1,2}|的)?"
)
_BESIDE: Final = english(r"\s{0,2},?\s{0,2}\(?(?:the\s)?")
_TO: Final = english(r"\s{0,2}(?:[-~到至]|\b(?:to|through|thru|until|till)\b)\s{0,2}")
_AND: Final = english(r"\s{0,2}(?:and|[和与])\s{0,2}")
_BETWEEN: Final = english(r"(?:\bbetween\s{1,2}|在)\Z")
_FROM: Final = english(r"(?:\b(?:from|between)\s{1,2}|[从自])\Z")
# Between a year and a month of it, a month and a day, a week and a weekday.
_WITHIN: Final = english(
    r"(?:'s)?\s{0,2},?\s{0,2}(?:(?:back\s)?(?:in|at|on|of|during|over|around)\s{1,2})?(?:the\s)?|\s?的\s?"
)
_OF: Final = english(r"\s{0,2},?\s{0,2}(?:(?:of|in)\s{1,2})?(?:the\s)?")
_LONGEST_GAP: Final = 16
_HALF_DAY: Final = timedelta(hours=12)


class _Found(NamedTuple):
    offset: int
    end: int
    piece: Piece


class _Dated(NamedTuple):
    offset: int
    end: int
    period: Period


class _Table(NamedTuple):
    """Rules by what their words may begin with, and what finds such a beginning."""

    rules: dict[str, list[Rule]]
    start: re.Pattern[str]


def _table(rules: Iterable[Rule]) -> _Table:
    table: dict[str, list[Rule]] = {}
    for rule in rules:
        for start in rule.starts:
            table.setdefault(start, []).append(rule)
    wide = "".join(key for key in table if not key.isascii())
    start = rf"[A-Za-z]+|(?P<digits>[0-9]+)|(?P<numerals>[{NUMERALS}]+)|[{wide}]"
    return _Table(table, pattern(start))


_TOLD: Final = _table(RULES)
_ASKED: Final = _table(RULES_ASKED)
_RUN_KEYS: Final[dict[str | None, str]] = {"digits": "0", "numerals": "一"}


def find_times(text: str, now: datetime, *, asked: bool = False) -> list[TimeSpan]:
    """Return the times of a text in its order, none of them overlapping another.

    What words mean is fixed where they could mean several things:

    - A week begins on Monday. A weekday alone is the one of this week, for both languages, and
      so are "this Friday" and 这周五; 上周五 and 下周五 are those of the weeks beside it, and so is
      "next Friday", but "last Friday" is the latest one before today.
    - A month without a year is the one nearest to now, at six months that of this year; "last
      March" and "next March" are the nearest ones before and after this month. Quarters and
      halves without a year are those of this one.
    - Three weeks ago or ahead, 三周前 and the like, are the calendar week (day, month, year …)
      that holds that moment; half a unit is as precise as the next finer unit. Months too short
      for a day give their last one.
    - Recently and 最近 are the seven days up to now; "a few" and 几 are three. "Within", "the last
      three weeks" and 未来两周 are ranges that begin or end now.
    - Hours: morning 6–12, 上午 8–12, noon 12–13, afternoon 12–18, evening and tonight 18–24,
      night 20–24, 凌晨 0–6. An hour from 1 to 5 that does not say which half of the day it is in
      is after noon; midnight ends its day.
    - Early, mid and late parts of a period are those of `times_calendar.part_of`.
    - A range ends with its last day, or at its last hour. What recurs is given by its first
      occurrence that is not over.
    - A preposition belongs to the words only where it makes them a time: "in two weeks", "from
      … to".

    Args:
        text: anything; what no calendar has, such as 2月30日 or the year 10000, is passed over.
        now: the aware moment the text was written at; all times stand at its UTC offset.
        asked: whether the text asks for something: then words are times too that say too little in
            a statement, such as Q3 or 春节.
    """
    offset = now.utcoffset()
    moment = now.replace(tzinfo=timezone(offset) if offset else UTC)
    plain = text if text.isascii() else text.translate(_SAME)
    table = _ASKED if asked else _TOLD
    spans = []
    for dated in _ranges(
        _joined(_pieces(plain, moment, table), plain, moment), plain, moment, asked=asked
    ):
        period = _next(dated.period, moment)
        if period is not None:
            words = text[dated.offset : dated.end]
            spans.append(
                TimeSpan(
                    start=period.start,
                    end=period.end,
                    granularity=period.granularity,
                    kind=period.kind,
                    words=words,
                    offset=dated.offset,
                    length=len(words),
                )
            )
    return spans


def _pieces(text: str, now: datetime, table: _Table) -> Iterator[_Found]:
    found: _Found | None = _Found(0, 0, Piece())
    while found:
        found = _first_piece(text, found.end, now, table)
        if found:
            yield found


def _first_piece(text: str, place: int, now: datetime, table: _Table) -> _Found | None:
    """Return the first piece from a place on, the longest of those that begin together."""
    for start in table.start.finditer(text, place):
        key = _RUN_KEYS.get(start.lastgroup) or start[0].lower()
        best = None
        for rule in table.rules.get(key, ()):
            match = rule.pattern.match(text, start.start())
            if match and (best is None or match.end() > best.end):
                piece = rule.read(match)
                if piece and _read(piece, now):
                    best = _Found(match.start(), match.end(), piece)
        if best:
            return best
    return None


def _read(piece: Piece, now: datetime) -> Period | None:
    try:
        return _meaning(piece, now)
    except (ValueError, OverflowError):
        return None


def _meaning(piece: Piece, now: datetime) -> Period:
    date = piece.date(now) if piece.date else unit_period(DAY, now)
    return within_day(date, piece.part, piece.clock) if piece.part or piece.clock else date


def _joined(pieces: Iterator[_Found], text: str, now: datetime) -> Iterator[_Found]:
    """Put dates, parts of the day and times of day together that stand side by side."""
    held: _Found | None = None
    for found in pieces:
        joined = _join(held, found, text, now) if held else None
        if held and not joined:
            yield held
        held = joined or found
    if held:
        yield held


def _join(one: _Found, other: _Found, text: str, now: datetime) -> _Found | None:
    """Return two neighbours as one piece, if they say different things about one day."""
    if other.offset - one.end > _LONGEST_GAP:
        return None
    gap = text[one.end : other.offset]
    a, b = one.piece, other.piece
    if a.date and b.date:
        beside = _absorb(one, other, text, now) if _BESIDE.fullmatch(gap) else None
        return beside or _within(one, other, gap, now)
    if (a.part and b.part) or (a.clock and b.clock) or not _JOIN.fullmatch(gap):
        return None
    dated = a if a.date else b
    if dated.date and not _is_day(dated.date(now)):
        return None
    piece = Piece(a.date or b.date, a.part or b.part, a.clock or b.clock, bare=dated.bare)
    return _Found(one.offset, other.end, piece)


def _absorb(one: _Found, other: _Found, text: str, now: datetime) -> _Found | None:
    """Return a date and the weekday it falls on as one piece: "Wednesday, March 5"."""
    day, date = sorted((one.piece, other.piece), key=lambda piece: piece.bare != STEPS[WEEK])
    if day.bare != STEPS[WEEK] or date.bare == STEPS[WEEK] or day.part or day.clock:
        return None
    weekday, named = _read(day, now), _read(date._replace(part=None, clock=None), now)
    if not (weekday and named and _is_day(named)):
        return None
    if weekday.start.weekday() != named.start.weekday():
        return None
    closing = ")" in text[other.end : other.end + 1] and "(" in text[one.end : other.offset]
    return _Found(one.offset, other.end + closing, date._replace(weak=False))


def _within(one: _Found, other: _Found, gap: str, now: datetime) -> _Found | None:
    """Return a part of something longer beside it as one: "last year in October", 去年春节."""
    for outer, inner, between in (
        (one.piece, other.piece, _WITHIN),
        (other.piece, one.piece, _OF),
    ):
        whole, part = outer.date, inner.date
        if whole is None or part is None or inner.bare is None or outer.part or outer.clock:
            continue
        period = _read(outer, now)
        if period and between.fullmatch(gap) and _is_one(period, inner.bare):
            date = partial(_read_within, whole=whole, part=part)
            return _Found(one.offset, other.end, inner._replace(date=date, weak=False, bare=None))
    return None


def _read_within(now: datetime, *, whole: Reader, part: Reader) -> Period:
    """Read a part as it is meant in the middle of what it is a part of."""
    period = whole(now)
    return part(period.start + (period.end - period.start) / 2)


def _is_one(period: Period, step: Step) -> bool:
    """Tell whether a period is one whole unit, the one that a step goes to the next of."""
    unit = STEPS.get(period.granularity)
    return unit == step and period.every is None and add_step(period.start, step) == period.end


def _is_day(period: Period) -> bool:
    return period.end - period.start == timedelta(days=1)


def _ranges(found: Iterator[_Found], text: str, now: datetime, *, asked: bool) -> Iterator[_Dated]:
    """Put the beginnings and ends of ranges together, and leave out what is no time alone."""
    held: _Found | None = None
    for other in found:
        dated = _range(held, other, text, now) if held else None
        if dated:
            yield dated
            held = None
            continue
        if held:
            yield from _alone(held, text, now, asked=asked)
        held = other
    if held:
        yield from _alone(held, text, now, asked=asked)


def _alone(found: _Found, text: str, now: datetime, *, asked: bool) -> Iterator[_Dated]:
    weak = found.piece.weak and not (asked and found.piece.asked)
    period = None if weak else _read(found.piece, now)
    if period:
        is_range = period.kind is TimeKind.RANGE
        offset = _from(found.offset, text) if is_range else found.offset
        yield _Dated(offset, found.end, period)


def _from(offset: int, text: str) -> int:
    """Return where a range begins with the preposition before it."""
    found = _FROM.search(text[max(0, offset - _LONGEST_GAP) : offset])
    return offset - len(found[0]) if found else offset


def _range(one: _Found, other: _Found, text: str, now: datetime) -> _Dated | None:
    """Return the time from one piece to another, if the words between them say so."""
    if other.offset - one.end > _LONGEST_GAP:
        return None
    gap = text[one.end : other.offset]
    between = _AND.fullmatch(gap) and _BETWEEN.search(
        text[max(0, one.offset - _LONGEST_GAP) : one.offset]
    )
    if not (between or _TO.fullmatch(gap)):
        return None
    try:
        first, last = _ends(one.piece, other.piece, now)
    except (ValueError, OverflowError):
        return None
    end = last.start if last.granularity in (HOUR, MINUTE) else last.end
    if not first.start < end:
        return None
    return _Dated(
        _from(one.offset, text),
        other.end,
        Period(
            first.start,
            end,
            min(first.granularity, last.granularity, key=list(Granularity).index),
            TimeKind.RANGE if first.every is None else TimeKind.RECURRING,
            first.every,
        ),
    )


def _ends(one: Piece, other: Piece, now: datetime) -> tuple[Period, Period]:
    """Read both ends of a range, the one that does not say which it means beside the other."""
    first, last = _meaning(one, now), _meaning(other, now)
    if other.date is None or other.bare:
        last = _meaning(other, first.start)
        if other.clock and other.clock.loose and not other.part and last.start <= first.start:
            last = shift_period(last, Step(rest=_HALF_DAY))
        if last.start < first.start:
            last = shift_period(last, other.bare or STEPS[DAY])
    elif one.date is None or one.bare == STEPS[YEAR]:
        first = _meaning(one, last.start)
        if first.start > last.start:
            first = shift_period(first, one.bare or STEPS[DAY], -1)
    return first, last


def _next(period: Period, now: datetime) -> Period | None:
    """Return a period, or its next occurrence; None when no one could place it."""
    try:
        if period.every and period.end <= now:
            period = shift_period(period, period.every)
        for time in (period.start, period.end):
            time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    return period if period.start < period.end else None


_I: Final = 0x02  # re.IGNORECASE
_HAN: Final = pattern(r"[\u3400-\u9fff]")
_MISSED: Final = timedelta(days=31)
_WANT_ZH: Final = r"(?<![主重必需])要(?![求点紧是])|将(?![军来])|打算|准备(?!了)|计划(?![书了])"
_PAST: Final = pattern(
    r"\b(?:had|was|were|did|went|met|took|gave|got|broke|fell|left|came|saw|won|lost|sent|made|ran"
    r"|held|spoke|flew|bought|sold|began|became|found|told|sank|split|shut"
    r"|(?<!\ba )(?<!\ban )(?<!\bthe )(?-i:[a-z]{2,}ed)(?! (?:for|to|until|by|up)\b))\b",
    _I,
)
_TO_COME: Final = pattern(
    r"\b(?:will|won['’]?t|going to|gonna|is|are|am|be|plan(?:s|ned|ning)?|schedul\w+|supposed|due"
    r"|upcoming|next|moved|postponed|pushed|delayed|rescheduled|booked|invited|registered"
    r"|approved|confirmed|(?:have|has) (?:an?|the|my|our|to)|takes?|starts?|need(?:s|ed)?"
    r"|want(?:s|ed)?|wanna|set|agreed|decided|promised)\b|['’](?:ll|s|re|m)\b",
    _I,
)
_PAST_ZH: Final = pattern(
    r"(?<!为)了(?!解)|(?<![不通经])过(?![年完去来程敏])|已经?(?![定约订])"
    r"|得[很挺不]|[很挺算常](?:顺利|成功|愉快|精彩|圆满|不错)"
)
_TO_COME_ZH: Final = pattern(
    rf"{_WANT_ZH}|会(?=[^，,。]{{0,2}}[去在有来开举])|快|马上|安排|定[在于到]|(?<![签大])约(?![束会])"
    r"|改到|推迟|延期|提前到|到时|之前|为止|截止|报名|预[定订约]|订了|买了|就.{1,4}了"
)


def next_occurrence(span: TimeSpan, now: datetime) -> TimeSpan:
    """Return a time that is known to lie ahead, on its next occurrence."""
    late = now - span.end
    if span.end.date() > now.date() or late < timedelta():
        return span
    step, other = _other(span, now, 1)
    wrong = late >= _MISSED if step == STEPS[YEAR] else late < timedelta(days=7)
    return other if wrong else span


def last_occurrence(span: TimeSpan, now: datetime) -> TimeSpan:
    """Return a time that is known to be over, on its last occurrence."""
    return _other(span, now, -1)[1] if span.start > now else span


def _other(span: TimeSpan, now: datetime, times: int) -> tuple[Step | None, TimeSpan]:
    """Return how far apart the occurrences of a time are, and another one of them.

    One whose words say which it is has no other.
    """
    plain = (span.words if span.words.isascii() else span.words.translate(_SAME)).title()
    pieces = [found.piece for found in _joined(_pieces(plain, now, _ASKED), plain, now)]
    step = pieces[0].bare if pieces and all(one.bare for one in pieces) else None
    if step is None or span.kind is TimeKind.RECURRING:
        return None, span
    period = Period(span.start, span.end, span.granularity)
    try:
        there: Period | None = shift_period(period, step, times)
    except (ValueError, OverflowError):
        return None, span
    if there and len(pieces) == 1:
        there = _read(pieces[0], there.start)  # a feast has another date each year
    return step, replace(span, start=there.start, end=there.end) if there else span


def tells_past(text: str, since: int = 0) -> bool:
    """Tell whether words say that something has happened, and nothing of what is to come.

    In Chinese what tells it stands after the time, which ends at `since`.
    """
    ahead = _TO_COME_ZH if _HAN.search(text) else _TO_COME
    return speaks_of_past(text, since) and not ahead.search(text)


def speaks_of_past(text: str, since: int = 0) -> bool:
    """Tell whether any word says that something has happened, whatever else is said."""
    if not _HAN.search(text):
        return bool(_PAST.search(text))
    return bool(_PAST_ZH.search(text, since))
