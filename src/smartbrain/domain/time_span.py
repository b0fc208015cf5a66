"""A time that a text speaks of: where it lies on the calendar and which words said it.

In: what the reader of time expressions found. Out: a frozen value whose times all stand at the UTC
offset of the moment it was read at. How precise it is is told in the words of `domain.time`.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from smartbrain.domain.quick import quick
from smartbrain.domain.time import Granularity

__all__ = ["Granularity", "TimeKind", "TimeSpan"]

_MOMENT: Final = timedelta(microseconds=1)
_CLOCKS: Final = (Granularity.HOUR, Granularity.MINUTE, Granularity.SECOND)
_WITHIN_DAY: Final = (Granularity.PART_OF_DAY, *_CLOCKS)


class TimeKind(StrEnum):
    """What a time expression names: a place on the calendar, a stretch of it, or a habit."""

    POINT = "point"
    RANGE = "range"
    RECURRING = "recurring"


@quick
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

    @property
    def name(self) -> str:
        """What this time is called, whatever words say it: 2026-03-04, 2026-W10, 2025-Q3.

        A stretch that is no whole unit of the calendar is named by its two ends, and what recurs by
        its own words.
        """
        if self.kind is TimeKind.RECURRING:
            return " ".join(self.words.lower().split())
        last = self.end - _MOMENT
        begins, ends = _unit(self.start, self.granularity), _unit(last, self.granularity)
        if begins == ends or (self.granularity in _CLOCKS and self.kind is TimeKind.POINT):
            return begins
        if self.granularity not in _WITHIN_DAY:
            return f"{self.start.date()}/{last.date()}"
        until = self.end.isoformat()[:16]
        return f"{begins}/{until[11:] if last.date() == self.start.date() else until}"


def _unit(moment: datetime, granularity: Granularity) -> str:
    """Return the name of the unit of the calendar that a moment lies in."""
    said = moment.isoformat()
    if granularity is Granularity.YEAR:
        return said[:4]
    if granularity is Granularity.QUARTER:
        return f"{said[:4]}-Q{(moment.month + 2) // 3}"
    if granularity is Granularity.MONTH:
        return said[:7]
    if granularity is Granularity.WEEK:
        year, week, _ = moment.isocalendar()
        return f"{year:04}-W{week:02}"
    return said[:16] if granularity in _WITHIN_DAY else said[:10]
