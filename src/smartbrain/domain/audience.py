"""Whom a packet or a context is made for (R10), and what it has shown to an assistant (C11).

A module of its own, because the public calls name it and must not load all that a packet is.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
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
