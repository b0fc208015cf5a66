"""How well a document answers a query: BM25, and what counts as equal.

In: counts and lengths. Out: scores and ranked lists. Every text index follows these formulas: the
one in memory computes with them, the one on disk is held to them. Lengths are rounded to 256 steps
and the average length to half octaves, because an index on disk keeps a byte a document and cannot
change the average of what it has written.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise, repeat
from operator import itemgetter
from typing import Final

from smartbrain.domain.search import Scored, WeightedTerm

K1: Final = 1.2
B: Final = 0.75

MOST_CLAUSES: Final = 64
"""The most terms of a query that are scored: those that can add most to a score."""

_COMMON: Final = 0.5  # what a stop word of a phrase says

TIE: Final = 3e-6
"""Scores that differ by less than this share of themselves are equal."""


_FREE: Final = 24
# The lengths that can be told apart: exact up to 40, then eight to each octave.
_STEPS: Final[list[int]] = [
    *range(_FREE + 8),
    *(_FREE + ((step + 8) << octave) for octave in range(28) for step in range(8)),
]

_new: Final[Callable[[type[Scored], tuple[int, float]], Scored]] = tuple.__new__

Clause = tuple[str, float]
"""A term of a query that some document holds, and how much it can add to a score."""


def rounded_length(length: int) -> int:
    """Return the largest length step that is not above `length`."""
    return _STEPS[bisect_right(_STEPS, length) - 1]


def typical_length(tokens: int, documents: int) -> int:
    """Return the average length, rounded down to half octaves and then to a whole number.

    Down, because on every data set at hand a length measured by less than the average ranks a
    little better, and by more a little worse.
    """
    if tokens <= documents:
        return 1
    return round(2 ** (math.floor(2 * math.log2(tokens / documents)) / 2))


def rarity(documents: int, holding: int) -> float:
    """Return the inverse document frequency: what a term says that `holding` of them have."""
    return math.log1p((documents - holding + 0.5) / (holding + 0.5))


def length_norm(length: int, typical: int) -> float:
    """Return what a document of this length sets against the count of a term."""
    return K1 * (1 - B + B * rounded_length(length) / typical)


def saturation(count: float, norm: float) -> float:
    """Return how far a count of a term goes towards its full gain."""
    return count / (count + norm)


def clauses(
    terms: Sequence[WeightedTerm], documents: int, holding: Callable[[str], int]
) -> list[Clause]:
    """Return what a query's terms can add, for those that occur, at most MOST_CLAUSES of them.

    A term given twice counts once, at its higher weight.
    """
    weights = dict(terms)
    if len(weights) < len(terms):
        weights = dict(sorted(terms, key=itemgetter(1)))
    found = []
    for term, weight in weights.items():
        held = holding(term)
        if held:
            found.append((term, weight * rarity(documents, held) * (K1 + 1)))
    if len(found) > MOST_CLAUSES:
        found = sorted(found, key=lambda clause: (-clause[1], clause[0]))[:MOST_CLAUSES]
    return found


def phrase_gain(
    phrase: Iterable[str], weight: float, documents: int, holding: Callable[[str], int]
) -> float:
    """Return what finding a phrase adds: its weight times the rarity of its terms.

    One of stop words only, which nothing is indexed by, adds little.
    """
    held = [holding(term) for term in set(phrase)]
    return weight * (
        math.fsum(rarity(documents, number) for number in held if number) or _COMMON * len(held)
    )


def ranked(hits: Iterable[tuple[float, int]], k: int) -> list[Scored]:
    """Return the best `k` of (score, number): best first, equal ones by the lower number."""
    ordered = sorted(hits, key=itemgetter(0), reverse=True)
    return settled([score for score, _ in ordered], [num for _, num in ordered], k)


def crowded(hits: Sequence[Scored], k: int, least: float) -> bool:
    """Tell whether the best `k` leave out some that answer nearly as well as they do."""
    return len(hits) >= k and hits[-1].score >= least * hits[0].score


def settled(scores: list[float], nums: list[int], k: int) -> list[Scored]:
    """Return the best `k` of hits that come best first, equal ones by the lower number."""
    nearly = 1 - TIE
    wrong = [
        place
        for place, (one, other) in enumerate(pairwise(scores))
        if other >= one * nearly and nums[place + 1] < nums[place]
    ]
    if not wrong:
        return _made(zip(nums[:k], scores, strict=False))
    hits = list(zip(nums, scores, strict=True))
    end = 0
    for place in wrong:
        if place >= end:
            start = place
            while start > end and scores[start] >= scores[start - 1] * nearly:
                start -= 1
            end = tie_end(scores, place)
            hits[start:end] = sorted(hits[start:end])
    return _made(hits[:k])


def _made(hits: Iterable[tuple[int, float]]) -> list[Scored]:
    """Return hits as what they are; the constructor of a NamedTuple takes twice as long."""
    return list(map(_new, repeat(Scored), hits))


def tie_end(scores: Sequence[float], place: int) -> int:
    """Return where the run of equal scores ends that the one at `place` belongs to."""
    end = place + 1
    while end < len(scores) and scores[end] >= scores[end - 1] * (1 - TIE):
        end += 1
    return end
