"""The verbs of a handle that tell what happened: `events` and `subscribe` (S4).

In: a number to go on from, kinds of events. Out: events in the order of commits, whichever process
made them. `SmartBrain` has these verbs from here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Final

from smartbrain.bootstrap.following import Subscription, walk_pages
from smartbrain.brain.arguments import Handle, page_size, whole
from smartbrain.domain.memory_event import EventPage, MemoryEvent, read_kinds
from smartbrain.errors import UsageError

if TYPE_CHECKING:
    from smartbrain.domain.memory_event import EventKind

_AT_ONCE: Final = 500  # events of one page


class Follows(Handle):
    """Verbs that tell what happened."""

    def events(
        self, since: int | None = 0, kinds: str | Iterable[str] | None = None, limit: int = 100
    ) -> EventPage:
        """Return what happened after an event, in order; `last` of the page is where to go on.

        Args:
            since: the number of the last event that is known; 0 is the beginning, None is now:
                no event, and the number of the last one in `last`.
            kinds: only these, such as `Memory.NodeCreated`; any by default.
            limit: how many at most, up to 1000.

        Raises:
            NotFound: code `gone`; events after that number were dropped, begin anew from 0.
        """
        number = None if since is None else whole(since, "since", 0)
        return self._read_events(number, read_kinds(kinds), limit=page_size(limit))

    def subscribe(
        self,
        callback: Callable[[MemoryEvent], object],
        *,
        since: int | None = None,
        kinds: str | Iterable[str] | None = None,
    ) -> Subscription:
        """Call a function with every event, in a thread of its own, until this handle is closed.

        Events of other processes come as well. One whose call raised comes again, after a pause.

        Args:
            callback: called with one event after the other.
            since: the number of the last event that is known; what happens from now on by default.
            kinds: only these; any by default.
        """
        if not callable(callback):
            raise UsageError(f"callback is {callback!r:.60}; give a function of one event")
        wanted = read_kinds(kinds)
        start = self.events(None).last if since is None else whole(since, "since", 0)
        read = partial(self._read_events, kinds=wanted)
        subscription = Subscription(partial(walk_pages, read), callback, start)
        self._subscriptions.append(subscription)
        return subscription

    def _read_events(
        self, since: int | None, kinds: tuple[EventKind, ...] = (), *, limit: int = _AT_ONCE
    ) -> EventPage:
        with self._lease() as tenant, tenant.ports.truth.read() as rows:
            if since is None:
                return EventPage(last=rows.memory_events.last())
            return rows.memory_events.page(since, kinds, limit=limit)

    def _end_subscriptions(self) -> None:
        for subscription in self._subscriptions:
            subscription.close()
        self._subscriptions.clear()


def read_events(brain: Follows, since: int | None, kinds: tuple[EventKind, ...] = ()) -> EventPage:
    """Return a page as somebody reads it who follows: looking for news is no call of its own."""
    return brain._read_events(since, kinds)  # noqa: SLF001 - a verb would be logged each time
