"""The review queue: contradictions that are too close to call, for people or agents to settle (C5).

In: pairs of versions. Out: queued work of the kind `verify`, once a pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from smartbrain.domain.ids import derive
from smartbrain.domain.job import Job

if TYPE_CHECKING:
    from smartbrain.remember.write_set import WriteSet

VERIFY: Final = "verify"


def ask_for_review(pairs: Sequence[tuple[str, str]], *, writes: WriteSet) -> None:
    """Queue pairs of a version that stands and one that disputes it."""
    now = writes.origin.now
    for active, other in pairs:
        writes.transaction.working.put_job(
            Job(
                id=derive("job", VERIFY, active, other),
                kind=VERIFY,
                payload={"active": active, "other": other},
                created_at=now,
                updated_at=now,
            )
        )
