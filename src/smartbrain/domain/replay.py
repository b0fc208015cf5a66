"""Running events again, and reading turns again: what a commit added, and what came of another run.

`Step` is kept with every commit, so that turns that grew can be taken apart again. `ReplayReport`
tells what was run, what could not be, and where the outcome is another than what is stored;
`RereadReport` what reading all turns with the present reader has changed, or would change (K12).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from msgspec import field

from smartbrain.domain.record import Record


class Stage(StrEnum):
    """How far a commit went: most record events and remember them, documents do so in two."""

    COMMIT = "commit"
    RECORD = "record"
    REMEMBER = "remember"


class StepParts(Record, frozen=True, kw_only=True):
    """How many messages, refs and proposals of a turn are a step's own, after those before it.

    Tool calls are named: a step may tell how a call of an earlier one ended. `open_calls` are
    those of which it does not tell the end.
    """

    messages: int = 0
    refs: int = 0
    tool_calls: tuple[str, ...] = ()
    open_calls: tuple[str, ...] = ()
    proposals: Mapping[str, int] = field(default_factory=dict)


class Step(Record, frozen=True, kw_only=True):
    """What one commit added to a turn."""

    turn_id: str
    stage: Stage = Stage.COMMIT
    rules_hash: str = ""
    context_id: str | None = None
    parts: StepParts = StepParts()
    created_at: datetime


class NotRun(Record, frozen=True, kw_only=True):
    """An event that could not be run again, and why."""

    kind: str
    id: str
    reason: str


class Difference(Record, frozen=True, kw_only=True):
    """A memory or an edge that came out otherwise, and in what."""

    kind: str
    id: str
    what: str


class RebuiltReport(Record, frozen=True, kw_only=True):
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


class ReplayReport(Record, frozen=True, kw_only=True):
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


class RereadTurn(Record, frozen=True, kw_only=True):
    """A turn that is read otherwise now: what its claims said, and what they say instead."""

    turn_id: str
    session_id: str
    gone: tuple[str, ...] = ()
    new: tuple[str, ...] = ()


class RereadReport(Record, frozen=True, kw_only=True):
    """What reading all turns again has shown; of a `dry_run` nothing was written.

    `turns` were read, `changed` of them otherwise than before: `gone` claims went and `new` ones
    came. `left_to_model` turns were left as a language model has read them. `examples` are the
    first that changed. `resumed` is true where an earlier call had been cut off.
    """

    reader: str
    dry_run: bool = False
    resumed: bool = False
    turns: int = 0
    changed: int = 0
    gone: int = 0
    new: int = 0
    left_to_model: int = 0
    examples: tuple[RereadTurn, ...] = ()
