"""The text index: which nodes hold these words, best first.

In: documents in weighted parts, by number. Out: numbers with BM25 scores. A view of the truth: it
keeps no text of its own and can be rebuilt at any time. What was added is found by the next search,
saved or not, and saving changes no answer but by the typical length (see `TextIndex`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Protocol

from smartbrain.domain.search import (
    Apart,
    IndexFilter,
    Scored,
    TextDocument,
    TextQuery,
    TextStats,
    WeightedTerm,
)
from smartbrain.errors import UsageError

MOST_HITS: Final = 10_000
"""The most hits that a search returns."""

MOST_TERMS: Final = 4_096
"""The most terms of a query; `text.query` makes far fewer."""

LONGEST_PHRASE: Final = 64
MOST_PHRASES: Final = 16
LONGEST_SOURCE: Final = 4_000
"""The most characters of a source that a filter by prefix looks at."""

_LARGEST_NUM: Final = 2**63 - 1


class TextIndex(Protocol):
    """The documents of one tenant, or the passages of one. Safe to use from many threads.

    A score is BM25 with k1 1.2 and b 0.75 over one list of terms a document (`text.weigh`), each
    clause times its weight. How many documents there are, and how many hold a term, is counted over
    what can be found at that moment: what was removed or replaced does not count, and it makes no
    difference what was saved when. Lengths are rounded (`text.bm25`). The typical length, which
    they are measured by, is that of the moment of the last `save` or `compact`, and of this moment
    while there was none; it moves in steps, so that it mostly is the same. A phrase of `should`
    adds its weight times the rarity of its terms. Scores are precise to a relative 1e-5; what is
    nearer than `text.bm25.TIE` is equal, and equal ones come by the lower number.
    """

    def upsert(self, documents: Sequence[TextDocument]) -> None:
        """Add documents, or replace those of the same number."""

    def remove(self, nums: Sequence[int]) -> None:
        """Take documents out; a number that is not there is passed over."""

    def search(
        self,
        query: TextQuery,
        *,
        k: int,
        only: IndexFilter | None = None,
        apart: Apart | None = None,
    ) -> list[Scored]:
        """Return the best `k` documents that answer and that `only` admits, best first.

        A query without anything to look for has no answer. Of many terms only those are scored
        that can add most, `text.bm25.MOST_CLAUSES` of them. With `apart` there may be more than
        `k`: where others crowd a kind out, the best of that kind as well.
        """

    def save(self, folder: Path | None) -> None:
        """Write what is here now into an empty folder, and read from there from now on.

        Others may search and change meanwhile; their changes are not in the folder. It shares files
        with the folder loaded or saved before, which must still be there. Its files never change
        again, except those that end in `.lock`, which are no part of it. Without a folder the same
        is done in memory, for tenants that may not write plain text.
        """

    def compact(self, folder: Path | None) -> None:
        """As `save`, but write everything anew, so that nothing removed is left in the files."""

    def load(self, folder: Path) -> None:
        """Replace what is here by what a folder holds, also what was not saved.

        Files that are damaged, or of another format or way of cutting words, are `corrupt` and have
        to be built again; what was here is kept.
        """

    def holding(self, terms: Sequence[str]) -> list[int]:
        """Return how many documents hold each term, as a search would count them."""

    def stats(self) -> TextStats:
        """Return the index in figures."""


def check_documents(documents: Sequence[TextDocument]) -> None:
    """Refuse what cannot be indexed, before anything is."""
    for document in documents:
        if type(document.num) is not int or not 0 <= document.num <= _LARGEST_NUM:
            raise UsageError(f"a node has a number from 0 to 2^63-1, not {document.num!r:.80}")
        facets = document.facets
        if facets.at is not None and facets.at.utcoffset() is None:
            raise UsageError(
                f"document {document.num} is at {facets.at} without a UTC offset; add one",
                code="bad_time",
            )
        names = [facets.type, facets.status, facets.layer, facets.source, facets.language]
        names += facets.tags
        for name in () if "".join(names).isascii() else names:
            if not _is_text(name):
                raise UsageError(
                    f"document {document.num} has a facet that is not valid text: {name[:80]!r}"
                )


def check_search(query: TextQuery, k: int, only: IndexFilter | None) -> None:
    """Refuse a search that has no meaning or no bound."""
    if not 1 <= k <= MOST_HITS:
        raise UsageError(f"a search returns 1 to {MOST_HITS} hits, not {k}")
    if len(query.terms) > MOST_TERMS:
        raise UsageError(f"a query has at most {MOST_TERMS} terms, not {len(query.terms)}; cut it")
    phrases = (*query.must, *(phrase.terms for phrase in query.should))
    if len(phrases) > MOST_PHRASES:
        raise UsageError(f"a query has at most {MOST_PHRASES} phrases, not {len(phrases)}")
    for phrase in phrases:
        if not 1 <= len(phrase) <= LONGEST_PHRASE:
            raise UsageError(f"a phrase has 1 to {LONGEST_PHRASE} terms, not {len(phrase)}")
    weighted = query.terms
    if phrases:
        in_phrases = [WeightedTerm(term) for phrase in phrases for term in phrase]
        by_phrase = [WeightedTerm(one.terms[0], one.weight) for one in query.should]
        weighted = (*weighted, *in_phrases, *by_phrase)
    for term, weight in weighted:
        if not term or " " in term or not (term.isascii() or _is_text(term)):
            raise UsageError(f"a term is text without blanks, not {term!r:.80}; use text.query")
        if not 0 < weight < math.inf:
            raise UsageError(f"a weight is a positive number, not {weight!r:.80}")
    if only is not None:
        _check_filter(only)


def _check_filter(only: IndexFilter) -> None:
    for time in (only.since, only.until):
        if time is not None and time.utcoffset() is None:
            raise UsageError(f"the filter's {time} has no UTC offset; add one", code="bad_time")
    if len(only.source_prefix or "") > LONGEST_SOURCE:
        raise UsageError(f"a source prefix has at most {LONGEST_SOURCE} characters; cut it")
    for text in (only.source_prefix or "", *only.tags):
        if not _is_text(text):
            raise UsageError(f"the filter's {text[:80]!r} is not valid text")


def _is_text(text: str) -> bool:
    """Tell whether a string can be written as UTF-8: halves of surrogate pairs cannot."""
    return text.isascii() or not any("\ud800" <= one <= "\udfff" for one in text)
