"""What the indexes take and give: filters, documents and queries, scored numbers, hits (R14).

Nodes are named by their number (`num`); a tie in score is broken by the lower number, everywhere. A
text document says what its words are and which of them are only its surroundings; how much each
part counts is decided in `text.weigh`. A query is already cut into terms (`text.query`), so that a
message and its expansions are one query, and whoever asks needs no search library.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from smartbrain.domain.record import Record


class Scored(NamedTuple):
    """A node and how well it answers, best first in a list, ties by the lower number."""

    num: int
    score: float


class Apart(NamedTuple):
    """Kinds of items that have places of their own among the best; a kind is some types.

    Of each kind the best `each` are returned, however many others are better: unless the last of
    the best has less than `least` of the first one's score, as then nothing was crowded out.
    """

    kinds: tuple[tuple[str, ...], ...]
    each: int
    least: float


class Facets(Record, frozen=True, kw_only=True):
    """What an indexed item can be filtered by."""

    type: str = ""
    status: str = ""
    layer: str = ""
    at: datetime | None = None
    source: str = ""
    language: str = ""
    tags: tuple[str, ...] = ()


class IndexFilter(Record, frozen=True, kw_only=True):
    """Which items may answer: each given condition must hold; within one, any value will do."""

    types: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    layers: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    source_prefix: str | None = None
    languages: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    def admits(self, facets: Facets) -> bool:
        """Tell whether an item may answer; the meaning every index must follow."""
        return (
            (not self.types or facets.type in self.types)
            and (not self.statuses or facets.status in self.statuses)
            and (not self.layers or facets.layer in self.layers)
            and (self.since is None or (facets.at is not None and facets.at >= self.since))
            and (self.until is None or (facets.at is not None and facets.at < self.until))
            and (self.source_prefix is None or facets.source.startswith(self.source_prefix))
            and (not self.languages or facets.language in self.languages)
            and (not self.tags or any(tag in facets.tags for tag in self.tags))
        )


class Hit(Record, frozen=True, kw_only=True):
    """One node that answers; `kind` is the view that found it."""

    id: str
    kind: str
    type: str
    key: str = ""
    title: str = ""
    text: str = ""
    score: float = 0.0
    at: datetime
    source: str = ""


class Beside(Record, frozen=True, kw_only=True):
    """A node beside another, by which relation; `outgoing` says which way it was said."""

    id: str
    type: str
    key: str = ""
    title: str = ""
    relation: str
    weight: float
    outgoing: bool


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
