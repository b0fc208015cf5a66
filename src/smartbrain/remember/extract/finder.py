"""What a finder is, and how finders are asked about a message one after the other (C6).

In: a message, read, and finders. Out: candidates. What an earlier finder has claimed, a later one
of another type does not get again: a correction is no new fact, a task no goal. A value with half
a quotation in it was not understood and is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from smartbrain.domain.candidate import Candidate
from smartbrain.domain.quick import replace
from smartbrain.remember.extract.said import Said, Sentence
from smartbrain.text.pattern import pattern

Finder = Callable[[Sentence, Said], Iterable[Candidate]]
"""Finds the candidates of one kind in a sentence; their offsets count from the message's start."""

_Around = tuple[str, int, str]

_MARK: Final = pattern('["“”「」『』]')
_STRAIGHT: Final = pattern(r'(?<!\d)"')  # after a number it stands for inches
_PAIRS: Final = ("“”", "「」", "『』")
_FIRST: Final = 20  # sentences that are read for themselves; those after them may be repeated ones

ALONGSIDE: Final = "profile.changed"
"""The rule of what is told by words that tell something else as well; it claims none of them."""


def find_candidates(said: Said, finders: Sequence[Finder]) -> list[Candidate]:
    """Return what one message holds, in the order of the message."""
    found: list[Candidate] = []
    known: dict[_Around, tuple[int, list[Candidate]]] = {}
    for place, sentence in enumerate(said.sentences):
        around = _around(said, place)
        if around and around in known:
            before, same = known[around]
            shift = sentence.offset - before
            found += [replace(one, offset=one.offset + shift) for one in same]
            continue
        fresh = in_sentence(sentence, said, finders)
        found += fresh
        if around:
            known[around] = sentence.offset, fresh
    return sorted(found, key=lambda one: one.offset)


def in_sentence(sentence: Sentence, said: Said, finders: Sequence[Finder]) -> list[Candidate]:
    """Return what one sentence holds."""
    found: list[Candidate] = []
    claimed: list[tuple[int, int]] = []
    for finder in finders:
        if fresh := list(finder(sentence, said)):
            fresh = [one for one in fresh if one.rule == ALONGSIDE or not _taken(one, claimed)]
            if _MARK.search(sentence.text):
                fresh = [one for one in fresh if one.declared or not _is_torn(one)]
            claimed += [
                (one.offset, one.offset + one.length) for one in fresh if one.rule != ALONGSIDE
            ]
            found += fresh
    return found


def _around(said: Said, place: int) -> _Around | None:
    """Return a sentence with those beside it, by which it is known when it is said again.

    None for the beginning of a message, where a finder may look at what was said before it, and for
    its end.
    """
    if not _FIRST <= place < len(said.sentences) - 1:
        return None
    before, sentence, after = said.sentences[place - 1 : place + 2]
    words = said.text[before.offset : after.offset + len(after.text)]
    return words, sentence.offset - before.offset, sentence.text


def _taken(candidate: Candidate, claimed: Sequence[tuple[int, int]]) -> bool:
    """Tell whether somebody else has claimed some of a candidate's words."""
    end = candidate.offset + candidate.length
    return any(candidate.offset < stop and start < end for start, stop in claimed)


def _is_torn(candidate: Candidate) -> bool:
    """Tell whether a value holds one end of a quotation without the other."""
    return any(
        len(_STRAIGHT.findall(text)) % 2 or any(text.count(a) != text.count(b) for a, b in _PAIRS)
        for text in _strings(candidate.value)
    )


def _strings(value: Any) -> Iterator[str]:
    """Yield the texts of a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _strings(one)
