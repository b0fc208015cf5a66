"""The arm that looks in the original words, where memories alone may not do (R5).

In: cues and what the text arm found. Out: whether to look, and the episodes whose originals hold
the words. Passages are numbered like any node; an episode leads to those it rests on.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from smartbrain.domain.policy_recall import RawTriggerRules
from smartbrain.domain.recall import Cues
from smartbrain.domain.search import Scored, TextQuery
from smartbrain.ports.truth import Truth
from smartbrain.recall.views.follow import Follower
from smartbrain.recall.views.words import WordsView
from smartbrain.text.codes import code_kind

_FIRST: Final = 100
_AGAIN: Final = 3


def needs_originals(cues: Cues, found: Sequence[Scored] | None, rules: RawTriggerRules) -> bool:
    """Tell whether the originals should be searched beside the memories `found` by words."""
    if cues.original or any(code_kind(code) in rules.pattern_tokens for code in cues.codes):
        return True
    if found is None or len(found) < rules.low_coverage_topn:
        return True
    return concentration(found) < rules.low_concentration


def concentration(found: Sequence[Scored]) -> float:
    """Return how far scores fall over the first hundred hits: near 1 steeply, 0 not at all."""
    scores = [hit.score for hit in found[:_FIRST]]
    return 1.0 - scores[-1] / scores[0] if scores and scores[0] > 0 else 1.0


def search_originals(
    query: TextQuery, *, follower: Follower, truth: Truth, k: int
) -> tuple[list[Scored], dict[int, int]]:
    """Return the episodes whose originals hold the words, and for each the passage that does.

    What was said again in the same words has one passage: the last episodes of it are returned.
    """
    hits = cast("WordsView", follower.need("passages")).index.search(query, k=k)
    with truth.read() as rows:
        told = rows.recalled.told_by([hit.num for hit in hits], most=_AGAIN)
    found: dict[int, Scored] = {}
    passages: dict[int, int] = {}
    for hit in hits:
        for episode in told.get(hit.num, ()):
            if episode not in found:
                found[episode] = Scored(episode, hit.score)
                passages[episode] = hit.num
    return list(found.values()), passages
