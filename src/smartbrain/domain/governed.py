"""What is kept for a model between its calls, as one call is shown it (W4, W7).

In: nothing. Out: `Governed`, the board of pins, the plan and the notebook of a session and the
surface memory, read in one go; `MemoSection` names the parts of the latter. Not how they are
changed, and not how they are rendered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from smartbrain.domain.context import NotebookEntry, PinEntry
from smartbrain.domain.packet import PlanEntry
from smartbrain.domain.record import Record


class MemoSection(StrEnum):
    """The sections of the surface memory, in the order they are shown."""

    SELF = "self"
    USER = "user"
    ENVIRONMENT = "environment"
    HISTORY = "history"
    DYNAMIC = "dynamic"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Governed(Record):
    """What a session may be shown of what is governed, in the order of each list."""

    pins: tuple[PinEntry, ...] = ()
    plan: tuple[PlanEntry, ...] = ()
    notebook: tuple[NotebookEntry, ...] = ()
    fastmemo: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
