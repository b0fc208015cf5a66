"""`RemoteBrain` and `AsyncRemoteBrain`: a tenant behind a server, with every verb of the table.

In: the calls of `SmartBrain`. Out: the same results and errors. Verbs are taken from the table, so
there is nothing here to keep in step; type checkers are told that it is a `SmartBrain`. The twin
for event loops makes its calls on threads, as that of the library does.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, NoReturn, Self

import httpx

from smartbrain.bootstrap.background import Closable
from smartbrain.bootstrap.following import Subscription, Walk
from smartbrain.brain import GROUPS, SmartBrain
from smartbrain.brain.async_handle import AsyncSmartBrain
from smartbrain.brain.mirror import open_twin
from smartbrain.client.calls import (
    PAUSES,
    TIMEOUT,
    RemoteCall,
    client_options,
    final_error,
    may_ask_again,
    open_call,
    read_answer,
    tenant_header,
    verb_call,
    walk_stream,
)
from smartbrain.domain.memory_event import MemoryEvent, read_kinds
from smartbrain.entrypoints.wire.verbs import Verb, verbs
from smartbrain.errors import AdapterError, SmartBrainError, UsageError


class RemoteGroup:
    """Verbs under a name of their own, such as `brain.memories`."""


def _bound_verb(ask: Callable[..., Any], verb: Verb) -> Callable[..., Any]:
    @wraps(verb.function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return ask(verb, args, kwargs)

    return call


if TYPE_CHECKING:
    Twin = SmartBrain
else:
    Twin = Closable


class RemoteBrain(Twin):
    """The memory of one tenant behind a server: every verb of `SmartBrain`, asked over HTTP.

    Open it with `RemoteBrain.open`, close it with `close` or `with`. Threads may share it.
    """

    def __init__(self, http: httpx.Client, tenant: str, *, owner: bool) -> None:
        """Use `RemoteBrain.open` or `brain.tenant`; this is how they make a handle."""
        self._http = http
        self._name = tenant
        self._is_owner = owner
        self._subscriptions = []
        groups: dict[str, object] = {"": self}
        groups |= {name: RemoteGroup() for name in GROUPS if name}
        for verb in verbs().values():
            setattr(groups[verb.group], verb.method, _bound_verb(self._ask, verb))
        vars(self).update({name: group for name, group in groups.items() if name})

    @classmethod
    def open(  # type: ignore[override]
        cls,
        url: str,
        tenant: str = "default",
        *,
        api_key: str | None = None,
        timeout: float = TIMEOUT,
        transport: httpx.BaseTransport | None = None,
    ) -> Self:
        """Open a tenant on a server, which begins it if there is none.

        Args:
            url: where `memctl serve` listens, such as `http://127.0.0.1:8764`.
            tenant: whose memory this handle is.
            api_key: a key of the server, if it asks for one.
            timeout: seconds to wait for an answer.
            transport: another way to reach the server, for tests.

        Raises:
            AdapterError: the server does not answer.
            UsageError: it refuses the key, or the tenant to this key.
        """
        http = httpx.Client(**client_options(url, tenant, api_key, timeout), transport=transport)
        handle = cls(http, tenant, owner=True)
        try:
            handle._send(open_call())
        except BaseException:
            http.close()
            raise
        return handle

    @property
    def tenant_name(self) -> str:
        """The tenant that this handle reads and writes."""
        return self._name

    def tenant(self, name: str) -> RemoteBrain:
        """Return a handle of another tenant of the same server, begun if there is none."""
        handle = RemoteBrain(self._http, name, owner=False)
        handle._send(open_call())
        return handle

    def subscribe(
        self,
        callback: Callable[[MemoryEvent], object],
        *,
        since: int | None = None,
        kinds: str | Iterable[str] | None = None,
    ) -> Subscription:
        """Call a function with every event, as the library does; a lost connection is made anew."""
        start = self.events(None).last if since is None else since
        subscription = Subscription(self.walker(kinds), callback, start)
        self._subscriptions.append(subscription)
        return subscription

    def walker(self, kinds: str | Iterable[str] | None) -> Walk:
        """Return what yields events after a number, for as long as the connection lasts."""
        return partial(walk_stream, self._http, self._name, read_kinds(kinds))

    def close(self) -> None:
        """Close the connections; those of the handle that opened them serve all its tenants."""
        for subscription in self._subscriptions:
            subscription.close()
        if self._is_owner:
            self._http.close()

    def __repr__(self) -> str:
        return f"RemoteBrain({str(self._http.base_url)!r}, tenant={self._name!r})"

    def __getattr__(self, name: str) -> NoReturn:
        if hasattr(SmartBrain, name):
            raise UsageError(f"{name} is done on the machine of the brain; use SmartBrain there")
        raise AttributeError(name)

    def _ask(self, verb: Verb, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return self._send(verb_call(verb, args, kwargs))

    def _send(self, call: RemoteCall) -> Any:
        """Make a call, again after a pause where that may help and cannot do it twice."""
        if self._http.is_closed:
            raise UsageError("this brain is closed; open it again", code="closed")
        headers = tenant_header(self._name)
        for pause in (*PAUSES, None):
            try:
                answer = self._http.post(call.path, content=call.body, headers=headers)
                return read_answer(call, answer)
            except (httpx.HTTPError, SmartBrainError) as fault:
                if pause is None or not may_ask_again(call, fault):
                    raise final_error(fault) from None
            time.sleep(pause)
        raise AssertionError("unreachable")


class AsyncRemoteBrain(AsyncSmartBrain):
    """The memory of one tenant behind a server, for an event loop: every verb, awaited."""

    @classmethod
    async def open(  # type: ignore[override]
        cls,
        url: str,
        tenant: str = "default",
        *,
        api_key: str | None = None,
        timeout: float = TIMEOUT,
        transport: httpx.BaseTransport | None = None,
    ) -> Self:
        """Open a tenant on a server, as `RemoteBrain.open` does."""
        options = {"api_key": api_key, "timeout": timeout, "transport": transport}
        handle: Self = await open_twin(cls, RemoteBrain.open, url, tenant, **options)
        return handle

    async def subscribe(
        self, *, since: int | None = None, kinds: str | Iterable[str] | None = None
    ) -> AsyncIterator[MemoryEvent]:
        """Yield what happens, as the library does; a lost connection is made anew."""
        remote: RemoteBrain = vars(self)["_brain"]
        walker, loop = remote.walker(kinds), asyncio.get_running_loop()
        last = (await self.events(None)).last if since is None else since
        with ThreadPoolExecutor(1) as thread:  # of its own: it waits for the next event
            while True:
                try:
                    walk = walker(last)
                    while found := await loop.run_in_executor(thread, next, walk):
                        if isinstance(found, MemoryEvent):
                            yield found
                        last = found.num if isinstance(found, MemoryEvent) else found
                except UsageError as error:
                    if error.code == "closed":
                        return
                    raise
                except AdapterError as error:
                    if not error.retryable:
                        raise
                    await asyncio.sleep(PAUSES[-1])
