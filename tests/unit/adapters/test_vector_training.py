"""Training in the background: what is due, what goes on meanwhile, and what a swap keeps.

In: small indexes whose sizes make training due. Out: answers equal to those of an exact index that
had the same changes.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import faiss
import numpy as np
import pytest

from smartbrain.adapters.faiss import approximate
from smartbrain.adapters.faiss.approximate import FaissVectors, Kind, Sizes, one_thread
from smartbrain.adapters.faiss.exact import WORTH_COMPACTING, ExactVectors
from smartbrain.domain.search import Facets, IndexFilter
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.vector_index import TrainableVectorIndex

DIMENSIONS = 24
SIZES = Sizes(scan=0, binary=400, least=300, fresh=50)


def _vectors(count: int, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((count, DIMENSIONS))


def _facets(count: int) -> list[Facets]:
    return [Facets(type=("fact", "事件")[number % 2]) for number in range(count)]


def _filled(count: int, kind: Kind = "auto") -> FaissVectors:
    index = FaissVectors(DIMENSIONS, kind=kind, sizes=SIZES)
    index.upsert(range(count), _vectors(count), _facets(count))
    return index


def _train(index: TrainableVectorIndex, *, compact: bool = False) -> str:
    training = index.needs_training(compact=compact)
    if training is None:
        return ""
    assert index.swap(training.run())
    return training.reason


def _overlap(index: TrainableVectorIndex, reference: TrainableVectorIndex) -> float:
    """Return the share of the true ten nearest that is found, with and without a filter."""
    found = total = 0
    for query in _vectors(20, seed=99):
        for only in (None, IndexFilter(types=("事件",))):
            wanted = {one.num for one in reference.search(query, k=10, only=only)}
            found += len(wanted & {one.num for one in index.search(query, k=10, only=only)})
            total += len(wanted)
    return found / total


@pytest.mark.spec("R3")
def test_auto_grows_and_shrinks_with_what_it_holds() -> None:
    """Bits while small, lists of 8-bit codes when larger, and back again."""
    index = _filled(400)
    assert ("", "binary") == (_train(index), index.stats().kind)
    index.upsert([400], _vectors(1, seed=2), _facets(1))
    assert ("train", "ivf_sq8") == (_train(index), index.stats().kind)
    index.remove(range(300, 401))
    assert "ivf_sq8" == index.stats().kind
    index.remove(range(100, 401))
    assert ("shrink", "binary") == (_train(index), index.stats().kind)
    assert ("", 100, 0) == (_train(index), index.stats().count, index.stats().removed)


def test_new_nodes_are_taken_in_when_they_are_many() -> None:
    """A few new nodes are found by a scan; when they are more than that, they are taken in."""
    index = _filled(500, "ivf_sq8")
    assert "train" == _train(index)
    index.upsert(range(500, 550), _vectors(50, seed=4), _facets(50))
    assert (None, 50) == (index.needs_training(), index.stats().fresh)
    index.upsert([550], _vectors(1, seed=5), _facets(1))
    assert ("extend", 0) == (_train(index), index.stats().fresh)
    reference = ExactVectors(DIMENSIONS)
    nums = range(551)
    reference.upsert(nums, index.vectors(nums), [*_facets(500), *_facets(50), *_facets(1)])
    assert _overlap(index, reference) >= 0.98


def test_too_few_nodes_are_not_trained() -> None:
    """A kind that has to be trained goes by bits until there is something to train on."""
    index = _filled(299, "ivf_sq8")
    assert (None, "binary") == (index.needs_training(), index.stats().kind)


@pytest.mark.parametrize("index", [ExactVectors(DIMENSIONS), _filled(0, "exact"), _filled(0)])
def test_removed_rows_go_when_they_are_many_or_when_asked(index: TrainableVectorIndex) -> None:
    """Removed nodes weigh on memory until a compaction, which is due or asked for."""
    count = 3 * WORTH_COMPACTING
    index.upsert(range(count), _vectors(count), _facets(count))
    _train(index)
    before = index.stats().bytes
    index.remove(range(10))
    assert (10, None) == (index.stats().removed, index.needs_training())
    assert ("compact", 0) == (_train(index, compact=True), index.stats().removed)
    assert "" == _train(index, compact=True)
    index.remove(range(10, WORTH_COMPACTING + 20))
    assert "compact" == _train(index)
    assert (0, count - WORTH_COMPACTING - 20) == (index.stats().removed, index.stats().count)
    assert index.stats().bytes < 0.75 * before


@pytest.mark.spec("R3", "R4")
@pytest.mark.parametrize("kind", ["auto", "ivf_sq8"])
@pytest.mark.parametrize("compact", [False, True])
def test_changes_and_searches_go_on_while_it_trains(
    kind: Kind, compact: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is added, replaced and removed during a training is right before and after the swap."""
    index, reference = _filled(1_000, kind), ExactVectors(DIMENSIONS)
    reference.upsert(range(1_000), _vectors(1_000), _facets(1_000))
    if compact:
        _train(index)
        for one in (index, reference):
            one.remove(range(900, 1_000))
    started, may_end = _paused(monkeypatch)
    training = index.needs_training(compact=compact)
    assert training is not None
    with ThreadPoolExecutor(1) as pool:
        running = pool.submit(training.run)
        assert started.wait(30)
        assert index.stats().building
        for one in (index, reference):
            one.upsert(range(950, 1_100), _vectors(150, seed=8), _facets(150))
            one.upsert(range(40), _vectors(40, seed=9), _facets(40)[::-1])
            one.remove([*range(20, 60), 1_050, 5_000])
        assert _overlap(index, reference) >= 0.98
        may_end.set()
        assert index.swap(running.result(timeout=600))
    assert not index.stats().building
    assert (index.stats().count, index.stats().kind) == (
        reference.stats().count,
        "ivf_sq8",
    )
    assert _overlap(index, reference) >= 0.98
    nums = range(0, 1_100, 7)
    assert np.abs(index.vectors(nums) - reference.vectors(nums)).max() < 1e-4
    index.remove(range(2_000))
    assert [] == index.search(_vectors(1)[0], k=5)


def _paused(monkeypatch: pytest.MonkeyPatch) -> tuple[Event, Event]:
    """Make every training stop inside of its work until it may end."""
    started, may_end = Event(), Event()

    def pausing(original: Callable[..., Any]) -> Callable[..., Any]:
        def paused(*arguments: Any) -> Any:
            started.set()
            assert may_end.wait(30)
            return original(*arguments)

        return paused

    monkeypatch.setattr(approximate, "build_lists", pausing(approximate.build_lists))
    return started, may_end


@pytest.mark.parametrize("between", ["swap", "load"])
def test_a_training_that_came_too_late_changes_nothing(between: str, tmp_path: Any) -> None:
    """What was trained on rows that are no longer these is not taken, and nothing is said wrong."""
    index = _filled(800)
    index.save(tmp_path)
    training = index.needs_training()
    assert training is not None
    late = training.run()
    if between == "load":
        index.load(tmp_path)
    else:
        assert index.swap(training.run())
    stats = index.stats()
    assert not index.swap(late)
    assert stats == index.stats()


def test_what_something_else_trained_is_refused() -> None:
    """Only what a training of this sort returned can be swapped in."""
    stranger: Any = object()
    with pytest.raises(UsageError, match="object"):
        _filled(10).swap(stranger)


def test_a_failure_of_the_library_leaves_the_index_as_it_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An error inside of faiss is an AdapterError of the training, and searches go on."""

    def failing(*_: object) -> None:
        raise RuntimeError("Error in faiss: not enough memory")

    index = _filled(800)
    before = index.search(_vectors(1)[0], k=10)
    monkeypatch.setattr(approximate, "learn", failing)
    training = index.needs_training()
    assert training is not None
    with pytest.raises(AdapterError, match="not enough memory"):
        training.run()
    assert before == index.search(_vectors(1)[0], k=10)
    assert not index.stats().building
    monkeypatch.undo()
    assert "train" == _train(index)


def test_training_twice_gives_the_same_index() -> None:
    """Nothing in a training is left to chance."""
    answers = []
    for _ in range(2):
        index = _filled(1_500)
        assert "train" == _train(index)
        answers.append([index.search(query, k=20) for query in _vectors(20, seed=4)])
    assert answers[0] == answers[1]


def test_the_rarest_of_many_is_found() -> None:
    """A filter that admits one node in a hundred still finds the nearest of those, all of them."""
    index, reference = (
        FaissVectors(DIMENSIONS, kind="ivf_sq8", sizes=SIZES),
        ExactVectors(DIMENSIONS),
    )
    facets = [Facets(source=f"会话/{number % 100}") for number in range(3_000)]
    for one in (index, reference):
        one.upsert(range(3_000), _vectors(3_000), facets)
    _train(index)
    for query in _vectors(10, seed=6):
        only = IndexFilter(source_prefix="会话/77")
        expected = [one.num for one in reference.search(query, k=40, only=only)]
        assert (expected, 30) == ([one.num for one in index.search(query, k=40, only=only)], 30)


def test_the_threads_of_others_are_left_alone() -> None:
    """Within the block faiss runs on one thread, after it on as many as before."""
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(3)
    try:
        with one_thread():
            assert 1 == faiss.omp_get_max_threads()
        assert 3 == faiss.omp_get_max_threads()
        _filled(500).search(_vectors(1)[0], k=3)
        assert 3 == faiss.omp_get_max_threads()
    finally:
        faiss.omp_set_num_threads(before)
