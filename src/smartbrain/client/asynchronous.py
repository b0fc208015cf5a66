"""`AsyncRemoteBrain`: the same over HTTP for an event loop, every verb awaited.

In: the calls of `AsyncSmartBrain`. Out: the same results and errors. What a call is and what its
answer means is in `calls`; only the waiting is different here.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import httpx

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
)
from smartbrain.client.following import walk_stream_async
from smartbrain.client.handle import add_verbs, refuse_local
from smartbrain.domain.memory_event import MemoryEvent
from smartbrain.entrypoints.wire.verbs import Verb
from smartbrain.errors import AdapterError, SmartBrainError, UsageError

if TYPE_CHECKING:
    from smartbrain.brain.async_handle import AsyncSmartBrain as Twin
else:
    Twin = object


class AsyncRemoteBrain(Twin):
    """The memory of one tenant behind a server, for an event loop: every verb, awaited."""

    def __init__(self, http: httpx.AsyncClient, tenant: str, *, owner: bool) -> None:
        """Use `AsyncRemoteBrain.open` or `brain.tenant`; this is how they make a handle."""
        self._http = http
        self._name = tenant
        self._is_owner = owner
        add_verbs(self, self._ask)

    @classmethod
    async def open(  # type: ignore[override]
        cls,
        url: str,
        tenant: str = "default",
        *,
        api_key: str | None = None,
        timeout: float = TIMEOUT,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> Self:
        """Open a tenant on a server, as `RemoteBrain.open` does."""
        http = httpx.AsyncClient(
            **client_options(url, tenant, api_key, timeout), transport=transport
        )
        handle = cls(http, tenant, owner=True)
        try:
            await handle._send(open_call())
        except BaseException:
            await http.aclose()
            raise
        return handle

    @property
    def tenant_name(self) -> str:
        """The tenant that this handle reads and writes."""
        return self._name

    async def tenant(self, name: str) -> AsyncRemoteBrain:
        """Return a handle of another tenant of the same server, begun if there is none."""
        handle = AsyncRemoteBrain(self._http, name, owner=False)
        await handle._send(open_call())
        return handle

    async def subscribe(
        self, *, since: int | None = None, kinds: str | Iterable[str] | None = None
    ) -> AsyncIterator[MemoryEvent]:
        """Yield what happens, as the library does; a lost connection is made anew."""
        last = (await self.events(None)).last if since is None else since
        while not self._http.is_closed:
            try:
                async for found in walk_stream_async(self._http, self._name, kinds, last):
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

    async def close(self) -> None:
        """Close the connections; those of the handle that opened them serve all its tenants."""
        if self._is_owner:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"AsyncRemoteBrain({str(self._http.base_url)!r}, tenant={self._name!r})"

    def __getattr__(self, name: str) -> Any:
        return refuse_local(name)

    async def _ask(self, verb: Verb, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return await self._send(verb_call(verb, args, kwargs))

    async def _send(self, call: RemoteCall) -> Any:
        """Make a call, again after a pause where that may help and cannot do it twice."""
        if self._http.is_closed:
            raise UsageError("this brain is closed; open it again", code="closed")
        headers = tenant_header(self._name)
        for pause in (*PAUSES, None):
            try:
                answer = await self._http.post(call.path, content=call.body, headers=headers)
                return read_answer(call, answer)
            except (httpx.HTTPError, SmartBrainError) as fault:
                if pause is None or not may_ask_again(call, fault):
                    raise final_error(fault) from None
            await asyncio.sleep(pause)
        raise AssertionError("unreachable")
