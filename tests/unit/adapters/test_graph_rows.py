"""Sorted rows and the order of slots, looked at from inside.

In: edges with equal weights, loops, gaps in their numbers. Out: a failure where a row is not in the
order that every answer relies on.
"""

from __future__ import annotations

import numpy as np
import pytest

from smartbrain.adapters.graph.index import Places
from smartbrain.adapters.graph.rows import (
    EDGE,
    NODE,
    OUTGOING,
    Held,
    Rows,
    admitted,
    columns,
    gains,
    held,
    sorted_pairs,
)
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.graph_search import MOST_UNITS, GraphEdge, GraphLayer

EDGES = [
    GraphEdge(9, 1, 2, EdgeType.ABOUT, 0.5),
    GraphEdge(4, 2, 1, EdgeType.MENTIONS, 0.5, GraphLayer.FULL),
    GraphEdge(7, 1, 1, EdgeType.ABOUT, 0.25),
    GraphEdge(2, 5, 1, EdgeType.BENEFICIARY, 1e9, GraphLayer.CONCEPTS),
]
ALL = admitted((), GraphLayer(7))


def rows_of(*edges: GraphEdge) -> Rows:
    return Rows.build(columns(map(held, edges)))


def test_rows_are_in_order_whatever_order_edges_come_in() -> None:
    """By node, then strongest first, ties by the lower edge number; a loop stands once."""
    rows = rows_of(*EDGES)
    assert [0, 0, 4, 6, 6, 6, 7] == rows.start.tolist()
    assert [2, 4, 9, 7, 4, 9, 2] == rows.slots[:, EDGE].tolist()
    assert [5, 2, 2, 1, 1, 1, 1] == rows.slots[:, NODE].tolist()
    other = rows_of(*reversed(EDGES))
    assert rows.slots.tolist() == other.slots.tolist()
    assert rows.place.tolist() == other.place.tolist()


def test_an_edge_is_found_by_its_number() -> None:
    """Whichever end it is seen from, and only if it is there."""
    rows = rows_of(*EDGES)
    assert [held(edge) for edge in EDGES] == [rows.edge(edge.num) for edge in EDGES]
    assert [None, None, None] == [rows.edge(num) for num in (0, 3, 10)]
    assert MOST_UNITS == held(EDGES[3]).weight


def test_rows_give_back_the_edges_they_were_built_from() -> None:
    """In the order of their numbers."""
    expected = [list(held(edge)) for edge in sorted(EDGES)]
    assert expected == rows_of(*EDGES).edges().T.tolist()
    assert [] == Rows.empty().edges().T.tolist()


def test_later_changes_win() -> None:
    """The last record of a number is the one that counts, and a removal takes it away."""
    rows = rows_of(*EDGES)
    moved = held(EDGES[0]._replace(dst=6))
    changed = rows.changed([columns([Held(9), Held(4), moved]), columns([Held(2), Held(77)])])
    assert [held(EDGES[2]), moved] == [Held(*edge) for edge in changed.edges().T.tolist()]
    assert 7 == changed.nodes


def test_a_window_widens_until_enough_was_found() -> None:
    """Slots that do not count take no place, however many stand before the ones that do."""
    kinds = (EdgeType.MENTIONS, EdgeType.MENTIONS, EdgeType.MENTIONS, EdgeType.ABOUT)
    rows = rows_of(*(GraphEdge(num, 1, 2, kinds[num % 4], 1 - num / 100) for num in range(60)))
    only = admitted([EdgeType.ABOUT], GraphLayer.ONLINE)
    where, slots = rows.first(np.array([5, 2, 0, 1]), only, 3, None)
    for index in (1, 3):
        assert [3, 7, 11] == slots[where == index, EDGE].tolist()[:3]
    assert {1, 3} == set(where.tolist())
    gone = np.zeros(60, np.bool_)
    gone[[3, 11]] = True
    _, slots = rows.first(np.array([1]), only, 3, gone)
    assert [7, 15, 19] == slots[:, EDGE].tolist()[:3]


def test_totals_count_every_edge_by_its_kind() -> None:
    """What is not admitted weighs nothing, and a loop weighs once."""
    rows = rows_of(*EDGES)
    counted = gains({EdgeType.ABOUT: 0.5, EdgeType.BENEFICIARY: 1.0}, GraphLayer.ONLINE)
    assert [0, 375_000, 250_000, 0, 0, 0] == rows.totals(counted).tolist()


def test_a_slot_says_which_way_its_edge_points() -> None:
    """The outgoing bit is apart from type and layers."""
    rows = rows_of(EDGES[3])
    assert [True, False] == [bool(kind & OUTGOING) for kind in rows.slots[[1, 0], 3]]
    assert OUTGOING == rows.slots[1, 3] - rows.slots[0, 3]


def test_pairs_are_sorted_by_both_numbers() -> None:
    """Up to the largest number of 32 bits."""
    high, low = np.array([7, MOST_UNITS, 0, 7]), np.array([9, 0, MOST_UNITS, 1])
    assert [[0, 7, 7, MOST_UNITS], [MOST_UNITS, 1, 9, 0]] == [
        column.tolist() for column in sorted_pairs(high, low)
    ]


def test_places_are_given_once_and_taken_back() -> None:
    """Nodes get the next places, and after the walk none has one."""
    places = Places().room(10)
    for _ in range(2):
        with places:
            new, all_of_them = places.enter(np.array([4, 9, 4]))
            assert ({4, 9}, 2) == (set(new.tolist()), places.count)
            assert all_of_them[0] == all_of_them[2] != all_of_them[1]
            new, all_of_them = places.enter(np.array([9, 1]))
            assert ([1], 2) == (new.tolist(), int(all_of_them[1]))
            assert {1, 4, 9} == set(places.names().tolist())
        assert 0 == places.count


def test_a_broken_walk_leaves_no_places_behind() -> None:
    """Wherever it was interrupted, the next one starts with a clean table."""
    places = Places().room(10)

    def walk() -> None:
        with places:
            places.enter(np.array([4]))
            places._table[5] = 0
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        walk()
    with places:
        assert [5, 4] == places.enter(np.array([5, 4]))[0].tolist()
