"""The views that are searched by words: memories, and the raw passages behind them (R5).

In: rows. Out: documents in a text index; the same row always gives the same document. An episode is
found by all that was said in its turn and, less, by the turns around it, its date and its speakers,
so when it changes those around it are put again; any other memory by its value and by the words it
was told in, which may be of another language, also by its key and title.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import ClassVar, Final

from smartbrain.domain.change import ChangeKind
from smartbrain.domain.indexed import REACH, IndexedMemory, IndexedPassage, SpokenPiece
from smartbrain.domain.memory_type import searchable
from smartbrain.domain.search import Facets, Nearby, TextDocument
from smartbrain.domain.turn import RawChunk
from smartbrain.domain.types import TypeRegistry
from smartbrain.errors import AdapterError
from smartbrain.ports.blobs import Blobs
from smartbrain.ports.text_index import TextIndex
from smartbrain.ports.truth import Transaction, Truth
from smartbrain.recall.views.view import View
from smartbrain.text.language import detect_language

EPISODES: Final = "episodes"
RAW: Final = "raw"
_MOST_BYTES: Final = 20_000  # of what was said in one turn; its passages are indexed whole
_LOST: Final = frozenset({"blob_missing", "blob_corrupt"})
_log = logging.getLogger(__name__)


def document_of(row: IndexedMemory, types: TypeRegistry, said: str | None = None) -> TextDocument:
    """Return a memory as a document; `said` are the words of an episode that is told in short."""
    text = said or words_of(row, types)
    episode = row.type == EPISODES
    speakers = row.value.get("speakers", ()) if episode else ()
    return TextDocument(
        num=row.num,
        text=text,
        title="" if episode else f"{row.title}\n{row.key}",
        entities=row.entities,
        nearby=tuple(Nearby(text, distance) for _, distance, text in row.nearby),
        date=row.said_at.date().isoformat(),
        speakers=tuple(one for one in speakers if isinstance(one, str)),
        facets=facets_of(row, text),
        retold="" if episode or row.text == text else row.text,
    )


def words_of(row: IndexedMemory, types: TypeRegistry) -> str:
    """Return what a memory says, in words."""
    return searchable(row, types.get(row.type) if row.type in types else None)


def facets_of(row: IndexedMemory, text: str) -> Facets:
    """Return what a memory can be filtered by.

    Its source is what its turn refers to, such as a file, else the turn itself in its session.
    """
    turn = f"session:{row.session_id}/{row.source_turn_id}" if row.session_id else ""
    return Facets(
        type=row.type,
        status=row.status,
        layer=row.layer,
        at=row.said_at,
        source=row.ref_uri or turn,
        language=detect_language(text),
        tags=row.tags,
    )


def passage_of(passage: IndexedPassage, blobs: Blobs) -> TextDocument | None:
    """Return a raw chunk of text as a document; none where it is none."""
    num, chunk = passage
    data = bytes_of(chunk, blobs)
    if data is None:
        return None
    text = data.decode("utf-8", "replace")
    facets = Facets(type=RAW, at=chunk.stored_at, source=chunk.id, language=detect_language(text))
    return TextDocument(num=num, text=text, facets=facets)


def said_in(pieces: Sequence[SpokenPiece], blobs: Blobs) -> str:
    """Return what was said, from its beginning, as far as it is indexed."""
    said = b""
    for chunk, offset, length in pieces:
        said += (bytes_of(chunk, blobs) or b"")[offset : offset + length] + b"\n"
        if len(said) > _MOST_BYTES:
            break
    return said[:_MOST_BYTES].decode("utf-8", "replace")


def bytes_of(chunk: RawChunk, blobs: Blobs) -> bytes | None:
    """Return the bytes of a text; none of an attachment, or of a file that is lost."""
    if not chunk.mime.startswith("text/"):
        return None
    if chunk.body is not None:
        return chunk.body
    try:
        return blobs.get(chunk.path or "", chunk.address)
    except AdapterError as error:
        if error.code not in _LOST:
            raise
        _log.warning("passage %s is left out: %s", chunk.id, error.message)
        return None


_CANDIDATE: Final = "candidate"
_AT_ONCE: Final = 1_000  # passages that are read together
_LEAST: Final = 1_000  # changes before which the index is not even asked


class WordsView(View):
    """What both have in common: a text index and its snapshots."""

    maps: ClassVar = True
    index: TextIndex

    def __init__(self, make: Callable[[], TextIndex]) -> None:
        self._make = make
        self.index = make()

    def settled(self) -> TextIndex:
        """Return the index once all that has changed is in it."""
        return self.index

    def save(self, folder: Path | None) -> bool:
        """Write a snapshot, without what was removed if that has become much."""
        compact = self.index.stats().due == "compact"
        (self.index.compact if compact else self.index.save)(folder)
        return compact

    def due(self, changed: int) -> bool:
        """Ask the index: a small one stays in memory."""
        return changed >= _LEAST and bool(self.index.stats().due)

    def figures(self) -> tuple[int, int]:
        """Return documents and bytes of files."""
        stats = self.index.stats()
        return stats.documents, stats.bytes

    def _put(self, nums: Sequence[int], documents: list[TextDocument]) -> None:
        """Replace documents; numbers without one leave the index."""
        there = {document.num for document in documents}
        self.index.remove([num for num in nums if num not in there])
        self.index.upsert(documents)


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

    Few questions are asked of the originals: what has changed is read when one is.
    """

    name = "passages"
    source: ClassVar = ChangeKind.RAW
    follows: ClassVar = frozenset({ChangeKind.RAW})

    def __init__(self, make: Callable[[], TextIndex], truth: Truth, blobs: Blobs) -> None:
        super().__init__(make)
        self._truth = truth
        self._blobs = blobs
        self._lock = Lock()
        self._waiting: set[int] = set()

    def fresh(self) -> PassagesView:
        """Return an empty one."""
        return PassagesView(self._make, self._truth, self._blobs)

    def put(self, nums: Sequence[int], _rows: Transaction) -> None:
        """Note which passages are to be read."""
        with self._lock:
            self._waiting.update(nums)

    def settled(self) -> TextIndex:
        """Return the index once all that has changed is in it."""
        with self._lock:
            waiting = sorted(self._waiting)
            for start in range(0, len(waiting), _AT_ONCE):
                nums = waiting[start : start + _AT_ONCE]
                with self._truth.read() as rows:
                    found = [passage_of(one, self._blobs) for one in rows.followed.passages(nums)]
                self._put(nums, [one for one in found if one is not None])
                self._waiting.difference_update(nums)
        return self.index

    def save(self, folder: Path | None) -> bool:
        """Write a snapshot of all that has changed."""
        self.settled()
        return super().save(folder)

    def due(self, changed: int) -> bool:
        """Tell whether much waits, or the index has grown."""
        return len(self._waiting) >= _LEAST or super().due(changed)
