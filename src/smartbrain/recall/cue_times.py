"""The stretches of the past that a message speaks of.

In: a message and the moment it was sent. Out: times that began before that moment, and whether it
asks for what is recent. What recurs and what is still to come narrow nothing: a memory of them was
made at another time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from smartbrain.domain.recall import CueTime
from smartbrain.domain.time import Granularity
from smartbrain.domain.time_span import TimeKind, TimeSpan
from smartbrain.recall.cue_words import NEWEST, TwoTongues
from smartbrain.text.pattern import pattern
from smartbrain.text.times import find_times

RECENT: Final = timedelta(days=14)
"""What "recently" and 最近 mean where something is looked for."""

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


def past_times(text: str, now: datetime) -> tuple[tuple[CueTime, ...], bool]:
    """Return the stretches of time before `now` that a text speaks of, and whether it says recent.

    A month without a year is the last one that was, unless the text speaks of plans; a day without
    one, or a weekday, only where the text speaks of what was done. "Since" and 以来 reach until
    now, "before" and 之前 leave no stretch. The newest of something may be old: that is recent,
    without a stretch.
    """
    times: list[CueTime] = []
    newest = NEWEST.found(text)
    recent = newest
    for span in find_times(text, now):
        if _VAGUE.fullmatch(span.words):
            before = text[max(0, span.offset - 5) : span.offset].lower()
            if before != "most " and not _LAST_ONE.match(text, span.offset + span.length):
                recent = True
                times.append(_lately(span.words, now))
            continue
        times += _placed(span, text, now)
    found = None if newest or recent else _RECENT_EN.search(text)
    if found:
        times.append(_lately(found[0], now))
    return tuple(times), recent or found is not None


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
