"""Phrases to look for in a text, all at once: English ones as whole words, Chinese ones anywhere.

In: phrases, each with what it stands for. Out: where they stand in a text: the longest at each
place and no two over one another, or all of them. The time grows with the text alone, however many
phrases there are. Letters of either case and full-width forms are the same; nothing is stemmed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, Generic, NamedTuple, TypeVar

Meaning = TypeVar("Meaning")

_START: Final = re.compile(r"[a-z0-9]+|[^\sa-z0-9]")
_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_PLAIN: Final[dict[int, str]] = {
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    **{ord(char): "'" for char in "’‘ʼ`"},
    **{ord(char): " " for char in "\t\r\v\f\u00a0\u3000"},
}


class PhraseHit(NamedTuple, Generic[Meaning]):
    """A phrase in a text: from where to where, and everything that it stands for."""

    start: int
    end: int
    meanings: tuple[Meaning, ...]


class PhraseIndex(Generic[Meaning]):
    """Phrases by the word, or the Chinese character, that they start with."""

    def __init__(self, phrases: Iterable[tuple[str, Meaning]]) -> None:
        """Take phrases with what each stands for; one phrase may stand for several things."""
        found: dict[str, list[Meaning]] = {}
        for phrase, meaning in phrases:
            meanings = found.setdefault(fold_text(phrase), [])
            if meaning not in meanings:
                meanings.append(meaning)
        self._meanings = {phrase: tuple(meanings) for phrase, meanings in found.items()}
        lengths: dict[str, set[int]] = {}
        for phrase in found:
            if start := _START.match(phrase):
                lengths.setdefault(start[0], set()).add(len(phrase))
        self._lengths = {
            start: tuple(sorted(sizes, reverse=True)) for start, sizes in lengths.items()
        }

    def look_up(self, phrase: str) -> tuple[Meaning, ...]:
        """Return what a whole text stands for."""
        return self._meanings.get(fold_text(phrase).strip(), ())

    def match_at(self, folded: str, place: int) -> PhraseHit[Meaning] | None:
        """Return the longest phrase that starts at a place of a text that `fold_text` returned."""
        start = _START.match(folded, place)
        return next(self._matches(folded, start), None) if start else None

    def find(self, text: str) -> Iterator[PhraseHit[Meaning]]:
        """Yield the phrases in a text from left to right; places are those of the text itself."""
        past = 0
        folded = fold_text(text)
        for start in _START.finditer(folded):
            hit = next(self._matches(folded, start), None) if start.start() >= past else None
            if hit:
                past = hit.end
                yield hit

    def find_all(self, text: str) -> Iterator[PhraseHit[Meaning]]:
        """Yield the phrases in a text, those inside and across others too."""
        folded = fold_text(text)
        for start in _START.finditer(folded):
            yield from self._matches(folded, start)

    def _matches(self, folded: str, start: re.Match[str]) -> Iterator[PhraseHit[Meaning]]:
        """Yield the phrases that start at a place, the longest first."""
        place = start.start()
        for length in self._lengths.get(start[0], ()):
            end = place + length
            meanings = self._meanings.get(folded[place:end])
            if meanings and end <= len(folded) and _ends_word(folded, end):
                yield PhraseHit(place, end, meanings)


def fold_text(text: str) -> str:
    """Return a text in small letters and plain forms, each character at its place."""
    plain = text.translate(_PLAIN)
    small = plain.lower()
    if len(small) == len(plain):
        return small
    return "".join(low if len(low := char.lower()) == 1 else char for char in plain)


def is_han(text: str) -> bool:
    """Tell whether a text holds Chinese characters."""
    return _HAN.search(text) is not None


def _ends_word(text: str, end: int) -> bool:
    """Tell whether no word goes on here."""
    return end == len(text) or not (_goes_on(text[end - 1]) and _goes_on(text[end]))


def _goes_on(char: str) -> bool:
    return char.isalnum() and not _HAN.match(char)
