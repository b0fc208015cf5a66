"""What every graph index must do; an adapter's tests inherit `GraphIndexContract`.

In: a folder of its own for each test. Out: failed asserts where the adapter differs from the port,
in what it holds, keeps in files, and finds by spreading.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Final

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
from smartbrain.errors import AdapterError, UsageError
from smartbrain.testing.contracts import raised

if TYPE_CHECKING:
    from pathlib import Path

    from smartbrain.ports.graph_index import GraphIndex


ABOUT, MENTIONS = EdgeType.ABOUT, EdgeType.MENTIONS
FULL, ONLINE, CONCEPTS = GraphLayer.FULL, GraphLayer.ONLINE, GraphLayer.CONCEPTS
PLAIN: Final = Spread(other_weight=1.0)
NEAR: Final = 1e-9


def about(num: int, src: int, dst: int, weight: float = 1.0) -> GraphEdge:
    """Return an edge of one type in the usual layers."""
    return GraphEdge(num, src, dst, ABOUT, weight)


class GraphIndexContract:
    """The suite; a subclass says how to make an empty index."""

    def make(self) -> GraphIndex:
        """Return an index without edges."""
        raise NotImplementedError

    def made(self, *edges: GraphEdge) -> GraphIndex:
        """Return an index with edges."""
        graph = self.make()
        graph.update(edges)
        return graph

    def test_an_edge_without_weight_is_seen_but_carries_nothing(self) -> None:
        """Zero, negative and tiny weights are listed last, and nothing spreads."""
        graph = self.made(about(1, 1, 2, 0.0), about(2, 2, 3, -1.0), about(3, 1, 4, 1e-9))
        assert [(one.node, one.weight) for one in graph.neighbours(1)] == [(2, 0.0), (4, 0.0)]
        assert [Scored(1, 1.0)] == graph.reach({1: 1.0}, PLAIN) == graph.spread({1: 1.0}, PLAIN)

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

    def test_seeds_need_not_be_known(self) -> None:
        """A seed without edges keeps its share, however high its number."""
        graph = self.made(about(1, 1, 2))
        seeds = {HIGHEST_NUM: 2.0, 50: 1.0, 1: 1.0}
        assert _close(dict(graph.reach(seeds, Spread(hops=1))), {**seeds, 2: 0.25})
        found = dict(graph.spread(seeds, PLAIN))
        assert {1, 2, 50, HIGHEST_NUM} == set(found)
        assert abs(sum(found.values()) - 1) < NEAR
        assert abs(found[HIGHEST_NUM] - 2 * found[50]) < NEAR

    def test_an_empty_graph_answers(self, graph: GraphIndex) -> None:
        """Nothing is beside anything, and only seeds are reached."""
        assert graph.neighbours(1) == []
        assert [] == graph.reach({}, PLAIN) == graph.spread({}, PLAIN)
        assert [Scored(7, 2.0)] == graph.reach({7: 2.0}, PLAIN)
        assert [Scored(7, 1.0)] == graph.spread({7: 2.0}, PLAIN)
        assert GraphStats() == _without_size(graph.stats())

    def test_neighbours_come_strongest_first_from_both_ends(self) -> None:
        """An edge is seen from both its ends, ties go by the lower edge number."""
        graph = self.made(about(3, 1, 2, 0.5), about(2, 4, 1, 0.5), about(9, 1, 5, 0.75))
        expected = [
            Neighbour(5, 9, ABOUT, 0.75, outgoing=True),
            Neighbour(4, 2, ABOUT, 0.5, outgoing=False),
            Neighbour(2, 3, ABOUT, 0.5, outgoing=True),
        ]
        assert expected == graph.neighbours(1)
        assert expected[:2] == graph.neighbours(1, limit=2)
        assert [Neighbour(1, 3, ABOUT, 0.5, outgoing=False)] == graph.neighbours(2)
        for unknown in (3, 999, -1, 2**70):
            assert graph.neighbours(unknown) == []

    def test_a_weight_is_kept_to_six_decimals(self) -> None:
        """Everyday weights come back as they were; very large ones count as the largest."""
        weights = (0.8, 0.123456, 1 / 3, 5000.0, 1e300)
        graph = self.made(*(about(num, 1, num + 2, weight) for num, weight in enumerate(weights)))
        expected = [4294.967295, 4294.967295, 0.8, 0.333333, 0.123456]
        assert expected == [one.weight for one in graph.neighbours(1)]

    def test_an_empty_graph_is_saved_too(self, tmp_path: Path) -> None:
        """Loading it leaves an index without edges."""
        self.make().save(tmp_path)
        graph = self.made(about(1, 1, 2))
        graph.load(tmp_path)
        assert graph.neighbours(1) == []
        assert GraphStats() == _without_size(graph.stats())

    def test_only_an_empty_folder_is_saved_into(self, tmp_path: Path) -> None:
        """What was saved may be in use and is never written over."""
        graph = self.made(about(1, 1, 2))
        graph.save(tmp_path)
        graph.load(tmp_path)
        graph.update([about(2, 1, 3)])
        for folder in (tmp_path, tmp_path / "nowhere"):
            assert isinstance(raised(partial(graph.save, folder)), UsageError)
        assert [one.node for one in graph.neighbours(1)] == [2, 3]
        graph.load(tmp_path)
        assert [one.node for one in graph.neighbours(1)] == [2]

    def test_a_save_without_a_folder_changes_no_answer(self) -> None:
        """It is for those who may not write plain files."""
        graph = self.made(*(about(num, num % 7, num % 5, 1 / (1 + num)) for num in range(30)))
        before = graph.spread({3: 1.0}, PLAIN)
        graph.save(None)
        assert before == graph.spread({3: 1.0}, PLAIN)
        assert (graph.stats().edges, graph.stats().waiting) == (30, 0)

    def test_what_cannot_be_loaded_leaves_the_state(self, tmp_path: Path) -> None:
        """A missing, cut or emptied file is told as damage, and nothing is lost."""
        graph = self.made(about(1, 1, 2), about(2, 2, 3))
        saved = tmp_path / "saved"
        saved.mkdir()
        graph.save(saved)
        assert raised(lambda: graph.load(tmp_path / "nowhere")).code == "corrupt"
        for file in sorted(saved.iterdir()):
            data = file.read_bytes()
            for damaged in (data[:-1], data[: len(data) // 2], b""):
                file.write_bytes(damaged)
                error = raised(lambda: graph.load(saved))
                assert isinstance(error, AdapterError)
                assert (error.code, error.retryable) == ("corrupt", False), file.name
            file.unlink()
            assert raised(lambda: graph.load(saved)).code == "corrupt"
            file.write_bytes(data)
        assert [one.node for one in graph.neighbours(2)] == [1, 3]
        graph.load(saved)

    def test_wrong_edges_are_refused_whole(self) -> None:
        """One edge that cannot be held keeps the whole call from changing anything."""
        graph = self.made(about(1, 1, 2))
        good = about(2, 1, 3)
        wrong = (
            *(good._replace(weight=weight) for weight in (float("nan"), float("inf"))),
            *(good._replace(num=num) for num in (-1, HIGHEST_NUM + 1)),
            *(good._replace(src=num) for num in (-1, HIGHEST_NUM + 1)),
            *(good._replace(dst=num) for num in (-1, HIGHEST_NUM + 1)),
            *(good._replace(layers=GraphLayer(layers)) for layers in (8, 64)),
        )
        for edge in wrong:
            assert raised(partial(graph.update, [good, edge], removed=[1])).code == "bad_value"
        assert [one.node for one in graph.neighbours(1)] == [2]

    def test_wrong_questions_are_refused(self) -> None:
        """Counts below one, seeds without weight and settings out of range are usage errors."""
        graph = self.made(about(1, 1, 2))
        nan = float("nan")
        for seeds in ({1: 0.0}, {1: -1.0}, {1: nan}, {1: float("inf")}, {-1: 1.0}, {2**31: 1.0}):
            _refused(graph, seeds, Spread())
        for how in (
            *(Spread(hops=hops) for hops in (-1, 7, 10**12)),
            *(Spread(degree_cap=0), Spread(limit=0), Spread(rounds=0), Spread(rounds=10**9)),
            *(Spread(restart=restart) for restart in (0.0, 1.0, nan)),
            *(Spread(decay=decay) for decay in (0.0, 1.5, nan)),
            *(
                Spread(other_weight=-0.1),
                Spread(type_weights={ABOUT: 1.1}),
                Spread(other_weight=nan),
            ),
        ):
            _refused(graph, {1: 1.0}, how)
        assert isinstance(raised(lambda: graph.neighbours(1, limit=0)), UsageError)

    def test_the_largest_counts_ask_for_all(self) -> None:
        """A limit or a cap beyond any graph is none."""
        graph = self.made(about(1, 1, 2), about(2, 1, 3), about(3, 3, 4))
        most = 10**30
        assert [one.node for one in graph.neighbours(1, limit=most)] == [2, 3]
        how = Spread(hops=6, degree_cap=most, limit=most, other_weight=1.0)
        assert sorted(one.num for one in graph.spread({1: 1.0}, how)) == [1, 2, 3, 4]
        assert [one.num for one in graph.reach({1: 1.0}, how)] == [1, 2, 3, 4]

    def test_threads_read_while_one_writes_saves_and_loads(self, tmp_path: Path) -> None:
        """No answer mixes states: both edges of a pair are there, or neither."""
        graph = self.made(*(about(1000 + num, 50 + num, 51 + num) for num in range(40)))

        def write() -> None:
            for turn in range(120):
                graph.update([about(1, 1, 2), about(2, 1, 3)], removed=[5])
                graph.update([about(5, 4, 5)], removed=[1, 2])
                if turn % 40 == 0:
                    folder = tmp_path / str(turn)
                    folder.mkdir()
                    graph.save(folder)
                    graph.update([about(1, 1, 2), about(2, 1, 3)], removed=[5])
                    graph.load(folder)

        def read() -> set[int]:
            counts = set()
            for _ in range(150):
                counts.add(len(graph.neighbours(1)))
                assert len(graph.spread({1: 1.0}, PLAIN)) in (1, 3)
                assert 41 <= graph.stats().edges <= 42
            return counts

        with ThreadPoolExecutor(4) as pool:
            writing = pool.submit(write)
            found = [pool.submit(read) for _ in range(3)]
            writing.result()
            assert all(one.result() <= {0, 2} for one in found)
        assert (graph.neighbours(1), graph.stats().edges) == ([], 41)


def _close(found: dict[int, float], expected: dict[int, float]) -> bool:
    return found.keys() == expected.keys() and all(
        abs(found[node] - score) <= NEAR * score for node, score in expected.items()
    )


def _refused(graph: GraphIndex, seeds: dict[int, float], how: Spread) -> None:
    assert isinstance(raised(lambda: graph.reach(seeds, how)), UsageError)
    assert isinstance(raised(lambda: graph.spread(seeds, how)), UsageError)


def _without_size(stats: GraphStats) -> GraphStats:
    return GraphStats.from_dict({**stats.to_dict(), "waiting": 0, "bytes": 0})
