"""Turns that the user asked not to remember: kept, and shown by their own session alone (K12).

In: a recorded step. Out: whether its turn is off the record, and the turn before it taken off the
record. What such a turn says makes no claims; recall reads the tag of its episode.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from smartbrain.domain.memory import OFF_RECORD
from smartbrain.domain.record import canonical_json
from smartbrain.domain.result import Retention, RetentionAction
from smartbrain.remember.episode import episode_of

if TYPE_CHECKING:
    from smartbrain.domain.claim import Claim
    from smartbrain.domain.memory import Memory
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.ports.claims import Claims
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.extract.turn import Read
    from smartbrain.remember.record import Recorded
    from smartbrain.remember.write_set import WriteSet


def is_kept_off_record(recorded: Recorded, *, writes: WriteSet) -> bool:
    """Tell whether an earlier step of a turn has taken it off the record."""
    if recorded.stored is None:
        return False
    said = recorded.said
    return is_off_record(said.session_id, said.id, writes.transaction, writes.types)


def is_off_record(
    session_id: str, turn_id: str, transaction: Transaction, types: TypeRegistry
) -> bool:
    """Tell whether a stored turn is off the record."""
    episode = _episode(session_id, turn_id, transaction, types)
    return episode is not None and OFF_RECORD in episode.tags


def take_off_record(recorded: Recorded, read: Read, *, writes: WriteSet) -> list[Retention]:
    """Take the turn before a step off the record if the step asks for that, and say so."""
    if not read.unsays:
        return []
    said, transaction = recorded.said, writes.transaction
    before, _ = transaction.remembering.neighbours(said.id)
    episode = _episode(said.session_id, before, transaction, writes.types) if before else None
    if episode is None or OFF_RECORD in episode.tags:
        return []
    writes.put(writes.adopt(episode), tags=(*episode.tags, OFF_RECORD))
    return [
        Retention(
            type=episode.type,
            key=episode.key,
            action=RetentionAction.RETRACTED,
            code=OFF_RECORD,
            reason="the user asked not to remember it: only its own session shows it until it ends",
        )
    ]


def claims_off_record(claims: Sequence[Claim], stored: Claims) -> list[Claim]:
    """Return the claims of a turn that is not to be remembered, without its own words (K12).

    What its caller proposes stays, and what takes back a value that an earlier turn has claimed.
    """
    earlier = stored.in_groups({claim.group for claim in claims if claim.message >= 0})
    known = {(one.group, one.attribute, canonical_json(one.value)) for one in earlier}
    return [
        claim
        for claim in claims
        if claim.message < 0 or (claim.group, claim.attribute, canonical_json(claim.value)) in known
    ]


def _episode(
    session_id: str, turn_id: str, transaction: Transaction, types: TypeRegistry
) -> Memory | None:
    """Return the episode of a stored turn."""
    name = episode_of(types.get("episodes"), session_id, turn_id).id
    return transaction.memories.get([name]).get(name)
