"""Resolving: what a new statement does to what is known under its key (C4, C5, C11, M4).

In: candidates that passed the gate. Out: versions on the board, and what became of each candidate
and of what it met. The newest statement stands, by the turns' own times; of facts the one of higher
priority does. The same said again makes a memory more frequent, a denial retracts it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.memory_type import ConflictClass
from smartbrain.domain.result import ConflictRule, RetentionAction
from smartbrain.remember.denials import Denial
from smartbrain.remember.dislikes import in_its_place
from smartbrain.remember.gate import Judged
from smartbrain.remember.known import known_key, united
from smartbrain.remember.outcome import Outcome, conflict
from smartbrain.remember.priority import dimension_of, priority
from smartbrain.remember.retract import denial_of, is_meant, retract, retract_meant
from smartbrain.remember.sameness import changed_fields, differing, fingerprints
from smartbrain.remember.versions import (
    CORRECTION,
    REJECTED,
    bury,
    carry_on,
    chain,
    make_version,
    said_by,
)

if TYPE_CHECKING:
    from datetime import datetime

    from smartbrain.domain.memory_type import MemoryType
    from smartbrain.domain.policy import Rules
    from smartbrain.remember.board import Board

_RULES: Final = {
    ConflictClass.OVERWRITE: ConflictRule.OVERWRITE,
    ConflictClass.MERGE: ConflictRule.MERGE,
}
_SUREST: Final = 0.99
_SURER: Final = 0.05


def resolve(judged: Sequence[Judged], *, board: Board, rules: Rules) -> Outcome:
    """Bring candidates and what is known together."""
    outcome = Outcome()
    board.read(one.key for one in judged if one.key)
    for one in judged:
        if one.refused is not None:
            outcome.refused(one, one.refused.code, one.refused.reason)
        elif one.candidate.action is CandidateAction.RETRACT:
            retract(one, board, outcome)
        else:
            _write(one, board, rules, outcome)
    return outcome


def _write(judged: Judged, board: Board, rules: Rules, outcome: Outcome) -> None:
    """Write one candidate."""
    kind = board.types.get(judged.candidate.type)
    judged = in_its_place(known_key(judged, kind, board), board, outcome)
    if _was_rejected(judged, kind, board):
        reason = "the user has rejected it; only they can bring it back"
        outcome.refused(judged, "rejected_before", reason)
        return
    active = board.standing(kind.name, judged.key)
    if active is None:
        _begin(judged, kind, board=board, rules=rules, outcome=outcome)
        return
    if board.origin.said_at < active.said_at:
        _arrive_late(judged, active, board=board, rules=rules, outcome=outcome)
        return
    if judged.candidate.rule.startswith("operation"):
        value = dict(judged.candidate.value)
        fields = changed_fields(active.value, value)
    else:
        value = united(kind, active.value, judged.candidate.value)
        fields = differing(kind, active.value, value)
    judged = replace(judged, candidate=replace(judged.candidate, value=value))
    if not fields:
        _repeat(judged, active, board, outcome)
    elif _is_outweighed(judged.candidate, active):
        outcome.refused(judged, "outweighed", "the user said otherwise, and nobody confirmed it")
    elif kind.on_conflict is ConflictClass.PRIORITY and not judged.candidate.corrects:
        _elect(judged, active, fields, board=board, rules=rules, outcome=outcome)
    else:
        _replace(judged, active, fields, board=board, rules=rules, outcome=outcome)
    stands = board.standing(kind.name, judged.key)
    denial = denial_of(stands, board) if stands and stands.id in outcome.written else None
    if denial is not None:  # it named this one, so what stood before was none of its business
        _retract_again(denial, board, outcome)


def _begin(
    judged: Judged, kind: MemoryType, *, board: Board, rules: Rules, outcome: Outcome
) -> None:
    """Write what nothing stands against; what was denied later on does not stand either."""
    if judged.candidate.corrects:
        retract_meant(judged, kind, board, outcome)
    past, at = board.history(kind.name, judged.key), board.origin.said_at
    denied = next((one for one in past if _ends_after(one, at)), None)
    memory = make_version(judged, kind, board, rules)
    denial = denial_of(memory if denied is None else denied, board)
    if denied is not None and denial is not None and not _is_same_denied(denial, denied, memory):
        board.put(denied, status=Status.ACTIVE, valid_until=None)  # then all goes as it was told
        _write(judged, board, rules, outcome)
        _retract_again(denial, board, outcome)
        return
    if denied is not None:
        memory = replace(memory, status=Status.SUPERSEDED)
        if denied.said_at <= at:
            memory = _in_place_of(denied, memory, board)
    memory = board.put(memory)
    outcome.written[memory.id] = None
    if past:
        chain(memory, board)
    if denied is not None:
        outcome.kept(
            judged, memory, RetentionAction.SUPERSEDED, "older_than_denial", "it was denied later"
        )
        return
    board.lead(kind.name, memory.key)
    outcome.kept(judged, memory, RetentionAction.WRITTEN, "new", said_by(judged.candidate))
    if denial is not None:
        _retract_again(denial, board, outcome)


def _retract_again(denial: Denial, board: Board, outcome: Outcome) -> None:
    """Take back what arrived after it had been denied, at the time of the denial."""
    with board.spoken_at(denial.origin):
        retract(denial.judged, board, outcome)


def _in_place_of(denied: Memory, memory: Memory, board: Board) -> Memory:
    """Return a version as the denied one: it was said last before the denial, which meant it."""
    board.put(denied, status=Status.SUPERSEDED, valid_until=memory.said_at)
    bury(memory, "the user denied it", board)
    return replace(memory, status=Status.RETRACTED, valid_until=denied.valid_until)


def _is_same_denied(denial: Denial, denied: Memory, memory: Memory) -> bool:
    """Tell whether a version speaks of what was denied alone; a profile may of other facts."""
    names = {fact["k"] for fact in denied.value.get("facts", ())}
    if memory.type == "profile":
        return all(fact["k"] in names for fact in memory.value["facts"])
    return is_meant(denial.judged.candidate, memory)


def _ends_after(version: Memory, at: datetime) -> bool:
    """Tell whether a version was denied after some time."""
    ended = version.valid_until if version.status is Status.RETRACTED else None
    return ended is not None and ended > at


def _was_rejected(judged: Judged, kind: MemoryType, board: Board) -> bool:
    """Tell whether somebody else than the user brings back what the user has rejected."""
    if judged.candidate.source is Source.USER:
        return False
    marks = fingerprints(kind, judged.key, judged.candidate.value)
    return any(board.transaction.ledger.tombstone(REJECTED, mark) for mark in marks)


def _is_outweighed(candidate: Candidate, active: Memory) -> bool:
    """Tell whether a guess stands against the user's own word; tasks may be reported on."""
    guessed = candidate.source in (Source.ASSISTANT, Source.AGENT)
    sure = candidate.confirmed or candidate.declared
    told = active.provenance.creator == Source.USER and active.type not in ("tasks", "facts")
    return guessed and not sure and told


def _repeat(judged: Judged, active: Memory, board: Board, outcome: Outcome) -> None:
    """Count a statement that is known already, once a turn where the assistant only agrees."""
    candidate = judged.candidate
    if candidate.source is Source.ASSISTANT and active.said_at == board.origin.said_at:
        told = (
            active if candidate.value == active.value else board.put(active, value=candidate.value)
        )
        reason = "the assistant repeats what was just said"
        outcome.kept(judged, told, RetentionAction.MERGED, "agreed", reason)
        return
    memory = board.put(
        active,
        value=candidate.value,
        confidence=_surer(active, candidate),
        said_at=max(active.said_at, board.origin.said_at),
        frequency=active.frequency + 1,
        status=Status.ACTIVE,
    )
    outcome.repeated[memory.id] = None
    outcome.kept(
        judged,
        memory,
        RetentionAction.MERGED,
        "repeated",
        f"it is known already; it has been said {memory.frequency} times now",
    )


def _surer(memory: Memory, candidate: Candidate) -> float:
    """Return how sure a memory is once it has been said again."""
    surer = min(_SUREST, max(memory.confidence, candidate.confidence) + _SURER)
    return max(memory.confidence, surer)


def _replace(
    judged: Judged,
    active: Memory,
    fields: tuple[str, ...],
    *,
    board: Board,
    rules: Rules,
    outcome: Outcome,
) -> None:
    """Let the later statement stand."""
    kind = board.types.get(active.type)
    new = make_version(judged, kind, board, rules)
    rule = _RULES.get(kind.on_conflict, ConflictRule.VERSIONED)
    corrects = judged.candidate.corrects
    status = Status.RETRACTED if corrects else Status.SUPERSEDED
    ends = board.origin.said_at if corrects else active.valid_until
    old = board.put(active, status=status, valid_until=ends)
    new = board.put(new)
    if corrects:
        rule = ConflictRule.RETRACT
        bury(old, "the user corrected it", board, stands=new)
    chain(new, board)
    board.lead(new.type, new.key)
    outcome.written[new.id] = None
    code = "corrected" if corrects else "new_version"
    reason = "the user corrected it" if corrects else f"it changes {', '.join(fields)}"
    outcome.kept(judged, new, RetentionAction.WRITTEN, code, reason)
    reason = f"the later statement stands; the earlier one is {status.value}"
    met = (new, old, status)
    outcome.conflicts.append(conflict(rule, met, code, reason, fields))


def _arrive_late(
    judged: Judged, active: Memory, *, board: Board, rules: Rules, outcome: Outcome
) -> None:
    """Give a statement its place in the past of what stands: it is older, though it came later."""
    kind, said, at = board.types.get(active.type), judged.candidate.value, board.origin.said_at
    versions = board.history(kind.name, active.key)
    past = [one for one in versions if one.status is not Status.RETRACTED]
    before = [one for one in past if one.said_at <= at][-1:]
    after = past[len([one for one in past if one.said_at <= at]) :]
    denial = denial_of(make_version(judged, kind, board, rules), board)
    if (
        denial is not None
        and not before
        and not any(at < one.said_at < denial.at for one in versions)
    ):
        _arrive_denied(judged, denial, board=board, rules=rules, outcome=outcome)
        return
    corrected = bool(after) and CORRECTION in after[0].tags and kind.name != "profile"
    if corrected and not before:
        _arrive_corrected(judged, after[0], board=board, rules=rules, outcome=outcome)
        return
    for one in (*before, *after[:1]):
        if not differing(kind, one.value, united(kind, one.value, said)):
            since = min(one.valid_since or at, at)
            again = replace(
                one,
                said_at=max(one.said_at, at),
                valid_since=since,
                frequency=one.frequency + 1,
                confidence=_surer(one, judged.candidate),
            )
            for earlier in before if one not in before else ():
                board.put(earlier, valid_until=since)
            outcome.repeated[board.put(again).id] = None
            reason = f"it is known already; it has been said {again.frequency} times now"
            outcome.kept(judged, again, RetentionAction.MERGED, "repeated", reason)
            return
    value = united(kind, before[0].value, said) if before else dict(said)
    judged = replace(judged, candidate=replace(judged.candidate, value=value))
    fields = differing(kind, active.value, value)
    if kind.on_conflict is ConflictClass.PRIORITY and not judged.candidate.corrects:
        _elect(judged, active, fields, board=board, rules=rules, outcome=outcome)
        return
    older = board.put(make_version(judged, kind, board, rules), status=Status.SUPERSEDED)
    chain(older, board)
    board.lead(kind.name, active.key)
    if kind.name == "profile":
        after = [one for one in after if denial is None or one.said_at < denial.at]
        carry_on(said, before, after, board)
    outcome.written[older.id] = None
    reason = f"it was said before what stands since {active.said_at.date().isoformat()}"
    outcome.kept(judged, older, RetentionAction.SUPERSEDED, "older_than_active", reason)
    told = "the later statement stands, though it came first"
    rule = _RULES.get(kind.on_conflict, ConflictRule.VERSIONED)
    met = (active, older, Status.SUPERSEDED)
    outcome.conflicts.append(conflict(rule, met, "older_than_active", told, fields))
    if denial is not None and denial.at >= active.said_at:
        _retract_again(denial, board, outcome)


def _arrive_denied(
    judged: Judged, denial: Denial, *, board: Board, rules: Rules, outcome: Outcome
) -> None:
    """Write what was denied before it was said again, though it arrives after both."""
    kind = board.types.get(judged.candidate.type)
    old = make_version(judged, kind, board, rules)
    old = replace(old, status=Status.RETRACTED, valid_until=denial.at)
    for one in board.history(old.type, old.key):
        if one.valid_until == denial.at and one.status is Status.RETRACTED:
            old = _in_place_of(one, old, board)
    old = board.put(old)
    chain(old, board)
    board.lead(old.type, old.key)
    bury(old, denial.judged.candidate.text or "the user denied it", board)
    outcome.written[old.id] = None
    outcome.kept(judged, old, RetentionAction.RETRACTED, "older_than_denial", "it was denied later")


def _arrive_corrected(
    judged: Judged, right: Memory, *, board: Board, rules: Rules, outcome: Outcome
) -> None:
    """Write what was corrected, though it arrives after its correction."""
    kind = board.types.get(judged.candidate.type)
    old = make_version(judged, kind, board, rules)
    old = board.put(old, status=Status.RETRACTED, valid_until=right.said_at)
    chain(old, board)
    board.lead(old.type, old.key)
    bury(old, "the user corrected it", board)
    outcome.written[old.id] = None
    outcome.kept(judged, old, RetentionAction.RETRACTED, "corrected", "the user corrected it later")
    fields = differing(kind, right.value, old.value)
    met = (right, old, Status.RETRACTED)
    told = "the correction stands, though it came first"
    outcome.conflicts.append(conflict(ConflictRule.RETRACT, met, "corrected", told, fields))


def _elect(
    judged: Judged,
    active: Memory,
    fields: tuple[str, ...],
    *,
    board: Board,
    rules: Rules,
    outcome: Outcome,
) -> None:
    """Let the fact of higher priority stand; a close call goes to review."""
    kind = board.types.get(active.type)
    new = make_version(judged, kind, board, rules)
    latest = max(new.said_at, active.said_at)
    mine, theirs = (
        priority(one, latest=latest, alike=board.alike(one), rules=rules.policies.conflicts)
        for one in (new, active)
    )
    close = abs(mine - theirs) < rules.policies.conflicts.review_threshold
    wins = mine > theirs or (mine == theirs and new.said_at >= active.said_at)
    lost = Status.DISPUTED if close else Status.SUPERSEDED
    if wins:
        loser = board.put(active, status=lost)
        winner = new = board.put(new)
    else:
        # It held until the next version was said; the last of all never held.
        ends = None if new.said_at < active.said_at else new.said_at
        loser = new = board.put(new, status=lost, valid_until=ends)
        winner = active
    chain(new, board)
    board.lead(new.type, new.key)
    dimension = dimension_of(new, active, rules.policies.linking)
    for src, dst in ((new, active), (active, new)):
        board.link(src.id, EdgeType.CONTRADICTS, dst.id, attrs={"dimension": dimension})
    outcome.written[new.id] = None
    gave_way = RetentionAction.DEFERRED if close else RetentionAction.SUPERSEDED
    action = RetentionAction.WRITTEN if wins else gave_way
    code = "disputed" if close else "outweighed"
    told = f"its priority is {mine:.2f} against {theirs:.2f}"
    outcome.kept(judged, new, action, "elected" if wins else code, told)
    reason = f"{told}; {'too close to call, it waits for review' if close else 'the higher stands'}"
    met = conflict(
        ConflictRule.VERSIONED,
        (winner, loser, lost),
        "disputed" if close else "elected",
        reason,
        fields,
    )
    outcome.conflicts.append(replace(met, dimension=dimension))
    if close:
        outcome.disputed.append((winner.id, loser.id))
