"""Numbered events, and how far each of those has come whom they are delivered to (S4).

In: changes of the truth, which leave events by themselves, in their own transaction. Out: events in
the order of commits. A number never comes again. Who delivers, and how, is not here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from smartbrain.domain.memory_event import EventKind, EventPage


class ReaderPlace(NamedTuple):
    """How far a reader has come, and how often in a row it could not be served."""

    num: int
    failures: int


class MemoryEvents(Protocol):
    """Events by number, the first is 1; the oldest of very many are dropped."""

    def add(self, kind: EventKind, code: str) -> None:
        """Append what no row of the truth tells, such as an alert."""

    def last(self) -> int:
        """Return the number of the last event, 0 where there is none."""

    def page(self, since: int, kinds: Sequence[EventKind] = (), *, limit: int) -> EventPage:
        """Return the events after a number, of some kinds or of all; 0 is the oldest kept.

        Where events after it were dropped, it is NotFound with the code `gone`.
        """

    def is_waiting(self, reader: str, *, now: int) -> bool:
        """Tell whether there may be something for a reader, and nobody serves it just now.

        One that is new always is waiting.
        """

    def claim(self, reader: str, *, now: int, until: int) -> ReaderPlace | None:
        """Return the place of a reader and keep others from serving it until then.

        A new reader begins with the next event. None says that somebody else serves it, or that it
        waits. Times are microseconds of the machine.
        """

    def advance(self, reader: str, num: int) -> None:
        """Note that a reader has everything up to a number, and may be served again."""

    def postpone(self, reader: str, *, until: int) -> None:
        """Note that a reader could not be served, and waits."""
