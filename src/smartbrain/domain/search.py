"""What the indexes take and give: filters, scored numbers (R14).

Shared by the text, vector and graph indexes; what each indexes is in its own port. Nodes are named
by their number (`num`); a tie in score is broken by the lower number, everywhere.
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Facets(Record):
    """What an indexed item can be filtered by."""

    type: str = ""
    status: str = ""
    layer: str = ""
    at: datetime | None = None
    source: str = ""
    language: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class IndexFilter(Record):
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
