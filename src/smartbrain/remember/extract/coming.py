"""Which of several days is meant by a date that lies ahead, though its words could mean a past one.

In: a time, read as the nearest one, and the moment. Out: the same, or its next occurrence: a
deadline on "January 15" that is told in March is next year's, and what "is on Monday" comes next.
What says which it means, such as 上周一 or a year, is left; so is a date of the last weeks, which
is rather a deadline that was missed.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from smartbrain.domain.time_span import TimeKind, TimeSpan
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE
_WEEK: Final = timedelta(days=7)
_MISSED: Final = timedelta(days=31)
_SETTLED: Final = pattern(
    r"\b(?:last|past|previous|ago|this|yesterday|\d{4})\b|\d{4}|[上这本去昨前今]|星期前", _I
)
_WEEKDAY: Final = pattern(
    r"\b(?:mon|tues?|wed|wednes|thurs?|fri|sat|satur|sun)(?:day)?\b|(?:周|星期|礼拜)[一二三四五六日天]",
    _I,
)
_DATE: Final = pattern(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\.? \d"
    r"|\d(?:st|nd|rd|th)? (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)"
    r"|[\d一二三四五六七八九十]月[\d一二三四五六七八九十]"
    r"|\A\d{1,2}[/.-]\d{1,2}",
    _I,
)


def coming(span: TimeSpan, now: datetime) -> TimeSpan:
    """Return a time that is known to lie ahead, on its next occurrence."""
    over = span.end.date() <= now.date() and span.end <= now
    if not over or span.kind is TimeKind.RECURRING or _SETTLED.search(span.words):
        return span
    if _DATE.search(span.words):
        return span if now - span.end < _MISSED else _later(span)
    weeks = _WEEKDAY.search(span.words) and now - span.end < _WEEK
    return replace(span, start=span.start + _WEEK, end=span.end + _WEEK) if weeks else span


def _later(span: TimeSpan) -> TimeSpan:
    """Return a date a year later; February 29 stays."""
    try:
        start = span.start.replace(year=span.start.year + 1)
    except ValueError:
        return span
    return replace(span, start=start, end=start + (span.end - span.start))
