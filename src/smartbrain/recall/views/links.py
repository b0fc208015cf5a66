"""The view of the graph: edges of the truth in a graph index (R3).

In: edges by number. Out: an index to walk. Nodes need no entry of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from smartbrain.domain.change import ChangeKind

if TYPE_CHECKING:
    from smartbrain.ports.graph_index import GraphIndex
    from smartbrain.ports.truth import Transaction

_LEAST: Final = 5_000
_SHARE: Final = 10


class GraphView:
    """Edges as a graph."""

    name = "graph"
    version = 1
    source: ClassVar = ChangeKind.EDGE
    follows: ClassVar = frozenset({ChangeKind.EDGE})

    def __init__(self, make: Callable[[], GraphIndex]) -> None:
        self._make = make
        self.index = make()

    def fresh(self) -> GraphView:
        """Return an empty one."""
        return GraphView(self._make)

    def widen(self, nums: Sequence[int], _rows: Transaction) -> Sequence[int]:
        """An edge stands for itself."""
        return nums

    def put(self, nums: Sequence[int], rows: Transaction) -> None:
        """Add, replace or remove edges."""
        edges = rows.followed.edges(nums)
        there = {edge.num for edge in edges}
        self.index.update(edges, removed=[num for num in nums if num not in there])

    def load(self, folder: Path) -> None:
        """Read from a snapshot."""
        self.index.load(folder)

    def save(self, folder: Path | None) -> None:
        """Write a snapshot; in memory there is nothing to do."""
        if folder is not None:
            self.index.save(folder)

    def due(self, changed: int) -> bool:
        """A snapshot is written whole, so it waits for a tenth of the graph to change."""
        return changed >= _LEAST and changed >= self.index.stats().edges // _SHARE

    def figures(self) -> tuple[int, int]:
        """Return edges and bytes in memory."""
        stats = self.index.stats()
        return stats.edges, stats.bytes
