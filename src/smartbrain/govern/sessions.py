"""Sessions and their turns as callers read them, with the original text put back.

In: rows whose text is spans. Out: turns whole again, every byte checked against its hash where it
comes from a file. Nothing is written here but the end of a session.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from smartbrain.domain.memory import Span
from smartbrain.domain.quick import replace
from smartbrain.domain.turn import Message, RawChunk, Ref, Session, ToolCall, Turn
from smartbrain.domain.withheld import INSIDE, Difference, restored
from smartbrain.errors import AdapterError
from smartbrain.govern.session_end import note_end

if TYPE_CHECKING:
    from smartbrain.ports.blobs import Blobs
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction

_Read = TypeVar("_Read")
_Part = TypeVar("_Part", Message, ToolCall, Ref)

LOST_TEXT: Final = frozenset({"blob_missing", "blob_corrupt"})
"""The codes of errors that tell of a text which is damaged or gone."""


def list_sessions(
    *, ports: Ports, after: tuple[int, int] | None = None, limit: int = 100
) -> list[tuple[tuple[int, int], Session]]:
    """Return sessions with their places, the one spoken in last first."""
    with ports.truth.read() as transaction:
        return transaction.events.sessions(after=after, limit=limit)


def list_turns(
    session_id: str, *, ports: Ports, after: int = 0, limit: int = 100, original: bool = False
) -> list[Turn]:
    """Return a session's turns in order, whole; an unknown session is an empty one.

    With `original` what was masked and kept is put back.
    """
    with ports.truth.read() as transaction:
        turns = transaction.events.turns(session_id, after=after, limit=limit)
        turns = with_texts(turns, transaction=transaction, blobs=ports.blobs)
        if not original:
            return turns
        kept = transaction.withheld.of([turn.id for turn in turns])
    return [as_said(turn, kept) for turn in turns]


def as_said(turn: Turn, kept: Mapping[str, Difference]) -> Turn:
    """Return a turn with what was masked in it, as far as that was kept by the ids of its parts."""
    return replace(
        turn,
        messages=tuple(_unmasked(one, kept.get(one.id)) for one in turn.messages),
        tool_calls=tuple(_unmasked(one, kept.get(one.id)) for one in turn.tool_calls),
        refs=tuple(_unmasked(one, kept.get(one.id)) for one in turn.refs),
    )


def _unmasked(part: _Part, difference: Difference | None) -> _Part:
    """Return a part of a turn as it was said."""
    if difference is None:
        return part
    fields = {name: getattr(part, name) for name in difference[INSIDE]}
    return replace(part, **restored(fields, difference))


def end_session(session_id: str, *, ports: Ports) -> None:
    """Mark a session as ended: what it has in mind is cleared."""
    at = ports.clock()
    with ports.truth.write() as transaction:
        transaction.events.end_session(session_id, at)
        note_end(session_id, at, transaction=transaction)


def with_texts(
    turns: Sequence[Turn], *, transaction: Transaction, blobs: Blobs, outputs: bool = True
) -> list[Turn]:
    """Put the original text back into turns, with one query for all their small chunks.

    Without `outputs` only the messages are read, for those who do not need what tools printed.

    Raises:
        AdapterError: a text is damaged or gone; the sentence names the turn and where to read on.
    """
    reader = _Reader.of(turns, transaction, blobs, outputs)
    return _each(turns, lambda turn: reader.turn(turn, outputs))


def message_texts(
    turns: Sequence[Turn], *, transaction: Transaction, blobs: Blobs
) -> list[tuple[str, ...]]:
    """Return the original texts of the messages of each turn, for those who need no more of them.

    Raises:
        AdapterError: as `with_texts` does.
    """
    reader = _Reader.of(turns, transaction, blobs, False)
    return _each(turns, reader.texts)


def _each(turns: Sequence[Turn], read: Callable[[Turn], _Read]) -> list[_Read]:
    """Read turns one after another, and say which of them cannot be."""
    done: list[_Read] = []
    for turn in turns:
        try:
            done.append(read(turn))
        except AdapterError as error:
            raise _unreadable(turn, len(done), error) from error
    return done


def _unreadable(turn: Turn, before: int, error: AdapterError) -> AdapterError:
    """Name the turn that cannot be read, and how to read those around it."""
    around = f"after={turn.seq} reads on behind it"
    if before:
        around += f", limit={before} those before it"
    return AdapterError(
        f"turn {turn.seq} of session {turn.session_id!r} cannot be read: {error.message}; {around}",
        code=error.code,
        retryable=error.retryable,
    )


class _Reader:
    """Reads spans out of chunks, each file once."""

    def __init__(self, chunks: dict[str, RawChunk], blobs: Blobs) -> None:
        self._chunks = chunks
        self._blobs = blobs
        self._bodies: dict[str, bytes] = {}

    @classmethod
    def of(
        cls, turns: Sequence[Turn], transaction: Transaction, blobs: Blobs, outputs: bool
    ) -> _Reader:
        """Return a reader of all that turns hold, read with one query."""
        wanted = {
            span.raw_id for turn in turns for spans in _span_lists(turn, outputs) for span in spans
        }
        return cls(transaction.raw.get(wanted), blobs)

    def turn(self, turn: Turn, outputs: bool) -> Turn:
        """Return a turn with its texts."""
        return replace(
            turn,
            messages=tuple(self.message(message) for message in turn.messages),
            tool_calls=tuple(self.call(call) if outputs else call for call in turn.tool_calls),
        )

    def texts(self, turn: Turn) -> tuple[str, ...]:
        """Return the texts of a turn's messages."""
        return tuple([self._text(message.spans) for message in turn.messages])

    def message(self, message: Message) -> Message:
        """Return a message with its text."""
        return replace(message, content=self._text(message.spans))

    def call(self, call: ToolCall) -> ToolCall:
        """Return a tool call with its output."""
        result = self._text(call.result_spans) if call.result_spans else None
        return replace(
            call,
            result=json.loads(result) if call.result_json and result else result,
            stdout=self._text(call.stdout_spans) if call.stdout_spans else None,
            stderr=self._text(call.stderr_spans) if call.stderr_spans else None,
        )

    def _text(self, spans: Iterable[Span]) -> str:
        """Return the text that spans lead to; pieces are joined before they are decoded."""
        parts = [self._body(span.raw_id)[span.offset : span.offset + span.length] for span in spans]
        return b"".join(parts).decode()

    def _body(self, raw_id: str) -> bytes:
        """Return a chunk's bytes from the database or its file."""
        if raw_id not in self._bodies:
            chunk = self._chunks.get(raw_id)
            if chunk is None:
                raise AdapterError(f"raw chunk {raw_id} is not in the catalogue", code="corrupt")
            body = chunk.body
            if body is None:
                assert chunk.path is not None
                body = self._blobs.get(chunk.path, chunk.address)
            elif self._blobs.address(body) != chunk.address:
                raise AdapterError(
                    f"raw chunk {raw_id} does not match its hash; restore a backup",
                    code="blob_corrupt",
                )
            self._bodies[raw_id] = body
        return self._bodies[raw_id]


def _span_lists(turn: Turn, outputs: bool) -> Iterator[Sequence[Span]]:
    """Yield the lists of spans that a turn holds."""
    for message in turn.messages:
        yield message.spans
    for call in turn.tool_calls if outputs else ():
        yield from (call.result_spans, call.stdout_spans, call.stderr_spans)
