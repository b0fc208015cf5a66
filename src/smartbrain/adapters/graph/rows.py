"""The edges in compressed rows: for every node its edges, strongest first, in flat arrays.

In: edges as columns. Out: the first edges of many nodes at once, without a Python loop. Immutable:
what changes afterwards waits beside the rows until they are built anew. As files they are the bare
arrays, little-endian; whoever keeps them keeps their checksums too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from smartbrain.adapters.graph.records import (
    EDGE,
    FORM,
    KIND,
    KINDS,
    NODE,
    OUTGOING,
    REMOVED,
    WEIGHT,
    Bools,
    Edges,
    Floats,
    Held,
    Ints,
    Slots,
    columns,
    sorted_pairs,
)
from smartbrain.errors import AdapterError
from smartbrain.ports.blobs import disk_error
from smartbrain.ports.graph_index import check_folder

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
        """Return rows without edges."""
        return cls.build(columns([]))

    def changed(self, changes: Sequence[Edges]) -> Rows:
        """Return rows with later edges in the place of earlier ones of the same number."""
        edges = np.concatenate([self.edges(), *changes], axis=1)
        num, _, _, _, kind = edges
        last = np.zeros(int(num.max(initial=0)) + 1, np.int64)
        last[num] = np.arange(len(num))
        return Rows.build(edges[:, (last[num] == np.arange(len(num))) & (kind != REMOVED)])

    def edges(self) -> Edges:
        """Return every edge, in the order of their numbers."""
        slot = self.place[self.place != _NOWHERE]
        slots = self.slots.take(slot, axis=0)
        src = np.repeat(np.arange(self.nodes, dtype=np.uint32), np.diff(self.start))[slot]
        num, dst, kind = slots[:, EDGE], slots[:, NODE], slots[:, KIND] ^ np.uint32(OUTGOING)
        for numbers, most in ((num, len(self.place)), (dst, self.nodes), (kind, KINDS)):
            if len(numbers) and numbers.max() >= most:
                raise IndexError("a number leads out of the rows")
        return np.array([num, src, dst, slots[:, WEIGHT], kind])

    def edge(self, num: int) -> Held | None:
        """Return the edge with a number; None if there is none."""
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
        """Return the strongest admitted slots of each node, at least `cap` where there are so many.

        Args:
            nodes: whose slots.
            admitted: whether a slot counts, by its kind.
            cap: how many of a node are wanted; it may get more where some slots did not count.
            gone: whether an edge no longer counts, by its number.

        Returns:
            For each slot the index of its node in `nodes`, and the slots.
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
        """Write each array into a file of its own.

        Raises:
            UsageError: the folder is not there or not empty.
            AdapterError: the disk is full or failed.
        """
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
        """Read saved arrays; mapped, a file that another cuts off would end the process.

        Raises:
            AdapterError: code `corrupt`; a file is missing or is not what `save` wrote.
        """
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
        """What the arrays take."""
        return sum(int(getattr(self, name).nbytes) for name in _FILES)


@contextmanager
def damage_shown() -> Iterator[None]:
    """Say of numbers that lead out of the arrays what they mean: the loaded files were damaged."""
    try:
        yield
    except IndexError as error:
        raise _corrupt("the loaded files") from error


def _corrupt(where: object) -> AdapterError:
    """Build the error of files that cannot be read back."""
    return AdapterError(f"{where}: the saved graph is damaged; build it anew", code="corrupt")


def _ranges(begin: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Return the numbers of many ranges one after another, each with the index of its range."""
    length = end - begin
    where = np.repeat(np.arange(len(length)), length)
    shift = begin - (np.cumsum(length) - length)
    return where, shift.take(where) + np.arange(len(where))


def _read(path: Path, dtype: Any) -> Any:
    """Read a file as an array."""
    if path.stat().st_size % np.dtype(dtype).itemsize:
        raise ValueError(f"{path} does not end with a whole number")
    array = np.fromfile(path, dtype)
    return array.reshape(-1, 4) if path.name == "slots" else array
