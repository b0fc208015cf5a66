"""Vectors in a dictionary: the port in its shortest correct form, for tests.

In: numbers, vectors, facets. Out: what an exact index answers, worked out one node at a time in
Python's own floats. Slow by intent. Its file is JSON with a checksum.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from operator import index
from pathlib import Path
from threading import Lock
from zlib import crc32

import numpy as np
import numpy.typing as npt

from smartbrain.domain.search import Facets, IndexFilter, Scored
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.vector_index import Vector, Vectors, VectorStats, Wanted

FILE = "vectors.json"


class MemoryVectors:
    """The vectors of one embedder; `held` maps a number to its vector and facets."""

    def __init__(self, dimensions: int) -> None:
        self.dimensions = dimensions
        self.held: dict[int, tuple[list[float], Facets]] = {}
        self._lock = Lock()

    def upsert(self, nums: Sequence[int], vectors: Vectors, facets: Sequence[Facets]) -> None:
        """Add or replace nodes."""
        plain, units = _whole(nums), [self._unit(one) for one in vectors]
        if not len(plain) == len(units) == len(facets):
            raise _bad("each node has a number, a vector and facets")
        with self._lock:
            new = zip(plain, zip(units, facets, strict=True), strict=True)
            self.held = self.held | dict(new)

    def remove(self, nums: Sequence[int]) -> None:
        """Take nodes out."""
        gone = set(_whole(nums))
        with self._lock:
            self.held = {num: one for num, one in self.held.items() if num not in gone}

    def search(
        self,
        vector: Vector,
        *,
        k: int,
        only: IndexFilter | None = None,
        also: Sequence[Wanted] = (),
    ) -> list[Scored]:
        """Compare with every node, for each that is wanted anew."""
        unit, found = self._unit(vector), set()
        for wanted in (Wanted(k, only), *also):
            found.update(self._nearest(unit, wanted.k, wanted.only or IndexFilter()))
        return sorted(found, key=lambda one: (-one.score, one.num))

    def _nearest(self, unit: list[float], k: int, only: IndexFilter) -> list[Scored]:
        if k < 1:
            raise _bad(f"k is positive, not {k}")
        scored = [
            Scored(num, math.fsum(x * y for x, y in zip(unit, held, strict=True)))
            for num, (held, facets) in self.held.items()
            if only.admits(facets)
        ]
        return sorted(scored, key=lambda one: (-one.score, one.num))[:k]

    def vectors(self, nums: Sequence[int]) -> npt.NDArray[np.float32]:
        """Return the vectors of nodes, zeros for those that are not there."""
        nothing = ([0.0] * self.dimensions, Facets())
        rows = [self.held.get(num, nothing)[0] for num in _whole(nums)]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dimensions)

    def load(self, folder: Path) -> None:
        """Read the file that `save` wrote."""
        try:
            line, check = (folder / FILE).read_bytes().split(b"\n")
        except (FileNotFoundError, ValueError):
            raise _corrupt(folder) from None
        if check != b"%08x" % crc32(line):
            raise _corrupt(folder)
        saved = json.loads(line)
        if saved["dimensions"] != self.dimensions:
            raise _corrupt(folder)
        self.held = {
            num: (vector, Facets.from_dict(facets)) for num, vector, facets in saved["held"]
        }

    def save(self, folder: Path) -> None:
        """Write everything into one file."""
        if not folder.is_dir() or any(folder.iterdir()):
            raise UsageError(f"{folder} is not an empty folder; save into a new one")
        held = [(num, vector, facets.to_dict()) for num, (vector, facets) in self.held.items()]
        line = json.dumps({"dimensions": self.dimensions, "held": held}).encode()
        (folder / FILE).write_bytes(b"%s\n%08x" % (line, crc32(line)))

    def stats(self) -> VectorStats:
        """Count what is held, eight bytes a number."""
        count = len(self.held)
        return VectorStats(kind="memory", count=count, bytes=8 * count * self.dimensions)

    def _unit(self, vector: Vector) -> list[float]:
        try:
            parts = [float(part) for part in vector]
        except (TypeError, ValueError):
            raise _bad("a vector is a row of numbers") from None
        length = math.hypot(*parts)
        if len(parts) != self.dimensions or not 0 < length < math.inf:
            raise _bad(f"a vector here has {self.dimensions} finite parts, not all of them zero")
        return [part / length for part in parts]


def _whole(nums: Sequence[int]) -> list[int]:
    try:
        plain = [index(num) for num in nums]
    except TypeError:
        raise _bad("a node's number is a whole number") from None
    if plain and min(plain) < 0:
        raise _bad("a node's number is not negative")
    return plain


def _bad(sentence: str) -> UsageError:
    return UsageError(sentence, code="bad_value")


def _corrupt(folder: Path) -> AdapterError:
    return AdapterError(f"{folder} holds no whole index; rebuild it", code="corrupt")
