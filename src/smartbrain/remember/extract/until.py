"""Until when something holds: "100/min until tomorrow", 停车位是 B7，用到周五为止 (M3).

In: a value, or a candidate and its message. Out: the value without such words, and the time at
which it stops to hold. Words that name no time say nothing.
"""

from __future__ import annotations

from datetime import datetime
from typing import Final

from smartbrain.domain.candidate import Candidate
from smartbrain.domain.quick import replace
from smartbrain.remember.extract.said import Said
from smartbrain.text.pattern import pattern
from smartbrain.text.times import find_times

_REACH: Final = 40  # characters behind a statement in which its time may stand
_WORDS: Final = (
    r"[,，(（]?\s*(?:\b(?:(?:valid|good|but only|only) )?(?:until|till|through)\s+(?=\S)"
    r"|(?:可以|只能|一直|有效|使用|用){0,3}(?:直到|到|截至|截止到?)(?=[^，,。]{1,12}(?:为止|止)))"
)
_UNTIL: Final = pattern(_WORDS, 0x02)
_BEHIND: Final = pattern(rf"\A\s*{_WORDS}", 0x02)
_SENTENCE_END: Final = pattern(r"[.!?。！？\n](?!\d)")


def split_until(value: str, said_at: datetime) -> tuple[str, datetime | None]:
    """Return a value without the words that say until when it holds, and that time."""
    found = _UNTIL.search(value)
    kept = value[: found.start()].rstrip() if found else ""
    times = find_times(value[found.end() :], said_at) if found and kept else []
    return (kept, times[0].end) if times else (value, None)


def hold_until(candidate: Candidate, said: Said) -> Candidate:
    """Return a candidate with the time until which it holds, if that is said right behind it."""
    if candidate.valid_until is not None or not candidate.length:
        return candidate
    end = candidate.offset + candidate.length
    behind = _SENTENCE_END.split(said.text[end : end + _REACH], maxsplit=1)[0]
    found = _BEHIND.match(behind)
    times = find_times(behind[found.end() :], said.at) if found else []
    return replace(candidate, valid_until=times[0].end) if times else candidate
