"""Vectors of length one, row after row, in pieces that are never moved once they are full.

In: float32 rows, at the end. Out: the rows again and their cosine with a query. A piece keeps them
as they came (float32), or as 16-bit parts with one scale a row: half the memory, a cosine off by
about 1.5e-6, where half-precision floats are off by 1e-5 and eight times slower to read in numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from smartbrain.adapters.faiss.growing import Growing

CHUNK: Final = 131_072
"""Rows of a piece; the last piece grows up to this by doubling."""
BLOCK: Final = 4_096
"""Rows that are scored at once, so that what is made on the way stays in the cache."""
_SIXTEEN_BITS: Final = 32_767

Floats = npt.NDArray[np.float32]
Rows = npt.NDArray[np.int64]

_rows_times: Final[Callable[[Floats, Floats], Floats]] = getattr(
    np, "vecdot", partial(np.einsum, "ij,j->i")
)
"""Rows times a vector; numpy 2 has its own function for it, which takes half of the time."""


class Chunk(NamedTuple):
    """One piece: rows in full without scales, or 16-bit parts with them."""

    parts: Growing
    scales: Growing | None

    @classmethod
    def empty(cls, dimensions: int, *, full: bool) -> Chunk:
        """Return a piece without rows."""
        if full:
            return cls(Growing(np.float32, dimensions), None)
        return cls(Growing(np.int16, dimensions), Growing(np.float32))

    def extend(self, units: Floats) -> None:
        """Add rows."""
        parts, scales = self.packed(units)
        if self.scales is not None:
            self.scales.extend(scales)
        self.parts.extend(parts)

    def packed(self, units: Floats) -> tuple[npt.NDArray[Any], Floats]:
        """Return rows as this piece keeps them, and their scales."""
        scales = np.abs(units).max(axis=1) / np.float32(_SIXTEEN_BITS)
        if self.scales is None:
            return units, scales
        return np.rint(units / scales[:, None]).astype(np.int16), scales

    def read(self, rows: Rows | slice) -> tuple[Floats, Floats | None]:
        """Return the parts of rows as floats, and their scales if they are yet to be applied."""
        held = self.parts.first(self.parts.count)
        parts = held[rows] if isinstance(rows, slice) else held.take(rows, axis=0)
        if self.scales is None:
            return parts, None
        return parts.astype(np.float32), self.scales.first(self.scales.count)[rows]

    def same(self, row: int, unit: Floats) -> bool:
        """Tell whether a row is what would be kept of this vector."""
        parts, scales = self.packed(unit[None])
        return bool((self.parts.first(row + 1)[row] == parts[0]).all()) and (
            self.scales is None or bool(self.scales.first(row + 1)[row] == scales[0])
        )


class Chunks:
    """All rows; those of pieces that begin before row `full` are kept in float32."""

    def __init__(self, dimensions: int, full: float) -> None:
        self.dimensions = dimensions
        self.full = full
        self.count = 0
        self.pieces: list[Chunk] = []

    def extend(self, units: Floats) -> None:
        """Add rows at the end."""
        while len(units):
            inside = self.count % CHUNK
            if inside == 0:
                self.pieces.append(Chunk.empty(self.dimensions, full=self.count < self.full))
            taken = units[: CHUNK - inside]
            self.pieces[-1].extend(taken)
            self.count += len(taken)
            units = units[len(taken) :]

    def same(self, row: int, unit: Floats) -> bool:
        """Tell whether a row is what would be kept of this vector."""
        return self.pieces[row // CHUNK].same(row % CHUNK, unit)

    def take(self, rows: Rows) -> Floats:
        """Return rows as float32, in the order asked for."""
        if (rows[1:] < rows[:-1]).any():
            rising, places = np.unique(rows, return_inverse=True)
            return self.take(rising)[places]
        taken = np.empty((len(rows), self.dimensions), dtype=np.float32)
        for piece, inside, start in self._blocks(rows):
            parts, scales = piece.read(inside)
            factors = 1 if scales is None else scales[:, None]
            np.multiply(parts, factors, out=taken[start : start + len(inside)])
        return taken

    def score(self, rows: Rows, query: Floats) -> Floats:
        """Return the cosines of rows, which must be in rising order.

        Equal rows get equal scores wherever they lie: each is summed by itself, in one order.
        """
        scores = np.empty(len(rows), dtype=np.float32)
        for piece, inside, start in self._blocks(rows):
            scores[start : start + len(inside)] = _dots(*piece.read(inside), query)
        return scores

    def score_first(self, count: int, query: Floats) -> Floats:
        """Return the cosines of the first `count` rows."""
        scores = np.empty(count, dtype=np.float32)
        for start in range(0, count, BLOCK):
            stop, inside = min(count, start + BLOCK), start % CHUNK
            block = slice(inside, inside + stop - start)
            scores[start:stop] = _dots(*self.pieces[start // CHUNK].read(block), query)
        return scores

    @property
    def nbytes(self) -> int:
        """The memory of the rows."""
        return sum(
            piece.parts.nbytes + (0 if piece.scales is None else piece.scales.nbytes)
            for piece in self.pieces
        )

    def _blocks(self, rows: Rows) -> Iterator[tuple[Chunk, Rows, int]]:
        """Cut rising rows into blocks of one piece each: the piece, places in it, first index."""
        edges = np.searchsorted(rows, np.arange(len(self.pieces) + 1) * CHUNK)
        for number, piece in enumerate(self.pieces):
            low, high = int(edges[number]), int(edges[number + 1])
            for start in range(low, high, BLOCK):
                yield piece, rows[start : min(high, start + BLOCK)] - number * CHUNK, start


def _dots(parts: Floats, scales: Floats | None, query: Floats) -> Floats:
    """Return the products of rows with a query, each row summed by itself."""
    dots = _rows_times(parts, query)
    return dots if scales is None else dots * scales
