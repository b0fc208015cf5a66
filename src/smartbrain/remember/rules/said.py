"""A message as sentences and clauses with their moods, apart from what is handed over (C1, C6).

In: who said what, when, and what was said before. Out: the sentences that the speaker stands
behind, each with its place, and those of text that was only handed over. Of a long message the
beginning and the end are read; the rest stays in the events.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Final

import msgspec

from smartbrain.domain.claim import Source
from smartbrain.remember.rules.handed_over import TextSpan, find_document, find_handed_over
from smartbrain.text.controls import without_controls
from smartbrain.text.entities_zh import is_person_name
from smartbrain.text.pattern import pattern
from smartbrain.text.sentences import blanked, said_only, sentence_spans
from smartbrain.text.word_list import word_pattern

MAX_READ_BYTES: Final = 8_192
"""The most that is read of a message, in UTF-8: five parts at its beginning, three at its end."""
HEAD_BYTES: Final = MAX_READ_BYTES * 5 // 8
LONGEST_SENTENCE: Final = 2_000
"""A longer sentence is no speech; it is left alone."""


class Mood(StrEnum):
    """How far the speaker stands behind what is said."""

    STATED = "stated"
    ASKED = "asked"
    SUPPOSED = "supposed"  # a condition, a wish, a guess, an example
    REPORTED = "reported"  # what somebody else says, thinks or likes


class Clause(msgspec.Struct, frozen=True):
    """A part of a sentence and where it stands in the message."""

    text: str
    offset: int
    mood: Mood


class Sentence(msgspec.Struct, frozen=True):
    """A sentence, where it stands in the message, and its clauses.

    `mood` is that of the whole: a question or a condition anywhere in it colours all of it.
    """

    text: str
    offset: int
    mood: Mood
    clauses: tuple[Clause, ...]


class Said(msgspec.Struct, frozen=True, kw_only=True):
    """One message of a turn, read.

    `handed` are the sentences of text that the speaker hands over, and states nothing in; `pasted`
    tells that most of it is a document that nobody says a word about. `answers` is what the
    assistant had said just before it, `follows` what the user had.
    """

    text: str
    source: Source
    at: datetime
    sentences: tuple[Sentence, ...]
    handed: tuple[Sentence, ...] = ()
    pasted: bool = False
    answers: str = ""
    follows: str = ""

    @property
    def everything(self) -> list[Sentence]:
        """All sentences, in the order of the message."""
        return sorted((*self.sentences, *self.handed), key=lambda sentence: sentence.offset)


class _Part(msgspec.Struct, frozen=True):
    """A part of a message: where it stands, what its speaker says, and what is handed over."""

    offset: int
    own: str
    handed: str = ""


_CLAUSE_END: Final = pattern(word_pattern(__file__, "CLAUSE_END"))
# What is so, and in the same breath what is not: 住在苏州|不是杭州.
_CONTRAST: Final = pattern(word_pattern(__file__, "CONTRAST"))
_QUESTION_MARK: Final = pattern(
    r"[?？]\s*+(?:[\"'”’」』)）]++\s*+)?\Z|(?:吗|(?<!着)呢)\s*[。.!！~～]*\Z"
)
_STILL_SO_ZH: Final = pattern(r"(?:没|正在?|还在)[^，,。?？什怎谁哪几多]{0,10}呢[\s。.!！~～]*\Z")
_QUESTION_EN: Final = pattern(word_pattern(__file__, "QUESTION_EN"), re.IGNORECASE)
_QUESTION_ZH: Final = pattern(word_pattern(__file__, "QUESTION_ZH"))
_SUPPOSED: Final = pattern(word_pattern(__file__, "SUPPOSED"), re.IGNORECASE)
_REPORTED: Final = pattern(word_pattern(__file__, "REPORTED"), re.IGNORECASE)
_NAME_SAYS_ZH: Final = pattern(word_pattern(__file__, "NAME_SAYS_ZH"))


def read_said(
    text: str,
    *,
    source: Source,
    at: datetime,
    answers: str = "",
    follows: str = "",
    own: bool = False,
) -> Said:
    """Reads a message; its control characters are blanks to whoever looks for memories.

    `own` tells that the speaker stands behind all of it, however much it looks like a document.
    """
    text = without_controls(text)
    parts = list(_split_parts(text))
    document = find_document([part.own for part in parts]) if source is Source.USER else []
    pasted = bool(document) and not own
    if pasted:
        parts = [_hand_over(part, [span]) for part, span in zip(parts, document, strict=True)]
    return Said(
        text=text,
        source=source,
        at=at,
        sentences=tuple(sentence for part in parts for sentence in _cut(part.own, part.offset)),
        handed=tuple(
            sentence for part in parts for sentence in _cut(part.handed, part.offset, Mood.REPORTED)
        ),
        pasted=pasted,
        answers=answers,
        follows=follows,
    )


def asked_in(text: str) -> tuple[str, ...]:
    """Returns the sentences of a message that ask something."""
    parts = _split_parts(without_controls(text))
    sentences = (part.own[start:end] for part in parts for start, end in _speech_spans(part.own))
    return tuple(filter(asks, sentences))


def read_of(text: str) -> tuple[int, int] | None:
    """Returns how many characters at both ends of a very long text are read; None if all are.

    What people say stands at its beginning or its end, and what they paste in between.
    """
    if len(text) * 4 <= MAX_READ_BYTES:
        return None
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= MAX_READ_BYTES:
        return None
    head = encoded[:HEAD_BYTES].decode("utf-8", "ignore")
    tail = encoded[HEAD_BYTES - MAX_READ_BYTES :].decode("utf-8", "ignore")
    return len(head), len(tail)


def sentence_at(text: str, offset: int, known: Mood | None = None) -> Sentence:
    """Returns words of a message as a sentence, cut into clauses, which tell their own moods."""
    mood = known or mood_of(text)
    clauses = []
    for start, end in _clause_spans(text):
        words = text[start:end].strip()
        if words:
            begin = offset + end - len(text[start:end].lstrip())
            clauses.append(Clause(words, begin, mood if words == text else known or mood_of(words)))
    return Sentence(text, offset, mood, tuple(clauses))


def mood_of(text: str) -> Mood:
    """Returns the mood of a sentence or a clause: rather a guess than a statement."""
    if asks(text):
        return Mood.ASKED
    straight = text.replace("’", "'")
    by_name = None if text.isascii() else _NAME_SAYS_ZH.match(text)
    if _REPORTED.match(straight) or (by_name and is_person_name(by_name["name"])):
        return Mood.REPORTED
    return Mood.SUPPOSED if _SUPPOSED.search(straight) else Mood.STATED


def asks(text: str) -> bool:
    """Tells whether a sentence or a clause is a question; 还没写呢 only says how things are."""
    if _QUESTION_MARK.search(text) and not _STILL_SO_ZH.search(text):
        return True
    return bool(_QUESTION_EN.match(text.replace("’", "'")) or _QUESTION_ZH.search(text))


def _split_parts(text: str) -> Iterator[_Part]:
    """Yields the parts of a text that are read, with what is handed over in each apart."""
    ends = read_of(text)
    pieces = [(0, text)]
    if ends is not None:
        pieces = [(0, text[: ends[0]]), (len(text) - ends[1], text[-ends[1] :])]
    goes_on = False
    for offset, piece in pieces:
        shown = said_only(piece)
        spans = find_handed_over(shown, piece, goes_on=goes_on)
        yield _hand_over(_Part(offset, shown), spans)
        goes_on = any(span.end == len(shown) for span in spans)


def _hand_over(part: _Part, spans: Sequence[TextSpan]) -> _Part:
    """Returns a part of a message with some more of it handed over."""
    if not spans:
        return part
    blank = blanked(part.own)
    own, handed = part.own, part.handed or blanked(part.own)
    for span in spans:
        stretch = slice(span.start, span.end)
        shown = "".join(map(max, part.own[stretch], handed[stretch]))  # a blank is the lesser
        handed = handed[: span.start] + shown + handed[span.end :]
        own = own[: span.start] + blank[stretch] + own[span.end :]
    return _Part(part.offset, own, handed)


def _speech_spans(text: str) -> Iterator[tuple[int, int]]:
    return ((start, end) for start, end in sentence_spans(text) if end - start <= LONGEST_SENTENCE)


def _clause_spans(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for end in (*_CLAUSE_END.finditer(text), None):
        stop = end.start() if end else len(text)
        contrast = _CONTRAST.search(text[start:stop].rstrip(" .。!！~～"))
        if contrast:
            yield start, start + contrast.end()
            start += contrast.end()
        yield start, stop
        start = end.end() if end else stop


def _cut(text: str, offset: int, known: Mood | None = None) -> Iterator[Sentence]:
    for start, end in _speech_spans(text):
        yield sentence_at(text[start:end], offset + start, known)
