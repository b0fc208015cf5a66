"""Whether memory answers a message at all: a chance, from how much of the message is known (R20).

In: the words of a message, how many memories hold each, and the best of what was found. Out: a
number from 0 to 1. Below one floor nothing is brought to mind by being found; what the caller names
exactly, and what stands anyway, is not judged here. `python -m bench.relevance` fits the weights.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Final, NamedTuple

from smartbrain.domain.recall import Cues, Intent
from smartbrain.domain.recalled import Ranked
from smartbrain.domain.search import Scored
from smartbrain.recall.cues import without_asking
from smartbrain.recall.synonyms import find_synonyms, stem_of
from smartbrain.text.bm25 import K1, rarity
from smartbrain.text.query import bare, nouns_of_one, without_courtesies
from smartbrain.text.segment import tag
from smartbrain.text.sentences import split_sentences
from smartbrain.text.tokenise import query_terms

_MOST_SENTENCES: Final = 12
_LOOKED_AT: Final = 15  # of the best memories
_LARGE: Final = 7.0  # the logarithm of as many memories as hold most words that anybody says
_MANY: Final = 4.0  # the same of as many as tell about what a message may be
_SUREST: Final = math.log(99)  # log odds of 0.99
_READ: Final = 2_000  # characters of each
_OWN: Final = re.compile(r"\b(?:i|i'm|i've|i'd|my|mine|me|we|our|us)\b|[我咱俺]", re.IGNORECASE)
_HANDED: Final = re.compile(
    r"\b(?:give|tell|show|help|write|teach|let|make|get|list|find|draw) (?:me|us)\b|[帮给教替为]我",
    re.IGNORECASE,
)
"""Where the speaker is only who receives: "give me a synonym" asks for nothing of theirs."""

_PAIR: Final = 2
_POINTING: Final = "那这该此每某"  # at the beginning of what is taken for a word, as in 那本书

WEIGHTS: Final[Mapping[str, float]] = {
    "scored": 5.59,
    "held": 2.255,
    "unknown": -5.84,
    "foreign": -1.84,
    "own": 0.794,
    "asking": 2.836,
    "timed": 2.083,
    "size": -3.445,
    "bias": 0.95,
}


class TermCounts(NamedTuple):
    """How many memories hold each telling word of a message, and how many memories there are.

    `alike` are other words for what a term is part of, in either language, and `otherwise` is how
    many memories hold the most common one of them. `pairs` are two Chinese characters in a row that
    memories hold and that were not taken for a word, such as the name 小郭 in 小郭走了.
    """

    holding: Mapping[str, int]
    documents: int
    alike: Mapping[str, tuple[str, ...]] = {}
    otherwise: Mapping[str, int] = {}
    pairs: Collection[str] = ()

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


def character_pairs(text: str) -> list[str]:
    """Return each two Chinese characters in a row, across the ends of words as well."""
    said = without_courtesies(without_asking(text[:_READ]))
    found = [] if said.isascii() else [one.term for one in query_terms(said)]
    return [term for term in found if len(term) == _PAIR and not term.isascii() and not bare(term)]


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
    """Return how likely some memory answers a message; None where nothing tells.

    `by_words` is what was found by words alone, with the scores of the index.
    """
    if cues.referred or cues.intent is Intent.CONTINUE_TASK:
        return None
    if counts is None or not counts.holding or not counts.documents:
        return None
    texts = [one.row.text for one in ranked]
    judged = [features(cues, texts, by_words, one) for one in _sentences(cues.text, counts)]
    if counts.rare(0.0) and not any(one["held"] for one in judged):
        return None  # a rare word is held by originals whose summaries leave it out
    chance, best = max(((_chance_of(one), one) for one in judged), key=itemgetter(0))
    return Relevance(chance, counts.documents, best)


def _chance_of(found: Mapping[str, float]) -> float:
    total = WEIGHTS["bias"] + sum(WEIGHTS[name] * value for name, value in found.items())
    return round(1 / (1 + math.exp(-total)), 4)


def _sentences(text: str, counts: TermCounts) -> list[TermCounts]:
    """Return the words of each sentence: what asks much is answered where one of them is."""
    parts = []
    for sentence in split_sentences(text[:_READ])[:_MOST_SENTENCES]:
        terms = [term for term in telling_terms(sentence) if term in counts.holding]
        if terms:
            holding = {term: counts.holding[term] for term in terms}
            pairs = [pair for pair in counts.pairs if pair in sentence]
            parts.append(counts._replace(holding=holding, pairs=pairs))
    return parts or [counts]


def features(
    cues: Cues, texts: Sequence[str], by_words: Sequence[Scored], counts: TermCounts
) -> dict[str, float]:
    """Return what the chance is told by: how much of a message the best memory says, and how."""
    size = math.log1p(counts.documents) / _LARGE
    total = sum(rarity(counts.documents, counts.known(term)) for term in counts.holding)
    forms = {
        term: (term, *map(looked_for, counts.alike.get(term, ())))
        for term in (*counts.holding, *counts.pairs)
    }
    held = [held_terms(plain(one[:_READ]), forms) for one in texts[:_LOOKED_AT]]
    score = max([score for _, score in by_words], default=0.0)
    missing = [term for term in counts.holding if not counts.known(term)]
    places = _places_of(counts.pairs, cues.text)
    unknown = sum(not _overlaps(term, cues.text, places) for term in missing)
    asking = min(max(cues.asking, 0.01), 0.99)
    foreign = _share_foreign(cues.text, texts[:_LOOKED_AT])
    return {
        "scored": min(1.0, score / (total * (K1 + 1))),
        "held": math.log1p(max(map(len, held), default=0)),
        "unknown": unknown / len(counts.holding) * min(1.0, size) * (1 - foreign),
        "foreign": foreign,
        "own": float(bool(_OWN.search(_HANDED.sub(" ", cues.text)))),
        "asking": math.log(asking / (1 - asking)) / _SUREST,
        "timed": float(bool(cues.times or cues.ahead)),
        "size": size,
    }


def _share_foreign(text: str, found: Sequence[str]) -> float:
    """Return the share of texts in the other language: a word that none of them holds says less."""
    own = is_chinese(text)
    return sum(is_chinese(one) != own for one in found) / max(1, len(found))


def is_chinese(text: str) -> bool:
    """Tell whether a text is Chinese, though English names stand in it."""
    wide = sum(not letter.isascii() for letter in text if letter.isalpha())
    return wide * 3 > sum(letter.isascii() for letter in text if letter.isalpha())


def _places_of(pairs: Iterable[str], text: str) -> frozenset[int]:
    """Return the places of a text that are part of known pairs."""
    starts = (found.start() for pair in pairs for found in re.finditer(re.escape(pair), text))
    return frozenset(place for start in starts for place in (start, start + 1))


def _overlaps(term: str, text: str, places: frozenset[int]) -> bool:
    """Tell whether a known pair takes a part of what was taken for a word."""
    start = text.find(term)
    return start >= 0 and not places.isdisjoint(range(start, start + len(term)))


def plain(text: str) -> str:
    """Return a text in small letters, each character as terms have it."""
    return (text if text.isascii() else unicodedata.normalize("NFKC", text)).lower()


def looked_for(word: str) -> str:
    """Return a word as it is looked for in a text: a single one by its stem."""
    return stem_of(word) if word.isascii() and " " not in word else word


def held_terms(text: str, forms: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the terms that a text holds in some form, where a word begins."""
    return [term for term, told in forms.items() if any(_begins_word(one, text) for one in told)]


def _begins_word(term: str, text: str) -> bool:
    place = text.find(term)
    while place >= 0:
        before = text[place - 1 : place]
        if not (term[0].isascii() and before.isascii() and before.isalnum()):
            return True
        place = text.find(term, place + 1)
    return False
