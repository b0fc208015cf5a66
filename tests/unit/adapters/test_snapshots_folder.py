"""Snapshots as folders: published whole, found again, one writer at a time, old ones cleared.

In: a real folder with real locks. What damage does is in `test_snapshots_damage.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from smartbrain.adapters.snapshots import folder as adapter
from smartbrain.adapters.snapshots.folder import CURRENT, FolderSnapshots
from smartbrain.adapters.sqlite.lock import WriteLock
from smartbrain.errors import AdapterError
from smartbrain.ports.snapshots import Refused, Snapshot, SnapshotStamp

VIEW = "text"
MARK = "7 mem_上海\n"
REPLACED = 60


def store(tmp_path: Path) -> FolderSnapshots:
    """Return a store with a lock of its own, as another process has it."""
    return FolderSnapshots(tmp_path / "views", WriteLock(tmp_path / "views.lock", 1.0).attempt)


def fill(folder: Path, word: str) -> None:
    """Write the files of a snapshot, one of them empty, one in a folder below."""
    (folder / "文字.idx").write_text(f"{word} 蓝牙 bluetooth", encoding="utf-8")
    (folder / "empty").touch()
    (folder / "deep").mkdir()
    (folder / "deep" / "more.bin").write_bytes(bytes(range(256)))


def publish(snapshots: FolderSnapshots, seq: int, version: int = 1, view: str = VIEW) -> Path:
    """Write a snapshot."""
    with snapshots.writing() as writing:
        folder = writing.folder(view, seq)
        fill(folder, f"seq {seq}")
        writing.publish(view, folder, SnapshotStamp(seq, version, MARK))
    return folder


def folders(tmp_path: Path, view: str = VIEW) -> list[str]:
    """Return the names of a view's snapshots, whole or not."""
    return sorted(path.name for path in (tmp_path / "views" / view).iterdir() if path.is_dir())


@pytest.mark.spec("R4")
def test_what_was_published_is_returned(tmp_path: Path) -> None:
    """The newest snapshot comes back with its seq and mark, from every store over the folder."""
    first = publish(store(tmp_path), 5)
    assert (first, 5, MARK) == store(tmp_path).newest(VIEW, 1)[:3]
    second = publish(store(tmp_path), 9)
    assert (second, 9, MARK) == store(tmp_path).newest(VIEW, 1)[:3]
    assert (second / "文字.idx").read_text(encoding="utf-8") == "seq 9 蓝牙 bluetooth"


def test_each_view_has_its_own(tmp_path: Path) -> None:
    """Views do not see each other's snapshots."""
    publish(store(tmp_path), 5, view="text")
    other = publish(store(tmp_path), 8, view="图 graph")
    assert store(tmp_path).newest("text", 1).seq == 5
    assert (other, 8, MARK) == store(tmp_path).newest("图 graph", 1)[:3]
    assert store(tmp_path).newest("passages", 1).code == "missing"


def test_without_a_folder_there_is_none(tmp_path: Path) -> None:
    """Nothing is made by looking, and dropping nothing is fine."""
    snapshots = store(tmp_path)
    snapshots.drop()
    assert snapshots.newest(VIEW, 1).code == "missing"
    assert not (tmp_path / "views").exists()


@pytest.mark.parametrize("version", [0, 2])
def test_another_format_is_refused(tmp_path: Path, version: int) -> None:
    """An older and a newer format are told from damage."""
    publish(store(tmp_path), 5, version=1)
    assert store(tmp_path).newest(VIEW, version).code == "format"


def test_the_previous_one_stays_until_the_next(tmp_path: Path) -> None:
    """Who is just opening the one that was replaced still finds its files; two back are gone."""
    first = publish(store(tmp_path), 5)
    publish(store(tmp_path), 9)
    assert (first / "文字.idx").exists()
    publish(store(tmp_path), 12)
    assert ["12.0", "9.0"] == folders(tmp_path)


def test_the_same_seq_gets_another_name(tmp_path: Path) -> None:
    """Files of a snapshot never change, so the same seq written again is another folder."""
    assert ["5.0", "5.1", "5.2"] == [publish(store(tmp_path), 5).name for _ in range(3)]
    assert ["5.1", "5.2"] == folders(tmp_path)
    assert store(tmp_path).newest(VIEW, 1).folder.name == "5.2"


def test_a_lower_seq_replaces_a_higher_one(tmp_path: Path) -> None:
    """After the truth was restored from an older copy, what is written last counts."""
    publish(store(tmp_path), 100)
    publish(store(tmp_path), 7)
    assert store(tmp_path).newest(VIEW, 1).seq == 7
    publish(store(tmp_path), 8)
    assert ["7.0", "8.0"] == folders(tmp_path)


@pytest.mark.spec("R4", "E5")
@pytest.mark.parametrize("seq", [3, 9, 20], ids=["lower", "same", "higher"])
def test_a_writer_killed_before_publishing_leaves_the_one_before(tmp_path: Path, seq: int) -> None:
    """Half a snapshot is never returned, and the next writer clears it away."""
    kept = publish(store(tmp_path), 9)
    with store(tmp_path).writing() as writing:
        fill(writing.folder(VIEW, seq), "half")
    assert (kept, 9, MARK) == store(tmp_path).newest(VIEW, 1)[:3]
    with store(tmp_path).writing() as writing:
        assert kept == writing.newest(VIEW)
    new = publish(store(tmp_path), 21)
    assert {"9.0", "21.0"} == set(folders(tmp_path))
    assert new == store(tmp_path).newest(VIEW, 1).folder


def test_a_writer_killed_before_the_swap_leaves_the_one_before(tmp_path: Path) -> None:
    """All files and the manifest are there, CURRENT is not: the one before is returned."""
    kept = publish(store(tmp_path), 9)
    current = (tmp_path / "views" / VIEW / CURRENT).read_bytes()
    publish(store(tmp_path), 12)
    (tmp_path / "views" / VIEW / CURRENT).write_bytes(current)
    (tmp_path / "views" / VIEW / f"{CURRENT}.tmp").write_bytes(b"half")
    assert (kept, 9, MARK) == store(tmp_path).newest(VIEW, 1)[:3]
    publish(store(tmp_path), 13)
    assert store(tmp_path).newest(VIEW, 1).seq == 13
    assert {"9.0", "13.0"} == set(folders(tmp_path))


def test_dropping_deletes_every_file_and_uses_no_name_again(tmp_path: Path) -> None:
    """Nothing readable is left, and who worked on top of a dropped snapshot can notice."""
    first = publish(store(tmp_path), 5)
    publish(store(tmp_path), 6, view="graph")
    store(tmp_path).drop()
    assert [] == [path for path in (tmp_path / "views").rglob("*") if path.is_file()]
    assert store(tmp_path).newest(VIEW, 1).code == "missing"
    again = publish(store(tmp_path), 5)
    assert first != again
    assert [again.name] == folders(tmp_path)


@pytest.mark.spec("M4")
def test_a_second_writer_gets_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While one writes, another is told so, and may write when the first is done."""
    monkeypatch.setattr(adapter, "_WAITS", 2)
    one, other = store(tmp_path), store(tmp_path)
    with one.writing() as writing:
        assert writing is not None
        with other.writing() as refused, one.writing() as inner:
            assert (None, None) == (refused, inner)
        with pytest.raises(AdapterError) as caught:
            other.drop()
        assert caught.value.code == "busy"
    with other.writing() as writing:
        assert writing is not None


def test_who_drops_waits_for_who_writes(tmp_path: Path) -> None:
    """A snapshot takes seconds, and then all of them go."""
    one, other = store(tmp_path), store(tmp_path)
    publish(one, 1)
    with ThreadPoolExecutor(1) as executor:
        with one.writing():
            dropping = executor.submit(other.drop)
            with pytest.raises(TimeoutError):
                dropping.result(0.2)
        dropping.result(60)
    assert isinstance(one.newest("text", 1), Refused)


@pytest.mark.spec("R4", "E5")
def test_a_new_manifest_is_not_written_into_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that two snapshots share are linked; until the swap the one before stays whole."""
    some = store(tmp_path)
    before = publish(some, 1)

    def full(_: Path) -> None:
        raise OSError(28, "No space left on device")

    with some.writing() as writing:
        assert writing is not None
        folder = writing.folder("text", 2)
        for path in filter(Path.is_file, before.iterdir()):
            os.link(path, folder / path.name)
        (folder / "more").write_bytes(b"x")
        monkeypatch.setattr(adapter, "_sync", full)
        with pytest.raises(AdapterError):
            writing.publish("text", folder, SnapshotStamp(2, 1, "mark"))
    found = some.newest("text", 1)
    assert isinstance(found, Snapshot)
    assert before == found.folder


_WRITER = """
import sys
from pathlib import Path
from smartbrain.adapters.snapshots.folder import FolderSnapshots
from smartbrain.adapters.sqlite.lock import WriteLock
root = Path(sys.argv[1])
with FolderSnapshots(root / "views", WriteLock(root / "views.lock", 1.0).attempt).writing() as it:
    print("got" if it is not None else "none", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def writer_elsewhere(tmp_path: Path):
    """Ask for the right to write in another process; yield what it said."""
    with subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        encoding="utf-8",
    ) as process:
        try:
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


@pytest.mark.spec("M4")
def test_another_process_is_kept_out_until_it_is_killed(tmp_path: Path) -> None:
    """The lock holds between processes both ways, and dies with its holder."""
    with store(tmp_path).writing(), writer_elsewhere(tmp_path) as (_, said):
        assert said == "none"
    with writer_elsewhere(tmp_path) as (process, said):
        assert said == "got"
        with store(tmp_path).writing() as writing:
            assert writing is None
        process.kill()
        process.wait()
        with store(tmp_path).writing() as writing:
            assert writing is not None


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    """Where a file lies in the way, it is an error of the disk with the path in it."""
    (tmp_path / "views").write_text("in the way")
    with pytest.raises(AdapterError, match="views"), store(tmp_path).writing():
        pass
    (tmp_path / "views").unlink()
    (tmp_path / "views" / VIEW / CURRENT).mkdir(parents=True)
    with pytest.raises(AdapterError, match="CURRENT"):
        store(tmp_path).newest(VIEW, 1)


def test_a_reader_follows_a_writer_that_replaces_under_it(tmp_path: Path) -> None:
    """However often snapshots are replaced meanwhile, a reader gets a whole one, never damage."""
    publish(store(tmp_path), 0)
    with ThreadPoolExecutor(1) as executor:
        writing = executor.submit(
            lambda: [publish(store(tmp_path), seq) for seq in range(1, REPLACED)]
        )
        seen = [0]
        while not writing.done():
            found = store(tmp_path).newest(VIEW, 1)
            assert isinstance(found, Snapshot), found
            seen.append(found.seq)
        writing.result()
    assert sorted(seen) == seen
    assert len(set(seen)) > 2


@pytest.mark.spec("R4")
def test_damage_does_not_get_into_the_next_snapshot(tmp_path: Path) -> None:
    """A file that both share has the checksum it always had, or the next one is refused."""
    snapshots = store(tmp_path)
    first = publish(snapshots, 5)
    with snapshots.writing() as writing:
        folder = writing.folder(VIEW, 6)
        (folder / "文字.idx").hardlink_to(first / "文字.idx")
        (first / "文字.idx").write_bytes(b"\xff" * (first / "文字.idx").stat().st_size)
        with pytest.raises(AdapterError) as caught:
            writing.publish(VIEW, folder, SnapshotStamp(6, 1, MARK))
        assert "corrupt" == caught.value.code
        assert first == writing.newest(VIEW)


@pytest.mark.spec("R4")
def test_files_that_somebody_changes_are_told(tmp_path: Path) -> None:
    """By their size or by when they were written; one that is gone does no harm."""
    publish(store(tmp_path), 5)
    found = store(tmp_path).newest(VIEW, 1)
    assert isinstance(found, Snapshot)
    assert 3 == len(found.seen)
    altered = store(tmp_path).altered
    assert "" == altered(found.seen)
    path = found.folder / "deep" / "more.bin"
    kept = path.stat()
    os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns + 1))
    assert str(path) == altered(found.seen)
    os.truncate(path, 3)
    os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))
    assert str(path) == altered(found.seen)
    path.unlink()
    assert "" == altered(found.seen)
