"""The arm that looks for meaning: the query's vector against those of memories (R3).

In: a text and an embedder with its view. Out: numbers with cosines. An embedder that reads only the
other language is given the message word by word in that one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, cast

from msgspec.structs import replace

from smartbrain.domain.recall import Cues
from smartbrain.domain.search import IndexFilter, Scored
from smartbrain.ports.vector_index import Wanted
from smartbrain.recall.request import VectorArm
from smartbrain.recall.synonyms import translate_words
from smartbrain.recall.views.follow import Follower
from smartbrain.recall.views.meaning import VectorView

_OTHER: Final = {"zh": "en", "en": "zh"}
_ASKED: Final = 500  # characters of a message that are put into the other language


def words_for(arm: VectorArm, cues: Cues) -> str:
    """Return what an embedder is asked for a message."""
    other = _OTHER.get(cues.language)
    if other in arm.languages and cues.language not in arm.languages:
        return translate_words(cues.text[:_ASKED])
    return cues.text


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
