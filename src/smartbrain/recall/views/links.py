"""The view of the graph: edges of the truth in a graph index (R3).

In: edges by number. Out: an index to walk. Nodes need no entry of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, Final

from smartbrain.domain.change import ChangeKind
from smartbrain.ports.graph_index import GraphIndex
from smartbrain.ports.truth import Transaction
from smartbrain.recall.views.view import View

_LEAST: Final = 2_000
_SHARE: Final = 200  # more than a hundredth unsorted would be sorted in by a query


class GraphView(View):
    """Edges as a graph."""

    name = "graph"
    source: ClassVar = ChangeKind.EDGE
    follows: ClassVar = frozenset({ChangeKind.EDGE})
    index: GraphIndex

    def __init__(self, make: Callable[[], GraphIndex]) -> None:
        self._make = make
        self._edges: int | None = None  # as of the last snapshot; counting them takes long
        self.index = make()

    def fresh(self) -> GraphView:
        """Return an empty one."""
        return GraphView(self._make)

    def put(self, nums: Sequence[int], rows: Transaction) -> None:
        """Add, replace or remove edges."""
        edges = rows.followed.edges(nums)
        there = {edge.num for edge in edges}
        self.index.update(edges, removed=[num for num in nums if num not in there])

    def save(self, folder: Path | None) -> bool:
        """Write a snapshot, or only sort in what has changed."""
        self._edges = None
        return super().save(folder)

    def due(self, changed: int) -> bool:
        """Saving also sorts in what has changed, before that is so much that a query has to."""
        if changed < _LEAST:
            return False
        if self._edges is None:
            self._edges = self.index.stats().edges
        return changed >= self._edges // _SHARE

    def figures(self) -> tuple[int, int]:
        """Return edges and bytes in memory."""
        stats = self.index.stats()
        return stats.edges, stats.bytes
