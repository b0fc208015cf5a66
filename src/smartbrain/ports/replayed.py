"""What running a tenant's events again needs: commits in their order, and all that came of them.

In: the steps of turns as they are committed. Out: steps, operations, edges and search texts, page
by page. Memories are read as `ports.repositories` reads them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from smartbrain.domain.graph import Edge
    from smartbrain.domain.replay import Step
    from smartbrain.domain.turn import Operation


class Replayed(Protocol):
    """The order of commits, and derived rows of every state."""

    def add_step(self, step: Step) -> None:
        """Note what a commit has just added to its turn.

        Raises:
            NotFound: there is no turn of that id.
        """
        ...

    def steps(self, *, after: int = 0, limit: int = 100) -> list[tuple[int, int, Step]]:
        """Return steps in order, each with its number and that of the last operation before it."""
        ...

    def operations(self, *, after: int = 0, limit: int = 100) -> list[tuple[int, Operation]]:
        """Return operations in order, each with its number."""
        ...

    def replies(
        self, *, after: str = "", limit: int = 100
    ) -> list[tuple[str, str, Mapping[str, Any], datetime]]:
        """Return idempotency keys in order, each with its body's hash, its reply and its time."""
        ...

    def edge_page(self, *, after: int = 0, limit: int = 100) -> list[tuple[int, Edge]]:
        """Return edges in the order they were made, deleted ones too, each with its number."""
        ...

    def edges(self, edge_ids: Iterable[str]) -> dict[str, Edge]:
        """Return the known ones among these edges, deleted ones too, by id."""
        ...

    def chunks(self, memory_ids: Iterable[str]) -> dict[str, list[str]]:
        """Return the search texts of memories in order, by memory; one without is left out."""
        ...
