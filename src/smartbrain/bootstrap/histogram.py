"""A distribution in fixed buckets: how many values, their sum, and percentiles by interpolation.

In: values. Out: figures, as exact as the buckets are narrow, never outside what was seen. Constant
in size whatever comes in. Not thread-safe: the registry that holds it is.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate


class Histogram:
    """Counts values by the first bound that they do not pass; one bucket is beyond all bounds."""

    __slots__ = ("bounds", "buckets", "count", "high", "low", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.buckets = [0] * (len(bounds) + 1)
        self.count = 0
        self.total = 0.0
        self.low = self.high = 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self.low = min(self.low, value) if self.count else value
        self.high = max(self.high, value) if self.count else value
        self.count += 1
        self.total += value
        self.buckets[bisect_left(self.bounds, value)] += 1

    def percentile(self, share: float) -> float:
        """Return the value below which such a share of all values lies; 0 when there are none."""
        wanted = share * self.count
        below = 0
        for place, inside in enumerate(self.buckets):
            if inside and below + inside >= wanted:
                start = self.bounds[place - 1] if place else self.low
                end = self.bounds[place] if place < len(self.bounds) else self.high
                start, end = max(start, self.low), min(end, self.high)
                return min(end, start + (end - start) * (wanted - below) / inside)
            below += inside
        return self.high

    def cumulative(self) -> list[int]:
        """Return how many values pass no bound, bound by bound, and all of them at the end."""
        return list(accumulate(self.buckets))

    def figures(self) -> dict[str, float | int]:
        """Return the distribution in figures, for JSON."""
        return {
            "count": self.count,
            "sum": round(self.total, 6),
            "min": round(self.low, 6),
            "max": round(self.high, 6),
            "p50": round(self.percentile(0.50), 6),
            "p95": round(self.percentile(0.95), 6),
            "p99": round(self.percentile(0.99), 6),
        }
