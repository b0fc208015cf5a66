"""Turns as they were spoken, for quoting what stands around a memory (R17).

In: nothing; the truth fills these. Out: values for `compose`: who spoke in a turn, and where the
words are. The words themselves are read apart, as far as they are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from smartbrain.domain.indexed import SpokenPiece


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
    messages: Sequence[SpokenMessage]
