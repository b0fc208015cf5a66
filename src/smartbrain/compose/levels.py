"""Shorter forms of a text, one after the other: whole, summary, highlights, reference (R16).

In: a text and the words that somebody looks for. Out: its forms, each shorter than the one before.
What is shown is always the text's own words; a cut shows "…".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from smartbrain.text.sentences import first_sentences

_HIGHLIGHTS: Final = 3  # so much shorter than a summary
_LEAST: Final = 40
_LEAD: Final = 0.25  # of an excerpt stands before the first word that was looked for
_MARK: Final = "…"


class Level(StrEnum):
    """How much of something is shown."""

    FULL = "full"
    SUMMARY = "summary"
    HIGHLIGHTS = "highlights"
    REFERENCE = "reference"


class Form(NamedTuple):
    """A text at a level."""

    level: Level
    text: str


def forms(text: str, characters: int, reference: str = "") -> Iterator[Form]:
    """Yield a text whole, then in ever fewer characters, at last as what it can be found by."""
    yield Form(Level.FULL, text)
    for level, size in (
        (Level.SUMMARY, characters),
        (Level.HIGHLIGHTS, max(_LEAST, characters // _HIGHLIGHTS)),
    ):
        if len(text) > size:
            yield Form(level, first_sentences(text, size))
    if reference and len(reference) < len(text):
        yield Form(Level.REFERENCE, reference)


def excerpt(text: str, characters: int, words: Sequence[str]) -> str:
    """Return the part of a text with the most of some words, cut where words end if it can be."""
    if len(text) <= characters:
        return text
    room = characters - 2 * len(_MARK)
    start = _start(text, room, words)
    end = min(len(text), start + room)
    start = max(0, end - room)
    if start:
        start = _blank(text, start, min(end, start + room // 8)) or start
    if end < len(text):
        end = _blank(text, end, max(start, end - room // 8)) or end
    before = _MARK if start else ""
    after = _MARK if end < len(text) else ""
    return f"{before}{text[start:end].strip()}{after}"


def _start(text: str, room: int, words: Sequence[str]) -> int:
    """Return where the stretch with the most different words begins; of equals the first."""
    folded = text.casefold()
    places = sorted(
        (found, word) for word in dict.fromkeys(words) for found in _places(folded, word)
    )
    best, best_start = 0, 0
    first = 0
    for last in range(len(places)):
        while places[last][0] - places[first][0] > room * (1 - _LEAD):
            first += 1
        held = len({word for _, word in places[first : last + 1]})
        if held > best:
            best, best_start = held, places[first][0]
    return max(0, best_start - int(room * _LEAD))


def _places(text: str, word: str) -> Iterator[int]:
    """Yield where a word stands; the first few are enough."""
    place = text.find(word)
    for _ in range(8):
        if place < 0:
            return
        yield place
        place = text.find(word, place + 1)


def _blank(text: str, start: int, end: int) -> int | None:
    """Return the first blank from one place towards another; None where there is none."""
    step = 1 if end >= start else -1
    return next((place for place in range(start, end, step) if text[place].isspace()), None)
