"""The asynchronous handle of one tenant: `AsyncSmartBrain`, the twin of `SmartBrain`.

In: the same calls, awaited. Out: the same results and errors. Verbs and groups are taken from
`SmartBrain` by looking, so there is nothing here to keep in step; `async_handle.pyi`, which tells
type checkers about them, is written by `tools/async_stub.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from functools import wraps
from types import TracebackType
from typing import Any, Self

from smartbrain.bootstrap.following import PAUSE
from smartbrain.brain import GROUPS, SmartBrain
from smartbrain.brain.handle import read_events
from smartbrain.brain.mirror import Calls, Mirror, add_twins, open_twin, twin_of
from smartbrain.domain.memory_event import MemoryEvent, read_kinds
from smartbrain.errors import UsageError


class AsyncSmartBrain(Mirror):
    """The memory of one tenant for an event loop: every verb of `SmartBrain`, awaited.

    Open it with `await AsyncSmartBrain.open(path)`, close it with `close` or `async with`. Calls
    run on threads of its own, several at once. Cancelling a task that waits for a call leaves
    nothing half done: the call has not begun and never will, or it runs to its end. `on_progress`
    is called in such a thread.
    """

    def __init__(self, brain: SmartBrain, calls: Calls, *, owner: bool) -> None:
        """Use `AsyncSmartBrain.open` or `brain.tenant`; this is how they make a handle."""
        super().__init__(brain, calls)
        self._brain = brain
        self._owner = owner
        for name in filter(None, GROUPS):
            setattr(self, name, twin_of(GROUPS[name])(getattr(brain, name), calls))

    @classmethod
    @wraps(SmartBrain.open.__func__)
    async def open(cls, *args: Any, **kwargs: Any) -> Self:
        """Open a brain, as `SmartBrain.open` does."""
        return await open_twin(cls, SmartBrain.open, *args, **kwargs)

    @property
    def tenant_name(self) -> str:
        """The tenant that this handle reads and writes."""
        return self._brain.tenant_name

    @wraps(SmartBrain.tenant)
    async def tenant(self, *args: Any, **kwargs: Any) -> AsyncSmartBrain:
        """Return a handle of another tenant, on the same threads."""
        brain = await self._calls.run(self._brain.tenant, *args, **kwargs)
        return type(self)(brain, self._calls, owner=False)

    def subscribe(
        self, *, since: int | None = None, kinds: str | Iterable[str] | None = None
    ) -> AsyncIterator[MemoryEvent]:
        """Return what happens, to be walked with `async for`; it ends when the brain is closed.

        Args:
            since: the number of the last event that is known; what happens from now on by default.
            kinds: only these; any by default.
        """
        wanted = read_kinds(kinds)

        async def follow(last: int | None) -> AsyncIterator[MemoryEvent]:
            while True:
                try:
                    page = await self._calls.run(read_events, self._brain, last, wanted)
                except UsageError as error:
                    if error.code == "closed":
                        return
                    raise
                for event in page:
                    yield event
                last = page.last
                if page.cursor is None:
                    await asyncio.sleep(PAUSE)

        return follow(since)

    @wraps(SmartBrain.close)
    async def close(self) -> None:
        """Let the calls end that were made, then close as `SmartBrain.close` does."""
        if self._owner:
            await asyncio.to_thread(self._calls.stop)
        await asyncio.to_thread(self._brain.close)

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
        return f"Async{self._brain!r}"


add_twins(AsyncSmartBrain, SmartBrain)
