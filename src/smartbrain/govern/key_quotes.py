"""The words of a session that are worth quoting, chosen by rule (W2).

In: turns with the texts of their messages. Out: sentences as they were said, each with its speaker,
its time and its place in the original, the weightiest first. A choice, an instruction, a figure and
what later turns come back to weigh; questions, code and quotations do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Final, NamedTuple

from smartbrain.domain.memory import Span
from smartbrain.domain.packet import Quote
from smartbrain.domain.turn import Role, Turn
from smartbrain.text.prose import said_only
from smartbrain.text.sentences import sentence_spans
from smartbrain.text.telling import asks, decides, instructs, is_exact
from smartbrain.text.tokenise import index_terms

_LEAST: Final = 3  # the weight from which words are worth quoting
_SHORTEST: Final = 4
_LONGEST: Final = 300
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


class _Spoken(NamedTuple):
    """A message as far as it is weighed."""

    id: str
    by_user: bool
    text: str


class _Place(NamedTuple):
    """Where a sentence stands: its turn, its message, its first character."""

    turn: int
    message: int
    start: int
    text: str


def key_quotes(said: Sequence[Said], *, most: int) -> list[Quote]:
    """Return at most so many quotes from turns in their order; the newest of equals first."""
    spoken = tuple([_spoken(turn, texts) for turn, texts in said])
    return [_quote(*said[place.turn], place) for place in _weightiest(spoken, most)]


def _spoken(turn: Turn, texts: Sequence[str]) -> tuple[_Spoken, ...]:
    return tuple(
        [
            _Spoken(message.id, message.role is Role.USER, text[:_MOST_OF_A_MESSAGE])
            for message, text in zip(turn.messages, texts, strict=True)
        ]
    )


@lru_cache(maxsize=16)  # one answer may take many packets
def _weightiest(turns: tuple[tuple[_Spoken, ...], ...], most: int) -> tuple[_Place, ...]:
    """Return where the sentences are that weigh most."""
    held = _turns_with(turns)
    weighed: dict[str, tuple[int, int, int, str, _Place]] = {}
    for place, turn in enumerate(turns):
        for number, (message_id, by_user, text) in enumerate(turn):
            for one in _sentences(text):
                weight = one.weight + _USER * by_user
                if weight >= _LEAST - _RETURNED:
                    weight += _RETURNED * _comes_back(one.terms, held, place)
                if weight >= _LEAST:
                    # Said again, it stands where it was said last.
                    where = _Place(place, number, one.start, one.text)
                    weighed[one.text] = (-weight, -place, one.start, message_id, where)
    best = sorted(weighed.values(), key=itemgetter(0, 1, 2, 3))
    return tuple([one[4] for one in best[:most]])


@lru_cache(maxsize=256)  # every packet of a session reads its last turns again
def _sentences(text: str) -> tuple[_Sentence, ...]:
    """Return what was said in a text, sentence by sentence, without questions, code, quotations."""
    found = []
    for start, end in sentence_spans(said_only(text)):
        sentence = text[start:end]
        if _SHORTEST <= end - start <= _LONGEST and not asks(sentence):
            weight = _DECIDES * decides(sentence) + _INSTRUCTS * instructs(sentence)
            weight += _EXACT * is_exact(sentence)
            terms = tuple(set(index_terms(sentence)))
            found.append(_Sentence(start, sentence, weight, terms))
    return tuple(found)


@lru_cache(maxsize=256)
def _terms(text: str) -> frozenset[str]:
    return frozenset(index_terms(text))


def _turns_with(turns: Sequence[Sequence[_Spoken]]) -> dict[str, int]:
    """Return the places of the turns that hold each telling term, as the bits of a number."""
    held: dict[str, int] = {}
    for place, turn in enumerate(turns):
        for term in _terms("\n".join([one.text for one in turn])):
            held[term] = held.get(term, 0) | 1 << place
    usual = max(2, int(len(turns) * _EVERYWHERE))
    return {term: places for term, places in held.items() if places.bit_count() <= usual}


def _comes_back(terms: Iterable[str], held: Mapping[str, int], place: int) -> bool:
    """Tell whether a turn after a place shares enough terms: two."""
    once = twice = 0
    for term in terms:
        places = held.get(term, 0)
        twice |= once & places
        once |= places
    return bool(twice >> (place + 1))


def _quote(turn: Turn, texts: Sequence[str], place: _Place) -> Quote:
    """Return a sentence as a quote."""
    message = turn.messages[place.message]
    before = len(texts[place.message][: place.start].encode())
    return Quote(
        text=place.text,
        source_turn_id=turn.id,
        speaker=message.name or message.role.value,
        at=turn.at,
        span=_span(message.spans, before, len(place.text.encode())),
    )


def _span(spans: Iterable[Span], offset: int, length: int) -> Span | None:
    """Return where some bytes stand in the original, None if they run over two pieces of it."""
    for span in spans:
        if offset < span.length:
            fits = offset + length <= span.length
            return Span(span.raw_id, span.offset + offset, length) if fits else None
        offset -= span.length
    return None
