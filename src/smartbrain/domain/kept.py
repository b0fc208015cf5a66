"""What is governed, entry by entry, and the trail of its changes (W4, W5, W7).

In: nothing; `govern` fills these. Out: frozen values with a JSON form. A pin, a note and a bullet
are stored in exactly this form; what a call is shown of them is in `domain.governed`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from smartbrain.domain.context import NotebookEntry, PinEntry
from smartbrain.domain.record import Record


class PinType(StrEnum):
    """What kind of key fact a pin holds."""

    CONSTRAINT = "constraint"
    PATH = "path"
    COMMAND = "command"
    CODE = "code"
    CONCLUSION = "conclusion"


class PinState(StrEnum):
    """Whether a pin is shown, or waits for a person to accept it."""

    ACTIVE = "active"
    PROPOSED = "proposed"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Pin(PinEntry):
    """A pin as it is kept: who pinned it, where, and how long it lives.

    It lives for `days` after `renewed_at` and for as many `sessions` as begin after the one that
    was number `session_mark`, whichever ends first; None sets no such end.
    """

    state: PinState = PinState.ACTIVE
    actor: str = "user"
    session_id: str | None = None
    created_at: datetime
    renewed_at: datetime
    session_mark: int = 0
    days: int | None = None
    sessions: int | None = None

    @property
    def until(self) -> datetime | None:
        """When it expires, if no number of sessions ends it before."""
        return None if self.days is None else self.renewed_at + timedelta(days=self.days)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Note(NotebookEntry):
    """A note as it is kept; `folded` counts the notes that were made into this one line."""

    folded: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Bullet(Record):
    """One line of the surface memory."""

    section: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Memo(Record):
    """The surface memory; `pending` are the sections for which compaction is due."""

    sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pending: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TrailEntry(Record):
    """One change: `before` became `after`. `number` is what a rollback is asked for."""

    number: int
    at: datetime
    actor: str
    action: str
    reason: str = ""
    before: tuple[Mapping[str, Any], ...] = ()
    after: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Compaction(Record):
    """How far the chat of a session is from its next soft compaction (R19).

    `turns` are those since the last one: place, tokens, and a line about each; the oldest of very
    many stand for several. `up_to` is the place of the last turn that was compacted.
    """

    pending: bool = False
    up_to: int = 0
    turns: tuple[tuple[int, int, str], ...] = ()

    @property
    def tokens(self) -> int:
        """The chat tokens since the last compaction."""
        return sum(turn[1] for turn in self.turns)
