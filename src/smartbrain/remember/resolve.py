"""Resolving: what is said and what is known under its key, brought together (C4, C5, C11, M4).

In: candidates that passed the gate. Out: versions on the board, and what became of each candidate.
What is said last of its key is decided at once. Histories arrive in any order: for what was said
before something that is known, the versions of the key are made anew in the order of their times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from smartbrain.domain.candidate import CandidateAction, Source
from smartbrain.domain.memory import Status
from smartbrain.remember.decide import REJECTED_BEFORE, decide, told_beside
from smartbrain.remember.denials import denials_of, is_denied_later
from smartbrain.remember.dislikes import own_keys
from smartbrain.remember.extract.declarations import NOTE
from smartbrain.remember.gate import Judged
from smartbrain.remember.known import alike_since, events_since, known_key, known_spelling
from smartbrain.remember.outcome import Outcome
from smartbrain.remember.rebuild import rebuild
from smartbrain.remember.retract import NOTHING_TO_RETRACT
from smartbrain.remember.told_deeds import is_done_later
from smartbrain.remember.versions import was_rejected

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.remember.board import Board


def resolve(judged: Sequence[Judged], *, board: Board, rules: Rules) -> Outcome:
    """Bring candidates and what is known together."""
    outcome = Outcome()
    board.read(one.key for one in judged if one.key)
    met: list[Judged] = []  # what had something to say of what is known
    for one in sorted(judged, key=_is_spare) if any(map(_is_spare, judged)) else judged:
        if one.refused is not None:
            outcome.refused(one, one.refused.code, one.refused.reason)
            continue
        if _is_spare(one) and any(_is_of(one, other) for other in met):
            continue
        told = len(outcome.retention)
        _bring(one, board=board, rules=rules, outcome=outcome)
        if any(each.code != NOTHING_TO_RETRACT for each in outcome.retention[told:]):
            met.append(one)
    return outcome


def _bring(one: Judged, *, board: Board, rules: Rules, outcome: Outcome) -> None:
    """Bring one candidate and what is known together."""
    outcome.saying = one = known_spelling(one, board)
    known = known_key(one, board.types.get(one.candidate.type), board)
    keys = _told_since(one, known, board)
    if keys and _is_rejected(known, board):
        outcome.refused(known, "rejected_before", REJECTED_BEFORE)
    elif keys:
        rebuild(one, keys, board=board, rules=rules, outcome=outcome)
    else:
        decide(known, board=board, rules=rules, outcome=outcome)


def _is_spare(judged: Judged) -> bool:
    """Tell whether a candidate counts only where its words have done nothing else."""
    return judged.candidate.rule == NOTE


def _is_of(spare: Judged, other: Judged) -> bool:
    """Tell whether two candidates are read in the same words."""
    one, two = spare.candidate, other.candidate
    return (
        one.message == two.message
        and one.offset < two.offset + two.length
        and two.offset < one.offset + one.length
    )


def _told_since(judged: Judged, known: Judged, board: Board) -> set[str]:
    """Return the keys whose versions come out otherwise by what is said, as it was said before.

    There are none where nothing was said of them since.
    """
    kind = judged.candidate.type
    keys = {one.key for one in (judged, known) if one.key}
    alike = alike_since(judged, board) + events_since(judged, board)
    own = own_keys(judged, (), board) if board.origin.said_at < board.origin.now else set()
    past = any(_is_past(kind, key, board) for key in (*keys, *own))
    if not past and not alike and not _is_denied(known, board) and not is_done_later(known, board):
        return set()
    values = [one.value for key in keys for one in board.history(kind, key)]
    values += [one.judged.candidate.value for key in keys for one in denials_of(kind, key, board)]
    return keys | own_keys(judged, values, board) | {*alike}


def _is_rejected(judged: Judged, board: Board) -> bool:
    """Tell whether somebody else than the user says what the user has rejected, at any time."""
    one = judged.candidate
    if one.source is Source.USER or one.action is CandidateAction.RETRACT:
        return False
    return was_rejected(board.types.get(one.type), judged.key, one.value, board)


def _is_past(type_name: str, key: str, board: Board) -> bool:
    """Tell whether something of a key was said or taken back after what is said here."""
    last, at = board.last(type_name, key), board.origin.said_at
    if last is None or last.said_at > at:
        return last is not None
    if board.standing(type_name, key) is not None:
        return False
    ended = (one for one in board.history(type_name, key) if one.status is Status.RETRACTED)
    return any(one.valid_until is not None and one.valid_until > at for one in ended)


def _is_denied(judged: Judged, board: Board) -> bool:
    """Tell whether a statement says something new of a key of which something was denied since."""
    one = judged.candidate
    if one.action is CandidateAction.RETRACT or board.origin.said_at >= board.origin.now:
        return False
    kind = board.types.get(one.type)
    active = board.standing(kind.name, judged.key)
    if active is not None and not told_beside(judged, kind, active, board)[1]:
        return False
    return is_denied_later(kind.name, judged.key, board)
