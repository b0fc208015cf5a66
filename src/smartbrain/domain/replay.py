"""Running events again: what a commit added to its turn, and what came of doing it all once more.

`Step` is kept with every commit, so that turns that grew can be taken apart again. `ReplayReport`
tells what was run, what could not be, and where the outcome is another than what is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from smartbrain.domain.record import Record


class Stage(StrEnum):
    """How far a commit went: most record events and remember them, documents do so in two."""

    COMMIT = "commit"
    RECORD = "record"
    REMEMBER = "remember"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class StepParts(Record):
    """How many messages, refs and proposals of a turn are a step's own, after those before it.

    Tool calls are named: a step may tell how a call of an earlier one ended. `open_calls` are
    those of which it does not tell the end.
    """

    messages: int = 0
    refs: int = 0
    tool_calls: tuple[str, ...] = ()
    open_calls: tuple[str, ...] = ()
    proposals: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Step(Record):
    """What one commit added to a turn."""

    turn_id: str
    stage: Stage = Stage.COMMIT
    rules_hash: str = ""
    context_id: str | None = None
    parts: StepParts = StepParts()
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class NotRun(Record):
    """An event that could not be run again, and why."""

    kind: str
    id: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Difference(Record):
    """A memory or an edge that came out otherwise, and in what."""

    kind: str
    id: str
    what: str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class RebuiltReport(Record):
    """What was made of a tenant's events in a new one.

    `raw_files` were copied; of `lost_files` the original is gone, and so are the words in it.
    """

    steps: int = 0
    operations: int = 0
    claims: int = 0
    memories: int = 0
    raw_files: int = 0
    lost_files: int = 0
    failed: int = 0
    not_run: tuple[NotRun, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ReplayReport(Record):
    """What running a tenant's events again has shown.

    `differing` counts all memories and edges that came out otherwise; `differences` and `not_run`
    name the first of them. `other_rules` counts events that had run under other rules than these.
    """

    steps: int = 0
    operations: int = 0
    memories: int = 0
    edges: int = 0
    other_rules: int = 0
    failed: int = 0
    not_run: tuple[NotRun, ...] = ()
    differing: int = 0
    differences: tuple[Difference, ...] = ()

    @property
    def identical(self) -> bool:
        """Whether everything was run again and gave what is stored."""
        return not self.failed and not self.differing
