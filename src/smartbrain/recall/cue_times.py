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
from smartbrain.domain.time import Granularity
from smartbrain.domain.time_span import TimeKind, TimeSpan
from smartbrain.recall.cue_words import NEWEST, TwoTongues
from smartbrain.text.pattern import pattern
from smartbrain.text.times import find_times

RECENT: Final = timedelta(days=14)
"""What "recently" and 最近 mean where something is looked for, "upcoming" and 接下来 as well."""

_I: Final = re.IGNORECASE
_WEEK: Final = timedelta(weeks=1)
_VAGUE: Final = pattern(
    r"最近|近[期来來日]|[这前這]阵子|[这前這]陣子|[这前這]段(?:时间|時間)|前些天"
    r"|recently|lately|these\s+days|the\s+other\s+day",
    _I,
)
_LAST_ONE: Final = pattern("(?:的)?(?:一次|一回|那次|一[场篇条封个])")
_RECENT_EN: Final = pattern(
    r"(?<!most )\brecent\b(?!\s+(?:years?|history|memory|graduate))|\bof late(?=\s*[,.?!]|\Z)", _I
)
_SINCE: Final = pattern(r"\b(?P<since>since)(?: the| about)? \Z|\bafter(?: the)? \Z", _I)
_SINCE_ZH: Final = pattern(
    r"\s?(?:份|号)?(?:(?P<since>以来|以來|至今|到现在|到現在|起)|[之以][后後])"
)
_BEFORE: Final = pattern(r"\b(?:before|until|till|by)(?: the)? \Z", _I)
_BEFORE_ZH: Final = pattern("\\s?(?:份|号)?(?:[之以]前|前(?![台端面]))")
_LONG: Final = frozenset((Granularity.YEAR, Granularity.QUARTER, Granularity.MONTH))
# Words that a year could be put to, and those that already say which one they mean.
_OF_A_YEAR: Final = pattern(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|月|\bq[1-4]\b|quarter|季度"
    r"|spring|summer|autumn|fall|winter|[春夏秋冬]|半年|\bh[12]\b|节|節",
    _I,
)
_SAYS_WHICH: Final = pattern(
    r"[0-9]{4}|年(?!\Z)|next|this|coming|下(?!半年|旬)|[明今本这這]|后天|後天"
    r"|[0-9一二三四五六七八九十两几]个?月[后後内]|in ",
    _I,
)
_WEEKDAY: Final = pattern(
    r"(?:周|星期|礼拜|週|禮拜)[一二三四五六日天末]|(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?",
    _I,
)
_DONE: Final = TwoTongues(
    pattern(
        r"\b(?:did|was|were|had|said|told|talked|spoke|discussed|decided|mentioned|met|went|saw"
        r"|happened|agreed|sent|wrote|made|got|bought)\b",
        _I,
    ),
    pattern("[了过]|[说聊谈讨论提到定决讲发写做买去见]的|说[啥什]|当时"),
)
_AHEAD: Final = TwoTongues(
    pattern(
        r"\b(?:will|going to|gonna|plan(?:s|ned|ning)?|upcoming|schedule[ds]?|due|next)\b|'ll\b", _I
    ),
    pattern("计划|打算|准备|将|安排|下次|要去|会去|到时"),
)


_SOON: Final = pattern(r"\bupcoming\b|\bcoming (?:up|days|weeks)\b|接下来|近期|最近", _I)


class Times(NamedTuple):
    """The stretches of a message: `past` began before it, `ahead` are not over; if it says recent.

    One that holds the moment of the message, such as "this week", may be both.
    """

    past: tuple[CueTime, ...]
    ahead: tuple[CueTime, ...]
    recent: bool


def times_of(text: str, now: datetime) -> Times:
    """Return the stretches of time that a text speaks of at a moment.

    A month without a year is the last one that was, unless the text speaks of plans; a day without
    one, or a weekday, only where the text speaks of what was done. "Since" and 以来 reach until
    now, "before" and 之前 leave no stretch of the past. The newest of something may be old: that is
    recent, without a stretch.
    """
    past: list[CueTime] = []
    ahead: list[CueTime] = []
    newest = NEWEST.found(text)
    recent = newest
    for span in find_times(text, now):
        if _VAGUE.fullmatch(span.words):
            before = text[max(0, span.offset - 5) : span.offset].lower()
            if before != "most " and not _LAST_ONE.match(text, span.offset + span.length):
                recent = True
                past.append(_lately(span.words, now))
            continue
        past += _placed(span, text, now)
        ahead += _to_come(span, text, now)
    found = None if newest or recent else _RECENT_EN.search(text)
    if found:
        past.append(_lately(found[0], now))
    if not ahead:
        ahead += _soon(text, now)
    return Times(tuple(past), tuple(ahead), recent or found is not None)


def _lately(words: str, now: datetime) -> CueTime:
    since = now - min(RECENT, now - _first(now))
    return CueTime(words=words, since=since, until=now)


def _first(now: datetime) -> datetime:
    """Return the first day that can be told at the offset of a moment, in any offset."""
    return datetime(1, 1, 3, tzinfo=now.tzinfo)


def _placed(span: TimeSpan, text: str, now: datetime) -> Iterator[CueTime]:
    """Yield the stretch that a span narrows a search in the past to, if any."""
    before, end = text[max(0, span.offset - 14) : span.offset], span.offset + span.length
    if span.kind is TimeKind.RECURRING or _BEFORE.search(before) or _BEFORE_ZH.match(text, end):
        return
    start, until = span.start, span.end
    if start >= now:
        moved = _moved_back(span, text)
        if moved is None or moved[0] >= now:
            return
        start, until = moved
    since = _SINCE.search(before) or _SINCE_ZH.match(text, end)
    if since:
        start, until = (start if since["since"] else until), now
    if start < until:
        yield CueTime(words=span.words, since=start, until=until)


def _to_come(span: TimeSpan, text: str, now: datetime) -> Iterator[CueTime]:
    """Yield what is left of a span from today on, unless the text means one that was.

    Until when something has to be done is a stretch that begins today.
    """
    before, end = text[max(0, span.offset - 14) : span.offset], span.offset + span.length
    if span.kind is TimeKind.RECURRING or _SINCE.search(before) or _SINCE_ZH.match(text, end):
        return
    start, until = span.start, span.end
    if start >= now:
        moved = _moved_back(span, text)
        if moved is not None and moved[0] < now:
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


def _soon(text: str, now: datetime) -> Iterator[CueTime]:
    """Yield the days to come, where a text asks for them without saying which."""
    found = _SOON.search(text)
    if found and (found[0].isascii() or _AHEAD.found(text)) and not _DONE.found(text):
        yield CueTime(words=found[0], since=now, until=_later(now, RECENT))


def _later(time: datetime, by: timedelta) -> datetime:
    """Return a later time, as far as the calendar goes in any offset."""
    return time + max(timedelta(), min(by, datetime(9999, 12, 29, tzinfo=time.tzinfo) - time))


def _moved_back(span: TimeSpan, text: str) -> tuple[datetime, datetime] | None:
    """Return the last occurrence of what could mean any year's month or any week's day."""
    if _AHEAD.found(text):
        return None
    done = _DONE.found(text)
    if _WEEKDAY.fullmatch(span.words):
        return (span.start - _WEEK, span.end - _WEEK) if done else None
    if not _OF_A_YEAR.search(span.words) or _SAYS_WHICH.search(span.words):
        return None
    long = span.granularity in _LONG or span.end - span.start > _WEEK
    return (_year_before(span.start), _year_before(span.end)) if long or done else None


def _year_before(time: datetime) -> datetime:
    day = 28 if (time.month, time.day) == (2, 29) else time.day
    return time.replace(year=max(1, time.year - 1), day=day)
