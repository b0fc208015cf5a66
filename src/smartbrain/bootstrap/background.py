"""Work beside the calls of a brain: opening and saving views, training, embedding.

In: functions. Out: their futures. One thread for what somebody may wait for, one for what takes
long, some for the arms of recall, some for each model, some for documents; they start when first
needed, and anew in a forked process. Threads of arms that do not come back are made up for.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

from smartbrain.recall.overdue import Overdue

_ARMS: Final = 16
_LOST: Final = 8  # threads that were given up, until the others are replaced with them
_BESIDE: Final = 4
_OUTSIDE: Final = 16
_Done = TypeVar("_Done")


class Background:
    """The threads of a root, shared by its tenants."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        """Start with no thread at all."""
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._overdue = Overdue()
        self._made_up_for = 0
        self._quick: ThreadPoolExecutor | None = None
        self._slow: ThreadPoolExecutor | None = None
        self._arms: ThreadPoolExecutor | None = None
        self._models: dict[str, ThreadPoolExecutor] = {}
        self._outside: ThreadPoolExecutor | None = None

    @property
    def overdue(self) -> Overdue:
        """Who has not come back, of arms and models."""
        self._mind_forks()
        return self._overdue

    def now(self, work: Callable[[], Any]) -> Future[Any]:
        """Do something beside others of its kind that somebody is waiting for.

        Whoever hangs keeps a thread or two. When these have become many the next are new: those
        that come back end then.
        """
        self._mind_forks()
        with self._lock:
            given_up = self._overdue.given_up
            if self._arms is not None and given_up - self._made_up_for >= _LOST:
                self._arms.shutdown(wait=False)
                self._arms = None
            if self._arms is None:
                self._made_up_for = given_up
                self._arms = ThreadPoolExecutor(_ARMS, thread_name_prefix="smartbrain-arms")
            return self._arms.submit(work)

    def beside(self, model: str, work: Callable[[], _Done]) -> Future[_Done]:
        """Ask a model something that somebody waits for, but not for ever."""
        self._mind_forks()
        with self._lock:
            if model not in self._models:
                self._models[model] = ThreadPoolExecutor(
                    _BESIDE, thread_name_prefix="smartbrain-beside"
                )
            return self._models[model].submit(work)

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
        others = (self._slow, self._arms, *self._models.values(), self._outside)
        for executor in (self._quick, *others):
            if executor is not None:
                executor.shutdown(wait=executor is self._quick, cancel_futures=True)
        self._begin()

    def _mind_forks(self) -> None:
        """Forget the parent's threads in a child: they are not here."""
        if self._process != os.getpid():
            self._begin()
