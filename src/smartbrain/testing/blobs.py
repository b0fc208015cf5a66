"""Blobs in memory: the port in its shortest correct form, for tests.

In: content and its address. Out: the same paths, bytes and errors as a store on disk. Not durable,
not compressed, and never sealed. Tests may reach into `files` to lose or damage something.
"""

from __future__ import annotations

from hashlib import sha256
from itertools import count
from typing import TYPE_CHECKING

from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.blobs import MAX_BYTES, BlobFile, blob_path, check_address, check_path

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date


class MemoryBlobs:
    """The blobs of one tenant in a dictionary; `modified` counts puts instead of seconds."""

    def __init__(self, limit: int = MAX_BYTES) -> None:
        self.files: dict[str, bytes] = {}
        self._modified: dict[str, float] = {}
        self._ticks = count(1)
        self._limit = limit

    def address(self, data: bytes) -> str:
        """Return the SHA-256 of the content."""
        if len(data) > self._limit:
            raise UsageError(f"a blob holds at most {self._limit} bytes, not {len(data)}; split it")
        return sha256(data).hexdigest()

    def put(self, address: str, data: bytes, day: date) -> str:
        """Keep the content under its day and return the path."""
        path = blob_path(address, day)
        if address != self.address(data):
            raise UsageError(f"{address} is not the address of this content; ask address() for it")
        self._modified[path] = float(next(self._ticks))
        self.files[path] = data
        return path

    def get(self, path: str, address: str) -> bytes:
        """Return the content, verified."""
        check_address(address)
        data = self.files.get(check_path(path))
        if data is None:
            raise AdapterError(f"{path} is gone; restore it from a backup", code="blob_missing")
        if address != sha256(data).hexdigest():
            raise AdapterError(f"{path} holds other content; restore it", code="blob_corrupt")
        return data

    def exists(self, path: str) -> bool:
        """Say whether something is kept at the path."""
        return check_path(path) in self.files

    def delete(self, path: str) -> bool:
        """Drop what is kept at the path; false if nothing was."""
        return self.files.pop(check_path(path), None) is not None

    def walk(self) -> Iterator[BlobFile]:
        """List what is kept, in order of path."""
        for path, data in sorted(self.files.items(), key=lambda file: file[0].split("/")):
            yield BlobFile(path, len(data), self._modified.get(path, 0.0), temporary=False)
