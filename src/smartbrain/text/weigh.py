"""Turn a document's parts into one list of terms in which each part counts as much as it should.

In: a document. Out: how often each term is to be counted, and its own words in order for phrases.
Weights are whole numbers of repetitions, because a text index has one BM25 field that cannot weigh
its parts. A short turn of a conversation needs its neighbours to be understood and a long one
drowns in them, so neighbours join only as long as the text is short. Without neighbours every part
counts once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import Final, NamedTuple

from smartbrain.domain.text_search import TextDocument
from smartbrain.text.tokenise import Cut, cut_text


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighRules:
    """How often a term of each part is written where a document has neighbours.

    `retold` is how often one is that no other part has, also without neighbours: what a value says
    stands in its text, its title and its key. `nearby` is by distance, so its length is how far
    neighbours reach; each gives at most its first `nearby_terms`, and only to a text that has fewer
    than `enough_terms` so far.
    """

    own: int = 3
    retold: int = 3
    nearby: tuple[int, ...] = (2, 1)
    nearby_terms: int = 30
    enough_terms: int = 80


class WeighedText(NamedTuple):
    """What is indexed of a document: its terms with their counts, its own words in order."""

    counts: dict[str, int]
    words: list[str]


_DEFAULT: Final = WeighRules()


# A turn's lines are those of its passages too.
_cut: Final[Callable[[str], Cut]] = lru_cache(maxsize=1_024)(cut_text)


@lru_cache(maxsize=64)  # a turn is weighed again for each of its neighbours
def cut_lines(text: str) -> Cut:
    """Return what `cut_text` would: no term reaches over the end of a line."""
    if "\n" not in text:
        return _cut(text)
    terms, words, singles = zip(*map(_cut, text.split("\n")), strict=True)
    joined = chain.from_iterable
    return Cut([*joined(terms)], [*joined(words)], [*dict.fromkeys(joined(singles))])


def weigh(document: TextDocument, rules: WeighRules = _DEFAULT) -> WeighedText:
    """Return the terms of a document, each as often as it counts.

    Its text, title and entities are its own, and so is each word that it is retold in if none of
    these has it; date and speakers count once, and so does each single character of a wide run,
    which finds what a query of one character asks for.
    """
    text, title = cut_lines(document.text), cut_lines(document.title)
    words, singles = text.words, text.singles + title.singles
    own = text.terms + title.terms
    for entity in document.entities:
        own += _cut(entity).terms
    if document.retold:
        retold = cut_lines(document.retold)
        own += _new(retold.terms, own) * rules.retold
        singles += _new(retold.singles, singles)
        words = words + retold.words
    length, surrounded = len(text.terms), False
    around: list[str] = []
    for near in document.nearby:
        if not 1 <= near.distance <= len(rules.nearby):
            continue
        beside = cut_lines(near.text).terms
        surrounded |= bool(beside)
        if length >= rules.enough_terms and surrounded:
            break
        taken = beside[: rules.nearby_terms]
        length += len(taken)
        around += taken * rules.nearby[near.distance - 1]
    terms = own * (rules.own if surrounded else 1) + around
    for part in (document.date, *document.speakers):
        terms += _cut(part).terms
    return WeighedText(Counter(terms + singles), words)


def _new(terms: list[str], known: list[str]) -> list[str]:
    """Return the terms that are not among those that are known, each once, in their order."""
    have = {*known}
    return [term for term in dict.fromkeys(terms) if term not in have]
