"""Events of a brain behind a server: its stream read block by block, begun again where it ended.

In: lines of server-sent events. Out: events in their order, and numbers that say how far the server
has looked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import httpx
import msgspec

from smartbrain.client.calls import RemoteCall, final_error, read_answer, tenant_header
from smartbrain.domain.memory_event import MemoryEvent
from smartbrain.errors import SmartBrainError, UsageError

_HEARTBEAT: Final = 1  # seconds, so that closing never waits longer
_SILENCE: Final = httpx.Timeout(10.0, read=30.0)


class _Block:
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
    http: httpx.Client, tenant: str, kinds: Iterable[str], since: int
) -> Iterator[MemoryEvent | int]:
    """Yield what happens after a number, until the stream ends, which is an error."""
    if http.is_closed:
        raise _ended(http)
    request: dict[str, Any] = {
        "params": {"heartbeat": _HEARTBEAT, "kinds": ",".join(kinds)},
        "headers": {**tenant_header(tenant), "Last-Event-ID": str(since)},
        "timeout": _SILENCE,
    }
    block = _Block()
    try:
        with http.stream("GET", "/v1/events", **request) as answer:
            if not answer.is_success:
                answer.read()
                read_answer(RemoteCall("", b"", False, lambda told: told), answer)
            for line in answer.iter_lines():
                if (found := block.read(line)) is not None:
                    yield found
    except httpx.HTTPError as fault:
        raise _ended(http, fault) from None
    raise _ended(http)


def _ended(http: httpx.Client, fault: httpx.HTTPError | None = None) -> SmartBrainError:
    """Return why a stream is over: its brain was closed, or the connection is lost."""
    if http.is_closed:
        return UsageError("this brain is closed; open it again", code="closed")
    return final_error(fault or httpx.ReadError("the stream of events has ended"))
