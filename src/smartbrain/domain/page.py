"""A page of results: some items, and where to go on.

What listing verbs return; iterate it like a list, hand `cursor` back for the next page.
"""

from __future__ import annotations

from collections.abc import Iterator

from smartbrain.domain.memory import Memory
from smartbrain.domain.record import Record
from smartbrain.domain.turn import Session


class MemoryPage(Record, frozen=True):
    """Memories in the order they were written; `cursor` is None on the last page."""

    items: tuple[Memory, ...] = ()
    cursor: str | None = None

    def __iter__(self) -> Iterator[Memory]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


class SessionPage(Record, frozen=True):
    """Sessions, the one spoken in last first; `cursor` is None on the last page."""

    items: tuple[Session, ...] = ()
    cursor: str | None = None

    def __iter__(self) -> Iterator[Session]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)
