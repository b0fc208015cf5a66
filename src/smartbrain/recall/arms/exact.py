"""The arm that looks for codes and quoted words as they stand, in what was said itself (R5).

In: the codes and phrases of a message. Out: the memories whose own words hold one of them, and for
an episode the passage that does. A memory that only stands beside such a one is none of them,
though it is indexed with the beginning of its neighbours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from smartbrain.domain.search import Scored
from smartbrain.recall.arms import originals, words
from smartbrain.text.query import text_query

if TYPE_CHECKING:
    from smartbrain.domain.recall import Cues
    from smartbrain.domain.search import IndexFilter
    from smartbrain.ports.truth import Truth
    from smartbrain.recall.views.follow import Follower


def search_exact(
    cues: Cues,
    only: IndexFilter,
    *,
    views: tuple[str, ...],
    follower: Follower,
    truth: Truth,
    k: int,
) -> tuple[list[Scored], dict[int, int]]:
    """Return the memories that hold a code or a phrase of a message, best first, and passages.

    None where as many hold one as are looked for: what is everywhere sets nothing apart.

    Args:
        cues: what the message gives to look for.
        only: which memories may answer.
        views: which of the indexes of memories and of passages may be asked.
        follower: the views.
        truth: where passages lead to their episodes.
        k: how many are looked for.
    """
    query = text_query("", should=[(one, 1.0) for one in (*cues.codes, *cues.phrases)])
    if not query.should:
        return [], {}
    found: dict[int, float] = {}
    passages: dict[int, int] = {}
    everywhere = False
    for name in views:
        if name == "passages":
            hits, passages = originals.search_originals(query, follower=follower, truth=truth, k=k)
        else:
            hits = words.search_text(query, only, follower=follower, k=k)
        everywhere = everywhere or len(hits) >= k
        best = max([hit.score for hit in hits], default=1.0)
        for num, score in hits:
            found[num] = max(score / best, found.get(num, 0.0))
    if everywhere:
        return [], {}
    order = sorted(found.items(), key=lambda one: (-one[1], one[0]))
    return [Scored(num, share) for num, share in order], passages
