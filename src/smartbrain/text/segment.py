"""Cut Chinese text into words with their parts of speech.

In: any text. Out: (word, tag) pairs that put together are the text again; tags are those of the
segmenter's dictionary: nr a person, ns a place, nt an organisation, n a noun, v a verb. Safe to
call from several threads: the dictionary, loaded by the first call, is only read.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

import rjieba

from smartbrain.text.pattern import pattern

Tagged = tuple[str, str]

_cut: Final[Callable[[str], list[Tagged]]] = rjieba.tag

# Halves of characters, which a message in JSON may hold and no text in UTF-8 can.
_HALVES: Final = pattern("[\ud800-\udfff]")


def tag(text: str) -> list[Tagged]:
    """Return the words of a text with their tags."""
    return list(_tag(text))


@lru_cache(maxsize=256)  # several readers look at one sentence, one after the other
def _tag(text: str) -> tuple[Tagged, ...]:
    try:
        return tuple(_cut(text))
    except UnicodeEncodeError:
        words = _cut(_HALVES.sub("\ufffd", text))
    found, start = [], 0
    for word, kind in words:
        found.append((text[start : start + len(word)], kind))
        start += len(word)
    return tuple(found)
