"""Make one query for the text index of a message, its expansions and the phrases in it.

In: texts and weights. Out: a `TextQuery` in terms. However long the message, the query stays small:
only its beginning is read. Where it has nothing but stop words it is looked for by how they stand
together; what says too little alone is marked. Not a query language: quotes and signs are text like
any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice, pairwise
from typing import Final

from smartbrain.domain.text_search import TextQuery, WeightedPhrase, WeightedTerm
from smartbrain.ports.text_index import LONGEST_PHRASE
from smartbrain.text.faint import faint_terms
from smartbrain.text.tokenise import SINGLE_WEIGHT, phrase_terms, query_terms

READ_CHARACTERS: Final = 20_000
"""How much of a text is read for a query."""

MOST_TERMS: Final = 1_000
"""The most terms of a query; what comes later in its texts is left out."""

_MOST_PAIRS: Final = 8  # pairs of stop words that are looked for


def text_query(
    text: str,
    *,
    expansions: Sequence[tuple[str, float]] = (),
    must: Sequence[str] = (),
    should: Sequence[tuple[str, float]] = (),
    said: bool = False,
) -> TextQuery:
    """Return the query for a text, with what widens it and the phrases that narrow or favour.

    Args:
        text: the message, at weight 1; it may be empty.
        expansions: other texts to look for and what each counts beside the message (R12).
        must: phrases that a document has to hold; their words are also looked for.
        should: phrases that count so much more when they are found.
        said: whether the text was said to somebody, and may hold words that ask for nothing; who
            searches for words means all of them.
    """
    text = text[:READ_CHARACTERS]
    found = query_terms(text)
    pairs = [] if found else _pairs(text)
    singles, whole = _apart(found)
    others = [*((phrase, 1.0) for phrase in must), *expansions]
    if others:
        weights = dict(found)
        for other, share in others:
            widening = query_terms(other[:READ_CHARACTERS])
            for term, weight in widening:
                weights[term] = max(weight * share, weights.get(term, 0.0))
            more, words = _apart(widening)
            singles |= more
            whole |= words
        found = [WeightedTerm(*item) for item in weights.items()]
    phrases = [(_phrase(phrase), weight) for phrase, weight in should] + pairs
    return TextQuery(
        terms=tuple(found[:MOST_TERMS]),
        must=tuple(terms for phrase in must if (terms := _phrase(phrase))),
        should=tuple(WeightedPhrase(terms, weight) for terms, weight in phrases if terms),
        faint=faint_terms(text, whole | singles, singles - whole) if said else frozenset(),
    )


def _apart(terms: Sequence[WeightedTerm]) -> tuple[set[str], set[str]]:
    """Return the single characters of longer runs among some terms, and the others."""
    singles: set[str] = set()
    whole: set[str] = set()
    for term, weight in terms:
        (singles if weight == SINGLE_WEIGHT else whole).add(term)
    return singles, whole


def _pairs(text: str) -> list[tuple[tuple[str, ...], float]]:
    """Return the pairs of words of a text that has stop words only: "who am I" asks who "I am"."""
    words = _phrase(text)
    pairs = dict.fromkeys(pair for one in pairwise(words) for pair in (one[::-1], one))
    return [(pair, 1.0) for pair in islice(pairs, _MOST_PAIRS)]


def _phrase(text: str) -> tuple[str, ...]:
    """Return the terms of a phrase; a very long one is looked for by its beginning."""
    return tuple(phrase_terms(text[:READ_CHARACTERS])[:LONGEST_PHRASE])
