"""Who of several speakers says a message: the user of the tenant, or somebody else by name (K10).

In: a recorded step, then its messages. Out: the name of a speaker who is not the user, so that
nobody's profile and preferences take the place of another's. The user of a session is who speaks in
it first; without a name it is always the user.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from smartbrain.domain.turn import Message, Role
from smartbrain.govern.trail import put_state
from smartbrain.text.controls import without_controls

if TYPE_CHECKING:
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.record import Recorded

_FIRST: Final = "first_speaker"


def note_first_speaker(recorded: Recorded, transaction: Transaction) -> None:
    """Note who spoke first in a session, once somebody speaks in it under a name."""
    step = recorded.said
    owner = f"session:{step.session_id}"
    if not any(map(_name, step.messages)) or transaction.working.state(owner, _FIRST):
        return
    before = recorded.stored.messages if recorded.stored else ()
    if recorded.previous is not None:
        before = transaction.events.turn(recorded.previous.id).messages
    first = next(one for one in (*before, *step.messages) if one.role is Role.USER)
    body = {"name": _name(first)}
    put_state(owner, _FIRST, _FIRST, body, step.created_at, rows=transaction)


def find_other_speaker(message: Message, session_id: str, *, transaction: Transaction) -> str:
    """Return the name of who says a stored message; empty where that is the user."""
    name = _name(message)
    known = next(iter(transaction.working.state(f"session:{session_id}", _FIRST)), None)
    return name if name and known is not None and name != known.body["name"] else ""


def _name(message: Message) -> str:
    return without_controls(message.name or "").strip() if message.role is Role.USER else ""
