"""Who has not come back: work that was given up while it ran, counted until it ends (R4).

In: futures that nobody waits for any more. Out: whether who does that work is to be asked again. A
thread that runs cannot be stopped; to send more of them after it would only use them up.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Hashable
from concurrent.futures import Future
from typing import Any, Final

_MOST: Final = 2


class Overdue:
    """Running work that was given up, by who does it. Safe to use from many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: Counter[Hashable] = Counter()
        self.given_up = 0
        """How often so far."""

    def busy(self, who: Hashable) -> bool:
        """Tell whether somebody is not to be asked until earlier work has come back."""
        return self._running[who] >= _MOST

    def give_up(self, who: Hashable, work: Future[Any]) -> None:
        """Stop waiting for work; if it runs on, that counts until it ends."""
        if work.cancel() or work.done():
            return
        with self._lock:
            self._running[who] += 1
            self.given_up += 1
        work.add_done_callback(lambda _: self._back(who))

    def _back(self, who: Hashable) -> None:
        with self._lock:
            self._running[who] -= 1
            if not self._running[who]:
                del self._running[who]
