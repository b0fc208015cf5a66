"""What the graph index takes and gives: edges by number, layers, how to spread, what it measures.

Nodes and edges are named by their numbers here; the truth knows their ids. A walk treats an edge as
a relation between both its ends; `outgoing` says which way it was said. Weights and activation are
counted in whole units, so that a sum never depends on the order in which it was added up.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntFlag
from typing import Final, NamedTuple

from msgspec import field

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.record import Record

HIGHEST_NUM: Final = 2**31 - 2
"""The highest number that a node or an edge of the index may have."""

WEIGHT_UNITS: Final = 1_000_000
"""Units in a weight of 1: an index keeps weights to six decimals."""

MOST_UNITS: Final = 2**32 - 1
"""The largest weight that is kept; a larger one counts as this."""

ACTIVATION_UNITS: Final = 2**50
"""Units in an activation of 1, which all seeds share."""


class GraphLayer(IntFlag):
    """Which picture of the graph an edge belongs to (J6).

    FULL holds every edge as it was said, ONLINE those that recall may walk, CONCEPTS the stored
    sums between concepts.
    """

    FULL = 1
    ONLINE = 2
    CONCEPTS = 4


class GraphEdge(NamedTuple):
    """An edge as the index holds it.

    A weight of zero or less is kept as zero: the edge is listed and lies on paths, but nothing
    spreads along it. An edge from a node to itself stands beside that node once.
    """

    num: int
    src: int
    dst: int
    type: EdgeType
    weight: float
    layers: GraphLayer = GraphLayer.FULL | GraphLayer.ONLINE


class Neighbour(NamedTuple):
    """A node beside another, by which edge, and whether that edge points to it."""

    node: int
    edge: int
    type: EdgeType
    weight: float
    outgoing: bool


class Spread(Record, frozen=True, kw_only=True):
    """How far and how strongly activation spreads from the seeds (R3).

    `type_weights` multiplies an edge's weight by its type; a type that is not named counts
    `other_weight`, and one that counts nothing is not followed. Of each node only the `degree_cap`
    strongest of the edges that may be followed are, by their own weight. `decay` is taken off at
    each step of `reach`; `restart` and `rounds` belong to `spread`.
    """

    hops: int = 2
    degree_cap: int = 50
    types: tuple[EdgeType, ...] = ()
    type_weights: Mapping[EdgeType, float] = field(default_factory=dict)
    other_weight: float = 0.5
    layer: GraphLayer = GraphLayer.ONLINE
    decay: float = 0.5
    restart: float = 0.15
    rounds: int = 6
    limit: int = 200

    def multipliers(self) -> dict[EdgeType, float]:
        """Return what each type that may be followed multiplies a weight by."""
        counted = {
            kind: self.type_weights.get(kind, self.other_weight) for kind in self.types or EdgeType
        }
        return {kind: factor for kind, factor in counted.items() if factor > 0}


class GraphStats(Record, frozen=True, kw_only=True):
    """The graph in figures.

    `nodes` are those with an edge, a degree counts the edges beside a node, `density` is edges a
    node. `waiting` changes have not been sorted in yet; `bytes` is what the sorted ones take.
    """

    nodes: int = 0
    edges: int = 0
    average_degree: float = 0.0
    largest_degree: int = 0
    density: float = 0.0
    by_type: Mapping[str, int] = field(default_factory=dict)
    by_layer: Mapping[str, int] = field(default_factory=dict)
    waiting: int = 0
    bytes: int = 0


def weight_units(weight: float) -> int:
    """Return a finite weight in the whole units that an index keeps."""
    return round(min(max(weight * WEIGHT_UNITS, 0.0), float(MOST_UNITS)))
