"""The graph index in numpy and the reference, held to the same answers on random data.

In: edges that come, change and go, rows sorted anew at any moment, saves and loads, and every kind
of question in between. Out: nothing if both give the same nodes, scores and paths in one order.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import structs

from smartbrain.adapters.graph.index import NumpyGraph
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.graph_search import GraphEdge, GraphLayer, GraphStats, Spread
from smartbrain.domain.search import Scored
from smartbrain.ports.graph_index import GraphIndex
from smartbrain.testing.graph_index import MemoryGraph

FULL = os.environ.get("SMARTBRAIN_TEST_PROFILE") == "full"
RELATIVE = 1e-9
NODES = 9
TYPES = (EdgeType.ABOUT, EdgeType.MENTIONS, EdgeType.SIMILAR_TO)

nodes = st.integers(0, NODES - 1)
kinds = st.sampled_from(TYPES)
layers = st.integers(0, 7).map(GraphLayer)
weights = st.sampled_from((0.0, -1.0, 0.25, 0.5, 0.5, 1.0, 6000.0)) | st.floats(0, 1)
edges = st.builds(GraphEdge, st.integers(0, 40), nodes, nodes, kinds, weights, layers)
spreads = st.builds(
    Spread,
    hops=st.integers(0, 4),
    degree_cap=st.sampled_from((1, 2, 3, 50)),
    types=st.sets(kinds, max_size=2).map(tuple),
    type_weights=st.dictionaries(kinds, st.sampled_from((0.0, 0.3, 1.0))),
    other_weight=st.sampled_from((0.0, 0.5, 0.77)),
    layer=layers,
    decay=st.sampled_from((0.3, 1.0)),
    restart=st.sampled_from((0.15, 0.6)),
    rounds=st.integers(1, 8),
    limit=st.sampled_from((1, 3, 200)),
)
seeds = st.dictionaries(st.integers(0, NODES + 2), st.floats(1e-6, 1e6), max_size=4)


@dataclass(frozen=True)
class Step:
    """What happens to the graph, and what it is asked then."""

    edges: Sequence[GraphEdge]
    removed: Sequence[int]
    saved: bool
    loaded: bool
    rebuilt: bool
    seeds: dict[int, float]
    how: Spread


steps = st.builds(
    Step,
    edges=st.lists(edges, max_size=12),
    removed=st.lists(st.integers(0, 45), max_size=4),
    saved=st.booleans(),
    loaded=st.booleans(),
    rebuilt=st.sampled_from((False, False, False, True)),
    seeds=seeds,
    how=spreads,
)


def fresh(graph: dict[int, GraphEdge]) -> NumpyGraph:
    """Return an index that got the present edges in one call and sorted them at once."""
    index = NumpyGraph(least_changes=0)
    index.update([graph[num] for num in sorted(graph)])
    return index


def same_scores(expected: Sequence[Scored], found: Sequence[Scored]) -> bool:
    """Tell whether the same nodes come in the same order with nearly the same scores."""
    return [one.num for one in expected] == [one.num for one in found] and all(
        abs(one.score - other.score) <= RELATIVE * one.score
        for one, other in zip(expected, found, strict=True)
    )


def counted(graph: GraphIndex) -> GraphStats:
    return structs.replace(graph.stats(), waiting=0, bytes=0)


def assert_alike(expected: GraphIndex, found: GraphIndex, step: Step) -> None:
    """Ask both the same questions."""
    how = step.how
    assert same_scores(expected.reach(step.seeds, how), found.reach(step.seeds, how))
    assert same_scores(expected.spread(step.seeds, how), found.spread(step.seeds, how))
    chosen = {"types": how.types, "layer": how.layer}
    for node in range(NODES + 1):
        assert expected.neighbours(node, limit=how.limit, **chosen) == found.neighbours(
            node, limit=how.limit, **chosen
        )
    assert counted(expected) == counted(found)


@pytest.mark.spec("R3", "J6", "M5")
@settings(
    max_examples=1500 if FULL else 120,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(
    least=st.sampled_from((0, 3, 10_000)),
    steps=st.lists(steps, min_size=1, max_size=8),
    same=st.booleans(),
)
def test_any_history_gives_the_answers_of_the_reference(
    least: int, steps: Sequence[Step], same: bool
) -> None:
    """After every step the index answers as the reference does, and as a fresh one to the digit.

    A save sorts the rows, so that later changes stand beside them; what is asked changes from step
    to step, or stays the same.
    """
    reference, index = MemoryGraph(), NumpyGraph(least_changes=least)
    present: dict[int, GraphEdge] = {}
    for step in [replace(step, how=steps[0].how) if same else step for step in steps]:
        for graph in (reference, index):
            graph.update(step.edges, step.removed)
        for num in step.removed:
            present.pop(num, None)
        present |= {edge.num: edge for edge in step.edges}
        if step.rebuilt:
            index = NumpyGraph(least_changes=least)
            index.update([*present.values()])
        if step.saved:
            index = saved(index, least if step.loaded else None)
        assert_alike(reference, index, step)
        other = fresh(present)
        assert other.spread(step.seeds, step.how) == index.spread(step.seeds, step.how)
        assert other.reach(step.seeds, step.how) == index.reach(step.seeds, step.how)


def saved(index: NumpyGraph, least: int | None) -> NumpyGraph:
    """Save an index, and return it, or another one that loaded it."""
    with TemporaryDirectory() as folder:
        index.save(Path(folder))
        if least is None:
            return index
        other = NumpyGraph(least_changes=least)
        other.load(Path(folder))
        return other


@pytest.mark.spec("R3")
def test_a_crowded_graph_gives_the_answers_of_the_reference() -> None:
    """Nodes with hundreds of edges, most of them not wanted, many of them gone or changed."""
    random = Random(7)
    reference, index = MemoryGraph(), NumpyGraph(least_changes=400)

    def edge(num: int) -> GraphEdge:
        layer = GraphLayer.FULL if random.random() < 0.6 else GraphLayer.FULL | GraphLayer.ONLINE
        ends = random.choice((0, 1, 2)), random.randrange(400)
        return GraphEdge(num, *ends, random.choice(TYPES), random.randint(0, 20) / 20, layer)

    for turn in range(10 if FULL else 4):
        changes = [edge(random.randrange(2_000)) for _ in range(390)]
        removed = [random.randrange(2_000) for _ in range(60)]
        for graph in (reference, index):
            graph.update(changes, removed)
        step = Step(
            edges=(),
            removed=(),
            saved=False,
            loaded=False,
            rebuilt=False,
            seeds={random.randrange(400): random.random() for _ in range(5)},
            how=Spread(degree_cap=20, types=TYPES[: turn % 3], other_weight=0.6),
        )
        assert_alike(reference, index, step)
