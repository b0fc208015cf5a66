"""Saved vectors: what does not belong together is found before anybody uses what was read.

In: folders written by indexes of each kind, then cut or mixed up. Out: `corrupt`, or answers equal
to those before.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from smartbrain.adapters.faiss.approximate import FaissVectors, Kind, Sizes
from smartbrain.adapters.faiss.exact import ExactVectors
from smartbrain.adapters.faiss.files import HEAD
from smartbrain.domain.search import Facets, IndexFilter, Scored
from smartbrain.errors import AdapterError

DIMENSIONS = 16
COUNT = 600
SIZES = Sizes(scan=0, binary=100, least=256, fresh=50)
KINDS: tuple[Kind, ...] = ("exact", "binary", "ivf_sq8")
QUERIES = np.random.default_rng(3).standard_normal((5, DIMENSIONS))


def _index(kind: Kind) -> FaissVectors:
    """Return an index with all there can be: trained rows, fresh ones and removed ones."""
    index = FaissVectors(DIMENSIONS, kind=kind, sizes=SIZES)
    vectors = np.random.default_rng(2).standard_normal((COUNT, DIMENSIONS))
    facets = [Facets(type="fact", source=f"文件/{num % 7}", tags=("标签",)) for num in range(COUNT)]
    index.upsert(range(COUNT - 40), vectors[:-40], facets[:-40])
    training = index.needs_training()
    if training is not None:
        index.swap(training.run())
    index.upsert(range(COUNT - 40, COUNT), vectors[-40:], facets[-40:])
    index.remove(range(5, 25))
    return index


def _saved(kind: Kind, folder: Path) -> FaissVectors:
    index = _index(kind)
    folder.mkdir()
    index.save(folder)
    return index


def _answers(index: ExactVectors) -> list[list[Scored]]:
    filters = (None, IndexFilter(source_prefix="文件/3"))
    return [index.search(query, k=10, only=only) for query in QUERIES for only in filters]


def _code(index: ExactVectors, folder: Path) -> str:
    with pytest.raises(AdapterError) as caught:
        index.load(folder)
    return caught.value.code


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_comes_back_as_it_was(kind: Kind, tmp_path: Path) -> None:
    """Trained, fresh and removed rows are all there again, and the next save is the same."""
    index = _saved(kind, tmp_path / "a")
    other = FaissVectors(DIMENSIONS, kind=kind, sizes=SIZES)
    other.load(tmp_path / "a")
    before, after = index.stats(), other.stats()
    assert (before.kind, before.count, before.fresh, before.removed) == (
        *(after.kind, after.count),
        *(after.fresh, after.removed),
    )
    assert _answers(index) == _answers(other)
    (tmp_path / "b").mkdir()
    other.save(tmp_path / "b")
    for path in sorted((tmp_path / "a").iterdir()):
        if path.name not in (HEAD, "trained-lists.npy"):
            assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes(), path.name


@pytest.mark.parametrize("kind", KINDS)
def test_a_loaded_index_can_be_trained_on(kind: Kind, tmp_path: Path) -> None:
    """Growth and compaction after a load work as they do before a save."""
    index = _saved(kind, tmp_path / "a")
    other = FaissVectors(DIMENSIONS, kind=kind, sizes=SIZES)
    other.load(tmp_path / "a")
    vectors = np.random.default_rng(8).standard_normal((200, DIMENSIONS))
    for one in (index, other):
        one.upsert(range(550, 750), vectors, [Facets(type="事件")] * 200)
        training = one.needs_training(compact=True)
        assert training is not None
        assert one.swap(training.run())
    expected, found = (
        {hit.num for hits in _answers(one) for hit in hits} for one in (index, other)
    )
    assert len(expected & found) >= 0.95 * len(expected)
    assert (730, 0) == (other.stats().count, other.stats().removed)


@pytest.mark.parametrize("saved", KINDS)
@pytest.mark.parametrize("kind", ["auto", *KINDS])
def test_a_folder_of_another_kind_is_read_too(saved: Kind, kind: Kind, tmp_path: Path) -> None:
    """After a change of the setting the vectors are taken over, and trained anew if need be."""
    index = _saved(saved, tmp_path / "a")
    other = FaissVectors(DIMENSIONS, kind=kind, sizes=SIZES)
    other.load(tmp_path / "a")
    numpy_alone = ExactVectors(DIMENSIONS)
    numpy_alone.load(tmp_path / "a")
    assert index.stats().count == other.stats().count == numpy_alone.stats().count
    exact = _answers(numpy_alone)
    same = [
        len({hit.num for hit in one} & {hit.num for hit in two}) / len(one)
        for one, two in zip(exact, _answers(other), strict=True)
    ]
    assert sum(same) / len(same) >= 0.95


def test_lists_that_lead_nowhere_are_refused(tmp_path: Path) -> None:
    """A list that is not there, or lists of rows that are not, are not followed."""
    index = _saved("ivf_sq8", tmp_path / "a")
    before = _answers(index)
    path = tmp_path / "a" / "trained-lists.npy"
    lists = np.load(path)
    for wrong in (np.append(lists, np.zeros(100, np.int32)), np.where(lists == 0, 10_000, lists)):
        np.save(path, wrong)
        assert "corrupt" == _code(index, tmp_path / "a")
    assert before == _answers(index)


def test_files_of_two_saves_are_not_mixed(tmp_path: Path) -> None:
    """An array of another length in place of the right one is found."""
    index = _saved("binary", tmp_path / "a")
    for path in (tmp_path / "a").glob("*.npy"):
        whole = path.read_bytes()
        np.save(path, np.load(path)[:-1])
        assert "corrupt" == _code(index, tmp_path / "a"), path.name
        path.write_bytes(whole)
    index.load(tmp_path / "a")


def test_another_format_is_refused(tmp_path: Path) -> None:
    """A folder of an older or a newer version is rebuilt, not guessed at."""
    index = _saved("binary", tmp_path / "a")
    head = json.loads((tmp_path / "a" / HEAD).read_text(encoding="utf-8"))
    (tmp_path / "a" / HEAD).write_text(json.dumps({**head, "format": 1}), encoding="utf-8")
    assert "corrupt" == _code(index, tmp_path / "a")


def test_a_file_that_cannot_be_read_is_no_damage(tmp_path: Path) -> None:
    """A folder in place of a file is the disk's fault, not a reason to call it corrupt."""
    index = _saved("binary", tmp_path / "a")
    (tmp_path / "a" / "nums.npy").unlink()
    (tmp_path / "a" / "nums.npy").mkdir()
    assert "io_error" == _code(index, tmp_path / "a")


def test_a_save_is_of_one_moment(tmp_path: Path) -> None:
    """Saved while pairs of nodes come and go, a folder holds both of a pair or neither."""
    index = FaissVectors(DIMENSIONS, kind="ivf_sq8", sizes=SIZES)
    vectors = np.random.default_rng(4).standard_normal((2_000, DIMENSIONS))
    index.upsert(range(1_000), vectors[:1_000], [Facets()] * 1_000)
    training = index.needs_training()
    assert training is not None
    index.swap(training.run())

    def change() -> None:
        for num in range(1_000, 2_000):
            index.upsert([num, num + 10_000], vectors[[num, num]], [Facets()] * 2)
            if num % 3 == 0:
                index.remove([num - 9, num + 9_991])

    thread = Thread(target=change)
    thread.start()
    loaded = FaissVectors(DIMENSIONS, kind="ivf_sq8", sizes=SIZES)
    for number in range(8):
        folder = tmp_path / str(number)
        folder.mkdir()
        index.save(folder)
        loaded.load(folder)
        nums = {one.num for one in loaded.search(vectors[0], k=5_000)}
        assert {n + 10_000 for n in nums if 1_000 <= n < 10_000} == {n for n in nums if n >= 10_000}
    thread.join()


def test_removed_vectors_leave_the_files_with_a_compaction(tmp_path: Path) -> None:
    """After a compaction neither the vector of a removed node nor its source is in any file."""
    index = FaissVectors(DIMENSIONS, kind="binary")
    vectors = np.random.default_rng(5).standard_normal((50, DIMENSIONS)).astype(np.float32)
    index.upsert(range(50), vectors, [Facets(source=f"source-{num}!") for num in range(50)])
    unit = index.vectors([7]).tobytes()
    index.remove([7])

    def bytes_of(name: str) -> bytes:
        (tmp_path / name).mkdir()
        index.save(tmp_path / name)
        return b"".join(path.read_bytes() for path in (tmp_path / name).iterdir())

    before = bytes_of("before")
    assert (True, True) == (unit in before, b"source-7!" in before)
    training = index.needs_training(compact=True)
    assert training is not None
    assert index.swap(training.run())
    after = bytes_of("after")
    assert (False, False) == (unit in after, b"source-7!" in after)


def test_numpy_alone_is_enough_for_the_exact_index() -> None:
    """Where faiss is not installed, the exact index is imported and works."""
    program = (
        "import sys; sys.modules['faiss'] = None\n"
        "from smartbrain.adapters.faiss.exact import ExactVectors\n"
        "from smartbrain.domain.search import Facets\n"
        "index = ExactVectors(2)\n"
        "index.upsert([1, 2], [[1, 0], [0, 1]], [Facets()] * 2)\n"
        "print(index.search([0, 2], k=1)[0].num)\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": ":".join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ("2\n", "") == (run.stdout, run.stderr)
