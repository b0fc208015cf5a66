"""The graph index in numpy (R3). Implements `ports.graph_index.GraphIndex`.

Few changes are applied at once, many are set aside and sorted in before the next query, so loading
a graph in many pieces sorts it once. Saving works on a copy of the changes while others go on.
Spreading depends on no order of edges: maxima and sums of whole units are the same whichever comes
first.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np

from smartbrain.adapters.graph import rows as form
from smartbrain.adapters.graph.rows import (
    KIND,
    NODE,
    WEIGHT,
    DeltaGraph,
    Floats,
    Ints,
    Rows,
    Totals,
    damage_shown,
)
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.graph_search import (
    ACTIVATION_UNITS,
    HIGHEST_NUM,
    WEIGHT_UNITS,
    GraphEdge,
    GraphLayer,
    GraphStats,
    Neighbour,
    Spread,
)
from smartbrain.domain.search import Scored
from smartbrain.ports.graph_index import check_count, check_edge, check_seeds


class Links(NamedTuple):
    """Edges to follow: the index of the node they leave, where they lead, weight in units."""

    where: Ints
    node: Ints
    weight: Floats


class Ground:
    """The graph as one walk sees it: how much each kind of edge counts, and how many of a node."""

    def __init__(self, graph: DeltaGraph, gains: Floats, cap: int) -> None:
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
        """Give places to the nodes that have none; return these in order, and the places of all."""
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
    rank = _rank(start, flow, len(sources[0]), totals.of(names), totals.whole, how)
    return _best(names, rank / ACTIVATION_UNITS, how.limit)


class _Flow(NamedTuple):
    source: Ints
    target: Ints
    weight: Floats


def _shares(weights: list[float]) -> Floats:
    largest = max(weights)
    total = math.fsum(weight / largest for weight in weights)
    return np.rint(np.array(weights) / largest / total * ACTIVATION_UNITS)


def _rank(
    start: Floats, flow: _Flow, of_seeds: int, totals: Ints, whole: int, how: Spread
) -> Floats:
    """Run the rounds of PageRank, with everything outside of the subgraph as one more node.

    What the edges of a node weigh beyond its links leads out to that node, and back from there:
    `totals` is what those of each place weigh together, `whole` those of all nodes.
    The seeds have the first places; `start` is theirs alone, and so are the first links.
    """
    going = 1.0 - how.restart
    total = totals.astype(np.float64)
    unseen: Floats = total - np.bincount(flow.source, flow.weight, minlength=len(total))
    leaving = int(unseen.sum())
    outer = max(whole - int(total.sum()), leaving, 1)
    pace = going / np.maximum(total, 1)
    staying = (outer - leaving) / outer * going
    rank: Floats = np.zeros(len(total))
    rank[: len(start)] = start
    outside = 0.0
    source, target, weight = flow
    # Nobody but the seeds has anything to give yet.
    links = _Flow(source[:of_seeds], target[:of_seeds], weight[:of_seeds])
    carried = np.empty_like(weight)
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
    least = 0.0
    if len(scores) > limit:
        least = float(np.partition(scores, len(scores) - limit)[len(scores) - limit])
    keep = np.flatnonzero(scores >= least if least > 0 else scores > 0)
    order = keep[np.lexsort((nodes[keep], -scores[keep]))[:limit]]
    return [*map(_scored, zip(nodes[order].tolist(), scores[order].tolist(), strict=True))]


_scored: Final = partial(tuple.__new__, Scored)  # a hundred at a time


_LEAST_CHANGES: Final = 2_000
_CHANGED_SHARE: Final = 0.01

_Walk = Callable[[Mapping[int, float], Spread, Ground, Places], list[Scored]]


class NumpyGraph:
    """The edges of one tenant in memory.

    Any method may be called from any thread. Walks, questions and changes take turns and see whole
    changes only; `save` and `load` do their work on files beside them and hold them up only to
    copy a few changes or to swap the rows. Two saves wait for each other.
    """

    def __init__(self, *, least_changes: int = _LEAST_CHANGES) -> None:
        """Start empty; `least_changes` may wait beside the rows however small these are."""
        self._least_changes = least_changes
        self._lock = threading.Lock()
        self._saving = threading.Lock()
        self._places = Places()
        self._since_save: list[Sequence[form.Held]] | None = None
        self._replace(Rows.empty())

    def update(self, edges: Sequence[GraphEdge], removed: Sequence[int] = ()) -> None:
        for edge in edges:
            check_edge(edge)
        changes = [form.Held(num) for num in removed if 0 <= num <= HIGHEST_NUM]
        changes += map(form.held, edges)
        with self._lock, damage_shown():
            if self._since_save is not None:
                self._since_save.append(changes)
            self._put(changes)

    def neighbours(
        self,
        node: int,
        *,
        types: Sequence[EdgeType] = (),
        layer: GraphLayer = GraphLayer.ONLINE,
        limit: int = 50,
    ) -> list[Neighbour]:
        check_count(limit, "limit")
        with self._reading() as graph:
            if not 0 <= node < graph.nodes:
                return []
            where, slots = graph.beside(np.array([node]), form.admitted(types, layer), limit)
            return [form.neighbour(slot) for slot in slots[form.strongest(slots, where)]]

    def reach(self, seeds: Mapping[int, float], how: Spread) -> list[Scored]:
        return self._walk(reach, seeds, how)

    def spread(self, seeds: Mapping[int, float], how: Spread) -> list[Scored]:
        return self._walk(spread, seeds, how)

    def stats(self) -> GraphStats:
        with self._reading() as graph:
            rows, waiting, room = graph.rows, graph.waiting, graph.nodes
            changes = [*graph.tally()]
        numbers = np.array([(*edge, sign) for edge, sign in changes], np.int64)
        _, src, dst, _, kind, sign = numbers.reshape(-1, 6).T
        kinds = rows.kinds.copy()
        np.add.at(kinds, kind, sign)
        degrees = np.zeros(room, np.int64)
        degrees[: rows.nodes] = np.diff(rows.start)
        np.add.at(degrees, src, sign)
        np.add.at(degrees, dst, np.where(src == dst, 0, sign))
        nodes, edges = int(np.count_nonzero(degrees)), int(kinds.sum())
        return GraphStats(
            nodes=nodes,
            edges=edges,
            average_degree=int(degrees.sum()) / nodes if nodes else 0.0,
            largest_degree=int(degrees.max(initial=0)),
            density=edges / nodes if nodes else 0.0,
            by_type=form.by_type(kinds),
            by_layer=form.by_layer(kinds),
            waiting=waiting,
            bytes=rows.bytes,
        )

    def save(self, folder: Path | None) -> None:
        since: list[Sequence[form.Held]] = []
        with self._saving:
            with self._lock:
                rows, aside, changes = self._graph.rows, [*self._aside], self._graph.changes()
                self._since_save = since
            try:
                new = rows
                if aside or changes:
                    with damage_shown():
                        new = rows.changed([*aside, form.columns(changes)])
                if folder is not None:
                    new.save(folder)
                if new is not rows:
                    self._go_on(rows, new, since)
            finally:
                with self._lock:
                    self._since_save = None

    def load(self, folder: Path) -> None:
        rows = Rows.load(folder)
        with self._lock:
            self._replace(rows)

    def _replace(self, rows: Rows) -> None:
        self._graph = DeltaGraph(rows)
        self._aside: list[form.Edges] = []

    def _go_on(self, old: Rows, new: Rows, since: Sequence[Sequence[form.Held]]) -> None:
        """Put new rows in the place of old ones, with the changes that came since."""
        with self._lock:
            if self._graph.rows is old:
                before, counted = self._graph, not self._aside
                self._replace(new)
                for changes in since:
                    self._put(changes)
                if counted:
                    self._graph.inherit(before)

    def _put(self, changes: Sequence[form.Held]) -> None:
        """Apply changes if few are waiting then, else leave all to be sorted in before a query."""
        graph = self._graph
        few = max(self._least_changes, _CHANGED_SHARE * len(graph.rows.place))
        if self._aside or graph.waiting + len(changes) > few:
            self._aside.append(form.columns([*graph.changes(), *changes]))
            self._graph = DeltaGraph(graph.rows)
            return
        for change in changes:
            graph.put(change)

    @contextmanager
    def _reading(self) -> Iterator[DeltaGraph]:
        with self._lock, damage_shown():
            if self._aside:
                self._replace(self._graph.rows.changed(self._aside))
            yield self._graph

    def _walk(self, walk: _Walk, seeds: Mapping[int, float], how: Spread) -> list[Scored]:
        """Walk from seeds; those that the graph does not know are numbered behind all others."""
        check_seeds(seeds, how)
        if not seeds:
            return []
        gains = form.gains_of(
            how.types, tuple(how.type_weights.items()), how.other_weight, how.layer
        )
        with self._reading() as graph:
            known = graph.nodes
            strangers = sorted(node for node in seeds if node >= known)
            numbered = {node: weight for node, weight in seeds.items() if node < known}
            numbered |= {known + place: seeds[node] for place, node in enumerate(strangers)}
            ground = Ground(graph, gains, how.degree_cap)
            found = walk(numbered, how, ground, self._places.room(known + len(strangers)))
        return [
            one if one.num < known else Scored(strangers[one.num - known], one.score)
            for one in found
        ]
