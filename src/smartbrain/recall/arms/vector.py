"""The arm that looks for meaning: the query's vector against those of memories (R3).

In: a text and an embedder with its view. Out: numbers with cosines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from msgspec.structs import replace

from smartbrain.domain.search import IndexFilter, Scored
from smartbrain.ports.vector_index import Wanted
from smartbrain.recall.request import VectorArm
from smartbrain.recall.views.follow import Follower
from smartbrain.recall.views.meaning import VectorView


def search_meaning(
    text: str,
    arm: VectorArm,
    only: IndexFilter,
    apart: Sequence[tuple[tuple[str, ...], int]],
    *,
    follower: Follower,
) -> list[Scored]:
    """Return the memories that mean something near, of each group of types so many."""
    if not apart:
        return []
    vector = arm.embedder.embed_query(text)
    index = cast("VectorView", follower.need(arm.view)).index
    first, *also = [Wanted(k, replace(only, types=types)) for types, k in apart]
    return index.search(vector, k=first.k, only=first.only, also=also)
