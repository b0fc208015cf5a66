"""What was said just before a turn, which it may refer to (C4, C6).

In: a recorded step. Out: its earlier steps, or the turn before it by its time, with the messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from smartbrain.domain.turn import Turn
from smartbrain.errors import AdapterError
from smartbrain.govern.sessions import LOST_TEXT, with_texts

if TYPE_CHECKING:
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.record import Recorded


def said_before(recorded: Recorded, *, transaction: Transaction, ports: Ports) -> Turn | None:
    """Return what was said just before: in earlier steps, or in the turn before."""
    if recorded.stored is not None:
        return recorded.stored
    if recorded.previous is None:
        return None
    before: str | None = recorded.previous.id
    if recorded.previous.at < recorded.previous.latest or recorded.is_late:
        before, _ = transaction.remembering.neighbours(recorded.said.id)
    return turn_of(before, transaction=transaction, ports=ports)


def turn_of(turn_id: str | None, *, transaction: Transaction, ports: Ports) -> Turn | None:
    """Return a stored turn with its messages, if there is one."""
    if turn_id is None:
        return None
    return readable(transaction.events.turn(turn_id), transaction=transaction, ports=ports)


def readable(turn: Turn, *, transaction: Transaction, ports: Ports) -> Turn:
    """Return a stored turn with the texts of its messages, and without words where they are lost.

    That is no reason to refuse what is said now.
    """
    try:
        return with_texts([turn], transaction=transaction, blobs=ports.blobs, outputs=False)[0]
    except AdapterError as error:
        if error.code not in LOST_TEXT:
            raise
    return turn
