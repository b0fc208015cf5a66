"""Where memories come from: a turn of a session or an operation, and when it was said.

In: what a commit or a stored saying knows of its source. Out: one record that new versions, denials
and deeds are made with.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where new memories come from: a turn of a session, or an operation."""

    turn_id: str | None = None
    operation_id: str | None = None
    session_id: str = ""
    episode_id: str | None = None
    said_at: datetime
    now: datetime

    @property
    def id(self) -> str:
        """The id that derived ids are made of."""
        return self.turn_id or self.operation_id or ""
