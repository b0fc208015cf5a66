"""What a session talked about, in its own sentences, where its summary has little else to say (C8).

In: turns with the words of their chat, and the sentences that were chosen before. Out: a few lines
in the order they were said, each with its speaker. Chosen by how much they tell that the others do
not: what comes up in several turns weighs more, what comes up in nearly all of them nothing.
Questions, code and quotations are left out; the same words always give the same lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import sqrt
from typing import Final, NamedTuple

from smartbrain.domain.turn import Message, Role, Turn
from smartbrain.remember.summary_text import one_line
from smartbrain.text.prose import said_only
from smartbrain.text.sentences import sentence_spans
from smartbrain.text.telling import asks, is_exact
from smartbrain.text.tokenise import index_terms

_MOST_OF_A_MESSAGE: Final = 4_000  # characters that are read
_LONGEST: Final = 300  # characters of a sentence
_LEAST_TERMS: Final = 2
_EVERYWHERE: Final = 0.4  # share of the turns from which a term tells nothing
_AGAIN: Final = 2.0  # what a term counts that comes up in several turns
_FADES: Final = 4  # by how much less a term counts in the next sentence that has it
_EXACT: Final = 1.5
_REPLY: Final = 0.5  # what a sentence of the assistant counts


class _Sentence(NamedTuple):
    """A sentence as it is shown, what it is about, and what that counts."""

    line: str
    terms: frozenset[str]
    counts: float


def told_lines(
    turns: Iterable[Turn], carried: Sequence[str], shown: Iterable[str], most: int
) -> list[str]:
    """Return at most so many lines that tell what was talked about.

    Args:
        turns: those that a summary is made from, in their order.
        carried: the lines that an earlier summary had, which was made from the turns before.
        shown: what the summary says anyhow.
        most: how many lines there may be.
    """
    sentences = [_known(line) for line in carried]
    turns_with: Counter[str] = Counter(term for one in sentences for term in one.terms)
    size = len(sentences)
    for turn in turns:
        size += 1
        said = [one for message in turn.messages for one in _told_by(message)]
        turns_with.update({term for one in said for term in one.terms})
        sentences += said
    usual = max(2, int(size * _EVERYWHERE))
    said_anyhow = {term for line in shown for term in index_terms(line)}
    worth = {
        term: _AGAIN if held > 1 else 1.0
        for term, held in turns_with.items()
        if held <= usual and term not in said_anyhow
    }
    telling = {one.line: one for one in sentences if _tells(one.terms, worth)}
    chosen: set[str] = set()
    while telling.keys() - chosen and len(chosen) < most:
        # The first of equals, as they stand in their order.
        best = max(
            (one for line, one in telling.items() if line not in chosen),
            key=lambda one: one.counts * sum(worth.get(term, 0.0) for term in sorted(one.terms)),
        )
        chosen.add(best.line)
        for term in best.terms & worth.keys():
            worth[term] /= _FADES
    return [line for line in telling if line in chosen]


def _tells(terms: frozenset[str], worth: Mapping[str, float]) -> bool:
    """Tell whether a sentence says something that is not said anyhow."""
    new = len(terms & worth.keys())
    return new >= _LEAST_TERMS and 2 * new >= len(terms)


def _known(line: str) -> _Sentence:
    """Return a line that an earlier summary had."""
    speaker, _, text = line.partition(": ")
    return _weighed(line, text, by_assistant=speaker == Role.ASSISTANT)


def _told_by(message: Message) -> tuple[_Sentence, ...]:
    """Return what may be told of a message."""
    text = message.content[:_MOST_OF_A_MESSAGE]
    return _sentences(text, message.name or message.role.value, message.role)


@lru_cache(maxsize=32)  # the next summary of a session is made from most of its messages again
def _sentences(text: str, speaker: str, role: Role) -> tuple[_Sentence, ...]:
    """Return the sentences of a text that tell something."""
    by_assistant = role is Role.ASSISTANT
    cut = (text[start:end] for start, end in sentence_spans(said_only(text)))
    return tuple(
        _weighed(one_line(f"{speaker}: {sentence}"), sentence, by_assistant=by_assistant)
        for sentence in cut
        if len(sentence) <= _LONGEST and not asks(sentence)
    )


def _weighed(line: str, sentence: str, *, by_assistant: bool) -> _Sentence:
    """Return a sentence with what each of its terms counts; a long one has more of them."""
    terms = frozenset(index_terms(sentence))
    counts = (_EXACT if is_exact(sentence) else 1.0) * (_REPLY if by_assistant else 1.0)
    return _Sentence(line, terms, counts / sqrt(len(terms) or 1))
