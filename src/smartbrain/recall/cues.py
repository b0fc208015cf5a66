"""What a message gives to look for: names, codes, times, intent, and what it refers back to (R2).

In: a message, the moment it was sent, and recent turns. Out: `Cues`. Its words are in `words.txt`,
English and Chinese; traditional characters are read as simplified ones. Only times of the past tell
when a memory was made, those ahead which day a memory is about; what recurs is neither. Of what
"that repo", 上次那个链接 or "she" stands for, the latest turn with something of the kind answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from smartbrain.domain.recall import Cues, CueTime, Intent
from smartbrain.domain.recalled import Recent
from smartbrain.domain.time import Granularity, TimeKind, TimeSpan
from smartbrain.text.codes import ERROR_CODE, Code, find_codes, find_phrases
from smartbrain.text.controls import without_controls
from smartbrain.text.entities import find_entities
from smartbrain.text.entity_words import Entity
from smartbrain.text.keywords import keywords_of
from smartbrain.text.language import detect_language
from smartbrain.text.pattern import pattern
from smartbrain.text.query import without_courtesies
from smartbrain.text.times import find_times
from smartbrain.text.times_dates import HOLIDAY
from smartbrain.text.word_list import STOP_WORDS, word_pattern

MAX_SCOPES: Final = 6
_TRADITIONAL: Final = str.maketrans(
    "個這連結檔倉庫網說過話總繼續錄誰嗎麼為什對較資從來還會議講問給寫們後曾聽聯絡點頁鏈項剛條輪復複訴談幾請",
    "个这连结档仓库网说过话总继续录谁吗么为什对较资从来还会议讲问给写们后曾听联络点页链项刚条轮复复诉谈几请",
)
_LATIN: Final = pattern("[A-Za-z]")


class TwoTongues(NamedTuple):
    """One question to a text, in English and in Chinese words."""

    en: re.Pattern[str]
    zh: re.Pattern[str]

    def found(self, text: str) -> bool:
        """Tell whether either language says it."""
        if _LATIN.search(text) and self.en.search(text):
            return True
        return not text.isascii() and self.zh.search(text) is not None


def listed(module: str, name: str) -> re.Pattern[str]:
    """Return the pattern of a list in the `words.txt` beside a module."""
    return pattern(word_pattern(module, name), re.IGNORECASE)


def listed_in_both(module: str, name: str) -> TwoTongues:
    """Return the patterns of two lists in the `words.txt` beside a module."""
    zh = pattern(word_pattern(module, f"{name}_ZH"))
    return TwoTongues(listed(module, f"{name}_EN"), zh)


ORIGINAL: Final = listed_in_both(__file__, "ORIGINAL")
"""Whether the person asks for the words as they were said."""
ASSISTANT: Final = listed_in_both(__file__, "ASSISTANT")
"""Whether the person asks what the assistant said."""
NEWEST: Final = listed_in_both(__file__, "NEWEST")
"""Whether the person asks for the newest of something, however long ago it was."""
LAST_TURNS: Final = listed_in_both(__file__, "LAST_TURNS")
"""Whether a sentence asks for what was said in the last turns, and not for what that is about."""
HISTORY: Final = listed_in_both(__file__, "HISTORY")
"""Whether the person asks how it was before, or for earlier versions."""
OURS: Final = listed_in_both(__file__, "OURS")
"""Whether somebody speaks of themselves or of whom they talk to."""

_ASKING: Final = listed(__file__, "ASKING")
SOURCES: Final = {
    "zh": listed_in_both(__file__, "SOURCES_ZH"),
    "en": listed_in_both(__file__, "SOURCES_EN"),
}
_INTENTS: Final = tuple(
    (intent, listed_in_both(__file__, intent.name))
    for intent in (Intent.SUMMARIZE, Intent.CONTINUE_TASK, Intent.DEBUG, Intent.RESEARCH)
)
_LONGEST_CHAT: Final = 40  # characters
_CHAT: Final = listed(__file__, "CHAT")
_WORDLESS: Final = listed(__file__, "WORDLESS")
_ASKS: Final = listed_in_both(__file__, "ASKS")

_SCOPE_EN: Final = listed(__file__, "SCOPE_EN")
_SCOPE_ZH: Final = listed(__file__, "SCOPE_ZH")
_SCOPE_AFTER_ZH: Final = listed(__file__, "SCOPE_AFTER_ZH")
_FOLDER: Final = pattern(word_pattern(__file__, "FOLDER"), re.IGNORECASE | re.ASCII)
_FOLDER_HINT: Final = listed(__file__, "FOLDER_HINT")
_OF_SITES: Final = frozenset(("on", "from", "at", "in", "site:", "within"))
_OF_PATHS: Final = frozenset(("in", "under", "within", "inside", "from"))
_NO_FOLDERS: Final = frozenset(
    ("the", "same", "this", "that", "home", "a", "an", "my", "current", "root", "right", "wrong")
)


def simplified(text: str) -> str:
    """Return a text of the same length with simplified characters where words are looked for."""
    return text if text.isascii() else text.translate(_TRADITIONAL)


def without_asking(text: str) -> str:
    """Return a text without the words that only ask, such as what, 什么 and 哪里."""
    return _ASKING.sub(" ", text)


def intent_of(text: str, *, faults: bool = False) -> Intent:
    """Return what a message is after; with `faults` an error code is in it, in any language."""
    stripped = text.strip()
    if not stripped:
        return Intent.OTHER
    if len(stripped) <= _LONGEST_CHAT and (_CHAT.match(stripped) or _WORDLESS.match(stripped)):
        return Intent.CHIT_CHAT
    for intent, words in _INTENTS:
        if (faults and intent is Intent.DEBUG) or words.found(stripped):
            return intent
    return Intent.QA if _ASKS.found(stripped) else Intent.OTHER


def find_scopes(text: str, entities: Iterable[Entity]) -> tuple[str, ...]:
    """Return the folders, files and sites that a text asks to stay in, each once, in its order."""
    found = []
    for one in entities:
        if not one.structural or one.kind not in ("file", "url"):
            continue
        before = text[max(0, one.offset - 32) : one.offset]
        if match := _SCOPE_EN.search(before):
            is_scope = match["word"].lower() in (_OF_SITES if one.kind == "url" else _OF_PATHS)
        else:
            after = _SCOPE_AFTER_ZH.match(text, one.end)
            is_scope = after is not None and ("目录" in after[0] or bool(_SCOPE_ZH.search(before)))
        if is_scope:  # the words around it say that it is where to look
            found.append((one.offset, one.name))
    # A folder that looks like a word is told by what stands beside it.
    if _FOLDER_HINT.search(text):
        for match in _FOLDER.finditer(text):
            name = match[match.lastgroup or 0]
            if name.lower() not in _NO_FOLDERS:
                found.append((match.start(match.lastgroup or 0), name))
    return tuple(dict.fromkeys(name for _, name in sorted(found)))[:MAX_SCOPES]


TURNS: Final = 8
"""How many recent turns are looked at."""
READ_CHARACTERS: Final = 2_000
"""How much of a recent turn is read."""
MAX_NAMES: Final = 3
"""The most names that one expression stands for."""

_PERSON: Final = "person"
_KINDS: Final = ("repo", "url", "file", _PERSON, "org", "place", "object")
_THAT: Final = (listed(__file__, "THAT_EN"), listed(__file__, "THAT_ZH"))
_NOUNS: Final = {kind: listed_in_both(__file__, kind.upper()) for kind in _KINDS}
_HE: Final = listed_in_both(__file__, "HE")
_IT: Final = TwoTongues(
    pattern(word_pattern(__file__, "IT_EN")), pattern(word_pattern(__file__, "IT_ZH"))
)
_NOT_IT: Final = frozenset((_PERSON, "place", "topic"))


class _Named(NamedTuple):
    kind: str
    name: str
    address: bool


def refers_back(text: str) -> bool:
    """Tell whether a message, in simplified characters, may refer to turns before it."""
    return bool(_kinds_of(text)) or _IT.found(text) or _HE.found(text)


def referred_to(text: str, entities: Iterable[Entity], recent: Sequence[Recent]) -> tuple[str, ...]:
    """Return the names that the expressions of a message stand for, each once.

    What it names itself comes first: "that repo a/b" and "Ann says she" refer to nothing else.
    `recent` are turns in the order they were spoken, the latest last.
    """
    if not recent:
        return ()
    own = [_named(one) for one in entities]
    turns = [_named_in(turn) for turn in recent[: -TURNS - 1 : -1]]
    found: dict[str, None] = {}
    for kind in _kinds_of(text):
        if not any(_fits(one, kind) for one in own):
            found.update(dict.fromkeys(_latest(turns, kind)[:MAX_NAMES]))
    # After "that repo", or a thing with a name, "it" is that.
    if not found and not any(_fits(one, "") for one in own) and _IT.found(text):
        found.update(_alone(_latest(turns, "")))
    if not any(one.kind == _PERSON for one in own) and _HE.found(text):
        found.update(_alone(_latest(turns, _PERSON)))
    return tuple(found)


def entities_of(name: str) -> list[Entity]:
    """Return what a stored name is by its form; owner/name alone is the name of a repository."""
    found = find_entities(name)
    if not found and "/" in name:
        found = find_entities(f"github {name}")
    return [one for one in found if one.name == name]


def _kinds_of(text: str) -> list[str]:
    """Return the kinds of things that a text refers back to, in its order, each once."""
    found = (match[match.lastgroup or 0] for words in _THAT for match in words.finditer(text))
    return list(
        dict.fromkeys(
            kind
            for noun in found
            for kind, nouns in _NOUNS.items()
            if nouns.en.fullmatch(noun) or nouns.zh.fullmatch(noun)
        )
    )


def _latest(turns: Iterable[Sequence[_Named]], kind: str) -> list[str]:
    """Return what the latest turn that has any names of a kind; no kind means a thing."""
    for named in turns:
        fitting = [one.name for one in named if _fits(one, kind)]
        if fitting:
            return list(dict.fromkeys(fitting))
    return []


def _named_in(turn: Recent) -> list[_Named]:
    """Return what a turn names in its words, and what else is known to be named there."""
    found = [_named(one) for one in find_entities(turn.text[:READ_CHARACTERS])]
    known = {one.name.casefold() for one in found}
    for name in turn.entities:
        if name.casefold() not in known:
            found += [_named(one)._replace(name=name) for one in entities_of(name)]
    return found


def _named(one: Entity) -> _Named:
    return _Named(one.kind, one.canonical, "://" in one.name or bool(one.attrs.get("host")))


def _fits(one: _Named, kind: str) -> bool:
    """Tell whether something is of a kind; the address of a repository is a link too."""
    if not kind:
        return one.kind not in _NOT_IT
    return one.kind == kind or (kind == "url" and one.address)


def _alone(names: list[str]) -> dict[str, None]:
    return dict.fromkeys(names) if len(names) == 1 else {}


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


BEGINNING: Final = 1_500
"""How many characters of a long message are read from its beginning."""
END: Final = 499
"""How many are read from its end, where the question often is."""
MOST_NAMES: Final = 16
"""The most entities of one message."""

_HALVES: Final = pattern("[\ud800-\udfff]")


def read_cues(text: str, *, now: datetime, recent: Sequence[Recent] = ()) -> Cues:
    """Return what a message gives to look for.

    `now` is the aware moment it was sent; its days are those of its UTC offset. `recent` are the
    turns before it, the latest last.
    """
    text = readable(text)
    plain = simplified(text)
    entities = find_entities(text)
    codes = find_codes(text, entities)
    times = times_of(plain, now)
    told = text  # without the words that tell a time
    for start, end in times.places:
        told = f"{told[:start]}{' ' * (end - start)}{told[end:]}"
    names = dict.fromkeys(one.canonical for one in entities)
    referred = (readable(name) for name in referred_to(plain, entities, recent))
    return Cues(
        text=text,
        language=detect_language(text),
        intent=intent_of(plain, faults=any(one.kind == ERROR_CODE for one in codes)),
        keywords=_keywords(without_courtesies(told), codes),
        entities=tuple(names)[:MOST_NAMES],
        referred=tuple(name for name in referred if name not in names),
        codes=tuple(one.text for one in codes),
        phrases=find_phrases(text),
        times=times.past,
        ahead=times.ahead,
        scopes=find_scopes(text, entities),
        recent=times.recent,
        history=HISTORY.found(plain),
        original=ORIGINAL.found(plain),
        assistant=ASSISTANT.found(plain),
    )


def needs_recent(text: str) -> bool:
    """Tell whether what a message gives to look for may depend on the turns before it."""
    return refers_back(simplified(readable(text)))


def _keywords(text: str, codes: Sequence[Code]) -> tuple[str, ...]:
    """Return the content words of a message: none that only asks, no end of one of its codes."""
    found = (
        word
        for word in keywords_of(text)
        if word not in STOP_WORDS and without_asking(word) == word
    )
    known = [one.text.lower() for one in codes if one.text[0].isdigit()]
    return tuple(
        word for word in found if not any(code != word and code.endswith(word) for code in known)
    )


def readable(text: str) -> str:
    """Return what is read of a message: its beginning and end, without what no text may hold."""
    if len(text) > BEGINNING + END + 1:
        text = f"{text[:BEGINNING]}\n{text[-END:]}"
    if not text.isprintable():
        text = _HALVES.sub("\ufffd", without_controls(text))
    return text.strip()
