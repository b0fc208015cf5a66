"""What recall reads of the truth: a memory's row with its place, by number, in one go.

In: nothing; the truth fills these. Out: values for `recall`, which ranks and shows them. A row has
what ranking looks at and what an item shows; the original words are read apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from smartbrain.domain.evidence import Signals
from smartbrain.domain.memory import Compression, Status


class RawRef(NamedTuple):
    """A run of bytes in a raw chunk that is named by its number."""

    num: int
    offset: int
    length: int


class UnsureClaim(NamedTuple):
    """What somebody may have said of an attribute: its reader was not sure (K6)."""

    subject: str
    attribute: str
    text: str
    said_at: datetime


class RecalledRow(NamedTuple):
    """A memory as recall reads it.

    `seq` is its turn's place in the session, `speaker` who said it: the first of an episode, else
    of the message it was read from. `feedback` sums up pins and votes, 0 without any. `ended` is
    whether a version that was taken back held until then, `never` whether one was said to be wrong
    or asked to be forgotten. `only_in` is the session that alone may show what is off the record,
    empty once that has ended, and None of anything else.
    """

    num: int
    id: str
    type: str
    key: str
    title: str
    text: str
    value: Mapping[str, Any]
    entities: tuple[str, ...]
    confidence: float
    status: Status
    version: int
    valid_since: datetime | None
    valid_until: datetime | None
    source_turn_id: str | None
    session_id: str | None
    seq: int | None
    speakers: tuple[str, ...]
    importance: float
    frequency: int
    arousal: float
    compression: Compression
    said_at: datetime
    created_at: datetime
    raw_refs: tuple[RawRef, ...]
    feedback: float = 0.0
    ended: bool = False
    never: bool = False
    only_in: str | None = None


class Replaced(NamedTuple):
    """A version that stands no more: the turn that told it, and what is in its place.

    `num` and `stands` are the number and the value of the version that stands, `raw_refs` the words
    that told the one of before.
    """

    turn_id: str
    text: str
    value: Mapping[str, Any]
    num: int
    stands: Mapping[str, Any]
    raw_refs: tuple[RawRef, ...] = ()


class Recent(NamedTuple):
    """A turn that was spoken not long ago, for what a message refers back to."""

    text: str
    entities: tuple[str, ...] = ()


class Ranked(NamedTuple):
    """A memory with its place in the order: its score, what it is made of, and who found it.

    `words` is how well it goes with the words of the question, by whichever arm that says so.
    """

    row: RecalledRow
    score: float
    signals: Signals
    found_by: tuple[str, ...] = ()
    words: float = 0.0
