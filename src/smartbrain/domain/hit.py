"""What a search of one view returns: the node with its words, score and origin.

Plain values for people and programs; recall builds its items from more than one view.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from smartbrain.domain.record import Record


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Hit(Record):
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Beside(Record):
    """A node beside another, by which relation; `outgoing` says which way it was said."""

    id: str
    type: str
    key: str = ""
    title: str = ""
    relation: str
    weight: float
    outgoing: bool
