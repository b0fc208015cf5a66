"""What every graph index must do when it walks: reach, spread and find paths.

In: an empty index for each test. Out: failed asserts where the adapter differs from the port. The
sums are worked out by hand here; `GraphIndexContract` inherits this and holds the rest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.graph_search import HIGHEST_NUM, GraphEdge, GraphLayer, Neighbour, Spread
from smartbrain.domain.search import Scored

if TYPE_CHECKING:
    from smartbrain.ports.graph_index import GraphIndex

ABOUT, MENTIONS = EdgeType.ABOUT, EdgeType.MENTIONS
FULL, ONLINE, CONCEPTS = GraphLayer.FULL, GraphLayer.ONLINE, GraphLayer.CONCEPTS
PLAIN: Final = Spread(other_weight=1.0)
NEAR: Final = 1e-9


def about(num: int, src: int, dst: int, weight: float = 1.0) -> GraphEdge:
    """Return an edge of one type in the usual layers."""
    return GraphEdge(num, src, dst, ABOUT, weight)


class GraphWalkContract:
    """The part of the suite that walks."""

    def make(self) -> GraphIndex:
        """Return an index without edges."""
        raise NotImplementedError

    def made(self, *edges: GraphEdge) -> GraphIndex:
        """Return an index with edges."""
        graph = self.make()
        graph.update(edges)
        return graph

    def test_an_edge_without_weight_is_seen_but_carries_nothing(self) -> None:
        """Zero, negative and tiny weights are listed last and lie on paths, and nothing spreads."""
        graph = self.made(about(1, 1, 2, 0.0), about(2, 2, 3, -1.0), about(3, 1, 4, 1e-9))
        assert [(one.node, one.weight) for one in graph.neighbours(1)] == [(2, 0.0), (4, 0.0)]
        assert [one.node for one in graph.path(1, [3]) or ()] == [2, 3]
        assert [Scored(1, 1.0)] == graph.reach({1: 1.0}, PLAIN) == graph.spread({1: 1.0}, PLAIN)

    def test_parallel_edges_count_each(self) -> None:
        """Two edges between the same nodes are two edges."""
        graph = self.made(about(1, 1, 2), about(2, 2, 1), about(3, 1, 3))
        assert [one.edge for one in graph.neighbours(1)] == [1, 2, 3]
        found = dict(graph.spread({1: 1.0}, PLAIN))
        assert found[2] > found[3]

    def test_reach_takes_the_best_way(self) -> None:
        """A score is the seed's weight times, at each step, weight, type and decay."""
        graph = self.made(about(1, 1, 2, 0.5), about(2, 2, 3, 0.5), about(3, 1, 3, 0.1))
        how = Spread(hops=2, decay=0.8, type_weights={ABOUT: 0.5})
        found = dict(graph.reach({1: 2.0}, how))
        step = 0.5 * 0.5 * 0.8
        assert _close(found, {1: 2.0, 2: 2.0 * step, 3: 2.0 * step * step})
        assert list(found) == [1, 2, 3]
        assert _close(dict(graph.reach({1: 2.0}, Spread(hops=0))), {1: 2.0})

    def test_reach_stops_at_its_hops_and_limit(self) -> None:
        """Nothing is found farther away than said, nor more than wanted; ties by number."""
        graph = self.made(*(about(num, num, num + 1) for num in range(1, 9)))
        how = Spread(hops=3, decay=1.0, other_weight=1.0)
        assert [one.num for one in graph.reach({1: 1.0}, how)] == [1, 2, 3, 4]
        how = Spread(hops=3, decay=1.0, other_weight=1.0, limit=2)
        assert [one.num for one in graph.reach({5: 1.0}, how)] == [2, 3]

    def test_spread_shares_activation_by_weight(self) -> None:
        """In one round a seed keeps the restart, and its neighbours share the rest."""
        graph = self.made(about(1, 1, 2, 0.75), about(2, 3, 1, 0.25))
        how = Spread(hops=1, restart=0.2, rounds=1, other_weight=1.0)
        assert _close(dict(graph.spread({1: 5.0}, how)), {1: 0.2, 2: 0.6, 3: 0.2})
        how = Spread(hops=1, restart=0.2, rounds=2, other_weight=1.0)
        assert _close(dict(graph.spread({1: 5.0}, how)), {1: 0.84, 2: 0.12, 3: 0.04})

    def test_spread_is_pagerank_where_nothing_is_left_out(self) -> None:
        """On a graph that lies within reach the scores settle where PageRank does."""
        graph = self.made(about(1, 1, 2), about(2, 2, 3), about(3, 3, 1), about(4, 3, 4, 0.5))
        found = dict(graph.spread({1: 1.0}, Spread(hops=3, rounds=200, other_weight=1.0)))
        going = 0.85
        expected = {
            1: 0.15 + going * (found[2] / 2 + found[3] / 2.5),
            2: going * (found[1] / 2 + found[3] / 2.5),
            3: going * (found[1] / 2 + found[2] / 2 + found[4]),
            4: going * found[3] / 5,
        }
        assert _close(found, expected)

    def test_what_lies_outside_takes_and_gives(self) -> None:
        """Edges that are not followed lead out of sight, and back from there."""
        graph = self.made(about(1, 1, 2), about(2, 2, 3), about(3, 2, 4), about(4, 3, 5))
        how = Spread(hops=1, restart=0.5, rounds=1, other_weight=1.0)
        assert _close(dict(graph.spread({1: 1.0}, how)), {1: 0.5, 2: 0.5})
        # Of node 2's three edges one leads back and two lead out; the seed gets the restart.
        how = Spread(hops=1, restart=0.5, rounds=2, other_weight=1.0)
        back, out = 0.5 * 0.5 / 3, 0.5 * 0.5 * 2 / 3
        assert _close(dict(graph.spread({1: 1.0}, how)), {1: 1 - 0.25 - out, 2: 0.25})
        # Outside weigh 4 ends: two of them lead to node 2, the others stay outside.
        how = Spread(hops=1, restart=0.5, rounds=3, other_weight=1.0)
        first = back + 0.5
        outside = 0.5 * 0.25 * 2 / 3 + 0.5 * out * 2 / 4
        second = 0.5 * first + 0.5 * out * 2 / 4
        assert _close(dict(graph.spread({1: 1.0}, how)), {1: 1 - second - outside, 2: second})

    def test_the_cap_follows_the_strongest(self) -> None:
        """Of each node only so many edges are followed, and ties go by the lower number."""
        graph = self.made(about(4, 1, 2), about(3, 1, 3), about(2, 1, 4, 0.5), about(1, 1, 5))
        how = Spread(hops=1, degree_cap=2, other_weight=1.0)
        assert {1, 5, 3} == {one.num for one in graph.spread({1: 1.0}, how)}
        assert {1, 5, 3} == {one.num for one in graph.reach({1: 1.0}, how)}

    def test_a_type_that_counts_nothing_is_not_followed(self) -> None:
        """Its edges do not even take the place of others under the cap."""
        graph = self.made(GraphEdge(1, 1, 2, MENTIONS, 1.0), about(2, 1, 3, 0.5))
        how = Spread(hops=1, degree_cap=1, type_weights={MENTIONS: 0.0})
        assert {1, 3} == {one.num for one in graph.spread({1: 1.0}, how)}
        assert {1, 3} == {one.num for one in graph.reach({1: 1.0}, how)}
        how = Spread(types=(MENTIONS,))
        assert {1, 2} == {one.num for one in graph.spread({1: 1.0}, how)}

    def test_seeds_need_not_be_known(self) -> None:
        """A seed without edges keeps its share, however high its number."""
        graph = self.made(about(1, 1, 2))
        seeds = {HIGHEST_NUM: 2.0, 50: 1.0, 1: 1.0}
        assert _close(dict(graph.reach(seeds, Spread(hops=1))), {**seeds, 2: 0.25})
        found = dict(graph.spread(seeds, PLAIN))
        assert {1, 2, 50, HIGHEST_NUM} == set(found)
        assert abs(sum(found.values()) - 1) < NEAR
        assert abs(found[HIGHEST_NUM] - 2 * found[50]) < NEAR

    def test_the_order_of_arrival_changes_nothing(self) -> None:
        """Edges in any order, in one call or many, give the same answers to the last digit."""
        edges = [about(num, num * 7 % 23, num * 5 % 19, 1 / (1 + num % 4)) for num in range(120)]
        seeds = {3: 1.0, 11: 0.3, 2: 0.7}
        how = Spread(degree_cap=4, other_weight=0.7)
        first, second = self.made(*edges), self.make()
        for edge in reversed(edges):
            second.update([edge._replace(weight=0.5)], [edge.num + 1])
            second.update([about(1000 + edge.num, 1, 2), edge])
        second.update(edges, [1000 + edge.num for edge in edges])
        reseeded = dict(reversed(seeds.items()))
        assert first.spread(seeds, how) == second.spread(reseeded, how)
        assert first.reach(seeds, how) == second.reach(reseeded, how)
        assert [first.neighbours(node) for node in range(23)] == [
            second.neighbours(node) for node in range(23)
        ]

    def test_a_path_is_the_shortest(self) -> None:
        """It leads to the nearest goal, against an edge's direction too, and says each step."""
        graph = self.made(about(1, 1, 2), about(2, 3, 2), about(3, 3, 4), about(4, 4, 5))
        expected = [
            Neighbour(2, 1, ABOUT, 1.0, outgoing=True),
            Neighbour(3, 2, ABOUT, 1.0, outgoing=False),
            Neighbour(4, 3, ABOUT, 1.0, outgoing=True),
        ]
        assert expected == graph.path(1, [4])
        assert expected == graph.path(1, [5, 4, 99])
        assert [one.node for one in graph.path(5, [1]) or ()] == [4, 3, 2, 1]
        assert expected == graph.path(1, [4], longest=3)
        assert graph.path(1, [4], longest=2) is None
        assert graph.path(1, []) is None
        assert graph.path(1, [99, -3, 2**70]) is None
        assert graph.path(99, [1]) is None

    def test_of_equal_paths_the_strongest_first_step_wins(self) -> None:
        """Then the strongest second one; ties go by the lower edge number."""
        graph = self.made(
            *(about(1, 1, 2, 0.5), about(2, 1, 3, 0.9), about(3, 1, 4, 0.9)),
            *(about(4, 2, 9, 1.0), about(6, 3, 9, 0.1), about(5, 3, 8, 0.1), about(7, 4, 8, 1.0)),
        )
        assert [one.edge for one in graph.path(1, [9]) or ()] == [2, 6]
        assert [one.edge for one in graph.path(1, [9, 8]) or ()] == [2, 5]

    def test_a_strong_dead_end_leads_no_path_astray(self) -> None:
        """The strongest step is the strongest of those that lead to the goal."""
        graph = self.made(
            *(about(1, 1, 2), about(2, 1, 3, 0.2), about(3, 3, 4, 0.2), about(4, 4, 9, 0.2)),
            *(about(num, 9, num) for num in range(10, 20)),
        )
        assert [one.node for one in graph.path(1, [9]) or ()] == [3, 4, 9]
        assert [one.node for one in graph.path(9, [1]) or ()] == [4, 3, 1]

    def test_a_path_keeps_to_types_and_layers(self) -> None:
        """By default every layer of what was said is walked, cold edges too."""
        graph = self.made(
            GraphEdge(1, 1, 2, EdgeType.DERIVED_FROM, 0.5, FULL),
            GraphEdge(2, 2, 3, EdgeType.DERIVED_FROM, 0.5, FULL | ONLINE),
            GraphEdge(3, 1, 3, MENTIONS, 0.5),
        )
        assert [one.edge for one in graph.path(1, [3]) or ()] == [3]
        evidence = graph.path(1, [3], types=[EdgeType.DERIVED_FROM])
        assert [one.edge for one in evidence or ()] == [1, 2]
        assert graph.path(1, [3], types=[EdgeType.DERIVED_FROM], layer=ONLINE) is None


def _close(found: dict[int, float], expected: dict[int, float]) -> bool:
    """Tell whether two sets of scores are equal but for rounding."""
    return found.keys() == expected.keys() and all(
        abs(found[node] - score) <= NEAR * score for node, score in expected.items()
    )
