"""The graph index in its shortest correct form, for tests: a dictionary of edges.

In and out: as the port says. Every answer is worked out from all edges, one step at a time, so it
is slow and easy to check. The real index must give the same answers, in the same order.
"""

from __future__ import annotations

import json
import math
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.graph_search import (
    ACTIVATION_UNITS,
    WEIGHT_UNITS,
    GraphEdge,
    GraphLayer,
    GraphStats,
    Neighbour,
    Spread,
    weight_units,
)
from smartbrain.domain.search import Scored
from smartbrain.errors import AdapterError
from smartbrain.ports.graph_index import check_count, check_edge, check_folder, check_seeds

_FILE: Final = "edges.json"


class _Link(NamedTuple):
    """An edge that a walk may follow, with its weight in units."""

    near: int
    far: int
    weight: int


class MemoryGraph:
    """The edges of one tenant in a dictionary."""

    def __init__(self) -> None:
        self._edges: dict[int, GraphEdge] = {}
        self._lock = threading.RLock()

    def update(self, edges: Sequence[GraphEdge], removed: Sequence[int] = ()) -> None:
        """Remove edges, then add or replace others."""
        for edge in edges:
            check_edge(edge)
        with self._lock:
            for num in removed:
                self._edges.pop(num, None)
            for edge in edges:
                weight = weight_units(edge.weight) / WEIGHT_UNITS
                self._edges[edge.num] = edge._replace(weight=weight)

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
        return self._beside(node, types or tuple(EdgeType), layer)[:limit]

    def reach(self, seeds: Mapping[int, float], how: Spread) -> list[Scored]:
        """Return the best product of any way of at most so many steps to each node."""
        check_seeds(seeds, how)
        scores = dict(seeds)
        with self._lock:
            for _ in range(how.hops):
                before = dict(scores)
                for node in before:
                    for link in self._links(node, how):
                        gained = before[node] * (link.weight / WEIGHT_UNITS * how.decay)
                        scores[link.far] = max(scores.get(link.far, 0.0), gained)
        return _best(scores, how.limit)

    def spread(self, seeds: Mapping[int, float], how: Spread) -> list[Scored]:
        """Return the personalised PageRank of the subgraph around the seeds."""
        check_seeds(seeds, how)
        if not seeds:
            return []
        largest = max(seeds.values())
        whole = math.fsum(weight / largest for weight in seeds.values())
        start = {
            node: round(weight / largest / whole * ACTIVATION_UNITS)
            for node, weight in seeds.items()
        }
        with self._lock:
            rank = start if how.hops == 0 else self._rank(start, how)
        return _best({node: units / ACTIVATION_UNITS for node, units in rank.items()}, how.limit)

    def stats(self) -> GraphStats:
        """Return the graph in figures."""
        with self._lock:
            edges = list(self._edges.values())
        degrees = Counter(node for edge in edges for node in {edge.src, edge.dst})
        nodes = len(degrees)
        return GraphStats(
            nodes=nodes,
            edges=len(edges),
            average_degree=degrees.total() / nodes if nodes else 0.0,
            largest_degree=max(degrees.values(), default=0),
            density=len(edges) / nodes if nodes else 0.0,
            by_type=Counter(edge.type.value for edge in edges),
            by_layer=Counter(
                str(layer.name) for edge in edges for layer in GraphLayer if layer in edge.layers
            ),
        )

    def save(self, folder: Path | None) -> None:
        """Write the edges as JSON."""
        if folder is None:
            return
        check_folder(folder)
        with self._lock:
            text = json.dumps(list(self._edges.values()))
        (folder / _FILE).write_text(text, encoding="utf-8")

    def load(self, folder: Path) -> None:
        """Read the edges back."""
        try:
            rows = json.loads((folder / _FILE).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise AdapterError(f"{folder}: the saved graph is damaged", code="corrupt") from error
        with self._lock:
            self._edges = {
                num: GraphEdge(num, src, dst, EdgeType(kind), weight, GraphLayer(layers))
                for num, src, dst, kind, weight, layers in rows
            }

    def _beside(self, node: int, types: Sequence[EdgeType], layer: GraphLayer) -> list[Neighbour]:
        found = []
        with self._lock:
            for num, src, dst, kind, weight, layers in self._edges.values():
                if kind in types and layers & layer:
                    if src == node:
                        found.append(Neighbour(dst, num, kind, weight, outgoing=True))
                    elif dst == node:
                        found.append(Neighbour(src, num, kind, weight, outgoing=False))
        return sorted(found, key=lambda one: (-one.weight, one.edge))

    def _links(self, node: int, how: Spread, *, all_of_them: bool = False) -> list[_Link]:
        multipliers = how.multipliers()
        beside = self._beside(node, tuple(multipliers), how.layer)
        links = [
            _Link(node, one.node, round(weight_units(one.weight) * multipliers[one.type]))
            for one in (beside if all_of_them else beside[: how.degree_cap])
        ]
        return [link for link in links if link.weight > 0]

    def _subgraph(self, seeds: Mapping[int, int], how: Spread) -> tuple[set[int], list[_Link]]:
        nodes, rim, links = set(seeds), set(seeds), list[_Link]()
        for _ in range(how.hops):
            found = [link for node in rim for link in self._links(node, how)]
            rim = {link.far for link in found} - nodes
            nodes |= rim
            links += found
        links += [_Link(far, near, weight) for near, far, weight in links if far in rim]
        return nodes, links

    def _rank(self, start: Mapping[int, int], how: Spread) -> dict[int, int]:
        nodes, links = self._subgraph(start, how)
        total = {node: self._total(node, how) for node in nodes}
        unseen = Counter(total)
        for link in links:
            unseen[link.near] -= link.weight
        ends = {node for edge in self._edges.values() for node in (edge.src, edge.dst)}
        elsewhere = sum(self._total(node, how) for node in ends - nodes)
        outer = max(elsewhere, unseen.total(), 1)
        going = 1.0 - how.restart
        rank, outside = {node: start.get(node, 0) for node in nodes}, 0
        for _ in range(how.rounds):
            paced = {node: rank[node] * (going / max(total[node], 1)) for node in nodes}
            rank = {node: round(unseen[node] * (outside / outer * going)) for node in nodes}
            for link in links:
                rank[link.far] += round(paced[link.near] * link.weight)
            outside = round(outside * ((outer - unseen.total()) / outer * going))
            outside += sum(round(paced[node] * unseen[node]) for node in nodes)
            home = ACTIVATION_UNITS - sum(rank.values()) - outside
            for node, units in start.items():
                rank[node] += round(units * (home / ACTIVATION_UNITS))
        return rank

    def _total(self, node: int, how: Spread) -> int:
        return sum(link.weight for link in self._links(node, how, all_of_them=True))


def _best(scores: Mapping[int, float], limit: int) -> list[Scored]:
    found = [Scored(node, score) for node, score in scores.items() if score > 0]
    return sorted(found, key=lambda one: (-one.score, one.num))[:limit]
