"""Time and chance in a test's own hands.

In: a start, a step, a seed. Out: a clock that moves only when told to or by a fixed step a look,
and entropy that is the same in every run. Both fit wherever the product takes a clock or entropy.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import shake_128
from itertools import count
from typing import Final

START: Final = datetime(2026, 3, 9, 9, 30, tzinfo=UTC)
"""When a test's time begins unless it says otherwise: a Monday morning."""


class FakeClock:
    """A clock that stands still, or moves by `step` at every look; `advance` moves it by hand."""

    def __init__(self, start: datetime = START, *, step: timedelta = timedelta(0)) -> None:
        self.now = start
        self._step = step

    def __call__(self) -> datetime:
        """Return the present, then move on by the step."""
        now = self.now
        self.now += self._step
        return now

    def advance(self, **by: float) -> datetime:
        """Move by `days=`, `hours=`, `minutes=`, `seconds=` … and return the new present."""
        self.now += timedelta(**by)
        return self.now


def seeded(seed: int) -> Callable[[int], bytes]:
    """Return entropy for an `IdSource`: the same bytes, in the same order, for the same seed."""
    draws = count()

    def entropy(size: int) -> bytes:
        return shake_128(f"{seed}/{next(draws)}".encode()).digest(size)

    return entropy
