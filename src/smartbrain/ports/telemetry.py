"""The call that is going on: its verb, its id, its tenant, its stages; and who is told of it (S5).

In: what a call notes while it runs, in whichever thread. Out: the same for logs and telemetry, by a
context variable, so that nothing has to be handed through. No word of memory is part of it.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from smartbrain.domain.metrics import Metric

CURRENT_REQUEST: Final[ContextVar[str]] = ContextVar("smartbrain_request_id", default="")
"""The name that a request has already; the call that serves it takes it as its own."""
CURRENT_CALL: Final[ContextVar[Call | None]] = ContextVar("smartbrain_call", default=None)
"""The call that is going on here, if any."""


class Call:
    """One call of a verb; times are nanoseconds since 1970."""

    __slots__ = ("id", "stages", "started", "telemetry", "tenant", "verb")

    def __init__(self, verb: str, call_id: str, started: int) -> None:
        self.verb = verb
        self.id = call_id
        self.started = started
        self.tenant = ""
        self.stages: dict[str, float] = {}
        self.telemetry: Telemetry | None = None


class Telemetry(Protocol):
    """Whoever is told of calls and figures, in this process; it may send them elsewhere."""

    def end_call(self, call: Call, ended: int, outcome: str, arguments: Mapping[str, Any]) -> None:
        """Take a call that has ended: `ok`, or the code of its error."""

    def measure(self, metric: Metric, value: float, tenant: str, label: str) -> None:
        """Take a figure as it is measured."""


def note_tenant(tenant: str, telemetry: Telemetry | None) -> None:
    """Say whose memory the call is about, and who is told of it."""
    call = CURRENT_CALL.get()
    if call is not None:
        call.tenant, call.telemetry = tenant, telemetry


def note_stages(stages: Mapping[str, float]) -> None:
    """Say how many milliseconds each stage of the call took, in their order."""
    call = CURRENT_CALL.get()
    if call is not None:
        call.stages.update(stages)


def log_fault(log: logging.Logger, what: str, fault: BaseException) -> None:
    """Log a fault by type and place; what it says may quote memory, which is for debugging."""
    place, trace = "an unknown place", fault.__traceback__
    while trace is not None:
        place = f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    log.error("%s: %s at %s", what, type(fault).__name__, place)
    log.debug("what it said", exc_info=fault)
