"""The rows of an index, and how they stand at one moment.

`Rows` only grows: number, vector and facets of each node as it was given; a changed node is a new
row. `State` says which rows count: it is never changed, a change makes the next one, so a search,
a save or a training that took one works on as if nothing else happened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from smartbrain.adapters.faiss.chunks import Chunks, Floats
from smartbrain.adapters.faiss.facets import REMEMBERED, FacetColumns, Mask, times_of
from smartbrain.adapters.faiss.files import Pieces
from smartbrain.adapters.faiss.growing import Growing
from smartbrain.domain.search import Facets, IndexFilter

Bits = npt.NDArray[np.uint8]
RowNumbers = npt.NDArray[np.int64]


class Rows:
    """Numbers, vectors and facets; written by one thread at a time, read by any."""

    def __init__(self, dimensions: int, full: float) -> None:
        self.nums = Growing(np.int64)
        self.vectors = Chunks(dimensions, full)
        self.facets = FacetColumns()

    @property
    def count(self) -> int:
        """How many rows are written."""
        return self.nums.count

    def extend(self, nums: Sequence[int], units: Floats, facets: Sequence[Facets]) -> None:
        """Add rows at the end.

        Raises:
            UsageError: `bad_time`: a time has no UTC offset; nothing is added.
        """
        times = times_of(facets)
        self.vectors.extend(units)
        self.facets.extend(facets, times)
        self.nums.extend(np.array(nums, dtype=np.int64))

    def same(self, row: int, unit: Floats, facets: Facets) -> bool:
        """Tell whether a row already says this."""
        return self.vectors.same(row, unit) and self.facets.at(row) == facets

    @property
    def nbytes(self) -> int:
        """The memory of all of it."""
        return self.nums.nbytes + self.vectors.nbytes + self.facets.nbytes


@dataclass(slots=True)
class Admitted:
    """The rows of one state that may answer: how many, and which (None is all)."""

    count: int
    mask: Mask | None = None
    _bits: Bits | None = None

    def rows(self, start: int, stop: int) -> RowNumbers:
        """Return the admitted rows of a range."""
        if self.mask is None:
            return np.arange(start, stop)
        return np.flatnonzero(self.mask[start:stop]) + start

    def bits(self, places: npt.NDArray[Any] | slice) -> Bits | None:
        """Return the mask at the places that the state's trained index has, packed, made once."""
        if self._bits is None and self.mask is not None:
            self._bits = np.packbits(self.mask[places], bitorder="little")
        return self._bits


class Group(NamedTuple):
    """So many of the nearest among rows that may answer; there are as many."""

    k: int
    admitted: Admitted


class TrainedIndex(Protocol):
    """An index over the first `count` rows; nothing in it ever changes."""

    kind: str
    count: int

    @property
    def nbytes(self) -> int:
        """Its memory beside the rows'.

        Raises:
            Nothing: it is known.
        """
        ...

    def nearest(self, query: Floats, k: int, admitted: Admitted, share: float) -> RowNumbers:
        """Return rows among which the `k` nearest are, most likely; `share` of all are admitted.

        Raises:
            Nothing: the query was checked.
        """
        ...

    def head(self) -> dict[str, Any]:
        """Return what is to be saved of it as plain data.

        Raises:
            Nothing: no file is touched.
        """
        ...

    def arrays(self) -> Mapping[str, Pieces]:
        """Return what is to be saved of it as arrays.

        Raises:
            Nothing: no file is touched.
        """
        ...


@dataclass(frozen=True, slots=True)
class State:
    """The first `count` rows, which of them are alive, and how they are searched.

    `where` names the row of each living number. `trained` has the first rows, `codes` one bit a
    dimension of the others, where faiss is used. Not to be changed, except `where` by the writer.
    """

    rows: Rows
    count: int = 0
    alive: Mask = field(default_factory=lambda: np.empty(0, dtype=np.bool_))
    live: int = 0
    where: dict[int, int] = field(default_factory=dict)
    trained: TrainedIndex | None = None
    codes: Growing | None = None
    remembered: dict[IndexFilter | None, Admitted] = field(default_factory=dict)

    @property
    def dead(self) -> int:
        """How many rows no longer count."""
        return self.count - self.live

    @property
    def indexed(self) -> int:
        """How many rows, from the first, the trained index knows of."""
        return 0 if self.trained is None else self.trained.count

    def changed(self, alive: Mask) -> State:
        """Return the state after rows were added or died."""
        return replace(self, count=len(alive), alive=alive, live=len(self.where), remembered={})

    def admitted(self, only: IndexFilter | None) -> Admitted:
        """Return which rows may answer.

        Raises:
            UsageError: `bad_time`: the filter has a time without a UTC offset.
        """
        if only == IndexFilter():
            only = None
        known = self.remembered.get(only)
        if known is None:
            known = self._admitted(only)
            if len(self.remembered) >= REMEMBERED:
                self.remembered.clear()
            self.remembered[only] = known
        return known

    def _admitted(self, only: IndexFilter | None) -> Admitted:
        if only is None:
            return Admitted(self.live, self.alive if self.dead else None)
        mask = self.rows.facets.mask(only, self.count)
        if self.dead:
            mask = mask & self.alive
        count = int(np.count_nonzero(mask))
        # What admits every row is no filter, and nothing has to be picked out for it.
        return Admitted(count, None if count == self.count else mask)
