"""A time that a text speaks of: where it lies on the calendar and which words said it.

In: what the reader of time expressions found. Out: a frozen value whose times all stand at the UTC
offset of the moment it was read at. How precise it is is told in the words of `domain.time`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from smartbrain.domain.time import Granularity

__all__ = ["Granularity", "TimeKind", "TimeSpan"]


class TimeKind(StrEnum):
    """What a time expression names: a place on the calendar, a stretch of it, or a habit."""

    POINT = "point"
    RANGE = "range"
    RECURRING = "recurring"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSpan:
    """A time expression with what it means; a recurring one means its next occurrence.

    `start` is before `end`, `end` is excluded, and both are aware. `words` are those of the text
    from `offset` on, `length` characters of it.
    """

    start: datetime
    end: datetime
    granularity: Granularity
    kind: TimeKind
    words: str
    offset: int
    length: int
