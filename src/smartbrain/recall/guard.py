"""What may be shown at all, by status and validity.

In: rows. Out: those that hold, and a reason for each that does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from smartbrain.domain.memory import Status
from smartbrain.domain.reason import Reason
from smartbrain.domain.recalled import Ranked


def admitted(
    ranked: Sequence[Ranked], *, as_of: datetime | None, now: datetime, history: bool
) -> tuple[list[Ranked], list[Reason]]:
    """Return the rows that may be shown."""
    kept = [one for one in ranked if one.row.status is Status.ACTIVE]
    return kept, [
        Reason(one.row.status.value, "it does not hold", id=one.row.id, type=one.row.type)
        for one in ranked
        if one.row.status is not Status.ACTIVE
    ]
