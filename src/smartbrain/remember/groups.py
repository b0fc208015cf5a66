"""Folding the groups that new claims touch, and writing the difference (K2, M4).

In: the claims of a commit, or of an operation. Out: memories as they hold now, and what became of
each claim. Said after everything else in its group, a claim is one step on top of what is stored;
otherwise all claims of the group are folded again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final

from smartbrain.domain.claim import Claim, ClaimStatus, Say
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import OVER, Memory, Status
from smartbrain.domain.reason import by_rule
from smartbrain.domain.result import ConflictOutcome, Retention, RetentionAction
from smartbrain.errors import UsageError
from smartbrain.remember.claims import UNFOLDED, WORDED, claims_of, part_notes, without_unremembered
from smartbrain.remember.direct import write_node
from smartbrain.remember.episode import episode_of
from smartbrain.remember.fold.fold import fold_claims
from smartbrain.remember.fold.keyed import has_many
from smartbrain.remember.fold.rules import NOTHING_TO_END
from smartbrain.remember.fold.state import (
    CORRECTION,
    Chain,
    Clash,
    Decision,
    Folded,
    FoldRules,
    Version,
    version_id,
)
from smartbrain.remember.fold.worded import MAX_FITTING
from smartbrain.remember.off_record import claims_off_record
from smartbrain.remember.subjects import PEOPLE, subject_slugs
from smartbrain.remember.version_rows import FoldOutcome, write_chain
from smartbrain.text.ontology import extend_ontology

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.remember.claims import Origin as ClaimOrigin
    from smartbrain.remember.gate import Judged
    from smartbrain.remember.write_set import WriteSet
    from smartbrain.text.ontology import Ontology

_HOLDS: Final = (Status.ACTIVE, Status.ARCHIVED, Status.DEPRECATED)
_STEPS: Final = frozenset((Say.ASSERT, Say.DOING, Say.BLOCKED, Say.DONE, Say.END))
_OWN_PROFILE: Final = "profile:user"
_SAID_SINCE: Final = "it was said again after it was denied"


@dataclass(frozen=True, slots=True)
class _Group:
    """Groups to be folded as one: their claims, and what is stored; `whole` if that is all."""

    members: tuple[str, ...]
    claims: Sequence[Claim]
    chains: Sequence[Chain]
    stored: Mapping[str, Memory]
    whole: bool

    @property
    def name(self) -> str:
        """The first of the groups, whose type is that of all."""
        return self.members[0]


def fold_new_claims(claims: Sequence[Claim], *, writes: WriteSet, rules: Rules) -> FoldOutcome:
    """Store claims and fold the groups that they touch."""
    ontology = extend_ontology(rules.ontology.attributes)
    refold = {claim.group for claim in claims if not _can_step(claim, ontology)}
    fresh: dict[str, list[Claim]] = {}
    for claim in claims:
        fresh.setdefault(claim.group, []).append(claim)
    stored = writes.transaction.claims
    for group, told in fresh.items():
        last = stored.last_place(group)
        first = min((claim.said_at, claim.session_id, claim.place) for claim in told)
        if last is not None and first <= last:
            refold.add(group)
    stored.add(claims)
    outcome, new = FoldOutcome(), {claim.id for claim in claims}
    for members in _fold_units(fresh, writes):
        loaded = None
        if len(members) == 1 and members[0] not in refold:
            loaded = _load_heads(members[0], fresh[members[0]], writes)
        if loaded is None or _needs_whole(loaded):
            loaded = _load_whole(members, writes)
        _fold_group(loaded, new, outcome, writes=writes, rules=rules)
    return outcome


def fold_again(
    groups: Iterable[str],
    *,
    gone: Sequence[Claim] = (),
    replaced: Sequence[Claim] = (),
    new: Sequence[Claim] = (),
    writes: WriteSet,
    rules: Rules,
) -> FoldOutcome:
    """Fold groups again from all their claims, after some have come, gone or been read anew."""
    outcome, stored = FoldOutcome(), writes.transaction.claims
    touched = [*groups, *(claim.group for claim in (*gone, *replaced, *new))]
    before = _load_units(touched, writes)
    stored.delete(claim.id for claim in gone)
    stored.set_status((claim.id for claim in replaced), ClaimStatus.REPLACED)
    stored.add(new)
    again = _load_units([member for group in before for member in group.members], writes)
    kept = {row_id for group in again for row_id in group.stored}
    left = {row.id: row for group in before for row in group.stored.values() if row.id not in kept}
    for row in left.values():
        if row.deleted_at is None:
            writes.drop(row)
    for group in again:
        _fold_group(group, {claim.id for claim in new}, outcome, writes=writes, rules=rules)
    return outcome


def claim_and_fold(
    judged: Sequence[Judged],
    origin: ClaimOrigin,
    *,
    also: Sequence[Claim] = (),
    writes: WriteSet,
    rules: Rules,
) -> FoldOutcome:
    """Make claims of candidates that passed the gate, fold them, and report on all of them.

    `also` are claims that the trained reader has made.
    """
    outcome = FoldOutcome()
    judged = without_unremembered(judged)
    for one in judged:
        if one.refused is not None:
            outcome.retention.append(_refusal(one))
        elif one.candidate.type in UNFOLDED:
            write_node(one, outcome, writes=writes, rules=rules)
    plain, notes = part_notes(judged)
    ontology = extend_ontology(rules.ontology.attributes)
    claims = [*claims_of(plain, origin, types=writes.types, ontology=ontology), *also]
    if origin.off_record:
        claims = claims_off_record(claims, writes.transaction.claims)
    folded = fold_new_claims(claims, writes=writes, rules=rules)
    if notes and all(one.code == NOTHING_TO_END for one in folded.retention):
        noted = fold_new_claims(
            claims_of(notes, origin, types=writes.types, ontology=ontology),
            writes=writes,
            rules=rules,
        )
        folded.retention += noted.retention
        folded.written |= noted.written
        folded.repeated |= noted.repeated
    folded.retention[:0] = outcome.retention
    folded.written |= outcome.written
    folded.repeated |= outcome.repeated
    return folded


def _refusal(judged: Judged) -> Retention:
    """Say that a candidate did not pass the gate."""
    reason = judged.refused
    assert reason is not None
    return Retention(
        type=judged.candidate.type,
        key=judged.key,
        action=RetentionAction.REFUSED,
        code=reason.code,
        reason=by_rule(reason.reason, judged.candidate.rule),
    )


def _can_step(claim: Claim, ontology: Ontology) -> bool:
    """Tell whether what a claim does is known from what stands alone."""
    if claim.group == PEOPLE or has_many(claim, ontology):
        return False
    plain = claim.status is ClaimStatus.COUNTED and claim.say in _STEPS
    return plain and not claim.detail.get("corrects") and "elects" not in claim.detail


def _fold_group(
    group: _Group, new: set[str], outcome: FoldOutcome, *, writes: WriteSet, rules: Rules
) -> None:
    """Fold a group and write what changes."""
    if not group.claims and not group.stored:
        return
    kind = writes.types.get(group.name.partition(":")[0])
    fold_rules = FoldRules(
        kind=kind,
        ontology=extend_ontology(rules.ontology.attributes),
        conflicts=rules.policies.conflicts,
        same_event_days=rules.policies.linking.same_event_days,
    )
    folded = fold_claims(group.claims, fold_rules, group.chains, new)
    by_chain: dict[str, dict[str, Memory]] = {}
    for memory in group.stored.values():
        by_chain.setdefault(memory.key, {})[memory.id] = memory
    kept = {version.id for chain in folded.chains for version in chain.versions}
    for memory in group.stored.values():
        if group.whole and memory.id not in kept and memory.deleted_at is None:
            writes.drop(memory)
    for chain in folded.chains:
        mine = {
            version.id: group.stored[version.id]
            for version in chain.versions
            if version.id in group.stored
        }
        if chain.versions:
            write_chain(chain, mine, kind=kind, writes=writes, rules=rules, whole=group.whole)
    _assign_claims(folded, group, writes)
    _report(folded, new, outcome)


def _needs_whole(group: _Group) -> bool:
    """Tell whether somebody else than the user says something, and more than the heads decides."""
    sources = {claim.source.value for claim in group.claims if not claim.is_users}
    if not sources:
        return False
    if group.name.startswith("profile:"):
        return True  # a version does not tell who said each of its facts
    closed = any(
        row.status is Status.RETRACTED or (row.status is Status.SUPERSEDED and OVER in row.tags)
        for row in group.stored.values()
    )
    if closed or group.name == "tasks":  # anybody may report how far a task is
        return closed
    return any(row.provenance.creator not in sources for row in group.stored.values())


def _fold_units(groups: Iterable[str], writes: WriteSet) -> list[tuple[str, ...]]:
    """Return groups as they are folded: one by one, but all that speak of known people at once.

    A profile that somebody was given by its key is that of whoever goes by its name (K10).
    """
    wanted = list(dict.fromkeys(groups))
    others = [one for one in wanted if one.startswith("profile:") and one != _OWN_PROFILE]
    if not others:
        return [(one,) for one in wanted]
    said = writes.transaction.claims.in_groups([PEOPLE])
    known = {PEOPLE, *(f"profile:{name}" for name in subject_slugs(said))} - {_OWN_PROFILE}
    alone: list[tuple[str, ...]] = [(one,) for one in wanted if one not in known]
    return alone if len(alone) == len(wanted) else [*alone, (PEOPLE, *sorted(known - {PEOPLE}))]


def _load_units(groups: Iterable[str], writes: WriteSet) -> list[_Group]:
    return [_load_whole(members, writes) for members in _fold_units(groups, writes)]


def _load_whole(members: tuple[str, ...], writes: WriteSet) -> _Group:
    """Read all claims of groups and every version that they are part of."""
    transaction = writes.transaction
    claims = transaction.claims.in_groups(members)
    ids = {version_id(claim.id) for claim in claims}  # deleted ones too: they may come back
    ids.update(transaction.claims.memories(claim.id for claim in claims).values())
    stored = {one.id: writes.adopt(one) for one in transaction.memories.get(sorted(ids)).values()}
    return _Group(members, claims, (), stored, whole=True)


def _load_heads(group: str, told: Sequence[Claim], writes: WriteSet) -> _Group:
    """Read the versions that new claims may speak of: what stands, and what was said last."""
    type_name = group.partition(":")[0]
    remembering = writes.transaction.remembering
    if type_name in WORDED:
        rows = remembering.newest(type_name, limit=MAX_FITTING)
        rows += remembering.newest(type_name, limit=MAX_FITTING, put_away=True)
        keys = {_key_or_none(claim, writes) for claim in told} - {row.key for row in rows}
    else:
        rows, keys = [], {_key_or_none(claim, writes) for claim in told}
        last = writes.transaction.claims.last_memory(group)
        if last is not None:
            keys.add(last)
    others = any(not claim.is_users for claim in told)
    rows += remembering.heads(type_name, sorted(filter(None, keys)), rejected=others)
    stored = {row.id: writes.adopt(row) for row in rows}
    chains: dict[str, Chain] = {}
    for row in sorted(
        stored.values(), key=lambda one: (one.valid_since or one.said_at, one.version)
    ):
        chain = chains.setdefault(row.key, Chain(row.key))
        version = _version_of(row)
        chain.versions.append(version)
        if row.status in _HOLDS:
            chain.active = version
        elif row.status is Status.DISPUTED:
            chain.disputed.append(version)
    return _Group((group,), told, list(chains.values()), stored, whole=False)


def _in_time(row: Memory) -> tuple[datetime, int]:
    return row.valid_since or row.said_at, row.version


def _key_or_none(claim: Claim, writes: WriteSet) -> str:
    """Return the key that a claim would give a memory of its own."""
    if named := claim.detail.get("key"):
        return str(named)
    try:
        return writes.types.get(claim.type).key_of(claim.fields)
    except UsageError:
        return ""


def _version_of(row: Memory) -> Version:
    """Return a stored memory as a version on which claims are folded."""
    status = Status.ACTIVE if row.status in _HOLDS else row.status
    source = row.source_turn_id or row.source_operation_id or ""
    return Version(
        ref=row.id,
        key=row.key,
        value=row.value,
        said_at=row.said_at,
        since=row.valid_since or row.said_at,
        source=row.provenance.creator,
        told_in=source,
        confidence=row.confidence,
        text=row.text,
        status=status,
        until=row.valid_until,
        frequency=row.frequency,
        tags=row.tags,
    )


def _assign_claims(folded: Folded, group: _Group, writes: WriteSet) -> None:
    """Let claims be part of the versions they found, repeat or end; tie those to turns."""
    now: dict[str, str] = {}
    founded: set[str] = set()
    for chain in folded.chains:
        for version in chain.versions:
            if version.founder is not None:
                now[version.founder.id] = version.id
                founded.add(version.founder.id)
            now |= dict.fromkeys(version.repeats or (), version.id)
    ends = {
        claim: version.id
        for chain in folded.chains
        for version in chain.versions
        for claim in version.closing
        if claim not in now
    }
    claims = {claim.id: claim for claim in group.claims}
    before = writes.transaction.claims.memories(claims)
    assigned: dict[str, str | None] = {}
    for claim_id, claim in claims.items():
        memory, was = now.get(claim_id) or ends.get(claim_id), before.get(claim_id)
        if memory == was:
            continue
        assigned[claim_id] = memory
        if claim.turn_id is None or claim_id in ends:
            continue
        episode = _episode_id(claim, writes)
        if was is not None:
            writes.cut(was, EdgeType.DERIVED_FROM, episode)
            writes.cut(episode, EdgeType.SUPPORTS, was)
        if memory is None:
            continue
        sure = claim.confidence
        if claim_id in founded:
            writes.link(memory, EdgeType.DERIVED_FROM, episode, confidence=sure)
        else:
            writes.link(episode, EdgeType.SUPPORTS, memory, confidence=sure)
    if assigned:
        writes.transaction.claims.assign(assigned)


def _episode_id(claim: Claim, writes: WriteSet) -> str:
    """Return the id of the episode of a claim's turn."""
    return episode_of(writes.types.get("episodes"), claim.session_id, claim.turn_id or "").id


def _report(folded: Folded, new: set[str], outcome: FoldOutcome) -> None:
    """Say what became of the new claims of a group."""
    active = {chain.key: chain.active for chain in folded.chains if chain.active is not None}
    kept = {version.id for chain in folded.chains for version in chain.versions}
    for decision in folded.decisions:
        if decision.claim.id not in new:
            continue
        outcome.retention.append(_retention(decision, active))
        if decision.claim.detail.get("deed") or decision.claim.detail.get("spoken"):
            outcome.reached.add(decision.claim.message)
        version = decision.version
        if version is None or version.id not in kept:
            continue
        if version.founder is not None and version.founder.id == decision.claim.id:
            outcome.written[version.id] = None
        elif decision.action is RetentionAction.MERGED:
            outcome.repeated[version.id] = None
    for clash in folded.clashes:
        ours = [one for one in (clash.winner, clash.loser) if one is not None and one.founder]
        fresh = clash.claim.id in new or any(
            one.founder is not None and one.founder.id in new for one in ours
        )
        if not fresh:
            continue
        outcome.conflicts.append(_conflict(clash))
        disputed = clash.loser.status is Status.DISPUTED and clash.winner is not None
        if clash.to_review and disputed and clash.winner is not None:
            outcome.to_review.append((clash.winner.id, clash.loser.id))


def _retention(decision: Decision, active: Mapping[str, Version]) -> Retention:
    """Return what became of a claim, as it holds after all that was said later."""
    claim, version = decision.claim, decision.version
    action, code, reason = decision.action, decision.code, decision.reason
    if version is not None and action in (RetentionAction.WRITTEN, RetentionAction.MERGED):
        founded = version.founder is not None and version.founder.id == claim.id
        if founded and version.status is Status.SUPERSEDED:
            action, code = RetentionAction.SUPERSEDED, "older_than_active"
            reason = "it was said before what stands"
        elif version.status is Status.RETRACTED:
            action, code, reason = (
                RetentionAction.RETRACTED,
                "older_than_denial",
                "it was denied later",
            )
            if CORRECTION in version.tags or not version.closing:
                code, reason = "corrected", "the user corrected it later"
    elif code == NOTHING_TO_END and _is_said_since(decision, active):
        code, reason = "older_than_active", _SAID_SINCE
    return Retention(
        type=claim.type,
        key=decision.key or str(claim.detail.get("key") or ""),
        action=action,
        code=code,
        reason=by_rule(reason, claim.rule),
    )


def _is_said_since(decision: Decision, active: Mapping[str, Version]) -> bool:
    """Tell whether what a claim denies was said again after it."""
    version = active.get(decision.key)
    return version is not None and version.said_at > decision.claim.said_at


def _conflict(clash: Clash) -> ConflictOutcome:
    """Return how a clash ended, as a commit reports it."""
    winner = clash.winner
    return ConflictOutcome(
        rule=clash.rule,
        type=clash.claim.type,
        key=clash.loser.key,
        code=clash.code,
        reason=clash.reason,
        active_id=winner.id if winner else None,
        other_id=clash.loser.id,
        other_status=clash.loser.status,
        fields=clash.fields,
        dimension=clash.dimension,
    )
