"""What a correction of a time leaves as it was: the day where it names an hour, or the hour (C4).

In: an earlier statement, and the time that a correction puts in the place of another. Out: the
statement as it is to be read now, and the day that something is moved to. Which statement is meant
is found by the finder of corrections.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time
from typing import Final

from smartbrain.domain.candidate import Candidate
from smartbrain.domain.time_span import Granularity
from smartbrain.remember.extract.coming import coming, gone_by, in_its_week
from smartbrain.text.pattern import pattern
from smartbrain.text.times import TimePart, find_times, time_parts

_I: Final = 0x02  # re.IGNORECASE
WEEKDAY: Final = pattern(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:周|星期|礼拜)[一二三四五六日天]", _I
)
"""A weekday that does not say of which week it is."""
_AT: Final = pattern(r"\bat\s+", _I)
_AT_CLOCK: Final = pattern(r"\bat\s+\d{1,2}(?::\d\d)?\Z", _I)
_HALF: Final = pattern(r"(?<=\d)\s*[ap]\.?m\b\.?", _I)
# An hour that says itself which half of the day it is in.
_SETTLED: Final = pattern(r"[ap]\.?m\b|\bnoon\b|\b(?:1[3-9]|2[0-4])\b|[1１][3-9]点|2[0-4]点", _I)
_LEADS: Final = pattern(r"\b(?:on|at) \Z", _I)
_ON: Final = pattern(r"(?:tomorrow|today|tonight|yesterday|the day|next|this)\b", _I)
_DAY: Final = pattern(r"[a-z]|\d{4}-\d\d", _I)
_CLOCKS: Final = (Granularity.HOUR, Granularity.MINUTE)


def new_time(restated: str, value: str, at: datetime) -> str:
    """Return the time that a correction names and nothing else; empty if it names none."""
    if find_times(value, at):
        return value
    clock = _AT_CLOCK.search(restated)  # the 4 of "it's at 4" is an hour
    words = clock[0] if clock else value
    parts, rest = time_parts(words, at), words
    for one in reversed(parts):
        rest = rest[: one.offset] + rest[one.end :]
    return words if parts and not rest.strip() else ""


def retimed(meant: Candidate, new: str, old: str, at: datetime) -> str:
    """Return a statement with another time in it; nothing where it does not tell the old one.

    The day of "No, it's at 4pm" is the one that was said, and so is the hour of 不对，是后天.
    """
    text = _on_its_day(meant, at)
    told = next(iter(find_times(text, at)), None)
    if told is None or (old and not _is_told(text, old, at)):
        return ""
    start, end = told.offset, told.offset + told.length
    was = [one for one in time_parts(text, at) if start <= one.offset < end]
    parts = time_parts(new, at)
    days, hours = [one for one in was if one.day], [one for one in was if not one.day]
    if any(one.day for one in parts) or not parts:
        whole = any(not one.day or one.clock or one.part for one in parts) or not parts
        return _put(text, _ends(days) if days and not whole else (start, end), new)
    clocks = [one for one in was if one.clock]
    if not find_times(new, at) and not any(one.clock or one.part for one in was):
        return ""  # 4点 may be something else than an hour
    if not any(one.clock for one in parts):
        kept = [one for one in hours if one.part]
        return _put(text, _ends(kept), new) if kept else ""
    if not clocks and not hours:
        joined = f" at {_AT.sub('', new)}" if new.isascii() else new
        return text[:end] + joined + text[end:]
    if any(one.part for one in parts) or _SETTLED.search(new):
        return _put(text, _ends(hours), new)
    if not clocks:
        return text[: hours[-1].end] + new + text[hours[-1].end :]
    start, end = _ends(clocks)
    half = _HALF.search(text, start, end + 1)
    return _put(text, (start, end), _AT.sub("", new) + (half[0] if half else ""))


def moved(new: Candidate, old: Candidate, at: datetime) -> Candidate:
    """Return an event that is moved on its day: a bare weekday is one of the week it was in."""
    days = [new.text[one.offset : one.end] for one in time_parts(new.text, at) if one.day]
    if not days or not WEEKDAY.fullmatch(days[0]):
        return new
    said, before = (date.fromisoformat(str(one.value["date"])) for one in (new, old))
    day = in_its_week(said, before, at)
    return replace(new, value={**new.value, "date": day.isoformat()})


def changes_hour(old: str, new: str, said: tuple[datetime, datetime], *, sure: bool) -> bool:
    """Tell whether one event is told at another hour than before, or `sure` at one at all."""
    was, now = (_hour(text, at) for text, at in zip((old, new), said, strict=True))
    return now is not None and now != was and (sure or was is not None)


def _hour(text: str, at: datetime) -> time | None:
    """Return the first hour that a text tells."""
    told = (one.start.time() for one in find_times(text, at) if one.granularity in _CLOCKS)
    return next(told, None)


def _on_its_day(meant: Candidate, at: datetime) -> str:
    """Return the words of a statement; the day of an event is named if they mean another now."""
    text, day = meant.text, meant.value.get("date") if meant.type == "events" else None
    told = next(iter(find_times(text, at)), None) if day else None
    if told is None or day is None:
        return text
    if day in {one.start.date().isoformat() for one in (told, coming(told, at), gone_by(told, at))}:
        return text
    end = told.offset + told.length
    days = [one for one in time_parts(text, at) if one.day and told.offset <= one.offset < end]
    return _put(text, _ends(days), str(day)) if days else text


def _is_told(text: str, old: str, at: datetime) -> bool:
    """Tell whether a text tells the time that a correction says is wrong; other words are none."""
    wrong, told = find_times(old, at), find_times(text, at)
    days, hours = {one.start.date() for one in told}, {one.start.time() for one in told}
    parts = time_parts(old, at)
    day, hour = any(one.day for one in parts), any(one.clock for one in parts)
    return all(
        (not day or one.start.date() in days) and (not hour or one.start.time() in hours)
        for one in wrong
    )


def _ends(parts: list[TimePart]) -> tuple[int, int]:
    """Return where parts begin and end."""
    return parts[0].offset, parts[-1].end


def _put(text: str, place: tuple[int, int], new: str) -> str:
    """Return a text with a time at a place of it, led by the word that goes with it."""
    start, end = place
    before = text[:start]
    if new.isascii() and (leads := _LEADS.search(before)):
        lead = "" if _ON.match(new) or _AT.match(new) else "on " if _DAY.match(new) else "at "
        before = before[: leads.start()] + lead
    return before + new + text[end:]
