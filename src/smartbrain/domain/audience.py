"""Whom a packet or a context is made for (R10), and what it has shown to an assistant (C11).

A module of its own, because the public calls name it and must not load all that a packet is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import accumulate, pairwise
from typing import Final, NamedTuple


class Audience(StrEnum):
    """Whom a packet is for: who answers the user, or who plans what to do."""

    RESPONDER = "responder"
    PLANNER = "planner"


class Shown(NamedTuple):
    """What a context showed: the words themselves, or the marks of its sentences."""

    texts: Sequence[str] = ()
    marks: frozenset[str] = frozenset()


NOTHING_SHOWN: Final = Shown()
MARK_DIGITS: Final = 5
"""Of the mark of a sentence that tell it from the others of a context."""


def pack_marks(marks: Iterable[str]) -> list[int]:
    """Return marks as the steps from each to the next, which are small numbers."""
    places = sorted({int(mark[:MARK_DIGITS], 16) for mark in marks})
    return [place - before for before, place in pairwise([0, *places])]


def unpack_marks(steps: Iterable[int]) -> frozenset[str]:
    """Return marks from the steps between them."""
    return frozenset(f"{place:0{MARK_DIGITS}x}" for place in accumulate(steps))
