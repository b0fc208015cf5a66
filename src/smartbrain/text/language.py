"""Tell the language of a text by the characters it is written in.

In: any string. Out: `zh`, `en`, `mixed` or `other`. One pass of counting, no dictionary, so Latin
letters without accents count as English. A text without letters, and one mostly in any other
script, is `other`.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final, Literal

from smartbrain.text.pattern import pattern

Language = Literal["zh", "en", "mixed", "other"]

_SAMPLE: Final = 4_000
_HAN: Final = pattern("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]+")
_ENGLISH: Final = pattern("(?<![A-Za-z\u00c0-\u024f])[A-Za-z]++(?![\u00c0-\u024f])")
_OTHER: Final = pattern("[\u00c0-\u02af\u0370-\u1fff\u3041-\u30ff\u31f0-\u31ff\uac00-\ud7a3]+")
# An English word says about as much as this many Chinese characters.
_WORD: Final = 1.5
_FOREIGN: Final = 0.3
_MINOR: Final = 0.2


@lru_cache(maxsize=512)  # a turn is looked at again when those around it come
def detect_language(text: str) -> Language:
    """Return the language that most of a text is written in, judged by its beginning.

    Names and terms in the other script do not make a text `mixed`: a fifth of it must be.
    """
    sample = text[:_SAMPLE]
    if sample.isascii():
        return "en" if _ENGLISH.search(sample) else "other"
    english = len(_ENGLISH.findall(sample)) * _WORD
    chinese = float(sum(map(len, _HAN.findall(sample))))
    # Runs of other letters: words where there are blanks, and kana between Chinese characters.
    other = len(_OTHER.findall(sample)) * _WORD
    total = chinese + english + other
    if not total or other > _FOREIGN * total:
        return "other"
    share = chinese / (chinese + english)
    if _MINOR < share < 1 - _MINOR:
        return "mixed"
    return "zh" if share > _MINOR else "en"


EDGES: Final = " \t\r\n.,!?;:\"'()。，！？；：、…“”‘’「」（）"
"""Marks around a text that say nothing."""
_BLANKS: Final = pattern(r"\s+")
_WIDE_BLANK: Final = pattern(r"(?<=[\u3400-\u9fff]) (?=\w)|(?<=\w) (?=[\u3400-\u9fff])")


def plain_text(text: str) -> str:
    """Return a text without case, blanks that say nothing, and marks around it."""
    if text.isascii():
        return " ".join(text.lower().split()).strip(EDGES)
    text = _BLANKS.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip(EDGES)
    return _WIDE_BLANK.sub("", text)
