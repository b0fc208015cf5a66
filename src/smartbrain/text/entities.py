"""Find the people, organisations, places and things that a text names, in Chinese and English.

In: a text. Out: entities that do not overlap, in the order of the text. By lists and rules alone,
without a model. What is told by its form wins over names, of the others the longer one. The
segmenter is loaded only when Chinese comes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from smartbrain.text.entities_en import find_latin
from smartbrain.text.entities_zh import find_chinese, find_files
from smartbrain.text.entity_words import Entity, find_structural
from smartbrain.text.pattern import pattern

__all__ = ["Entity", "find_entities"]

_HAN: Final = pattern("[\u3400-\u9fff]")
_SENTENCE: Final = 2_000  # characters
_LATIN: Final = pattern("[A-Za-z]")


def find_entities(text: str) -> list[Entity]:
    """Return what a text names."""
    return list(_remembered(text) if len(text) <= _SENTENCE else _find(text))


def _find(text: str) -> list[Entity]:
    found = list(find_structural(text))
    if _LATIN.search(text):
        found += find_latin(text)
    if not text.isascii() and _HAN.search(text):
        found += find_chinese(text)
        found += find_files(text) if "." in text else ()
    if len(found) > 1:
        found = _apart(found)
    return [entity for entity in found if entity.kind]


def _apart(found: list[Entity]) -> list[Entity]:
    found.sort(key=lambda one: (one.kind != "" and not one.structural, -one.length, one.offset))
    taken = bytearray(max(one.end for one in found))
    chosen = []
    for one in found:
        if not any(taken[one.offset : one.end]):
            taken[one.offset : one.end] = b"\x01" * one.length
            chosen.append(one)
    return sorted(chosen, key=lambda one: one.offset)


_remembered: Final = lru_cache(maxsize=256)(_find)  # several readers look at one sentence
