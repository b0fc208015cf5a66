"""Taking the write lock only if it is free just now: it never waits, and never takes it away."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlite_child import Child

from smartbrain.adapters.sqlite.lock import WriteLock
from smartbrain.adapters.sqlite.truth import LOCK
from smartbrain.errors import AdapterError

HOLD = """
with lock.WriteLock(FOLDER / LOCK, 60.0):
    say("held")
    hear()
"""


def free(lock: WriteLock) -> bool:
    """Tell whether a lock is free just now."""
    with lock.attempt() as got:
        return got


@pytest.mark.parametrize("file", [True, False])
def test_a_free_lock_is_taken_and_given_back(tmp_path: Path, file: bool) -> None:
    """Held meanwhile, in a file or without one; free again afterwards, also after an error."""
    lock = WriteLock(tmp_path / LOCK if file else None, 0.01)
    with lock.attempt() as got:
        assert got
        assert not free(lock)
        with ThreadPoolExecutor(1) as executor:
            assert not executor.submit(free, lock).result()
        with pytest.raises(AdapterError, match="another thread"), lock:
            pass
    with pytest.raises(ZeroDivisionError), lock.attempt():
        raise ZeroDivisionError
    with lock:
        assert not free(lock)
    assert free(lock)


def test_another_lock_on_the_same_file_is_respected(tmp_path: Path) -> None:
    """Two locks on one file are as two processes are: one gets it, the other is told at once."""
    one, other = WriteLock(tmp_path / LOCK, 0.05), WriteLock(tmp_path / LOCK, 0.05)
    with one.attempt() as got:
        assert got
        assert not free(other)
        with pytest.raises(AdapterError, match="another process"), other:
            pass
    with other:
        assert not free(one)
    assert free(one)
    one.close()
    assert free(one)


def test_a_killed_process_frees_it(tmp_path: Path) -> None:
    """What another process holds is not free until it is gone."""
    lock = WriteLock(tmp_path / LOCK, 1.0)
    with Child(HOLD, tmp_path) as child:
        assert child.hear() == "held"
        assert not free(lock)
        child.process.kill()
        child.process.wait()
        assert free(lock)
