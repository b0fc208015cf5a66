"""A page of results: some items, and where to go on.

What listing verbs return; iterate it like a list, hand `cursor` back for the next page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

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


class MemoryPage(Page[Memory], frozen=True):
    """Memories in the order they were written."""


class SessionPage(Page[Session], frozen=True):
    """Sessions, the one spoken in last first."""
