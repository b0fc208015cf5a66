"""Make one query for the text index of a message, its expansions and the phrases in it.

In: texts and weights. Out: a `TextQuery` in terms. However long the message, the query stays small:
only its beginning is read. Where it has nothing but stop words it is looked for by how they stand
together; what says too little alone is marked. Not a query language: quotes and signs are text like
any other.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice, pairwise
from typing import Final, NamedTuple

from smartbrain.domain.search import TextDocument, TextQuery, WeightedPhrase, WeightedTerm
from smartbrain.ports.text_index import LONGEST_PHRASE
from smartbrain.text.pattern import pattern
from smartbrain.text.segment import tag
from smartbrain.text.tokenise import (
    SINGLE_WEIGHT,
    Cut,
    cut_text,
    phrase_terms,
    query_terms,
    says_something,
)
from smartbrain.text.word_list import character_set

_CHARACTERS: Final = character_set(__file__, "_CHARACTERS")
"""Characters that hold a sentence together; two of them side by side say no more than one."""

_SHORT_WORD: Final = 3  # characters
_LONGEST_REMARK: Final = 60  # characters
_SAY_LITTLE: Final = character_set(__file__, "_SAY_LITTLE")
"""What a segmenter takes for a word, and nobody looks for."""

_WORDS_OF_ONE: Final = character_set(__file__, "_WORDS_OF_ONE")
"""Words of one character for what people have, eat, wear, and for whom they live with."""

_COURTESIES: Final = pattern(
    r"\b(?=[bghosty])(?:hello|hi|hey|hiya|thanks?(?: you)?|thx|ok(?:ay)?|(?:good)?bye|today"
    r"|good (?:morning|afternoon|evening|night)|see you|you(?:'|’)?re welcome)\b"
    "|[你您]们?好|大家好|哈[喽囉]|[谢謝]{2}[你您]?|[多感][谢謝]|不客[气氣]|再[见見]|拜拜|早安|晚安"
    "|[早晚]上好|[上中下]午好|[没沒][关關][系係]|[没沒]事|今[天日]",
    re.IGNORECASE,
)
"""What is said to anybody at any time; today is another day each time."""


_AGREES: Final = pattern(
    r"\b(?:lo+l|lmao|rofl|(?:ha){2,}|(?:he){2,}|cool|nice|great|awesome|perfect|excellent|got it"
    r"|noted|sounds good|will do|understood|al+right|hm+|wow|oh|ah|np|no problem|ok+|kk?|gotcha"
    r"|fine|good)\b"
    "|[哈嘿呵嗯哦噢啊]+|好[的吧呀嘞]?|行吧?|可以|收到|明白了?|知道了|[没沒][问問]题|没問題|[不没]错"
    "|厉害|赞",
    re.IGNORECASE,
)
"""What agrees, laughs or takes note; yes and no are none of it, for they answer."""


def says_little(text: str) -> bool:
    """Tell whether a text only greets, thanks, laughs or takes note: nothing worth quoting."""
    if len(text) > _LONGEST_REMARK:
        return False
    return not says_something(_AGREES.sub(" ", without_courtesies(text)))


def without_courtesies(text: str) -> str:
    """Return a text without the words that only greet, thank or say that it is today."""
    return _COURTESIES.sub(" ", text)


def faint_terms(text: str, terms: Iterable[str], singles: Iterable[str]) -> frozenset[str]:
    """Return the terms of a query that nothing is found by unless it holds others too.

    `singles` are those terms that are single characters of a longer run.
    """
    faint = {term for term in terms if bare(term)}
    about = without_courtesies(text)
    if about != text:
        faint.update(one.term for one in query_terms(text))
        faint.difference_update(one.term for one in query_terms(about) if not bare(one.term))
    loose = set(singles) - _WORDS_OF_ONE
    if loose:
        faint |= loose - {word for word, kind in tag(text) if _is_telling(word, kind)}
    return frozenset(faint)


def nouns_of_one(words: Iterable[str]) -> list[str]:
    """Return the single characters of short words that people say by themselves, such as 猫."""
    return [
        one for word in words if len(word) <= _SHORT_WORD for one in word if one in _WORDS_OF_ONE
    ]


def bare(term: str) -> bool:
    """Tell whether a term is made of nothing but characters that hold a sentence together."""
    return _CHARACTERS.issuperset(term)


def _is_telling(word: str, kind: str) -> bool:
    return (
        len(word) == 1
        and kind.startswith(("n", "v"))
        and word not in _CHARACTERS
        and word not in _SAY_LITTLE
    )


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
    """Return the query for a text, which may be empty, with what widens and narrows it.

    `expansions` are other texts and what each counts beside it (R12); a document has to hold the
    phrases of `must`, and those of `should` count so much more. What was `said` to somebody may
    hold words that ask for nothing; who searches for words means all of them.
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
    return tuple(phrase_terms(text[:READ_CHARACTERS])[:LONGEST_PHRASE])
