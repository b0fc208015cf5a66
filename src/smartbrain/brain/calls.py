"""Threads of an asynchronous handle: where its calls run while the event loop goes on.

In: a synchronous call. Out: an awaitable of its result. A call that is cancelled before a thread
takes it never starts; one that has started runs to its end, whoever still waits for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any, Final, ParamSpec, TypeVar

from smartbrain.errors import UsageError

_P = ParamSpec("_P")
_T = TypeVar("_T")
THREADS: Final = 16
"""Calls that run at once; they mostly wait, for the disk or for the tenant's write lock."""


class Calls:
    """A pool of threads, shared by a brain's asynchronous handles."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="smartbrain-async")

    def start(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        """Have a thread make a call, in the context of whoever asks.

        Raises:
            UsageError: code `closed`; the brain is closed.
        """
        context = copy_context()
        made: Callable[[], Any] = partial(context.run, function, *args, **kwargs)
        try:
            return self._pool.submit(made)
        except RuntimeError:  # the pool's own word for being shut down
            raise UsageError("this brain is closed; open it again", code="closed") from None

    async def run(self, function: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T:
        """Return what a call returns, or raise what it raises."""
        return await asyncio.wrap_future(self.start(function, *args, **kwargs))

    def stop(self) -> None:
        """Let the calls that were started or asked for end, and take no more."""
        self._pool.shutdown()
