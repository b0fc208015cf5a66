"""Which of several days is meant by a date whose words could mean a past one or one to come.

In: a time, read as the nearest one, and the moment. Out: the same, its next occurrence or its last:
a deadline on "January 15" that is told in March is next year's, what "is on Monday" comes next, and
周五出了事故 was the Friday before. What says which it means, such as 上周一 or a year, is left; so
is a date of the last weeks, which is rather a deadline that was missed.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Final

from smartbrain.domain.time_span import TimeKind, TimeSpan
from smartbrain.text.pattern import pattern

_I: Final = 0x02  # re.IGNORECASE
_HAN: Final = pattern(r"[\u3400-\u9fff]")
_WEEK: Final = timedelta(days=7)
_MISSED: Final = timedelta(days=31)
_SETTLED: Final = pattern(
    r"\b(?:last|past|previous|ago|this|yesterday|\d{4})\b|\d{4}|(?<![早晚])上(?!午)|[这本去昨前今]|星期前",
    _I,
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
_SAYS_WHICH: Final = pattern(
    r"\b(?:next|coming|this|following|\d{4})\b|\d{4}|下(?!午)|[这本今明后]", _I
)
_MONTH: Final = pattern(
    r"(?:in )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
    r"|(?:1[0-2]|[1-9]|十[一二]?|[一二三四五六七八九])月份?",
    _I,
)
_WANT_ZH: Final = r"(?<![主重必需])要(?![求点紧是])|将(?![军来])|打算|准备(?!了)|计划(?![书了])"
_PLANNED: Final = pattern(
    rf"\b(?:will|going to|gonna|getting|planning|plan to|about to)\b|['’]ll\b|{_WANT_ZH}", _I
)
_GETTING: Final = pattern(r"\bgetting \w+", _I)
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


def coming(span: TimeSpan, now: datetime) -> TimeSpan:
    """Return a time that is known to lie ahead, on its next occurrence."""
    over = span.end.date() <= now.date() and span.end <= now
    if not over or span.kind is TimeKind.RECURRING or _SETTLED.search(span.words):
        return span
    if _DATE.search(span.words) or _MONTH.fullmatch(span.words):
        return span if now - span.end < _MISSED else _of_year(span, 1)
    weeks = _WEEKDAY.search(span.words) and now - span.end < _WEEK
    return _moved(span, _WEEK) if weeks else span


def in_its_week(day: date, before: date, now: datetime) -> date:
    """Return the weekday of a day in the week of another one, or the next such that is to come."""
    found = before + timedelta(days=day.weekday() - before.weekday())
    while found < now.date():
        found += _WEEK
    return found


def tells_plan(text: str) -> bool:
    """Tell whether words say what is to come, and nothing of what has happened."""
    past = _PAST_ZH if _HAN.search(text) else _PAST
    return bool(_PLANNED.search(text)) and not past.search(_GETTING.sub("", text))


def gone_by(span: TimeSpan, now: datetime) -> TimeSpan:
    """Return a time that is known to be over, on its last occurrence."""
    if span.start <= now or span.kind is TimeKind.RECURRING or _SAYS_WHICH.search(span.words):
        return span
    if _DATE.search(span.words) or _MONTH.fullmatch(span.words):
        return _of_year(span, -1)
    return _moved(span, -_WEEK) if _WEEKDAY.search(span.words) else span


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


def _moved(span: TimeSpan, by: timedelta) -> TimeSpan:
    return replace(span, start=span.start + by, end=span.end + by)


def _of_year(span: TimeSpan, years: int) -> TimeSpan:
    """Return a date some years later or earlier; February 29 stays."""
    try:
        start = span.start.replace(year=span.start.year + years)
    except ValueError:
        return span
    return replace(span, start=start, end=start + (span.end - span.start))
