"""Reading a turn again, when the one before it in its session arrives after it (K12).

In: a turn that arrived late. Out: the claims of the next turn, read now that it is known what they
lean on, and the memories that change by it. Claims that say what they said stay as they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from smartbrain.domain.claim import Claim, ClaimStatus
from smartbrain.domain.result import CommitExplain
from smartbrain.govern.turn_state import spoken
from smartbrain.remember.before import readable
from smartbrain.remember.claims import FINDERS, claims_of
from smartbrain.remember.claims import Origin as ClaimOrigin
from smartbrain.remember.episode import episode_of
from smartbrain.remember.extract.corrections_instead import each_apart
from smartbrain.remember.extract.turn import read_step
from smartbrain.remember.gate import gate
from smartbrain.remember.groups import fold_again
from smartbrain.remember.link import link_named
from smartbrain.remember.off_record import claims_off_record
from smartbrain.remember.origin import Origin
from smartbrain.remember.quotes import quoted
from smartbrain.remember.record import Recorded
from smartbrain.remember.remarks import find_remarks
from smartbrain.remember.review import ask_for_review
from smartbrain.remember.speakers import by_speaker
from smartbrain.remember.write_set import WriteSet
from smartbrain.text.ontology import extend_ontology

if TYPE_CHECKING:
    from smartbrain.domain.memory import Memory
    from smartbrain.domain.policy import Rules
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction


def reread_next_turn(
    late: Recorded, *, transaction: Transaction, ports: Ports, rules: Rules
) -> list[Memory]:
    """Read the turn after one that arrived late again; return the memories that change by it."""
    following = transaction.remembering.neighbours(late.said.id)[1] if late.is_late else None
    if following is None:
        return []
    stored = transaction.claims.of_turn(following)
    if any(claim.status is ClaimStatus.REPLACED for claim in stored):
        return []  # a language model has read it
    was = {claim.id: claim for claim in stored if claim.reader == FINDERS and claim.message >= 0}
    now = {
        claim.id: claim
        for claim in _read_turn(following, late, transaction=transaction, ports=ports, rules=rules)
        if claim.message >= 0
    }
    gone = [claim for one, claim in was.items() if one not in now]
    new = [claim for one, claim in now.items() if one not in was]
    if not gone and not new:
        return []
    return _refold(following, gone, new, late, transaction=transaction, ports=ports, rules=rules)


def _read_turn(
    turn_id: str, before: Recorded, *, transaction: Transaction, ports: Ports, rules: Rules
) -> list[Claim]:
    """Return what a stored turn claims, said after another one."""
    spans = transaction.events.turn(turn_id)
    turn = Recorded(readable(spans, transaction=transaction, ports=ports), spans)
    read = read_step(spoken(turn.said, rules=rules), lambda: before.said)
    own = by_speaker(each_apart(read.candidates), turn, transaction=transaction)
    judged = gate([*own, *find_remarks(read, before.said)], types=ports.types, rules=rules)
    origin = ClaimOrigin(
        turn_id=turn_id, session_id=spans.session_id, place=spans.seq, said_at=spans.at
    )
    ontology = extend_ontology(rules.ontology.attributes)
    words = [quoted(one, turn) for one in judged]
    claims = claims_of(words, origin, types=ports.types, ontology=ontology)
    return claims_off_record(claims, transaction.claims) if read.off_record else claims


def _refold(
    turn_id: str,
    gone: list[Claim],
    new: list[Claim],
    late: Recorded,
    *,
    transaction: Transaction,
    ports: Ports,
    rules: Rules,
) -> list[Memory]:
    """Put claims in the place of others and fold what they touch."""
    session, said_at = late.said.session_id, transaction.events.turn(turn_id).at
    origin = Origin(turn_id=turn_id, session_id=session, said_at=said_at, now=late.said.created_at)
    weighing = rules.policies.linking.edge_weight
    writes = WriteSet(transaction, ports.types, origin, weighing)
    groups = [claim.group for claim in (*gone, *new)]
    outcome = fold_again(groups, gone=gone, new=new, writes=writes, rules=rules)
    episode = episode_of(ports.types.get("episodes"), session, turn_id).id
    link_named([writes.get(one) for one in (*outcome.written, *outcome.repeated)], episode, writes)
    writes.write()
    ask_for_review(outcome.to_review, writes=writes)
    explain = CommitExplain(retention=tuple(outcome.retention), conflicts=tuple(outcome.conflicts))
    transaction.remembering.keep_explanation(turn_id, explain, late.said.created_at)
    return writes.written()
