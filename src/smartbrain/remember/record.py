"""Recording: a commit gets ids, its texts are cut into chunks, its events are stored (E1, E2, E4).

In: a read request. Out: the turn as stored, with spans in the place of texts, large ones in files
that are synced before the transaction which refers to them. A repeated idempotency key is answered
with the first result; a step of a known turn adds only what that turn does not have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC
from hashlib import blake2b
from typing import Final

import msgspec
from msgspec.structs import replace

from smartbrain.domain.ids import raw_id
from smartbrain.domain.memory import Span
from smartbrain.domain.policy import RawRules
from smartbrain.domain.reason import Reason
from smartbrain.domain.record import canonical_json
from smartbrain.domain.replay import Stage, Step, StepParts
from smartbrain.domain.result import CommitResult
from smartbrain.domain.turn import (
    CallStatus,
    CommitRequest,
    LastTurn,
    Message,
    RawChunk,
    Role,
    ToolCall,
    Turn,
)
from smartbrain.errors import AdapterError, Conflict, UsageError
from smartbrain.govern.artifacts import judge_status
from smartbrain.govern.short_term import LOST_TEXT, with_texts
from smartbrain.govern.trail import put_state
from smartbrain.ports.blobs import Blobs
from smartbrain.ports.bundle import Ports
from smartbrain.ports.truth import Transaction, Truth
from smartbrain.text.controls import holds_controls, without_controls
from smartbrain.text.sentences import split_chunks

_CONTROLS: Final = (
    "the message holds control characters: they are kept in the original, and left out of what is"
    " read and remembered of it"
)


def draft_turn(request: CommitRequest, *, ports: Ports, rules_hash: str) -> Turn:
    """Return the turn of a request with fresh ids; its place in the session is given later."""
    events = request.events
    new = ports.ids.new
    now = ports.clock()
    return Turn(
        id=request.turn_id or new(),
        session_id=request.session_id,
        seq=0,
        at=events.at or now,
        run_id=request.run_id,
        context_id=request.context_id,
        rules_hash=rules_hash,
        messages=tuple(replace(message, id=new()) for message in events.messages),
        tool_calls=tuple(
            replace(call, id=new(), status=judge_status(call)) for call in events.tool_calls
        ),
        refs=tuple(replace(ref, id=new()) for ref in events.refs),
        proposals=events.proposals,
        created_at=now,
    )


def body_hash(request: CommitRequest) -> str:
    """Return what tells two bodies under one idempotency key apart, part by part.

    It is empty without a key.
    """
    if request.idempotency_key is None:
        return ""
    events = request.events
    parts: dict[str, object] = {
        "session_id": request.session_id,
        "turn_id": request.turn_id,
        "run_id": request.run_id,
        "context_id": request.context_id,
        **{name: getattr(events, name) for name in events.__struct_fields__},
    }
    return " ".join(
        f"{name}:{blake2b(canonical_json(part).encode(), digest_size=8).hexdigest()}"
        for name, part in parts.items()
    )


def earlier_reply(
    request: CommitRequest, hashed: str, *, transaction: Transaction
) -> CommitResult | None:
    """Return the first result of this idempotency key, if it has been used.

    Raises:
        Conflict: code `idempotency_conflict`, when it was used with another body.
    """
    if request.idempotency_key is None:
        return None
    found = transaction.ledger.reply(request.idempotency_key)
    if found is None:
        return None
    if found[0] != hashed:
        before = {*found[0].split()}
        others = [part.partition(":")[0] for part in hashed.split() if part not in before]
        raise Conflict(
            f"the idempotency key {request.idempotency_key!r} was used with another body, which"
            f" differs in {', '.join(others)}; use a new key for new content",
            code="idempotency_conflict",
        )
    return replace(CommitResult.from_dict(found[1]), replayed=True)


def stored_turn(request: CommitRequest, *, transaction: Transaction, ports: Ports) -> Turn | None:
    """Return the turn that a step is to be added to, with its messages; None for a new turn."""
    if request.turn_id is None:
        return None
    turn = transaction.events.turn(request.turn_id)
    if turn.session_id != request.session_id:
        raise UsageError(
            f"turn {turn.id} belongs to session {turn.session_id!r},"
            f" not {request.session_id!r}; use its own session"
        )
    return with_texts([turn], transaction=transaction, blobs=ports.blobs, outputs=False)[0]


def skip_stored(draft: Turn, spans: Turn, stored: Turn | None) -> tuple[Turn, tuple[Reason, ...]]:
    """Return a step without the parts that its turn has already, and a reason for each of them.

    Agents hand over the growing list of messages at every step. A part is known by its id and its
    content together: what has changed under the same id is appended, for events only ever grow. A
    call that was stored before it had ended is completed when its outcome comes. `spans` is the
    draft with its texts cut, where equal texts have equal spans.
    """
    if stored is None:
        return draft, ()
    have = Counter(_identity(message) for message in stored.messages)
    messages = []
    for message in draft.messages:
        if have[_identity(message)]:
            have[_identity(message)] -= 1
        else:
            messages.append(message)
    refs = {canonical_json(replace(ref, id="")) for ref in stored.refs}
    fresh = replace(
        draft,
        at=stored.at,
        messages=tuple(messages),
        tool_calls=_new_calls(draft, spans, stored),
        refs=tuple(ref for ref in draft.refs if canonical_json(replace(ref, id="")) not in refs),
    )
    skipped = {
        "message": len(draft.messages) - len(fresh.messages),
        "tool call": len(draft.tool_calls) - len(fresh.tool_calls),
        "ref": len(draft.refs) - len(fresh.refs),
    }
    return fresh, tuple(
        Reason("already_stored", f"{count} {name}(s) are in turn {stored.id} already; not repeated")
        for name, count in skipped.items()
        if count
    )


def _new_calls(draft: Turn, spans: Turn, stored: Turn) -> tuple[ToolCall, ...]:
    """Return the calls of a step that are new, or that complete one still open, each once."""
    known: dict[str | None, list[ToolCall]] = {}
    for call in stored.tool_calls:
        known.setdefault(call.call_id, []).append(call)
    new = []
    for call, cut in zip(draft.tool_calls, spans.tool_calls, strict=True):
        same = known.get(call.call_id, []) if call.call_id else []
        begun = next((one for one in same if is_open(one)), None)
        if any(_outcome(one) == _outcome(cut) for one in same) or (same and is_open(cut)):
            continue
        if begun is not None:
            same.remove(begun)
            kept = {"name": begun.name, "args": begun.args, "owner": begun.owner}
            call = replace(call, id=begun.id, **kept)
        new.append(call)
    return tuple(new)


def _outcome(call: ToolCall) -> Hashable:
    """Return how a call ended, comparable without its texts."""
    return (call.status, call.exit_code, call.result_json, *output_spans(call))


def output_spans(call: ToolCall) -> tuple[Sequence[Span], ...]:
    """Return the spans of what a call returned and printed."""
    return (call.result_spans, call.stdout_spans, call.stderr_spans)


@dataclass(frozen=True, slots=True)
class Recorded:
    """What a commit has appended: the step in words and in spans, and what was there before it.

    `stored` is the turn that the step was added to; `previous` the turn before a new one.
    """

    said: Turn
    spans: Turn
    stored: Turn | None = None
    previous: LastTurn | None = None

    @property
    def place(self) -> int:
        """The place of the turn in its session."""
        return (self.stored or self.said).seq or (self.previous.seq if self.previous else 0) + 1

    @property
    def is_late(self) -> bool:
        """Whether a new turn is older than others of its session."""
        return self.previous is not None and self.previous.latest > self.said.at


def controls_in(step: Turn) -> tuple[Reason, ...]:
    """Return a reason for each message that people or models wrote with control characters."""
    return tuple(
        Reason("control_characters", _CONTROLS, id=one.id)
        for one in step.messages
        if one.role is not Role.TOOL and holds_controls(one.content)
    )


def append_turn(
    said: Turn, spans: Turn, stored: Turn | None, *, transaction: Transaction
) -> Recorded:
    """Write a turn, or the step that is added to a stored one."""
    if stored is not None:
        begun = {call.id for call in stored.tool_calls}
        for call in spans.tool_calls:
            if call.id in begun:
                transaction.events.complete_call(call)
        transaction.events.extend_turn(joined(stored, spans))
        return Recorded(said, spans, stored)
    last = transaction.events.last_turn(spans.session_id)
    transaction.events.add_turns([replace(spans, seq=last.seq + 1 if last else 1)])
    return Recorded(said, spans, previous=last)


def step_of(recorded: Recorded, stage: Stage = Stage.COMMIT) -> Step:
    """Return what tells a step of a turn from those before and after it."""
    said = recorded.said
    return Step(
        turn_id=said.id,
        stage=stage,
        rules_hash=said.rules_hash,
        context_id=said.context_id,
        parts=StepParts(
            messages=len(said.messages),
            refs=len(said.refs),
            tool_calls=tuple(call.id for call in said.tool_calls),
            open_calls=tuple(call.id for call in said.tool_calls if is_open(call)),
            proposals={name: len(given) for name, given in said.proposals.items()},
        ),
        created_at=said.created_at,
    )


def joined(stored: Turn | None, step: Turn) -> Turn:
    """Return a stored turn with the parts of a step after its own; ended calls keep their place."""
    if stored is None:
        return step
    calls = {call.id: call for call in (*stored.tool_calls, *step.tool_calls)}
    proposals = {name: list(given) for name, given in stored.proposals.items()}
    for name, given in step.proposals.items():
        proposals[name] = proposals.get(name, []) + list(given)
    return replace(
        stored,
        messages=stored.messages + step.messages,
        tool_calls=tuple(calls.values()),
        refs=stored.refs + step.refs,
        proposals=proposals,
    )


def is_open(call: ToolCall) -> bool:
    """Tell whether nothing is known yet of how a call ended."""
    outputs = [one for one in (call.result, call.stdout, call.stderr) if one is not None]
    ended = call.exit_code is not None or outputs or any(output_spans(call))
    return call.status is CallStatus.UNKNOWN and not ended


def said_before(recorded: Recorded, *, transaction: Transaction, ports: Ports) -> Turn | None:
    """Return what was said just before a step, which it may refer to (C4, C6)."""
    if recorded.stored is not None or recorded.previous is None:
        return recorded.stored
    before: str | None = recorded.previous.id
    if recorded.previous.at < recorded.previous.latest or recorded.is_late:
        before, _ = transaction.remembering.neighbours(recorded.said.id)
    return turn_of(before, transaction=transaction, ports=ports)


def turn_of(turn_id: str | None, *, transaction: Transaction, ports: Ports) -> Turn | None:
    """Return a stored turn with its messages, if there is one."""
    if turn_id is None:
        return None
    return readable(transaction.events.turn(turn_id), transaction=transaction, ports=ports)


def readable(turn: Turn, *, transaction: Transaction, ports: Ports) -> Turn:
    """Return a stored turn with its texts, and without words where they are lost."""
    try:
        return with_texts([turn], transaction=transaction, blobs=ports.blobs, outputs=False)[0]
    except AdapterError as error:
        if error.code not in LOST_TEXT:
            raise
    return turn


def _identity(message: Message) -> Hashable:
    calls = canonical_json(message.meta.get("tool_calls"))  # its words alone are often none
    return (message.external_id, message.role, message.name, message.content, calls)


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
        if text is None:
            return ()
        spans = []
        low, high = rules.chunk_tokens_min, rules.chunk_tokens_max
        # One that is there and empty is a piece too, so that it is not taken for none.
        for piece in split_chunks(text, min_tokens=low, max_tokens=high) if text else [text]:
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


_FIRST: Final = "first_speaker"


def note_first_speaker(recorded: Recorded, transaction: Transaction) -> None:
    """Note who spoke first in a session, once somebody speaks in it under a name."""
    step = recorded.said
    owner = f"session:{step.session_id}"
    if not any(map(_name, step.messages)) or transaction.working.state(owner, _FIRST):
        return
    before = recorded.stored.messages if recorded.stored else ()
    if recorded.previous is not None:
        before = transaction.events.turn(recorded.previous.id).messages
    first = next(one for one in (*before, *step.messages) if one.role is Role.USER)
    body = {"name": _name(first)}
    put_state(owner, _FIRST, _FIRST, body, step.created_at, rows=transaction)


def find_other_speaker(message: Message, session_id: str, *, transaction: Transaction) -> str:
    """Return the name of who says a stored message; empty where that is the user."""
    name = _name(message)
    known = next(iter(transaction.working.state(f"session:{session_id}", _FIRST)), None)
    return name if name and known is not None and name != known.body["name"] else ""


def _name(message: Message) -> str:
    return without_controls(message.name or "").strip() if message.role is Role.USER else ""
