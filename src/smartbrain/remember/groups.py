"""Folding the groups that new claims touch, and writing the difference (K2, M3, M4, M5).

In: the claims of a commit, or of an operation. Out: memories as they hold now, and what became of
each claim. Said after everything else in its group, a claim is one step on top of what is stored;
otherwise all claims of the group are folded again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import msgspec

from smartbrain.domain.claim import SELF, CandidateAction, Claim, ClaimStatus, Say, Source
from smartbrain.domain.forgetting import ClosedClaim
from smartbrain.domain.graph import EdgeType, Provenance
from smartbrain.domain.memory import OVER, Memory, Privacy, Scope, Status
from smartbrain.domain.memory_type import ConflictClass, MemoryType
from smartbrain.domain.policy import Rules
from smartbrain.domain.reason import by_rule
from smartbrain.domain.result import CommitExplain, ConflictOutcome, Retention, RetentionAction
from smartbrain.errors import UsageError
from smartbrain.ports.truth import Claims
from smartbrain.remember.claims import UNFOLDED, WORDED, ClaimOrigin, claims_of
from smartbrain.remember.episode import episode_of, title_of
from smartbrain.remember.fold.fold import fold_claims
from smartbrain.remember.fold.rules import NOTHING_TO_END, has_many
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
from smartbrain.remember.subjects import PEOPLE, subject_slugs
from smartbrain.text.keywords import keywords_of
from smartbrain.text.language import plain_text
from smartbrain.text.ontology import Ontology, extend_ontology

if TYPE_CHECKING:
    from smartbrain.remember.gate import Judged
    from smartbrain.remember.write_set import WriteSet

_IMPORTANCE: Final = {"profile": 0.8, "decisions": 0.8, "goals": 0.8, "tasks": 0.7}
_IMPORTANCE_ELSE: Final = 0.6
_LABELS: Final = 8  # keywords of what is known; an episode tells more, and has more
_PUT_AWAY: Final = (Status.ARCHIVED, Status.DEPRECATED, Status.EXPIRED)


@dataclass(slots=True)
class FoldOutcome:
    """What became of the claims of a commit: reasons, conflicts, and the versions they are in."""

    retention: list[Retention] = field(default_factory=list)
    conflicts: list[ConflictOutcome] = field(default_factory=list)
    written: dict[str, None] = field(default_factory=dict)
    repeated: dict[str, None] = field(default_factory=dict)
    to_review: list[tuple[str, str]] = field(default_factory=list)

    def explain(self, retention: Iterable[Retention] = (), **more: Any) -> CommitExplain:
        """Return what is told of it, with all that was kept or left out."""
        told = tuple(retention or self.retention)
        return CommitExplain(retention=told, conflicts=tuple(self.conflicts), **more)


def write_chain(
    chain: Chain,
    stored: Mapping[str, Memory],
    *,
    kind: MemoryType,
    writes: WriteSet,
    rules: Rules,
    whole: bool,
) -> None:
    """Make the rows of a memory match its versions; `whole` if these are all that it has."""
    changed = [
        (version, row, _changed_row(version, row, kind) if row is not None else {})
        for version in chain.versions
        for row in (stored.get(version.id),)
    ]
    changed = [one for one in changed if one[1] is None or one[2]]
    if not changed:
        return
    number = writes.last_number(kind.name, chain.key)
    for version, row, changes in changed:
        if row is None:
            number += 1
            writes.put(_new_row(version, kind, number, writes, rules))
            continue
        if row.key != chain.key:
            number += 1
            changes["version"] = number
        writes.put(row, **changes)
    _link_versions(chain, stored, kind=kind, writes=writes, whole=whole)


def labels_of(title: str, text: str, value: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keywords of a memory: those that it was given, else the words it is about.

    They are what a graph without a text index finds it by; how it is called says what a sentence
    may leave out.
    """
    given = value.get("keywords")
    if given and isinstance(given, list | tuple):
        return tuple(dict.fromkeys(map(str, given)))[:_LABELS]
    found = keywords_of(text, _LABELS)
    if title != text and len(found) < _LABELS:
        found = tuple(dict.fromkeys((*found, *keywords_of(title, _LABELS))))[:_LABELS]
    return found


def _new_row(
    version: Version, kind: MemoryType, number: int, writes: WriteSet, rules: Rules
) -> Memory:
    claim, now = version.founder, writes.origin.now
    assert claim is not None
    title, text = _words_of(version, kind)
    return Memory(
        id=version.id,
        type=kind.name,
        title=title,
        text=text,
        version=number,
        source_turn_id=claim.turn_id,
        source_message_id=claim.message_id,
        source_operation_id=claim.operation_id,
        evidence_refs=tuple(claim.detail.get("evidence_refs", ())),
        raw_refs=claim.spans,
        keywords=labels_of(title, text, version.value),
        importance=_IMPORTANCE.get(kind.name, _IMPORTANCE_ELSE),
        privacy=Privacy(claim.pii, Scope(rules.privacy.scope)),
        provenance=Provenance(version.source),
        created_at=now,
        updated_at=now,
        **_state_of(version),
    )


def _state_of(version: Version) -> dict[str, Any]:
    return {
        "key": version.key,
        "value": version.value,
        "confidence": version.confidence,
        "status": version.status,
        "valid_since": version.since,
        "valid_until": version.until,
        "said_at": version.said_at,
        "frequency": version.frequency,
        "tags": version.tags,
        "deleted_at": None,
    }


def _words_of(version: Version, kind: MemoryType) -> tuple[str, str]:
    """Return the title and the text of a version: the words that said it, where they say it all."""
    sentence = " ".join(kind.sentence(version.value).split())
    text = " ".join(version.text.split())
    told = version.value["facts"] if kind.name == "profile" else ()
    claim = version.founder
    speaker = claim.speaker if claim is not None and claim.relation == SELF else ""
    if not text or any(str(fact["v"]) not in text for fact in told) or (told and speaker):
        text = sentence  # a profile also says what was told before, and of whom
    elif speaker:
        text = f"{speaker}: {text}"  # whose words say "I"
    return title_of(sentence or text), text


def _changed_row(version: Version, row: Memory, kind: MemoryType) -> dict[str, Any]:
    """Return the fields in which a stored row is not what its version is now."""
    told = _state_of(version)
    said_again = version.frequency > row.frequency
    put_away = row.status in _PUT_AWAY and row.deleted_at is None
    if put_away and version.status is Status.ACTIVE and not said_again:
        told["status"] = row.status
    if row.value != version.value:
        title, text = _words_of(version, kind)
        told |= {"title": title, "text": text, "keywords": labels_of(title, text, version.value)}
    return {name: new for name, new in told.items() if getattr(row, name) != new}


def _link_versions(
    chain: Chain,
    stored: Mapping[str, Memory],
    *,
    kind: MemoryType,
    writes: WriteSet,
    whole: bool,
) -> None:
    """Tie versions in their order, lead the older ones to the one that holds, oppose facts."""
    order = [version.id for version in chain.versions]
    fresh = {one for one in order if one not in stored}
    following = dict(pairwise(order)) if fresh else {}
    for one in order if fresh and whole else ():
        for edge in writes.transaction.edges.of(one, kind=EdgeType.VERSION_NEXT):
            if following.get(one) != edge.dst:
                writes.cut(one, EdgeType.VERSION_NEXT, edge.dst)
    for one, other in following.items():
        if whole or one in fresh or other in fresh:
            writes.link(one, EdgeType.VERSION_NEXT, other)
    _lead_to_active(chain, stored, writes, whole=whole)
    opposed = {(one.id, other.id): how for one, other, how in chain.opposed}
    opposed |= {(other, one): how for (one, other), how in opposed.items()}
    if whole and kind.on_conflict is ConflictClass.PRIORITY:
        for one in filter(stored.__contains__, order):
            for edge in writes.transaction.edges.of(one, kind=EdgeType.CONTRADICTS):
                if (one, edge.dst) not in opposed:
                    writes.cut(one, EdgeType.CONTRADICTS, edge.dst)
    for (one, other), dimension in opposed.items():
        writes.link(one, EdgeType.CONTRADICTS, other, attrs={"dimension": dimension})


def _lead_to_active(
    chain: Chain, stored: Mapping[str, Memory], writes: WriteSet, *, whole: bool
) -> None:
    """Let every other version lead to the one that holds; where none does, none leads anywhere."""
    edges = writes.transaction.edges
    active = chain.active.id if chain.active else None
    was = [one.id for one in stored.values() if one.status in (Status.ACTIVE, Status.ARCHIVED)]
    if active is None:
        for one in was:
            for edge in edges.of(one, outgoing=False, kind=EdgeType.ACTIVE_OF):
                writes.cut(edge.src, EdgeType.ACTIVE_OF, one)
        return
    writes.cut(active, EdgeType.ACTIVE_OF, active)
    if was == [active] and not any(one.id not in stored for one in chain.versions):
        return
    known = {one.id for one in chain.versions}
    older = [one.id for one in chain.versions if one.id != active]
    if not whole:
        for one in was:
            led = edges.of(one, outgoing=False, kind=EdgeType.ACTIVE_OF)
            older += [edge.src for edge in led if edge.src not in known]
    for src in older:
        writes.link(src, EdgeType.ACTIVE_OF, active)


_HOLDS: Final = (Status.ACTIVE, Status.ARCHIVED, Status.DEPRECATED)
_STEPS: Final = frozenset((Say.ASSERT, Say.DOING, Say.BLOCKED, Say.DONE, Say.END))
_OWN_PROFILE: Final = "profile:user"
_STATED: Final = (RetentionAction.WRITTEN, RetentionAction.MERGED)


class _Group(msgspec.Struct, frozen=True):
    """Groups to be folded as one: their claims, and what is stored; `whole` if that is all."""

    members: tuple[str, ...]
    claims: Sequence[Claim]
    chains: Sequence[Chain]
    stored: Mapping[str, Memory]
    whole: bool

    @property
    def type(self) -> str:
        return self.members[0].partition(":")[0]


def fold_new_claims(claims: Sequence[Claim], *, writes: WriteSet, rules: Rules) -> FoldOutcome:
    """Store claims and fold the groups that they touch."""
    ontology = extend_ontology(rules.ontology.attributes)
    stored, forgettings = writes.transaction.claims, writes.transaction.forgettings
    fresh: dict[str, list[Claim]] = {}
    refold: set[str] = set()
    for claim in claims:
        if _is_alone(claim, stored):
            continue
        fresh.setdefault(claim.group, []).append(claim)
        if not _can_step(claim, ontology):
            refold.add(claim.group)
    for group, told in fresh.items():
        last = stored.last_place(group)
        first = min((claim.said_at, claim.session_id, claim.place) for claim in told)
        if last is not None and first <= last:
            refold.add(group)
    forgotten = forgettings.forgotten(claims)
    claims = [claim for claim in claims if claim.id not in forgotten]
    refold |= {left.group for left in forgettings.closed(fresh)}
    stored.add(claims)
    outcome, new = FoldOutcome(), {claim.id for claim in claims}
    for members in _fold_units(fresh, writes):
        loaded = None
        if len(members) == 1 and members[0] not in refold:
            told = [claim for claim in fresh[members[0]] if claim.id not in forgotten]
            loaded = _load_heads(members[0], told, writes)
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
    before = [_load_whole(members, writes) for members in _fold_units(touched, writes)]
    stored.delete(claim.id for claim in gone)
    stored.set_status((claim.id for claim in replaced), ClaimStatus.REPLACED)
    forgotten = writes.transaction.forgettings.forgotten(new)
    new = [claim for claim in new if claim.id not in forgotten]
    stored.add(new)
    members_before = [member for group in before for member in group.members]
    again = [_load_whole(members, writes) for members in _fold_units(members_before, writes)]
    kept = {row_id for group in again for row_id in group.stored}
    for row in {row.id: row for group in before for row in group.stored.values()}.values():
        if row.id not in kept and row.deleted_at is None:
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
    nodes = FoldOutcome()
    for one in judged:
        if one.refused is not None:
            nodes.retention.append(
                _tell(one, RetentionAction.REFUSED, one.refused.code, one.refused.reason)
            )
        elif one.candidate.type in UNFOLDED:
            nodes.retention.append(_write_node(one, nodes, writes=writes, rules=rules))
    claims = [*claims_of(judged, origin, types=writes.types, rules=rules), *also]
    if origin.off_record:
        claims = [claim for claim in claims if claim.message < 0]  # what its caller proposes
    outcome = fold_new_claims(claims, writes=writes, rules=rules)
    outcome.retention[:0] = nodes.retention
    outcome.written |= nodes.written
    outcome.repeated |= nodes.repeated
    return outcome


def closing_claim(left: ClosedClaim) -> Claim:
    """Return what a forgotten claim leaves: its value is over, whichever it was (J7)."""
    return Claim(
        id=left.claim,
        group=left.group,
        type=left.type,
        attribute=left.attribute,
        say=Say.END,
        detail={"closed": True},
        operation_id=left.forgetting,
        place=left.place,
        said_at=left.said_at,
        source=Source.OPERATION,
    )


def _is_alone(claim: Claim, stored: Claims) -> bool:
    """Tell whether a claim is a candidate that nothing of another session agrees with (K6)."""
    if claim.status is not ClaimStatus.CANDIDATE:
        return False
    said = plain_text(str(claim.value))
    return all(plain_text(str(value)) != said for value in stored.values_waiting(claim))


def _can_step(claim: Claim, ontology: Ontology) -> bool:
    """Tell whether what a claim does is known from what stands alone."""
    if claim.group == PEOPLE or has_many(claim, ontology):
        return False
    counts = claim.status is ClaimStatus.COUNTED and claim.say in _STEPS
    return counts and not claim.detail.get("corrects") and "elects" not in claim.detail


def _fold_group(
    group: _Group, new: set[str], outcome: FoldOutcome, *, writes: WriteSet, rules: Rules
) -> None:
    if not group.claims and not group.stored:
        return
    kind = writes.types.get(group.type)
    fold_rules = FoldRules(
        kind=kind,
        ontology=extend_ontology(rules.ontology.attributes),
        conflicts=rules.policies.conflicts,
        same_event_days=rules.policies.linking.same_event_days,
    )
    folded = fold_claims(group.claims, fold_rules, group.chains, new)
    versions = [version for chain in folded.chains for version in chain.versions]
    kept = {version.id for version in versions}
    for memory in group.stored.values():
        if group.whole and memory.id not in kept and memory.deleted_at is None:
            writes.drop(memory)
    for chain in folded.chains:
        ids = [version.id for version in chain.versions]
        mine = {one: group.stored[one] for one in ids if one in group.stored}
        write_chain(chain, mine, kind=kind, writes=writes, rules=rules, whole=group.whole)
    _assign_claims(versions, group, writes)
    _report(folded, new, outcome)


def _needs_whole(group: _Group) -> bool:
    """Tell whether somebody else than the user says something, and more than the heads decides."""
    sources = {claim.source.value for claim in group.claims if not claim.is_users}
    if not sources or group.type == "profile":
        return bool(sources)  # a version of a profile does not tell who said each of its facts
    rows = group.stored.values()
    closed = any(
        row.status is Status.RETRACTED or (row.status is Status.SUPERSEDED and OVER in row.tags)
        for row in rows
    )
    if closed or group.type == "tasks":  # anybody may report how far a task is
        return closed
    return any(row.provenance.creator not in sources for row in rows)


def _fold_units(groups: Iterable[str], writes: WriteSet) -> list[tuple[str, ...]]:
    """Return groups as they are folded: one by one, but all that speak of known people at once.

    A profile that somebody was given by its key is that of whoever goes by its name (K10).
    """
    wanted = list(dict.fromkeys(groups))
    if not any(one.startswith("profile:") and one != _OWN_PROFILE for one in wanted):
        return [(one,) for one in wanted]
    said = writes.transaction.claims.in_groups([PEOPLE])
    known = {PEOPLE, *(f"profile:{name}" for name in subject_slugs(said))} - {_OWN_PROFILE}
    alone: list[tuple[str, ...]] = [(one,) for one in wanted if one not in known]
    return alone if len(alone) == len(wanted) else [*alone, (PEOPLE, *sorted(known - {PEOPLE}))]


def _load_whole(members: tuple[str, ...], writes: WriteSet) -> _Group:
    transaction = writes.transaction
    claims = transaction.claims.in_groups(members)
    claims += map(closing_claim, transaction.forgettings.closed(members))
    ids = {version_id(claim.id) for claim in claims}  # deleted ones too: they may come back
    ids.update(transaction.claims.memories(claim.id for claim in claims).values())
    stored = {one.id: writes.adopt(one) for one in transaction.memories.get(sorted(ids)).values()}
    return _Group(members, claims, (), stored, whole=True)


def _load_heads(group: str, told: Sequence[Claim], writes: WriteSet) -> _Group:
    """Read the versions that new claims may speak of: what stands, and what was said last."""
    type_name = group.partition(":")[0]
    remembering = writes.transaction.remembering
    rows: list[Memory] = []
    keys = {_key_or_none(claim, writes) for claim in told}
    if type_name in WORDED:
        rows += remembering.newest(type_name, limit=MAX_FITTING)
        rows += remembering.newest(type_name, limit=MAX_FITTING, put_away=True)
        keys -= {row.key for row in rows}
    else:
        keys.add(writes.transaction.claims.last_memory(group) or "")
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


def _key_or_none(claim: Claim, writes: WriteSet) -> str:
    if named := claim.detail.get("key"):
        return str(named)
    try:
        return writes.types.get(claim.type).key_of(claim.fields)
    except UsageError:
        return ""


def _version_of(row: Memory) -> Version:
    return Version(
        ref=row.id,
        key=row.key,
        value=row.value,
        said_at=row.said_at,
        since=row.valid_since or row.said_at,
        source=row.provenance.creator,
        told_in=row.source_turn_id or row.source_operation_id or "",
        confidence=row.confidence,
        text=row.text,
        status=Status.ACTIVE if row.status in _HOLDS else row.status,
        until=row.valid_until,
        frequency=row.frequency,
        tags=row.tags,
    )


def _assign_claims(versions: Sequence[Version], group: _Group, writes: WriteSet) -> None:
    """Let claims be part of the versions they found, repeat or end; tie those to turns."""
    founded = {version.founder.id: version.id for version in versions if version.founder}
    ends = {claim: version.id for version in versions for claim in version.closing}
    repeats = {claim: version.id for version in versions for claim in version.repeats or ()}
    now = {**ends, **founded, **repeats}
    before = writes.transaction.claims.memories(claim.id for claim in group.claims)
    assigned: dict[str, str | None] = {}
    for claim in group.claims:
        memory, was = now.get(claim.id), before.get(claim.id)
        if memory == was:
            continue
        assigned[claim.id] = memory
        states = claim.id in founded or claim.id in repeats or claim.id not in ends
        if claim.turn_id is None or not states:
            continue
        episode = _episode_id(claim, writes)
        if was is not None:
            writes.cut(was, EdgeType.DERIVED_FROM, episode)
            writes.cut(episode, EdgeType.SUPPORTS, was)
        if memory is None:
            continue
        src, kind, dst = episode, EdgeType.SUPPORTS, memory
        if claim.id in founded:
            src, kind, dst = memory, EdgeType.DERIVED_FROM, episode
        writes.link(src, kind, dst, confidence=claim.confidence)
    if assigned:
        writes.transaction.claims.assign(assigned)


def _episode_id(claim: Claim, writes: WriteSet) -> str:
    return episode_of(writes.types.get("episodes"), claim.session_id, claim.turn_id or "").id


def _report(folded: Folded, new: set[str], outcome: FoldOutcome) -> None:
    active = {chain.key: chain.active for chain in folded.chains if chain.active is not None}
    kept = {version.id for chain in folded.chains for version in chain.versions}
    for decision in folded.decisions:
        claim, version = decision.claim, decision.version
        if claim.id not in new:
            continue
        outcome.retention.append(_retention(decision, active))
        if version is None or version.id not in kept:
            continue
        if version.founder is not None and version.founder.id == claim.id:
            outcome.written[version.id] = None
        elif decision.action is RetentionAction.MERGED:
            outcome.repeated[version.id] = None
    for clash in folded.clashes:
        winner, loser = clash.winner, clash.loser
        founders = [one.founder for one in (winner, loser) if one is not None]
        if clash.claim.id not in new and not any(one and one.id in new for one in founders):
            continue
        outcome.conflicts.append(_conflict(clash))
        if clash.to_review and winner is not None and loser.status is Status.DISPUTED:
            outcome.to_review.append((winner.id, loser.id))


def _retention(decision: Decision, active: Mapping[str, Version]) -> Retention:
    """Return what became of a claim, as it holds after all that was said later."""
    claim, version = decision.claim, decision.version
    action, code, reason = decision.action, decision.code, decision.reason
    if version is not None and action in _STATED:
        founded = version.founder is not None and version.founder.id == claim.id
        if founded and version.status is Status.SUPERSEDED:
            action, code = RetentionAction.SUPERSEDED, "older_than_active"
            reason = "it was said before what stands"
        elif version.status is Status.RETRACTED:
            action, code = RetentionAction.RETRACTED, "older_than_denial"
            reason = "it was denied later"
            if CORRECTION in version.tags or not version.closing:
                code, reason = "corrected", "the user corrected it later"
    elif code == NOTHING_TO_END:
        holds = active.get(decision.key)
        if holds is not None and holds.said_at > claim.said_at:
            code, reason = "older_than_active", "it was said again after it was denied"
    return Retention(
        type=claim.type,
        key=decision.key or str(claim.detail.get("key") or ""),
        action=action,
        code=code,
        reason=by_rule(reason, claim.rule),
    )


def _conflict(clash: Clash) -> ConflictOutcome:
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


def _write_node(
    judged: Judged, outcome: FoldOutcome, *, writes: WriteSet, rules: Rules
) -> Retention:
    """Write a node that is not folded from claims: an entity or a concept that is stated (K2)."""
    one, kind = judged.candidate, writes.types.get(judged.candidate.type)
    known = writes.standing(kind.name, judged.key) if judged.key else None
    if one.action is CandidateAction.RETRACT:
        if known is None:
            reason = "nothing that is remembered says what it denies"
            return _tell(judged, RetentionAction.REFUSED, NOTHING_TO_END, reason)
        writes.put(known, status=Status.RETRACTED, valid_until=writes.origin.said_at)
        return _tell(judged, RetentionAction.RETRACTED, "denied", "it was taken back")
    value = dict(one.value)
    if known is not None and kind.on_conflict is ConflictClass.MERGE:
        value = {**known.value, **{name: item for name, item in value.items() if item}}
        for name in ("aliases", "keywords"):
            if known.value.get(name) and one.value.get(name):
                value[name] = list(dict.fromkeys((*known.value[name], *one.value[name])))
    if known is not None and value == known.value:
        again = writes.put(known, frequency=known.frequency + 1, status=Status.ACTIVE)
        outcome.repeated[again.id] = None
        reason = f"it is known already; it has been said {again.frequency} times now"
        return _tell(judged, RetentionAction.MERGED, "repeated", reason)
    new = _node(judged, value, writes, rules)
    if known is not None:
        writes.put(known, status=Status.SUPERSEDED, valid_until=writes.origin.said_at)
        writes.link(known.id, EdgeType.VERSION_NEXT, new.id)
        writes.link(known.id, EdgeType.ACTIVE_OF, new.id)
    writes.put(new)
    origin = writes.origin
    if origin.turn_id is not None:
        episode = episode_of(writes.types.get("episodes"), origin.session_id, origin.turn_id)
        writes.link(new.id, EdgeType.DERIVED_FROM, episode.id, confidence=one.confidence)
    outcome.written[new.id] = None
    code, reason = ("new_version", "it changes what was known") if known else ("new", "it is new")
    return _tell(judged, RetentionAction.WRITTEN, code, reason)


def _node(judged: Judged, value: dict[str, object], writes: WriteSet, rules: Rules) -> Memory:
    one, kind = judged.candidate, writes.types.get(judged.candidate.type)
    sentence = " ".join(kind.sentence(value).split())
    text = " ".join(one.text.split()) or sentence
    title = title_of(sentence or text)
    source = Source.USER if one.source is Source.OPERATION else one.source
    return writes.make(
        kind.name,
        judged.key,
        title=title,
        text=text,
        value=value,
        keywords=labels_of(title, text, value),
        confidence=one.confidence,
        importance=_IMPORTANCE.get(kind.name, _IMPORTANCE_ELSE),
        tags=("declared",) if one.declared else (),
        evidence_refs=one.evidence_refs,
        privacy=Privacy(judged.pii, Scope(rules.privacy.scope)),
        provenance=Provenance(source.value),
    )


def _tell(judged: Judged, action: RetentionAction, code: str, reason: str) -> Retention:
    told = by_rule(reason, judged.candidate.rule)
    kind = judged.candidate.type
    return Retention(type=kind, key=judged.key, action=action, code=code, reason=told)
