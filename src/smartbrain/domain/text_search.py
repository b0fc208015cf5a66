"""What the text index takes and gives: documents in weighted parts, queries in weighted terms.

A document says what its words are and which of them are only its surroundings; how much each part
counts is decided in one place, `text.weigh`. A query is already cut into terms (`text.query`), so
that a message and its expansions are one query, and whoever asks needs no search library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from smartbrain.domain.search import Facets


class Nearby(NamedTuple):
    """The words of a neighbour in the same conversation; the next one is at distance 1."""

    text: str
    distance: int


class TextDocument(NamedTuple):
    """A node as it is to be found by words: a memory, or a raw passage.

    `text` are its own words, which with `retold` are the only ones that phrases look at; `nearby`
    stands nearest first. `retold` says the same in other words: those count that it lacks so far.
    """

    num: int
    text: str
    title: str = ""
    entities: tuple[str, ...] = ()
    nearby: tuple[Nearby, ...] = ()
    date: str = ""
    speakers: tuple[str, ...] = ()
    facets: Facets = Facets()
    retold: str = ""


class WeightedTerm(NamedTuple):
    """One thing to look for, and what it counts beside the others."""

    term: str
    weight: float = 1.0


class WeightedPhrase(NamedTuple):
    """Terms that stand one after the other, and what finding them so counts."""

    terms: tuple[str, ...]
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TextQuery:
    """What to look for.

    A document answers if it holds every phrase of `must` and at least one of `terms` or `should`;
    where a query has neither of these, `must` alone decides. The terms that are `faint` only add to
    the score of what answers by another one.
    """

    terms: tuple[WeightedTerm, ...] = ()
    must: tuple[tuple[str, ...], ...] = ()
    should: tuple[WeightedPhrase, ...] = ()
    faint: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class TextStats:
    """A text index in figures.

    `unsaved` documents are only in memory; `removed` ones are still in the files and no longer
    found; `typical_length` is what a score measures lengths by. `due` says what would do the index
    good now: "save", "compact" or nothing.
    """

    documents: int = 0
    unsaved: int = 0
    removed: int = 0
    typical_length: int = 1
    bytes: int = 0
    due: str = ""
