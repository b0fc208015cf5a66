"""The graph index in numpy (R3). Implements `ports.graph_index.GraphIndex`.

Few changes are applied at once, many are set aside and sorted in before the next query, so loading
a graph in many pieces sorts it once. Saving works on a copy of the changes while others go on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import numpy as np

from smartbrain.adapters.graph import records as form
from smartbrain.adapters.graph.graph import Graph
from smartbrain.adapters.graph.paths import shortest
from smartbrain.adapters.graph.rows import Rows, damage_shown
from smartbrain.adapters.graph.walk import Ground, Places, reach, spread
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
from smartbrain.ports.graph_index import check_count, check_edge, check_seeds

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
        """Remove edges by number, then add or replace others."""
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
        """Return the nodes beside one, the strongest edge first."""
        check_count(limit, "limit")
        with self._reading() as graph:
            if not 0 <= node < graph.nodes:
                return []
            where, slots = graph.beside(np.array([node]), form.admitted(types, layer), limit)
            return [form.neighbour(slot) for slot in slots[form.strongest(slots, where)]]

    def reach(self, seeds: Mapping[int, float], how: Spread) -> list[Scored]:
        """Return the nodes within some hops of the seeds by decayed strength."""
        return self._walk(reach, seeds, how)

    def spread(self, seeds: Mapping[int, float], how: Spread) -> list[Scored]:
        """Return the personalised PageRank of the subgraph around the seeds."""
        return self._walk(spread, seeds, how)

    def path(
        self,
        start: int,
        goals: Sequence[int],
        *,
        types: Sequence[EdgeType] = (),
        longest: int = 6,
        layer: GraphLayer = GraphLayer.FULL,
    ) -> list[Neighbour] | None:
        """Return the shortest way from a node to any of the goals."""
        check_count(longest, "longest")
        if start in goals:
            return []
        admitted = form.admitted(types, layer)
        with self._reading() as graph:
            known = [node for node in goals if 0 <= node < graph.nodes]
            if not 0 <= start < graph.nodes:
                return None
            most = len(graph.rows.slots) + 2 * graph.waiting
            way = shortest(
                start,
                np.array(known, np.int64),
                longest,
                lambda nodes: graph.beside(nodes, admitted, most)[1],
            )
            return None if way is None else [form.neighbour(slot) for slot in way]

    def stats(self) -> GraphStats:
        """Return the graph in figures."""
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
        """Sort the changes in, write the rows into an empty folder, and go on from them."""
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
        """Replace the present state by a saved one."""
        rows = Rows.load(folder)
        with self._lock:
            self._replace(rows)

    def _replace(self, rows: Rows) -> None:
        """Start afresh from rows."""
        self._graph = Graph(rows)
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
            self._graph = Graph(graph.rows)
            return
        for change in changes:
            graph.put(change)

    @contextmanager
    def _reading(self) -> Iterator[Graph]:
        """Hold the graph still, with nothing aside."""
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
