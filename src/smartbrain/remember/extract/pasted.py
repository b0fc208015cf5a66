"""A long text that was pasted without a word about it: an article, not the user's account (C1, C6).

In: the parts of a message that are read. Out: where in each of them a document stands. A long text
of whole sentences is one if hardly any of them speaks of I, we or you. Sentences before and after
it that do, or ask to remember something, are the user's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import Final

from smartbrain.text.pattern import pattern

LONG: Final = 6_000
"""Bytes from which on a text may be a document: about 1,000 English words, 2,000 characters."""
_MOST_SPEAKING: Final = 0.1  # of the sentences; what people tell has four times as many and more
_LEAST_MEAN: Final = 60  # bytes of a sentence; those of lists and notes are shorter

_SENTENCE: Final = pattern(r"[^\s。！？!?](?:[^\n。！？!?.]|\.(?!\s))*+[。！？!?.]*+")
_SPEAKS: Final = pattern(
    r"[你您咱俺]|(?<!自)我(?![国军省市县校])|记[住下得一着]"
    r"|\b(?:I|i(?!\.)|[Ii]m|me|[Mm]y|mine|myself|[Ww]e|us|[Oo]urs?|[Yy]ou|[Yy]ours?|[Rr]emember)\b"
)


def documents_in(parts: Sequence[str]) -> list[tuple[int, int]]:
    """Return where a document begins and ends in each part of a message; nothing if it is none."""
    if sum(map(len, parts)) * 3 < LONG:
        return []
    cut = [[(one.span(), _speaks(one[0])) for one in _SENTENCE.finditer(part)] for part in parts]
    said = [speaks for part in cut for _, speaks in part]
    size = sum(len(one.encode()) for part in parts for one in part.split())
    if size < max(LONG, _LEAST_MEAN * len(said)) or sum(said) >= _MOST_SPEAKING * len(said):
        return []
    spans = [(0, len(part)) for part in parts]
    first, last = _speaking(cut[0]), _speaking(reversed(cut[-1]))
    if first:
        spans[0] = (first[-1][1], spans[0][1])
    if last:
        spans[-1] = (spans[-1][0], last[-1][0])
    return spans


def _speaks(sentence: str) -> bool:
    """Tell whether a sentence speaks of its speaker or to somebody."""
    return bool(_SPEAKS.search(sentence))


def _speaking(sentences: Iterable[tuple[tuple[int, int], bool]]) -> list[tuple[int, int]]:
    """Return the places of those sentences that speak, as far as they follow one another."""
    return [place for place, _ in takewhile(lambda one: one[1], sentences)]
