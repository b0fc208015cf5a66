"""A chat that was pasted: lines that begin with the name of who speaks (C1, C6).

In: a message. Out: the places of what others than the user say in it. A list of what people do is
no chat: somebody must speak of themselves or to somebody.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from smartbrain.text.entity_people import (
    DOUBLE_SURNAMES,
    NICKNAMES_ZH,
    NOT_NAMES_ZH,
    SURNAMES,
    TITLES_ZH,
    sure_names,
)
from smartbrain.text.pattern import pattern
from smartbrain.text.segment import tag
from smartbrain.text.word_list import stored_words, word_set

_LINE: Final = pattern(
    r"^[ \t]*+(?:\[[^\]\n]{1,20}\][ \t]*)?(?:\*\*)?([^\W\d_][^:：\n]{0,24}?)(?:[ \t]*+\*\*"
    r"|(?<![ \t]))"
    r"(?:[ \t]*+[(（]?\d{1,2}:\d\d(?::\d\d)?(?:\s?[AaPp][Mm])?[)）]?)?[ \t]*+[:：](?!//)(?:\*\*)?",
    re.MULTILINE,
)
_SPEAKS: Final = pattern(
    r"[^\n]{0,40}?(?:\b(?:I|I'm|I've|I'll|I'd|[Ww]e|[Yy]ou|[Mm]y|[Yy]our)\b|[我你您咱])"
)
_ROLES: Final = word_set(stored_words(__file__, "_ROLES"))
_OWN: Final = word_set("me i myself 我 本人 我自己")
_TITLED: Final = pattern(rf"[{''.join(sorted(SURNAMES))}](?:{TITLES_ZH})\Z")
_LONGEST_NAME: Final = 3  # words, or Chinese characters


def spoken_by_others(text: str) -> Iterator[tuple[int, int]]:
    """Yield from where to where somebody else speaks in a message."""
    lines = [(one, who) for one in _LINE.finditer(text) if (who := _who(one[1].strip()))]
    speaking = [who for line, who in lines if _SPEAKS.match(text, line.end())]
    if not speaking or (len(lines) == 1 and speaking != ["name"]):
        return
    ends = [line.start() for line, _ in lines[1:]] + [len(text)]
    for (line, who), end in zip(lines, ends, strict=True):
        if who != "own":
            gap = text.find("\n\n", line.end(), end)
            yield line.start(), end if gap < 0 else gap


def _who(label: str) -> str:
    """Return whether a label is the user's, a role or a name; empty for any other heading."""
    low = label.lower()
    if low in _OWN:
        return "own"
    if low in _ROLES or low.rstrip("0123456789 ") in _ROLES:
        return "role"
    return "name" if is_person(label) else ""


def is_person(label: str) -> bool:
    """Tell whether a label is a name of a person."""
    if label.isascii():
        words = label.split()
        first = words[0].lower()
        return len(words) <= _LONGEST_NAME and label[0].isupper() and first in sure_names()
    if label in NOT_NAMES_ZH:
        return False
    nick = label[0] in "小老阿" and label[1:] in SURNAMES
    if label in NICKNAMES_ZH or nick or _TITLED.match(label):
        return True
    surname = label[0] in SURNAMES or label[:2] in DOUBLE_SURNAMES
    tagged = tag(label) if surname and 1 < len(label) <= _LONGEST_NAME + 1 else []
    return len(tagged) == 1 and tagged[0][1].startswith("nr")  # 周报 is no name
