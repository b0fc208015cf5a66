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
from smartbrain.errors import AdapterError, UsageError

_HEARTBEAT: Final = 1  # seconds, so that closing never waits longer
_SILENCE: Final = httpx.Timeout(10.0, read=30.0)


def stream_request(tenant: str, since: int, kinds: str | Iterable[str] | None) -> dict[str, Any]:
    """Return how the stream of a tenant is asked for, as httpx takes it."""
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
    """Yield what happens after a number, until the stream ends.

    Raises:
        SmartBrainError: it ended, or the server refused it.
    """
    _refuse_closed(http)
    block = _Block()
    try:
        with http.stream(**stream_request(tenant, since, kinds)) as answer:
            if not answer.is_success:
                answer.read()
                _raise_refusal(answer)
            for line in answer.iter_lines():
                found = block.read(line)
                if found is not None:
                    yield found
    except httpx.HTTPError as fault:
        _refuse_closed(http)
        raise final_error(fault) from None
    raise _ended()


async def walk_stream_async(
    http: httpx.AsyncClient, tenant: str, kinds: str | Iterable[str] | None, since: int
) -> AsyncIterator[MemoryEvent | int]:
    """Yield the same in an event loop.

    Raises:
        SmartBrainError: it ended, or the server refused it.
    """
    _refuse_closed(http)
    block = _Block()
    try:
        async with http.stream(**stream_request(tenant, since, kinds)) as answer:
            if not answer.is_success:
                await answer.aread()
                _raise_refusal(answer)
            async for line in answer.aiter_lines():
                found = block.read(line)
                if found is not None:
                    yield found
    except httpx.HTTPError as fault:
        _refuse_closed(http)
        raise final_error(fault) from None
    raise _ended()


def _refuse_closed(http: httpx.Client | httpx.AsyncClient) -> None:
    if http.is_closed:
        raise UsageError("this brain is closed; open it again", code="closed")


def _raise_refusal(answer: httpx.Response) -> None:
    read_answer(RemoteCall("", b"", False, lambda told: told), answer)


def _ended() -> AdapterError:
    return AdapterError("the stream of events has ended", code="io_error")
