"""The write lock: among threads, among processes, when its holder dies or a waiter gives up."""

from __future__ import annotations

import errno
import os
import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlite_child import Child

from smartbrain.adapters.sqlite import lock as lock_module
from smartbrain.adapters.sqlite.lock import WriteLock
from smartbrain.adapters.sqlite.truth import LOCK, SqliteTruth
from smartbrain.errors import AdapterError, InternalError
from smartbrain.testing import builders
from smartbrain.testing.clock import FakeClock

PATIENCE = 600.0
HOLD = """
with lock.WriteLock(FOLDER / LOCK, 60.0):
    say("held")
    hear()
say("released")
hear()
"""


def waiting_threads() -> int:
    return sum(thread.name == "smartbrain-lock" for thread in threading.enumerate())


def descriptors_of(path: Path) -> int:
    """Return how often this process has a file open."""
    links = []
    for entry in Path("/proc/self/fd").iterdir():
        try:
            links.append(entry.readlink())
        except FileNotFoundError:
            continue
    return links.count(path)


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until something holds that another thread is about to bring about."""
    for _ in range(6_000):
        if holds():
            return
        threading.Event().wait(0.01)
    raise AssertionError("it never came to hold")


def test_a_thread_waits_for_its_time_and_then_says_busy(tmp_path: Path) -> None:
    """One line names the lock, who holds it and for how long; waiting may help."""
    lock = WriteLock(tmp_path / LOCK, 0.05)
    caught: list[AdapterError] = []

    def contend() -> None:
        try:
            with lock:
                raise AssertionError("two threads are inside")
        except AdapterError as error:
            caught.append(error)

    with lock:
        thread = threading.Thread(target=contend)
        thread.start()
        thread.join()
    (error,) = caught
    assert ("busy", True) == (error.code, error.retryable)
    expected = f"{tmp_path / LOCK}: another thread has been writing for 0.05 s; try again later"
    assert expected == error.message
    with lock:
        pass
    lock.close()


def test_a_lock_without_a_file_keeps_threads_apart(tmp_path: Path) -> None:
    """In memory there is no file, and the error does not pretend there is."""
    lock = WriteLock(None, 0.01)
    caught: list[AdapterError] = []

    def contend() -> None:
        with pytest.raises(AdapterError) as error, lock:
            pass
        caught.append(error.value)

    with lock:
        thread = threading.Thread(target=contend)
        thread.start()
        thread.join()
    assert "the database in memory: another thread" in caught[0].message
    assert [] == list(tmp_path.iterdir())


def test_a_thread_cannot_wait_for_itself(tmp_path: Path) -> None:
    """Entering twice is a mistake that shows at once, and does not give the lock up."""
    lock = WriteLock(tmp_path / LOCK, PATIENCE)
    with lock:
        with pytest.raises(InternalError), lock:
            pass
        assert lock.mine
    assert not lock.mine
    lock.close()


@pytest.mark.spec("E5")
def test_another_process_is_named_when_the_time_is_up(tmp_path: Path) -> None:
    """A writer that never lets go costs the others their timeout and one clear line."""
    truth = SqliteTruth(tmp_path, tenant="t", clock=FakeClock(), lock_timeout=0.05)
    with Child(HOLD, tmp_path) as holder:
        assert "held" == holder.hear()
        with pytest.raises(AdapterError) as caught, truth.write():
            pass
        expected = (
            f"{tmp_path / LOCK}: another process has been writing for 0.05 s; try again later"
        )
        assert ("busy", expected) == (caught.value.code, caught.value.message)
        assert 0 == truth.seq()
        holder.say()
        assert "released" == holder.hear()
        eventually(lambda: waiting_threads() == 0)
        with truth.write() as transaction:
            transaction.events.add_turns([builders.turn()])
    assert 1 == truth.seq()
    truth.close()


@pytest.mark.spec("E5")
def test_a_second_process_blocks_and_then_proceeds(tmp_path: Path) -> None:
    """Its transaction begins when the first one has ended, and sees what that one wrote."""
    truth = SqliteTruth(tmp_path, tenant="t", clock=FakeClock())
    script = """
tell_before_waiting()
truth = SqliteTruth(FOLDER, tenant="t", clock=FakeClock())
with truth.write() as transaction:
    last = transaction.events.last_turn("会话")
    transaction.events.add_turns([builders.turn("会话", last[0] + 1)])
    say(f"after {last[0]}")
truth.close()
"""
    with Child(script, tmp_path) as second:
        with truth.write() as transaction:
            assert "waiting" == second.hear()
            transaction.events.add_turns([builders.turn("会话", 1)])
        assert "after 1" == second.hear()
        second.end()
    assert 2 == truth.seq()
    truth.close()


@pytest.mark.spec("E5")
def test_a_killed_holder_frees_the_lock(tmp_path: Path) -> None:
    """The lock dies with its process; nobody has to clean up."""
    lock = WriteLock(tmp_path / LOCK, PATIENCE)
    with Child(HOLD, tmp_path) as holder:
        assert "held" == holder.hear()
        holder.process.kill()
        with lock:
            pass
    lock.close()


def test_giving_up_leaks_neither_threads_nor_descriptors(tmp_path: Path) -> None:
    """However often callers give up, one waiter stays in line, and in the end none."""
    path = tmp_path / LOCK
    lock = WriteLock(path, 0.0)
    with Child(HOLD, tmp_path) as holder:
        assert "held" == holder.hear()
        for _ in range(50):
            with pytest.raises(AdapterError, match="another process"), lock:
                pass
        assert (1, 1) == (waiting_threads(), descriptors_of(path))
        holder.say()
        assert "released" == holder.hear()
        eventually(lambda: (waiting_threads(), descriptors_of(path)) == (0, 0))


def test_a_lock_that_comes_too_late_is_handed_on(tmp_path: Path) -> None:
    """Who gave up does not keep the others out when its turn comes after all."""
    impatient, patient = WriteLock(tmp_path / LOCK, 0.0), WriteLock(tmp_path / LOCK, PATIENCE)
    with Child(HOLD, tmp_path) as holder:
        assert "held" == holder.hear()
        with pytest.raises(AdapterError), impatient:
            pass
        holder.say()
        with patient, pytest.raises(AdapterError, match="another process"), impatient:
            pass
    eventually(lambda: waiting_threads() == 0)
    with impatient, pytest.raises(InternalError), impatient:
        pass
    impatient.close()
    patient.close()


def test_who_comes_back_keeps_its_place_in_line(tmp_path: Path) -> None:
    """A second try takes up the wait that the first one gave up on."""
    lock = WriteLock(tmp_path / LOCK, 0.0)
    with Child(HOLD, tmp_path) as holder:
        assert "held" == holder.hear()
        with pytest.raises(AdapterError), lock:
            pass
        lock._timeout = PATIENCE
        came: list[bool] = []

        def come_back() -> None:
            with lock:
                came.append(lock.mine)

        thread = threading.Thread(target=come_back)
        thread.start()
        eventually(lambda: lock._waiter is not None and lock._waiter._wanted)
        assert 1 == waiting_threads()
        holder.say()
        thread.join()
    assert [True] == came
    lock.close()


def test_an_interrupted_waiter_lets_go(tmp_path: Path) -> None:
    """Ctrl-C while waiting leaves a process that lives on and keeps nobody out."""
    script = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
tell_before_waiting()
try:
    with lock.WriteLock(FOLDER / LOCK, 600.0):
        say("inside")
except KeyboardInterrupt:
    say("interrupted")
hear()
with lock.WriteLock(FOLDER / LOCK, 60.0):
    say("inside at last")
"""
    mine = WriteLock(tmp_path / LOCK, PATIENCE)
    with Child(script, tmp_path) as waiter:
        with mine:
            assert "waiting" == waiter.hear()
            waiter.process.send_signal(signal.SIGINT)
            assert "interrupted" == waiter.hear()
        with mine:
            pass
        waiter.say()
        assert "inside at last" in {waiter.hear(), waiter.hear()}  # perhaps "waiting" before it
        waiter.end()
    mine.close()


def test_a_lock_that_the_system_refuses_is_not_taken_for_granted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where locking fails while waiting, the writer is told and does not write."""

    def refuse(_: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(lock_module, "_try_lock", lambda _: False)
    monkeypatch.setattr(lock_module, "_lock", refuse)
    lock = WriteLock(tmp_path / LOCK, PATIENCE)
    with pytest.raises(AdapterError, match="network share") as caught, lock:
        pass
    assert "io_error" == caught.value.code
    assert 0 == descriptors_of(tmp_path / LOCK)
    monkeypatch.undo()
    with lock:
        pass
    lock.close()


def test_a_refusal_at_once_is_told_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system without locks is not mistaken for a busy one."""

    def refuse(*_: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(lock_module.fcntl, "flock", refuse)
    lock = WriteLock(tmp_path / LOCK, PATIENCE)
    with pytest.raises(AdapterError, match="network share"), lock:
        pass
    lock.close()


@pytest.mark.parametrize(
    ("reason", "code"),
    [
        (errno.ENOSPC, "disk_full"),
        (errno.EMFILE, "io_error"),
        (errno.EACCES, "read_only"),
        (errno.EROFS, "read_only"),
        (errno.ENOENT, "read_only"),
    ],
)
def test_a_lock_file_that_cannot_be_opened_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reason: int, code: str
) -> None:
    """The error has the file and the system's reason, and the lock can be tried again."""

    def refuse(*_: object) -> int:
        raise OSError(reason, os.strerror(reason))

    lock = WriteLock(tmp_path / LOCK, PATIENCE)
    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(AdapterError, match=os.strerror(reason)) as caught, lock:
        pass
    assert code == caught.value.code
    assert str(tmp_path / LOCK) in caught.value.message
    monkeypatch.undo()
    with lock:
        pass
    lock.close()
