"""The telemetry port: where stages tell what they measured.

In: a metric of `domain.metrics` and a number. Out: nothing; telling never fails a call and never
waits. Whoever reads the figures asks the registry behind it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from smartbrain.domain.metrics import Metric


class Telemetry(Protocol):
    """Takes figures; threads may share it. `label` is the value of the metric's label, if any."""

    def count(self, metric: Metric, by: float = 1, label: str = "") -> None:
        """Add to a counter.

        Raises:
            UsageError: the metric is no counter, or has a label where none is given.
        """

    def gauge(self, metric: Metric, value: float, label: str = "") -> None:
        """Say what a gauge shows from now on.

        Raises:
            UsageError: the metric is no gauge, or has a label where none is given.
        """

    def observe(self, metric: Metric, value: float, label: str = "") -> None:
        """Add a value to a distribution.

        Raises:
            UsageError: the metric is no histogram, or has a label where none is given.
        """

    def looked_up(self, cache: str, *, hit: bool) -> None:
        """Count a read of a cache towards its `cache_hit_rate`."""
