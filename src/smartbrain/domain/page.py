"""A page of results: some items, and where to go on.

What listing verbs return; use it like a list, and hand `cursor` back for the next page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar, overload

from smartbrain.domain.memory import Memory
from smartbrain.domain.record import Record
from smartbrain.domain.turn import Session

Item = TypeVar("Item")


class Page(Record, Generic[Item], frozen=True):
    """Items in their order; `cursor` is None on the last page."""

    items: tuple[Item, ...] = ()
    cursor: str | None = None

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, place: int) -> Item: ...

    @overload
    def __getitem__(self, place: slice) -> tuple[Item, ...]: ...

    def __getitem__(self, place: int | slice) -> Item | tuple[Item, ...]:
        return self.items[place]


class MemoryPage(Page[Memory], frozen=True):
    """Memories in the order they were written."""


class SessionPage(Page[Session], frozen=True):
    """Sessions, the one spoken in last first."""
