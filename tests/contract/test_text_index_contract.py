"""Every text index, held to the one contract of the port, in every state of what is saved.

In: the reference and tantivy: unsaved, saved to disk, saved in memory, opened again, compacted.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from smartbrain.adapters.tantivy.index import TantivyTextIndex
from smartbrain.ports.text_index import TextIndex
from smartbrain.testing.contracts.text_index import TextIndexContract
from smartbrain.testing.text_index import MemoryTextIndex

_folders = count()


def _next(tmp_path: Path) -> Path:
    return tmp_path / f"settled{next(_folders)}"


@pytest.mark.spec("R14")
class TestMemoryTextIndex(TextIndexContract):
    def make(self, tmp_path: Path) -> TextIndex:
        return MemoryTextIndex()


@pytest.mark.spec("R14")
class TestTantivyUnsaved(TextIndexContract):
    def make(self, tmp_path: Path) -> TextIndex:
        return TantivyTextIndex()


@pytest.mark.spec("R14")
class TestTantivySaved(TestTantivyUnsaved):
    def settle(self, index: TextIndex, tmp_path: Path) -> None:
        index.save(_next(tmp_path))


@pytest.mark.spec("R14")
class TestTantivySavedInMemory(TestTantivyUnsaved):
    def settle(self, index: TextIndex, tmp_path: Path) -> None:
        index.save(None)


@pytest.mark.spec("R14")
class TestTantivyOpenedAgain(TestTantivyUnsaved):
    def settle(self, index: TextIndex, tmp_path: Path) -> None:
        folder = _next(tmp_path)
        index.save(folder)
        index.load(folder)


@pytest.mark.spec("R14")
class TestTantivyCompacted(TestTantivyUnsaved):
    def settle(self, index: TextIndex, tmp_path: Path) -> None:
        index.compact(_next(tmp_path))
