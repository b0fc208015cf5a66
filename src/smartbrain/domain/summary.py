"""The working summary of a session and the core memory of a tenant, as they are kept (C8).

A summary is a version: its text, the same by sections, what made it be written and from which
turns. A core block is a stable text for the system slot with the memories it shows. Not how either
is made; that is in `remember.summary`.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Final

from smartbrain.domain.record import Record

REFERENCES: Final = "Key References"
QUESTIONS: Final = "Open Questions"
SECTIONS: Final = ("Goals", "Decisions", "Tasks", REFERENCES, QUESTIONS)
"""The sections of a working summary in their order; one without lines is left out."""

SUMMARY: Final = "summary"
"""The kind of the working state that holds a session's summaries, one entry a version."""

PROGRESS: Final = "summary_progress"
"""The kind of the one entry that tells how far a session has gone since its last summary."""

CORE_BLOCKS: Final = ("profile", "preferences", "goals")
"""The blocks of the core memory in their order, each named after the type of its memories."""


class Trigger(StrEnum):
    """Why a summary was written; of several reasons the first of these is given."""

    STAGE_EVENT = "stage_event"
    TOKEN_PRESSURE = "token_pressure"  # noqa: S105 # nosec B105 - no secret
    TURN_COUNT = "turn_count"


class Summary(Record, frozen=True, kw_only=True):
    """One version of a session's working summary.

    `source_turn_range` are the first and the last turn that were read for it; `left_out` is how
    many lines are not shown.
    """

    version: int
    text: str
    sections: Mapping[str, tuple[str, ...]]
    trigger_reason: Trigger
    source_turn_range: tuple[str, str]
    generated_at: datetime
    left_out: int = 0


class SummaryProgress(Record, frozen=True, kw_only=True):
    """How far a session has gone since its last summary, whose version this holds, if any.

    `questions` are those that it showed as open, which stay until they are answered; `told` are the
    sentences that it had of what was talked about.
    """

    version: int = 0
    turns: int = 0
    tokens: int = 0
    questions: tuple[str, ...] = ()
    told: tuple[str, ...] = ()


class CoreBlock(Record, frozen=True, kw_only=True):
    """One block of the core memory; `source` are the memories it shows, as it shows them.

    `holds_until` is when the first of what it says stops to hold.
    """

    type: str
    text: str
    updated_at: datetime
    source: tuple[str, ...] = ()
    holds_until: datetime | None = None
