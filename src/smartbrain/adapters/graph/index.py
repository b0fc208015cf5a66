"""The graph index over compressed rows and a delta (R3). Implements `ports.graph_index.GraphIndex`.

Edges that came since the rows were built wait in dictionaries; a query reads both and puts them
into one order, so an answer never depends on which edges are where. When the delta has grown, the
rows are built anew.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from smartbrain.adapters.graph.rows import CODES, OUTGOING, TYPES, Columns, Ints, Rows
from smartbrain.adapters.graph.walk import Places, Step, reach, spread
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.graph_search import GraphEdge, GraphLayer, GraphStats, Neighbour, Spread
from smartbrain.domain.search import Scored
from smartbrain.errors import UsageError
from smartbrain.ports.blobs import disk_error

_LEAST_DELTA: Final = 20_000
_DELTA_SHARE: Final = 0.05
_LOOK: Final = 4  # times the degree cap: how many edges of a node are looked at
_LOOK_TYPED: Final = 20  # the same where only some types are wanted


class NumpyGraph:
    """The edges of one tenant in memory."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._rows = Rows.empty()
        self._delta: dict[int, GraphEdge] = {}
        self._beside: dict[int, set[int]] = {}
        self._stale: set[int] = set()
        self._stale_sorted: Ints | None = None
        self._places = Places()

    def update(self, edges: Sequence[GraphEdge], removed: Sequence[int] = ()) -> None:
        """Add or replace edges, and remove others by number."""
        for edge in edges:
            if not math.isfinite(edge.weight) or min(edge.num, edge.src, edge.dst) < 0:
                raise UsageError(
                    f"edge {edge.num} has a weight or a number that no edge can have",
                    code="bad_value",
                )
        with self._lock:
            for num in (*removed, *(edge.num for edge in edges)):
                self._forget(num)
            for edge in edges:
                self._delta[edge.num] = edge
                self._beside.setdefault(edge.src, set()).add(edge.num)
                self._beside.setdefault(edge.dst, set()).add(edge.num)
            waiting = len(self._delta) + len(self._stale)
            if waiting > max(_LEAST_DELTA, _DELTA_SHARE * len(self._rows.node)):
                self._rebuild()

    def neighbours(
        self,
        node: int,
        *,
        types: Sequence[EdgeType] = (),
        layer: GraphLayer = GraphLayer.ONLINE,
        limit: int = 50,
    ) -> list[Neighbour]:
        """Return the nodes beside one, the strongest edge first."""
        _positive(limit, "limit")
        step = self._step(np.array([node], np.int64), types, layer, limit)
        return [
            Neighbour(int(far), int(edge), TYPES[code], float(weight), bool(out))
            for far, edge, code, weight, out in zip(
                step.node, step.edge, step.type, step.weight, step.outgoing, strict=True
            )
        ]

    def reach(self, seeds: Mapping[int, float], how: Spread) -> list[Scored]:
        """Return the nodes within some hops of the seeds by decayed strength."""
        _check(seeds, how)
        with self._lock:
            return reach(seeds, how, lambda nodes: self._followed(nodes, how))

    def spread(self, seeds: Mapping[int, float], how: Spread) -> list[Scored]:
        """Return the personalised PageRank of the subgraph around the seeds."""
        _check(seeds, how)
        with self._lock:
            return spread(seeds, how, lambda nodes: self._followed(nodes, how), self._places)

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
        _positive(longest, "longest")
        wanted = set(goals)
        if start in wanted:
            return []
        came: dict[int, tuple[int, Neighbour]] = {}
        frontier = [start]
        with self._lock:
            for _ in range(longest):
                step = self._step(np.array(frontier, np.int64), types, layer, None)
                frontier = _first_visits(step, frontier, start, came)
                found = sorted(wanted.intersection(frontier))
                if found:
                    return _walk_back(start, found[0], came)
                if not frontier:
                    return None
        return None

    def stats(self) -> GraphStats:
        """Return the graph in figures."""
        with self._lock:
            columns = self._columns()
            waiting, size = len(self._delta) + len(self._stale), self._rows.bytes
        edges = len(columns.num)
        degrees = np.bincount(np.concatenate([columns.src, columns.dst]))
        nodes = int(np.count_nonzero(degrees))
        counts = np.bincount(columns.type, minlength=len(TYPES))
        return GraphStats(
            nodes=nodes,
            edges=edges,
            average_degree=2 * edges / nodes if nodes else 0.0,
            largest_degree=int(degrees.max()) if len(degrees) else 0,
            density=edges / nodes if nodes else 0.0,
            by_type={
                kind.value: int(count) for kind, count in zip(TYPES, counts, strict=True) if count
            },
            waiting=waiting,
            bytes=size,
        )

    def save(self, folder: Path) -> None:
        """Write the present state into an empty folder."""
        with self._lock:
            settled = not (self._delta or self._stale)
            rows, columns = self._rows, None if settled else self._columns()
        try:
            (rows if columns is None else Rows.build(columns)).save(folder)
        except OSError as error:
            raise disk_error(error, f"save the graph in {folder}") from error

    def load(self, folder: Path) -> None:
        """Replace the present state by a saved one."""
        rows = Rows.load(folder)
        with self._lock:
            self._replace(rows)

    def _forget(self, num: int) -> None:
        """Take an edge out of the delta, or mark it as gone from the rows."""
        edge = self._delta.pop(num, None)
        if edge is None:
            self._stale.add(num)
            self._stale_sorted = None
            return
        for node in {edge.src, edge.dst}:
            self._beside[node].discard(num)
            if not self._beside[node]:
                del self._beside[node]

    def _rebuild(self) -> None:
        """Build the rows anew with everything that waits."""
        self._replace(Rows.build(self._columns()))

    def _replace(self, rows: Rows) -> None:
        """Start afresh from rows."""
        self._rows = rows
        self._delta, self._beside, self._stale = {}, {}, set()
        self._stale_sorted = None

    def _columns(self) -> Columns:
        """Return every living edge as columns, in the order of their numbers."""
        columns = self._rows.columns()
        if self._stale:
            alive = ~np.isin(columns.num, list(self._stale))
            columns = Columns(*(column[alive] for column in columns))
        if self._delta:
            added = _as_columns(list(self._delta.values()))
            columns = Columns(
                *(np.concatenate([old, new]) for old, new in zip(columns, added, strict=True))
            )
            order = np.argsort(columns.num, kind="stable")
            columns = Columns(*(column[order] for column in columns))
        return columns

    def _followed(self, nodes: Ints, how: Spread) -> Step:
        """Return the edges that spreading follows from some nodes."""
        return self._step(nodes, how.types, how.layer, how.degree_cap)

    def _step(
        self, nodes: Ints, types: Sequence[EdgeType], layer: GraphLayer, cap: int | None
    ) -> Step:
        """Return the edges of nodes that a filter admits, at most `cap` a node, strongest first."""
        rows = self._rows
        most = np.iinfo(np.int64).max if cap is None else cap * (_LOOK_TYPED if types else _LOOK)
        where, slot = rows.slots(nodes, most)
        keep = (rows.flags[slot] & layer) != 0
        if types:
            keep &= np.isin(rows.type[slot], [CODES[kind] for kind in types])
        if self._stale:
            keep &= ~np.isin(rows.edge[slot], self._stale_numbers())
        where, slot = where[keep], slot[keep]
        step = Step(
            where,
            rows.node[slot],
            rows.edge[slot],
            rows.type[slot],
            rows.weight[slot],
            (rows.flags[slot] & OUTGOING) != 0,
        )
        waiting = self._waiting(nodes, types, layer)
        if waiting is not None:
            step = step.merged(waiting)
        return step if cap is None else step.capped(cap)

    def _stale_numbers(self) -> Ints:
        """Return the numbers of edges that are gone from the rows."""
        if self._stale_sorted is None:
            self._stale_sorted = np.array(sorted(self._stale), np.int64)
        return self._stale_sorted

    def _waiting(self, nodes: Ints, types: Sequence[EdgeType], layer: GraphLayer) -> Step | None:
        """Return the edges of nodes that wait in the delta."""
        if not self._beside:
            return None
        found = []
        for place, node in enumerate(nodes.tolist()):
            for num in self._beside.get(node, ()):
                edge = self._delta[num]
                if edge.layers & layer and (not types or edge.type in types):
                    ends = ((edge.src, edge.dst, True), (edge.dst, edge.src, False))
                    found += [
                        (place, far, num, CODES[edge.type], edge.weight, out)
                        for near, far, out in ends
                        if near == node
                    ]
        return Step.of(found) if found else None


def _as_columns(edges: list[GraphEdge]) -> Columns:
    """Return edges as columns."""
    return Columns(
        np.array([edge.num for edge in edges], np.int32),
        np.array([edge.src for edge in edges], np.int32),
        np.array([edge.dst for edge in edges], np.int32),
        np.array([CODES[edge.type] for edge in edges], np.uint8),
        np.array([int(edge.layers) for edge in edges], np.uint8),
        np.array([edge.weight for edge in edges], np.float32),
    )


def _first_visits(
    step: Step, frontier: list[int], start: int, came: dict[int, tuple[int, Neighbour]]
) -> list[int]:
    """Note how each new node was reached first, and return the new nodes in order."""
    new = []
    for place, far, edge, code, weight, out in step.entries():
        if far != start and far not in came:
            came[far] = (frontier[place], Neighbour(far, edge, TYPES[code], weight, out))
            new.append(far)
    return sorted(new)


def _walk_back(start: int, goal: int, came: Mapping[int, tuple[int, Neighbour]]) -> list[Neighbour]:
    """Return the steps that lead from the start to a goal."""
    steps = []
    while goal != start:
        goal, step = came[goal]
        steps.append(step)
    return steps[::-1]


def _check(seeds: Mapping[int, float], how: Spread) -> None:
    """Refuse seeds and settings that have no meaning."""
    for node, weight in seeds.items():
        if not (math.isfinite(weight) and weight > 0 and node >= 0):
            raise UsageError(f"seed {node} has weight {weight!r}; it must be a positive number")
    _positive(how.degree_cap, "degree_cap")
    _positive(how.limit, "limit")
    if not (0 <= how.hops <= 6 and 0 < how.restart < 1 and 0 < how.decay <= 1 and how.rounds >= 1):
        raise UsageError("spread takes 0 to 6 hops, a restart and a decay between 0 and 1")


def _positive(value: int, name: str) -> None:
    """Refuse a count below one."""
    if value < 1:
        raise UsageError(f"{name} is {value}; it must be at least 1")
