"""What a context put before the assistant whose answer is committed (C11).

In: the words of a context that is at hand, or the marks that its trace keeps of its sentences. Out:
what an answer is held against. Not the context itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple


class Shown(NamedTuple):
    """What a context showed: the words themselves, or the marks of its sentences."""

    texts: Sequence[str] = ()
    marks: frozenset[str] = frozenset()


NOTHING_SHOWN: Final = Shown()
