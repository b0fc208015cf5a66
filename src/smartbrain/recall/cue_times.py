"""The stretches of time that a message speaks of: those of the past, and those that lie ahead.

In: a message and the moment it was sent. Out: times that began before that moment, times that are
not over at it, and whether it asks for what is recent. Only the past tells when a memory was made;
what lies ahead tells which day a memory is about. What recurs is neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from smartbrain.domain.recall import CueTime
from smartbrain.domain.time import Granularity, TimeKind, TimeSpan
from smartbrain.recall.cue_words import NEWEST, listed, listed_in_both
from smartbrain.text.pattern import pattern
from smartbrain.text.times import find_times
from smartbrain.text.times_dates import HOLIDAY

RECENT: Final = timedelta(days=14)
"""What "recently" and 最近 mean where something is looked for, "upcoming" and 接下来 as well."""

_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(weeks=1)
_VAGUE, _LAST_ONE, _RECENT_EN, _SOON = (
    listed(__file__, name) for name in ("VAGUE", "LAST_ONE", "RECENT_EN", "SOON")
)
_SINCE, _SINCE_ZH, _BEFORE, _BEFORE_ZH, _SO_FAR, _SO_FAR_AFTER = (
    listed(__file__, name)
    for name in ("SINCE", "SINCE_ZH", "BEFORE", "BEFORE_ZH", "SO_FAR", "SO_FAR_AFTER")
)
# "Two weeks before" and 前两周 lead away from a date; what was then may be told on that day.
_LEADING, _LEADING_ZH = listed(__file__, "LEADING"), listed(__file__, "LEADING_ZH")
_COUNTS: Final = {"two": 2, "three": 3, "four": 4, "两": 2, "三": 3, "四": 4}
_LENGTHS: Final = {
    **dict.fromkeys(("day", "night", "天", "晚"), 1),
    **dict.fromkeys(("month", "月"), 31),
    **dict.fromkeys(("year", "年"), 366),
}
# How far back a few units may reach, and where they begin.
_FEW, _AGO = listed(__file__, "FEW"), listed(__file__, "AGO")
_FEW_UNITS: Final = {
    Granularity.MINUTE: (timedelta(minutes=2), timedelta(minutes=20)),
    Granularity.HOUR: (timedelta(hours=1), timedelta(hours=8)),
    Granularity.DAY: (timedelta(days=2), timedelta(days=7)),
    Granularity.WEEK: (timedelta(weeks=2), timedelta(weeks=6)),
    Granularity.MONTH: (timedelta(days=60), timedelta(days=210)),
    Granularity.YEAR: (timedelta(days=731), timedelta(days=2557)),
}
_LONG: Final = frozenset((Granularity.YEAR, Granularity.QUARTER, Granularity.MONTH))
# Words that a year could be put to, and those that already say which one they mean.
_OF_A_YEAR, _SAYS_WHICH = listed(__file__, "OF_A_YEAR"), listed(__file__, "SAYS_WHICH")
_WEEKDAY, _DAY_OF_MONTH, _YEAR_END = (
    listed(__file__, name) for name in ("WEEKDAY", "DAY_OF_MONTH", "YEAR_END")
)
_LEADS: Final = pattern(r"(?i)\s*(?:before|after)(?:\s+the)?\s*")
# What happens every year is not asked for as it was once.
_USUAL: Final = listed(__file__, "USUAL")
_DONE, _AHEAD = listed_in_both(__file__, "DONE"), listed_in_both(__file__, "AHEAD")


class Times(NamedTuple):
    """The stretches of a message: `past` began before it, `ahead` are not over; if it says recent.

    One that holds the moment of the message, such as "this week", may be both. `places` are where
    in the text words stand that tell a time and nothing else: a holiday is also what happens on it.
    """

    past: tuple[CueTime, ...]
    ahead: tuple[CueTime, ...]
    recent: bool
    places: tuple[tuple[int, int], ...] = ()


def times_of(text: str, now: datetime) -> Times:
    """Return the stretches of time that a text speaks of at a moment.

    A month without a year is the last one that was, unless the text speaks of plans; a day without
    one, or a weekday, only where the text speaks of what was done. "Since" and 以来 reach until
    now, "before" and 之前 back to the beginning of all (`open_start`), if the time is over or the
    text speaks of what was done; else they leave no stretch of the past. "A few days" are two to
    seven. The newest of something may be old: that is recent, without a stretch.
    """
    past: list[CueTime] = []
    ahead: list[CueTime] = []
    spans = find_times(text, now, asked=True)
    newest = NEWEST.found(text)
    recent = newest
    places = [
        (one.offset, one.offset + one.length)
        for one in spans
        if one.kind is not TimeKind.RECURRING and not HOLIDAY.fullmatch(one.words)
    ]
    for place, span in enumerate(spans):
        end = span.offset + span.length
        between = text[end : spans[place + 1].offset] if place + 1 < len(spans) else ""
        if _LEADS.fullmatch(between):  # only said by its way: "the Sunday before May 5"
            continue
        if _VAGUE.fullmatch(span.words):
            before = text[max(0, span.offset - 5) : span.offset].lower()
            if before != "most " and not _LAST_ONE.match(text, end):
                recent = True
                past.append(_lately(span.words, now))
            continue
        past += _placed(span, text, now)
        ahead += _to_come(span, text, now)
    found = None if newest or recent else _RECENT_EN.search(text)
    if found:
        past.append(_lately(found[0], now))
        places.append(found.span())
    # The days to come may be asked for without saying which.
    soon = None if ahead or _DONE.found(text) else _SOON.search(text)
    if soon and (soon[0].isascii() or _AHEAD.found(text)):
        ahead.append(CueTime(words=soon[0], since=now, until=_later(now, RECENT)))
    return Times(tuple(past), tuple(ahead), recent or found is not None, tuple(places))


def _lately(words: str, now: datetime) -> CueTime:
    since = now - min(RECENT, now - _first(now))
    return CueTime(words=words, since=since, until=now)


def open_start(time: CueTime) -> bool:
    """Tell whether a stretch has no beginning that was named."""
    return time.since == _first(time.since)


def _first(now: datetime) -> datetime:
    """Return the first day that can be told at the offset of a moment, in any offset."""
    return datetime(1, 1, 3, tzinfo=now.tzinfo)


def _placed(span: TimeSpan, text: str, now: datetime) -> Iterator[CueTime]:
    """Yield the stretch that a span narrows a search in the past to, if any."""
    before, end = text[max(0, span.offset - 14) : span.offset], span.offset + span.length
    usual = HOLIDAY.fullmatch(span.words) and _USUAL.search(text) and not _DONE.found(text)
    if span.kind is TimeKind.RECURRING or usual:
        return
    leading = _LEADING.search(text[max(0, span.offset - 28) : span.offset])
    leading = leading or _LEADING_ZH.match(text, end)
    if leading:
        yield from _led_to(span, leading)
        return
    start, until = _widened(span, now)
    if start >= now:
        moved = _moved_back(span, text, now)
        if moved is None or moved[0] >= now:
            return
        start, until = moved
    since = _SINCE.search(before) or _SINCE_ZH.match(text, end)
    limit = _BEFORE.search(before) or _BEFORE_ZH.match(text, end)
    if since:
        start, until = (start if since["since"] else until), now
    elif limit:
        done = _DONE.found(text)
        # Until a holiday is until the next one.
        over = until <= now and not (span.start >= now and HOLIDAY.fullmatch(span.words))
        if limit["by"] or _AHEAD.found(text) or not (over or done):
            return
        start, until = _first(now), (until if limit["until"] else start)
    elif _SO_FAR.search(before) or _SO_FAR_AFTER.match(text, end):
        until = min(until, now)
    if start < until:
        yield CueTime(words=span.words, since=start, until=until)


def _led_to(span: TimeSpan, leading: re.Match[str]) -> Iterator[CueTime]:
    count, unit = leading["count"] or "1", leading["unit"].lower()
    days = _LENGTHS.get(unit, 7)
    away = timedelta(days=days * (_COUNTS.get(count.lower()) or int(count)))
    if leading["way"].lower() in ("before", "前"):
        start = span.start - min(away, span.start - _first(span.start))
        yield CueTime(words=span.words, since=start, until=span.end)
    else:
        yield CueTime(words=span.words, since=span.start, until=_later(span.end, away))


def _to_come(span: TimeSpan, text: str, now: datetime) -> Iterator[CueTime]:
    """Yield what is left of a span from today on, unless the text means one that was."""
    before, end = text[max(0, span.offset - 14) : span.offset], span.offset + span.length
    if span.kind is TimeKind.RECURRING or _SINCE.search(before) or _SINCE_ZH.match(text, end):
        return
    if _SO_FAR.search(before) or _SO_FAR_AFTER.match(text, end):
        return
    start, until = span.start, span.end
    if start >= now:
        moved = _moved_back(span, text, now)
        either = HOLIDAY.fullmatch(span.words) and not _DONE.found(text)
        if moved is not None and moved[0] < now and not either:
            return
    else:
        if _DONE.found(text) and not _AHEAD.found(text):
            return
        if until <= now and _WEEKDAY.fullmatch(span.words):
            start, until = _later(start, _WEEK), _later(until, _WEEK)  # that of this week is over
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if start < today or _BEFORE.search(before) or _BEFORE_ZH.match(text, end):
        start = today
    if now < until:
        yield CueTime(words=span.words, since=start, until=until)


def _later(time: datetime, by: timedelta) -> datetime:
    """Return a later time, as far as the calendar goes in any offset."""
    return time + max(timedelta(), min(by, datetime(9999, 12, 29, tzinfo=time.tzinfo) - time))


def _widened(span: TimeSpan, now: datetime) -> tuple[datetime, datetime]:
    """Return when a span begins and ends; "a few" units ago, or the last few, reach further."""
    few = _FEW_UNITS.get(span.granularity) if _FEW.search(span.words) else None
    if few is None or span.end > now or now - _first(now) < few[1]:
        return span.start, span.end
    if _AGO.search(span.words):
        first, last = now - few[1], now - few[0]
        if few[0] < _DAY:
            return first, last
        midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) - now
        return first + midnight, last + midnight + _DAY
    # The last few of longer units are as many as they say.
    return (min(span.start, now - few[1]) if few[0] <= _DAY * 2 else span.start), span.end


def _moved_back(span: TimeSpan, text: str, now: datetime) -> tuple[datetime, datetime] | None:
    """Return the last occurrence of what could mean any year's month or any week's day."""
    if _AHEAD.found(text):
        return None
    done = _DONE.found(text)
    if _WEEKDAY.fullmatch(span.words):
        return (span.start - _WEEK, span.end - _WEEK) if done else None
    if HOLIDAY.fullmatch(span.words):
        return _read_at(span.words, _year_before(now))
    if done and _DAY_OF_MONTH.fullmatch(span.words):
        return _read_at(span.words, now.replace(day=1) - min(_DAY, now - _first(now)))
    if done and _YEAR_END.fullmatch(span.words):
        return _year_before(span.start), _year_before(span.end)
    if not _OF_A_YEAR.search(span.words) or _SAYS_WHICH.search(span.words):
        return None
    long = span.granularity in _LONG or span.end - span.start > _WEEK
    return (_year_before(span.start), _year_before(span.end)) if long or done else None


def _read_at(words: str, now: datetime) -> tuple[datetime, datetime] | None:
    found = find_times(words, now, asked=True)
    return (found[0].start, found[0].end) if found else None


def _year_before(time: datetime) -> datetime:
    day = 28 if (time.month, time.day) == (2, 29) else time.day
    return time.replace(year=max(1, time.year - 1), day=day)
