"""The edges in compressed rows: for every node its edges, strongest first, in flat arrays.

In: columns of edges. Out: slices of them for many nodes at once, without a Python loop. Immutable:
what changes afterwards waits in the index's delta until the rows are built anew.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from smartbrain.domain.graph import EdgeType
from smartbrain.errors import AdapterError

TYPES: Final = tuple(EdgeType)
CODES: Final = {kind: code for code, kind in enumerate(TYPES)}
_STEPS: Final = 4095.0
OUTGOING: Final = 128
"""The flag of a slot whose node is the edge's source."""

Array = NDArray[Any]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class Columns(NamedTuple):
    """Edges as columns, one entry an edge."""

    num: Array
    src: Array
    dst: Array
    type: Array
    layers: Array
    weight: Array


def strength(weight: Array) -> Array:
    """Return by what edges of a node are ordered: the weight in coarse steps, stronger first.

    Coarse, so that rows and delta agree on every tie; the edge's number decides within a step.
    """
    steps = np.rint(np.clip(weight, 0.0, 1.0) * _STEPS)
    order: Array = (_STEPS - steps).astype(np.int32)
    return order


@dataclass(frozen=True, slots=True)
class Rows:
    """Both directions of every edge, grouped by node; `start[n]:start[n + 1]` are node n's."""

    start: Array
    node: Array
    edge: Array
    type: Array
    flags: Array
    weight: Array

    @classmethod
    def build(cls, columns: Columns) -> Rows:
        """Sort edges into rows."""
        near = np.concatenate([columns.src, columns.dst])
        far = np.concatenate([columns.dst, columns.src])
        edge = np.concatenate([columns.num, columns.num])
        outgoing = np.repeat(np.array([OUTGOING, 0], np.uint8), len(columns.num))
        flags = np.concatenate([columns.layers, columns.layers]) | outgoing
        weight = np.concatenate([columns.weight, columns.weight])
        order = np.lexsort((edge, strength(weight), near)) if len(near) else near.astype(np.int64)
        size = int(near.max()) + 1 if len(near) else 0
        start = np.zeros(size + 1, np.int64)
        np.cumsum(np.bincount(near, minlength=size), out=start[1:])
        types = np.concatenate([columns.type, columns.type])
        return cls(start, far[order], edge[order], types[order], flags[order], weight[order])

    @classmethod
    def empty(cls) -> Rows:
        """Return rows without edges."""
        none = np.zeros(0, np.int32)
        few = np.zeros(0, np.uint8)
        return cls.build(Columns(none, none, none, few, few, np.zeros(0, np.float32)))

    def columns(self) -> Columns:
        """Return the edges as columns again, each once, in the order of their numbers."""
        mine = np.flatnonzero(self.flags & OUTGOING)
        mine = mine[np.argsort(self.edge[mine], kind="stable")]
        near = np.repeat(np.arange(len(self.start) - 1, dtype=np.int32), np.diff(self.start))
        return Columns(
            self.edge[mine],
            near[mine],
            self.node[mine],
            self.type[mine],
            self.flags[mine] & ~np.uint8(OUTGOING),
            self.weight[mine],
        )

    def slots(self, nodes: Ints, most: int) -> tuple[Ints, Ints]:
        """Return (which of `nodes`, slot) for the first `most` edges of each node, in order."""
        known = np.minimum(nodes, len(self.start) - 2) if len(self.start) > 1 else nodes * 0
        begin = self.start[known] if len(self.start) > 1 else np.zeros(len(nodes), np.int64)
        end = self.start[known + 1] if len(self.start) > 1 else begin
        length = np.where(known == nodes, np.minimum(end - begin, most), 0)
        total = int(length.sum())
        shift = np.repeat(begin - (np.cumsum(length) - length), length)
        return np.repeat(np.arange(len(nodes)), length), shift + np.arange(total)

    def save(self, folder: Path) -> None:
        """Write each array into a file of its own."""
        for field in fields(self):
            np.save(folder / f"{field.name}.npy", getattr(self, field.name), allow_pickle=False)

    @classmethod
    def load(cls, folder: Path) -> Rows:
        """Map saved arrays into memory.

        Raises:
            AdapterError: code `corrupt`; a file is missing or is not what `save` wrote.
        """
        try:
            rows = cls(
                **{
                    field.name: np.load(
                        folder / f"{field.name}.npy", mmap_mode="r", allow_pickle=False
                    )
                    for field in fields(cls)
                }
            )
        except (OSError, ValueError, EOFError) as error:
            raise _corrupt(folder) from error
        slots = len(rows.node)
        sizes = {len(getattr(rows, field.name)) for field in fields(cls)[1:]}
        kinds = [getattr(rows, field.name).dtype.str for field in fields(cls)]
        if sizes != {slots} or kinds != _DTYPES or not _is_partition(rows.start, slots):
            raise _corrupt(folder)
        return rows

    @property
    def bytes(self) -> int:
        """What the arrays take."""
        return sum(getattr(self, field.name).nbytes for field in fields(self))


_DTYPES: Final = ["<i8", "<i4", "<i4", "|u1", "|u1", "<f4"]


def _is_partition(start: Array, slots: int) -> bool:
    """Tell whether row starts begin at 0, never fall and end at the number of slots."""
    if not len(start) or start[0] != 0 or start[-1] != slots:
        return False
    return bool((np.diff(start) >= 0).all())


def _corrupt(folder: Path) -> AdapterError:
    """Build the error of files that cannot be read back."""
    return AdapterError(f"{folder}: the saved graph is damaged; it is built anew", code="corrupt")
