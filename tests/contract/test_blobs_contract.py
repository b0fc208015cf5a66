"""Every blob store, held to the one contract of the port.

In: FileBlobs with and without a key, and MemoryBlobs. Out: nothing if they all do the same.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from smartbrain.adapters.blobs.cipher import AesGcm
from smartbrain.adapters.blobs.files import FileBlobs
from smartbrain.ports.blobs import Blobs
from smartbrain.testing.blobs import MemoryBlobs
from smartbrain.testing.contracts.blobs import BlobsContract


@pytest.mark.spec("E2")
class TestPlainFileBlobs(BlobsContract):
    def make(self, tmp_path: Path) -> Blobs:
        return FileBlobs(tmp_path)

    def damage(self, blobs: Blobs, tmp_path: Path, path: str) -> None:
        (tmp_path / path).write_bytes(b"damaged")


@pytest.mark.spec("E2", "S8")
class TestSealedFileBlobs(TestPlainFileBlobs):
    def make(self, tmp_path: Path) -> Blobs:
        return FileBlobs(tmp_path, AesGcm(bytes(range(32))))


@pytest.mark.spec("E2")
class TestMemoryBlobs(BlobsContract):
    def make(self, tmp_path: Path) -> Blobs:
        return MemoryBlobs()

    def damage(self, blobs: Blobs, tmp_path: Path, path: str) -> None:
        assert isinstance(blobs, MemoryBlobs)
        blobs.files[path] = b"damaged"
