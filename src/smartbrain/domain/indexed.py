"""What views and contexts read of the truth: rows by number, and turns as they were spoken (R17).

In: nothing; the truth fills these. Out: values for `recall.views` and `compose`. An embedding is
one embedder's space: vectors of two compare only if name, model and dimensions are the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from smartbrain.domain.turn import RawChunk


REACH: Final = 2
"""Turns away up to which an episode's text is of use for finding another."""


class NearbyEpisode(NamedTuple):
    """An episode in the same session: how many turns away, and what it tells."""

    num: int
    distance: int
    text: str


class IndexedMemory(NamedTuple):
    """What is indexed of a memory, with its place: its session and what its turn refers to.

    Three are filled for episodes alone: `turn` is the place of its turn in the session, 0 for none,
    `last` says that no turn of the session came later, and `nearby` stands nearest first, the
    earlier of two before the later. `cut` says that an episode's text is less than what was said or
    done in its turn.
    """

    num: int
    id: str
    type: str
    key: str
    title: str
    text: str
    value: Mapping[str, Any]
    entities: tuple[str, ...]
    tags: tuple[str, ...]
    status: str
    layer: str
    said_at: datetime
    source_turn_id: str | None
    session_id: str = ""
    ref_uri: str = ""
    turn: int = 0
    last: bool = False
    nearby: tuple[NearbyEpisode, ...] = ()
    cut: bool = False


def nearby_at(told: Mapping[int, Mapping[int, str]], turn: int) -> tuple[NearbyEpisode, ...]:
    """Return what is around the turn at a place.

    `told` has the texts of its session's episodes by number, by the place of their turn.
    """
    return tuple(
        [
            NearbyEpisode(num, distance, text)
            for distance in range(1, REACH + 1)
            for at in (turn - distance, turn + distance)
            if at in told
            for num, text in told[at].items()
        ]
    )


class SpokenPiece(NamedTuple):
    """A run of bytes of a raw chunk in which something was said."""

    chunk: RawChunk
    offset: int
    length: int


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


class SpokenMessage(NamedTuple):
    """What one of user and assistant said in a turn, as pieces of original text in order.

    A piece is its bytes where they were at hand, else where they are.
    """

    speaker: str
    pieces: tuple[SpokenPiece | bytes, ...]


class SpokenTurn(NamedTuple):
    """A turn with its place in the session and what was said in it, in order."""

    turn_id: str
    session_id: str
    seq: int
    at: datetime
    messages: list[SpokenMessage]
