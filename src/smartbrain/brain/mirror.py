"""Asynchronous twins: classes whose coroutines do what the methods of another class do, on threads.

In: a class, and an object of it. Out: the same public names, awaited, each with the signature and
the docstring of what it stands for. Made by looking, so that a new method has its twin at once. A
call that is cancelled before a thread takes it never starts; one that has started runs to its end.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from functools import cache, partial, wraps
from inspect import getattr_static, isfunction
from typing import Any, Final, ParamSpec, TypeAlias, TypeVar

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


Method: TypeAlias = "Callable[..., Any] | staticmethod[..., Any]"


class Mirror:
    """The twin of an object; its calls run on the threads of the handle that it belongs to."""

    def __init__(self, subject: object, calls: Calls) -> None:
        self._subject = subject
        self._calls = calls


def add_twins(twin: type, kind: type) -> None:
    """Give a class a coroutine for each public method of another that it does not have itself."""
    for name, method in public_methods(kind):
        if hasattr(twin, name):
            continue
        if isinstance(method, staticmethod):
            setattr(twin, name, staticmethod(_awaited_apart(method.__func__)))
        else:
            setattr(twin, name, _awaited(name, method))


def public_methods(kind: type) -> Iterator[tuple[str, Method]]:
    """Yield the methods of a class that callers use, by name, in the order of their names."""
    for name in dir(kind):
        method = getattr_static(kind, name)
        if not name.startswith("_") and (isfunction(method) or isinstance(method, staticmethod)):
            yield name, method


async def open_twin(twin: Any, opened: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Return the twin of a handle that is opened on threads of its own."""
    calls = Calls()
    opening = calls.start(opened, *args, **kwargs)
    try:
        return twin(await asyncio.wrap_future(opening), calls, owner=True)
    except BaseException:
        opening.add_done_callback(_close_unclaimed)
        await asyncio.to_thread(calls.stop)
        raise


def _close_unclaimed(opened: Future[Any]) -> None:
    if not opened.cancelled() and opened.exception() is None:
        opened.result().close()


@cache
def twin_of(kind: type) -> type[Mirror]:
    """Return the twin of a class of verbs."""
    named = {"__doc__": kind.__doc__, "__module__": kind.__module__}
    twin = type(f"Async{kind.__name__}", (Mirror,), named)
    add_twins(twin, kind)
    return twin


def _awaited(name: str, method: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    @wraps(method)
    async def call(self: Mirror, *args: Any, **kwargs: Any) -> Any:
        return await self._calls.run(getattr(self._subject, name), *args, **kwargs)

    return call


def _awaited_apart(function: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    """Return the same for a function that belongs to no open brain, and so to no threads."""

    @wraps(function)
    async def call(*args: Any, **kwargs: Any) -> Any:
        return await asyncio.to_thread(function, *args, **kwargs)

    return call
