"""Work beside the calls of a brain: opening and saving views, training, embedding.

In: functions. Out: their futures. One thread for what somebody may wait for, one for what takes
long; both start when first needed, and anew in a process that was forked.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor


class Background:
    """Two threads of a root, shared by its tenants."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._quick: ThreadPoolExecutor | None = None
        self._slow: ThreadPoolExecutor | None = None

    def soon(self, work: Callable[[], None]) -> Future[None]:
        """Do something that somebody may wait for."""
        self._mind_forks()
        if self._quick is None:
            self._quick = ThreadPoolExecutor(1, thread_name_prefix="smartbrain-views")
        return self._quick.submit(work)

    def later(self, work: Callable[[], None]) -> Future[None]:
        """Do something that may take minutes."""
        self._mind_forks()
        if self._slow is None:
            self._slow = ThreadPoolExecutor(1, thread_name_prefix="smartbrain-models")
        return self._slow.submit(work)

    def close(self) -> None:
        """Finish what is being done, and nothing that is only planned."""
        self._mind_forks()
        for executor in (self._quick, self._slow):
            if executor is not None:
                executor.shutdown(wait=executor is self._quick, cancel_futures=True)
        self._quick = self._slow = None

    def _mind_forks(self) -> None:
        """Forget the parent's threads in a child: they are not here."""
        if self._process != os.getpid():
            self._process, self._quick, self._slow = os.getpid(), None, None
