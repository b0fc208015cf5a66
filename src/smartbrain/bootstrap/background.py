"""Work beside the calls of a brain: opening and saving views, training, embedding.

In: functions. Out: their futures. One thread for what somebody may wait for, one for what takes
long, some for the arms of recall, some for documents; they start when first needed, and anew in a
forked process.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

_ARMS: Final = 16
_BESIDE: Final = 4
_OUTSIDE: Final = 16
_Done = TypeVar("_Done")


class Background:
    """The threads of a root, shared by its tenants."""

    def __init__(self) -> None:
        self._process = os.getpid()
        self._quick: ThreadPoolExecutor | None = None
        self._slow: ThreadPoolExecutor | None = None
        self._arms: ThreadPoolExecutor | None = None
        self._beside: ThreadPoolExecutor | None = None
        self._outside: ThreadPoolExecutor | None = None

    def now(self, work: Callable[[], Any]) -> Future[Any]:
        """Do something beside others of its kind that somebody is waiting for."""
        self._mind_forks()
        if self._arms is None:
            self._arms = ThreadPoolExecutor(_ARMS, thread_name_prefix="smartbrain-arms")
        return self._arms.submit(work)

    def beside(self, work: Callable[[], _Done]) -> Future[_Done]:
        """Do something that somebody waits for, but not for ever."""
        self._mind_forks()
        if self._beside is None:
            self._beside = ThreadPoolExecutor(_BESIDE, thread_name_prefix="smartbrain-beside")
        return self._beside.submit(work)

    def outside(self, work: Callable[[], _Done]) -> Future[_Done]:
        """Ask documents something; however long they take, nothing else is kept waiting."""
        self._mind_forks()
        if self._outside is None:
            self._outside = ThreadPoolExecutor(_OUTSIDE, thread_name_prefix="smartbrain-documents")
        return self._outside.submit(work)

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
        for executor in (self._quick, self._slow, self._arms, self._beside, self._outside):
            if executor is not None:
                executor.shutdown(wait=executor is self._quick, cancel_futures=True)
        self._quick = self._slow = self._arms = self._beside = self._outside = None

    def _mind_forks(self) -> None:
        """Forget the parent's threads in a child: they are not here."""
        if self._process != os.getpid():
            self._process = os.getpid()
            self._quick = self._slow = self._arms = self._beside = self._outside = None
