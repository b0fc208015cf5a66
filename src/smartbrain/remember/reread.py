"""Reading stored turns again, and folding what comes of it otherwise (K12).

In: a turn that arrived late, whose next turn leans on it, or any stored turn that is to be read
with the present reader. Out: the claims that come and go, and the memories that change by it.
Claims that say what they said stay as they are, and so does what a language model has read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from smartbrain.domain.claim import CLOSES, Claim, ClaimStatus
from smartbrain.domain.result import CommitExplain
from smartbrain.govern.turn_state import spoken
from smartbrain.remember.before import readable, turn_of
from smartbrain.remember.claims import (
    FINDERS,
    READER,
    claims_of,
    is_default_reader,
    part_notes,
    without_unremembered,
)
from smartbrain.remember.claims import Origin as ClaimOrigin
from smartbrain.remember.episode import episode_of
from smartbrain.remember.extract.corrections_instead import each_apart
from smartbrain.remember.extract.turn import Read, read_step
from smartbrain.remember.gate import gate
from smartbrain.remember.groups import fold_again
from smartbrain.remember.link import link_named
from smartbrain.remember.off_record import claims_off_record
from smartbrain.remember.origin import Origin
from smartbrain.remember.quotes import quoted
from smartbrain.remember.reader.statements import claim_statements, trained_ontology
from smartbrain.remember.record import Recorded
from smartbrain.remember.remarks import find_remarks
from smartbrain.remember.review import ask_for_review
from smartbrain.remember.speakers import by_speaker
from smartbrain.remember.write_set import WriteSet
from smartbrain.text.ontology import extend_ontology

if TYPE_CHECKING:
    from smartbrain.domain.memory import Memory
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.turn import Turn
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction
    from smartbrain.remember.gate import Judged


class ClaimChanges(NamedTuple):
    """The claims of a turn that are not made any more, and those that are made now."""

    gone: Sequence[Claim] = ()
    new: Sequence[Claim] = ()


def reread_next_turn(
    late: Recorded, *, transaction: Transaction, ports: Ports, rules: Rules
) -> list[Memory]:
    """Read the turn after one that arrived late again; return the memories that change by it."""
    following = transaction.remembering.neighbours(late.said.id)[1] if late.is_late else None
    if following is None:
        return []
    turn = transaction.events.turn(following)
    changes = find_changes(turn, (), transaction=transaction, ports=ports, rules=rules)
    if changes is None or not (changes.gone or changes.new):
        return []
    now = late.said.created_at
    return apply_changes(turn, changes, now, transaction=transaction, ports=ports, rules=rules)


def find_changes(
    turn: Turn,
    steps: Sequence[int],
    *,
    transaction: Transaction,
    ports: Ports,
    rules: Rules,
) -> ClaimChanges | None:
    """Return what changes in the claims of a stored turn when it is read again.

    Args:
        turn: the turn as it is stored.
        steps: the number of messages of each commit that it grew by, if it grew.
        transaction: the truth.
        ports: where texts are, and the types of memories.
        rules: what decides about candidates.

    Returns:
        None if a language model has read the turn: its claims are left alone.
    """
    stored = transaction.claims.of_turn(turn.id)
    by_default = [one for one in stored if is_default_reader(one.reader)]
    in_words = [one for one in stored if one.message >= 0]
    replaced = any(claim.status is ClaimStatus.REPLACED for claim in by_default)
    if replaced or any(not is_default_reader(claim.reader) for claim in in_words):
        return None
    was = {claim.id: claim for claim in by_default if claim.message >= 0}
    judged = _judge(turn, steps, transaction=transaction, ports=ports, rules=rules)
    now: dict[str, Claim] = {}
    kept: set[str] = set()
    for origin, words, stated in judged:
        said = _claims(words, origin, was, transaction=transaction, ports=ports, rules=rules)
        now |= {claim.id: claim for claim in (*said, *stated)}
        for reader in {claim.reader for claim in was.values()} - {FINDERS, READER}:
            before = msgspec.structs.replace(origin, reader=reader)
            same = _claims(words, before, was, transaction=transaction, ports=ports, rules=rules)
            pairs = zip(said, same, strict=True)
            kept |= {one for claim, old in pairs if old.id in was for one in (claim.id, old.id)}
    gone = [claim for one, claim in was.items() if one not in now and one not in kept]
    return ClaimChanges(gone, [one for one in now.values() if one.id not in {*was, *kept}])


def apply_changes(
    turn: Turn,
    changes: ClaimChanges,
    now: datetime,
    *,
    transaction: Transaction,
    ports: Ports,
    rules: Rules,
) -> list[Memory]:
    """Put claims in the place of others, fold what they touch, return the memories that change."""
    origin = Origin(turn_id=turn.id, session_id=turn.session_id, said_at=turn.at, now=now)
    writes = WriteSet(transaction, ports.types, origin, rules.policies.linking.edge_weight)
    groups = [claim.group for claim in (*changes.gone, *changes.new)]
    outcome = fold_again(groups, gone=changes.gone, new=changes.new, writes=writes, rules=rules)
    episode = episode_of(ports.types.get("episodes"), turn.session_id, turn.id).id
    link_named([writes.get(one) for one in (*outcome.written, *outcome.repeated)], episode, writes)
    writes.write()
    ask_for_review(outcome.to_review, writes=writes)
    explain = CommitExplain(retention=tuple(outcome.retention), conflicts=tuple(outcome.conflicts))
    transaction.remembering.keep_explanation(turn.id, explain, now)
    return writes.written()


def read_claims(
    step: Turn, previous: Turn | None, *, transaction: Transaction, ports: Ports, rules: Rules
) -> list[Claim]:
    """Return the claims that a step would make which is not stored."""
    recorded = Recorded(step, step)
    judged, read = _judge_step(
        recorded, previous, transaction=transaction, ports=ports, rules=rules
    )
    origin = ClaimOrigin(
        turn_id=step.id, session_id=step.session_id, said_at=step.at, off_record=read.off_record
    )
    stated, _ = claim_statements(
        read.statements, recorded, origin, transaction=transaction, types=ports.types, rules=rules
    )
    found = _claims(judged, origin, {}, transaction=transaction, ports=ports, rules=rules)
    return [*found, *stated]


def _judge(
    spans: Turn, steps: Sequence[int], *, transaction: Transaction, ports: Ports, rules: Rules
) -> list[tuple[ClaimOrigin, list[Judged], list[Claim]]]:
    """Return what passes the gate of each step of a stored turn, where it comes from, and claims.

    The claims are those of the trained reader.
    """
    turn = readable(spans, transaction=transaction, ports=ports)
    before, _ = transaction.remembering.neighbours(turn.id)
    previous = turn_of(before, transaction=transaction, ports=ports)
    judged = []
    first, hidden = 0, False
    for count in steps or (len(turn.messages),):
        last = first + count
        own = replace(turn, messages=turn.messages[first:last])
        part = replace(spans, messages=spans.messages[first:last])
        stored = replace(turn, messages=turn.messages[:first]) if first else None
        recorded = Recorded(own, part, stored)
        words, read = _judge_step(
            recorded,
            stored or previous,
            transaction=transaction,
            ports=ports,
            rules=rules,
            off_record=hidden,
        )
        origin = ClaimOrigin(
            turn_id=turn.id,
            session_id=turn.session_id,
            place=turn.seq,
            first_message=first,
            said_at=turn.at,
            off_record=read.off_record,
        )
        stated, _ = claim_statements(
            read.statements,
            recorded,
            origin,
            transaction=transaction,
            types=ports.types,
            rules=rules,
        )
        judged.append((origin, words, stated))
        first, hidden = last, read.off_record
    return judged


def _judge_step(
    recorded: Recorded,
    previous: Turn | None,
    *,
    transaction: Transaction,
    ports: Ports,
    rules: Rules,
    off_record: bool = False,
) -> tuple[list[Judged], Read]:
    """Return what passes the gate of a step, and what was read of it."""
    step = replace(recorded.said, tool_calls=(), proposals={})
    read = read_step(
        spoken(step, rules=rules),
        lambda: previous,
        off_record=off_record,
        trained=trained_ontology(rules),
    )
    own = by_speaker(each_apart(read.candidates), recorded, transaction=transaction)
    judged = gate([*own, *find_remarks(read, previous)], types=ports.types, rules=rules)
    return without_unremembered([quoted(one, recorded) for one in judged]), read


def _claims(
    judged: Sequence[Judged],
    origin: ClaimOrigin,
    was: dict[str, Claim],
    *,
    transaction: Transaction,
    ports: Ports,
    rules: Rules,
) -> list[Claim]:
    """Return the claims of what passed the gate; a note counts where nothing else does."""
    ontology = extend_ontology(rules.ontology.attributes)
    plain, notes = part_notes(judged)
    claims = claims_of(plain, origin, types=ports.types, ontology=ontology)
    if origin.off_record:
        claims = claims_off_record(claims, transaction.claims)
    if notes and not _decides(claims, was, transaction):
        claims += claims_of(notes, origin, types=ports.types, ontology=ontology)
    return claims


def _decides(claims: Sequence[Claim], was: dict[str, Claim], transaction: Transaction) -> bool:
    """Tell whether claims state something, or have ended something."""
    if any(claim.say not in CLOSES for claim in claims):
        return True
    return bool(transaction.claims.memories(claim.id for claim in claims if claim.id in was))
