"""A run as callers see it: what it has in mind, what it supposes, and what it had to drop (W1, W3).

In: nothing; `govern.runs` fills these. Out: frozen values with a JSON form. What a run has in mind
goes with the run; an insight that was validated stays as a memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from smartbrain.domain.memory import Memory
from smartbrain.domain.packet import WorkingMemory
from smartbrain.domain.reason import Reason
from smartbrain.domain.record import Record


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Run(Record):
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class InsightAdded(Record):
    """A new insight, and which insights had to go for it: its own id is among them if it did."""

    id: str
    dropped: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class InsightCounts(Record):
    """How many insights were ever made, validated, and expired unvalidated."""

    made: int = 0
    validated: int = 0
    expired: int = 0

    @property
    def expired_rate(self) -> float:
        """The share of insights that expired."""
        return self.expired / self.made if self.made else 0.0
