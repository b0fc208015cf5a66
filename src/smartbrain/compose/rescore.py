"""Scoring the candidates of a past context again, under other weights (S6).

In: candidates of memory with the terms that recall had of them, and two sets of weights. Out: the
same candidates with the scores they would have had. Nothing is searched: what was not found then is
not found now.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from smartbrain.compose.candidates import Candidate, Terms, is_answer, line_score

if TYPE_CHECKING:
    from smartbrain.domain.policy_recall import ScoreRules


def rescored(
    memories: Sequence[Candidate], before: ScoreRules, after: ScoreRules
) -> list[Candidate]:
    """Return memories with their scores under other weights.

    What came in by rule keeps its distance from the best; a line follows its turn and the hits
    beside it, as when it was first scored.
    """
    own = [_scored(one.terms, before, after) for one in memories]
    best = max((one.terms.score for one in memories if one.terms and one.hit), default=0.0)
    best_now = max(
        (score for one, score in zip(memories, own, strict=True) if one.hit), default=0.0
    )
    share = best_now / best if best else 1.0
    hits: dict[str, list[tuple[int, float]]] = {}
    for one, score in zip(memories, own, strict=True):
        if one.session and one.hit:
            hits.setdefault(one.session, []).append((one.place[0], score))
    best_turn = max((score for some in hits.values() for _, score in some), default=0.0)
    made = []
    for one, score in zip(memories, own, strict=True):
        now = score if one.terms else one.score * share
        if one.session:
            answers = is_answer(one.place[1], one.speaker)
            beside = hits.get(one.session, ())
            now = line_score(one.place[0], score, beside, best=best_turn if answers else None)
        made.append(replace(one, score=now))
    return made


def _scored(terms: Terms | None, before: ScoreRules, after: ScoreRules) -> float:
    """Return what recall would have scored; whom and when it favours stays as it was."""
    if terms is None:
        return 0.0
    was = _weighed(terms, before)
    return terms.score * _weighed(terms, after) / was if was else terms.score


def _weighed(terms: Terms, weights: ScoreRules) -> float:
    return (
        weights.text * terms.words
        + weights.vector * terms.vector
        + weights.graph * terms.graph
        + weights.weight * terms.weight
        + weights.recency * terms.recency
        + weights.coverage * terms.coverage
    )
