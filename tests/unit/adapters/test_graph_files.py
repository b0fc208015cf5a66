"""The files of the graph index: what is written, and what happens when they are damaged.

In: saved graphs with bytes flipped, numbers led astray and disks full. Out: a failure if anything
but the port's error comes of it.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from smartbrain.adapters.graph import rows as rows_module
from smartbrain.adapters.graph.index import NumpyGraph
from smartbrain.adapters.graph.rows import EDGE, FORM, KIND, NODE, Rows
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.graph_search import GraphEdge, Spread
from smartbrain.errors import AdapterError

SEEDS = dict.fromkeys(range(20), 1.0)
ASTRAY = 2**32 - 2


def some_edges(first: int = 0) -> list[GraphEdge]:
    return [
        GraphEdge(num, num * 7 % 20, num * 3 % 17, EdgeType.ABOUT, 1 / (1 + num % 9))
        for num in range(first, first + 60)
    ]


def saved(folder: Path) -> Path:
    folder.mkdir()
    graph = NumpyGraph()
    graph.update(some_edges())
    graph.save(folder)
    return folder


def no_space(path: Path, data: bytes) -> int:
    """Write half of the data and fail as a full disk does."""
    with path.open("wb") as file:
        file.write(data[: len(data) // 2])
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def use(graph: NumpyGraph, folder: Path) -> list[str]:
    """Call everything, and return the codes of the errors."""
    folder.mkdir(exist_ok=True)
    calls: tuple[Callable[[], object], ...] = (
        lambda: graph.neighbours(3),
        lambda: graph.reach(SEEDS, Spread(hops=3)),
        lambda: graph.spread(SEEDS, Spread()),
        graph.stats,
        lambda: graph.update(some_edges(30), removed=range(12)),
        graph.stats,
        lambda: graph.spread({1: 1.0}, Spread()),
        lambda: graph.save(folder),
    )
    codes = []
    for call in calls:
        try:
            call()
        except AdapterError as error:
            codes.append(error.code)
    return codes


def test_a_whole_graph_raises_nothing(tmp_path: Path) -> None:
    """The calls that damage is looked for with are good ones."""
    graph = NumpyGraph()
    graph.load(saved(tmp_path / "saved"))
    assert [] == use(graph, tmp_path / "again")


@pytest.mark.parametrize("name", ["header", "kinds", "place", "slots", "start"])
def test_no_flipped_byte_brings_a_foreign_error(tmp_path: Path, name: str) -> None:
    """A wrong byte is told as damage, at loading or at use, or stays unseen; nothing else."""
    folder = saved(tmp_path / "saved")
    data = (folder / name).read_bytes()
    codes = set()
    for place in range(0, len(data), max(1, len(data) // 60)):
        for bits in (1, 0x80, 0xFF):
            damaged = bytearray(data)
            damaged[place] ^= bits
            (folder / name).write_bytes(damaged)
            graph = NumpyGraph()
            try:
                graph.load(folder)
            except AdapterError as error:
                codes.add(error.code)
            else:
                codes |= set(use(graph, tmp_path / "again"))
            shutil.rmtree(tmp_path / "again", ignore_errors=True)
    assert codes == (set() if name == "kinds" else {"corrupt"})


@pytest.mark.parametrize("column", [NODE, EDGE, KIND])
def test_numbers_that_lead_astray_are_damage(tmp_path: Path, column: int) -> None:
    """No number in a file can make the index reach beyond its arrays or take much memory."""
    folder = saved(tmp_path / "saved")
    slots = np.fromfile(folder / "slots", "<u4").reshape(-1, 4)
    slots[:, column] = ASTRAY
    slots.tofile(folder / "slots")
    graph = NumpyGraph()
    graph.load(folder)
    assert {"corrupt"} == set(use(graph, tmp_path / "again"))


def test_a_damaged_index_can_be_loaded_anew(tmp_path: Path) -> None:
    """After an error the index is as good as the next files that it loads."""
    good, bad = saved(tmp_path / "good"), saved(tmp_path / "bad")
    slots = np.fromfile(bad / "slots", "<u4").reshape(-1, 4)
    slots[60:, NODE] = ASTRAY
    slots.tofile(bad / "slots")
    graph, twin = NumpyGraph(), NumpyGraph()
    twin.load(good)
    graph.load(bad)
    with pytest.raises(AdapterError):
        graph.spread(SEEDS, Spread())
    graph.load(good)
    assert twin.spread(SEEDS, Spread()) == graph.spread(SEEDS, Spread())


def test_rows_that_overlap_are_damage(tmp_path: Path) -> None:
    """The starts of rows may not fall."""
    folder = saved(tmp_path / "saved")
    start = np.fromfile(folder / "start", "<i8")
    start[3] = start[-1] + 1
    start.tofile(folder / "start")
    with pytest.raises(AdapterError, match="build it anew") as caught:
        Rows.load(folder)
    assert "corrupt" == caught.value.code


def test_files_of_another_form_are_built_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where types of edges have other codes, the numbers in old files mean something else."""
    folder = saved(tmp_path / "saved")
    monkeypatch.setattr(rows_module, "FORM", FORM.replace("CAUSES", "CAUSES_NOT"))
    with pytest.raises(AdapterError) as caught:
        NumpyGraph().load(folder)
    assert "corrupt" == caught.value.code


def test_a_full_disk_is_told_and_nothing_is_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The index goes on as before, and can be saved elsewhere."""
    graph = NumpyGraph()
    graph.update(some_edges())
    before = graph.spread(SEEDS, Spread())
    full, other = tmp_path / "full", tmp_path / "other"
    full.mkdir()
    other.mkdir()
    with monkeypatch.context() as broken:
        broken.setattr(Path, "write_bytes", no_space)
        with pytest.raises(AdapterError) as caught:
            graph.save(full)
    assert ("disk_full", True) == (caught.value.code, caught.value.retryable)
    assert 60 == graph.stats().waiting
    graph.update([], removed=[1])
    graph.update(some_edges()[1:2])
    graph.save(other)
    assert (before, 0) == (graph.spread(SEEDS, Spread()), graph.stats().waiting)


def test_a_loaded_graph_needs_its_files_no_more(tmp_path: Path) -> None:
    """Mapped, a file that somebody cuts off would end the process with the next walk."""
    graph, folder = NumpyGraph(), saved(tmp_path / "saved")
    graph.load(folder)
    before = graph.spread(SEEDS, Spread())
    names = ("start", "slots", "place", "kinds")
    assert graph.stats().bytes == sum((folder / name).stat().st_size for name in names)
    for name in names:
        os.truncate(folder / name, 0)
    assert before == graph.spread(SEEDS, Spread())
    assert before
