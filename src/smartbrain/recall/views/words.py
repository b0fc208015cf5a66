"""The views that are searched by words: memories, and the raw passages behind them (R5).

In: rows. Out: documents in a text index. When an episode changes, those around it are put again,
for its words are part of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import ClassVar, Final

from smartbrain.domain.change import ChangeKind
from smartbrain.domain.indexed import REACH, IndexedMemory
from smartbrain.domain.search import TextDocument
from smartbrain.domain.types import TypeRegistry
from smartbrain.ports.blobs import Blobs
from smartbrain.ports.text_index import TextIndex
from smartbrain.ports.truth import Transaction
from smartbrain.recall.views.documents import (
    document_of,
    passage_of,
    said_in,
)

_CANDIDATE: Final = "candidate"
_LEAST: Final = 1_000  # changes before which the index is not even asked
_MUCH: Final = 100  # passages that do not wait any longer for somebody who looks for them


class WordsView:
    """What both have in common: a text index and its snapshots."""

    name: str
    version = 1
    source: ClassVar[ChangeKind]
    follows: ClassVar[frozenset[ChangeKind]]
    maps: ClassVar = True

    def __init__(self, make: Callable[[], TextIndex]) -> None:
        self._make = make
        self._index = make()

    @property
    def index(self) -> TextIndex:
        """What is searched."""
        return self._index

    def load(self, folder: Path) -> None:
        """Read from a snapshot."""
        self.index.load(folder)

    def save(self, folder: Path | None) -> bool:
        """Write a snapshot, without what was removed if that has become much."""
        compact = self.index.stats().due == "compact"
        (self.index.compact if compact else self.index.save)(folder)
        return compact

    def due(self, changed: int) -> bool:
        """Ask the index: a small one stays in memory."""
        return changed >= _LEAST and bool(self._index.stats().due)

    def figures(self) -> tuple[int, int]:
        """Return documents and bytes of files."""
        stats = self.index.stats()
        return stats.documents, stats.bytes

    def _put(self, nums: Sequence[int], documents: list[TextDocument]) -> None:
        """Replace documents; numbers without one leave the index."""
        there = {document.num for document in documents}
        self._index.remove([num for num in nums if num not in there])
        self._index.upsert(documents)


class TextView(WordsView):
    """Memories by their words."""

    name = "text"
    version = 4
    source: ClassVar = ChangeKind.MEMORY
    follows: ClassVar = frozenset({ChangeKind.MEMORY})

    def __init__(self, make: Callable[[], TextIndex], types: TypeRegistry, blobs: Blobs) -> None:
        super().__init__(make)
        self._types = types
        self._blobs = blobs

    def fresh(self) -> TextView:
        """Return an empty one."""
        return TextView(self._make, self._types, self._blobs)

    def put(self, nums: Sequence[int], rows: Transaction) -> None:
        """Index memories."""
        self._put(nums, self._documents(rows.followed.memories(nums), rows))

    def apply(self, nums: Sequence[int], rows: Transaction) -> None:
        """Index memories, and the episodes that their words are part of."""
        self._put(nums, self._documents(rows.followed.memories(nums, around=REACH), rows))

    def _documents(self, found: Sequence[IndexedMemory], rows: Transaction) -> list[TextDocument]:
        """Return each by its own words, an episode by all that was said in its turn.

        What waits for the gate is no memory: it is in the graph, and not found by words.
        """
        found = [row for row in found if row.status != _CANDIDATE]
        cut = [row.num for row in found if row.cut]
        spoken = rows.followed.spoken(cut) if cut else {}
        said = {num: said_in(pieces, self._blobs) for num, pieces in spoken.items()}
        return [document_of(row, self._types, said.get(row.num)) for row in found]


class PassagesView(WordsView):
    """Raw chunks by their words; one whose file is lost is left out, and said so.

    Few questions are asked of the originals: what has changed is indexed when one is, or when it
    has become much.
    """

    name = "passages"
    source: ClassVar = ChangeKind.RAW
    follows: ClassVar = frozenset({ChangeKind.RAW})

    def __init__(self, make: Callable[[], TextIndex], blobs: Blobs) -> None:
        self._waiting: dict[int, TextDocument | None] = {}  # none for what leaves the index
        self._lock = Lock()
        super().__init__(make)
        self._blobs = blobs

    @property
    def index(self) -> TextIndex:
        """The index, with all that has changed."""
        if self._waiting:
            self._settle()
        return self._index

    def fresh(self) -> PassagesView:
        """Return an empty one."""
        return PassagesView(self._make, self._blobs)

    def put(self, nums: Sequence[int], rows: Transaction) -> None:
        """Index passages of text."""
        self._put(nums, [one for one in self._documents(nums, rows).values() if one is not None])

    def apply(self, nums: Sequence[int], rows: Transaction) -> None:
        """Have passages indexed before somebody looks for them."""
        found = self._documents(nums, rows)
        with self._lock:
            self._waiting |= found
        if len(self._waiting) >= _MUCH:
            self._settle()

    def _settle(self) -> None:
        with self._lock:
            waiting = self._waiting
            self._put([*waiting], [one for one in waiting.values() if one is not None])
            self._waiting = {}

    def _documents(self, nums: Sequence[int], rows: Transaction) -> dict[int, TextDocument | None]:
        """Return passages by number, none for those that are gone or have no text."""
        found = [passage_of(one, self._blobs) for one in rows.followed.passages(nums)]
        return dict.fromkeys(nums) | {one.num: one for one in found if one is not None}
