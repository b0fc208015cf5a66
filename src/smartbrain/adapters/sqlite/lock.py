"""The write lock: one writer at a time among all threads and processes of a tenant.

An OS file lock taken before BEGIN IMMEDIATE. SQLite's own busy handler polls and starves late
comers; a blocked file lock is queued by the kernel, so writers take turns. It dies with its
process, so a killed writer never leaves it behind.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from smartbrain.errors import AdapterError, InternalError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_BUSY: Final = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


class WriteLock:
    """A context manager around the tenant's `write.lock`; not re-entrant."""

    def __init__(self, path: Path | None, timeout: float) -> None:
        self._path = path
        self._timeout = timeout
        self._threads = threading.Lock()
        self._owner: int | None = None
        self._file: int | None = None
        self._waiter: _Waiter | None = None

    def __enter__(self) -> WriteLock:
        if self.mine:
            raise InternalError(f"{self._name}: this thread is inside a transaction already")
        deadline = time.monotonic() + self._timeout
        if not self._threads.acquire(timeout=self._timeout):
            raise self._busy("another thread")
        try:
            if self._path is not None:
                self._lock_file(self._path, deadline)
        except BaseException:
            self._threads.release()
            raise
        self._owner = threading.get_ident()
        return self

    def __exit__(self, *_: object) -> None:
        self._owner = None
        try:
            if self._file is not None:
                _unlock(self._file)
        finally:
            self._threads.release()

    @property
    def mine(self) -> bool:
        return self._owner == threading.get_ident()

    @contextmanager
    def idle(self) -> Iterator[bool]:
        """Keep this process's threads out for a moment; false where one is inside just now."""
        free = self._threads.acquire(blocking=False)
        try:
            yield free
        finally:
            if free:
                self._threads.release()

    @contextmanager
    def attempt(self) -> Iterator[bool]:
        """Take the lock if it is free just now; false where another thread or process has it."""
        with self.idle() as free:
            if free and self._path is not None:
                if self._file is None:
                    self._file = _open(self._path)
                free = _try_lock(self._file)
            try:
                yield free
            finally:
                if free and self._file is not None:
                    _unlock(self._file)

    def close(self) -> None:
        """Give the file descriptor back; the next use opens it again."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    @property
    def _name(self) -> str:
        return "the database in memory" if self._path is None else str(self._path)

    def _lock_file(self, path: Path, deadline: float) -> None:
        """Take the file lock: at once if it is free, else in line until the deadline."""
        waiter = self._waiter
        if waiter is None or not waiter.resume():
            if self._file is None:
                self._file = _open(path)
            if _try_lock(self._file):
                return
            # From here on the descriptor is the waiter's, to hand back or to close.
            waiter, self._file = _Waiter(self._file), None
        self._waiter = waiter
        if not waiter.wait(deadline - time.monotonic()):
            raise self._busy("another process")
        self._waiter, self._file = None, waiter.file

    def _busy(self, holder: str) -> AdapterError:
        return AdapterError(
            f"{self._name}: {holder} has been writing for {self._timeout:g} s; try again later",
            code="busy",
        )


class _Waiter:
    """Waits in the kernel's queue on a thread of its own, so that the caller can give up.

    A waiter that was given up on keeps its place: the next caller resumes it, so there is one
    thread and one descriptor however often callers give up. Should the lock come while nobody
    wants it, closing the descriptor hands it on.
    """

    def __init__(self, file: int) -> None:
        self.file = file
        self._done = threading.Event()
        self._state = threading.Lock()
        self._wanted = True
        self._failure: OSError | None = None
        self._thread = threading.Thread(target=self._run, name="smartbrain-lock", daemon=True)

    def resume(self) -> bool:
        """Want the lock again; false if it came in the meantime and was handed on."""
        with self._state:
            self._wanted = not self._done.is_set()
            return self._wanted

    def wait(self, seconds: float) -> bool:
        """Tell whether the lock came in time; a caller who is interrupted gives it back."""
        try:
            if self._thread.ident is None:
                self._thread.start()
            self._done.wait(max(0.0, seconds))
        except BaseException:
            with self._state:
                if self._done.is_set() and self._failure is None:
                    os.close(self.file)
                self._wanted = False
            raise
        with self._state:
            self._wanted = self._done.is_set()
        if self._failure is not None:
            raise _failed(self._failure) from self._failure
        return self._wanted

    def _run(self) -> None:
        try:
            _lock(self.file)
        except OSError as error:
            self._failure = error
        with self._state:
            if not self._wanted or self._failure is not None:
                os.close(self.file)
            self._done.set()


def _failed(error: OSError) -> AdapterError:
    return AdapterError(
        f"the write lock failed ({error.strerror}); is the folder on a network share?",
        code="io_error",
    )


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    except OSError as error:
        code = {errno.ENOSPC: "disk_full", errno.EMFILE: "io_error"}.get(
            error.errno or 0, "read_only"
        )
        raise AdapterError(
            f"{path}: the lock file cannot be opened ({error.strerror}); check the folder",
            code=code,
        ) from error


if sys.platform == "win32":

    def _try_lock(file: int) -> bool:
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _lock(file: int) -> None:
        while not _try_lock(file):
            time.sleep(0.005)

    def _unlock(file: int) -> None:
        os.lseek(file, 0, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

else:

    def _try_lock(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            if error.errno in _BUSY:
                return False
            raise _failed(error) from error
        return True

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)

    def _unlock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
