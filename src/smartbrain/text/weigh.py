"""Turn a document's parts into one list of terms in which each part counts as much as it should.

In: a document. Out: how often each term is to be counted, and its own words in order for phrases.
Weights are whole numbers of repetitions, because a text index has one BM25 field that cannot weigh
its parts. A short turn of a conversation needs its neighbours to be understood and a long one
drowns in them, so neighbours join only as long as the text is short. Without neighbours every part
counts once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from smartbrain.domain.text_search import TextDocument
from smartbrain.text.tokenise import index_terms, phrase_terms, single_terms


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighRules:
    """How often a term of each part is written where a document has neighbours.

    `nearby` is by distance, so its length is how far neighbours reach; each gives at most its first
    `nearby_terms`, and only to a text that has fewer than `enough_terms` so far.
    """

    own: int = 3
    nearby: tuple[int, ...] = (2, 1)
    nearby_terms: int = 30
    enough_terms: int = 80


class WeighedText(NamedTuple):
    """What is indexed of a document: its terms with their counts, its own words in order."""

    counts: dict[str, int]
    words: list[str]


_DEFAULT: Final = WeighRules()


class _Cut(NamedTuple):
    """A text cut into what it is found by, the words of its phrases, its single characters."""

    terms: tuple[str, ...]
    words: tuple[str, ...]
    singles: tuple[str, ...]


@lru_cache(maxsize=512)  # a turn is cut again for each of its neighbours, and when they change
def _cut(text: str) -> _Cut:
    """Cut a text."""
    return _Cut(tuple(index_terms(text)), tuple(phrase_terms(text)), tuple(single_terms(text)))


def weigh(document: TextDocument, rules: WeighRules = _DEFAULT) -> WeighedText:
    """Return the terms of a document, each as often as it counts.

    Its text, title and entities are its own; date and speakers count once, and so does each single
    character of a wide run, which finds what a query of one character asks for.
    """
    text = _cut(document.text)
    nearby = [
        (_cut(near.text).terms, rules.nearby[near.distance - 1])
        for near in document.nearby
        if 1 <= near.distance <= len(rules.nearby)
    ]
    weight = rules.own if any(terms for terms, _ in nearby) else 1
    counts: dict[str, int] = {}
    for terms in (text.terms, *map(index_terms, (document.title, *document.entities))):
        for term in terms:
            counts[term] = counts.get(term, 0) + weight
    length = len(text.terms)
    for terms, repeated in nearby:
        if length >= rules.enough_terms:
            break
        taken = terms[: rules.nearby_terms]
        length += len(taken)
        for term in taken:
            counts[term] = counts.get(term, 0) + repeated
    for part in (document.date, *document.speakers):
        for term in index_terms(part):
            counts[term] = counts.get(term, 0) + 1
    for term in (*text.singles, *single_terms(document.title)):
        counts[term] = counts.get(term, 0) + 1
    return WeighedText(counts, list(text.words))
