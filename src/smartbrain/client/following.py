"""Events of a brain behind a server: its stream read block by block, begun again where it ended.

In: lines of server-sent events. Out: events in their order, and numbers that say how far the server
has looked. What is asked and what it means is the same in both colours.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from typing import Any, Final

import httpx
import msgspec

from smartbrain.client.calls import RemoteCall, final_error, read_answer, tenant_header
from smartbrain.domain.memory_event import MemoryEvent, read_kinds
from smartbrain.errors import SmartBrainError, UsageError

Http = httpx.Client | httpx.AsyncClient
_HEARTBEAT: Final = 1  # seconds, so that closing never waits longer
_SILENCE: Final = httpx.Timeout(10.0, read=30.0)


def stream_request(
    http: Http, tenant: str, since: int, kinds: str | Iterable[str] | None
) -> dict[str, Any]:
    """Return how the stream of a tenant is asked for, as httpx takes it."""
    if http.is_closed:
        raise _ended(http)
    return {
        "method": "GET",
        "url": "/v1/events",
        "params": {"heartbeat": _HEARTBEAT, "kinds": ",".join(read_kinds(kinds))},
        "headers": {**tenant_header(tenant), "Last-Event-ID": str(since)},
        "timeout": _SILENCE,
    }


class _Block:
    """The lines of a stream since the last empty one."""

    def __init__(self) -> None:
        self._number = 0
        self._data = ""

    def read(self, line: str) -> MemoryEvent | int | None:
        """Return what has ended with a line: an event, or how far the server has looked."""
        name, _, value = line.partition(": ")
        if name == "id":
            self._number = int(value)
        elif name == "data":
            self._data = value
        if line or not self._number:
            return None
        found = self._number, self._data
        self._number, self._data = 0, ""
        return msgspec.json.decode(found[1], type=MemoryEvent) if found[1] else found[0]


def walk_stream(
    http: httpx.Client, tenant: str, kinds: str | Iterable[str] | None, since: int
) -> Iterator[MemoryEvent | int]:
    """Yield what happens after a number, until the stream ends."""
    block = _Block()
    try:
        with http.stream(**stream_request(http, tenant, since, kinds)) as answer:
            if not answer.is_success:
                answer.read()
                _raise_refusal(answer)
            for line in answer.iter_lines():
                if (found := block.read(line)) is not None:
                    yield found
    except httpx.HTTPError as fault:
        raise _ended(http, fault) from None
    raise _ended(http)


async def walk_stream_async(
    http: httpx.AsyncClient, tenant: str, kinds: str | Iterable[str] | None, since: int
) -> AsyncIterator[MemoryEvent | int]:
    """Yield the same in an event loop."""
    block = _Block()
    try:
        async with http.stream(**stream_request(http, tenant, since, kinds)) as answer:
            if not answer.is_success:
                await answer.aread()
                _raise_refusal(answer)
            async for line in answer.aiter_lines():
                if (found := block.read(line)) is not None:
                    yield found
    except httpx.HTTPError as fault:
        raise _ended(http, fault) from None
    raise _ended(http)


def _raise_refusal(answer: httpx.Response) -> None:
    read_answer(RemoteCall("", b"", False, lambda told: told), answer)


def _ended(http: Http, fault: httpx.HTTPError | None = None) -> SmartBrainError:
    """Return why a stream is over: its brain was closed, or the connection is lost."""
    if http.is_closed:
        return UsageError("this brain is closed; open it again", code="closed")
    return final_error(fault or httpx.ReadError("the stream of events has ended"))
