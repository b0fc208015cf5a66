"""Reading a turn again, when the one before it in time arrives after it (C4, M4).

In: a turn that arrived late. Out: what the next turn of its session says, now that it is known what
that refers to. What a rule reads in it otherwise than before is unsaid and said once more, at its
own time; all else that it said stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.result import CommitExplain
from smartbrain.govern.turn_state import spoken
from smartbrain.remember.before import readable, turn_of
from smartbrain.remember.board import Board
from smartbrain.remember.closing import AT_A_WORD, closed_at_a_word
from smartbrain.remember.denials import denials_in, drop_denials
from smartbrain.remember.episode import episode_of
from smartbrain.remember.extract.corrections_instead import each_apart
from smartbrain.remember.extract.turn import read_step
from smartbrain.remember.gate import gate
from smartbrain.remember.link import link_named
from smartbrain.remember.origin import Origin
from smartbrain.remember.quotes import quoted
from smartbrain.remember.rebuild import unsay
from smartbrain.remember.record import Recorded
from smartbrain.remember.resolve import resolve
from smartbrain.remember.review import ask_for_review
from smartbrain.remember.sayings import Saying, tie
from smartbrain.remember.speakers import by_speaker

if TYPE_CHECKING:
    from smartbrain.domain.candidate import Candidate
    from smartbrain.domain.memory import Memory
    from smartbrain.domain.policy import Rules
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction

_MOMENT: Final = timedelta(microseconds=1)


def read_next_again(
    late: Recorded, *, transaction: Transaction, ports: Ports, rules: Rules
) -> list[Memory]:
    """Read the turn after one that arrived late again; return the memories that change by it."""
    before, after = _beside(late, transaction)
    if after is None:
        return []
    spans = transaction.events.turn(after)
    turn = Recorded(readable(spans, transaction=transaction, ports=ports), spans)
    past = partial(turn_of, before, transaction=transaction, ports=ports)
    told = spoken(turn.said, rules=rules)
    was, now = read_step(told, past), read_step(told, lambda: late.said)
    theirs, own = (
        by_speaker(each_apart(one.candidates), turn, transaction=transaction) for one in (was, now)
    )
    origin = Origin(
        turn_id=after,
        session_id=spans.session_id,
        said_at=spans.at,
        now=late.said.created_at,
    )
    board = partial(Board, transaction, ports.types, weighing=rules.policies.linking.edge_weight)
    first = board(replace(origin, said_at=spans.at - _MOMENT))
    other = _otherwise(theirs, own)
    _take_out(other | {AT_A_WORD}, first, rules)
    first.write()
    second = board(origin)
    again = [one for one in own if one.rule in other]
    again += closed_at_a_word(now, lambda: late.said, second)
    _say(again, turn, board=second, rules=rules)
    return [*first.written(), *second.written()]


def _beside(late: Recorded, transaction: Transaction) -> tuple[str | None, str | None]:
    """Return the turns before and after one that arrived late; of any other there is none after."""
    return transaction.remembering.neighbours(late.said.id) if late.is_late else (None, None)


def _otherwise(was: Sequence[Candidate], now: Sequence[Candidate]) -> set[str]:
    """Return the rules that read something else now."""
    return {one.rule for one in (*was, *now) if one not in was or one not in now}


def _take_out(by: Set[str], board: Board, rules: Rules) -> None:
    """Unsay what a turn said by some rules; the time of the board is just before it."""
    turn, edges = board.origin.id, board.transaction.edges
    episode = _episode(board)
    told = [(one.src, one) for one in edges.of(episode, outgoing=False, kind=EdgeType.DERIVED_FROM)]
    told += [(one.dst, one) for one in edges.of(episode, kind=EdgeType.SUPPORTS)]
    said = board.transaction.memories.get(one for one, edge in told if edge.attrs.get("rule") in by)
    keys = [(one.type, one.key) for one in said.values()]
    denied = [one.judged for one in denials_in(turn, board) if one.judged.candidate.rule in by]
    keys += [(one.candidate.type, one.key) for one in denied]

    def is_gone(one: Saying) -> bool:
        return one.origin.turn_id == turn and one.judged.candidate.rule in by

    for kind in dict.fromkeys(kind for kind, _ in keys):
        unsay(kind, {key for one, key in keys if one == kind}, is_gone, board=board, rules=rules)
    if denied:
        drop_denials(turn, by, board)


def _say(candidates: Sequence[Candidate], turn: Recorded, *, board: Board, rules: Rules) -> None:
    """Decide about what a turn says after all, and keep why."""
    if not candidates:
        return
    judged = gate(candidates, types=board.types, rules=rules)
    outcome = resolve([quoted(one, turn) for one in judged], board=board, rules=rules)
    episode = _episode(board)
    tie(episode, outcome, board)
    link_named([board.get(one) for one in (*outcome.written, *outcome.repeated)], episode, board)
    board.write()
    ask_for_review(outcome.disputed, board=board)
    explain = CommitExplain(retention=tuple(outcome.retention), conflicts=tuple(outcome.conflicts))
    transaction = board.transaction
    transaction.remembering.keep_explanation(turn.said.id, explain, board.origin.now)


def _episode(board: Board) -> str:
    """Return the id of the episode of the turn that a board is of."""
    origin = board.origin
    return episode_of(board.types.get("episodes"), origin.session_id, origin.id).id
