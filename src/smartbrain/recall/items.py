"""What recall shows of a memory: its words, its signals, its way back to what was said.

In: memories in order. Out: items with quotes whose bytes were read again, and the path that leads
to them. All originals are read with one statement; one that is lost leaves its quote out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.ids import memory_id
from smartbrain.domain.memory import Span
from smartbrain.domain.packet import Quote
from smartbrain.domain.recall import PathStep, RecallItem
from smartbrain.recall.views.documents import bytes_of
from smartbrain.text.controls import without_controls

if TYPE_CHECKING:
    from smartbrain.domain.recalled import Ranked, RawRef, RecalledRow
    from smartbrain.domain.turn import RawChunk
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.ports.blobs import Blobs
    from smartbrain.ports.truth import Transaction

SaidBy = Mapping[str, Mapping[int, str]]
"""Who said what in turns: by turn, and by the number of the original."""
_EPISODES: Final = "episodes"
_RAW: Final = "raw"
_QUOTES: Final = 3
_LONGEST: Final = 600
_PART: Final = 3  # letters from which on a word is looked for in longer ones too
_BEFORE: Final = 200


class Cited(NamedTuple):
    """What is known of originals: those that were found by their own words, and what is asked.

    A long quote is cut around the first of `words` that it holds.
    """

    passages: Mapping[int, int]
    words: Sequence[str] = ()


def make_items(
    ranked: Sequence[Ranked],
    *,
    rows: Transaction,
    blobs: Blobs,
    types: TypeRegistry,
    cited: Cited | None,
) -> list[RecallItem]:
    """Return memories as items, with quotes if they are to be `cited`."""
    if cited is None:
        nothing = Reader({}, blobs)
        return [_make_item(one, (), nothing, types) for one in ranked]
    shown = [_refs_quoted(one.row.raw_refs, cited.passages.get(one.row.num)) for one in ranked]
    wanted = {ref.num for some in shown for ref in some}
    chunks = {one.num: one.chunk for one in rows.followed.passages(sorted(wanted))}
    said_by = speakers_of(zip([one.row for one in ranked], shown, strict=True), rows)
    reader = Reader(chunks, blobs, cited.words, said_by)
    return [_make_item(one, refs, reader, types) for one, refs in zip(ranked, shown, strict=True)]


def speakers_of(
    quoted: Iterable[tuple[RecalledRow, Sequence[RawRef]]], rows: Transaction
) -> SaidBy:
    """Return who said the originals that are quoted of episodes, where there is more than one."""
    turns = [
        row.source_turn_id
        for row, refs in quoted
        if row.type == _EPISODES and row.source_turn_id and (len(refs) > 1 or len(row.speakers) > 1)
    ]
    return rows.recalled.said_by(turns)


def _make_item(
    ranked: Ranked, refs: Sequence[RawRef], reader: Reader, types: TypeRegistry
) -> RecallItem:
    row = ranked.row
    read = [(ref, reader.quote(ref, row)) for ref in refs]
    quotes = [(ref, quote) for ref, quote in read if quote is not None]
    first = next((ref for ref, _ in quotes or read), None)
    return RecallItem(
        id=row.id,
        type=row.type,
        key=row.key,
        title=row.title,
        text=row.text,
        value=row.value,
        score=round(ranked.score, 6),
        signals=ranked.signals,
        found_by=ranked.found_by,
        path=_path(row, first, reader.chunks, types),
        quotes=tuple(quote for _, quote in quotes),
        confidence=row.confidence,
        status=row.status,
        version=row.version,
        compression=row.compression,
        source_turn_id=row.source_turn_id,
        session_id=row.session_id,
        speaker=row.speakers[0] if row.speakers else None,
        at=row.said_at,
        created_at=row.created_at,
    )


def _refs_quoted(refs: Sequence[RawRef], found: int | None) -> Sequence[RawRef]:
    """Return the originals to quote: first the one that was found by its own words."""
    if found is not None:
        refs = sorted(refs, key=lambda ref: ref.num != found)
    return refs[:_QUOTES]


def _path(
    row: RecalledRow, first: RawRef | None, chunks: Mapping[int, RawChunk], types: TypeRegistry
) -> tuple[PathStep, ...]:
    """Return the way from a memory to the words that are quoted first, over their episode."""
    steps = []
    if row.type != _EPISODES and row.source_turn_id and row.session_id:
        key = types.get(_EPISODES).make_key(session=row.session_id, turn=row.source_turn_id)
        episode = memory_id(row.source_turn_id, _EPISODES, key, 1)
        steps.append(PathStep(relation=EdgeType.DERIVED_FROM, id=episode, type=_EPISODES))
    chunk = chunks.get(first.num) if first else None
    if chunk is not None:
        steps.append(PathStep(relation=EdgeType.DERIVED_FROM, id=chunk.id, type=_RAW))
    return tuple(steps)


class Reader:
    """Reads runs of bytes out of raw chunks, each file once."""

    def __init__(
        self,
        chunks: Mapping[int, RawChunk],
        blobs: Blobs,
        words: Sequence[str] = (),
        said_by: SaidBy | None = None,
    ) -> None:
        self.chunks = chunks
        self._blobs = blobs
        self._words = words
        self._said_by = said_by or {}
        self._bodies: dict[int, bytes | None] = {}

    def text(self, ref: RawRef) -> str | None:
        """Return original words, checked: a run that is not in its chunk is none."""
        body = self._body(ref.num)
        if body is None or ref.offset + ref.length > len(body):
            return None
        try:
            return body[ref.offset : ref.offset + ref.length].decode()
        except UnicodeDecodeError:  # it begins or ends within a character
            return None

    def quote(self, ref: RawRef, row: RecalledRow) -> Quote | None:
        """Return original words as a quote; of a long run the part around what was asked."""
        text = self.text(ref)
        if text is None:
            return None
        start = self._start(text) if len(text) > _LONGEST else 0
        return self.part(ref, row, text, (start, min(len(text), start + _LONGEST)))

    def part(self, ref: RawRef, row: RecalledRow, text: str, run: tuple[int, int]) -> Quote:
        """Return a run of characters of an original text as a quote that leads to its bytes."""
        start, end = run
        said = text[start:end]
        return Quote(
            text=said,
            source_turn_id=row.source_turn_id,
            speaker=self._speaker(ref, row),
            at=row.said_at,
            span=Span(
                self.chunks[ref.num].id,
                ref.offset + len(text[:start].encode()),
                len(said.encode()),
            ),
        )

    def _speaker(self, ref: RawRef, row: RecalledRow) -> str | None:
        """Return who said an original; nobody where several may have."""
        said_by = self._said_by.get(row.source_turn_id or "")
        if row.type == _EPISODES and said_by is not None:
            speaker = said_by.get(ref.num)
            return speaker and without_controls(speaker)
        return row.speakers[0] if len(row.speakers) == 1 else None

    def _start(self, text: str) -> int:
        """Return where to begin to quote: not far before what was asked, else at the beginning."""
        for word in self._words:
            end = r"\b" if word.isascii() and len(word) < _PART else ""  # CI is in no decision
            found = re.search(f"{end}{re.escape(word)}{end}", text, re.IGNORECASE)
            if found:
                return max(0, min(found.start() - _BEFORE, len(text) - _LONGEST))
        return 0

    def _body(self, num: int) -> bytes | None:
        if num not in self._bodies:
            chunk = self.chunks.get(num)
            self._bodies[num] = None if chunk is None else bytes_of(chunk, self._blobs)
        return self._bodies[num]
