"""Work beside the calls of a brain: opening and saving views, training, embedding.

In: functions. Out: their futures. One thread for what somebody may wait for, one for what takes
long, some for the arms of recall, some for each model, some for documents; they start when first
needed, and anew in a forked process. Threads of arms that do not come back are made up for.
"""

from __future__ import annotations

import os
import sys
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Final, Self, TypeVar
from weakref import WeakSet

from smartbrain.recall.request import Overdue

_ARMS: Final = "arms"
_VIEWS: Final = "views"
_MANY: Final = 16
_LOST: Final = 8  # threads that were given up, until the others are replaced with them
_BESIDE: Final = 4
_Done = TypeVar("_Done")


class Closable(ABC):
    """What `with` closes at its end."""

    @abstractmethod
    def close(self) -> None:
        """Close it; calling again does nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Threaded(ABC):
    """What has threads and locks, and begins anew in a forked process, where those are not."""

    def __init__(self) -> None:
        self.begin()
        _THREADED.add(self)

    @abstractmethod
    def begin(self) -> None:
        """Start with nothing that goes on or waits."""


_THREADED: Final[WeakSet[Threaded]] = WeakSet()


def _begin_anew() -> None:
    for one in list(_THREADED):
        one.begin()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_begin_anew)


class Background(Threaded):
    """The threads of a root, shared by its tenants; `overdue` are those that did not come back."""

    def begin(self) -> None:
        """Start with no thread at all."""
        self._lock = threading.RLock()
        self.overdue = Overdue()
        self._made_up_for = 0
        self._pools: dict[str, ThreadPoolExecutor] = {}

    def now(self, work: Callable[[], Any]) -> Future[Any]:
        """Do something beside others of its kind that somebody is waiting for.

        Whoever hangs keeps a thread or two. When these have become many the next are new: those
        that come back end then.
        """
        with self._lock:
            given_up = self.overdue.given_up
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
        for name, pool in sorted(self._pools.items(), key=lambda each: each[0] != _VIEWS):
            pool.shutdown(wait=name == _VIEWS, cancel_futures=True)
        self.begin()

    def _submit(self, name: str, threads: int, work: Callable[[], _Done]) -> Future[_Done]:
        with self._lock:
            if name not in self._pools:
                self._pools[name] = ThreadPoolExecutor(
                    threads, thread_name_prefix=f"smartbrain-{name}"
                )
            return self._pools[name].submit(copy_context().run, work)
