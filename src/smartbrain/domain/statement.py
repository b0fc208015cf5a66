"""A statement: what one sentence says happens, with the parts that people and things play (C7).

In: what the reader of sentences found. Out: a value, and the form it is stored in. Not a memory:
statements wait in the graph until something lasting is drawn from them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.time import Granularity, TimeSpan


class Modality(StrEnum):
    """How far the speaker stands behind a statement."""

    ASSERTED = "asserted"
    ASKED = "asked"
    SUPPOSED = "supposed"
    REPORTED = "reported"


@dataclass(frozen=True, slots=True)
class Role:
    """Who or what plays which part; `offset` is the place of the name in the message.

    `kind` and `name` are those of an entity.
    """

    role: EdgeType
    kind: str
    name: str
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """What a clause says happens.

    `predicate` is one English form for what is said in many ways, such as `play_soccer`, or the
    verb itself where none is known; `words` are those of the text. `offset` and `length` are
    characters of the message. `because` is the offset of the statements that tell its reason,
    `shown_by` of those that are said to show that it is so.
    """

    predicate: str
    words: str
    text: str
    offset: int
    length: int
    negation: bool = False
    modality: Modality = Modality.ASSERTED
    time: TimeSpan | None = None
    roles: tuple[Role, ...] = ()
    confidence: float = 0.6
    because: int | None = None
    shown_by: int | None = None

    def value(self, turn: str, n: int) -> dict[str, Any]:
        """Return the value of the memory that is the `n`th statement of a turn."""
        return {
            "turn": turn,
            "n": n,
            "predicate": {"normalized": self.predicate, "words": self.words},
            "negation": self.negation,
            "modality": self.modality.value,
            "time": _interval(self.time),
        }


def _interval(time: TimeSpan | None) -> dict[str, Any]:
    """Return a time as it is stored; where none was said, that it is unspecified."""
    if time is None:
        return {"granularity": Granularity.UNSPECIFIED.value}
    return {
        "start": time.start.isoformat(),
        "end": time.end.isoformat(),
        "granularity": time.granularity.value,
        "words": time.words,
    }
