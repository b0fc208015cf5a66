"""Which meeting is meant by one that is only called a meeting (C4).

In: the title of an event, the words that call it off, and the day it is on. Out: the terms it is
known by, the same for 开会, 会议 and "meeting", and whether it may be the one that is meant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, Final

from smartbrain.text.times import find_times, next_occurrence
from smartbrain.text.tokenise import index_terms

if TYPE_CHECKING:
    from smartbrain.domain.claim import Claim

_DAY: Final = timedelta(days=1)
_WEEKDAY: Final = re.compile(
    r"(?:on )?(?:mon|tues?|wed|wednes|thurs?|fri|sat|satur|sun)(?:day)?"
    r"|(?:周|星期|礼拜)[一二三四五六日天]",
    re.IGNORECASE,
)
_ONLY: Final = frozenset(index_terms("meeting"))
_CALLED: Final = re.compile(r"(?:的|\A)会(?:议)?\Z|的?会议|开(?:个|一个|一次|了)?会")
_WITH: Final = re.compile(r"[和跟与同](?=[\u3400-\u9fff]{1,12} meeting)")
_GATHERING: Final = re.compile(
    r"\b(?:meeting|review|sync|stand-?up|retro(?:spective)?|kick-?off|call|1:1|one-on-one|check-in"
    r"|catch-?up|planning|all-hands|town hall|session)\b"
    r"|会议|开.{0,8}会|(?<![演音运聚晚年酒学宴])(?<!演唱)(?<!音乐)会\Z|评审|复盘|碰头|对接|面谈|约谈",
    re.IGNORECASE,
)


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
    return (
        bool(_WEEKDAY.fullmatch(words))
        and date.fromisoformat(str(known["date"])).weekday() == day.weekday()
    )


def is_named_meeting(value: Mapping[str, Any]) -> bool:
    """Tell whether a known event is called a meeting."""
    return terms_of(str(value["title"])) >= _ONLY


def _days(claim: Claim) -> list[tuple[date, str]]:
    """Return the days that are said of a meeting that is called off, with their words."""
    if not claim.detail.get("on_day"):
        return []
    at = claim.said_at
    times = [time for time in find_times(claim.text, at) if time.end - time.start <= _DAY]
    return [(next_occurrence(time, at).start.date(), time.words) for time in times]
