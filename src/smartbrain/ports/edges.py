"""The edges of a transaction: relations between nodes, read and written (M5).

In and out: domain records. As in `ports.repositories`, nothing here opens or ends a transaction,
and a call that raises has changed nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from smartbrain.domain.graph import Edge, EdgeType


class Edges(Protocol):
    """Relations between nodes (M5)."""

    def add(self, edges: Sequence[Edge]) -> None:
        """Add edges; one that exists takes the new weight, confidence, validity and tier.

        Raises:
            NotFound: an end is not a node of this tenant.
        """
        ...

    def of(
        self, node_id: str, *, outgoing: bool = True, kind: EdgeType | None = None
    ) -> list[Edge]:
        """Return the living edges that leave (or reach) a node, in the order they were made."""
        ...

    def delete(self, edge_ids: Sequence[str], at: datetime) -> int:
        """Mark edges as deleted and return how many were living."""
        ...
