"""Words by which a sentence tells something worth keeping: an instruction, a choice, a figure.

In: a sentence in Chinese, English or both. Out: what it holds of each, by its words alone. Not an
extractor: nothing is remembered because of these, they only choose between what is there.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from smartbrain.text.pattern import pattern

_INSTRUCTS: Final = pattern(
    r"\b(?:always|never|from now on|going forward|in future|every time|whenever|must|stop|please"
    r"|don[’']?t|do not|make sure|call me|remember)\b"
    r"|以后|今后|从现在|往后|一律|总是|永远|每次|不要|别(?![的人处])|禁止|必须|务必|记住|请|叫我|称呼我",
    re.IGNORECASE,
)
_DECIDES: Final = pattern(
    r"\b(?:(?:we|i|let[’']?s)(?:[’'](?:ve|ll))?(?: have| will| shall)? (?:decided?|agreed?|chose"
    r"|choose|go(?:ing)? with|settled?|pick(?:ed)?|switch(?:ed)?|use|ship)"
    r"|decision|decided (?:to|on|that)|agreed (?:to|on|that)|deadline|instead of)\b"
    r"|决定|敲定|定下|商定|同意|采用|改为|改成|换成|选定|选择了|就用|定为|截止|拍板",
    re.IGNORECASE,
)
_EXACT: Final = pattern(
    r"\d|`[^`\n]+`|\w/\w|\w_\w|[a-z][A-Z]|[零一二三四五六七八九十百千万两](?:点|号|月|天|周|年|元|个|块)"
)
_SHORT: Final = 1_000  # characters of a text that stands for many packets and is read once
_QUESTION_MARKS: Final = frozenset("?？")
_QUESTION_WORDS: Final = frozenset("吗呢")


def instructs(text: str) -> bool:
    """Tell whether a text says how things are to be done."""
    found = _remembered(text) if len(text) <= _SHORT else _INSTRUCTS.search(text)
    return found is not None


_remembered: Final = lru_cache(maxsize=4_096)(lambda text: _INSTRUCTS.search(text))


def decides(text: str) -> bool:
    """Tell whether a text settles something."""
    return _DECIDES.search(text) is not None


def is_exact(text: str) -> bool:
    """Tell whether a text has a figure, a path or a name that only its own words give."""
    return _EXACT.search(text) is not None


def asks(text: str) -> bool:
    """Tell whether a sentence is a question: a mark or a word for it ends it, but for signs."""
    for letter in reversed(text):
        if letter in _QUESTION_MARKS:
            return True
        if letter.isalnum() or letter == "_":
            return letter in _QUESTION_WORDS
    return False
