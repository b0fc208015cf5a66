"""The graph index between its sorted rows and what came since: when it sorts, saves and goes on.

In: indexes with few and with many changes waiting. Out: a failure where an answer, a count or the
moment of sorting is not as it should be.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from smartbrain.adapters.graph.index import NumpyGraph
from smartbrain.adapters.graph.rows import Edges, Rows
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.graph_search import GraphEdge, GraphLayer, Spread

HOW = Spread(degree_cap=3, type_weights={EdgeType.ABOUT: 0.7})
SEEDS = {1: 1.0, 4: 0.5}


def edges(*nums: int, weight: float = 0.5) -> list[GraphEdge]:
    return [GraphEdge(num, num % 7, num % 5, EdgeType.ABOUT, weight + num % 3 / 10) for num in nums]


def graph_of(*groups: Sequence[GraphEdge], least_changes: int = 2_000) -> NumpyGraph:
    """Return an index that has sorted each group before the next one came."""
    graph = NumpyGraph(least_changes=0)
    for group in groups:
        graph.update(group)
        graph.stats()
    graph._least_changes = least_changes
    return graph


def sortings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows by the number of chunks whenever rows are sorted anew."""
    counts: list[int] = []
    changed = Rows.changed

    def counting(self: Rows, changes: Sequence[Edges]) -> Rows:
        counts.append(len(changes))
        return changed(self, changes)

    monkeypatch.setattr(Rows, "changed", counting)
    return counts


def test_a_graph_that_comes_in_pieces_is_sorted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Large pieces, and small ones between them, wait until somebody asks."""
    counts = sortings(monkeypatch)
    graph = NumpyGraph(least_changes=10)
    graph.update(edges(1, 2, 3))
    graph.update(edges(*range(4, 40)))
    graph.update(edges(5, weight=0.1), removed=[6])
    graph.update(edges(*range(40, 80)))
    assert [] == counts
    assert (78, 0) == (graph.stats().edges, graph.stats().waiting)
    assert [3] == counts
    twin = graph_of([*edges(1, 2, 3, 4), *edges(5, weight=0.1), *edges(*range(7, 80))])
    assert twin.spread(SEEDS, HOW) == graph.spread(SEEDS, HOW)


def test_small_changes_are_sorted_in_when_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows are built anew past the least number of changes, not before."""
    counts = sortings(monkeypatch)
    graph = NumpyGraph(least_changes=3)
    for num in range(3):
        graph.update(edges(num))
    assert 3 == graph.stats().waiting
    assert [] == counts
    graph.update(edges(3))
    assert 0 == graph.stats().waiting
    assert [1] == counts


def test_a_large_graph_lets_more_changes_wait() -> None:
    """One change in a hundred edges may wait beside the rows, in one call or many."""
    graph = graph_of(edges(*range(1_000)), least_changes=3)
    for num in range(5):
        graph.update(edges(num, weight=0.2))
    graph.update(edges(*range(5, 10), weight=0.2))
    assert (1_000, 10) == (graph.stats().edges, graph.stats().waiting)
    graph.update(edges(10, weight=0.2))
    assert (1_000, 0) == (graph.stats().edges, graph.stats().waiting)


def test_changes_that_undo_each_other_leave_nothing_waiting() -> None:
    """An edge that came and went again before it was sorted in is forgotten."""
    graph = graph_of(edges(1, 2))
    graph.update(edges(3), removed=[77])
    assert 1 == graph.stats().waiting
    graph.update([], removed=[3])
    assert 0 == graph.stats().waiting
    graph.update([], removed=[1])
    graph.update([], removed=[1])
    assert (1, 1) == (graph.stats().edges, graph.stats().waiting)
    graph.update(edges(1))
    assert (2, 1) == (graph.stats().edges, graph.stats().waiting)


@pytest.mark.spec("R3")
def test_repeated_questions_follow_every_change() -> None:
    """What the index has summed up for a way of spreading is kept right by each change."""
    graph = graph_of(edges(*range(40)))
    present = {edge.num: edge for edge in edges(*range(40))}
    ways = [HOW, Spread(layer=GraphLayer.FULL, other_weight=0.3), Spread(types=(EdgeType.CAUSES,))]
    for num in (3, 50, 7, 51, 3, 90):
        graph.spread(SEEDS, ways[num % 3])
        changes = [GraphEdge(num, 1, num, EdgeType.ABOUT, 0.9), *edges(num + 1, weight=0.3)]
        graph.update(changes, removed=[num + 2])
        present.pop(num + 2, None)
        present |= {edge.num: edge for edge in changes}
        for how in ways:
            assert graph_of([*present.values()]).spread(SEEDS, how) == graph.spread(SEEDS, how)


def test_only_a_few_ways_of_spreading_are_remembered() -> None:
    """Sums for older ways are dropped and worked out again when asked for."""
    graph = graph_of(edges(*range(40)))
    ways = [Spread(other_weight=share / 10) for share in range(1, 11)]
    first = [graph.spread(SEEDS, how) for how in ways]
    assert 4 == len(graph._graph._totals)
    assert first == [graph.spread(SEEDS, how) for how in ways]


@pytest.mark.spec("E5")
def test_a_save_lets_others_read_and_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes while the files are written is not in them, and is not lost."""
    graph = graph_of(edges(*range(30)))
    graph.update(edges(30), removed=[4])
    before = graph.spread(SEEDS, HOW)
    write = Rows.save

    def busy(self: Rows, folder: Path) -> None:
        graph.update(edges(31, weight=0.9), removed=[5, 30])
        graph.update(edges(3, weight=0.1))
        assert before != graph.spread(SEEDS, HOW)
        write(self, folder)

    monkeypatch.setattr(Rows, "save", busy)
    graph.save(tmp_path)
    twin = graph_of(edges(0, 1, 2, *range(6, 30)), [*edges(31, weight=0.9), *edges(3, weight=0.1)])
    assert twin.spread(SEEDS, HOW) == graph.spread(SEEDS, HOW)
    assert (29, 4) == (graph.stats().edges, graph.stats().waiting)
    loaded = NumpyGraph()
    loaded.load(tmp_path)
    assert before == loaded.spread(SEEDS, HOW)


def test_many_changes_during_a_save_are_kept_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are set aside, during the save and after it."""
    graph = graph_of(edges(*range(30)), least_changes=5)
    graph.update(edges(30))
    graph.spread(SEEDS, HOW)
    write = Rows.save

    def busy(self: Rows, folder: Path) -> None:
        graph.update(edges(*range(40, 60)))
        write(self, folder)

    monkeypatch.setattr(Rows, "save", busy)
    graph.save(tmp_path)
    assert graph_of(edges(*range(31), *range(40, 60))).spread(SEEDS, HOW) == graph.spread(
        SEEDS, HOW
    )


def test_a_load_during_a_save_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of the save are those of a state that is no longer wanted."""
    other, mine = tmp_path / "other", tmp_path / "mine"
    for folder in (other, mine):
        folder.mkdir()
    graph_of(edges(1, 2)).save(other)
    graph = graph_of(edges(*range(30)))
    graph.update(edges(30))
    write = Rows.save

    def busy(self: Rows, folder: Path) -> None:
        graph.load(other)
        write(self, folder)

    monkeypatch.setattr(Rows, "save", busy)
    graph.save(mine)
    assert 2 == graph.stats().edges


@pytest.mark.parametrize("written", [True, False])
def test_a_save_sorts_the_changes_in(tmp_path: Path, written: bool) -> None:
    """After it nothing waits, and what was summed up is still right, also without files."""
    graph = graph_of(edges(*range(30)))
    graph.update(edges(3, 33, weight=0.9), removed=[4])
    before = graph.spread(SEEDS, HOW)
    graph.save(tmp_path if written else None)
    assert written == any(tmp_path.iterdir())
    assert (30, 0) == (graph.stats().edges, graph.stats().waiting)
    assert before == graph.spread(SEEDS, HOW)
    graph.update([], removed=[33])
    assert graph_of(edges(3, weight=0.9), edges(0, 1, 2, *range(5, 30))).spread(
        SEEDS, HOW
    ) == graph.spread(SEEDS, HOW)
