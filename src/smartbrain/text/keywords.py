"""The words that a text is about: what a graph without a text index is searched by.

In: a text. Out: its first telling words, English ones in lower case, Chinese ones as a segmenter
cuts them. Not a ranking: every content word counts once, in the order of the text. Two letters are
a name where they are capitals, such as CI or AJ; one letter is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from smartbrain.text.pattern import pattern
from smartbrain.text.segment import tag
from smartbrain.text.word_list import STOP_WORDS, word_set

READ_CHARACTERS: Final = 2_000
"""How much of a text is read for keywords."""
_HAN_RANGES: Final = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_LETTER: Final = rf"[^\W{_HAN_RANGES}]"
_WORDS: Final = pattern(rf"[A-Za-z](?:{_LETTER}|['+#.-])*(?:{_LETTER}|[+#])")
_HAN: Final = pattern(f"[{_HAN_RANGES}]")
_NO_NAME: Final = word_set("ok pm ps oh ah um uh ha hi")
_FEW: Final = 3  # words in capitals that need not be shouted
_TELLING: Final = ("n", "v", "a", "eng", "j", "i", "l")
_EMPTY: Final = word_set(
    "没有 可以 觉得 知道 应该 需要 现在 时候 一下 这个 那个 东西 事情 问题 感觉 进行 出来 起来"
)
# The segmenter's dictionary has them as times; they are what is spoken of.
_OCCASIONS: Final = word_set("生日 忌日 婚期 孕期 假期 节假日 休息日 周年")


def keywords_of(text: str, most: int = 12) -> tuple[str, ...]:
    """Return at most so many content words, each once."""
    text = text[:READ_CHARACTERS]
    found = dict.fromkeys(_english(text))
    if len(found) < most and _HAN.search(text):
        found |= dict.fromkeys(_chinese(text))
    return tuple(found)[:most]


def _english(text: str) -> Iterator[str]:
    words = _WORDS.findall(text)
    shouted = len(words) > _FEW and text.isupper()
    for word in words:
        small = word.lower().rstrip(".'")
        named = len(small) == 2 and word.isupper() and not shouted and small not in _NO_NAME
        if (len(small) > 2 or named) and small not in STOP_WORDS:
            yield small


def _chinese(text: str) -> Iterator[str]:
    tagged = tag(text)
    for place, (word, kind) in enumerate(tagged):
        if not _tells(word, kind):
            continue
        yield word.lower() if kind == "eng" else word
        after = tagged[place + 1][0] if place + 1 < len(tagged) else ""
        if len(word) > 3 and len(after) == 1 and _HAN.match(after):
            yield from _cut_otherwise(word[:-1], word[-1] + after)


def _tells(word: str, kind: str) -> bool:
    telling = kind.startswith(_TELLING) or word in _OCCASIONS
    return len(word) > 1 and telling and word not in _EMPTY


def _cut_otherwise(first: str, second: str) -> tuple[str, ...]:
    """Return two words if each is one: 服务器端口 is no 服务器端 with a 口 behind it."""
    cut = [tag(first), tag(second)]
    return (first, second) if all(len(one) == 1 and _tells(*one[0]) for one in cut) else ()
