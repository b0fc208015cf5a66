"""Echoes: sentences that a composed context had put into the assistant's mouth (C11).

In: what a context showed, and a turn that answers it. Out: marks of sentences, which tell nothing
of their words, and the turn whose messages name those of theirs that were shown. The event itself
holds what is an echo, so that running it again needs no trace.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Set
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from smartbrain.domain.turn import ECHOES, Role
from smartbrain.text.controls import without_controls
from smartbrain.text.pattern import pattern
from smartbrain.text.prose import said_only
from smartbrain.text.sentences import sentence_spans

if TYPE_CHECKING:
    from smartbrain.domain.turn import Message, Turn

_MARKS: Final = pattern(r"[\W_]+")


def sentence_mark(text: str) -> str:
    """Return what a sentence is recognised by, however it is set; empty for one without words."""
    words = _MARKS.sub("", unicodedata.normalize("NFKC", text).casefold())
    return blake2b(words.encode(), digest_size=8).hexdigest() if words else ""


def shown_sentences(texts: Iterable[str]) -> list[str]:
    """Return the marks of all sentences of texts that were shown, each once, sorted.

    What is shown stands under headings and behind who said it: a sentence is marked as it is, line
    by line, and without what stands before its first colon.
    """
    found = set()
    for text in texts:
        for sentence in _sentences(text):
            found.add(sentence_mark(sentence))
            lines = sentence.splitlines()
            for line in lines:
                _, colon, said = line.partition(": ")
                found.add(sentence_mark(said if colon else line if len(lines) > 1 else ""))
    return sorted(found - {""})


def with_echoes(turn: Turn, shown: Set[str]) -> Turn:
    """Return a turn in which the assistant's messages name their sentences that were shown."""
    if not shown:
        return turn
    return replace(turn, messages=tuple(_marked(one, shown) for one in turn.messages))


def _marked(message: Message, shown: Set[str]) -> Message:
    if message.role is not Role.ASSISTANT:
        return message
    said = {sentence_mark(one) for one in _sentences(said_only(without_controls(message.content)))}
    echoes = sorted(said & shown)
    return replace(message, meta={**message.meta, ECHOES: echoes}) if echoes else message


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]
