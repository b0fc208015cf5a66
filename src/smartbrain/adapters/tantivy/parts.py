"""What the two halves of the index share: a document ready to be written, and a query made ready.

An entry is kept as JSON in tantivy's store too, so that what is removed can be taken out of the
statistics and what is left can be written anew without asking the truth.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, NamedTuple

from smartbrain.domain.search import Facets, IndexFilter
from smartbrain.domain.text_search import TextDocument
from smartbrain.text.bm25 import Clause
from smartbrain.text.weigh import WeighRules, weigh

EVERYTHING: Final = IndexFilter()
"""The filter that admits everything."""

COUNT_BITS: Final = 24
"""How many bits a count has; a term that comes more often is counted as often as they can tell."""
_MOST: Final = (1 << COUNT_BITS) - 1


@dataclass(slots=True, eq=False)
class Entry:
    """A document as it is indexed: counted terms, own words between blanks, and facets."""

    num: int
    counts: dict[str, int]
    words: str
    facets: Facets
    length: int


class Wanted(NamedTuple):
    """A query with what each of its parts adds to a score now.

    `alone` says that nothing but `must` was asked for. What is `faint` adds to what answers by
    something else.
    """

    clauses: list[Clause]
    faint: list[Clause]
    must: tuple[tuple[str, ...], ...]
    should: list[tuple[tuple[str, ...], float]]
    alone: bool


def make_entry(document: TextDocument, rules: WeighRules) -> Entry:
    """Return a document as it is indexed."""
    counts, words = weigh(document, rules)
    return _entry(document.num, counts, spaced(words), document.facets)


def spaced(words: list[str] | tuple[str, ...]) -> str:
    """Return words with a blank before and after each, so that a phrase is a part of the text."""
    return f" {' '.join(words)} "


def to_bytes(entry: Entry) -> bytes:
    """Return an entry as it is stored."""
    kept = (entry.num, entry.counts, entry.words, entry.facets.to_dict())
    return json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode()


def from_bytes(data: bytes) -> Entry:
    """Return a stored entry.

    Raises:
        ValueError: the bytes are not a stored entry.
    """
    num, counts, words, facets = json.loads(data)
    return _entry(num, counts, words, Facets.from_dict(facets))


def _entry(num: int, counts: dict[str, int], words: str, facets: Facets) -> Entry:
    length = sum(counts.values())
    if length > _MOST:
        counts = {term: min(count, _MOST) for term, count in counts.items()}
    return Entry(num, counts, words, facets, length)
