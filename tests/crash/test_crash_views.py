"""SIGKILL while views are flushed, saved, trained and built anew; the next open answers right.

The same tenant lives through every kill. What it answers afterwards is held against views that were
built in memory from the same database, which no kill has ever touched.
"""

from __future__ import annotations

import secrets
from contextlib import ExitStack
from pathlib import Path
from random import Random

import crash_views
import pytest
from children import Child, profile, remark
from crash_views import KINDS, prepare, watched

KILLS = profile(12, 120)
LONGEST = {"flush": 0.35, "snapshot": 0.25, "training": 0.1, "rebuild": 0.5}
BEGINS = {"training": "train"}  # what is said when the work itself begins, if not at once


@pytest.mark.spec("R4", "E5")
def test_a_kill_while_views_are_written_changes_no_answer(tmp_path: Path) -> None:
    """Killed at any moment of any work, the tenant opens and answers as an untouched twin does."""
    seed = secrets.randbits(32)
    dice = Random(seed)
    prepare(tmp_path, dice)
    inside = dict.fromkeys(KINDS, 0)
    opened_from_files = 0
    with ExitStack() as stack:
        spare = stack.enter_context(_child(tmp_path, seed, 0))
        for number in range(KILLS):
            kind = KINDS[number % len(KINDS)]
            remark(f"seed {seed}, round {number}, {kind}")
            spare.expect("loaded")
            spare.go(kind)
            spare.expect(BEGINS.get(kind, "ready"))
            lines = spare.kill_after(dice.uniform(0, LONGEST[kind]))
            spare = stack.enter_context(_child(tmp_path, seed, number + 1))
            inside[kind] += lines[-1].split(" ")[0] == BEGINS.get(kind, "try")
            opened_from_files += _check(tmp_path, save=dice.random() < 0.5)
    remark(f"inside: {inside}, opened from files: {opened_from_files}")
    assert sum(inside.values()) >= KILLS // 2, "most kills landed outside of the work"
    assert all(inside.values()), "a kind of work was never interrupted"
    assert opened_from_files >= KILLS // 3, "snapshots hardly ever survived"


def _child(root: Path, seed: int, number: int) -> Child:
    """Start a child that does other things than the one before."""
    return Child("views", root, f"{seed}/{number}", programs=Path(crash_views.__file__))


def _check(root: Path, *, save: bool) -> bool:
    """Hold the answers against a twin's; tell whether any view was opened from its files."""
    with watched(root, files=False) as twin:
        expected, length = twin.answers(), twin.length()
    with watched(root) as opened:
        remark(f"lengths: {length} and {opened.length()}")
        assert expected == opened.answers()
        names = opened.follower.names()
        if save:
            opened.follower.save(names)
            assert expected == opened.answers()
            assert not list((opened.tenant.folder / "views").glob("*/*.tmp"))
    assert len(expected) == 13
    assert all(found for name, found in expected.items() if not name.startswith("vector"))
    return sum(opened.follower.rebuilds.values()) < len(names)
