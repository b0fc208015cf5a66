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

_ARMS: Final = "arms"
_VIEWS: Final = "views"
_MANY: Final = 16
_LOST: Final = 8  # threads that were given up, until the others are replaced with them
_BESIDE: Final = 4
_Done = TypeVar("_Done")


class Background:
    """The threads of a root, shared by its tenants."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._process = os.getpid()
        self._lock = threading.RLock()
        self._overdue = Overdue()
        self._made_up_for = 0
        self._pools: dict[str, ThreadPoolExecutor] = {}

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
            if _ARMS in self._pools and given_up - self._made_up_for >= _LOST:
                self._pools.pop(_ARMS).shutdown(wait=False)
            if _ARMS not in self._pools:
                self._made_up_for = given_up
            return self._submit(_ARMS, _MANY, work)

    def beside(self, model: str, work: Callable[[], _Done]) -> Future[_Done]:
        """Ask a model something that somebody waits for, but not for ever."""
        return self._submit(f"beside-{model}", _BESIDE, work)

    def outside(self, work: Callable[[], _Done]) -> Future[_Done]:
        """Ask documents something; however long they take, nothing else is kept waiting."""
        return self._submit("documents", _MANY, work)

    def soon(self, work: Callable[[], None]) -> Future[None]:
        """Do something that somebody may wait for."""
        return self._submit(_VIEWS, 1, work)

    def later(self, work: Callable[[], None]) -> Future[None]:
        """Do something that may take minutes."""
        return self._submit("models", 1, work)

    def close(self) -> None:
        """Finish what is being done, and nothing that is only planned."""
        self._mind_forks()
        for name, pool in sorted(self._pools.items(), key=lambda each: each[0] != _VIEWS):
            pool.shutdown(wait=name == _VIEWS, cancel_futures=True)
        self._begin()

    def _submit(self, name: str, threads: int, work: Callable[[], _Done]) -> Future[_Done]:
        self._mind_forks()
        with self._lock:
            if name not in self._pools:
                self._pools[name] = ThreadPoolExecutor(
                    threads, thread_name_prefix=f"smartbrain-{name}"
                )
            return self._pools[name].submit(work)

    def _mind_forks(self) -> None:
        """Forget the parent's threads in a child: they are not here."""
        if self._process != os.getpid():
            self._begin()
