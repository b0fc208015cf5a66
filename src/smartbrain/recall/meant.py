"""Whether somebody who expects a memory in other words means it, and what comes closest (S1).

In: words that nobody said so, and memories. Out: yes where the value is among the words and all
others only name its attribute: "I live in Munich" means a home Munich, however it was told.
What denies something means nothing that affirms it. Nothing is read here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from smartbrain.domain.memory import Memory, Status
from smartbrain.recall.attribute_words import words_of
from smartbrain.text.pattern import pattern
from smartbrain.text.segment import tag
from smartbrain.text.tokenise import index_terms

if TYPE_CHECKING:
    from smartbrain.domain.memory_type import MemoryType

TELLING: Final = frozenset({"episodes", "statements"})
"""The types that tell what was said, whatever became of it."""
_PROFILE: Final = "profile"
_WIDE: Final = pattern("[\u3400-\u9fff]")
_IDLE: Final = frozenset("cepruxy")  # tags of words that name nothing: pronouns, particles, marks
_PLAIN: Final = frozenset(("是", "有", "用户"))
_USER: Final = frozenset(("user",))
_NUMBERED: Final = frozenset(
    ("time", "date", "day", "number", "valu", "时间", "日期", "号码", "数值", "值")
)
_DENIES: Final = pattern(
    r"\b(?:not|no|never|without|hates?|dislikes?|avoids?|stopped|quit|left)\b|n['’]t\b"
    "|[不没别非]|讨厌|停止|离开",
    re.IGNORECASE,
)
_CLOSE: Final = 0.5  # of the words; below it is something else


class Alike(NamedTuple):
    """The memory that comes closest to some words, and which share of them it holds."""

    memory: Memory
    share: float


class _Part(NamedTuple):
    """One thing that a memory holds: under which attribute, the value, all words that tell it."""

    attribute: str
    value: str
    told: str


def means(words: str, memory: Memory, kind: MemoryType | None) -> bool:
    """Tell whether some words are a memory's value, told by other words of its attribute."""
    wanted = _words(words)
    parts = [one for one in _parts(memory, kind) if _shared(wanted, one.value)]
    if not parts:
        return False
    told = " ".join(one.told for one in parts)
    if bool(_DENIES.search(words)) is not bool(_DENIES.search(told)):
        return False
    others = wanted - _shared(wanted, told) - _USER
    numbered = any(map(str.isdigit, "".join(_shared(wanted, " ".join(p.value for p in parts)))))
    known = _NUMBERED if numbered else frozenset()
    return others <= known.union(*[words_of(one.attribute, memory.type) for one in parts])


def closest(words: str, told: Iterable[tuple[Memory, str]]) -> list[Alike]:
    """Return who holds some of these words, with the most first; what only tells comes behind."""
    wanted = set(index_terms(words))
    found = []
    for memory, text in told:
        share = len(wanted.intersection(index_terms(text))) / len(wanted) if wanted else 0.0
        if share:
            found.append(Alike(memory, share))
    return sorted(found, key=lambda one: (-one.share, one.memory.type in TELLING))


def is_close(one: Alike) -> bool:
    """Tell whether a memory is worth naming to who looks for something else."""
    return one.share >= _CLOSE and one.memory.status is Status.ACTIVE


def _parts(memory: Memory, kind: MemoryType | None) -> Iterator[_Part]:
    """Yield what a memory holds: each fact of a profile, else its value as a whole."""
    value: Mapping[str, Any] = memory.value
    if memory.type == _PROFILE:
        for fact in value.get("facts", ()):
            attribute, said = str(fact.get("k", "")), str(fact.get("v", ""))
            yield _Part(attribute, said, f"{attribute.replace('_', ' ')} {said}")
        return
    named = [one.name for one in kind.rule.segments] if kind else []
    said = " ".join(str(item) for name, item in value.items() if name not in named)
    key = re.sub("[:_]", " ", memory.key)
    yield _Part(str(value.get("attribute", memory.type)), said, f"{said} {key} {memory.text}")


def _shared(wanted: Iterable[str], text: str) -> frozenset[str]:
    """Return which words a text holds; Chinese ones are looked for as they stand."""
    terms = set(index_terms(text))
    return frozenset(one for one in wanted if one in terms or (_WIDE.match(one) and one in text))


def _words(text: str) -> frozenset[str]:
    """Return what is told by a text: stems and numbers, and Chinese words that name something."""
    terms = [term for term in index_terms(text) if not _WIDE.search(term)]
    chinese = [] if text.isascii() else [word for word, kind in tag(text) if kind[0] not in _IDLE]
    return frozenset((*terms, *(one for one in chinese if _WIDE.match(one)))) - _PLAIN
