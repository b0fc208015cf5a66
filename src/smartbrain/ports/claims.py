"""The claims of a tenant: what was stated, from which memories are folded (K1, K2).

In: claims, and the versions that a fold makes them part of. Out: claims by group or by turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from smartbrain.domain.claim import Claim, ClaimStatus


class Claims(Protocol):
    """Claims by group and by turn, each with the version of a memory that it is part of."""

    def add(self, claims: Sequence[Claim]) -> None:
        """Append claims; one that is there already is left as it is."""
        ...

    def in_groups(self, groups: Iterable[str]) -> list[Claim]:
        """Return the claims of groups that count or may count, in the order they arrived."""
        ...

    def of_turn(self, turn_id: str) -> list[Claim]:
        """Return all claims of a turn, whatever their status, in the order of its words."""
        ...

    def last_place(self, group: str) -> tuple[datetime, str, int] | None:
        """Return when the last claim of a group was said, in which session and place."""
        ...

    def last_memory(self, group: str) -> str | None:
        """Return the key of the memory that the last claim of a group is part of, if any."""
        ...

    def memories(self, claim_ids: Iterable[str]) -> dict[str, str]:
        """Return the id of the version that each claim is part of, where it is part of one."""
        ...

    def assign(self, memories: Mapping[str, str | None]) -> None:
        """Let claims be part of versions, by their ids; None is for part of none."""
        ...

    def set_status(self, claim_ids: Iterable[str], status: ClaimStatus) -> None:
        """Let claims count, or not."""
        ...

    def delete(self, claim_ids: Iterable[str]) -> None:
        """Take claims away."""
        ...
