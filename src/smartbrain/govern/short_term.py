"""Short-term memory: what a session has in mind right now (W2).

In: a session. Out: its last turns as they may be shown again, its working summary, and the words
worth quoting, the weightiest first; nothing once the session has ended, and nothing of before its
end when a turn has opened it again. Tools show how they ended,
never what they printed. The number of statements does not follow the length of the session.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import compress
from typing import TYPE_CHECKING, Final, NamedTuple

from smartbrain.domain.packet import Quote, ShortTerm, ShownCall, ShownMessage, ShownTurn
from smartbrain.domain.summary import SUMMARY, Summary
from smartbrain.domain.turn import Message, Ref, RefType, Role, ToolCall, Turn
from smartbrain.errors import AdapterError
from smartbrain.govern.key_quotes import Said, key_quotes
from smartbrain.govern.session_end import last_end
from smartbrain.govern.sessions import LOST_TEXT, message_texts

if TYPE_CHECKING:
    from smartbrain.domain.policy_state import WorkingRules
    from smartbrain.ports.blobs import Blobs
    from smartbrain.ports.truth import Transaction

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

    What was read once for a packet can be shown in its context. `lost` tells that a text of them is
    damaged or gone.
    """

    said: Sequence[Said] = ()
    whole: int = 0
    lost: bool = False

    def then(self, more: Heard, rules: WorkingRules) -> Heard:
        """Return what is in mind after some turns more: of older ones only short messages."""
        both = [*self.said, *more.said]
        last = both[-1][0].seq
        first, window = max(0, last - _size_of(rules)) + 1, last - rules.window_turns
        kept, whole = [], max(first, self.whole)
        for turn, texts in both:
            if turn.seq < first:
                continue
            if turn.seq <= window and _is_long(turn):
                short = [_size(one) <= _LONGEST for one in turn.messages]
                turn = replace(turn, messages=tuple(compress(turn.messages, short)))
                texts, whole = tuple(compress(texts, short)), max(whole, turn.seq + 1)
            kept.append((turn, texts))
        return Heard(kept, whole, lost=self.lost or more.lost)


def short_term(
    session_id: str,
    *,
    transaction: Transaction,
    blobs: Blobs,
    rules: WorkingRules,
    pressed: bool = False,
) -> ShortTerm:
    """Return what a session has in mind; nothing if it has ended or is not known.

    Args:
        session_id: the session.
        transaction: the state to read.
        blobs: where long texts are.
        rules: how many turns and quotes are kept.
        pressed: whether space is short; fewer turns and quotes are returned then.

    Raises:
        AdapterError: the storage failed. A text that is damaged or gone is left empty.
    """
    heard = hear(session_id, transaction=transaction, blobs=blobs, rules=rules)
    stm = in_mind(session_id, heard, transaction, rules=rules)
    return pressed_short_term(stm, rules=rules) if pressed else stm


def hear(session_id: str, *, transaction: Transaction, blobs: Blobs, rules: WorkingRules) -> Heard:
    """Read the last turns of a session; none if it has ended or is not known.

    Raises:
        AdapterError: the storage failed. A text that is damaged or gone is left empty.
    """
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
            turn = replace(turn, messages=_short(turn.messages))
            whole = turn.seq + 1
        kept.append(turn)
    return _heard(kept, whole, transaction=transaction, blobs=blobs)


def place_of(session_id: str, *, transaction: Transaction) -> int:
    """Return the place of a session's last turn; 0 if it has ended or is not known."""
    last = transaction.events.last_turn(session_id)
    return 0 if last is None or last.ended else last.seq


def hear_after(
    last: int, place: int, session_id: str, *, transaction: Transaction, blobs: Blobs
) -> Heard:
    """Read the turns of a session after one place up to another.

    Raises:
        AdapterError: the storage failed. A text that is damaged or gone is left empty.
    """
    if place == last:
        return Heard()
    new = transaction.events.turns(session_id, after=last, limit=place - last)
    return _heard([_chat(turn) for turn in new], last + 1, transaction=transaction, blobs=blobs)


def _heard(turns: Sequence[Turn], whole: int, *, transaction: Transaction, blobs: Blobs) -> Heard:
    """Return turns with their texts."""
    said = _said(turns, transaction=transaction, blobs=blobs)
    lost = any(read is not turn for (read, _), turn in zip(said, turns, strict=True))
    return Heard(said, whole, lost)


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
    came behind `after` all those are there.

    Args:
        session_id: the session.
        most: how many turns at most.
        transaction: the state to read.
        blobs: where long texts are.
        place: the turn that was the last one at a past moment, whatever has come since.
        after: the last turn that is told otherwise, in short.
        heard: what was just read of the session, which is not read again if nothing came since.

    Raises:
        AdapterError: the storage failed. A text that is damaged or gone is left empty.
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
        key_quotes=tuple(_reference(one) if one.source_turn_id in shown else one for one in quotes),
        window=window,
    )


def _reference(quote: Quote) -> Quote:
    """Return a quote that only says where its words stand."""
    return replace(quote, text="")


def _summary(session_id: str, *, transaction: Transaction) -> str:
    """Return the working summary of a session, if one has been written since it was ended."""
    entries = transaction.working.state(f"session:{session_id}", SUMMARY)
    summary = Summary.from_dict(entries[-1].body) if entries else None
    if summary is None or summary.version <= last_end(session_id, transaction=transaction).summary:
        return ""
    return summary.text


def _chat(turn: Turn) -> Turn:
    """Return a turn with the messages that may be shown."""
    kept = tuple([one for one in turn.messages if one.role in _SHOWN])
    return turn if len(kept) == len(turn.messages) else replace(turn, messages=kept)


def _short(messages: Sequence[Message]) -> tuple[Message, ...]:
    """Return the messages that are read for quotes."""
    return tuple(one for one in messages if _size(one) <= _LONGEST)


def _size_of(rules: WorkingRules) -> int:
    """Return how many turns are heard."""
    return max(_LOOKED_BACK, rules.window_turns)


def _is_long(turn: Turn) -> bool:
    """Tell whether a message of a turn is not read for quotes."""
    return max(map(_size, turn.messages), default=0) > _LONGEST


def _size(message: Message) -> int:
    return sum([span.length for span in message.spans])


def _said(turns: Sequence[Turn], *, transaction: Transaction, blobs: Blobs) -> list[Said]:
    """Return turns with their texts; if one is lost, read turn by turn, and that one is empty."""
    try:
        texts = message_texts(turns, transaction=transaction, blobs=blobs)
    except AdapterError as error:
        if error.code not in LOST_TEXT:
            raise
        return list(_readable(turns, transaction=transaction, blobs=blobs))
    return list(zip(turns, texts, strict=True))


def _readable(turns: Sequence[Turn], *, transaction: Transaction, blobs: Blobs) -> Iterator[Said]:
    """Yield turns with their texts, one whose text is lost without its messages."""
    for turn in turns:
        try:
            (texts,) = message_texts([turn], transaction=transaction, blobs=blobs)
        except AdapterError as error:
            if error.code not in LOST_TEXT:
                raise
            yield replace(turn, messages=()), ()
        else:
            yield turn, texts


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
    """Return a line for each image or file of a message: what it was, and where it is."""
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


def _shown_call(call: ToolCall, refs: Sequence[Ref]) -> ShownCall:
    """Return how a tool call ended, without its output and without what it was given."""
    spans = (*call.stderr_spans, *call.stdout_spans) or call.result_spans
    size = sum(span.length for span in spans)
    ended = call.status.value if call.exit_code is None else f"exit code {call.exit_code}"
    return ShownCall(
        id=call.id,
        tool_name=call.name,
        status=call.status,
        exit_code=call.exit_code,
        bytes=size,
        summary=f"{' '.join(call.name.split())}: {ended}, {size:,} bytes",
        call_id=call.call_id,
        media=result_media(call, refs),
    )
