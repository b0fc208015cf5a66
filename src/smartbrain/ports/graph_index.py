"""The graph index: who is beside whom, and how far activation spreads.

In: edges by number. Out: neighbours, reached nodes with scores, paths. A view of the truth: it
holds no text and can be rebuilt at any time. The order of every answer is fixed: best first, ties by the
lower number, whatever was added or removed in between.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.graph_search import GraphEdge, GraphLayer, GraphStats, Neighbour, Spread
from smartbrain.domain.search import Scored


class GraphIndex(Protocol):
    """The edges of one tenant. Safe to use from many threads."""

    def update(self, edges: Sequence[GraphEdge], removed: Sequence[int] = ()) -> None:
        """Add edges or replace those of the same number, and remove others by number.

        Raises:
            UsageError: a weight is not a finite number, or a number is negative.
        """
        ...

    def neighbours(
        self,
        node: int,
        *,
        types: Sequence[EdgeType] = (),
        layer: GraphLayer = GraphLayer.ONLINE,
        limit: int = 50,
    ) -> list[Neighbour]:
        """Return the nodes beside one, the strongest edge first; an unknown node has none.

        Raises:
            UsageError: `limit` is not positive.
        """
        ...

    def reach(self, seeds: Mapping[int, float], how: Spread) -> list[Scored]:
        """Return the nodes within `how.hops` of the seeds, seeds included, by decayed strength.

        A node's score is the best product of its path: the seed's weight, and for each step the
        edge's weight times the decay.

        Raises:
            UsageError: a seed's weight is not a positive number, or `how` is out of range.
        """
        ...

    def spread(self, seeds: Mapping[int, float], how: Spread) -> list[Scored]:
        """Return the personalised PageRank of the subgraph around the seeds.

        Raises:
            UsageError: as for `reach`.
        """
        ...

    def path(
        self,
        start: int,
        goals: Sequence[int],
        *,
        types: Sequence[EdgeType] = (),
        longest: int = 6,
        layer: GraphLayer = GraphLayer.FULL,
    ) -> list[Neighbour] | None:
        """Return the shortest way from a node to any of the goals, step by step; None if none.

        Raises:
            UsageError: `longest` is not positive.
        """
        ...

    def stats(self) -> GraphStats:
        """Return the graph in figures.

        Raises:
            AdapterError: never for an index in memory; here for those that are elsewhere.
        """
        ...

    def save(self, folder: Path) -> None:
        """Write the present state into an empty folder, while others go on reading and writing.

        Raises:
            AdapterError: the disk is full or failed; the folder may hold parts.
        """
        ...

    def load(self, folder: Path) -> None:
        """Replace the present state by a saved one.

        Raises:
            AdapterError: code `corrupt`; the files are not what `save` writes. The state is kept.
        """
        ...
