"""The blob store: raw content of one tenant, kept once under the address of its bytes.

In: bytes and the UTC day they were first seen. Out: a path relative to the tenant's folder, and the
bytes again, verified against their address. Not a register: which blobs are still referenced is
known by the truth, and sweeping what nobody references is a job's decision.
"""

from __future__ import annotations

import errno
import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from smartbrain.errors import AdapterError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date
    from pathlib import Path

MAX_BYTES: Final = 1 << 30
"""The largest content a blob may hold; also what a read will at most unpack."""

_ADDRESS: Final = re.compile(r"[0-9a-f]{64}")
_FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
_FORBIDDEN: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})


@dataclass(frozen=True, slots=True)
class BlobFile:
    """One file of the store as it lies there, whether or not anybody knows it.

    `bytes` is its size as stored, `modified` its age in epoch seconds, and `temporary` says that it
    is the unfinished write of this store; a file of anybody else is listed too, as not temporary.
    """

    path: str
    bytes: int
    modified: float
    temporary: bool


class Blobs(Protocol):
    """The raw content of one tenant. Safe to use from many threads and processes at once.

    Disks fail as `disk_full`, `read_only` or `io_error`; a link that leads out of the store is
    `blob_corrupt`.
    """

    def address(self, data: bytes) -> str:
        """Return the 64 hex digits that name this content: SHA-256, keyed where there is a key."""

    def put(self, address: str, data: bytes, day: date) -> str:
        """Store content durably and return its path; storing it again on that day changes nothing.

        When this returns, the content survives a crash. A damaged file of that name is replaced,
        and the age of an existing one starts again, so that a sweep by age spares it.
        """

    def get(self, path: str, address: str) -> bytes:
        """Return the content at a path, proven to be that of the address.

        It is `blob_missing`, or `blob_corrupt` where it is damaged, other content, or locked with
        another key.
        """

    def exists(self, path: str) -> bool:
        """Tell whether there is a file at the path, without reading it."""

    def delete(self, path: str) -> bool:
        """Remove the file at the path for good; false if there was none."""

    def walk(self) -> Iterator[BlobFile]:
        """List every file of the store in order of path, unfinished and foreign ones too."""


def check_address(address: str) -> str:
    """Return the address if it has the form of one."""
    if not _ADDRESS.fullmatch(address):
        raise UsageError(f"a blob address is 64 lower-case hex digits, not {address!r}")
    return address


def check_path(path: str) -> str:
    """Return the path if it stays inside the tenant's raw folder by its spelling alone."""
    top, *rest = path.split("/")
    if top != "raw" or not rest or "\0" in path or not {"", ".", ".."}.isdisjoint(rest):
        raise UsageError(f"a blob path is relative and inside raw/, not {path!r}")
    try:
        path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        raise UsageError(f"a blob path is text a file can be named by, not {path!r}") from None
    return path


def blob_path(address: str, day: date) -> str:
    """Return where content of this address lies when first seen on this UTC day."""
    check_address(address)
    folder = f"raw/{day.year:04}/{day.month:02}/{day.day:02}/{address[:2]}"
    return f"{folder}/raw_{address}.blob.zst"


def disk_error(error: OSError, doing: str) -> AdapterError:
    """Return what an operating system error means to callers; `doing` ends "could not ..."."""
    reason = error.strerror or type(error).__name__
    if error.errno in _FULL:
        advice, code = "free space and try again", "disk_full"
    elif error.errno in _FORBIDDEN:
        advice, code = "check who owns the folder and its permissions", "read_only"
    else:
        advice, code = "check the disk, then try again", "io_error"
    return AdapterError(f"could not {doing}: {reason}; {advice}", code=code)


def sync_folder(folder: Path) -> None:
    """Make names in the folder durable, where the system can (Windows does it by itself)."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
