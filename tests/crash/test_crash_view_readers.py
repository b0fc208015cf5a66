"""One process writes and another asks: what was committed is found by the next call over there.

Both are real processes on one tenant; the views follow the truth from one to the other, while
snapshots are written beside them.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from children import Child, profile, remark

from smartbrain import SmartBrain

SECONDS = profile(5, 60)
_PROGRAMS = Path(__file__).with_name("crash_view_readers.py")


@pytest.mark.spec("R4", "E5", "S1")
def test_a_reader_finds_each_announced_commit_with_its_next_call(tmp_path: Path) -> None:
    """By the graph, by words and by passages; nobody fails, and nothing is older than one call."""
    root, announced = tmp_path / "b", tmp_path / "announced"
    with (
        Child("writes", root, announced, programs=_PROGRAMS) as writer,
        Child("reads", root, announced, programs=_PROGRAMS) as reader,
    ):
        for child in (reader, writer):
            child.expect("loaded")
        for child in (writer, reader):
            child.go()
        time.sleep(SECONDS)
        for child in (reader, writer):
            assert child.process.poll() is None, child.complaints()
            child.go("stop")
        asked, written = (_rounds(child.finish()) for child in (reader, writer))
    remark(f"{written} rounds written and {asked} asked for in {SECONDS} s")
    assert asked >= 5 * SECONDS
    with SmartBrain.open(root) as brain:
        assert written == len(brain.graph.neighbors("Concept:根", limit=1000)) or written > 1000
        assert written == brain.status().rows["turns"]
    assert SmartBrain.doctor(root).healthy


def _rounds(lines: list[str]) -> int:
    """Return how many rounds a child made."""
    return int(lines[-1].removeprefix("rounds "))
