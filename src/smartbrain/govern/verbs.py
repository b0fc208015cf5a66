"""Every call that changes what is governed, by its name, and how it is done and done again (W4).

In: a name and plain input that was read. Out: what the call answers. The input is stored as an
event first, so running all events again makes the same; a refusal leaves nothing behind, not even
the event.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.turn import Operation
from smartbrain.govern.fastmemo import FASTMEMO, add_bullet, compact_memo, replace_memo
from smartbrain.govern.notebook import NOTEBOOK, add_note, compact_notes
from smartbrain.govern.pins import (
    PINS,
    accept_pins,
    add_pin,
    remove_pins,
    renew_pins,
    roll_back_pins,
    settle_pins,
    update_pin,
)
from smartbrain.govern.plan import PLAN, add_step, check_step, remove_steps
from smartbrain.govern.state_load import load_state
from smartbrain.govern.trail import Act, Place, read_change, roll_back

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction

Given = Mapping[str, Any]
Verb = Callable[[Given, "Transaction", Act, "Rules"], Any]


def place_of(kind: str, session_id: str | None) -> Place:
    """Return where a list is: pins and the surface memory are the tenant's, others a session's."""
    return Place(kind, session_id if kind in (PLAN, NOTEBOOK) else None)


def _back(kind: str) -> Verb:
    """Return how a list of a kind is rolled back."""

    def run(given: Given, rows: Transaction, act: Act, _rules: Rules) -> int:
        place = place_of(kind, given.get("session"))
        return roll_back(place, read_change(given["to"]), act, rows=rows).number

    return run


VERBS: Final[Mapping[str, Verb]] = {
    "pins.add": add_pin,
    "pins.update": update_pin,
    "pins.remove": remove_pins,
    "pins.renew": renew_pins,
    "pins.accept": accept_pins,
    "plan.add": add_step,
    "plan.check": check_step,
    "plan.remove": remove_steps,
    "notebook.add": add_note,
    "notebook.compact": compact_notes,
    "fastmemo.add": add_bullet,
    "fastmemo.compact": compact_memo,
    "fastmemo.load": replace_memo,
    "state.load": load_state,
    "pins.rollback": roll_back_pins,
    **{f"{kind}.rollback": _back(kind) for kind in (PLAN, NOTEBOOK, FASTMEMO.kind)},
}
"""What each call does inside its transaction."""


def perform(
    verb: str,
    given: Given,
    *,
    ports: Ports,
    rules: Rules,
    rules_hash: str,
    actor: str = "user",
) -> Any:
    """Store a call as an event and do it, in one transaction.

    Raises:
        UsageError: the input is not what it should be; nothing was written.
        NotFound: it names something that is not there; nothing was written.
        Conflict: it contradicts what is stored; nothing was written.
    """
    with ports.truth.write() as rows:
        now = ports.clock()
        rows.ledger.add_operation(
            Operation(
                id=ports.ids.new(),
                kind=verb,
                input={**given, "actor": actor},
                at=now,
                actor=actor,
                rules_hash=rules_hash,
                created_at=now,
            )
        )
        if not verb.startswith(PINS.kind):  # calls about pins know which of them to keep
            settle_pins(now, None, rows=rows, rules=rules)
        return VERBS[verb](given, rows, Act(now, actor, verb, given.get("reason") or ""), rules)


def perform_again(verb: str, stored: Given, ports: Ports, rules: Rules, rules_hash: str) -> None:
    """Do a call again from its event."""
    given = {name: value for name, value in stored.items() if name != "actor"}
    perform(verb, given, ports=ports, rules=rules, rules_hash=rules_hash, actor=stored["actor"])
