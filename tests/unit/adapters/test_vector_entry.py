"""What may enter a vector index, and at what precision it is kept.

In: vectors of every awkward kind. Out: rows of length one, or an error that says what to change.
"""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np
import pytest

from smartbrain.adapters.faiss.approximate import FaissVectors
from smartbrain.adapters.faiss.exact import ExactVectors, unit_rows
from smartbrain.adapters.faiss.files import CHUNK, Chunks
from smartbrain.errors import UsageError


@pytest.mark.parametrize("scale", [5e-324, 1e-200, 1e-38, 1.0, 1e38, 1e307])
def test_any_length_becomes_one(scale: float) -> None:
    """Neither the smallest nor the largest numbers that a float holds overflow on the way."""
    (row,) = unit_rows([[scale, -scale, 0.0]], 3)
    half = np.sqrt(np.float32(0.5))
    assert row == pytest.approx([half, -half, 0.0], abs=1e-7)


def test_rows_of_every_sort_are_read() -> None:
    """Arrays of the standard library, integers and half-precision floats are numbers too."""
    rows: Any = [array("f", [3, 4]), [3, 4], (True, False), np.array([3, 4], dtype=np.float16)]
    expected = [[0.6, 0.8], [0.6, 0.8], [1, 0], [0.6, 0.8]]
    assert np.array(expected, dtype=np.float32) == pytest.approx(unit_rows(rows, 2))


@pytest.mark.parametrize(
    ("vectors", "word"),
    [
        ([[1, 2, 3]], "dimensions"),
        ([1, 2], "dimensions"),
        ([[[1, 2]]], "dimensions"),
        ([[1, 2], [1]], "rows of 2"),
        ([["一", "二"]], "rows of 2"),
        ([[1, 1j]], "rows of 2"),
        ([[1, float("nan")]], "finite"),
        ([[1, float("-inf")]], "finite"),
        ([[1, 2], [0, -0.0]], "zeros"),
        (7, "dimensions"),
        (None, "finite|dimensions"),
    ],
)
def test_what_cannot_be_a_vector_says_why(vectors: Any, word: str) -> None:
    """The sentence names what is wrong with the vectors."""
    with pytest.raises(UsageError, match=word) as caught:
        unit_rows(vectors, 2)
    assert "bad_value" == caught.value.code


@pytest.mark.parametrize("dimensions", [0, -1, 65_537])
@pytest.mark.parametrize("make", [ExactVectors, FaissVectors])
def test_dimensions_have_limits(make: Any, dimensions: int) -> None:
    """No index is made that could hold no vector, or only monstrous ones."""
    with pytest.raises(UsageError):
        make(dimensions)


def test_an_unknown_kind_is_refused() -> None:
    """The kinds there are stand in the sentence."""
    kind: Any = "flat"
    with pytest.raises(UsageError, match="ivf_sq8"):
        FaissVectors(3, kind=kind)


def test_sixteen_bits_are_nearly_as_good_as_all() -> None:
    """Kept in 16 bits, cosines of 384 dimensions are off by less than 1e-5 in half the memory."""
    random = np.random.default_rng(5)
    units = unit_rows(random.standard_normal((2_000, 384)), 384)
    full, short = Chunks(384, full=np.inf), Chunks(384, full=0)
    for chunks in (full, short):
        chunks.extend(units)
    exact = units.astype(np.float64) @ units[0]
    assert np.abs(full.score_first(2_000, units[0]) - exact).max() < 1e-6
    assert np.abs(short.score_first(2_000, units[0]) - exact).max() < 1e-5
    assert short.nbytes < 0.51 * full.nbytes
    assert np.abs(short.take(np.arange(2_000)) - units).max() < 1e-5


@pytest.mark.parametrize("full", [0, 1, np.inf])
def test_rows_lie_in_pieces_without_a_seam(full: float) -> None:
    """Rows before, across and after the end of a piece read and score the same, in any order."""
    rows = CHUNK + 100
    angles = np.linspace(0, 3, rows)
    units = np.stack((np.cos(angles), np.sin(angles)), axis=1).astype(np.float32)
    chunks = Chunks(2, full)
    for start in (0, 10, CHUNK - 5, CHUNK - 1):
        chunks.extend(units[chunks.count : start])
    chunks.extend(units[chunks.count :])
    asked = np.array([rows - 1, 0, CHUNK, CHUNK - 1, 9, CHUNK])
    assert units[asked] == pytest.approx(chunks.take(asked), abs=1e-4)
    rising = np.sort(asked)
    query = units[50]
    assert units[rising] @ query == pytest.approx(chunks.score(rising, query), abs=1e-4)
    assert bool((chunks.score_first(rows, query)[rising] == chunks.score(rising, query)).all())


def test_equal_vectors_score_equal_wherever_they_lie() -> None:
    """The same vector in 3,000 places has one score, scanned or picked out, so ties are ties."""
    random = np.random.default_rng(6)
    units = unit_rows(random.standard_normal((9_000, 101)), 101)
    places = np.sort(random.choice(9_000, 3_000, replace=False))
    units[places] = units[0]
    chunks = Chunks(101, np.inf)
    chunks.extend(units)
    query = units[1]
    scanned = chunks.score_first(9_000, query)[places]
    picked = chunks.score(places, query)
    assert 1 == len({*scanned.tolist(), *picked.tolist()})
