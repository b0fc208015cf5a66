"""The graph at one moment: rows, and what changed since they were built.

In: edges one by one. Out: the strongest slots of many nodes, taken from rows and changes alike, and
what all edges beside a node weigh. The changes are few by design: beyond a few per cent of the
graph the index builds its rows anew. Not safe to use from two threads at once.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator
from typing import Final

import numpy as np

from smartbrain.adapters.graph.records import (
    OUTGOING,
    REMOVED,
    Bools,
    Floats,
    Held,
    Ints,
    Slots,
    strongest,
)
from smartbrain.adapters.graph.rows import Rows

_MOST_TOTALS: Final = 4

_Seen = tuple[int, int, int, int]
"""An edge beside a node, in the order of strength: minus its weight, its number, node, kind."""


class Graph:
    """Rows with their changes."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.nodes = rows.nodes
        """One more than the highest node number."""
        self._changes: dict[int, Held] = {}
        self._beside: dict[int, list[_Seen]] = {}
        self._hidden: dict[int, Held] = {}
        self._gone: Bools | None = None
        self._totals: dict[bytes, Totals] = {}

    @property
    def waiting(self) -> int:
        """How many changes there are."""
        return len(self._changes)

    def put(self, change: Held) -> None:
        """Add, replace or remove an edge."""
        num = change.num
        old = self._changes.pop(num, None)
        if old is not None and old.kind != REMOVED:
            self._weigh(old, -1)
            self._take_out(old)
        if old is None and (in_rows := self.rows.edge(num)) is not None:
            self._weigh(in_rows, -1)
            self._hide(in_rows)
        if change.kind != REMOVED:
            self._weigh(change, 1)
            for node, seen in _ends(change):
                row = self._beside.get(node)
                if row is None:
                    self._beside[node] = [seen]
                else:
                    insort(row, seen)
            self.nodes = max(self.nodes, change.src + 1, change.dst + 1)
        if change.kind != REMOVED or num in self._hidden:
            self._changes[num] = change

    def changes(self) -> list[Held]:
        """Return what `put` would have to be given again."""
        return [*self._changes.values()]

    def tally(self) -> Iterator[tuple[Held, int]]:
        """Yield each edge that the changes bring with 1, and each that they take with -1."""
        yield from ((edge, -1) for edge in self._hidden.values())
        yield from ((edge, 1) for edge in self._changes.values() if edge.kind != REMOVED)

    def beside(self, nodes: Ints, admitted: Bools, cap: int) -> tuple[Ints, Slots]:
        """Return the `cap` strongest admitted slots of each node, in no order.

        Args:
            nodes: whose slots.
            admitted: whether a slot counts, by its kind.
            cap: the most slots of one node.

        Returns:
            For each slot the index of its node in `nodes`, and the slots.
        """
        where, slots = self.rows.first(nodes, admitted, cap, self._gone)
        if self._beside:
            changed_where, changed = self._first(nodes, admitted, cap)
            where, slots = np.append(where, changed_where), np.append(slots, changed, axis=0)
        return _capped(where, slots, cap)

    def totals(self, gains: Floats) -> Totals:
        """Return what edges weigh by what each kind counts; kept for the next time."""
        key = gains.tobytes()
        if key not in self._totals:
            if len(self._totals) == _MOST_TOTALS:
                del self._totals[next(iter(self._totals))]
            self._totals[key] = Totals(self.rows.totals(gains), gains)
            for edge, sign in self.tally():
                self._totals[key].count(edge, sign)
        return self._totals[key]

    def inherit(self, other: Graph) -> None:
        """Take over what another graph of the same edges has summed up."""
        self._totals = other._totals

    def _first(self, nodes: Ints, admitted: Bools, cap: int) -> tuple[Ints, Slots]:
        """Return the strongest slots of each node among the changes."""
        allowed = admitted.tolist()
        wheres: list[int] = []
        slots: list[tuple[int, int, int, int]] = []
        for where, row in enumerate(map(self._beside.get, nodes.tolist())):
            if row is not None:
                most = len(slots) + cap
                for weight, num, far, kind in row:
                    if allowed[kind]:
                        wheres.append(where)
                        slots.append((far, num, -weight, kind))
                        if len(slots) == most:
                            break
        return np.array(wheres, np.int64), np.array(slots, np.uint32).reshape(-1, 4)

    def _weigh(self, edge: Held, sign: int) -> None:
        for totals in self._totals.values():
            totals.count(edge, sign)

    def _hide(self, edge: Held) -> None:
        """Mark an edge of the rows as gone."""
        if self._gone is None:
            self._gone = np.zeros(len(self.rows.place), np.bool_)
        self._gone[edge.num] = True
        self._hidden[edge.num] = edge

    def _take_out(self, edge: Held) -> None:
        """Take an edge out of the lists of its ends."""
        for node, seen in _ends(edge):
            row = self._beside[node]
            del row[bisect_left(row, seen)]
            if not row:
                del self._beside[node]


class Totals:
    """What the edges beside each node weigh together, for one way to count kinds."""

    def __init__(self, sums: Ints, gains: Floats) -> None:
        self._gains = gains.tolist()
        self._sums = sums
        self.whole = int(sums.sum())
        """The sum over all nodes."""

    def count(self, edge: Held, sign: int) -> None:
        """Add an edge, or take it off."""
        _, src, dst, units, kind = edge
        weight = sign * round(units * self._gains[kind])
        self._make_room(max(src, dst))
        for node in (src,) if src == dst else (src, dst):
            self._sums[node] += weight
            self.whole += weight

    def of(self, nodes: Ints) -> Ints:
        """Return the totals of nodes."""
        self._make_room(int(nodes.max()))
        return self._sums.take(nodes)

    def _make_room(self, node: int) -> None:
        """Let the sums reach a node's number."""
        if node >= len(self._sums):
            missing = node + node // 8 + 1 - len(self._sums)
            self._sums = np.append(self._sums, np.zeros(missing, np.int64))


def _ends(edge: Held) -> tuple[tuple[int, _Seen], ...]:
    """Return each end of an edge with what it sees; a node beside itself sees the edge once."""
    num, src, dst, weight, kind = edge
    outgoing = src, (-weight, num, dst, kind | OUTGOING)
    return (outgoing,) if src == dst else (outgoing, (dst, (-weight, num, src, kind)))


def _capped(where: Ints, slots: Slots, cap: int) -> tuple[Ints, Slots]:
    """Leave out the weakest slots of nodes that have more than `cap`."""
    counts = np.bincount(where)
    if counts.max(initial=0) <= cap:
        return where, slots
    crowded = np.flatnonzero(counts.take(where) > cap)
    crowded = crowded[strongest(slots.take(crowded, axis=0), where[crowded])]
    rank = np.arange(len(crowded)) - np.searchsorted(where[crowded], where[crowded])
    keep = np.ones(len(where), np.bool_)
    keep[crowded[rank >= cap]] = False
    kept = np.flatnonzero(keep)
    return where.take(kept), slots.take(kept, axis=0)
