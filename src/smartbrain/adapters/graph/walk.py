"""Spreading: from weighted seeds over the strongest edges, as best path or as PageRank (R3).

In: seeds, how to spread, and a function that returns the edges of many nodes at once. Out: scored
nodes, best first, ties by the lower number. Nothing here knows how edges are stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from smartbrain.adapters.graph.rows import TYPES, Array, Floats, Ints, strength
from smartbrain.domain.graph_search import Spread
from smartbrain.domain.search import Scored


class Step(NamedTuple):
    """Edges that leave some nodes: whose edge, where it leads, which edge, how strong."""

    where: Ints
    node: Array
    edge: Array
    type: Array
    weight: Array
    outgoing: Array

    @classmethod
    def of(cls, entries: list[tuple[int, int, int, int, float, bool]]) -> Step:
        """Build a step from entries."""
        where, node, edge, kind, weight, outgoing = zip(*entries, strict=True)
        return cls(
            np.array(where, np.int64),
            np.array(node, np.int32),
            np.array(edge, np.int32),
            np.array(kind, np.uint8),
            np.array(weight, np.float32),
            np.array(outgoing, np.bool_),
        )

    def entries(self) -> Iterator[tuple[int, int, int, int, float, bool]]:
        """Yield the edges one by one."""
        return zip(*(column.tolist() for column in self), strict=True)

    def merged(self, other: Step) -> Step:
        """Return both in one order: by node, then strongest first, ties by edge number."""
        both = [np.concatenate([mine, its]) for mine, its in zip(self, other, strict=True)]
        order = np.lexsort((both[2], strength(both[4]), both[0]))
        return Step(*(column[order] for column in both))

    def capped(self, cap: int) -> Step:
        """Return at most `cap` edges a node; the order is already strongest first."""
        counts = np.bincount(self.where) if len(self.where) else np.zeros(0, np.int64)
        if not len(counts) or counts.max() <= cap:
            return self
        rank = np.arange(len(self.where)) - np.repeat(np.cumsum(counts) - counts, counts)
        keep = rank < cap
        return Step(*(column[keep] for column in self))


Follow = Callable[[Ints], Step]
"""Returns the edges to follow from nodes."""


def type_weights(how: Spread) -> Floats:
    """Return the multiplier of each edge type by its code."""
    return np.array([how.type_weights.get(kind, how.other_weight) for kind in TYPES], np.float64)


def reach(seeds: Mapping[int, float], how: Spread, follow: Follow) -> list[Scored]:
    """Return the nodes within some hops, each with the best product of a path to it."""
    scores = dict(seeds)
    by_type = type_weights(how)
    frontier = sorted(seeds)
    for _ in range(how.hops):
        if not frontier:
            break
        nodes = np.array(frontier, np.int64)
        step = follow(nodes)
        carried = np.array([scores[node] for node in frontier])[step.where]
        gained = carried * step.weight.astype(np.float64) * by_type[step.type] * how.decay
        better: dict[int, float] = {}
        for node, score in zip(step.node.tolist(), gained.tolist(), strict=True):
            if score > scores.get(node, 0.0):
                scores[node] = better[node] = score
        frontier = sorted(better)
    return _best(np.array(list(scores), np.int64), np.array(list(scores.values())), how.limit)


class Places:
    """Where a node stands in the subgraph of a walk: one array for all nodes, used again."""

    def __init__(self) -> None:
        self._place = np.full(1024, -1, np.int64)
        self._names: list[Ints] = []
        self._count = 0

    def __enter__(self) -> Places:
        return self

    def __exit__(self, *_: object) -> None:
        for names in self._names:
            self._place[names] = -1
        self._names, self._count = [], 0

    def enter(self, nodes: Ints) -> Ints:
        """Give a place to every node that has none, and return those, each once, in order."""
        highest = int(nodes.max()) if len(nodes) else 0
        if highest >= len(self._place):
            grown = np.full(max(highest + 1, 2 * len(self._place)), -1, np.int64)
            grown[: len(self._place)] = self._place
            self._place = grown
        new = nodes[self._place[nodes] < 0]
        # Of equal nodes the last one to write its index stays; it stands for all of them.
        index = np.arange(len(new))
        self._place[new] = index
        new = new[self._place[new] == index]
        self._place[new] = self._count + np.arange(len(new))
        self._names.append(new)
        self._count += len(new)
        return new

    def of(self, nodes: Ints) -> Ints:
        """Return the places of nodes that have one."""
        return self._place[nodes]

    def names(self) -> Ints:
        """Return the node at each place."""
        return np.concatenate(self._names)


def spread(seeds: Mapping[int, float], how: Spread, follow: Follow, places: Places) -> list[Scored]:
    """Return the personalised PageRank of the subgraph within some hops of the seeds.

    A node on the rim gives back along the edges that led to it; what it would give elsewhere is
    out of sight and returns to the seeds.
    """
    if not seeds:
        return []
    by_type = type_weights(how)
    sources, targets, weights = [], [], []
    with places:
        frontier = places.enter(np.array(sorted(seeds), np.int64))
        start = np.array([seeds[node] for node in frontier.tolist()], np.float64)
        for _ in range(how.hops):
            step = follow(frontier)
            near, far = places.of(frontier), step.node.astype(np.int64)
            frontier = places.enter(far)
            sources.append(near[step.where])
            targets.append(places.of(far))
            weights.append(step.weight * by_type[step.type])
        names = places.names()
    start = np.concatenate([start / start.sum(), np.zeros(len(names) - len(start))])
    if not sources:
        return _best(names, start, how.limit)
    rim = len(names) - len(frontier)
    flow = _flow(np.concatenate(sources), np.concatenate(targets), np.concatenate(weights), rim)
    return _best(names, _rank(start, *flow, how), how.limit)


def _flow(sources: Ints, targets: Ints, weights: Floats, rim: int) -> tuple[Ints, Ints, Floats]:
    """Return the edges with the share of its source's rank that each carries."""
    back = targets >= rim
    sources, targets, weights = (
        np.concatenate([sources, targets[back]]),
        np.concatenate([targets, sources[back]]),
        np.concatenate([weights, weights[back]]),
    )
    total: Floats = np.bincount(sources, weights=weights)
    share = weights / np.where(total[sources] > 0, total[sources], 1.0)
    return sources, targets, share


def _rank(start: Floats, sources: Ints, targets: Ints, share: Floats, how: Spread) -> Floats:
    """Run the rounds of PageRank; rank that has nowhere to go returns to the seeds."""
    rank = start
    kept = share * (1.0 - how.restart)
    for _ in range(how.rounds):
        moved = np.bincount(targets, weights=rank[sources] * kept, minlength=len(start))
        rank = moved + (1.0 - moved.sum()) * start
    return rank


def _best(nodes: Ints, scores: Floats, limit: int) -> list[Scored]:
    """Return the best nodes in order, ties by the lower number."""
    if len(scores) > limit:
        edge = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        keep = scores >= edge
        nodes, scores = nodes[keep], scores[keep]
    order = np.lexsort((nodes, -scores))[:limit]
    return [
        Scored(int(node), float(score))
        for node, score in zip(nodes[order], scores[order], strict=True)
    ]
