"""The write lock: one writer at a time among all threads and processes of a tenant.

An OS file lock taken before BEGIN IMMEDIATE. SQLite's own busy handler polls and starves late
comers; a blocked file lock is queued by the kernel, so writers take turns. It dies with its
process, so a killed writer never leaves it behind.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import threading
import time
from pathlib import Path
from typing import Final

from smartbrain.errors import AdapterError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_BUSY: Final = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


class WriteLock:
    """A context manager around the tenant's `write.lock`; not re-entrant."""

    def __init__(self, path: Path | None, timeout: float) -> None:
        """Lock the file at `path`, or only this process where there is no file."""
        self._path = path
        self._timeout = timeout
        self._threads = threading.Lock()
        self._file: int | None = None

    def __enter__(self) -> WriteLock:
        deadline = time.monotonic() + self._timeout
        if not self._threads.acquire(timeout=self._timeout):
            raise self._busy("another thread")
        try:
            if self._path is not None:
                self._lock_file(deadline)
        except BaseException:
            self._threads.release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self._file is not None:
                _unlock(self._file)
        finally:
            self._threads.release()

    def close(self) -> None:
        """Give the file descriptor back; the next use opens it again."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _lock_file(self, deadline: float) -> None:
        """Take the file lock: at once if it is free, else in line until the deadline."""
        assert self._path is not None
        if self._file is None:
            self._file = _open(self._path)
        if _try_lock(self._file):
            return
        waiter = _Waiter(self._file)
        if not waiter.wait(deadline - time.monotonic()):
            # The waiter may still win the lock later and will hand it straight back, on a
            # descriptor that is now its own to close.
            self._file = None
            raise self._busy("another process")

    def _busy(self, holder: str) -> AdapterError:
        """Build the error for a lock that did not come free in time."""
        return AdapterError(
            f"{self._path}: {holder} has been writing for {self._timeout:g} s; try again later",
            code="busy",
        )


class _Waiter:
    """Waits in the kernel's queue on a thread of its own, so that the caller can give up."""

    def __init__(self, file: int) -> None:
        self._file = file
        self._done = threading.Event()
        self._state = threading.Lock()
        self._abandoned = False
        threading.Thread(target=self._run, name="smartbrain-lock", daemon=True).start()

    def wait(self, seconds: float) -> bool:
        """Tell whether the lock came in time; if not, it is given back when it comes."""
        if self._done.wait(max(0.0, seconds)):
            return True
        with self._state:
            self._abandoned = not self._done.is_set()
            return not self._abandoned

    def _run(self) -> None:
        with contextlib.suppress(OSError):
            _lock(self._file)
        with self._state:
            if self._abandoned:
                os.close(self._file)
            else:
                self._done.set()


def _open(path: Path) -> int:
    """Open the lock file, creating it if need be."""
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
            raise AdapterError(
                f"the write lock failed ({error.strerror}); is the folder on a network share?",
                code="io_error",
            ) from error
        return True

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)

    def _unlock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)
