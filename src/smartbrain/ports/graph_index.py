"""The graph index: who is beside whom, and how far activation spreads.

In: edges by number. Out: neighbours, reached nodes with scores, paths. A view of the truth: it
holds no text and can be rebuilt at any time. An answer depends on the edges alone, never on the
order in which they came or on what was removed in between: best first, ties by the lower number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.graph_search import (
    HIGHEST_NUM,
    GraphEdge,
    GraphLayer,
    GraphStats,
    Neighbour,
    Spread,
)
from smartbrain.domain.search import Scored
from smartbrain.errors import UsageError

MOST_HOPS: Final = 6
"""The farthest that a spread may go."""

MOST_ROUNDS: Final = 1_000
"""The most rounds of a spread; a few dozen settle any graph."""

HEAVIEST_SEED: Final = 1e9
"""The largest weight of a seed."""

_TYPES: Final = frozenset(EdgeType)
_ALL_LAYERS: Final = GraphLayer.FULL | GraphLayer.ONLINE | GraphLayer.CONCEPTS


class GraphIndex(Protocol):
    """The edges of one tenant. Safe to use from many threads.

    An answer sees every change that returned before it was asked for, and whole changes only.
    Memory grows with the highest numbers, so they should be dense, as the truth gives them. A state
    that was loaded from damaged files may show it late: any call then raises AdapterError with code
    `corrupt`.
    """

    def update(self, edges: Sequence[GraphEdge], removed: Sequence[int] = ()) -> None:
        """Remove edges by number, then add others or replace those of the same number.

        Of edges with the same number the last one stays. A number that is not there is ignored.
        """

    def neighbours(
        self,
        node: int,
        *,
        types: Sequence[EdgeType] = (),
        layer: GraphLayer = GraphLayer.ONLINE,
        limit: int = 50,
    ) -> list[Neighbour]:
        """Return the nodes beside one, the strongest edge first; an unknown node has none."""

    def reach(self, seeds: Mapping[int, float], how: Spread) -> list[Scored]:
        """Return the nodes within `how.hops` of the seeds, seeds included, by decayed strength.

        A node's score is the best product of a way to it: the seed's weight, and for each step the
        edge's weight times what its type counts times the decay.
        """

    def spread(self, seeds: Mapping[int, float], how: Spread) -> list[Scored]:
        """Return the personalised PageRank of the subgraph within `how.hops` of the seeds.

        A node at the rim gives back along the edges that led to it. Everything outside of the
        subgraph is taken together as one more node, to which the edges lead that are not followed
        and from which they lead back. Activation that has nowhere to go returns to the seeds, and
        nodes that none reaches are left out. The first call that counts types or layers in a new
        way weighs all edges; the next ones take as long for a large graph as for a small one.
        """

    def stats(self) -> GraphStats:
        """Return the graph in figures."""

    def save(self, folder: Path | None) -> None:
        """Write the present state into an empty folder, while others go on reading and writing.

        What waits is sorted in on the way, so that no later query has to do it; without a folder
        only this is done, for tenants that may not write plain files. Changes that come meanwhile
        are not in the files and not lost. Whether the files reach the disk, and are whole when
        read again, is the caller's to see to.
        """

    def load(self, folder: Path) -> None:
        """Replace the present state by a saved one, while others go on with the present one.

        The files must stay as they are from then on, though the folder may be removed. Others than
        `save` writes are `corrupt`, and the state is kept.
        """


def check_edge(edge: GraphEdge) -> None:
    """Refuse an edge that no index can hold."""
    numbers = (edge.num, edge.src, edge.dst)
    if not math.isfinite(edge.weight):
        raise UsageError(f"edge {edge.num}: {edge.weight!r} is no weight", code="bad_value")
    if min(numbers) < 0 or max(numbers) > HIGHEST_NUM:
        raise UsageError(
            f"edge {edge.num}: numbers go from 0 to {HIGHEST_NUM}, not {numbers}", code="bad_value"
        )
    if edge.type not in _TYPES or not 0 <= edge.layers <= _ALL_LAYERS:
        raise UsageError(
            f"edge {edge.num}: {edge.type!r} is no type or {edge.layers!r} are no layers",
            code="bad_value",
        )


def check_seeds(seeds: Mapping[int, float], how: Spread) -> None:
    """Refuse seeds and settings that have no meaning."""
    for node, weight in seeds.items():
        if not (0 <= node <= HIGHEST_NUM and 0 < weight <= HEAVIEST_SEED):
            raise UsageError(
                f"seed {node} weighs {weight!r}; it must be a node's number and a positive weight"
            )
    check_count(how.degree_cap, "degree_cap")
    check_count(how.limit, "limit")
    if not 1 <= how.rounds <= MOST_ROUNDS:
        raise UsageError(f"rounds is {how.rounds}; it must be 1 to {MOST_ROUNDS}")
    if not 0 <= how.hops <= MOST_HOPS:
        raise UsageError(f"hops is {how.hops}; it must be 0 to {MOST_HOPS}")
    if not (0 < how.restart < 1 and 0 < how.decay <= 1):
        raise UsageError("restart and decay must be above 0 and at most 1, restart below 1")
    if not all(0 <= factor <= 1 for factor in (*how.type_weights.values(), how.other_weight)):
        raise UsageError("a type counts between 0 and 1")


def check_folder(folder: Path) -> None:
    """Refuse to save but in an empty folder: saved files may be in use and never change."""
    if not folder.is_dir() or any(folder.iterdir()):
        raise UsageError(f"{folder} is no empty folder; make one to save the graph in")


def check_count(value: int, name: str) -> None:
    """Refuse a count below one."""
    if value < 1:
        raise UsageError(f"{name} is {value}; it must be at least 1")
