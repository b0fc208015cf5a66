"""Echoes: sentences that a composed context had put into the assistant's mouth (C11).

In: what a context showed, and a turn that answers it. Out: marks of sentences, which tell nothing
of their words, and the turn whose messages name those of theirs that were shown. The event itself
holds what is an echo, so that running it again needs no trace.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from smartbrain.domain.turn import ECHOES, Role
from smartbrain.text.controls import without_controls
from smartbrain.text.pattern import pattern
from smartbrain.text.sentences import said_only, sentence_spans

if TYPE_CHECKING:
    from smartbrain.domain.audience import Shown
    from smartbrain.domain.turn import Message, Turn

_MARKS: Final = pattern(r"[\W_]+")
_STATES: Final = pattern(r"[^\W_][\W_]+[^\W_]|[\u3400-\u9fff]{2}")
"""What a sentence holds that states something: two words."""


def sentence_mark(text: str) -> str:
    """Return what a sentence is recognised by, however it is set; empty for one without words."""
    words = _MARKS.sub("", unicodedata.normalize("NFKC", text).casefold())
    return blake2b(words.encode(), digest_size=4).hexdigest() if words else ""


def shown_sentences(texts: Iterable[str]) -> list[str]:
    """Return the marks of all sentences of texts that were shown, each once, sorted.

    What is shown stands under headings and behind who said it: a sentence is marked as it is, line
    by line, and without what stands before its first colon.
    """
    return sorted({mark for text in texts for mark in _marks_of(text)} - {""})


@lru_cache(maxsize=1_024)  # the next context shows most texts again
def _marks_of(text: str) -> frozenset[str]:
    found = set()
    for sentence in _sentences(text):
        found.add(sentence)
        lines = sentence.splitlines()
        for line in lines:
            _, colon, said = line.partition(": ")
            if colon or len(lines) > 1:
                found.add(said if colon else line)
    return frozenset(sentence_mark(one) for one in found if _STATES.search(one))


def with_echoes(turn: Turn, shown: Shown) -> Turn:
    """Return a turn in which the assistant's messages name their sentences that were shown."""
    marks = shown.marks or frozenset(shown_sentences(shown.texts))
    if not marks:
        return turn
    return replace(turn, messages=tuple(_name_echoes(one, marks) for one in turn.messages))


def _name_echoes(message: Message, shown: Container[str]) -> Message:
    if message.role is not Role.ASSISTANT:
        return message
    said = _sentences(said_only(without_controls(message.content)))
    marks = {sentence_mark(one) for one in said if _STATES.search(one)}
    echoes = sorted(mark for mark in marks if mark in shown)
    return replace(message, meta={**message.meta, ECHOES: echoes}) if echoes else message


def _sentences(text: str) -> Iterator[str]:
    return (text[start:end] for start, end in sentence_spans(text))
