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
from smartbrain.recall.cue_words import NEWEST, TwoTongues
from smartbrain.text.pattern import pattern
from smartbrain.text.times import find_times
from smartbrain.text.times_dates import HOLIDAY

RECENT: Final = timedelta(days=14)
"""What "recently" and 最近 mean where something is looked for, "upcoming" and 接下来 as well."""

_I: Final = re.IGNORECASE
_DAY: Final = timedelta(days=1)
_WEEK: Final = timedelta(weeks=1)
_VAGUE: Final = pattern(
    r"最近|近[期来來日]|[这前這]阵子|[这前這]陣子|[这前這]段(?:时间|時間)|前一[阵陣]子?|前些天|不久[之以]?前"
    r"|recently|lately|these\s+days|the\s+other\s+day|not\s+(?:too\s+|so\s+)?long\s+ago",
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
_BEFORE: Final = pattern(r"\b(?:before|(?P<until>until|till|up to)|(?P<by>by))(?: the)? \Z", _I)
_BEFORE_ZH: Final = pattern(
    "\\s?(?:份|号|期间)?(?:[之以]前|前(?![台端面几两])|(?P<until>为止))(?P<by>)?"
)
_SO_FAR: Final = pattern(r"\b(?:earlier|so far)(?: in)? \Z", _I)
_SO_FAR_AFTER: Final = pattern(r" so far\b|\s?(?:早些时候|到目前)", _I)
# What happens every year is not asked for as it was once.
_USUAL: Final = pattern(
    r"\b(?:do|does|always|usually|traditions?|every|each)\b|通常|一般|每[年逢到]|传统|习俗", _I
)
# "Two weeks before" and 前两周 lead away from a date; what was then may be told on that day.
_LEADING: Final = pattern(
    r"\b(?:(?P<count>[0-9]{1,2}|two|three|four)|the|a|an|one|last) "
    r"(?P<unit>day|night|week|month|year|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day)s?"
    r" (?P<way>before|after)(?: the)? \Z",
    _I,
)
_LEADING_ZH: Final = pattern(
    r"(?:[之以]?(?P<way>前|后|後))的?(?:(?P<count>[0-9]{1,2}|两|三|四)|一|那)个?"
    r"(?P<unit>天|晚|周|星期|礼拜|月|年)"
)
_COUNTS: Final = {"two": 2, "three": 3, "four": 4, "两": 2, "三": 3, "四": 4}
_LENGTHS: Final = {
    **dict.fromkeys(("day", "night", "天", "晚"), 1),
    **dict.fromkeys(("month", "月"), 31),
    **dict.fromkeys(("year", "年"), 366),
}
# How far back a few units may reach, and where they begin.
_FEW: Final = pattern(r"\b(?:few|several)\b|[几数]", _I)
_AGO: Final = pattern(r"\b(?:ago|back)\Z|(?<!\A)前\Z", _I)
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
    r"(?:周|星期|礼拜|週|禮拜)[一二三四五六日天末](?:[早晚][上晨]?|[上下中]午|夜里)?"
    r"|(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
    r"(?: (?:morning|afternoon|evening|night))?|the weekend",
    _I,
)
_DAY_OF_MONTH: Final = pattern(
    r"(?:on )?the [0-9]{1,2}(?:st|nd|rd|th)|[0-9一二三四五六七八九十]{1,3}\s?[号號]|月[初底末]", _I
)
_YEAR_END: Final = pattern("年[初底末]")
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
    places = [(one.offset, one.offset + one.length) for one in spans if _only_time(one)]
    for place, span in enumerate(spans):
        if place + 1 < len(spans) and _leads_to(span, spans[place + 1], text):
            continue
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
        places.append(found.span())
    if not ahead:
        ahead += _soon(text, now)
    return Times(tuple(past), tuple(ahead), recent or found is not None, tuple(places))


def _only_time(span: TimeSpan) -> bool:
    """Tell whether words name a time and nothing else that somebody may have spoken of."""
    return span.kind is not TimeKind.RECURRING and not HOLIDAY.fullmatch(span.words)


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


def _leads_to(span: TimeSpan, other: TimeSpan, text: str) -> bool:
    """Tell whether a time is only said by its way from the next one: "the Sunday before May 5"."""
    between = text[span.offset + span.length : other.offset].lower().split()
    return between in (["before"], ["after"], ["before", "the"], ["after", "the"])


def _led_to(span: TimeSpan, leading: re.Match[str]) -> Iterator[CueTime]:
    """Yield the stretch from a time that is told by its way from a span, to that span."""
    count, unit = leading["count"] or "1", leading["unit"].lower()
    days = _LENGTHS.get(unit, 7)
    away = timedelta(days=days * (_COUNTS.get(count.lower()) or int(count)))
    if leading["way"].lower() in ("before", "前"):
        start = span.start - min(away, span.start - _first(span.start))
        yield CueTime(words=span.words, since=start, until=span.end)
    else:
        yield CueTime(words=span.words, since=span.start, until=_later(span.end, away))


def _to_come(span: TimeSpan, text: str, now: datetime) -> Iterator[CueTime]:
    """Yield what is left of a span from today on, unless the text means one that was.

    Until when something has to be done is a stretch that begins today.
    """
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


def _soon(text: str, now: datetime) -> Iterator[CueTime]:
    """Yield the days to come, where a text asks for them without saying which."""
    found = _SOON.search(text)
    if found and (found[0].isascii() or _AHEAD.found(text)) and not _DONE.found(text):
        yield CueTime(words=found[0], since=now, until=_later(now, RECENT))


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
    """Return what words meant at another moment."""
    found = find_times(words, now, asked=True)
    return (found[0].start, found[0].end) if found else None


def _year_before(time: datetime) -> datetime:
    day = 28 if (time.month, time.day) == (2, 29) else time.day
    return time.replace(year=max(1, time.year - 1), day=day)
