"""What the graph index takes and gives: edges by number, layers, how to spread, what it measures.

Nodes and edges are named by their numbers here; the truth knows their ids. Traversal treats an edge
as a relation between both its ends; `outgoing` says which way it was said.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntFlag
from typing import NamedTuple

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.record import Record


class GraphLayer(IntFlag):
    """Which picture of the graph an edge belongs to (J6).

    FULL holds every edge as it was said, ONLINE those that recall may walk, CONCEPTS the stored
    sums between concepts.
    """

    FULL = 1
    ONLINE = 2
    CONCEPTS = 4


class GraphEdge(NamedTuple):
    """An edge as the index holds it."""

    num: int
    src: int
    dst: int
    type: EdgeType
    weight: float
    layers: GraphLayer = GraphLayer.FULL | GraphLayer.ONLINE


class Neighbour(NamedTuple):
    """A node beside another, by which edge, and which way that edge points."""

    node: int
    edge: int
    type: EdgeType
    weight: float
    outgoing: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread(Record):
    """How far and how strongly activation spreads from the seeds (R3).

    `type_weights` multiplies an edge's weight by its type; a type that is not named counts
    `other_weight`. Of each node only the `degree_cap` strongest edges are followed.
    """

    hops: int = 2
    degree_cap: int = 50
    types: tuple[EdgeType, ...] = ()
    type_weights: Mapping[EdgeType, float] = field(default_factory=dict)
    other_weight: float = 0.5
    layer: GraphLayer = GraphLayer.ONLINE
    decay: float = 0.5
    restart: float = 0.15
    rounds: int = 12
    limit: int = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class GraphStats(Record):
    """The graph in figures; `average_degree` counts both ends of an edge."""

    nodes: int = 0
    edges: int = 0
    average_degree: float = 0.0
    largest_degree: int = 0
    density: float = 0.0
    by_type: Mapping[str, int] = field(default_factory=dict)
    waiting: int = 0
    bytes: int = 0
