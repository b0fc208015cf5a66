"""The words of a session that are worth quoting, chosen by rule (W2).

In: turns with the texts of their messages. Out: sentences as they were said, each with its speaker,
its time and its place in the original, the weightiest first. A choice, an instruction, a figure and
what later turns come back to weigh; questions, code and quotations do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from smartbrain.domain.memory import Span
from smartbrain.domain.packet import Quote
from smartbrain.domain.turn import Message, Role, Turn
from smartbrain.text.prose import said_only
from smartbrain.text.sentences import sentence_spans
from smartbrain.text.telling import asks, decides, instructs, is_exact
from smartbrain.text.tokenise import index_terms

_LEAST: Final = 3  # the weight from which words are worth quoting
_SHORTEST: Final = 4
_LONGEST: Final = 300
_MOST_OF_A_MESSAGE: Final = 20_000  # characters that are read
_COMES_BACK: Final = 2  # terms that a later turn has to share
_EVERYWHERE: Final = 0.4  # share of the turns from which a term tells nothing
_DECIDES, _INSTRUCTS, _EXACT, _RETURNED, _USER = 3, 3, 1, 2, 1


class _Said(NamedTuple):
    """A sentence and where it stands: the turn's place, the message, the characters."""

    place: int
    turn: Turn
    message: Message
    start: int
    text: str


def key_quotes(turns: Sequence[Turn], *, most: int) -> list[Quote]:
    """Return at most so many quotes from turns in their order; the newest of equals first."""
    later = _terms_later(turns)
    weighed: dict[str, tuple[int, int, int, _Said]] = {}
    for said in _sentences(turns):
        weight = _weight(said, later[said.place])
        if weight >= _LEAST:
            # Said again, it stands where it was said last.
            weighed[said.text] = (-weight, -said.place, said.start, said)
    best = sorted(weighed.values(), key=lambda one: (*one[:3], one[3].message.id))
    return [_quote(one[3]) for one in best[:most]]


def _sentences(turns: Sequence[Turn]) -> Iterator[_Said]:
    """Yield what was said in turns, sentence by sentence, without code, data and quotations."""
    for place, turn in enumerate(turns):
        for message in turn.messages:
            text = said_only(message.content[:_MOST_OF_A_MESSAGE])
            for start, end in sentence_spans(text):
                if _SHORTEST <= end - start <= _LONGEST:
                    yield _Said(place, turn, message, start, message.content[start:end])


def _weight(said: _Said, later: Sequence[frozenset[str]]) -> int:
    """Return how much a sentence is worth quoting."""
    text = said.text
    if asks(text):
        return 0
    weight = _DECIDES * decides(text) + _INSTRUCTS * instructs(text) + _EXACT * is_exact(text)
    weight += _USER * (said.message.role is Role.USER)
    if weight >= _LEAST - _RETURNED and later:
        terms = set(index_terms(text))
        weight += _RETURNED * any(len(terms & other) >= _COMES_BACK for other in later)
    return weight


def _terms_later(turns: Sequence[Turn]) -> list[list[frozenset[str]]]:
    """Return, for each turn, the telling terms of each turn after it."""
    own = [
        set(index_terms("\n".join(one.content[:_MOST_OF_A_MESSAGE] for one in turn.messages)))
        for turn in turns
    ]
    held: dict[str, int] = {}
    for terms in own:
        for term in terms:
            held[term] = held.get(term, 0) + 1
    usual = max(2, int(len(turns) * _EVERYWHERE))
    telling = [frozenset(term for term in terms if held[term] <= usual) for terms in own]
    return [telling[place + 1 :] for place in range(len(turns))]


def _quote(said: _Said) -> Quote:
    """Return a sentence as a quote."""
    message = said.message
    return Quote(
        text=said.text,
        source_turn_id=said.turn.id,
        speaker=message.name or message.role.value,
        at=said.turn.at,
        span=_span(message, said.start, said.text),
    )


def _span(message: Message, start: int, text: str) -> Span | None:
    """Return where some words stand in the original, None if they run over two pieces of it."""
    offset, length = len(message.content[:start].encode()), len(text.encode())
    for span in message.spans:
        if offset < span.length:
            fits = offset + length <= span.length
            return Span(span.raw_id, span.offset + offset, length) if fits else None
        offset -= span.length
    return None
