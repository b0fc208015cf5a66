"""The edges of a graph in flat arrays, and what changed since these were built.

In: edges as the port gives them. Out: the strongest edges of many nodes at once, from rows and
changes alike, and what all edges beside a node weigh. A kind is an edge's type, its layers and, in
a slot (an edge as one of its ends sees it), whether the edge points away, packed into one number.
Rows never change: beyond a few per cent of changes the index builds them anew. As files they are
the bare arrays, little-endian. Not safe to use from two threads at once.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.graph_search import (
    WEIGHT_UNITS,
    GraphEdge,
    GraphLayer,
    Neighbour,
    Spread,
    weight_units,
)
from smartbrain.errors import AdapterError
from smartbrain.ports.blobs import disk_error
from smartbrain.ports.graph_index import check_folder

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Edges = NDArray[np.uint32]
"""Columns in the order of the fields of Held."""
Slots = NDArray[np.uint32]
"""One slot a line: NODE, EDGE, WEIGHT, KIND."""

NODE, EDGE, WEIGHT, KIND = range(4)

KINDS: Final = 512
"""How many kinds there can be."""
OUTGOING: Final = 256
"""The bit in the kind of a slot whose node is the edge's source."""
REMOVED: Final = KINDS
"""The kind of a record that takes its edge away."""

_LOW: Final = 2**32 - 1
_TYPES: Final = tuple(EdgeType)
FORM: Final = f"{KINDS} kinds of {' '.join(_TYPES)}"
"""What saved kinds mean; files of another form are built anew."""
_CODES: Final = {kind: code for code, kind in enumerate(_TYPES)}
_LAYER_SHIFT: Final = 5
_CODE_OF: Final = np.arange(KINDS) & ((1 << _LAYER_SHIFT) - 1)
_LAYERS_OF: Final = np.arange(KINDS) >> _LAYER_SHIFT & (OUTGOING >> _LAYER_SHIFT) - 1


class Held(NamedTuple):
    """An edge as it is kept; its kind REMOVED takes away what has this number."""

    num: int
    src: int = 0
    dst: int = 0
    weight: int = 0
    kind: int = REMOVED


def held(edge: GraphEdge) -> Held:
    """Return an edge in the units and codes that the index keeps."""
    num, src, dst, kind, weight, layers = edge
    return Held(num, src, dst, weight_units(weight), _CODES[kind] | int(layers) << _LAYER_SHIFT)


def columns(edges: Iterable[Held]) -> Edges:
    """Return edges as columns."""
    return np.array([*edges], np.uint32).reshape(-1, len(Held._fields)).T


def neighbour(slot: Slots) -> Neighbour:
    """Return a slot as the port gives it."""
    node, edge, weight, kind = slot.tolist()
    edge_type = _TYPES[int(_CODE_OF[kind])]
    return Neighbour(node, edge, edge_type, weight / WEIGHT_UNITS, bool(kind & OUTGOING))


def strongest(slots: Slots, where: Ints) -> Ints:
    """Return the order of slots by their node, then by strength; ties by the lower edge number."""
    order = np.arange(len(slots))
    for keys in (slots[:, EDGE], ~slots[:, WEIGHT], where):
        order = order[sorted_pairs(keys[order], np.arange(len(order)))[1]]
    return order


def sorted_pairs(high: NDArray[Any], low: NDArray[Any]) -> tuple[Ints, Ints]:
    """Sort pairs of numbers below 2**32 as one number each, which beats any argsort."""
    packed = high.astype(np.uint64) << np.uint64(32) | low.astype(np.uint64)
    packed.sort()
    return (packed >> np.uint64(32)).astype(np.int64), (packed & np.uint64(_LOW)).astype(np.int64)


def gains(multipliers: Mapping[EdgeType, float], layer: GraphLayer) -> Floats:
    """Return what a weight is multiplied by, by the edge's kind; 0 if it does not count."""
    by_code = np.zeros(1 << _LAYER_SHIFT)
    by_code[: len(_TYPES)] = [multipliers.get(kind, 0.0) for kind in _TYPES]
    table: Floats = by_code[_CODE_OF] * ((_LAYERS_OF & int(layer)) != 0)
    return table


@lru_cache(maxsize=16)  # as many as rules differ in; walk after walk goes by the same
def gains_of(
    types: tuple[EdgeType, ...],
    weights: tuple[tuple[EdgeType, float], ...],
    other: float,
    layer: GraphLayer,
) -> Floats:
    """Return the gains of a spread, to be read only, by what it says of types and layer."""
    how = Spread(types=types, type_weights=dict(weights), other_weight=other)
    return gains(how.multipliers(), layer)


def admitted(types: Sequence[EdgeType], layer: GraphLayer) -> Bools:
    """Return whether an edge is to be seen, by its kind; all types where none is named."""
    return gains(dict.fromkeys(types or _TYPES, 1.0), layer) > 0


def by_type(counts: Ints) -> dict[str, int]:
    """Return how many edges there are of each type that there is, from counts by kind."""
    sums = np.bincount(_CODE_OF, weights=counts, minlength=len(_TYPES)).tolist()
    return {kind.value: int(count) for kind, count in zip(_TYPES, sums, strict=False) if count}


def by_layer(counts: Ints) -> dict[str, int]:
    """Return how many edges there are in each layer that has any, from counts by kind."""
    sums = {str(layer.name): int(counts[(_LAYERS_OF & layer) != 0].sum()) for layer in GraphLayer}
    return {name: count for name, count in sums.items() if count}


_NOWHERE: Final = 2**32 - 1
_WIDEN: Final = 2
_BLOCK: Final = 1 << 16
_FILES: Final[dict[str, Any]] = {"start": "<i8", "slots": "<u4", "place": "<u4", "kinds": "<i8"}
_HEADER: Final = "header"


@dataclass(frozen=True, slots=True)
class Rows:
    """Both ends of every edge, grouped by node; `start[n]:start[n + 1]` are node n's slots.

    `place` is the slot of an edge at its source, by the edge's number; `kinds` counts the edges of
    each kind. A node beside itself has one slot for that edge.
    """

    start: Ints
    slots: Slots
    place: NDArray[np.uint32]
    kinds: Ints

    @classmethod
    def build(cls, edges: Edges) -> Rows:
        """Sort edges into rows; each number comes once."""
        num, src, dst, weight, kind = edges
        place = np.full(int(num.max()) + 1 if len(num) else 0, _NOWHERE, np.uint32)
        place[num] = np.arange(len(num), dtype=np.uint32)
        by_strength = place[sorted_pairs(~weight, num)[1]]
        ends = np.column_stack([src[by_strength], dst[by_strength]]).ravel()
        near, end = sorted_pairs(ends, np.arange(len(ends)))
        far = ends[end ^ 1]
        once = (end & 1 == 0) | (near != far)
        near, far, end = near[once], far[once], end[once]
        edge, outgoing = by_strength[end >> 1], end & 1 == 0
        slots = np.empty((len(end), 4), np.uint32)
        slots[:, NODE] = far
        slots[:, EDGE] = num[edge]
        slots[:, WEIGHT] = weight[edge]
        slots[:, KIND] = kind[edge] + np.where(outgoing, np.uint32(OUTGOING), np.uint32(0))
        start = np.zeros(int(near[-1]) + 2 if len(near) else 1, np.int64)
        np.cumsum(np.bincount(near, minlength=len(start) - 1), out=start[1:])
        place[slots[outgoing, EDGE]] = np.flatnonzero(outgoing)
        return cls(start, slots, place, np.bincount(kind, minlength=KINDS))

    @classmethod
    def empty(cls) -> Rows:
        return cls.build(columns([]))

    def changed(self, changes: Sequence[Edges]) -> Rows:
        """Return rows with later edges in the place of earlier ones of the same number."""
        edges = np.concatenate([self.edges(), *changes], axis=1)
        num, _, _, _, kind = edges
        last = np.zeros(int(num.max(initial=0)) + 1, np.int64)
        last[num] = np.arange(len(num))
        return Rows.build(edges[:, (last[num] == np.arange(len(num))) & (kind != REMOVED)])

    def edges(self) -> Edges:
        slot = self.place[self.place != _NOWHERE]
        slots = self.slots.take(slot, axis=0)
        src = np.repeat(np.arange(self.nodes, dtype=np.uint32), np.diff(self.start))[slot]
        num, dst, kind = slots[:, EDGE], slots[:, NODE], slots[:, KIND] ^ np.uint32(OUTGOING)
        for numbers, most in ((num, len(self.place)), (dst, self.nodes), (kind, KINDS)):
            if len(numbers) and numbers.max() >= most:
                raise IndexError("a number leads out of the rows")
        return np.array([num, src, dst, slots[:, WEIGHT], kind])

    def edge(self, num: int) -> Held | None:
        slot = int(self.place[num]) if num < len(self.place) else _NOWHERE
        if slot == _NOWHERE:
            return None
        node, edge, weight, kind = self.slots[slot].tolist()
        if edge != num or node >= self.nodes or kind >= KINDS:
            raise IndexError(f"edge {num} is not where it should be")
        src = int(np.searchsorted(self.start, slot, side="right")) - 1
        return Held(num, src, node, weight, kind ^ OUTGOING)

    def first(
        self, nodes: Ints, admitted: Bools, cap: int, gone: Bools | None
    ) -> tuple[Ints, Slots]:
        """Return the strongest slots of each node, each with the index of its node in `nodes`.

        They are those whose kind is admitted and whose edge is not gone, at least `cap` of a node
        where there are so many; it may get more where some did not count.
        """
        who = np.flatnonzero(nodes < self.nodes)
        begin, end = self.start[nodes[who]], self.start[nodes[who] + 1]
        found = np.zeros(len(who), np.int64)
        window = min(cap, len(self.slots))
        parts = [(np.zeros(0, np.int64), np.zeros((0, 4), np.uint32))]
        while len(who):
            stop = np.minimum(begin + window, end)
            where, slot = _ranges(begin, stop)
            slots = self.slots.take(slot, axis=0)
            keep = admitted.take(slots[:, KIND])
            if gone is not None:
                keep &= ~gone.take(slots[:, EDGE])
            if keep.all():
                parts.append((who.take(where), slots))
                break
            kept = np.flatnonzero(keep)
            where = where.take(kept)
            parts.append((who.take(where), slots.take(kept, axis=0)))
            found += np.bincount(where, minlength=len(who))
            short = (found < cap) & (stop < end)
            who, begin, end, found = who[short], stop[short], end[short], found[short]
            window *= _WIDEN
        if len(parts) == 2:
            return parts[1]
        wheres, found_slots = zip(*parts, strict=True)
        return np.concatenate(wheres), np.concatenate(found_slots)

    def totals(self, gains: Floats) -> Ints:
        """Return what the edges beside each node weigh together, by what each kind counts."""
        totals = np.empty(self.nodes, np.int64)
        for low in range(0, self.nodes, _BLOCK):
            start = self.start[low : low + _BLOCK + 1]
            slots = self.slots[start[0] : start[-1]]
            sums = np.zeros(len(slots) + 1, np.int64)
            weights = np.rint(slots[:, WEIGHT] * gains[slots[:, KIND]]).astype(np.int64)
            np.cumsum(weights, out=sums[1:])
            totals[low : low + _BLOCK] = np.diff(sums[start - start[0]])
        return totals

    def save(self, folder: Path) -> None:
        try:
            check_folder(folder)
            for name, dtype in _FILES.items():
                array = np.ascontiguousarray(getattr(self, name), dtype)
                (folder / name).write_bytes(array.reshape(-1).view(np.uint8).data)
            (folder / _HEADER).write_text(self._header(), encoding="ascii")
        except OSError as error:
            raise disk_error(error, f"save the graph in {folder}") from error

    @classmethod
    def load(cls, folder: Path) -> Rows:
        """Read saved arrays; mapped, a file that another cuts off would end the process."""
        try:
            rows = cls(**{name: _read(folder / name, dtype) for name, dtype in _FILES.items()})
            header = (folder / _HEADER).read_text(encoding="ascii")
        except (OSError, ValueError) as error:
            raise _corrupt(folder) from error
        start = rows.start
        whole = header == rows._header() and len(rows.kinds) == KINDS and len(start) > 0
        if not whole or start[0] != 0 or start[-1] != len(rows.slots):
            raise _corrupt(folder)
        if bool((start[1:] < start[:-1]).any()):
            raise _corrupt(folder)
        return rows

    def _header(self) -> str:
        """Return how numbers are to be read and how many there are, to know other or cut files."""
        sizes = " ".join(f"{name} {len(getattr(self, name))}" for name in _FILES)
        return f"{FORM}\n{sizes}\n"

    @property
    def nodes(self) -> int:
        """One more than the highest node number."""
        return len(self.start) - 1

    @property
    def bytes(self) -> int:
        return sum(int(getattr(self, name).nbytes) for name in _FILES)


@contextmanager
def damage_shown() -> Iterator[None]:
    """Say of numbers that lead out of the arrays what they mean: the loaded files were damaged."""
    try:
        yield
    except IndexError as error:
        raise _corrupt("the loaded files") from error


def _corrupt(where: object) -> AdapterError:
    return AdapterError(f"{where}: the saved graph is damaged; build it anew", code="corrupt")


def _ranges(begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Return the numbers of many ranges one after another, each with the index of its range."""
    length = end - begin
    where = np.repeat(np.arange(len(length)), length)
    shift = begin - (np.cumsum(length) - length)
    return where, shift.take(where) + np.arange(len(where))


def _read(path: Path, dtype: Any) -> Any:
    if path.stat().st_size % np.dtype(dtype).itemsize:
        raise ValueError(f"{path} does not end with a whole number")
    array = np.fromfile(path, dtype)
    return array.reshape(-1, 4) if path.name == "slots" else array


_MOST_TOTALS: Final = 4

_Seen = tuple[int, int, int, int]
"""An edge beside a node, in the order of strength: minus its weight, its number, node, kind."""


class DeltaGraph:
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
        return len(self._changes)

    def put(self, change: Held) -> None:
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
        return [*self._changes.values()]

    def tally(self) -> Iterator[tuple[Held, int]]:
        """Yield each edge that the changes bring with 1, and each that they take with -1."""
        yield from ((edge, -1) for edge in self._hidden.values())
        yield from ((edge, 1) for edge in self._changes.values() if edge.kind != REMOVED)

    def beside(self, nodes: Ints, admitted: Bools, cap: int) -> tuple[Ints, Slots]:
        """Return the `cap` strongest slots of each node whose kind is admitted, as `Rows.first`."""
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

    def inherit(self, other: DeltaGraph) -> None:
        self._totals = other._totals

    def _first(self, nodes: Ints, admitted: Bools, cap: int) -> tuple[Ints, Slots]:
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
        if self._gone is None:
            self._gone = np.zeros(len(self.rows.place), np.bool_)
        self._gone[edge.num] = True
        self._hidden[edge.num] = edge

    def _take_out(self, edge: Held) -> None:
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
        _, src, dst, units, kind = edge
        weight = sign * round(units * self._gains[kind])
        self._make_room(max(src, dst))
        for node in (src,) if src == dst else (src, dst):
            self._sums[node] += weight
            self.whole += weight

    def of(self, nodes: Ints) -> Ints:
        self._make_room(int(nodes.max()))
        return self._sums.take(nodes)

    def _make_room(self, node: int) -> None:
        if node >= len(self._sums):
            missing = node + node // 8 + 1 - len(self._sums)
            self._sums = np.append(self._sums, np.zeros(missing, np.int64))


def _ends(edge: Held) -> tuple[tuple[int, _Seen], ...]:
    """Return each end of an edge with what it sees; a node beside itself sees the edge once."""
    num, src, dst, weight, kind = edge
    outgoing = src, (-weight, num, dst, kind | OUTGOING)
    return (outgoing,) if src == dst else (outgoing, (dst, (-weight, num, src, kind)))


def _capped(where: Ints, slots: Slots, cap: int) -> tuple[Ints, Slots]:
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
