"""Snapshots that are damaged while they are open: an answer comes, says so, and the next is whole.

In: one brain whose views answer from snapshots, whose files others cut off or write over. Out: the
same memories, an arm that is reported failed where it read from the files, and healed by itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest
from recall_builders import NOW, arm, ids, opened, say

from smartbrain import SmartBrain
from smartbrain.domain.recall import ArmVerdict
from smartbrain.testing.models import HashEmbedder

SAID = (
    "Win11 蓝牙打不开，错误码 0x8007045D",
    "The bluetooth driver fails with 0x8007045D on 张三's laptop",
    "周报星期四要交 the weekly report is due",
)
QUERIES = ["昨天 蓝牙 0x8007045D 张三", "yesterday bluetooth 0x8007045D 张三"]


def cut(path: Path) -> None:
    """Leave nothing of a file."""
    os.truncate(path, 0)


def write_over(path: Path, byte: bytes) -> None:
    """Keep nothing of a file but its size."""
    size = path.stat().st_size
    with path.open("r+b") as stored:
        stored.write(byte * size)


DAMAGES: dict[str, Callable[[Path], None]] = {
    "cut": cut,
    "zeros": lambda path: write_over(path, b"\0"),
    "ones": lambda path: write_over(path, b"\xff"),
}


@contextmanager
def brain_on_snapshots(path: Path) -> Iterator[tuple[SmartBrain, Path]]:
    """Open a brain whose views were saved, and the folder they are in."""
    with opened(path, embedder=HashEmbedder(64)) as brain:
        for n, said in enumerate(SAID):
            say(brain, said, at=NOW - timedelta(days=1), session=f"s{n}")
        brain.jobs.run("embed")
        with brain._lease() as tenant:
            tenant.views.save(brain._recall_rules())
            folder = tenant.folder / "views"
    with opened(path, embedder=HashEmbedder(64), seed=2) as brain:
        yield brain, folder


def files(folder: Path, pattern: str = "*") -> list[Path]:
    """Return the files of a view's snapshots."""
    return [path for path in folder.rglob(pattern) if path.is_file()]


@pytest.mark.spec("R4", "S7")
@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize(("view", "name"), [("text", "text"), ("passages", "raw")])
def test_a_snapshot_that_is_damaged_while_open_costs_one_answer_one_arm(
    tmp_path: Path, view: str, name: str, damage: str, query: str
) -> None:
    """It is noticed before anything is read, the memories come, and the next answer is whole."""
    with brain_on_snapshots(tmp_path) as (brain, folder):
        before = brain.recall(query)
        for path in files(folder / view):
            DAMAGES[damage](path)
        hurt = brain.recall(query)
        healed = brain.recall(query)
        packet = brain.build_memory_packet("s0", query)
        say(brain, "蓝牙 driver 换了新的 a new one", session="later")
        assert "later" == brain.recall("蓝牙 driver 换了新的 a new one")[0].session_id
        assert 1 == brain.capabilities().rebuilds[f"{view}:corrupt"]
    report = arm(hurt, name)
    assert (ArmVerdict.FAILED, "corrupt") == (report.verdict, report.code)
    assert hurt.trace.degraded
    assert set(ids(before)) == set(ids(hurt))
    assert ids(before) == ids(healed)
    assert not healed.trace.degraded
    assert not packet.metrics["degraded"]


@pytest.mark.spec("R4", "S7")
@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("view", ["graph", "vector-1"])
def test_what_is_read_whole_does_not_miss_its_files(tmp_path: Path, view: str, damage: str) -> None:
    """The graph and the vectors answer from memory; opened again, they are built anew."""
    with brain_on_snapshots(tmp_path) as (brain, folder):
        before = [brain.recall(query) for query in QUERIES]
        assert files(folder / view)
        for path in files(folder / view):
            DAMAGES[damage](path)
        after = [brain.recall(query) for query in QUERIES]
    with opened(tmp_path, embedder=HashEmbedder(64), seed=3) as brain:
        again = [brain.recall(query) for query in QUERIES]
    for answers in (after, again):
        assert [ids(one) for one in before] == [ids(one) for one in answers]
    assert not any(one.trace.degraded for one in (*after, *again))


@pytest.mark.spec("R4", "S7")
@pytest.mark.parametrize(
    ("view", "file", "name"),
    [("text", "*.idx", "text"), ("text", "*.fast", "text"), ("passages", "*.idx", "raw")],
)
def test_damage_that_nobody_told_is_noticed_by_its_answers(
    tmp_path: Path, view: str, file: str, name: str
) -> None:
    """A disk that loses bytes leaves size and time as they were: the view is built anew as well."""
    with brain_on_snapshots(tmp_path) as (brain, folder):
        before = brain.recall(QUERIES[0])
        for path in files(folder / view, file):
            kept = path.stat()
            write_over(path, b"\xff")
            os.utime(path, ns=(kept.st_atime_ns, kept.st_mtime_ns))
        hurt = brain.recall(QUERIES[0])
        healed = brain.recall(QUERIES[0])
    report = arm(hurt, name)
    assert (ArmVerdict.FAILED, "corrupt") == (report.verdict, report.code)
    assert hurt.trace.degraded
    assert ids(before) == ids(healed)
    assert not healed.trace.degraded
