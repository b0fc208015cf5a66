"""Why a context is as it is: what was planned, chosen, cut and left out, and what it cost (S6).

In: nothing; `compose.replay` fills these from a trace. Out: frozen values whose JSON is public,
parts of an `Explanation`. What was not kept is named in `not_kept` and empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec import field

from smartbrain.domain.reason import Reason
from smartbrain.domain.record import Record


class SlotBudget(Record, frozen=True, kw_only=True):
    """The tokens that a slot takes, and the most it may take where it has a limit of its own."""

    slot: str
    tokens: int
    most: int | None = None


class ContextExplanation(Record, frozen=True, kw_only=True):
    """One context as its trace tells it.

    `selected` says why each thing is there, `shortened` what is shown in part, `left`
    what had no room or was not chosen, `ignored` what of the input was not understood or followed.
    """

    session_id: str
    created_at: datetime
    message: str = ""
    recipe: str = "standard"
    audience: str = "responder"
    run_id: str | None = None
    turn_id: str | None = None
    planner: Mapping[str, Any] = field(default_factory=dict)
    plan: Mapping[str, Any] | None = None
    selected: tuple[Reason, ...] = ()
    shortened: tuple[Reason, ...] = ()
    left: tuple[Reason, ...] = ()
    ignored: tuple[Reason, ...] = ()
    budget: tuple[SlotBudget, ...] = ()
    limit: int = 0
    used: int = 0
    ids: Mapping[str, str] = field(default_factory=dict)
    not_kept: tuple[str, ...] = ()
