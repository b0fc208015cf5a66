"""Following events: a thread that calls a function with each (S4).

In: what reads the events after a number. Out: calls, in order and at least once, until somebody
stops it or the brain is closed. What a callback raises is recorded by its name alone.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

from smartbrain.bootstrap.background import Closable
from smartbrain.domain.memory_event import EventPage, MemoryEvent
from smartbrain.errors import AdapterError, SmartBrainError

PAUSE: Final = 0.1
"""Seconds between two looks at what is new."""
_LONGEST_PAUSE: Final = 30.0
_log = logging.getLogger(__name__)


Walk = Callable[[int], Iterator[MemoryEvent | int]]
"""Yields what happens after a number, without end; a number alone says how far it has looked."""


class Subscription(Closable):
    """A thread that calls a function with each event, in order, until `close`.

    An event whose call raised comes again after a pause, so each comes at least once. The thread
    ends when the brain is closed; `error` tells why if it could not go on otherwise.
    """

    def __init__(self, walk: Walk, callback: Callable[[MemoryEvent], object], since: int) -> None:
        """Begin at once."""
        self.last = since
        self.error: SmartBrainError | None = None
        self._walk = walk
        self._callback = callback
        self._failures = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="smartbrain-events", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Call no more; the call that runs is waited for."""
        self._stopped.set()
        if self._thread is not threading.current_thread():
            self._thread.join()

    @property
    def is_running(self) -> bool:
        """Whether events still come."""
        return self._thread.is_alive()

    def _follow(self) -> None:
        while not self._stopped.is_set():
            try:
                self._walk_on()
            except SmartBrainError as error:
                if not (isinstance(error, AdapterError) and error.retryable):
                    self.error = None if error.code == "closed" else error
                    return
                self._failures += 1
            pause = PAUSE * 2.0 ** min(self._failures, 10)
            self._stopped.wait(min(_LONGEST_PAUSE, pause))

    def _walk_on(self) -> None:
        for found in self._walk(self.last):
            if self._stopped.is_set():
                return
            if isinstance(found, MemoryEvent):
                try:
                    self._callback(found)
                except Exception as error:  # noqa: BLE001 - whatever it is, the event comes again
                    # Its name alone: what it says may quote what was remembered.
                    _log.warning("a subscriber of events failed: %s", type(error).__name__)
                    self._failures += 1
                    return
            self.last = found.num if isinstance(found, MemoryEvent) else found
            self._failures = 0


def walk_pages(read: Callable[[int], EventPage], since: int) -> Iterator[MemoryEvent | int]:
    """Yield what happens after a number, page by page."""
    while True:
        page = read(since)
        yield from page
        since = page.last
        yield since
        if page.cursor is None:
            time.sleep(PAUSE)
