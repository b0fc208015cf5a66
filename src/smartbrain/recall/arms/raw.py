"""The arm that looks in the original words, where memories alone may not do (R5).

In: cues and what the text arm found. Out: whether to look, and the episodes whose originals hold
the words. Passages are numbered like any node; an episode leads to those it rests on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from smartbrain.domain.policy_recall import RawTriggerRules
from smartbrain.domain.recall import Cues
from smartbrain.domain.search import Scored, TextQuery
from smartbrain.recall.request import Question
from smartbrain.text.codes import code_kind

_FIRST: Final = 100
_AGAIN: Final = 3


def needs_originals(cues: Cues, found: Sequence[Scored] | None, rules: RawTriggerRules) -> bool:
    """Tell whether the originals should be searched beside the memories `found` by words."""
    if cues.original or any(code_kind(code) in rules.pattern_tokens for code in cues.codes):
        return True
    if found is None or len(found) < rules.low_coverage_topn:
        return True
    scores = [hit.score for hit in found[:_FIRST]]  # do they fall steeply, or not at all?
    falls = 1.0 - scores[-1] / scores[0] if scores and scores[0] > 0 else 1.0
    return falls < rules.low_concentration


def search_originals(
    question: Question, query: TextQuery, k: int
) -> tuple[list[Scored], dict[int, int]]:
    """Return the episodes whose originals hold the words, and for each the passage that does.

    What was said again in the same words has one passage: the last episodes of it are returned.
    """
    hits = question.tools.follower.words("passages").search(query, k=k)
    with question.ports.truth.read() as rows:
        told = rows.recalled.told_by([hit.num for hit in hits], most=_AGAIN)
    found: dict[int, Scored] = {}
    passages: dict[int, int] = {}
    for hit in hits:
        for episode in told.get(hit.num, ()):
            if episode not in found:
                found[episode] = Scored(episode, hit.score)
                passages[episode] = hit.num
    return list(found.values()), passages
