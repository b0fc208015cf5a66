"""How memories and passages are to be found by words: rows in, documents out.

An episode is found by all that was said in its turn and, less, by the turns around it, its date
and its speakers; any other memory by its value and by the words it was told in, which may be of
another language, also by its key and title. The same row always gives the same document.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from smartbrain.domain.indexed import (
    IndexedMemory,
    IndexedPassage,
    SpokenPiece,
)
from smartbrain.domain.memory_type import searchable
from smartbrain.domain.search import Facets, Nearby, TextDocument
from smartbrain.domain.turn import RawChunk
from smartbrain.domain.types import TypeRegistry
from smartbrain.errors import AdapterError
from smartbrain.ports.blobs import Blobs
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
