"""Which of several days is meant by a date whose words could mean a past one or one to come.

In: a time, read as the nearest one, and the moment. Out: the same, its next occurrence or its last:
a deadline on "January 15" that is told in March is next year's, what "is on Monday" comes next, and
周五出了事故 was the Friday before. What says which it means, such as 上周一 or a year, is left; so
is a date of the last weeks, which is rather a deadline that was missed.
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
_SAYS_WHICH: Final = pattern(r"\b(?:next|coming|this|following|\d{4})\b|\d{4}|[下这本今明后]", _I)
_MONTH: Final = pattern(
    r"(?:in )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
    r"|(?:1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月份?",
    _I,
)
_PLANNED: Final = pattern(
    r"\b(?:will|going to|gonna|getting|planning|plan to|about to)\b|['’]ll\b|要|将|打算|准备|计划",
    _I,
)
_PAST: Final = pattern(
    r"\b(?:had|was|were|did|went|met|took|gave|got|broke|fell|left|came|saw|won|lost|sent|made|ran"
    r"|held|spoke|flew|bought|sold|began|became|found|told|\w{2,}ed)\b",
    _I,
)
_TO_COME: Final = pattern(
    r"\b(?:will|won['’]?t|going to|gonna|is|are|am|be|plan(?:s|ned|ning)?|schedul\w+|supposed|due"
    r"|upcoming|next|moved|postponed|pushed|delayed|rescheduled|booked|invited|registered|signed"
    r"|need(?:s|ed)?|want(?:s|ed)?|wanna|have to|has to|set|agreed|decided|promised)\b"
    r"|['’](?:ll|s|re|m)\b",
    _I,
)
_PAST_ZH: Final = pattern(r"[了过]|发生|\b(?:had|was|were|did|\w{2,}ed)\b")
_TO_COME_ZH: Final = pattern(
    r"要|将|(?<!开)会(?![议上员])|快|准备|打算|计划|安排|定[在于到]|约|改到|推迟|延期|提前|到时|之前|为止|截止|报名"
    r"|预[定订约]|订了|买了"
)


def coming(span: TimeSpan, now: datetime) -> TimeSpan:
    """Return a time that is known to lie ahead, on its next occurrence."""
    over = span.end.date() <= now.date() and span.end <= now
    if not over or span.kind is TimeKind.RECURRING or _SETTLED.search(span.words):
        return span
    if _DATE.search(span.words) or _MONTH.fullmatch(span.words):
        return span if now - span.end < _MISSED else _of_year(span, 1)
    weeks = _WEEKDAY.search(span.words) and now - span.end < _WEEK
    return _moved(span, _WEEK) if weeks else span


def tells_plan(text: str) -> bool:
    """Tell whether words say what is to come."""
    return _PLANNED.search(text) is not None


def gone_by(span: TimeSpan, now: datetime) -> TimeSpan:
    """Return a time that is known to be over, on its last occurrence."""
    if span.start <= now or span.kind is TimeKind.RECURRING or _SAYS_WHICH.search(span.words):
        return span
    if _DATE.search(span.words):
        return _of_year(span, -1)
    return _moved(span, -_WEEK) if _WEEKDAY.search(span.words) else span


def tells_past(text: str) -> bool:
    """Tell whether words say that something has happened, and nothing of what is to come."""
    if text.isascii():
        return bool(_PAST.search(text)) and not _TO_COME.search(text)
    return bool(_PAST_ZH.search(text)) and not _TO_COME_ZH.search(text)


def _moved(span: TimeSpan, by: timedelta) -> TimeSpan:
    return replace(span, start=span.start + by, end=span.end + by)


def _of_year(span: TimeSpan, years: int) -> TimeSpan:
    """Return a date some years later or earlier; February 29 stays."""
    try:
        start = span.start.replace(year=span.start.year + years)
    except ValueError:
        return span
    return replace(span, start=start, end=start + (span.end - span.start))
