"""Why a commit wrote what it wrote, as it was kept (S1).

In: the id of a turn or an operation. Out: one step a commit, each with what became of every
candidate and conflict.
"""

from __future__ import annotations

from dataclasses import dataclass

from smartbrain.domain.record import Record
from smartbrain.domain.result import CommitExplain


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Explanation(Record):
    """The decisions about one turn, in the order of its steps."""

    turn_id: str
    steps: tuple[CommitExplain, ...] = ()
