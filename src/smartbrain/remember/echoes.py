"""Echoes: sentences that a composed context had put into the assistant's mouth (C11).

In: what a context showed, and a turn that answers it. Out: marks of sentences, which tell nothing
of their words, and the turn whose messages name those of theirs that were shown. The event itself
holds what is an echo, so that running it again needs no trace.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final

from smartbrain.domain.turn import ECHOES, Role
from smartbrain.text.controls import without_controls
from smartbrain.text.pattern import pattern
from smartbrain.text.prose import said_only
from smartbrain.text.sentences import sentence_spans

if TYPE_CHECKING:
    from smartbrain.domain.shown import Shown
    from smartbrain.domain.turn import Message, Turn

_MARKS: Final = pattern(r"[\W_]+")
# What a sentence cannot do without, wherever blanks and marks stand in it: how its words begin, and
# most characters of a script that has no blanks. Sought in bytes, where small letters are cheap.
_PIECES: Final = re.compile(rb"(?<![a-z0-9])[a-z0-9]{1,4}|[\xe5-\xec][\x80-\xbf]{2}")
_FULL_WIDTH: Final = re.compile(rb"\xef(?:\xbc[\x90-\xba]|\xbd[\x81-\x9a])")  # letters and digits
_SHORT: Final = 4_000  # characters of a text that is marked once for many contexts
_STATES: Final = 2  # pieces that a sentence has at least if it states something


def sentence_mark(text: str) -> str:
    """Return what a sentence is recognised by, however it is set; empty for one without words."""
    words = _words(text)
    return blake2b(words.encode(), digest_size=8).hexdigest() if words else ""


def shown_sentences(texts: Iterable[str]) -> list[str]:
    """Return the marks of all sentences of texts that were shown, each once, sorted.

    What is shown stands under headings and behind who said it: a sentence is marked as it is, line
    by line, and without what stands before its first colon.
    """
    found: set[str] = set()
    for text in texts:
        found.update(_known_marks(text) if len(text) <= _SHORT else _marks_of(text))
    return sorted(found - {""})


def _marks_of(text: str) -> frozenset[str]:
    """Return the marks of the sentences of a text, and an empty one if some has no words."""
    found = set()
    for sentence in _sentences(text):
        found.add(sentence_mark(sentence))
        lines = sentence.splitlines()
        for line in lines:
            _, colon, said = line.partition(": ")
            if colon or len(lines) > 1:
                found.add(sentence_mark(said if colon else line))
    return frozenset(found)


_known_marks: Final = lru_cache(maxsize=1_024)(
    _marks_of
)  # the next context shows most of them again


def with_echoes(turn: Turn, shown: Shown) -> Turn:
    """Return a turn in which the assistant's messages name their sentences that were shown."""
    if not shown.texts and not shown.marks:
        return turn
    known = _Known(shown)
    return replace(turn, messages=tuple(_marked(one, known) for one in turn.messages))


def _marked(message: Message, known: _Known) -> Message:
    if message.role is not Role.ASSISTANT:
        return message
    said = _sentences(said_only(without_controls(message.content)))
    echoes = sorted({sentence_mark(one) for one in said if known.holds(one)} - {""})
    return replace(message, meta={**message.meta, ECHOES: echoes}) if echoes else message


class _Known:
    """What was shown, made ready to be asked for the few sentences of an answer.

    To mark all that was shown takes long. Hardly anything that was not shown has all of its pieces
    in it, and those are found in its bytes; only what has them is read.
    """

    def __init__(self, shown: Shown) -> None:
        self._marks = shown.marks
        self._text = "\n\n".join(shown.texts)
        self._all = _searchable(self._text)

    @cached_property
    def _pages(self) -> list[tuple[str, bytes]]:
        # No sentence goes on behind an empty line.
        return [(page, _searchable(page)) for page in self._text.split("\n\n")]

    def holds(self, sentence: str) -> bool:
        """Tell whether a sentence was shown; a single word states nothing."""
        if self._marks:
            return sentence_mark(sentence) in self._marks
        pieces = sorted(set(_PIECES.findall(_searchable(sentence))), key=len, reverse=True)
        if len(pieces) < _STATES:
            return False
        for piece in pieces:  # the longest first, which are missing more often
            if piece not in self._all:
                return False
        mark, words = sentence_mark(sentence), _words(sentence)
        return any(
            all(piece in held for piece in pieces)
            and words in _words(page)
            and mark in shown_sentences([page])
            for page, held in self._pages
        )


def _searchable(text: str) -> bytes:
    """Return the bytes of a text with ASCII's letters small, and full-width ones as those."""
    return _FULL_WIDTH.sub(_half_width, text.encode("utf-8", "surrogatepass").lower())


def _half_width(found: re.Match[bytes]) -> bytes:
    return _folded(found.group().decode()).encode()


def _words(text: str) -> str:
    return _MARKS.sub("", _folded(text))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]
