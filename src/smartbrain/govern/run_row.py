"""The row of a run: everything about it but its decisions, under its own owner (W1).

In: a run's id. Out: its row, or a refusal if there is no such run or it has ended. One row a run
and one a decision, all of one owner, so that reading a run is one statement whatever else there is.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final

from msgspec import field

from smartbrain.domain.reason import Reason
from smartbrain.domain.record import Record
from smartbrain.domain.turn import Operation
from smartbrain.errors import Conflict, NotFound
from smartbrain.govern.trail import put_state

if TYPE_CHECKING:
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction

RUN: Final = "run"
DECISION: Final = "decision"


class RunRow(Record, frozen=True, kw_only=True):
    """What is stored of a run.

    `insights` are the ids of those that nobody has validated yet, `made` counts all there were.
    `decided` and `decided_bytes` count the decisions, which have rows of their own. `slot_names`
    has the slots in the order they were last written, which JSON does not keep; a slot that is not
    in it is older than those that are.
    """

    session_id: str
    started_at: datetime
    ended_at: datetime | None = None
    goal: str | None = None
    constraints: tuple[str, ...] = ()
    slots: Mapping[str, Any] = field(default_factory=dict)
    slot_names: tuple[str, ...] = ()
    decided: int = 0
    decided_bytes: int = 0
    made: int = 0
    insights: tuple[str, ...] = ()
    validated: tuple[str, ...] = ()
    dropped: tuple[Reason, ...] = ()

    def slots_in_order(self) -> dict[str, Any]:
        """Return the slots, the one that was written last at the end."""
        newer = dict.fromkeys(self.slot_names)
        names = [*(name for name in self.slots if name not in newer), *newer]
        return {name: self.slots[name] for name in names if name in self.slots}


def owner_of(run_id: str) -> str:
    """Return who owns the rows of a run."""
    return f"{RUN}:{run_id}"


def any_row(run_id: str, *, transaction: Transaction) -> RunRow:
    """Return the row of a run, ended or not."""
    found = next(iter(transaction.working.state(owner_of(run_id), RUN)), None)
    if found is None:
        raise NotFound(f"there is no run {run_id!r:.80} in this tenant; start one")
    return RunRow.from_dict(found.body)


def open_row(run_id: str, *, transaction: Transaction) -> RunRow:
    """Return the row of a run that goes on."""
    row = any_row(run_id, transaction=transaction)
    if row.ended_at is not None:
        ended = row.ended_at.isoformat(timespec="seconds")
        raise Conflict(f"run {run_id!r:.80} ended at {ended}; start another")
    return row


def put_row(run_id: str, row: RunRow, at: datetime, *, transaction: Transaction) -> None:
    """Write the row of a run."""
    put_state(owner_of(run_id), RUN, RUN, row.to_dict(), at, rows=transaction)


def add_event(
    kind: str,
    given: Mapping[str, Any],
    *,
    transaction: Transaction,
    ports: Ports,
    rules_hash: str,
    actor: str = "user",
) -> Operation:
    """Append the event of what is about to be done, so that it can be done again (E1)."""
    now = ports.clock()
    operation = Operation(
        id=ports.ids.new(),
        kind=kind,
        input=given,
        at=now,
        actor=actor,
        rules_hash=rules_hash,
        created_at=now,
    )
    transaction.ledger.add_operation(operation)
    return operation
