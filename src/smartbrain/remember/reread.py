"""Stored turns read again, and turns that are not to be remembered (K12).

In: a turn that arrived late, whose next turn leans on it, any stored turn that is to be read with
the present reader, or a turn that asks not to be remembered. Out: the claims that come and go, and
the memories that change by it. Claims that say what they said stay as they are, and so does what a
language model has read. A turn off the record is kept, and shown by its own session alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from smartbrain.domain.claim import Claim, ClaimStatus
from smartbrain.domain.memory import OFF_RECORD, Memory
from smartbrain.domain.policy import Rules
from smartbrain.domain.record import canonical_json
from smartbrain.domain.result import Retention, RetentionAction
from smartbrain.domain.turn import Turn
from smartbrain.domain.types import TypeRegistry
from smartbrain.govern.turn_state import spoken
from smartbrain.ports.bundle import Ports
from smartbrain.ports.truth import Transaction
from smartbrain.remember.claims import ClaimOrigin, is_default_reader
from smartbrain.remember.episode import episode_of
from smartbrain.remember.groups import FoldOutcome, fold_again
from smartbrain.remember.link import link_named
from smartbrain.remember.read_turn import (
    TurnReading,
    asks_off_record,
    read_turn,
    unsays_turn_before,
)
from smartbrain.remember.reader.statements import claim_statements
from smartbrain.remember.record import Recorded, readable, turn_of
from smartbrain.remember.write_set import WriteSet
from smartbrain.text.ontology import extend_ontology

if TYPE_CHECKING:
    from smartbrain.remember.write_rules import WriteTools


class ClaimChanges(NamedTuple):
    """The claims of a turn that are not made any more, or kept as replaced, and the new ones."""

    gone: Sequence[Claim] = ()
    new: Sequence[Claim] = ()
    replaced: Sequence[Claim] = ()


def reread_neighbours(late: Recorded, *, tools: WriteTools) -> list[Memory]:
    """Read the turns beside one that arrived late again; return the memories that change by it.

    The next one leans on it; the one before is on the record again, if the next one unsays this.
    """
    if not late.is_late:
        return []
    rows, now = tools.transaction, late.said.created_at
    before, following = rows.remembering.neighbours(late.said.id)
    affected = []
    if before is not None and is_unsaid(late.said.id, transaction=rows, ports=tools.ports):
        turn = rows.events.turn(before)
        if put_on_record(turn, now, tools=tools):
            affected.append(turn)
    if following is not None:
        affected.append(rows.events.turn(following))
    changed: list[Memory] = []
    for turn in affected:
        changes = find_changes(turn, (), tools=tools)
        if changes is not None and (changes.gone or changes.new):
            changed += apply_changes(turn, changes, now, tools=tools)
    return changed


def find_changes(turn: Turn, steps: Sequence[int], *, tools: WriteTools) -> ClaimChanges | None:
    """Return what changes in the claims of a stored turn when it is read again.

    `steps` are the number of messages of each commit that it grew by, if it grew. None if a
    language model has read the turn: its claims are left alone.
    """
    stored = tools.transaction.claims.of_turn(turn.id)
    by_default = [one for one in stored if is_default_reader(one.reader)]
    replaced = any(claim.status is ClaimStatus.REPLACED for claim in by_default)
    if replaced or any(one.message >= 0 and not is_default_reader(one.reader) for one in stored):
        return None
    was = {claim.id: claim for claim in by_default if claim.message >= 0}
    now = {claim.id: claim for claim in _read_stored(turn, steps, tools)}
    same_words = {_content_of(claim): claim for claim in was.values()}
    kept: set[str] = set()
    for claim in now.values():
        old = was.get(claim.id) or same_words.get(_content_of(claim))
        if old is not None and old.status is claim.status:
            kept |= {old.id, claim.id}
    gone = [claim for claim in was.values() if claim.id not in kept]
    return ClaimChanges(gone, [claim for claim in now.values() if claim.id not in kept])


def _content_of(claim: Claim) -> tuple[str, ...]:
    said = canonical_json([claim.value, dict(claim.fields), dict(claim.detail)])
    return claim.message_id or "", str(claim.start), claim.group, claim.say.value, said


def apply_changes(
    turn: Turn, changes: ClaimChanges, now: datetime, *, tools: WriteTools
) -> list[Memory]:
    """Put claims in the place of others, fold what they touch, return the memories that change."""
    outcome, written = replace_claims(turn, changes, now, tools=tools)
    tools.transaction.remembering.keep_explanation(turn.id, outcome.explain(), now)
    return written


def replace_claims(
    turn: Turn, changes: ClaimChanges, now: datetime, *, tools: WriteTools
) -> tuple[FoldOutcome, list[Memory]]:
    """Put claims of a turn in the place of others; return what becomes of them, and memories."""
    ports, rules = tools.ports, tools.rules
    writes = WriteSet.of_turn(turn, now, tools.transaction, ports, rules)
    gone, replaced, new = changes.gone, changes.replaced, changes.new
    outcome = fold_again((), gone=gone, replaced=replaced, new=new, writes=writes, rules=rules)
    episode = episode_of(ports.types.get("episodes"), turn.session_id, turn.id).id
    link_named([writes.get(one) for one in (*outcome.written, *outcome.repeated)], episode, writes)
    writes.write()
    writes.ask_for_review(outcome.to_review)
    return outcome, writes.written()


def read_claims(step: Turn, previous: Turn | None, *, tools: WriteTools) -> list[Claim]:
    """Return the claims that a step would make which is not stored."""
    origin = ClaimOrigin(turn_id=step.id, session_id=step.session_id, said_at=step.at)
    return _read_step(Recorded(step, step), previous, origin, tools)[0]


def _read_stored(spans: Turn, steps: Sequence[int], tools: WriteTools) -> list[Claim]:
    """Return the claims of a stored turn, read step by step as it grew."""
    rows, ports = tools.transaction, tools.ports
    turn = readable(spans, transaction=rows, ports=ports)
    before, _ = rows.remembering.neighbours(turn.id)
    previous = turn_of(before, transaction=rows, ports=ports)
    found: list[Claim] = []
    first, hidden = 0, is_unsaid(turn.id, transaction=rows, ports=ports)
    for count in steps or (len(turn.messages),):
        last = first + count
        own = replace(turn, messages=turn.messages[first:last])
        part = replace(spans, messages=spans.messages[first:last])
        stored = replace(turn, messages=turn.messages[:first]) if first else None
        recorded = Recorded(own, part, stored)
        origin = ClaimOrigin.of_step(recorded, off_record=hidden)
        claims, hidden = _read_step(recorded, stored or previous, origin, tools)
        found += claims
        first = last
    return found


def _read_step(
    recorded: Recorded, previous: Turn | None, origin: ClaimOrigin, tools: WriteTools
) -> tuple[list[Claim], bool]:
    """Return the claims of the words of a step, and whether they are off the record."""
    rows, rules, types = tools.transaction, tools.rules, tools.ports.types
    ontology = extend_ontology(rules.ontology.attributes)
    said = spoken(replace(recorded.said, tool_calls=(), proposals={}), rules=rules)
    read = read_turn(said, previous, ontology=ontology, off_record=origin.off_record)
    claims, _ = claim_statements(
        read.statements, recorded, origin, transaction=rows, types=types, rules=rules
    )
    return claims, read.off_record


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
    gone = [one for one in transaction.claims.of_turn(before or "") if one.message >= 0]
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
    name = episode_of(types.get("episodes"), session_id, turn_id).id
    return transaction.memories.get([name]).get(name)
