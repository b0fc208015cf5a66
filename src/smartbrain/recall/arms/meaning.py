"""The arm that looks for meaning: the query's vector against those of memories (R3).

In: a text and an embedder with its view. Out: numbers with cosines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from smartbrain.domain.search import IndexFilter, Scored
    from smartbrain.recall.asked import VectorArm
    from smartbrain.recall.views.follow import Follower
    from smartbrain.recall.views.meaning import VectorView


def search_meaning(
    text: str, arm: VectorArm, only: IndexFilter, *, follower: Follower, k: int
) -> list[Scored]:
    """Return the memories that mean something near."""
    vector = arm.embedder.embed_query(text)
    return cast("VectorView", follower.get(arm.view)).index.search(vector, k=k, only=only)
