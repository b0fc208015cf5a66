"""`GET /v1/events`: what happens to memory, as server-sent events (S4).

In: a request, the number of the last event that its client knows. Out: a stream that begins after
it, with a comment now and then so that nobody on the way thinks it dead. It ends when its key is
revoked, or the server stops, which says so by `app.state.is_stopping`; clients come again with the
last number they have.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from time import monotonic
from typing import TYPE_CHECKING, Final

import anyio
import msgspec
from starlette.requests import Request
from starlette.responses import StreamingResponse

from smartbrain.bootstrap.following import PAUSE
from smartbrain.brain.events import read_events
from smartbrain.domain.memory_event import EventPage, MemoryEvent, read_kinds
from smartbrain.errors import SmartBrainError, UsageError

if TYPE_CHECKING:
    from smartbrain.brain import SmartBrain

LAST_EVENT: Final = "Last-Event-ID"
HEARTBEAT_SECONDS: Final = 15
_MOST_DIGITS: Final = 18
_HEADERS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}


async def stream_events(
    request: Request, brain: SmartBrain, *, may_go_on: Callable[[], bool]
) -> StreamingResponse:
    """Return what happens from a number on; the first page is read before the answer begins."""
    kinds = read_kinds([one for one in request.query_params.get("kinds", "").split(",") if one])
    since = _read_number(request.headers.get(LAST_EVENT, request.query_params.get("since")))
    pause = _read_number(request.query_params.get("heartbeat")) or HEARTBEAT_SECONDS

    async def read(last: int | None) -> EventPage:
        return await anyio.to_thread.run_sync(read_events, brain, last, kinds)

    first = await read(since)

    async def lines() -> AsyncIterator[bytes]:
        page, speaks_at = first, 0.0
        while not getattr(request.app.state, "is_stopping", False):
            if page or monotonic() >= speaks_at:
                if not may_go_on():
                    return
                yield b"".join([*map(_event_lines, page), b": still here\nid: %d\n\n" % page.last])
                speaks_at = monotonic() + pause
            if page.cursor is None:
                await anyio.sleep(PAUSE)
            try:
                page = await read(page.last)
            except SmartBrainError:  # closed, gone or busy: the client comes again and is told
                return

    return StreamingResponse(lines(), media_type="text/event-stream", headers=_HEADERS)


def _read_number(given: str | None) -> int | None:
    if given is None:
        return None
    if not given.isdecimal() or len(given) > _MOST_DIGITS:
        raise UsageError(f"{given!r:.40} is no number; give that of an event, or 0 for all")
    return int(given)


def _event_lines(event: MemoryEvent) -> bytes:
    body = msgspec.json.encode(event.to_dict())
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (event.num, event.kind.encode(), body)
