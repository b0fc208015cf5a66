"""What a finder is, and how finders are asked about a message one after the other (C6).

In: a message, read, and finders. Out: candidates. What an earlier finder has claimed, a later one
of another type does not get again: a correction is no new fact, a task no goal.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from smartbrain.domain.candidate import Candidate
from smartbrain.remember.extract.said import Said, Sentence

Finder = Callable[[Sentence, Said], Iterable[Candidate]]
"""Finds the candidates of one kind in a sentence; their offsets count from the message's start."""


def find_candidates(said: Said, finders: Sequence[Finder]) -> list[Candidate]:
    """Return what one message holds, in the order of the message."""
    found: list[Candidate] = []
    for sentence in said.sentences:
        claimed: list[tuple[int, int]] = []
        for finder in finders:
            if fresh := list(finder(sentence, said)):
                fresh = [one for one in fresh if not _taken(one, claimed)]
                claimed += [(one.offset, one.offset + one.length) for one in fresh]
                found += fresh
    return sorted(found, key=lambda one: one.offset)


def _taken(candidate: Candidate, claimed: Sequence[tuple[int, int]]) -> bool:
    """Tell whether somebody else has claimed some of a candidate's words."""
    end = candidate.offset + candidate.length
    return any(candidate.offset < stop and start < end for start, stop in claimed)
