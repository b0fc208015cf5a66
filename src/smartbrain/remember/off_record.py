"""Turns that the user asked not to remember: kept, and shown by their own session alone (K12).

In: a recorded step. Out: whether its turn is off the record, and the turn before it taken off the
record. What such a turn says makes no claims; recall reads the tag of its episode.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from smartbrain.domain.memory import OFF_RECORD
from smartbrain.domain.result import Retention, RetentionAction
from smartbrain.remember.claims import claims_off_record
from smartbrain.remember.episode import episode_of
from smartbrain.remember.groups import fold_again
from smartbrain.remember.read_turn import asks_off_record, unsays_turn_before
from smartbrain.remember.record import readable, turn_of
from smartbrain.remember.write_set import WriteSet

if TYPE_CHECKING:
    from datetime import datetime

    from smartbrain.domain.memory import Memory
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.turn import Turn
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.read_turn import TurnReading
    from smartbrain.remember.record import Recorded
    from smartbrain.remember.write_rules import WriteTools


def is_kept_off_record(recorded: Recorded, *, writes: WriteSet, ports: Ports) -> bool:
    """Tell whether an earlier step, or the turn after a late one, keeps a turn off the record."""
    said, transaction = recorded.said, writes.transaction
    if recorded.stored is None:
        return recorded.is_late and is_unsaid(said.id, transaction=transaction, ports=ports)
    return is_off_record(said.session_id, said.id, transaction, writes.types)


def is_off_record(
    session_id: str, turn_id: str, transaction: Transaction, types: TypeRegistry
) -> bool:
    """Tell whether a stored turn is off the record."""
    episode = _episode(session_id, turn_id, transaction, types)
    return episode is not None and OFF_RECORD in episode.tags


def is_unsaid(turn_id: str, *, transaction: Transaction, ports: Ports) -> bool:
    """Tell whether the turn after a stored one only asks not to remember it."""
    _, following = transaction.remembering.neighbours(turn_id)
    turn = turn_of(following, transaction=transaction, ports=ports)
    return turn is not None and unsays_turn_before(turn)


def take_off_record(
    recorded: Recorded, read: TurnReading, *, writes: WriteSet, rules: Rules
) -> list[Retention]:
    """Take the turn before a step off the record if the step asks for that, and say so.

    The claims of its words go, and what they had ended holds again.
    """
    if not read.unsays:
        return []
    said, transaction = recorded.said, writes.transaction
    before, _ = transaction.remembering.neighbours(said.id)
    episode = _episode(said.session_id, before, transaction, writes.types) if before else None
    if episode is None or OFF_RECORD in episode.tags:
        return []
    writes.put(writes.adopt(episode), tags=(*episode.tags, OFF_RECORD))
    claims = transaction.claims.of_turn(before or "")
    kept = {claim.id for claim in claims_off_record(claims, transaction.claims)}
    gone = [claim for claim in claims if claim.id not in kept]
    fold_again((), gone=gone, writes=writes, rules=rules)
    return [
        Retention(
            type=episode.type,
            key=episode.key,
            action=RetentionAction.RETRACTED,
            code=OFF_RECORD,
            reason="the user asked not to remember it: only its own session shows it until it ends",
        )
    ]


def put_on_record(turn: Turn, now: datetime, *, tools: WriteTools) -> bool:
    """Put a turn on the record again that no other unsays after all; tell whether it was off."""
    transaction, ports = tools.transaction, tools.ports
    episode = _episode(turn.session_id, turn.id, transaction, ports.types)
    if episode is None or OFF_RECORD not in episode.tags:
        return False
    if asks_off_record(readable(turn, transaction=transaction, ports=ports)):
        return False
    writes = WriteSet.of_turn(turn, now, transaction, ports, tools.rules)
    tags = tuple(tag for tag in episode.tags if tag != OFF_RECORD)
    writes.put(writes.adopt(episode), tags=tags)
    writes.write()
    return True


def _episode(
    session_id: str, turn_id: str, transaction: Transaction, types: TypeRegistry
) -> Memory | None:
    """Return the episode of a stored turn."""
    name = episode_of(types.get("episodes"), session_id, turn_id).id
    return transaction.memories.get([name]).get(name)
