"""Short-term memory: what a session has in mind right now (W2).

In: a session. Out: its turns with the original text put back, every byte checked against its hash;
its working summary, and the words worth quoting, the weightiest first; nothing of before its end
when a turn has opened it again. Tools show how they ended, never what they printed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from smartbrain.domain.memory import Span
from smartbrain.domain.packet import Quote, ShortTerm, ShownCall, ShownMessage, ShownTurn
from smartbrain.domain.summary import PROGRESS, SUMMARY, Summary, SummaryProgress
from smartbrain.domain.turn import Message, RawChunk, Ref, RefType, Role, Session, ToolCall, Turn
from smartbrain.errors import AdapterError
from smartbrain.govern.call_arguments import MAX_PAST_ARGUMENTS, shorten_arguments
from smartbrain.govern.trail import put_state
from smartbrain.text.sentences import said_only, sentence_spans
from smartbrain.text.telling import asks, decides, instructs, is_exact
from smartbrain.text.tokenise import index_terms

if TYPE_CHECKING:
    from smartbrain.domain.policy import WorkingRules
    from smartbrain.ports.blobs import Blobs
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction


_LEAST: Final = 3  # the weight from which words are worth quoting
_SHORTEST: Final = 4
_LONGEST_QUOTE: Final = 300
_MOST_OF_A_MESSAGE: Final = 20_000  # characters that are read
_EVERYWHERE: Final = 0.4  # share of the turns from which a term tells nothing
_DECIDES, _INSTRUCTS, _EXACT, _RETURNED, _USER = 3, 3, 1, 2, 1

Said = tuple[Turn, Sequence[str]]
"""A turn, and the texts of its messages."""


class _Sentence(NamedTuple):
    """A sentence of a message that may be quoted: where it begins, what it weighs, its terms."""

    start: int
    text: str
    weight: int
    terms: tuple[str, ...]


def key_quotes(said: Sequence[Said], *, most: int) -> list[Quote]:
    """Return at most so many quotes from turns in their order; the newest of equals first."""
    held = _turns_with([texts for _, texts in said])
    weighed: dict[str, tuple[int, int, int, str, Turn, Message, str, str]] = {}
    for place, (turn, texts) in enumerate(said):
        for message, text in zip(turn.messages, texts, strict=True):
            for one in _sentences(text[:_MOST_OF_A_MESSAGE]):
                weight = one.weight + _USER * (message.role is Role.USER)
                if weight >= _LEAST - _RETURNED:
                    weight += _RETURNED * _comes_back(one.terms, held, place)
                if weight >= _LEAST:
                    # Said again, it stands where it was said last.
                    order = (-weight, -place, one.start, message.id)
                    weighed[one.text] = (*order, turn, message, text[: one.start], one.text)
    best = sorted(weighed.values(), key=itemgetter(0, 1, 2, 3))
    return [_quote(*one[4:]) for one in best[:most]]


@lru_cache(maxsize=256)  # every packet of a session reads its last turns again
def _sentences(text: str) -> tuple[_Sentence, ...]:
    """Return what was said in a text, sentence by sentence, without questions, code, quotations."""
    found = []
    for start, end in sentence_spans(said_only(text)):
        sentence = text[start:end]
        if _SHORTEST <= end - start <= _LONGEST_QUOTE and not asks(sentence):
            weight = _DECIDES * decides(sentence) + _INSTRUCTS * instructs(sentence)
            weight += _EXACT * is_exact(sentence)
            terms = tuple(set(index_terms(sentence)))
            found.append(_Sentence(start, sentence, weight, terms))
    return tuple(found)


@lru_cache(maxsize=256)
def _terms(text: str) -> frozenset[str]:
    return frozenset(index_terms(text))


def _turns_with(turns: Sequence[Sequence[str]]) -> dict[str, int]:
    """Return the places of the turns that hold each telling term, as the bits of a number."""
    held: dict[str, int] = {}
    for place, texts in enumerate(turns):
        for term in _terms("\n".join([text[:_MOST_OF_A_MESSAGE] for text in texts])):
            held[term] = held.get(term, 0) | 1 << place
    usual = max(2, int(len(turns) * _EVERYWHERE))
    return {term: places for term, places in held.items() if places.bit_count() <= usual}


def _comes_back(terms: Iterable[str], held: Mapping[str, int], place: int) -> bool:
    once = twice = 0
    for term in terms:
        places = held.get(term, 0)
        twice |= once & places
        once |= places
    return bool(twice >> (place + 1))


def _quote(turn: Turn, message: Message, before: str, text: str) -> Quote:
    return Quote(
        text=text,
        source_turn_id=turn.id,
        speaker=message.name or message.role.value,
        at=turn.at,
        span=_span(message.spans, len(before.encode()), len(text.encode())),
    )


def _span(spans: Iterable[Span], offset: int, length: int) -> Span | None:
    """Return where some bytes stand in the original, None if they run over two pieces of it."""
    for span in spans:
        if offset < span.length:
            fits = offset + length <= span.length
            return Span(span.raw_id, span.offset + offset, length) if fits else None
        offset -= span.length
    return None


_ENDED: Final = "ended"


class SessionEnd(NamedTuple):
    """The last turn and the last summary that a session had when it was ended; none are 0."""

    turn: int = 0
    summary: int = 0


def last_end(session_id: str, *, transaction: Transaction) -> SessionEnd:
    """Return where a session was ended last."""
    entries = transaction.working.state(_owner(session_id), _ENDED)
    return SessionEnd(**entries[0].body) if entries else SessionEnd()


def note_end(session_id: str, at: datetime, *, transaction: Transaction) -> None:
    """Write down that a session ends where it is now; its next summary begins with nothing."""
    owner = _owner(session_id)
    last = transaction.events.last_turn(session_id)
    written = [
        Summary.from_dict(one.body).version for one in transaction.working.state(owner, SUMMARY)
    ]
    end = SessionEnd(last.seq if last else 0, max(written, default=0))
    progress = SummaryProgress(version=end.summary)
    for kind, body in ((_ENDED, end._asdict()), (PROGRESS, progress.to_dict())):
        put_state(owner, kind, kind, body, at, rows=transaction)


def _owner(session_id: str) -> str:
    return f"session:{session_id}"


LOST_TEXT: Final = frozenset({"blob_missing", "blob_corrupt"})
"""The codes of errors that tell of a text which is damaged or gone."""


def list_sessions(
    *, ports: Ports, after: tuple[int, int] | None = None, limit: int = 100
) -> list[tuple[tuple[int, int], Session]]:
    """Return sessions with their places, the one spoken in last first."""
    with ports.truth.read() as transaction:
        return transaction.events.sessions(after=after, limit=limit)


def list_turns(session_id: str, *, ports: Ports, after: int = 0, limit: int = 100) -> list[Turn]:
    """Return a session's turns in order, whole; an unknown session is an empty one."""
    with ports.truth.read() as transaction:
        turns = transaction.events.turns(session_id, after=after, limit=limit)
        return with_texts(turns, transaction=transaction, blobs=ports.blobs)


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
    """
    reader = _Reader.of(turns, transaction, blobs, outputs)
    whole: list[Turn] = []
    for turn in turns:
        try:
            whole.append(reader.turn(turn, outputs))
        except AdapterError as error:
            around = f"after={turn.seq} reads on behind it"
            if whole:
                around += f", limit={len(whole)} those before it"
            raise AdapterError(
                f"turn {turn.seq} of session {turn.session_id!r} cannot be read: {error.message};"
                f" {around}",
                code=error.code,
                retryable=error.retryable,
            ) from error
    return whole


def message_texts(
    turns: Sequence[Turn], *, transaction: Transaction, blobs: Blobs
) -> list[tuple[str, ...]]:
    """Return the original texts of the messages of each turn."""
    whole = with_texts(turns, transaction=transaction, blobs=blobs, outputs=False)
    return [tuple(message.content for message in turn.messages) for turn in whole]


class _Reader:
    def __init__(self, chunks: dict[str, RawChunk], blobs: Blobs) -> None:
        self._chunks = chunks
        self._blobs = blobs
        self._bodies: dict[str, bytes] = {}

    @classmethod
    def of(
        cls, turns: Sequence[Turn], transaction: Transaction, blobs: Blobs, outputs: bool
    ) -> _Reader:
        wanted = {
            span.raw_id for turn in turns for spans in _span_lists(turn, outputs) for span in spans
        }
        return cls(transaction.raw.get(wanted), blobs)

    def turn(self, turn: Turn, outputs: bool) -> Turn:
        return replace(
            turn,
            messages=tuple(
                replace(message, content=self.text(message.spans)) for message in turn.messages
            ),
            tool_calls=tuple(self.call(call) if outputs else call for call in turn.tool_calls),
        )

    def call(self, call: ToolCall) -> ToolCall:
        result = self.text(call.result_spans) if call.result_spans else None
        return replace(
            call,
            result=json.loads(result) if call.result_json and result else result,
            stdout=self.text(call.stdout_spans) if call.stdout_spans else None,
            stderr=self.text(call.stderr_spans) if call.stderr_spans else None,
        )

    def text(self, spans: Iterable[Span]) -> str:
        parts = [self._body(span.raw_id)[span.offset : span.offset + span.length] for span in spans]
        return b"".join(parts).decode()

    def _body(self, raw_id: str) -> bytes:
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
    for message in turn.messages:
        yield message.spans
    for call in turn.tool_calls if outputs else ():
        yield from (call.result_spans, call.stdout_spans, call.stderr_spans)


_LOOKED_BACK: Final = 30
"""The last turns in which words worth quoting are looked for."""
_LONGEST: Final = 4_096
"""Bytes from which an earlier message is not read for quotes: it is a text, not something said."""
_FEW: Final = 4
"""Of so few turns all are always shown, of more the first ones leave together."""
_SHOWN: Final = (Role.USER, Role.ASSISTANT)
_LONGEST_NOTE: Final = 300  # characters about an image or a file


class Heard(NamedTuple):
    """The last turns of a session with their texts; from the place `whole` on all of them is there.

    What was read once for a packet can be shown in its context.
    """

    said: Sequence[Said] = ()
    whole: int = 0


def hear(session_id: str, *, transaction: Transaction, blobs: Blobs, rules: WorkingRules) -> Heard:
    """Read the last turns of a session; none if it has ended or is not known."""
    place = place_of(session_id, transaction=transaction)
    if not place:
        return Heard()
    size = _size_of(rules)
    begins = last_end(session_id, transaction=transaction).turn
    first = max(begins, place - size) + 1
    stored = transaction.events.turns(session_id, after=first - 1, limit=size)
    window = place - rules.window_turns
    kept, whole = [], first
    for turn in map(_chat, stored):
        if turn.seq <= window and _is_long(turn):
            short = tuple(one for one in turn.messages if _size(one) <= _LONGEST)
            turn = replace(turn, messages=short)
            whole = turn.seq + 1
        kept.append(turn)
    return Heard(_said(kept, transaction=transaction, blobs=blobs), whole)


def place_of(session_id: str, *, transaction: Transaction) -> int:
    """Return the place of a session's last turn; 0 if it has ended or is not known."""
    last = transaction.events.last_turn(session_id)
    return 0 if last is None or last.ended else last.seq


def in_mind(
    session_id: str,
    heard: Heard,
    transaction: Transaction,
    *,
    rules: WorkingRules,
    quote: bool = True,
) -> ShortTerm:
    """Return what a session has in mind, its last turns being read; without quotes if not asked."""
    said = heard.said
    if not said:
        return ShortTerm()
    return ShortTerm(
        summary=_summary(session_id, transaction=transaction),
        key_quotes=tuple(key_quotes(said, most=rules.max_quotes)) if quote else (),
        window=tuple(shown_turn(*one) for one in said[-rules.window_turns :]),
    )


def last_turns(
    session_id: str,
    most: int,
    *,
    transaction: Transaction,
    blobs: Blobs,
    place: int | None = None,
    after: int = 0,
    heard: Heard | None = None,
) -> tuple[ShownTurn, ...]:
    """Return the last turns of a session as they may be shown again; none once it has ended.

    The first of them moves on by several turns at once, so that contexts of calls that follow each
    other begin alike: there are `most` of them, or down to half as many. Where no more than that
    came behind `after`, the last turn that is told otherwise, all those are there. `place` is the
    turn that was the last one at a past moment; what was just `heard` is not read again.
    """
    if place is None:
        place = place_of(session_id, transaction=transaction)
    if not most or not place:
        return ()
    begins = last_end(session_id, transaction=transaction).turn
    after = max(after, begins if begins < place else 0)  # it may have ended since a past moment
    step = (most + 1) // 2 if most > _FEW else 1
    first = after if place - after <= most else -(-(place - most) // step) * step
    if heard and heard.said and heard.said[-1][0].seq == place and heard.whole <= first + 1:
        return tuple(shown_turn(*one) for one in heard.said if one[0].seq > first)
    stored = transaction.events.turns(session_id, after=first, limit=place - first)
    kept = [_chat(turn) for turn in stored]
    return tuple(shown_turn(*one) for one in _said(kept, transaction=transaction, blobs=blobs))


def pressed_short_term(stm: ShortTerm, *, rules: WorkingRules) -> ShortTerm:
    """Return the same with fewer turns and quotes; words that a shown turn has become a reference.

    Doing it again changes nothing.
    """
    window = stm.window[-rules.window_turns_pressed :]
    shown = {turn.turn_id for turn in window}
    quotes = stm.key_quotes[: rules.max_quotes_pressed]
    return replace(
        stm,
        key_quotes=tuple(
            replace(one, text="") if one.source_turn_id in shown else one for one in quotes
        ),
        window=window,
    )


def _summary(session_id: str, *, transaction: Transaction) -> str:
    ended = last_end(session_id, transaction=transaction).summary
    entries = transaction.working.state(f"session:{session_id}", SUMMARY)
    summary = Summary.from_dict(entries[-1].body) if entries else None
    if summary is None or summary.version <= ended:
        return ""
    return summary.text


def _chat(turn: Turn) -> Turn:
    kept = tuple([one for one in turn.messages if one.role in _SHOWN])
    return turn if len(kept) == len(turn.messages) else replace(turn, messages=kept)


def _size_of(rules: WorkingRules) -> int:
    return max(_LOOKED_BACK, rules.window_turns)


def _is_long(turn: Turn) -> bool:
    return max(map(_size, turn.messages), default=0) > _LONGEST


def _size(message: Message) -> int:
    return sum([span.length for span in message.spans])


def _said(turns: Sequence[Turn], *, transaction: Transaction, blobs: Blobs) -> list[Said]:
    """Return turns with their texts, one whose text is lost without its messages."""
    reader = _Reader.of(turns, transaction, blobs, False)
    said: list[Said] = []
    for turn in turns:
        try:
            said.append((turn, [reader.text(message.spans) for message in turn.messages]))
        except AdapterError as error:
            if error.code not in LOST_TEXT:
                raise
            said.append((replace(turn, messages=()), []))
    return said


def shown_turn(turn: Turn, texts: Sequence[str]) -> ShownTurn:
    """Return a turn as it may be shown again."""
    return ShownTurn(
        turn_id=turn.id,
        at=turn.at,
        messages=tuple(
            ShownMessage(
                role=one.role,
                content=text,
                name=one.name,
                id=one.id,
                calls=calls_made(one),
                media=_media(one, turn.refs),
            )
            for one, text in zip(turn.messages, texts, strict=True)
        ),
        tool_calls=tuple(_shown_call(one, turn.refs) for one in turn.tool_calls),
    )


def calls_made(message: Message) -> tuple[str, ...]:
    """Return the ids of the calls that a provider's message made, as its meta keeps them."""
    kept = message.meta.get("tool_calls")
    return tuple(one for one in kept if isinstance(one, str)) if isinstance(kept, list) else ()


def _media(message: Message, refs: Sequence[Ref]) -> tuple[str, ...]:
    kept = message.meta.get("refs")
    if not isinstance(kept, list):
        return ()
    known = {ref.ref_uri: ref for ref in refs}
    return tuple(_media_line(known[uri]) for uri in kept if uri in known)


def result_media(call: ToolCall, refs: Sequence[Ref]) -> tuple[str, ...]:
    """Return a line for each image or file that the result of a call showed."""
    if call.call_id is None:
        return ()
    return tuple(_media_line(ref) for ref in refs if ref.ref_meta.get("call_id") == call.call_id)


def _media_line(ref: Ref) -> str:
    meta = ref.ref_meta
    size = meta.get("bytes")
    where = ref.ref_uri
    if size is None and ref.ref_type is RefType.ARTIFACT:
        where = f"artifact {where}"
    parts = (
        *(meta.get(name) for name in ("filename", "title", "mime")),
        f"{size:,} bytes that are not kept" if isinstance(size, int) else None,
        where,
    )
    told = ", ".join(part for part in parts if isinstance(part, str))
    return f"{meta.get('kind', 'file')} left out: {told[:_LONGEST_NOTE]}"


def outcome_line(call: ToolCall, size: int) -> str:
    """Return how a tool call ended, and how many bytes it gave back."""
    ended = call.status.value if call.exit_code is None else f"exit code {call.exit_code}"
    return f"{' '.join(call.name.split())}: {ended}, {size:,} bytes"


def _shown_call(call: ToolCall, refs: Sequence[Ref]) -> ShownCall:
    """Return how a tool call ended, without its output, with the beginning of what it was given."""
    spans = (*call.stderr_spans, *call.stdout_spans) or call.result_spans
    size = sum(span.length for span in spans)
    return ShownCall(
        id=call.id,
        tool_name=call.name,
        status=call.status,
        exit_code=call.exit_code,
        bytes=size,
        summary=outcome_line(call, size),
        call_id=call.call_id,
        args=shorten_arguments(call.args, MAX_PAST_ARGUMENTS),
        media=result_media(call, refs),
    )
