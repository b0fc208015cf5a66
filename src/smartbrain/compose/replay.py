"""A past context under other rules: its session as it was, its candidates scored again (S6).

In: rows of now with marks of how far turns had come, or found memories with two sets of weights.
Out: rows that know nothing of what came later, or the scores there would have been. Nothing is
searched: what was not found then is not found now.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import structs

from smartbrain.compose.candidates import FoundMemories, quoted_lines
from smartbrain.domain.turn import CallStatus
from smartbrain.govern.fastmemo import COMPACTION

if TYPE_CHECKING:
    from smartbrain.compose.candidates import Terms, TurnHit
    from smartbrain.compose.turns import TurnMark
    from smartbrain.domain.artifact import StoredCall
    from smartbrain.domain.indexed import SpokenTurn
    from smartbrain.domain.job import StateEntry
    from smartbrain.domain.policy_recall import ScoreRules
    from smartbrain.domain.turn import Turn
    from smartbrain.ports.blobs import Blobs
    from smartbrain.ports.truth import Transaction

_NO_OUTPUT: Final[Mapping[str, Any]] = {
    "status": CallStatus.UNKNOWN,
    "exit_code": None,
    "result_spans": (),
    "stdout_spans": (),
    "stderr_spans": (),
}


class PastRows:
    """Rows in which a session ends where a past context saw it."""

    def __init__(self, rows: Transaction, marks: Sequence[TurnMark], now: datetime) -> None:
        self._rows = rows
        self.events = _PastEvents(rows.events, {mark.turn_id: mark for mark in marks})
        self.calls = _PastCalls(rows.calls, self.events)
        first = marks[0].turn_id if marks else None
        self.working = _PastWorking(rows.working, self.events, first)
        self.composed = _PastComposed(rows.composed, now)

    @property
    def transaction(self) -> Transaction:
        """The same, as the transaction that it stands for."""
        return cast("Transaction", self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)


class _PastEvents:
    """Turns as they were; `waiting` are the calls of those read that had no outcome yet."""

    def __init__(self, events: Any, marks: Mapping[str, TurnMark]) -> None:
        self._events = events
        self._marks = marks
        self.waiting: set[str] = set()

    def turn(self, turn_id: str) -> Turn:
        return self._cut(self._events.turn(turn_id))

    def turns(self, session_id: str, *, after: int = 0, limit: int = 100) -> list[Turn]:
        found = self._events.turns(session_id, after=after, limit=limit)
        return [self._cut(turn) for turn in found]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._events, name)

    def _cut(self, turn: Turn) -> Turn:
        mark = self._marks.get(turn.id)
        if mark is None:
            return turn
        places = [place for place, one in enumerate(turn.messages, 1) if one.id == mark.message_id]
        calls = list(turn.tool_calls[: mark.calls])
        for place in mark.waiting:
            self.waiting.add(calls[place].id)
            calls[place] = structs.replace(calls[place], **_NO_OUTPUT)
        messages = turn.messages[: places[-1]] if places else turn.messages
        return structs.replace(turn, messages=messages, tool_calls=tuple(calls))


@dataclass(frozen=True, slots=True)
class _PastCalls:
    """Calls by their ids, without an outcome that they did not have yet."""

    rows: Any
    events: _PastEvents

    def get(self, call_id: str) -> StoredCall | None:
        found: StoredCall | None = self.rows.get(call_id)
        if found is None or found.call.id not in self.events.waiting:
            return found
        return structs.replace(found, call=structs.replace(found.call, **_NO_OUTPUT))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rows, name)


@dataclass(frozen=True, slots=True)
class _PastWorking:
    """Working state, with a compaction that tells nothing in short which was shown whole then."""

    rows: Any
    events: _PastEvents
    first: str | None

    def state(self, owner: str, kind: str | None = None, after: str = "") -> list[StateEntry]:
        found: list[StateEntry] = self.rows.state(owner, kind, after)
        if kind != COMPACTION or self.first is None:
            return found
        first = self.events.turn(self.first).seq
        then = {"up_to": first - 1, "lines": f"{first} 0 "}
        return [
            structs.replace(entry, body={**entry.body, **then})
            if entry.body["up_to"] >= first
            else entry
            for entry in found
        ]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rows, name)


@dataclass(frozen=True, slots=True)
class _PastComposed:
    """What was said around turns by then."""

    rows: Any
    now: datetime

    def around(self, turn_ids: Sequence[str], *, reach: int) -> list[SpokenTurn]:
        found = self.rows.around(turn_ids, reach=reach)
        return [turn for turn in found if turn.at <= self.now]


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
