"""Blobs as files in a tenant's folder: compressed, sealed if it has a cipher, never half written.

In: content and its address. Out: `raw/YYYY/MM/DD/<2 digits>/raw_<address>.blob.zst`, a zstd frame
or the sealed form of one. A file is written under a temporary name beside its final one, synced and
renamed, and every folder on the way is synced too. The module loads no cryptography: a cipher is
handed in. It does not create the tenant's folder, so a forgotten tenant stays forgotten.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from contextlib import suppress
from hashlib import sha256
from itertools import count
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, BinaryIO, Final

from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.blobs import (
    MAX_BYTES,
    BlobFile,
    blob_path,
    check_address,
    check_path,
    disk_error,
    sync_folder,
)

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from smartbrain.adapters.blobs.cipher import AesGcm

_LEVEL: Final = 3
_SETTLED_KEPT: Final = 4096
_TEMPORARY: Final = re.compile(r"raw_[0-9a-f]{64}\.blob\.zst\.\d+\.\d+\.tmp")


class FileBlobs:
    """The blobs of one tenant in its folder, which must exist; each method is as `Blobs` says."""

    def __init__(self, folder: Path, cipher: AesGcm | None = None, limit: int = MAX_BYTES) -> None:
        self._folder = folder
        self._cipher = cipher
        self._limit = limit
        # Folders whose entry in their parent this instance has synced: only the first blob of a
        # folder pays for the chain above it. Another process may have made a folder and crashed
        # before its sync, so finding one there proves nothing.
        self._settled: set[Path] = set()

    def address(self, data: bytes) -> str:
        if len(data) > self._limit:
            raise UsageError(f"a blob holds at most {self._limit} bytes, not {len(data)}; split it")
        return self._cipher.address(data) if self._cipher else sha256(data).hexdigest()

    def put(self, address: str, data: bytes, day: date) -> str:
        """Write the content under its day unless it lies there whole; return the path."""
        path = blob_path(address, day)
        if address != self.address(data):
            raise UsageError(f"{address} is not the address of this content; ask address() for it")
        try:
            target = self._locate(path)
            self._settle(target.parent)
            if not self._keep(target, path, address):
                frame = zstd.compress(data, level=_LEVEL)  # first: what is sealed does not shrink
                _replace(
                    target, self._cipher.seal(frame, address.encode()) if self._cipher else frame
                )
            # Also for a file found there: whoever renamed it may not have come to this line.
            sync_folder(target.parent)
        except OSError as error:
            raise disk_error(error, f"write {path}") from error
        return path

    def get(self, path: str, address: str) -> bytes:
        """Read, unseal, unpack and verify; the sentence of an error names the file."""
        check_path(path)
        check_address(address)
        try:
            target = self._locate(path)
            status = target.lstat()
            if not stat.S_ISREG(status.st_mode):
                raise _corrupt(path, "is not a plain file")
            # Incompressible content grows a little; anything beyond that is not of our making.
            if not 0 < status.st_size <= self._limit + self._limit // 128 + 1024:
                raise _corrupt(path, f"has an impossible size of {status.st_size} bytes")
            stored = target.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise AdapterError(
                f"{path} is gone from disk; restore it from a backup", code="blob_missing"
            ) from None
        except OSError as error:
            raise disk_error(error, f"read {path}") from error
        data = self._unpack(stored, path, address)
        if address != self.address(data):
            raise _corrupt(path, "holds other content than its address names")
        return data

    def exists(self, path: str) -> bool:
        check_path(path)
        try:
            return stat.S_ISREG(self._locate(path).lstat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise disk_error(error, f"look at {path}") from error

    def delete(self, path: str) -> bool:
        """Unlink the file and sync its folder; folders stay, another writer may be entering one."""
        check_path(path)
        try:
            target = self._locate(path)
            target.unlink()
            sync_folder(target.parent)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise disk_error(error, f"delete {path}") from error
        return True

    def walk(self) -> Iterator[BlobFile]:
        """List the files folder by folder; links are listed, never followed."""
        try:
            yield from _walk(self._folder / "raw", "raw")
        except OSError as error:
            raise disk_error(error, "list the raw files") from error

    def _locate(self, path: str) -> Path:
        """Return the file's place on disk, unless something on the way leads elsewhere."""
        relative = PurePath(path)
        below_raw = relative.parents[:-2]  # raw/ itself may be a link: an operator moved the store
        # Windows also climbs by a backslash, which the port's own check takes for a letter.
        if ".." in relative.parts or any((self._folder / one).is_symlink() for one in below_raw):
            raise AdapterError(
                f"{path} leads out of the raw folder; remove the link", code="blob_corrupt"
            )
        return self._folder / relative

    def _settle(self, folder: Path) -> None:
        """Make the folder and those above it, up to the tenant's, so that a crash keeps them."""
        if folder == self._folder or (folder in self._settled and folder.is_dir()):
            return
        self._settle(folder.parent)
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)
        if len(self._settled) >= _SETTLED_KEPT:
            self._settled.clear()
        self._settled.add(folder)

    def _keep(self, target: Path, path: str, address: str) -> bool:
        """Say whether the file is there and whole; if so its age starts again."""
        try:
            self.get(path, address)
            os.utime(target)
        except (AdapterError, OSError):
            # Missing, damaged, unreadable or just swept away: writing it anew mends all of them,
            # and meets the same error if the disk is to blame.
            return False
        return True

    def _unpack(self, stored: bytes, path: str, address: str) -> bytes:
        """Unseal and decompress exactly one frame, and never more than a blob may hold."""
        try:
            frame = self._cipher.open(stored, address.encode()) if self._cipher else stored
        except AdapterError as error:
            raise _corrupt(path, error.message) from error
        try:
            reader = zstd.ZstdDecompressor()
            data = reader.decompress(frame, max_length=self._limit + 1)
        except zstd.ZstdError:
            raise _corrupt(path, "is not a readable zstd frame") from None
        if len(data) > self._limit:
            raise _corrupt(path, f"unpacks to more than {self._limit} bytes")
        if not reader.eof or reader.unused_data:
            raise _corrupt(path, "is not exactly one zstd frame")
        return data


def _corrupt(path: str, what: str) -> AdapterError:
    return AdapterError(f"{path} {what}; restore it from a backup", code="blob_corrupt")


def _replace(target: Path, stored: bytes) -> None:
    temporary, file = _open_temporary(target)
    try:
        with file:
            file.write(stored)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


def _open_temporary(target: Path) -> tuple[Path, BinaryIO]:
    """Open a file of a new name beside the target; crashed writers may have left some of theirs."""
    for number in count():
        temporary = target.with_name(f"{target.name}.{os.getpid()}.{number}.tmp")
        with suppress(FileExistsError):
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            return temporary, os.fdopen(os.open(temporary, flags, 0o600), "wb")
    raise AssertionError  # pragma: no cover - count() does not end


def _walk(folder: Path, path: str) -> Iterator[BlobFile]:
    """List one folder and those below it by name; what vanishes meanwhile is left out."""
    try:
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:
        return
    for entry in found:
        below = f"{path}/{entry.name}"
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(folder / entry.name, below)
            continue
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            continue
        temporary = _TEMPORARY.fullmatch(entry.name) is not None
        yield BlobFile(below, status.st_size, status.st_mtime, temporary)
