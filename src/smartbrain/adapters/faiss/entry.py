"""What may enter a vector index: checks, and vectors brought to length one.

In: numbers and vectors as callers hand them in. Out: arrays that the rest can trust, or a
UsageError that says what to change. Nothing is stored here.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import index
from typing import Final

import numpy as np
import numpy.typing as npt

from smartbrain.errors import UsageError
from smartbrain.ports.vector_index import Vectors

MOST_DIMENSIONS: Final = 65_536
LARGEST_NUM: Final = 2**63 - 1

Floats = npt.NDArray[np.float32]


def check_dimensions(dimensions: int) -> int:
    """Return the dimensions if an index can have them.

    Raises:
        UsageError: they are not a whole number from 1 to 65,536.
    """
    if not 1 <= dimensions <= MOST_DIMENSIONS:
        raise bad_value(f"an index has 1 to {MOST_DIMENSIONS:,} dimensions, not {dimensions}")
    return dimensions


def check_nums(nums: Sequence[int]) -> list[int]:
    """Return the numbers of nodes as plain integers.

    Raises:
        UsageError: one is not a whole number, negative or too large for a database.
    """
    try:
        plain = [index(num) for num in nums]
    except TypeError:
        raise bad_value("a node's number is a whole number; pass integers") from None
    if plain and not 0 <= min(plain) <= max(plain) <= LARGEST_NUM:
        raise bad_value("a node's number is from 0 to 2**63 - 1; pass the numbers of the truth")
    return plain


def unit_rows(vectors: Vectors, dimensions: int) -> Floats:
    """Return vectors as rows of length one.

    Raises:
        UsageError: they are not numbers, of another dimension, zero or not finite.
    """
    try:
        rows = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError):
        raise bad_value(f"vectors are rows of {dimensions} numbers each") from None
    if rows.size == 0 and rows.ndim < 3 and len(rows) == 0:
        return np.empty((0, dimensions), dtype=np.float32)
    if rows.ndim != 2 or rows.shape[1] != dimensions:
        raise bad_value(
            f"a vector here has {dimensions} dimensions, not the shape {rows.shape[1:]}; "
            "embed with the model that this index is for"
        )
    # The largest part is taken out first, so that no square is too large or too small.
    largest = np.abs(rows).max(axis=1, keepdims=True)
    if not np.isfinite(largest).all():
        raise bad_value("a vector has a part that is not a finite number; embed the text again")
    if not largest.all():
        raise bad_value("a vector of zeros points nowhere; leave the node out")
    rows = rows / largest
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return np.asarray(rows / lengths[:, None], dtype=np.float32)


def check_k(k: int) -> int:
    """Return how many are wanted.

    Raises:
        UsageError: it is not a positive whole number.
    """
    try:
        plain = index(k)
    except TypeError:
        plain = 0
    if plain < 1:
        raise bad_value(f"k is a positive whole number, not {k!r}")
    return plain


def bad_value(sentence: str) -> UsageError:
    """Return the error of a value that cannot enter."""
    return UsageError(sentence, code="bad_value")
