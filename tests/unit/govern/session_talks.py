"""Sessions for the tests of short-term memory, on a real database in memory.

In: who says what, in which turn. Out: what the session has in mind. Only blobs and clock are fakes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from msgspec.structs import replace

from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.domain.packet import ShortTerm
from smartbrain.domain.policy import WorkingRules
from smartbrain.domain.summary import SUMMARY, Summary, Trigger
from smartbrain.domain.turn import RawChunk, Role, ToolCall
from smartbrain.govern.short_term import hear, in_mind, note_end, pressed_short_term
from smartbrain.testing import builders
from smartbrain.testing.blobs import MemoryBlobs
from smartbrain.testing.clock import START, FakeClock

_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}


class Talk:
    """One tenant whose sessions are written turn by turn."""

    def __init__(self) -> None:
        self.truth = SqliteTruth(None, tenant="t", clock=FakeClock())
        self.blobs = MemoryBlobs()
        self._seqs: dict[str, int] = {}

    def say(
        self,
        *said: tuple[str, str],
        session: str = "s",
        calls: Sequence[ToolCall] = (),
        held: Sequence[RawChunk] = (),
        pieces: int = 1,
    ) -> str:
        """Append a turn of (speaker, text) messages, each text in so many pieces; return its id."""
        seq = self._seqs[session] = self._seqs.get(session, 0) + 1
        chunks: list[RawChunk] = []
        messages = []
        for place, (speaker, text) in enumerate(said):
            size = -(-len(text) // pieces) or 1
            own = [self.chunk(text[at : at + size]) for at in range(0, len(text), size)]
            chunks += own
            role = _ROLES.get(speaker, Role.USER)
            name = None if speaker in _ROLES else speaker
            made = builders.message(f"{session}/t{seq}/m{place}", *own, role=role, name=name)
            messages.append(made)
        turn = builders.turn(
            session,
            seq,
            at=START + timedelta(minutes=seq),
            messages=tuple(messages),
            tool_calls=tuple(calls),
        )
        with self.truth.write() as rows:
            return builders.store_turn(rows, turn, [*chunks, *held]).id

    def chunk(self, text: str) -> RawChunk:
        """Return a chunk; a long text is kept in a file."""
        chunk = builders.raw_chunk(text)
        if chunk.length < 4_096:
            return chunk
        path = self.blobs.put(chunk.address, text.encode(), START.date())
        return replace(chunk, body=None, path=path)

    def summarise(self, version: int, text: str, session: str = "s") -> None:
        """Keep a version of the working summary."""
        summary = Summary(
            version=version,
            text=text,
            sections={},
            trigger_reason=Trigger.TURN_COUNT,
            source_turn_range=("a", "b"),
            generated_at=START,
        )
        entry = builders.state_entry(
            f"v{version}", owner=f"session:{session}", kind=SUMMARY, body=summary.to_dict()
        )
        with self.truth.write() as rows:
            rows.working.put_state(entry)

    def end(self, session: str = "s") -> None:
        """End a session."""
        with self.truth.write() as rows:
            rows.events.end_session(session, START)
            note_end(session, START, transaction=rows)

    def mind(self, session: str = "s", *, pressed: bool = False, **rules: Any) -> ShortTerm:
        """Return what a session has in mind."""
        with self.truth.read() as rows:
            kept = WorkingRules(**rules)
            heard = hear(session, transaction=rows, blobs=self.blobs, rules=kept)
            stm = in_mind(session, heard, rows, rules=kept)
        return pressed_short_term(stm, rules=kept) if pressed else stm

    def original(self, raw_id: str, offset: int, length: int) -> str:
        """Return the words at a place of the original."""
        with self.truth.read() as rows:
            chunk = rows.raw.get([raw_id])[raw_id]
        body = chunk.body if chunk.body is not None else self.blobs.files[chunk.path or ""]
        return body[offset : offset + length].decode()
