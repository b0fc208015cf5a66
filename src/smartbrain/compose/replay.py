"""A past context under other rules: its session as it was, its candidates scored again (S6).

In: rows of now with marks of how far turns had come, or found memories with two sets of weights.
Out: rows that know nothing of what came later, or the scores there would have been. Nothing is
searched: what was not found then is not found now.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Final, cast

from msgspec import structs

from smartbrain.compose.candidates import FoundMemories, Terms, TurnHit, quoted_lines
from smartbrain.compose.turns import TurnMark
from smartbrain.domain.artifact import StoredCall
from smartbrain.domain.indexed import SpokenTurn
from smartbrain.domain.job import StateEntry
from smartbrain.domain.policy_recall import ScoreRules
from smartbrain.domain.turn import CallStatus, Turn
from smartbrain.govern.fastmemo import COMPACTION
from smartbrain.ports.blobs import Blobs
from smartbrain.ports.truth import Transaction

_NO_OUTPUT: Final[Mapping[str, Any]] = {
    "status": CallStatus.UNKNOWN,
    "exit_code": None,
    "result_spans": (),
    "stdout_spans": (),
    "stderr_spans": (),
}


class _Past:
    """Rows of now, some of whose questions are answered as they were then."""

    def __init__(self, rows: Any, **answers: Any) -> None:
        self._rows = rows
        self.__dict__.update(answers)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)


def past_rows(rows: Transaction, marks: Sequence[TurnMark], now: datetime) -> Transaction:
    """Return rows in which a session ends where a past context saw it."""
    by_turn = {mark.turn_id: mark for mark in marks}
    waiting: set[str] = set()  # calls of the turns read that had no outcome yet

    def cut(turn: Turn) -> Turn:
        mark = by_turn.get(turn.id)
        if mark is None:
            return turn
        places = [place for place, one in enumerate(turn.messages, 1) if one.id == mark.message_id]
        calls = list(turn.tool_calls[: mark.calls])
        for place in mark.waiting:
            waiting.add(calls[place].id)
            calls[place] = structs.replace(calls[place], **_NO_OUTPUT)
        messages = turn.messages[: places[-1]] if places else turn.messages
        return structs.replace(turn, messages=messages, tool_calls=tuple(calls))

    def turns(session_id: str, *, after: int = 0, limit: int = 100) -> list[Turn]:
        return [cut(turn) for turn in rows.events.turns(session_id, after=after, limit=limit)]

    def call(call_id: str) -> StoredCall | None:
        found = rows.calls.get(call_id)
        if found is None or found.call.id not in waiting:
            return found
        return structs.replace(found, call=structs.replace(found.call, **_NO_OUTPUT))

    def state(owner: str, kind: str | None = None, after: str = "") -> list[StateEntry]:
        """Return state with a compaction that tells nothing in short which was whole then."""
        found = rows.working.state(owner, kind, after)
        if kind != COMPACTION or not marks:
            return found
        first = rows.events.turn(marks[0].turn_id).seq
        then = {"up_to": first - 1, "lines": f"{first} 0 "}
        return [
            structs.replace(entry, body={**entry.body, **then})
            if entry.body["up_to"] >= first
            else entry
            for entry in found
        ]

    def around(turn_ids: Sequence[str], *, reach: int) -> list[SpokenTurn]:
        return [turn for turn in rows.composed.around(turn_ids, reach=reach) if turn.at <= now]

    past = _Past(
        rows,
        events=_Past(rows.events, turn=lambda turn_id: cut(rows.events.turn(turn_id)), turns=turns),
        calls=_Past(rows.calls, get=call),
        working=_Past(rows.working, state=state),
        composed=_Past(rows.composed, around=around),
    )
    return cast("Transaction", past)


def score_again(
    found: FoundMemories, before: ScoreRules, after: ScoreRules, blobs: Blobs
) -> FoundMemories:
    """Return memories with their scores under other weights; those of past turns follow the hits.

    What came in by rule keeps its distance from the best.
    """
    turns = found.turns
    terms = {
        turn_id: scored._replace(score=_weigh_again(scored, before, after))
        for turn_id, scored in turns.terms.items()
    }
    hits = {
        turn_id: hit._replace(score=terms[turn_id].score if turn_id in terms else 0.0)
        for turn_id, hit in turns.hits.items()
    }
    alone = [
        replace(one, score=_weigh_again(one.terms, before, after)) if one.terms else one
        for one in found.alone
    ]
    was = [*(one.terms.score for one in found.alone if one.terms), *_scores(turns.hits)]
    now = [*(one.score for one in alone if one.terms), *_scores(hits)]
    best = max(was, default=0.0)
    share = max(now, default=0.0) / best if best else 1.0
    alone = [one if one.terms else replace(one, score=one.score * share) for one in alone]
    again = replace(turns, hits=hits, terms=terms)
    return FoundMemories(alone=alone, turns=again, lines=list(quoted_lines(again, blobs)))


def _scores(hits: Mapping[str, TurnHit]) -> Iterator[float]:
    return (hit.score for hit in hits.values())


def _weigh_again(terms: Terms, before: ScoreRules, after: ScoreRules) -> float:
    """Return what recall would have scored; whom and when it favours stays as it was."""
    was, now = (
        weights.text * terms.words
        + weights.vector * terms.vector
        + weights.graph * terms.graph
        + weights.weight * terms.weight
        + weights.recency * terms.recency
        + weights.coverage * terms.coverage
        for weights in (before, after)
    )
    return terms.score * now / was if was else terms.score
