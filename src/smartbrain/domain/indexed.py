"""What a view reads of the truth: rows by number, with what indexing needs beside them.

In: nothing; the truth fills these. Out: values for `recall.views`. An embedding is one embedder's
space: vectors of two compare only if name, model and dimensions are the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from smartbrain.domain.memory import Memory
    from smartbrain.domain.turn import RawChunk


class NearbyEpisode(NamedTuple):
    """An episode in the same session: how many turns away, and what it tells."""

    num: int
    distance: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexedMemory:
    """A memory with its place: its session, what its turn refers to, the episodes around it.

    `nearby` is filled for episodes alone, nearest first, the earlier of two before the later.
    """

    num: int
    memory: Memory
    session_id: str = ""
    ref_uri: str = ""
    nearby: tuple[NearbyEpisode, ...] = ()


class IndexedPassage(NamedTuple):
    """A raw chunk and its number."""

    num: int
    chunk: RawChunk


@dataclass(frozen=True, slots=True)
class Embedding:
    """One embedder's space, as the truth knows it."""

    num: int
    name: str
    model: str
    dimensions: int
