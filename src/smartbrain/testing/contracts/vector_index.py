"""What every vector index must do; an adapter's tests inherit `VectorIndexContract`.

In: a way to make an empty index of a few dimensions. Out: failed asserts where the adapter differs
from the port. The sets are small, so an approximate index must be exact on them. It does not test
training, speed, recall at size, or which damage a file survives.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from smartbrain.domain.search import Facets, IndexFilter, Scored
from smartbrain.ports.vector_index import VectorIndex, Wanted
from smartbrain.testing.contracts import raised

NOON = datetime(2026, 3, 9, 12, tzinfo=UTC)
CLOSE = 1e-5
FACETS = (
    Facets(type="fact", status="active", layer="L0", at=NOON, source="chat/a/1", language="zh"),
    Facets(type="fact", status="superseded", layer="L1", source="chat/b", tags=("工作", "home")),
    Facets(type="episode", status="active", at=NOON - timedelta(days=1), tags=("home",)),
    Facets(type="概念", layer="L2", at=NOON + timedelta(microseconds=1), source="文档/甲"),
)
FILTERS = (
    IndexFilter(),
    IndexFilter(types=("fact",)),
    IndexFilter(types=("概念", "episode")),
    IndexFilter(types=("nothing like it",)),
    IndexFilter(statuses=("active",)),
    IndexFilter(statuses=("",)),
    IndexFilter(layers=("L0", "L2")),
    IndexFilter(since=NOON),
    IndexFilter(until=NOON),
    IndexFilter(since=NOON - timedelta(hours=24), until=NOON + timedelta(microseconds=1)),
    IndexFilter(since=NOON.astimezone(timezone(timedelta(hours=8)))),
    IndexFilter(source_prefix="chat/"),
    IndexFilter(source_prefix="文档"),
    IndexFilter(source_prefix=""),
    IndexFilter(languages=("zh", "en")),
    IndexFilter(tags=("home",)),
    IndexFilter(tags=("工作", "never given")),
    IndexFilter(types=("fact",), statuses=("active",), since=NOON, source_prefix="chat/a"),
)


class VectorIndexContract:
    """The suite; a subclass says how to make the index."""

    def make(self, dimensions: int) -> VectorIndex:
        """Return an empty index."""
        raise NotImplementedError

    def filled(self, count: int = 40, dimensions: int = 8) -> VectorIndex:
        """Return an index of `count` spread vectors with all the facets in turn."""
        index = self.make(dimensions)
        facets = [FACETS[num % len(FACETS)] for num in range(count)]
        index.upsert(range(count), _spread(count, dimensions), facets)
        return index

    def test_an_empty_index_finds_nothing(self) -> None:
        """Nothing is found and nothing is counted before anything was added."""
        index = self.make(3)
        assert index.search([1, 0, 0], k=5) == []
        assert index.stats().count == 0

    def test_scores_are_cosines_whatever_the_lengths(self) -> None:
        """Vectors of any length are compared by their direction alone, down to the opposite."""
        index = self.make(2)
        index.upsert([1, 2, 3, 4], [[3, 0], [0.1, 0.1], [0, 1e-30], [-1e30, 0]], [Facets()] * 4)
        found = index.search([1e-20, 0], k=9)
        assert [one.num for one in found] == [1, 2, 3, 4]
        assert _close([1.0, math.sqrt(0.5), 0.0, -1.0], [one.score for one in found])
        assert all(-1 <= one.score <= 1 for one in found)

    def test_every_form_of_a_vector_is_taken(self) -> None:
        """Lists, tuples and arrays of single and double precision all mean the same."""
        index = self.make(2)
        index.upsert([1], np.array([[1, 2]], dtype=np.float32), [Facets()])
        index.upsert([2], [np.array([1.0, 2.0])], [Facets()])
        index.upsert([3], [(1, 2)], [Facets()])
        found = index.search(np.array([2.0, 4.0], dtype=np.float32), k=3)
        assert [one.num for one in found] == [1, 2, 3]
        assert _close([1.0] * 3, [one.score for one in found])

    def test_what_is_wanted_also_is_as_if_asked_alone(self) -> None:
        """Several filters in one search give what each gives, in one order, no node twice."""
        index = self.filled()
        vector = [1, -2, 3, -4, 5, -6, 7, -8]
        for only, other in pairwise(FILTERS):
            for k, also in ((40, (Wanted(40, other),)), (3, (Wanted(2, other), Wanted(5)))):
                alone = [index.search(vector, k=n, only=one) for n, one in ((k, only), *also)]
                expected = dict(one for found in alone for one in found)
                found = index.search(vector, k=k, only=only, also=also)
                assert sorted(expected) == sorted(one.num for one in found), (only, other)
                assert _close([expected[one.num] for one in found], [one.score for one in found])
                assert found == sorted(found, key=lambda one: (-one.score, one.num))

    def test_vectors_come_back_normalised(self) -> None:
        """The vectors of nodes are returned in the order asked for, zeros for a stranger."""
        index = self.make(2)
        index.upsert([1, 2], [[3, 4], [0, -2]], [Facets()] * 2)
        rows = index.vectors([2, 9, 1, 2])
        assert (str(rows.dtype), rows.shape) == ("float32", (4, 2))
        expected = np.array([[0, -1], [0, 0], [0.6, 0.8], [0, -1]])
        assert bool(np.allclose(expected, rows, atol=CLOSE))
        assert index.vectors([]).shape == (0, 2)

    def test_what_is_no_vector_is_refused(self) -> None:
        """Wrong dimensions, zeros, NaN, infinity and non-numbers are refused everywhere."""
        index = self.filled(count=4, dimensions=2)
        before = _answers(index)
        wrong: list[Any] = [[1], [1, 2, 3], [], [0, 0], [math.nan, 1], [1, math.inf], ["a", "b"]]
        for vector in (*wrong, [None, 1], [[1, 2]], 5):
            refused = (
                raised(index.search, vector, k=1),
                raised(index.upsert, [1, 2], [[1, 2], vector], [Facets()] * 2),
            )
            assert [error.code for error in refused] == ["bad_value"] * 2, vector
        assert before == _answers(index)

    def test_what_is_no_number_or_count_is_refused(self) -> None:
        """Negative and broken numbers, lengths that differ and `k` below one are refused."""
        index = self.filled(count=4, dimensions=2)
        before = _answers(index)
        broken: list[Any] = [[-1], [1.5], ["1"], [None]]
        for nums in broken:
            refused = (
                raised(index.upsert, nums, [[1, 2]], [Facets()]),
                raised(index.remove, nums),
                raised(index.vectors, nums),
            )
            assert [error.code for error in refused] == ["bad_value"] * 3, nums
        for nums, vectors, facets in (
            ([1, 2], [[1, 2]], [Facets()] * 2),
            ([1], [[1, 2]] * 2, [Facets()]),
            ([1], [[1, 2]], []),
        ):
            assert raised(index.upsert, nums, vectors, facets).code == "bad_value"
        for k in (0, -1):
            assert raised(index.search, [1, 2], k=k).code == "bad_value"
            assert raised(index.search, [1, 2], k=1, also=[Wanted(k)]).code == "bad_value"
        assert before == _answers(index)

    def test_an_empty_index_can_be_saved(self, tmp_path: Path) -> None:
        """Nothing saved is nothing loaded, in place of what was there."""
        self.make(8).save(_folder(tmp_path, "empty"))
        index = self.filled()
        index.load(tmp_path / "empty")
        assert (index.stats().count, index.search([1] * 8, k=5)) == (0, [])

    def test_a_save_goes_into_an_empty_folder(self, tmp_path: Path) -> None:
        """A folder that is missing or not empty is refused and left alone."""
        index = self.filled()
        (tmp_path / "kept").mkdir()
        (tmp_path / "kept" / "file").write_text("别动我", encoding="utf-8")
        assert raised(index.save, tmp_path / "kept").code == "usage"
        assert raised(index.save, tmp_path / "missing").code == "usage"
        assert [path.name for path in (tmp_path / "kept").iterdir()] == ["file"]

    def test_damaged_files_are_refused(self, tmp_path: Path) -> None:
        """A missing, cut or emptied file is `corrupt`, and nothing is lost."""
        index = self.filled()
        folder = _folder(tmp_path, "saved")
        index.save(folder)
        other = self.filled(count=5)
        before = _answers(other)
        for path in sorted(folder.iterdir()):
            whole = path.read_bytes()
            for bad in (whole[:-1], whole[: len(whole) // 2], b""):
                path.write_bytes(bad)
                assert raised(other.load, folder).code == "corrupt", path.name
            path.unlink()
            assert raised(other.load, folder).code == "corrupt", path.name
            path.write_bytes(whole)
        assert before == _answers(other)
        other.load(folder)
        assert _answers(index) == _answers(other)

    def test_a_folder_of_something_else_is_refused(self, tmp_path: Path) -> None:
        """A missing or empty folder, and one of other dimensions, are `corrupt`."""
        self.filled().save(_folder(tmp_path, "eight"))
        other = self.make(7)
        for folder in (tmp_path / "missing", _folder(tmp_path, "none"), tmp_path / "eight"):
            assert raised(other.load, folder).code == "corrupt"

    def test_threads_may_share_it(self) -> None:
        """Searches beside changes never fail, never see half a change, and end up right."""
        index = self.make(8)
        vectors = _spread(64, 8)

        def change(start: int) -> None:
            for num in range(start, 64, 4):
                index.upsert([num, num + 1000], [vectors[num]] * 2, [FACETS[0]] * 2)
                if num % 3 == 0:
                    index.remove([num, num + 1000])

        def ask(start: int) -> None:
            for num in range(start, 64, 4):
                found = {one.num for one in index.search(vectors[num], k=200)}
                assert {n + 1000 for n in found if n < 1000} == {n for n in found if n >= 1000}

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(change, range(4)))
            tasks = [pool.submit(call, n) for call in (change, ask) for n in range(4)]
            for task in tasks:
                task.result()
        expected = {num for num in range(64) if num % 3} | {n + 1000 for n in range(64) if n % 3}
        assert expected == {one.num for one in index.search(vectors[0], k=200)}


def _spread(count: int, dimensions: int) -> list[list[float]]:
    return [
        [math.sin((num + 1) * (place + 1) * 1.7 + place) for place in range(dimensions)]
        for num in range(count)
    ]


def _answers(index: VectorIndex) -> list[object]:
    dimensions = index.vectors([]).shape[1]
    questions = _spread(3, dimensions)
    return [_rounded(index.search(one, k=50, only=only)) for one in questions for only in FILTERS]


def _rounded(found: Sequence[Scored]) -> list[tuple[int, float]]:
    return [(one.num, round(one.score, 4)) for one in found]


def _close(expected: Sequence[float], found: Sequence[float]) -> bool:
    return len(expected) == len(found) and all(
        abs(one - other) <= CLOSE for one, other in zip(expected, found, strict=True)
    )


def _folder(parent: Path, name: str) -> Path:
    folder = parent / name
    folder.mkdir()
    return folder
