"""Original text: cut into raw chunks, stored once, small in the database and large in files (E2).

In: a turn with its texts. Out: the same turn with spans, and the chunks that hold the text. Files
are written and synced before the transaction that refers to them; what a crash leaves behind is
unreferenced and swept later.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from smartbrain.domain.ids import raw_id
from smartbrain.domain.memory import Span
from smartbrain.domain.record import canonical_json
from smartbrain.domain.turn import RawChunk, ToolCall, Turn
from smartbrain.text.sentences import split_chunks

if TYPE_CHECKING:
    from smartbrain.domain.policy import RawRules
    from smartbrain.ports.blobs import Blobs
    from smartbrain.ports.truth import Transaction, Truth

_WRITERS: Final = 8  # files at a time: the disk makes several lasting as soon as one
_Place = Callable[[str | None], tuple[Span, ...]]
"""Cuts a text and returns where its pieces are."""


class Originals(msgspec.Struct, frozen=True):
    """A turn with spans, its chunks in the order of their uses, and the large ones' bytes."""

    turn: Turn
    chunks: tuple[RawChunk, ...]
    large: dict[str, bytes]


def cut(turn: Turn, *, blobs: Blobs, rules: RawRules) -> Originals:
    """Cut every text of a turn into raw chunks and put spans in its place."""
    chunks: list[RawChunk] = []
    large: dict[str, bytes] = {}

    def place(text: str | None) -> tuple[Span, ...]:
        spans = []
        for piece in _pieces(text, rules):
            data = piece.encode()
            address = blobs.address(data)
            chunk = RawChunk(
                id=raw_id(address),
                address=address,
                length=len(data),
                body=data,
                stored_at=turn.created_at,
            )
            if chunk.length >= rules.inline_bytes:
                large[chunk.id] = data
                chunk = replace(chunk, body=None, path="")
            chunks.append(chunk)
            spans.append(Span(chunk.id, 0, chunk.length))
        return tuple(spans)

    cut_turn = replace(
        turn,
        messages=tuple(
            replace(one, content="", spans=place(one.content or None)) for one in turn.messages
        ),
        tool_calls=tuple(_cut_call(call, place) for call in turn.tool_calls),
    )
    return Originals(cut_turn, tuple(chunks), large)


def write_files(originals: Originals, *, truth: Truth, blobs: Blobs) -> Originals:
    """Write the large chunks that are not stored yet, before any lock is taken."""
    if not originals.large:
        return originals
    with truth.read() as transaction:
        known = transaction.raw.get(originals.large)
    return _placed(originals, known, blobs)


def hold(originals: Originals, *, transaction: Transaction, blobs: Blobs) -> None:
    """Refer to the chunks; a file that was swept since we looked is written again."""
    if originals.large:
        known = transaction.raw.get(originals.large)
        originals = _placed(originals, known, blobs)
    transaction.raw.hold(originals.chunks)


def spans_of(turn: Turn) -> tuple[Span, ...]:
    """Return every span of a turn that holds some text, in the order of its parts."""
    spans = [span for message in turn.messages for span in message.spans]
    for call in turn.tool_calls:
        spans += call.result_spans + call.stdout_spans + call.stderr_spans
    return tuple(span for span in spans if span.length)


def _pieces(text: str | None, rules: RawRules) -> list[str]:
    """Cut a text; one that is there and empty is a piece too, so that it is not taken for none."""
    if not text:
        return [] if text is None else [text]
    return split_chunks(text, min_tokens=rules.chunk_tokens_min, max_tokens=rules.chunk_tokens_max)


def _placed(originals: Originals, known: dict[str, RawChunk], blobs: Blobs) -> Originals:
    """Give each large chunk the path of its file, writing those that have none or lost theirs."""
    large = {
        one.id: known.get(one.id, one) for one in originals.chunks if one.id in originals.large
    }
    paths = {
        one.id: one.path
        for one in large.values()
        if one.body is not None or (one.path and blobs.exists(one.path))
    }
    lost = [one for one in large.values() if one.id not in paths]
    paths |= zip([one.id for one in lost], _write(lost, originals.large, blobs), strict=True)
    chunks = tuple(
        replace(chunk, path=paths[chunk.id]) if chunk.id in originals.large else chunk
        for chunk in originals.chunks
    )
    return replace(originals, chunks=chunks)


def _write(chunks: Sequence[RawChunk], large: Mapping[str, bytes], blobs: Blobs) -> list[str]:
    """Write chunks into files and return their paths; several at a time, for each waits for it."""

    def put(chunk: RawChunk) -> str:
        return blobs.put(chunk.address, large[chunk.id], chunk.stored_at.astimezone(UTC).date())

    if len(chunks) < 2:
        return [put(one) for one in chunks]
    with ThreadPoolExecutor(_WRITERS, thread_name_prefix="smartbrain-originals") as pool:
        return list(pool.map(put, chunks))


def _cut_call(call: ToolCall, place: _Place) -> ToolCall:
    result = canonical_json(call.result) if call.result_json else call.result
    return replace(
        call,
        result=None,
        stdout=None,
        stderr=None,
        result_spans=place(result),
        stdout_spans=place(call.stdout),
        stderr_spans=place(call.stderr),
    )
