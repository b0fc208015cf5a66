"""Deciding: what a statement does to what stands under its key, said after all that (C4, C5, C11).

In: a candidate that passed the gate, under its known key. Out: versions on the board, and what
became of the candidate and of what it met. The newest statement stands; of facts the one of higher
priority does. The same said again makes a memory more frequent, a denial retracts it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.candidate import Candidate, CandidateAction, Source
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import NEVER, Memory, Status
from smartbrain.domain.memory_type import ConflictClass
from smartbrain.domain.quick import replace
from smartbrain.domain.result import ConflictRule, RetentionAction
from smartbrain.remember.dislikes import end_liking, in_its_place
from smartbrain.remember.extract.correction_times import changes_hour
from smartbrain.remember.extract.deadlines import DUE_ANEW
from smartbrain.remember.extract.facts import REPLACES
from smartbrain.remember.gate import Judged
from smartbrain.remember.known import united
from smartbrain.remember.outcome import Outcome, conflict
from smartbrain.remember.priority import dimension_of, priority
from smartbrain.remember.profile_facts import added, put_right
from smartbrain.remember.retract import retract, retract_meant
from smartbrain.remember.sameness import changed_fields, differing, is_vaguer
from smartbrain.remember.versions import bury, chain, make_version, said_by, was_rejected

if TYPE_CHECKING:
    from smartbrain.domain.memory_type import MemoryType
    from smartbrain.domain.policy import Rules
    from smartbrain.remember.board import Board

CONFLICT_RULES: Final = {
    ConflictClass.OVERWRITE: ConflictRule.OVERWRITE,
    ConflictClass.MERGE: ConflictRule.MERGE,
}
"""The rule by which the later statement stands, where it is not that of versions."""
REJECTED_BEFORE: Final = "the user has rejected it; only they can bring it back"
_MOST_DISPUTED: Final = 20
_SUREST: Final = 0.99
_SURER: Final = 0.05


def decide(judged: Judged, *, board: Board, rules: Rules, outcome: Outcome) -> None:
    """Do what a candidate under its known key says; nothing under that key was said after it."""
    if judged.candidate.action is CandidateAction.RETRACT:
        if not end_liking(judged, board, outcome):
            retract(judged, board, outcome)
        return
    kind = board.types.get(judged.candidate.type)
    judged = in_its_place(judged, board, outcome)
    one = judged.candidate
    if one.source is not Source.USER and was_rejected(kind, judged.key, one.value, board):
        outcome.refused(judged, "rejected_before", REJECTED_BEFORE)
        return
    active = board.standing(kind.name, judged.key)
    if active is None:
        _begin(judged, kind, board=board, rules=rules, outcome=outcome)
        return
    value, fields = told_beside(judged, kind, active, board)
    judged = replace(judged, candidate=replace(one, value=value))
    if not fields:
        _repeat(judged, active, board, outcome)
    elif _is_outweighed(judged.candidate, active):
        outcome.refused(judged, "outweighed", "the user said otherwise, and nobody confirmed it")
    elif kind.on_conflict is ConflictClass.PRIORITY and not (one.corrects or one.rule in REPLACES):
        _elect(judged, active, fields, board=board, rules=rules, outcome=outcome)
    else:
        _replace(judged, active, fields, board=board, rules=rules, outcome=outcome)


def told_beside(
    judged: Judged, kind: MemoryType, active: Memory, board: Board
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return a candidate's value with what stands beside it, and the fields that it changes."""
    if judged.candidate.rule.startswith("operation"):
        value = dict(judged.candidate.value)
        if kind.name == "profile":
            add = put_right if judged.candidate.corrects else added
            value["facts"] = add(active.value.get("facts", ()), value["facts"])
        return value, changed_fields(active.value, value)
    value = united(kind, active.value, judged.candidate.value)
    if judged.candidate.rule == DUE_ANEW:  # it goes on as it did
        value["status"] = active.value["status"]
    said = (active.said_at, board.origin.said_at)
    fields = differing(kind, active.value, value, said)
    if not fields and kind.name == "events":
        sure = judged.candidate.corrects
        hours = changes_hour(active.text, judged.candidate.text, said, sure=sure)
        return value, ("time",) if hours else ()
    if not fields and "value" in value and is_vaguer(value["value"], active.value["value"]):
        value["value"] = active.value["value"]
    return value, fields


def _begin(
    judged: Judged, kind: MemoryType, *, board: Board, rules: Rules, outcome: Outcome
) -> None:
    """Write what nothing stands against."""
    if judged.candidate.corrects:
        retract_meant(judged, kind, board, outcome)
    past = board.last(kind.name, judged.key)
    memory = board.put(make_version(judged, kind, board, rules))
    outcome.wrote(memory)
    if past is not None:
        chain(memory, board)
    board.lead(kind.name, memory.key)
    outcome.kept(judged, memory, RetentionAction.WRITTEN, "new", said_by(judged.candidate))


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
    outcome.heard(memory)
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
    rule = CONFLICT_RULES.get(kind.on_conflict, ConflictRule.VERSIONED)
    corrects = judged.candidate.corrects
    status = Status.RETRACTED if corrects else Status.SUPERSEDED
    ends = board.origin.said_at if corrects else active.valid_until
    tags = (*active.tags, NEVER) if corrects else active.tags
    old = board.put(active, status=status, valid_until=ends, tags=tags)
    new = board.put(new)
    if corrects:
        rule = ConflictRule.RETRACT
        bury(old, "the user corrected it", board, stands=new)
    chain(new, board)
    board.lead(new.type, new.key)
    outcome.wrote(new)
    code = "corrected" if corrects else "new_version"
    reason = "the user corrected it" if corrects else f"it changes {', '.join(fields)}"
    outcome.kept(judged, new, RetentionAction.WRITTEN, code, reason)
    reason = f"the later statement stands; the earlier one is {status.value}"
    met = (new, old, status)
    outcome.conflicts.append(conflict(rule, met, code, reason, fields))


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
    mine, theirs = (
        priority(one, latest=new.said_at, alike=board.alike(one), rules=rules.policies.conflicts)
        for one in (new, active)
    )
    close = abs(mine - theirs) < rules.policies.conflicts.review_threshold
    wins = mine >= theirs
    lost = Status.DISPUTED if close else Status.SUPERSEDED
    if wins:
        loser = board.put(active, status=lost)
        winner = new = board.put(new)
    else:
        loser = new = board.put(new, status=lost, valid_until=new.said_at)  # it never held
        winner = active
    chain(new, board)
    _end_dispute(winner, board)
    board.lead(new.type, new.key)
    _contradict(winner, loser, board, rules)
    dimension = dimension_of(new, active, rules.policies.linking)
    outcome.wrote(new)
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


def _contradict(winner: Memory, loser: Memory, board: Board, rules: Rules) -> None:
    """Lead both ways between the fact that stands, the one that gave way and all that dispute it.

    Of many that do so the last ones are taken.
    """
    told = board.history(winner.type, winner.key)
    disputed = [one for one in told if one.status is Status.DISPUTED][-_MOST_DISPUTED:]
    others = {one.id: one for one in (*disputed, loser) if one.id != winner.id}
    for other in others.values():
        dimension = dimension_of(winner, other, rules.policies.linking)
        for src, dst in ((winner, other), (other, winner)):
            board.link(src.id, EdgeType.CONTRADICTS, dst.id, attrs={"dimension": dimension})


def _end_dispute(winner: Memory, board: Board) -> None:
    """Let no version dispute the one that stands and says the same: 8080, then 8081, then 8080."""
    while (same := board.alike(winner, Status.DISPUTED)) is not None:
        board.put(same, status=Status.SUPERSEDED)
