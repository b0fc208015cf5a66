"""Vector indexes against a plain scan, on random changes, filters, trainings and reopenings.

In: seeds. Out: a failure that names the step. Exact kinds must give the scan's scores and
order; approximate ones must find the same nodes, nearly always, with right scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import fsum
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from smartbrain.adapters.faiss.approximate import FaissVectors, Kind, Sizes
from smartbrain.adapters.faiss.exact import ExactVectors
from smartbrain.domain.search import Facets, IndexFilter, Scored
from smartbrain.ports.vector_index import TrainableVectorIndex, Wanted

START = datetime(2026, 1, 1, tzinfo=UTC)
TYPES = ("fact", "episode", "偏好")
TAGS = ("红", "blue", "绿")
ROUNDS = 12
CLOSE = 1e-5
SIXTEEN_BITS = 5e-5
SMALL = Sizes(scan=0, binary=0, least=1, fresh=0)
EXACT: dict[str, Callable[[int], TrainableVectorIndex]] = {
    "numpy": lambda dimensions: ExactVectors(dimensions),
    "exact": lambda dimensions: FaissVectors(dimensions, kind="exact", sizes=SMALL),
    "auto": lambda dimensions: FaissVectors(dimensions),
}
APPROXIMATE: tuple[Kind, ...] = ("binary", "ivf_sq8")

Floats = npt.NDArray[np.float64]
Random = np.random.Generator


class Scan:
    """What an exact index answers, worked out one node at a time."""

    def __init__(self) -> None:
        self.held: dict[int, tuple[Floats, Facets]] = {}

    def upsert(self, nums: Sequence[int], vectors: Floats, facets: Sequence[Facets]) -> None:
        units = [vector / np.linalg.norm(vector) for vector in vectors]
        self.held |= dict(zip(nums, zip(units, facets, strict=True), strict=True))

    def remove(self, nums: Sequence[int]) -> None:
        self.held = {num: one for num, one in self.held.items() if num not in nums}

    def search(self, query: Floats, only: IndexFilter | None) -> list[Scored]:
        unit = query / np.linalg.norm(query)
        found = [
            Scored(num, fsum(vector * unit))
            for num, (vector, facets) in self.held.items()
            if only is None or only.admits(facets)
        ]
        return sorted(found, key=lambda one: (-one.score, one.num))


def _clustered(random: Random, count: int, dimensions: int) -> Floats:
    """Return vectors around some centres, always the same ones."""
    centres = np.random.default_rng(1).standard_normal((20, dimensions))
    near = 0.7 * random.standard_normal((count, dimensions))
    return centres[random.integers(0, 20, count)] + near


def _facets(random: Random, count: int) -> list[Facets]:
    return [
        Facets(
            type=str(random.choice(TYPES)),
            status="active" if random.random() < 0.8 else "archived",
            at=None if random.random() < 0.1 else START + timedelta(hours=int(random.integers(99))),
            source=f"{random.choice(('会话', 'doc'))}/{random.integers(20)}",
            tags=tuple(str(tag) for tag in TAGS if random.random() < 0.3),
        )
        for _ in range(count)
    ]


def _filters(random: Random) -> Iterator[IndexFilter | None]:
    since = START + timedelta(hours=int(random.integers(50)))
    yield None
    yield IndexFilter(types=(str(random.choice(TYPES)),))
    yield IndexFilter(statuses=("active",), since=since, until=since + timedelta(days=2))
    yield IndexFilter(source_prefix="会话/1", tags=("红", "blue"))
    yield IndexFilter(types=TYPES[:2], tags=("绿",), until=since)


def _change(
    random: Random, index: TrainableVectorIndex, reference: Scan, count: int, dimensions: int
) -> None:
    """Add, replace, repeat and remove some nodes in both."""
    nums = [int(num) for num in random.choice(4 * count, count, replace=False)]
    vectors, facets = _clustered(random, count, dimensions), _facets(random, count)
    vectors[: count // 10] = 4 * vectors[-1]  # equal ones, to be ordered by number
    removed = [int(num) for num in random.choice(4 * count, count // 4, replace=False)]
    for one in (index, reference):
        one.upsert(nums, vectors, facets)
        one.upsert(nums[:5], vectors[:5], facets[:5])
        one.remove(removed)


def _reopen(random: Random, index: TrainableVectorIndex, folder: Path) -> None:
    """Train, compact, or go through files and back, whatever comes up."""
    way = random.integers(3)
    if way == 0:
        folder.mkdir(parents=True)
        index.save(folder)
        index.load(folder)
    else:
        training = index.needs_training(compact=bool(way == 1))
        if training is not None:
            assert index.swap(training.run())


def _require_same(
    expected: Sequence[Scored], found: Sequence[Scored], exactly: dict[int, float]
) -> None:
    """Scores agree place by place, each node's is its own, and equal nodes go by number."""
    assert len(expected) == len(found)
    for one, other in zip(expected, found, strict=True):
        assert other.score == pytest.approx(one.score, rel=CLOSE, abs=1e-6)
        assert other.score == pytest.approx(exactly[other.num], rel=CLOSE, abs=1e-6)
    assert [(-one.score, one.num) for one in found] == sorted((-s, num) for num, s in found)
    assert len(found) == len({one.num for one in found})
    for one, other in pairwise(found):
        assert exactly[one.num] != exactly[other.num] or one.num < other.num


@pytest.mark.spec("R3")
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", EXACT)
def test_exact_kinds_answer_as_a_scan_does(name: str, seed: int, tmp_path: Path) -> None:
    """Whatever was added, removed, compacted and reopened: the same scores, ties by number."""
    random = np.random.default_rng(seed)
    dimensions = int(random.integers(3, 40))
    index, reference = EXACT[name](dimensions), Scan()
    for number in range(ROUNDS):
        _change(random, index, reference, 60, dimensions)
        _reopen(random, index, tmp_path / str(number))
        for only in _filters(random):
            query = random.standard_normal(dimensions)
            everything = reference.search(query, only)
            exactly = dict(everything)
            for k in (1, 10, 1000):
                _require_same(everything[:k], index.search(query, k=k, only=only), exactly)
    assert index.stats().count == len(reference.held)


@pytest.mark.spec("R3")
@pytest.mark.parametrize("kind", APPROXIMATE)
def test_approximate_kinds_find_nearly_all(kind: Kind, tmp_path: Path) -> None:
    """At least 98 of 100 of the true ten nearest are found, with right scores, in order."""
    random = np.random.default_rng(7)
    sizes = Sizes(scan=64, binary=0, least=256, fresh=100)
    index, reference = FaissVectors(48, kind=kind, sizes=sizes), ExactVectors(48)
    found_of = wanted_of = 0
    for number in range(6):
        nums = [int(num) for num in random.choice(8_000, 1_500, replace=False)]
        vectors, facets = _clustered(random, 1_500, 48), _facets(random, 1_500)
        for one in (index, reference):
            one.upsert(nums, vectors, facets)
            one.remove(nums[:300])
        _reopen(random, index, tmp_path / str(number))
        for only in (*_filters(random), *_filters(random)):
            query = _clustered(random, 1, 48)[0]
            exactly = dict(reference.search(query, k=10_000, only=only))
            wanted = set(list(exactly)[:10])
            found = index.search(query, k=10, only=only)
            assert len(wanted) == len(found)
            assert all(abs(one.score - exactly[one.num]) <= SIXTEEN_BITS for one in found)
            assert [(-one.score, one.num) for one in found] == sorted((-s, n) for n, s in found)
            found_of += len(wanted & {one.num for one in found})
            wanted_of += len(wanted)
    assert kind == index.stats().kind
    assert found_of >= 0.98 * wanted_of


@pytest.mark.spec("R3")
@pytest.mark.parametrize("kind", APPROXIMATE)
def test_groups_in_one_pass_find_nearly_all_of_each(kind: Kind) -> None:
    """Each group gets its own nearest, as an exact search of it alone does, few or many."""
    random = np.random.default_rng(5)
    index = FaissVectors(256, kind=kind, sizes=Sizes(scan=64, binary=0, least=256, fresh=100))
    exact = ExactVectors(256)
    facets = [Facets(type=TYPES[num % 3]) for num in range(6_000)]
    for one in (index, exact):
        one.upsert(range(6_000), _clustered(np.random.default_rng(6), 6_000, 256), facets)
        one.remove(range(0, 6_000, 7))
    _train(index)
    first, second = IndexFilter(types=TYPES[:2]), IndexFilter(types=TYPES[2:])
    same = total = 0
    for k in (10, 20, 400):  # the last is so many that all are scored
        for query in _clustered(random, 30, 256):
            found = index.search(query, k=k, only=first, also=[Wanted(k, second)])
            alone = [*exact.search(query, k=k, only=first), *exact.search(query, k=k, only=second)]
            assert found == sorted(found, key=lambda one: (-one.score, one.num))
            same += len({one.num for one in found} & {one.num for one in alone})
            total += len(alone)
            assert len(found) == len(alone)
    assert same >= 0.98 * total


@pytest.mark.spec("R3")
@pytest.mark.parametrize("kind", APPROXIMATE)
def test_a_rebuild_overlaps_with_an_index_that_has_lived(kind: Kind) -> None:
    """An index built at once finds what one finds that was changed and trained many times."""
    random = np.random.default_rng(11)
    sizes = Sizes(scan=0, binary=0, least=256, fresh=200)
    lived, fresh = (FaissVectors(32, kind=kind, sizes=sizes) for _ in range(2))
    held: dict[int, tuple[Floats, Facets]] = {}
    for _ in range(5):
        nums = [int(num) for num in random.choice(6_000, 1_000, replace=False)]
        vectors, facets = _clustered(random, 1_000, 32), _facets(random, 1_000)
        lived.upsert(nums, vectors, facets)
        lived.remove(nums[:200])
        held |= dict(zip(nums, zip(vectors, facets, strict=True), strict=True))
        held = {num: one for num, one in held.items() if num not in nums[:200]}
        _train(lived)
    ordered = sorted(held)
    fresh.upsert(ordered, [held[num][0] for num in ordered], [held[num][1] for num in ordered])
    _train(fresh)
    same = total = 0
    for query in _clustered(random, 100, 32):
        one, other = ({hit.num for hit in index.search(query, k=10)} for index in (lived, fresh))
        same, total = same + len(one & other), total + len(one)
    assert same >= 0.98 * total


def _train(index: TrainableVectorIndex) -> None:
    training = index.needs_training()
    if training is not None:
        assert index.swap(training.run())
