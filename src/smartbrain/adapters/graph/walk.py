"""Spreading: from weighted seeds over the strongest edges, as best way or as PageRank (R3).

In: seeds, how to spread, and the graph. Out: scored nodes, best first, ties by the lower number.
Nothing depends on the order of edges: maxima and sums of whole units are the same whichever comes
first, so an answer is the same to the last digit wherever an edge is kept.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Final, NamedTuple

import numpy as np

from smartbrain.adapters.graph.graph import Graph, Totals
from smartbrain.adapters.graph.records import KIND, NODE, WEIGHT, Floats, Ints
from smartbrain.domain.graph_search import ACTIVATION_UNITS, WEIGHT_UNITS, Spread
from smartbrain.domain.search import Scored


class Links(NamedTuple):
    """Edges to follow: the index of the node they leave, where they lead, weight in units."""

    where: Ints
    node: Ints
    weight: Floats


class Ground:
    """The graph as one walk sees it: how much each kind of edge counts, and how many of a node."""

    def __init__(self, graph: Graph, gains: Floats, cap: int) -> None:
        self._graph, self._gains, self._cap = graph, gains, cap

    def follow(self, nodes: Ints) -> Links:
        """Return the edges to follow from nodes: those along which something arrives."""
        where, slots = self._graph.beside(nodes, self._gains > 0, self._cap)
        weight = np.rint(slots[:, WEIGHT] * self._gains.take(slots[:, KIND]))
        node = slots[:, NODE].astype(np.int64)
        if weight.all():
            return Links(where, node, weight)
        carrying = np.flatnonzero(weight)
        return Links(where[carrying], node[carrying], weight[carrying])

    def totals(self) -> Totals:
        """Return what all edges beside a node weigh, those that are not followed too."""
        return self._graph.totals(self._gains)


class Places:
    """Where a node stands in the subgraph of a walk: one table for all nodes, used again."""

    def __init__(self) -> None:
        self._table = np.zeros(0, np.int32)
        self._names: list[Ints] = []
        self.count = 0

    def room(self, nodes: int) -> Places:
        """Make room for nodes with numbers below `nodes`."""
        if nodes > len(self._table):
            self._table = np.full(nodes + nodes // 8, -1, np.int32)
        return self

    def __enter__(self) -> Places:
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is not None:
            self._table.fill(-1)
        for names in self._names:
            self._table[names] = -1
        self._names, self.count = [], 0

    def enter(self, nodes: Ints) -> tuple[Ints, Ints]:
        """Give the next places to the nodes that have none.

        Returns:
            Those that had none, each once, in the order of their places; and the places of all.
        """
        places = self._table.take(nodes)
        fresh = np.flatnonzero(places < 0)
        new = nodes.take(fresh)
        # Of equal nodes the last one to write its index stays; it stands for all of them.
        index = np.arange(len(new), dtype=np.int32)
        self._table[new] = index
        chosen = self._table.take(new)
        first = chosen == index
        numbers = np.cumsum(first, dtype=np.int32) + np.int32(self.count - 1)
        places[fresh] = numbers.take(chosen)
        new = new[first]
        self._table[new] = numbers[first]
        self._names.append(new)
        self.count += len(new)
        return new, places.astype(np.int64)

    def names(self) -> Ints:
        """Return the node at each place."""
        return np.concatenate(self._names)


def reach(seeds: Mapping[int, float], how: Spread, ground: Ground, places: Places) -> list[Scored]:
    """Return the nodes within some hops, each with the best product of a way to it."""
    names = np.array([*seeds], np.int64)
    scores = np.array([*seeds.values()], np.float64)
    with places:
        _, better = places.enter(names)
        for _ in range(how.hops):
            links = ground.follow(names[better])
            gained = scores[better][links.where] * (links.weight / WEIGHT_UNITS * how.decay)
            _, reached = places.enter(links.node)
            names = places.names()
            before = np.concatenate([scores, np.zeros(len(names) - len(scores))])
            scores = before.copy()
            np.maximum.at(scores, reached, gained)
            better = np.flatnonzero(scores > before)
    return _best(names, scores, how.limit)


def spread(seeds: Mapping[int, float], how: Spread, ground: Ground, places: Places) -> list[Scored]:
    """Return the personalised PageRank of the subgraph within some hops of the seeds."""
    nodes = np.array([*seeds], np.int64)
    start = _shares([*seeds.values()])
    if how.hops == 0:
        return _best(nodes, start / ACTIVATION_UNITS, how.limit)
    sources, targets, weights = [], [], []
    with places:
        frontier, _ = places.enter(nodes)
        for _ in range(how.hops):
            links = ground.follow(frontier)
            sources.append(links.where + (places.count - len(frontier)))
            frontier, reached = places.enter(links.node)
            targets.append(reached)
            weights.append(links.weight)
        names = places.names()
    back = np.flatnonzero(targets[-1] >= len(names) - len(frontier))
    flow = _Flow(
        np.concatenate([*sources, targets[-1][back]]),
        np.concatenate([*targets, sources[-1][back]]),
        np.concatenate([*weights, weights[-1][back]]),
    )
    totals = ground.totals()
    sums = _Sums(totals.of(names), totals.whole)
    rank = _rank(start, flow, len(sources[0]), sums, how)
    return _best(names, rank / ACTIVATION_UNITS, how.limit)


class _Flow(NamedTuple):
    """The links of a subgraph by place."""

    source: Ints
    target: Ints
    weight: Floats

    def first(self, count: int) -> _Flow:
        """Return the first so many of them."""
        return _Flow(self.source[:count], self.target[:count], self.weight[:count])


class _Sums(NamedTuple):
    """What the edges of each place weigh together, and those of all nodes."""

    total: Ints
    whole: int


def _shares(weights: list[float]) -> Floats:
    """Return how seeds share the whole activation."""
    largest = max(weights)
    total = math.fsum(weight / largest for weight in weights)
    return np.rint(np.array(weights) / largest / total * ACTIVATION_UNITS)


def _rank(start: Floats, flow: _Flow, of_seeds: int, sums: _Sums, how: Spread) -> Floats:
    """Run the rounds of PageRank, with everything outside of the subgraph as one more node.

    What the edges of a node weigh beyond its links leads out to that node, and back from there.
    The seeds have the first places; `start` is theirs alone, and so are the first links.
    """
    going = 1.0 - how.restart
    total = sums.total.astype(np.float64)
    unseen: Floats = total - np.bincount(flow.source, flow.weight, minlength=len(total))
    leaving = int(unseen.sum())
    outer = max(sums.whole - int(total.sum()), leaving, 1)
    pace = going / np.maximum(total, 1)
    staying = (outer - leaving) / outer * going
    rank: Floats = np.zeros(len(total))
    rank[: len(start)] = start
    outside = 0.0
    links = flow.first(of_seeds)  # nobody else has anything to give yet
    carried = np.empty_like(flow.weight)
    for _ in range(how.rounds):
        paced = rank * pace
        moving = carried[: len(links.weight)]
        np.take(paced, links.source, out=moving, mode="clip")
        np.multiply(moving, links.weight, out=moving)
        np.rint(moving, out=moving)
        moved = np.bincount(links.target, weights=moving, minlength=len(total))
        rank = np.rint(unseen * (outside / outer * going)) + moved
        outside = np.rint(paced * unseen).sum() + np.rint(outside * staying)
        home = ACTIVATION_UNITS - rank.sum() - outside
        rank[: len(start)] += np.rint(start * (home / ACTIVATION_UNITS))
        links = flow
    return rank


def _best(nodes: Ints, scores: Floats, limit: int) -> list[Scored]:
    """Return the best nodes in order, ties by the lower number, none without a score."""
    least = 0.0
    if len(scores) > limit:
        least = float(np.partition(scores, len(scores) - limit)[len(scores) - limit])
    keep = np.flatnonzero(scores >= least if least > 0 else scores > 0)
    order = keep[np.lexsort((nodes[keep], -scores[keep]))[:limit]]
    return [*map(_scored, zip(nodes[order].tolist(), scores[order].tolist(), strict=True))]


_scored: Final = partial(tuple.__new__, Scored)  # a hundred at a time
