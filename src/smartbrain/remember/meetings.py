"""Which meeting is meant by one that is only called a meeting, and the day that one is moved to.

In: the title of an event, the words that move it or call it off, and the day it was on. Out: the
terms it is known by, the same for 开会, 会议 and "meeting"; the day that is said with it; and the
day of a bare weekday, which is one in the week that the meeting was in (C4).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final

from smartbrain.remember.extract.coming import coming, in_its_week
from smartbrain.remember.extract.correction_times import WEEKDAY
from smartbrain.remember.extract.events_words import MOVED
from smartbrain.text.pattern import pattern
from smartbrain.text.times import find_times
from smartbrain.text.tokenise import index_terms

if TYPE_CHECKING:
    from smartbrain.domain.claim import Claim

_I: Final = 0x02  # re.IGNORECASE
_WEEK: Final = timedelta(days=7)
_ONLY: Final = frozenset(index_terms("meeting"))
_CALLED: Final = pattern(r"(?:的|\A)会(?:议)?\Z|的?会议|开(?:个|一个|一次|了)?会")
_WITH: Final = pattern(r"[和跟与同](?=[\u3400-\u9fff]{1,12} meeting)")
_GATHERING: Final = pattern(
    r"\b(?:meeting|review|sync|stand-?up|retro(?:spective)?|kick-?off|call|1:1|one-on-one|check-in"
    r"|catch-?up|planning|all-hands|town hall|session)\b"
    r"|会议|开.{0,8}会|(?<![演音运聚晚年酒学宴])(?<!演唱)(?<!音乐)会\Z|评审|复盘|碰头|对接|面谈|约谈",
    _I,
)
_LATER: Final = pattern(r"\b(?:postponed|pushed|delayed|slipped)\b|推|延", _I)


def terms_of(title: str) -> frozenset[str]:
    """Return the terms that an event is known by."""
    if title.isascii():
        return frozenset(index_terms(title))
    return frozenset(index_terms(_WITH.sub("", _CALLED.sub(" meeting ", title))))


def is_bare(title: str) -> bool:
    """Tell whether a title calls something a meeting and says no more of it."""
    return terms_of(title) == _ONLY


def is_gathering(title: str) -> bool:
    """Tell whether a title names what may be called a meeting."""
    return _GATHERING.search(title) is not None


def fits_day(claim: Claim, known: Mapping[str, Any]) -> bool:
    """Tell whether a meeting to come may be the one that a claim only calls a meeting.

    Where its day is said it is one of that day, a weekday being also one of a later week.
    """
    days = _days(claim)
    if not days:
        return is_named_meeting(known)
    (day, words), *_ = days
    if not is_gathering(str(known["title"])):
        return False
    if known["date"] == day.isoformat():
        return True
    return bool(WEEKDAY.fullmatch(words)) and _date(known).weekday() == day.weekday()


def is_named_meeting(value: Mapping[str, Any]) -> bool:
    """Tell whether a known event is called a meeting."""
    return terms_of(str(value["title"])) >= _ONLY


def moved_day(claim: Claim, was: Mapping[str, Any]) -> str:
    """Return the day that an event is told for now; a bare weekday is of the week it was in."""
    at = claim.said_at
    said, before = _date(claim.fields), _date(was)
    if not claim.detail.get("corrects"):
        return said.isoformat()
    times = find_times(claim.text, at)
    to = next((time for time in times if _is_new(claim.text, time.offset)), None)
    if to is None or not WEEKDAY.fullmatch(to.words) or before < at.date():
        return said.isoformat()
    day = in_its_week(said, before, at)
    later = _LATER.search(claim.text, 0, to.offset) is not None
    return (day + _WEEK if later and day <= before else day).isoformat()


def _days(claim: Claim) -> list[tuple[date, str]]:
    """Return the days that are said of a meeting, with their words, but the one it is moved to."""
    if not claim.detail.get("on_day") and not claim.detail.get("corrects"):
        return []
    at = claim.said_at
    times = [time for time in find_times(claim.text, at) if time.end - time.start <= _WEEK / 7]
    return [
        (coming(time, at).start.date(), time.words)
        for time in times
        if not _is_new(claim.text, time.offset)
    ]


def _is_new(text: str, offset: int) -> bool:
    """Tell whether a time in a text is one that something is moved to."""
    return MOVED.search(text, 0, offset) is not None


def _date(value: Mapping[str, Any]) -> date:
    return date.fromisoformat(str(value["date"]))
