"""Working state, entry by entry: pins, notes, the surface memory, runs, and the trail of changes.

In: nothing; `govern` fills these. Out: frozen values with a JSON form (W1, W4, W5, W7). A pin, a
note and a bullet are stored in exactly this form; `Governed` is what one call is shown of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from msgspec import field

from smartbrain.domain.context import NotebookEntry, PinEntry
from smartbrain.domain.memory import Memory
from smartbrain.domain.packet import PlanEntry, WorkingMemory
from smartbrain.domain.reason import Reason
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


class Pin(PinEntry, frozen=True, kw_only=True):
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


class Note(NotebookEntry, frozen=True, kw_only=True):
    """A note as it is kept; `folded` counts the notes that were made into this one line."""

    folded: int = 0


class Bullet(Record, frozen=True, kw_only=True):
    """One line of the surface memory."""

    section: str
    text: str
    at: datetime


class Memo(Record, frozen=True, kw_only=True):
    """The surface memory; `pending` are the sections for which compaction is due."""

    sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    pending: tuple[str, ...] = ()


class TrailEntry(Record, frozen=True, kw_only=True):
    """One change: `before` became `after`. `number` is what a rollback is asked for."""

    number: int
    at: datetime
    actor: str
    action: str
    reason: str = ""
    before: tuple[Mapping[str, Any], ...] = ()
    after: tuple[Mapping[str, Any], ...] = ()


class Compaction(Record, frozen=True, kw_only=True):
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


class MemoSection(StrEnum):
    """The sections of the surface memory, in the order they are shown."""

    SELF = "self"
    USER = "user"
    ENVIRONMENT = "environment"
    HISTORY = "history"
    DYNAMIC = "dynamic"


class Governed(Record, frozen=True, kw_only=True):
    """What a session may be shown of what is governed, in the order of each list."""

    pins: tuple[PinEntry, ...] = ()
    plan: tuple[PlanEntry, ...] = ()
    notebook: tuple[NotebookEntry, ...] = ()
    fastmemo: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


class Run(Record, frozen=True, kw_only=True):
    """One run of an agent in a session.

    `insights` are the living ones, validated or not. `dropped` says of the insights dropped last
    why they had to go. After the end `working_memory` is gone.
    """

    run_id: str
    session_id: str
    started_at: datetime
    ended_at: datetime | None = None
    working_memory: WorkingMemory | None = None
    insights: tuple[Memory, ...] = ()
    dropped: tuple[Reason, ...] = ()


class InsightAdded(Record, frozen=True, kw_only=True):
    """A new insight, and which insights had to go for it: its own id is among them if it did."""

    id: str
    dropped: tuple[Reason, ...] = ()


class InsightCounts(Record, frozen=True, kw_only=True):
    """How many insights were ever made, validated, and expired unvalidated."""

    made: int = 0
    validated: int = 0
    expired: int = 0

    @property
    def expired_rate(self) -> float:
        """The share of insights that expired."""
        return self.expired / self.made if self.made else 0.0
