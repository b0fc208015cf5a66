"""How the arms of recall stand: which are up, which are being built, which are off, and why (R4).

In: nothing. Out: records that `brain.capabilities()` and `memctl status` show. An arm that is off
or not ready never fails a call; recall goes on with the others and says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from smartbrain.domain.record import Record


class ArmState(StrEnum):
    """Whether an arm answers."""

    UP = "up"
    BUILDING = "building"
    IDLE = "idle"
    OFF = "off"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Arm(Record):
    """One arm: its state with a code and a sentence, and its view in figures.

    `behind` counts transactions that the view has not seen yet, `waiting` the memories that this
    arm's embedder has not come to. An arm that is up with another code than `ok` answers, but not
    as well as it could. `bytes` is what its snapshot takes on disk, or its index in memory.
    """

    name: str
    state: ArmState
    code: str
    reason: str
    items: int = 0
    seq: int = 0
    behind: int = 0
    waiting: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Capabilities(Record):
    """What recall can do now; `rebuilds` counts views that were built anew, by view and reason."""

    arms: tuple[Arm, ...] = ()
    rebuilds: Mapping[str, int] = field(default_factory=dict)

    def arm(self, name: str) -> Arm | None:
        """Return an arm by its name, or the first of its kind: `vector` for `vector:bge`."""
        return next((arm for arm in self.arms if arm.name.split(":")[0] == name), None) or next(
            (arm for arm in self.arms if arm.name == name), None
        )
