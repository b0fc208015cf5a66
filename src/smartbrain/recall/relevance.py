"""Whether memory answers a message at all: a chance, from how much of the message is known (R20).

In: the words of a message, how many memories hold each, and the best of what was found. Out: a
number from 0 to 1. Below one floor nothing is brought to mind by being found; what the caller names
exactly, and what stands anyway, is not judged here. `python -m bench.relevance` fits the weights.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Final, NamedTuple

from smartbrain.domain.recall import Cues, Intent
from smartbrain.domain.recalled import Ranked
from smartbrain.domain.search import Scored
from smartbrain.recall.cue_words import without_asking
from smartbrain.recall.synonyms import find_synonyms, stem_of
from smartbrain.text.bm25 import K1, rarity
from smartbrain.text.query import bare, nouns_of_one, without_courtesies
from smartbrain.text.segment import tag
from smartbrain.text.sentences import split_sentences
from smartbrain.text.tokenise import query_terms

_MOST_SENTENCES: Final = 12
_LOOKED_AT: Final = 40  # of the best memories
_LARGE: Final = 7.0  # the logarithm of as many memories as hold most words that anybody says
_MANY: Final = 4.0  # the same of as many as tell about what a message may be
_READ: Final = 2_000  # characters of each
_OWN: Final = re.compile(r"\b(?:i|i'm|i've|i'd|my|mine|me|we|our|us)\b|[我咱俺]", re.IGNORECASE)
_HANDED: Final = re.compile(
    r"\b(?:give|tell|show|help|write|teach|let|make|get|list|find|draw) (?:me|us)\b|[帮给教替为]我",
    re.IGNORECASE,
)
"""Where the speaker is only who receives: "give me a synonym" asks for nothing of theirs."""

_POINTING: Final = "那这该此每某"  # at the beginning of what is taken for a word, as in 那本书

WEIGHTS: Final[Mapping[str, float]] = {
    "scored": 3.965,
    "words": 1.749,
    "unknown": -3.158,
    "rarity": -2.163,
    "own": 1.343,
    "asking": 3.725,
    "timed": 1.941,
    "bias": -1.585,
}


class TermCounts(NamedTuple):
    """How many memories hold each telling word of a message, and how many memories there are.

    `alike` are other words for what a term is part of, in either language, and `otherwise` is how
    many memories hold the most common one of them.
    """

    holding: Mapping[str, int]
    documents: int
    alike: Mapping[str, tuple[str, ...]] = {}
    otherwise: Mapping[str, int] = {}

    def known(self, term: str) -> int:
        """Return how many memories hold a term, or other words for it."""
        return max(self.holding[term], self.otherwise.get(term, 0))

    def rare(self, share: float) -> frozenset[str]:
        """Return the words that some memories hold, but few of them or at most a share (R9)."""
        most = max(_FEW, share * self.documents)
        return frozenset(term for term, held in self.holding.items() if 0 < held <= most)


_FEW: Final = 6  # an episode, those around it that hold its words too, and what was made of it


def telling_terms(text: str) -> list[str]:
    """Return the terms of a message that tell what it is about.

    A word that only asks, such as 什么, or greets, is none of them, however rarely anybody says it.
    Words are told apart first: two characters across the end of one are not looked for.
    """
    said = without_courtesies(without_asking(text[:_READ]))
    words = [said] if said.isascii() else [word.lstrip(_POINTING) for word, _ in tag(said)]
    found = (one.term for one in query_terms(" ".join(words)))
    terms = [term for term in found if len(term) > 1 and not bare(term)]
    return list(dict.fromkeys([*terms, *nouns_of_one(words)]))


def other_words(text: str, terms: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the other words for what a message names, by the terms that name it."""
    wanted, found = set(terms), dict[str, dict[str, None]]()
    for one in find_synonyms(text[:_READ]):
        words = dict.fromkeys((*one.other, *one.same))
        for term, _ in query_terms(one.said):
            if term in wanted:
                found.setdefault(term, {}).update(words)
    return {term: tuple(words) for term, words in found.items()}


class Relevance(NamedTuple):
    """How likely some memory answers a message, among how many, and by what that is told."""

    chance: float
    documents: int
    features: Mapping[str, float]

    def is_above(self, floor: float) -> bool:
        """Tell whether a floor is passed; among a few dozen memories it is a much lower one."""
        return self.chance >= floor * min(1.0, math.log1p(self.documents) / _MANY) ** 3


def relevance_of(
    cues: Cues, ranked: Sequence[Ranked], by_words: Sequence[Scored], counts: TermCounts | None
) -> Relevance | None:
    """Return how likely some memory answers a message; None where nothing tells."""
    if cues.referred or cues.intent is Intent.CONTINUE_TASK:
        return None
    if counts is None or not counts.holding or not counts.documents:
        return None
    texts = [one.row.text for one in ranked]
    judged = [features(cues, texts, by_words, one) for one in _sentences(cues.text, counts)]
    if counts.rare(0.0) and not any(one["words"] for one in judged):
        return None  # a rare word is held by originals whose summaries leave it out
    best: tuple[float, dict[str, float]] = (0.0, {})
    for found in judged:
        total = WEIGHTS["bias"] + sum(WEIGHTS[name] * value for name, value in found.items())
        best = max(best, (round(1 / (1 + math.exp(-total)), 4), found), key=itemgetter(0))
    return Relevance(best[0], counts.documents, best[1])


def _sentences(text: str, counts: TermCounts) -> list[TermCounts]:
    """Return the words of each sentence: what asks much is answered where one of them is."""
    told = [telling_terms(one) for one in split_sentences(text[:_READ])[:_MOST_SENTENCES]]
    parts = [{term: counts.holding[term] for term in one if term in counts.holding} for one in told]
    return [counts._replace(holding=one) for one in parts if one] or [counts]


def features(
    cues: Cues, texts: Sequence[str], by_words: Sequence[Scored], counts: TermCounts
) -> dict[str, float]:
    """Return what the chance is told by: how much of a message the best memory says, and how."""
    size = math.log1p(counts.documents)
    weight = {term: rarity(counts.documents, counts.known(term)) for term in counts.holding}
    total = sum(weight.values())
    forms = {term: (term, *map(_looked_for, counts.alike.get(term, ()))) for term in weight}
    most = 0
    for text in (one[:_READ] for one in texts[:_LOOKED_AT]):
        plain = (text if text.isascii() else unicodedata.normalize("NFKC", text)).lower()
        held = sum(any(_begins_word(one, plain) for one in told) for told in forms.values())
        most = max(most, held)
    score = max([score for _, score in by_words], default=0.0)
    missing = sum(not counts.known(term) for term in counts.holding)
    return {
        "scored": min(1.0, score / (total * (K1 + 1))),
        "words": math.log1p(most),
        "unknown": missing / len(weight) * min(1.0, size / _LARGE),
        "rarity": total / len(weight) / size,
        "own": float(bool(_OWN.search(_HANDED.sub(" ", cues.text)))),
        "asking": cues.asking,
        "timed": float(bool(cues.times or cues.ahead)),
    }


def _looked_for(word: str) -> str:
    """Return a word as it is looked for in a text: a single one by its stem."""
    return stem_of(word) if word.isascii() and " " not in word else word


def _begins_word(term: str, text: str) -> bool:
    place = text.find(term)
    while place >= 0:
        before = text[place - 1 : place]
        if not (term[0].isascii() and before.isascii() and before.isalnum()):
            return True
        place = text.find(term, place + 1)
    return False
