"""The graph of a tenant, as `brain.graph` shows it: add to it by hand, look around, spread.

In: nodes by id, by key, or as `Concept:<name>`. Out: memories, edges, ids with their scores.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from smartbrain.brain.arguments import Verbs, check_enabled, whole
from smartbrain.domain.graph import Edge
from smartbrain.domain.memory import Memory
from smartbrain.errors import UsageError
from smartbrain.ports.graph_index import HEAVIEST_SEED, MOST_HOPS
from smartbrain.remember.node_names import find_node

if TYPE_CHECKING:
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.bootstrap.root import Terms
    from smartbrain.brain.arguments import Lease, Rules
    from smartbrain.domain.search import Beside

_MOST_BESIDE = 1_000


class Graph(Verbs):
    """Nodes and the relations between them: `brain.graph`."""

    def __init__(self, lease: Lease, rules: Rules, terms: Terms) -> None:
        super().__init__(lease, terms)
        self._rules = rules

    def add_node(self, name: str) -> Memory:
        """Add a concept or an entity, such as `Concept:蓝牙故障`; one that is there is returned."""
        return self._run(self._terms.writing.add_node, name)

    def add_edge(self, src: str, type: str, dst: str, weight: float = 1.0) -> Edge:  # noqa: A002 - public
        """Add a relation between two nodes, or give it a new weight.

        Raises:
            NotFound: one of the nodes is not there.
        """
        return self._run(self._terms.writing.add_edge, src, type, dst, weight)

    def neighbors(self, node: str, *, limit: int = 50) -> Sequence[Beside]:
        """Return what stands beside a node, the strongest relation first.

        Raises:
            NotFound: there is no such node.
        """
        most = whole(limit, "limit", 1, _MOST_BESIDE)
        rules = self._rules()
        check_enabled("graph", rules)
        with self._lease() as tenant:
            found = self._found(node, tenant)
            return tenant.views.beside(found, rules, limit=most)

    def khop(
        self, seeds: Mapping[str, float] | str, *, hops: int = 2
    ) -> Sequence[tuple[str, float]]:
        """Return the nodes within so many steps of the seeds, by decayed strength.

        Args:
            seeds: a node, or several with their weights, each above 0.
            hops: how many edges are followed at most, 0 to 6.

        Raises:
            NotFound: a seed is not there.
        """
        return self._spread(seeds, hops, ppr=False)

    def ppr(
        self, seeds: Mapping[str, float] | str, *, hops: int = 2
    ) -> Sequence[tuple[str, float]]:
        """Return the nodes that activation reaches from the seeds: personalised PageRank.

        Args:
            seeds: a node, or several with their weights, each above 0.
            hops: how many edges are followed at most, 0 to 6.

        Raises:
            NotFound: a seed is not there.
        """
        return self._spread(seeds, hops, ppr=True)

    def _spread(
        self, seeds: Mapping[str, float] | str, hops: int, *, ppr: bool
    ) -> Sequence[tuple[str, float]]:
        given = _read_seeds(seeds)
        steps = whole(hops, "hops", 0, MOST_HOPS)
        rules = self._rules()
        check_enabled("graph", rules)
        found: dict[str, float] = {}
        with self._lease() as tenant:
            for node, weight in given.items():
                named = self._found(node, tenant)
                found[named] = max(weight, found.get(named, 0.0))  # may be named in two ways
            return tenant.views.spread(found, rules, hops=steps, ppr=ppr)

    def _found(self, node: str, tenant: OpenTenant) -> str:
        with tenant.ports.truth.read() as rows:
            return find_node(node, ports=tenant.ports, transaction=rows)


def _read_seeds(seeds: object) -> dict[str, float]:
    if isinstance(seeds, str):
        return {seeds: 1.0}
    if not isinstance(seeds, Mapping):
        raise UsageError(f"seeds are a node, or a dict of nodes and weights, not {seeds!r:.60}")
    for node, weight in seeds.items():
        if not isinstance(weight, int | float) or not 0 < weight <= HEAVIEST_SEED:
            raise UsageError(
                f"the seed {node!r:.60} weighs {weight!r:.60}; give a number above 0,"
                f" up to {HEAVIEST_SEED:g}"
            )
    return dict(seeds)
