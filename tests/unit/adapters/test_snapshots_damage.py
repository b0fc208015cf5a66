"""Damaged snapshots: whatever byte is wrong, missing or too many, they are not returned.

In: snapshots of the real indexes, with every kind of file that these write.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import pytest

from smartbrain.adapters.faiss.approximate import FaissVectors
from smartbrain.adapters.graph.index import NumpyGraph
from smartbrain.adapters.snapshots.folder import CURRENT, MANIFEST, FolderSnapshots
from smartbrain.adapters.sqlite.lock import WriteLock
from smartbrain.adapters.tantivy.index import TantivyTextIndex
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.graph_search import GraphEdge, GraphLayer
from smartbrain.domain.search import Facets, TextDocument
from smartbrain.ports.snapshots import Refused, Snapshot, SnapshotStamp

VIEWS = ("text", "vector-1", "graph")


def store(root: Path) -> FolderSnapshots:
    """Return a store over a folder."""
    return FolderSnapshots(root / "views", WriteLock(root / "views.lock", 1.0).attempt)


def save_text(folder: Path) -> None:
    """Save a small text index."""
    index = TantivyTextIndex()
    index.upsert([TextDocument(num=num, text=f"蓝牙 bluetooth {num}") for num in range(20)])
    index.save(folder)


def save_vectors(folder: Path) -> None:
    """Save a small vector index."""
    index = FaissVectors(8)
    index.upsert([1, 2], [[1.0] * 8, [0.5, 1.0] * 4], [Facets(type="facts", tags=("标签",))] * 2)
    index.save(folder)


def save_graph(folder: Path) -> None:
    """Save a small graph."""
    index = NumpyGraph()
    index.update([GraphEdge(1, 1, 2, EdgeType.ABOUT, 0.5, GraphLayer.FULL)], removed=[])
    index.save(folder)


SAVERS: dict[str, Callable[[Path], None]] = dict(
    zip(VIEWS, (save_text, save_vectors, save_graph), strict=True)
)


@cache
def written() -> Path:
    """Return a folder with two snapshots of each index; copy it, never change it."""
    root = Path(mkdtemp())
    for seq in (3, 7):
        with store(root).writing() as writing:
            for view, save in SAVERS.items():
                folder = writing.folder(view, seq)
                save(folder)
                writing.publish(view, folder, SnapshotStamp(seq, 1, ""))
    return root


@pytest.fixture(scope="module", autouse=True)
def _cleared():
    yield
    shutil.rmtree(written())
    written.cache_clear()


def copied(tmp_path: Path) -> Path:
    """Return a copy of what was written, to be damaged."""
    shutil.copytree(written(), tmp_path, dirs_exist_ok=True)
    return tmp_path


def parts(root: Path, view: str) -> list[Path]:
    """Return every file that a snapshot consists of; locks of libraries are not among them."""
    place = root / "views" / view
    inside = [path for path in (place / "7.0").rglob("*") if path.is_file()]
    return [place / CURRENT, *(path for path in inside if path.suffix != ".lock")]


def flip(path: Path, at: int, mask: int) -> None:
    """Change bits of one byte."""
    data = bytearray(path.read_bytes())
    data[at] ^= mask
    path.write_bytes(data)


@pytest.mark.parametrize("view", VIEWS)
def test_undamaged_ones_are_returned(tmp_path: Path, view: str) -> None:
    """The copies that the other tests damage are good, and have manifests and several files."""
    root = copied(tmp_path)
    found = store(root).newest(view, 1)
    assert (root / "views" / view / "7.0", 7, "") == found[:3]
    names = {path.name for path in parts(root, view)}
    assert {CURRENT, MANIFEST} < names
    assert len(names) >= 4


@pytest.mark.spec("R4")
@pytest.mark.parametrize("view", VIEWS)
def test_a_wrong_byte_in_any_file_is_noticed(tmp_path: Path, view: str) -> None:
    """One bit, eight bits, at the start, in the middle, at the end, in every file in turn."""
    root = copied(tmp_path)
    for path in parts(root, view):
        good = path.read_bytes()
        for at in {0, len(good) // 2, len(good) - 1} if good else ():
            for mask in (0x01, 0x20, 0xFF):
                flip(path, at, mask)
                found = store(root).newest(view, 1)
                assert isinstance(found, Refused), (path.name, at, mask)
                path.write_bytes(good)
    assert isinstance(store(root).newest(view, 1), Snapshot)


@pytest.mark.parametrize("name", [MANIFEST, CURRENT])
def test_every_byte_of_what_describes_a_snapshot_counts(tmp_path: Path, name: str) -> None:
    """No byte of MANIFEST or CURRENT can be another without it being noticed."""
    root = copied(tmp_path)
    (path,) = [path for path in parts(root, "graph") if path.name == name]
    good = path.read_bytes()
    for at in range(len(good)):
        for mask in (0x01, 0x20):
            flip(path, at, mask)
            assert isinstance(store(root).newest("graph", 1), Refused), (at, mask)
            path.write_bytes(good)


@pytest.mark.spec("R4")
@pytest.mark.parametrize("view", VIEWS)
def test_a_file_cut_short_or_longer_is_noticed(tmp_path: Path, view: str) -> None:
    """The last byte missing, half of it, all of it, one byte more: in every file in turn."""
    root = copied(tmp_path)
    for path in parts(root, view):
        good = path.read_bytes()
        for bad in {good[:-1], good[: len(good) // 2], b"", good + b"\0", good + b"\n"} - {good}:
            path.write_bytes(bad)
            assert isinstance(store(root).newest(view, 1), Refused), (path.name, len(bad))
        path.write_bytes(good)
    assert isinstance(store(root).newest(view, 1), Snapshot)


@pytest.mark.spec("R4")
@pytest.mark.parametrize("view", VIEWS)
def test_a_file_missing_or_too_many_is_noticed(tmp_path: Path, view: str) -> None:
    """Each file in turn taken away, then one added, also in a folder below."""
    root = copied(tmp_path)
    for path in parts(root, view):
        good = path.read_bytes()
        path.unlink()
        assert isinstance(store(root).newest(view, 1), Refused), path.name
        path.write_bytes(good)
    folder = root / "views" / view / "7.0"
    for more in (folder / "更多.idx", folder / "below" / "empty"):
        more.parent.mkdir(exist_ok=True)
        more.touch()
        assert store(root).newest(view, 1).code == "corrupt"
        more.unlink()
    assert isinstance(store(root).newest(view, 1), Snapshot)


def test_two_files_that_changed_places_are_noticed(tmp_path: Path) -> None:
    """Whole files under each other's names are damage too."""
    root = copied(tmp_path)
    one, other, *_ = sorted(
        (path for path in parts(root, "graph") if path.name not in (CURRENT, MANIFEST)),
        key=lambda path: path.stat().st_size,
        reverse=True,
    )
    first, second = one.read_bytes(), other.read_bytes()
    assert first != second
    one.write_bytes(second)
    other.write_bytes(first)
    assert store(root).newest("graph", 1).code == "corrupt"


def test_a_snapshot_of_another_view_is_noticed(tmp_path: Path) -> None:
    """A folder that was copied from one view to another is not taken for that view's own."""
    root = copied(tmp_path)
    shutil.rmtree(root / "views" / "graph")
    shutil.copytree(root / "views" / "text", root / "views" / "graph")
    assert store(root).newest("graph", 1).code == "format"


def test_damage_does_not_outlive_the_next_snapshot(tmp_path: Path) -> None:
    """Whatever is damaged, the next one written is returned."""
    for number, name in enumerate((CURRENT, MANIFEST, "meta.json")):
        root = copied(tmp_path / str(number))
        (path,) = [path for path in parts(root, "text") if path.name == name]
        path.write_bytes(b"\xff\x00 broken")
        assert isinstance(store(root).newest("text", 1), Refused)
        with store(root).writing() as writing:
            folder = writing.folder("text", 8)
            save_text(folder)
            writing.publish("text", folder, SnapshotStamp(8, 1, "m"))
        assert (folder, 8, "m") == store(root).newest("text", 1)[:3]
