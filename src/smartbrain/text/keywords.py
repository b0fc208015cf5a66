"""The words that a text is about: what a graph without a text index is searched by.

In: a text. Out: its first telling words, English ones in lower case, Chinese ones as a segmenter
cuts them. Not a ranking: every content word counts once, in the order of the text.
"""

from __future__ import annotations

from typing import Final

from smartbrain.text.pattern import pattern
from smartbrain.text.segment import tag
from smartbrain.text.stop_words import STOP_WORDS
from smartbrain.text.word_list import word_set

READ_CHARACTERS: Final = 2_000
"""How much of a text is read for keywords."""
_WORDS: Final = pattern(r"[A-Za-z][\w'+#.-]*[\w+#]")
_HAN: Final = pattern("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_TELLING: Final = ("n", "v", "a", "eng", "j", "i", "l")
_EMPTY: Final = word_set(
    "没有 可以 觉得 知道 应该 需要 现在 时候 一下 这个 那个 东西 事情 问题 感觉 进行 出来 起来"
)


def keywords_of(text: str, most: int = 12) -> tuple[str, ...]:
    """Return at most so many content words, each once."""
    text = text[:READ_CHARACTERS]
    words = [word.lower().rstrip(".'") for word in _WORDS.findall(text)]
    found = dict.fromkeys(word for word in words if len(word) > 2 and word not in STOP_WORDS)
    if len(found) < most and _HAN.search(text):
        for word, kind in tag(text):
            if len(word) > 1 and kind.startswith(_TELLING) and word not in _EMPTY:
                found.setdefault(word.lower() if kind == "eng" else word)
    return tuple(found)[:most]
