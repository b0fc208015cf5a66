"""A circuit breaker: after several failures in a row, a service is left alone for a while.

In: the outcome of each call, and a clock. Out: whether a call may be made now, or in how many
seconds. After the pause one call at a time tries; its success lets all others through again.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock


class CircuitBreaker:
    """Counts failures in a row; threads may share it."""

    def __init__(self, failures: int, pause: float, clock: Callable[[], float]) -> None:
        self._limit = failures
        self._pause = pause
        self._clock = clock
        self._lock = Lock()
        self._failures = 0
        self._last = 0.0

    @property
    def is_open(self) -> bool:
        """Whether so many calls failed in a row that the service is left alone."""
        return self._failures >= self._limit

    def wait(self) -> float:
        """Return 0 if the caller may call now, else the seconds until somebody may."""
        with self._lock:
            if not self.is_open:
                return 0.0
            now = self._clock()
            left = self._last + self._pause - now
            if left > 0:
                return left
            # This caller is the trial. The next one is due a whole pause later, so a trial that
            # never comes back blocks nobody for longer than that.
            self._last = now
            return 0.0

    def failed(self) -> None:
        """Count a call that the service did not answer as it should."""
        with self._lock:
            self._failures += 1
            self._last = self._clock()

    def succeeded(self) -> None:
        """Forget all failures: the service is there."""
        with self._lock:
            self._failures = 0
