"""Turn a document's parts into one list of terms in which each part counts as much as it should.

In: a document. Out: how often each term is to be counted, and its own words in order for phrases.
Weights are whole numbers of repetitions, because a text index has one BM25 field that cannot weigh
its parts. A short turn of a conversation needs its neighbours to be understood and a long one
drowns in them, so neighbours join only as long as the text is short. Without neighbours every part
counts once.
"""

from __future__ import annotations

from collections import Counter
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


@lru_cache(maxsize=256)  # a turn is cut again for each of its neighbours, and when they change
def _terms(text: str) -> tuple[str, ...]:
    """Return the terms of a text."""
    return tuple(index_terms(text))


def weigh(document: TextDocument, rules: WeighRules = _DEFAULT) -> WeighedText:
    """Return the terms of a document, each as often as it counts.

    Its text, title and entities are its own; date and speakers count once, and so does each single
    character of a wide run, which finds what a query of one character asks for.
    """
    own = [_terms(part) for part in (document.text, document.title, *document.entities)]
    nearby = [
        (_terms(near.text), rules.nearby[near.distance - 1])
        for near in document.nearby
        if 1 <= near.distance <= len(rules.nearby)
    ]
    weight = rules.own if any(terms for terms, _ in nearby) else 1
    counts: Counter[str] = Counter()
    for terms in own:
        counts.update(terms)
    if weight > 1:
        counts = Counter({term: count * weight for term, count in counts.items()})
    length = len(own[0])
    for terms, repeated in nearby:
        if length >= rules.enough_terms:
            break
        taken = terms[: rules.nearby_terms]
        length += len(taken)
        for term in taken:
            counts[term] += repeated
    for part in (document.date, *document.speakers):
        counts.update(index_terms(part))
    for part in (document.text, document.title):
        counts.update(single_terms(part))
    return WeighedText(dict(counts), phrase_terms(document.text))
