"""What deciding about a turn looks up, many things at a time, and what was decided (C2, C4, C5).

In: keys, types, entities. Out: versions as stored. Read inside the writing transaction: a decision
never rests on a view or on what was true a moment ago.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from smartbrain.domain.memory import Memory
    from smartbrain.domain.record import Record


class Remembering(Protocol):
    """Lookups of the write path, whose cost does not follow how much is stored."""

    def histories(self, keys: Iterable[str]) -> dict[str, list[Memory]]:
        """Return all versions of keys, oldest first by their own time, without unknown keys."""
        ...

    def heads(self, type_name: str, keys: Iterable[str], *, rejected: bool = False) -> list[Memory]:
        """Return what stands of keys or disputes it, and the version of each that was said last.

        With `rejected` also the versions that somebody took back or said to be over.
        """
        ...

    def last_version(self, type_name: str, key: str) -> int:
        """Return the highest number of a version of a key; 0 where there is none."""
        ...

    def fact_key(self, key: str) -> str | None:
        """Return the key of a fact as it is stored, be it in other case; None if it is not.

        Case is that of Latin letters. Of several it is the very key, else the oldest.
        """
        ...

    def newest(self, type_name: str, *, limit: int = 100, put_away: bool = False) -> list[Memory]:
        """Return the active and candidate memories of a type that were written last, newest first.

        Those that were put away are the archived ones.
        """
        ...

    def alike(self, predicates: Iterable[str], *, limit: int = 3) -> dict[str, list[Memory]]:
        """Return the statements written last that tell each kind of event, newest first."""
        ...

    def of_session(self, turn_ids: Iterable[str], session_id: str) -> set[str]:
        """Return those of some turns that a session has."""
        ...

    def neighbours(self, turn_id: str) -> tuple[str | None, str | None]:
        """Return the turns of its session just before and just after a turn, by their own times.

        All turns of the session are looked through; ask where they are out of order.
        """
        ...

    def keep_explanation(
        self, source_id: str, body: Mapping[str, Any] | Record, at: datetime
    ) -> None:
        """Keep why a turn, a step of it or an operation wrote what it wrote."""
        ...

    def explanations(self, source_id: str) -> list[Mapping[str, Any]]:
        """Return what was kept about a turn or an operation, in order."""
        ...
