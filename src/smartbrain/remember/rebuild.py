"""Making the versions of keys anew, when something arrives that was said before what is known (M4).

In: a candidate, and the keys that it may be about. Out: the versions as if all had been told in
order, and what became of the candidate. All that was said under the keys is decided again on a
board of its own, saying by saying; then the stored versions are made to match.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from smartbrain.domain.candidate import Candidate, CandidateAction
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.memory_type import ConflictClass
from smartbrain.domain.result import ConflictRule, RetentionAction
from smartbrain.remember.board import Board
from smartbrain.remember.closing import is_deed, reached
from smartbrain.remember.decide import CONFLICT_RULES, decide
from smartbrain.remember.denials import keep_denial
from smartbrain.remember.gate import Judged
from smartbrain.remember.known import known_key
from smartbrain.remember.outcome import Outcome, conflict
from smartbrain.remember.retract import NOTHING_TO_RETRACT, SAID_SINCE
from smartbrain.remember.sameness import differing
from smartbrain.remember.sayings import Saying, in_order
from smartbrain.remember.settle import Settled, Tried, settle
from smartbrain.remember.stretch import Stretch, close, goes_on, open_again, said_in, stretch_of
from smartbrain.remember.told_deeds import deeds_among
from smartbrain.remember.versions import CORRECTION, chain, make_version

if TYPE_CHECKING:
    from datetime import datetime

    from smartbrain.domain.policy import Rules

_BEFORE: Final = "it was said before what stands"
_FEW: Final = 4  # versions that are made anew at first; the next one mostly comes out as it was


def rebuild(
    judged: Judged, keys: Iterable[str], *, board: Board, rules: Rules, outcome: Outcome
) -> None:
    """Make the versions of keys anew with what is said now, in its place in time."""
    mine = Saying(judged, board.origin)
    if _is_settled(mine, keys, board=board, rules=rules, outcome=outcome):
        _put_in_the_past(judged, board=board, rules=rules, outcome=outcome)
        return
    tried, step = _tried(mine, keys, board=board, rules=rules, outcome=outcome)
    settled = settle(tried, judged.candidate.type, board=board, outcome=outcome)
    outcome.disputed += settled.disputes(tried.disputed)
    outcome.saying = step.saying
    told = (*step.written, *step.repeated)
    memory = next((settled.made[one] for one in told if one in settled.made), None)
    if memory is not None and memory.id in settled.new:
        outcome.wrote(memory)
    elif memory is not None:
        outcome.heard(memory)
    if mine.is_denial:
        _explain_denial(judged, step, settled, board, outcome)
    else:
        _explain(judged, memory, step, settled, board=board, outcome=outcome)


def unsay(
    type_name: str,
    keys: Iterable[str],
    gone: Callable[[Saying], bool],
    *,
    board: Board,
    rules: Rules,
) -> None:
    """Make the versions of keys anew without some sayings; the board's time is just before them."""
    nothing = Judged(candidate=Candidate(type=type_name, text="", rule=""))
    mine, outcome = Saying(nothing, board.origin), Outcome()
    if _is_settled(mine, keys, board=board, rules=rules, outcome=outcome):
        return
    tried, _ = _tried(
        mine, keys, lambda one: one is mine or gone(one), board=board, rules=rules, outcome=outcome
    )
    settle(tried, type_name, board=board, outcome=outcome)


def _tried(
    mine: Saying,
    keys: Iterable[str],
    gone: Callable[[Saying], bool] = lambda _: False,
    *,
    board: Board,
    rules: Rules,
    outcome: Outcome,
) -> tuple[Tried, Outcome]:
    """Decide about as many versions as come out otherwise, on a board of its own."""
    size, about = _FEW, {*keys}
    while True:
        tried, step = _try(mine, about, size, gone, board=board, rules=rules, outcome=outcome)
        if tried.beside:
            about |= tried.beside
        elif tried.same:
            return tried, step
        else:
            size *= _FEW


def _is_settled(
    mine: Saying, keys: Iterable[str], *, board: Board, rules: Rules, outcome: Outcome
) -> bool:
    """Tell whether somebody has settled which fact stands: what was said alone tells otherwise."""
    type_name = mine.judged.candidate.type
    if board.types.get(type_name).on_conflict is not ConflictClass.PRIORITY:
        return False
    stretches, sayings, _ = _all_said(mine, keys, _FEW, board, outcome)
    apart = board.aside(one.key for one in stretches)
    for said in in_order(sayings):
        _decided(said, apart, rules, again=True)
    stand = ([one.standing(type_name, each.key) for each in stretches] for one in (board, apart))
    known, told = ([one and one.value for one in found] for found in stand)
    return known != told


def _put_in_the_past(judged: Judged, *, board: Board, rules: Rules, outcome: Outcome) -> None:
    """Give a statement its place among the versions of its key, and leave what stands."""
    if judged.candidate.action is CandidateAction.RETRACT:
        keep_denial(judged, board)
        outcome.refused(judged, "older_than_active", SAID_SINCE)
        return
    kind = board.types.get(judged.candidate.type)
    old = board.put(make_version(judged, kind, board, rules), status=Status.SUPERSEDED)
    chain(old, board)
    board.lead(old.type, old.key)
    outcome.wrote(old)
    outcome.kept(judged, old, RetentionAction.SUPERSEDED, "older_than_active", _BEFORE)


def _try(
    mine: Saying,
    keys: Iterable[str],
    size: int,
    gone: Callable[[Saying], bool],
    *,
    board: Board,
    rules: Rules,
    outcome: Outcome,
) -> tuple[Tried, Outcome]:
    """Decide about a stretch of what was said on a board of its own; say also what became of one.

    A stretch has so many versions of a key; it is enough where those after it go on as they were.
    """
    kind, at = mine.judged.candidate.type, mine.origin.said_at
    stretches, sayings, until = _all_said(mine, keys, size, board, outcome)
    tried, step = Tried(board.aside(one.key for one in stretches)), Outcome()
    opened = {one.key for one in stretches}
    for one in stretches:
        open_again(one, kind, tried.board, at)
    for said in in_order([*sayings, mine]):
        if gone(said):
            tried.idle.append(said)
            continue
        now = _decided(said, tried.board, rules, again=said is not mine or size > _FEW)
        heard = replace(said, judged=now.saying) if said.episode else said
        for version in (*now.written, *now.repeated):
            tried.held.setdefault(version, []).append(heard)
        if kind == "events":  # one that is moved is under a key that the words alone do not tell
            met = {told.key for told in now.retention if told.action is not RetentionAction.REFUSED}
            tried.beside |= met - opened
        if not now.written and not now.repeated and is_deed(said.judged.candidate):
            tried.idle.append(said)
        tried.disputed += now.disputed
        step = now if said is mine else step
    if until is not None:
        tried.same = all(goes_on(one, kind, until, tried.board) for one in stretches)
        for one in stretches if tried.same else ():
            close(one, kind, tried.board)
    return tried, step


def _decided(one: Saying, apart: Board, rules: Rules, *, again: bool) -> Outcome:
    """Return what becomes of a saying on a board that stands apart."""
    now = Outcome(saying=one.judged)
    apart.again = again
    apart.looked_up.clear()
    with apart.spoken_at(one.origin):
        told: Judged | None = one.judged
        if is_deed(one.judged.candidate):
            told = reached(one.judged, board=apart, rules=rules)
        if told is not None:
            now.saying = told
            known = known_key(told, apart.types.get(told.candidate.type), apart)
            decide(known, board=apart, rules=rules, outcome=now)
    return now


def _all_said(
    mine: Saying, keys: Iterable[str], size: int, board: Board, outcome: Outcome
) -> tuple[list[Stretch], list[Saying], datetime | None]:
    """Return what was said in a stretch of keys, and of those that some of it was said of itself.

    So are deeds that may end something of it, and whatever else they may end. The time is the one
    at which the first version after the stretch was said.
    """
    type_name = mine.judged.candidate.type
    found: dict[str, Stretch] = {}
    sayings: list[Saying] = []
    waiting = set(keys)
    while waiting:
        for key in waiting:
            found[key] = stretch_of(type_name, key, size, board)
        ends = [one.ends for one in found.values() if one.ends is not None]
        until = min(ends, default=None)
        stretches = [found[key] for key in sorted(found)]
        sayings = [
            said for one in stretches for said in said_in(one, type_name, until, board, outcome)
        ]
        near = [one for each in stretches for one in (*each.before[-1:], *each.told)]
        deeds, ended = deeds_among([mine, *sayings], near, until, board)
        waiting = {one.judged.key for one in sayings if one.judged.key} | ended
        waiting -= {*found}
        sayings += deeds
    return stretches, sayings, until


def _explain(
    judged: Judged,
    memory: Memory | None,
    step: Outcome,
    settled: Settled,
    *,
    board: Board,
    outcome: Outcome,
) -> None:
    """Say what became of a statement that was said before what is known."""
    if memory is None or (memory.status is Status.ACTIVE and memory.id in settled.new):
        outcome.retention += step.retention
        outcome.conflicts += settled.conflicts(step.conflicts)
        return
    if memory.id not in settled.new and memory.status is not Status.RETRACTED:
        reason = f"it is known already; it has been said {memory.frequency} times now"
        outcome.kept(judged, memory, RetentionAction.MERGED, "repeated", reason)
        return
    after = board.beside(memory)[1]
    rule = CONFLICT_RULES.get(board.types.get(memory.type).on_conflict, ConflictRule.VERSIONED)
    code, told = "older_than_active", "the later statement stands, though it came first"
    action, why = RetentionAction.SUPERSEDED, _BEFORE
    if memory.status is Status.RETRACTED:
        action, rule = RetentionAction.RETRACTED, ConflictRule.RETRACT
        corrected = after is not None and CORRECTION in after.tags
        corrected = corrected and after is not None and after.valid_since == memory.valid_until
        code, why = "older_than_denial", "it was denied later"
        if corrected:
            code, why = "corrected", "the user corrected it later"
            told = "the correction stands, though it came first"
    outcome.kept(judged, memory, action, code, why)
    if code == "older_than_denial":
        outcome.kept(judged, memory, action, "denied", "the user denied it")
    fields = differing(board.types.get(memory.type), after.value, memory.value) if after else ()
    stands = board.standing(memory.type, memory.key)
    outcome.conflicts.append(conflict(rule, (stands, memory, memory.status), code, told, fields))


def _explain_denial(
    judged: Judged, step: Outcome, settled: Settled, board: Board, outcome: Outcome
) -> None:
    """Say what became of a denial that was said before what is known."""
    if [one.code for one in step.retention] == [NOTHING_TO_RETRACT]:
        known = next(iter(settled.made.values()), None)
        if known is not None and board.standing(known.type, known.key) is not None:
            outcome.refused(judged, "older_than_active", SAID_SINCE)
            return
    outcome.retention += step.retention
    outcome.conflicts += settled.conflicts(step.conflicts)
