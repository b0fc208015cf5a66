"""What composing a context asks of the truth: words around memories, and traces that are kept.

In: turns, traces, memories that were shown. Out: turns as they were spoken. Each question is one
statement or two, however many turns it is about.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from smartbrain.domain.indexed import SpokenTurn


class Composed(Protocol):
    """Reads and writes of the compose path; nothing of it is followed by views."""

    def around(self, turn_ids: Sequence[str], *, reach: int) -> list[SpokenTurn]:
        """Return turns and those at most so many places from them, by session and place."""

    def accessed(self, memory_ids: Sequence[str], at: datetime) -> None:
        """Note when memories were last shown; a time before the noted one changes nothing."""

    def sentences(self, session_id: str, context_id: str | None) -> frozenset[str]:
        """Return marks of the sentences that a context showed; the session's last by default."""

    def prune_traces(self, before: datetime, most: int) -> int:
        """Delete traces of before a time, and the oldest of more than `most`; return how many."""
