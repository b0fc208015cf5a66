"""A memory: one version of one typed, keyed piece of knowledge, and the graph node it is (M1, M3).

Every field says where it came from, how sure we are, how long it holds and how it may be shown.
Frozen: a change makes a new version or a new row state through the truth, never an edit in place.
What a type allows in `key` and `value` is in `domain.types`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from msgspec import field

from smartbrain.domain.graph import Provenance
from smartbrain.domain.record import Record


class Status(StrEnum):
    """Where a version stands; at most one version of a key is `active` (M4)."""

    CANDIDATE = "candidate"
    ACTIVE = "active"
    SUPERSEDED = "superseded"
    RETRACTED = "retracted"
    DISPUTED = "disputed"
    DEPRECATED = "deprecated"
    ARCHIVED = "archived"
    EXPIRED = "expired"


OVER: Final = "ended"
"""The tag of a version that was taken back because it is over: until then it held."""

NEVER: Final = "never"
"""The tag of a version that the user said to be wrong or asked to forget: it is in no history."""

OFF_RECORD: Final = "off_record"
"""The tag of an episode that the user asked not to remember: its own session alone shows it."""


class Layer(StrEnum):
    """How settled a memory is: fresh, summarised, or knowledge."""

    SHORT = "short"
    MID = "mid"
    LONG = "long"


class Compression(StrEnum):
    """How much of the original a memory still shows."""

    RAW = "raw"
    PHASE = "phase"
    MILESTONE = "milestone"
    THEME = "theme"


class Scope(StrEnum):
    """Who may see a memory."""

    PRIVATE = "private"
    TEAM = "team"
    PUBLIC = "public"


class Span(Record, frozen=True):
    """A run of bytes inside a raw chunk; offset and length count UTF-8 bytes."""

    raw_id: str
    offset: int
    length: int


def status_at(
    status: Status, valid_until: datetime | None, value: Mapping[str, Any], now: datetime
) -> Status:
    """Return the status of a version at a time: what was told to hold until before it, is expired.

    A profile is once all its facts are, of which each has its own time.
    """
    if status is not Status.ACTIVE:
        return status
    if valid_until is not None and valid_until <= now:
        return Status.EXPIRED
    facts = value.get("facts") or ()
    over = bool(facts) and all(is_fact_over(fact, now) for fact in facts)
    return Status.EXPIRED if over else status


def is_fact_over(fact: Any, now: datetime) -> bool:
    """Tell whether a fact of a profile was told to hold until a time that has passed."""
    until = fact.get("until") if isinstance(fact, Mapping) else None
    if not isinstance(until, str) or "T" not in until:
        return False
    try:
        at = datetime.fromisoformat(until)
    except ValueError:
        return False
    return at.tzinfo is not None and at <= now


class Sentiment(Record, frozen=True):
    """How a text feels: valence from -1 to 1, arousal from 0 to 1."""

    valence: float = 0.0
    arousal: float = 0.0


class Privacy(Record, frozen=True):
    """Whether personal data was found in it, and who may see it."""

    pii: bool = False
    scope: Scope = Scope.PRIVATE


class Memory(Record, frozen=True, kw_only=True):
    """One version of a memory, with every field that M3 names.

    `source_turn_id` is the turn it was said in; a memory made outside a turn names its
    `source_operation_id` instead. Versions are ordered by `said_at`, the source's own time.
    """

    id: str
    type: str
    key: str
    title: str
    text: str
    value: Mapping[str, Any] = field(default_factory=dict)
    confidence: float = 1.0
    status: Status = Status.ACTIVE
    version: int = 1
    valid_since: datetime | None = None
    valid_until: datetime | None = None
    source_turn_id: str | None = None
    source_message_id: str | None = None
    source_operation_id: str | None = None
    said_at: datetime
    evidence_refs: tuple[str, ...] = ()
    raw_refs: tuple[Span, ...] = ()
    keywords: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    sentiment: Sentiment = Sentiment()
    importance: float = 0.5
    frequency: int = 1
    last_access: datetime | None = None
    privacy: Privacy = Privacy()
    provenance: Provenance = Provenance()
    layer: Layer = Layer.SHORT
    compression: Compression = Compression.RAW
    tenant_id: str = ""
    created_at: datetime
    updated_at: datetime
    deleted_at: datetime | None = None

    @property
    def turn_id(self) -> str | None:
        """The turn it was said in, by the name that results and calls have for it."""
        return self.source_turn_id
