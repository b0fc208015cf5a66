"""Events: what happened to memory, numbered in the order in which it was committed (S4).

In: nothing. Out: kinds of events and records of them. An event names things by their ids and has no
word that anybody said, so that nothing in it ever needs forgetting.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from typing import Final

from smartbrain.domain.hints import did_you_mean
from smartbrain.domain.page import Page
from smartbrain.domain.record import Record
from smartbrain.errors import UsageError

MOST_KEPT: Final = 100_000
"""So many events of a tenant are kept, the latest ones."""
_PREFIX: Final = "Memory."


class EventKind(StrEnum):
    """What happened."""

    NODE_CREATED = "Memory.NodeCreated"
    NODE_REMOVED = "Memory.NodeRemoved"
    NODE_RESTORED = "Memory.NodeRestored"
    NODE_FORGOTTEN = "Memory.NodeForgotten"
    SUPERSEDED = "Memory.Superseded"
    RETRACTED = "Memory.Retracted"
    ARCHIVED = "Memory.Archived"
    EXPIRED = "Memory.Expired"
    CONFLICT_DETECTED = "Memory.ConflictDetected"
    FACT_PROMOTED = "Memory.FactPromoted"
    FACT_DEMOTED = "Memory.FactDemoted"
    CONSOLIDATED = "Memory.Consolidated"
    EDGE_CREATED = "Memory.EdgeCreated"
    EDGE_REMOVED = "Memory.EdgeRemoved"
    WEIGHT_UPDATED = "Memory.WeightUpdated"
    TURN_STORED = "Memory.TurnStored"
    ARTIFACT_STORED = "Memory.ArtifactStored"
    STATE_CHANGED = "Memory.StateChanged"
    FORGETTING = "Memory.Forgetting"
    ALERT = "Memory.Alert"


class MemoryEvent(Record, frozen=True, kw_only=True):
    """One thing that happened.

    `subject` is the id of a memory, an edge, a turn, a run of a tool or a forgetting; `type` is the
    type of the memory or edge, or the list that changed; `code` says more, such as
    `active>superseded` for what a memory was and is.
    """

    num: int
    kind: EventKind
    subject: str = ""
    type: str = ""
    code: str = ""
    at: datetime


class EventPage(Page[MemoryEvent], frozen=True):
    """Events in their order; `last` is the number to go on from, also where none was found."""

    last: int = 0


def read_kinds(kinds: str | Iterable[str] | None) -> tuple[EventKind, ...]:
    """Return kinds of events by their names, with or without `Memory.`; none at all is any."""
    by_name = {kind.value: kind for kind in EventKind}
    found: dict[EventKind, None] = {}
    for name in [kinds] if isinstance(kinds, str) else kinds or ():
        full = str(name) if str(name).startswith(_PREFIX) else f"{_PREFIX}{name}"
        if full not in by_name:
            raise UsageError(f"{name!r:.60} is no kind of event{did_you_mean(full, EventKind)}")
        found[by_name[full]] = None
    return tuple(found)
