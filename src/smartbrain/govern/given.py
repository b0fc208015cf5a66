"""Reading what callers want governed: lines of text, ids, times to live.

In: anything. Out: plain values that can be stored and done again, or one sentence that says what to
change. Reading what was read before changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from typing import Final

from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.errors import UsageError
from smartbrain.text.controls import without_controls
from smartbrain.text.pattern import pattern

LONGEST_LINE: Final = 2_000
"""The most characters of a note or a step of a plan."""
LONGEST_NAME: Final = 512
MOST_DAYS: Final = 36_500
_MOST_IDS: Final = 1_000
_WIDE: Final = str.maketrans("０１２３４５６７８９＃", "0123456789#")
_APART: Final = pattern(r"[\s,，、;；]+")
_AND: Final = pattern(r"(?<=\d)\s*(?:[和与及&]|\band\b)\s*(?=#?\d)")
_NUMBERS: Final = pattern(r"(?:[\s\d#＃,，、;；和与及&]|and)*\d[\s。.]*\Z")
_TTL: Final = pattern(
    r"\s*+(\d{1,5})\s*+(?:(d|days?|天|日)|(sessions?|次会话|个会话|会话))?\s*+\Z", re.IGNORECASE
)


def read_line(value: object, name: str, longest: int = LONGEST_LINE) -> str:
    """Return text as one line: control characters and line breaks become blanks.

    Raises:
        UsageError: it is no text, blank, too long, or half a character.
    """
    if not isinstance(value, str):
        raise UsageError(f"{name} is {shown(value)}; it must be text")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{name} holds half a character at position {error.start}; decode the text properly"
        ) from None
    line = " ".join(without_controls(value).split())
    if not line:
        raise UsageError(f"{name} is blank; give some words")
    if len(line) > longest:
        raise UsageError(f"{name} has {len(line)} characters, {longest} is the limit; shorten it")
    return line


def read_optional_line(value: object, name: str, longest: int = LONGEST_LINE) -> str | None:
    """Return text as one line, or None if there is none."""
    return None if value is None else read_line(value, name, longest)


def read_choice(value: object, name: str, options: Iterable[str]) -> str:
    """Return one of a fixed set of words.

    Raises:
        UsageError: it is none of them.
    """
    words = [str(one) for one in options]
    if isinstance(value, str) and value in words:
        return str(value)
    near = did_you_mean(value, words)
    raise UsageError(f"{name} is {shown(value)}{near}; it must be one of {', '.join(words)}")


def read_ids(value: object, name: str = "ids") -> list[str]:
    """Return ids, given as one or many, as numbers or as text such as `3`, `#3` or `1, 3`.

    Raises:
        UsageError: there is none, or one of them is no id.
    """
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        given = list(value)
    else:
        given = [value]
    apart = (
        split_ids(one) if isinstance(one, str) and _NUMBERS.match(one) else [one] for one in given
    )
    given = [one for several in apart for one in several]
    if not 0 < len(given) <= _MOST_IDS:
        raise UsageError(f"{name} has {len(given)} entries; give 1 to {_MOST_IDS} ids")
    return list(dict.fromkeys(read_entry_id(one, name) for one in given))


def split_ids(text: str) -> list[str]:
    """Return the ids that a text names, however people set them apart: `1, 3`, `1、3`, `1和3`."""
    named = _AND.sub(" ", text.translate(_WIDE))
    return [one for one in _APART.split(named.rstrip("。.")) if one]


def read_entry_id(value: object, name: str = "id") -> str:
    """Return one id.

    Raises:
        UsageError: it is none.
    """
    if type(value) is int and value > 0:
        return str(value)
    if isinstance(value, str):
        return read_line(value.strip().removeprefix("#"), name, LONGEST_NAME)
    raise UsageError(f"{name} holds {shown(value)}; an id is a number or text such as '3'")


def read_ttl(value: object) -> tuple[int | None, int | None]:
    """Return how many days and how many sessions something is to live; neither if not given.

    `7` and `"7d"` are days, `"30 sessions"` are sessions, `"7天"` and `"30次会话"` as well.

    Raises:
        UsageError: it is neither.
    """
    if value is None:
        return None, None
    found = _TTL.match(str(value)) if type(value) in (int, str) else None
    count = int(found[1]) if found else 0
    if found is None or not 0 < count <= MOST_DAYS:
        raise UsageError(
            f"ttl is {shown(value)}; give days such as 7 or '7d', or sessions such as '30 sessions'"
        )
    return (None, count) if found[3] else (count, None)


def read_moment(value: object, name: str = "to") -> int | str:
    """Return the number of a change, or an aware time in ISO 8601.

    Raises:
        UsageError: it is neither.
    """
    if type(value) is int:
        return value
    try:
        time = datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        time = None
    if not isinstance(time, datetime) or time.utcoffset() is None:
        raise UsageError(
            f"{name} is {shown(value)}; give the number of a change, or a time with its offset"
        )
    return time.isoformat()
