"""The arm that looks at whole sessions: which speak of most of what a message says (R18).

In: the terms of a message. Out: a share by session, 1 for the best. A turn alone may hold few of
the words that its session is about; the turns around it hold the others. Each term is looked up by
itself, for a session is scored by how many of its turns hold it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from msgspec import structs

from smartbrain.domain.recall import Cues
from smartbrain.recall.relevance import telling_terms
from smartbrain.recall.request import Question
from smartbrain.text.bm25 import K1, rarity, saturation
from smartbrain.text.query import text_query

FEW_TERMS: Final = 6
"""Terms of a message up to which its turns tell more than whole sessions do."""
MANY_TERMS: Final = 16
"""From where on sessions count in full."""
MAX_TERMS: Final = 40
MAX_TURNS: Final = 300
"""Turns of a term that are counted, those first that hold it best."""
_EPISODES: Final = ("episodes",)


def is_about_more(cues: Cues) -> bool:
    """Tell whether a message is about more than what it names as it stands, or by its time."""
    is_named = cues.codes or cues.phrases or cues.times or cues.ahead or cues.referred
    return not is_named or len(telling_terms(cues.text)) > MANY_TERMS


def search_sessions(question: Question) -> dict[str, float]:
    """Return how well each session holds the words, from 0 to 1; of a short message, nothing."""
    query = text_query(question.cues.text)
    count = len(query.terms)
    if count <= FEW_TERMS:
        return {}
    index = question.tools.follower.words("text")
    only = structs.replace(question.only, types=_EPISODES)
    turns: dict[str, list[int]] = {}
    for term in query.terms[:MAX_TERMS]:
        if term.term not in query.faint:
            alone = replace(query, terms=(term,), should=(), faint=frozenset())
            turns[term.term] = [hit.num for hit in index.search(alone, k=MAX_TURNS, only=only)]
    with question.ports.truth.read() as rows:
        sessions = rows.recalled.sessions(sorted({num for nums in turns.values() for num in nums}))
    held = {
        term: Counter(sessions[num] for num in nums if num in sessions)
        for term, nums in turns.items()
    }
    full = min(1.0, (count - FEW_TERMS) / (MANY_TERMS - FEW_TERMS))
    return {session: full * score for session, score in score_sessions(held).items()}


def score_sessions(held: Mapping[str, Mapping[str, int]]) -> dict[str, float]:
    """Return the BM25 score of sessions as shares of the best."""
    count = len({session for counts in held.values() for session in counts})
    gains: dict[str, list[float]] = defaultdict(list)
    for counts in held.values():
        rare = rarity(count, len(counts))
        for session, turns in counts.items():
            gains[session].append(rare * saturation(turns, K1))
    scores = {session: math.fsum(some) for session, some in gains.items()}
    best = max(scores.values(), default=0.0)
    return {session: score / best for session, score in scores.items()} if best > 0 else {}
