"""A past context under other rules: its session as it was, its candidates scored again (S6).

In: rows of now with marks of how far turns had come, or found memories with two sets of weights.
Out: rows that know nothing of what came later, or the scores there would have been. Nothing is
searched: what was not found then is not found now.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import structs

from smartbrain.compose.candidates import Candidate, FoundMemories, quoted_lines, terms_of
from smartbrain.domain.turn import CallStatus
from smartbrain.govern.fastmemo import COMPACTION

if TYPE_CHECKING:
    from smartbrain.compose.candidates import Terms
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
    """Turns as they were; `seen` are those that were read, with how many calls they have now."""

    def __init__(self, events: Any, marks: Mapping[str, TurnMark]) -> None:
        self._events = events
        self._marks = marks
        self.seen: dict[str, tuple[Turn, int]] = {}

    def turn(self, turn_id: str) -> Turn:
        return self._cut(self._events.turn(turn_id))

    def turns(self, session_id: str, *, after: int = 0, limit: int = 100) -> list[Turn]:
        found = self._events.turns(session_id, after=after, limit=limit)
        return [self._cut(turn) for turn in found]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._events, name)

    def _cut(self, turn: Turn) -> Turn:
        mark = self._marks.get(turn.id)
        then = turn if mark is None else _cut_turn(turn, mark)
        self.seen[turn.id] = (then, len(turn.tool_calls))
        return then


@dataclass(frozen=True, slots=True)
class _PastCalls:
    """The calls of the turns that were read, newest first."""

    rows: Any
    events: _PastEvents

    def page(
        self, *, session_id: str | None = None, turn_id: str | None = None, limit: int = 50
    ) -> list[tuple[tuple[int, int], StoredCall]]:
        found: list[tuple[tuple[int, int], StoredCall]] = []
        for turn, most in sorted(self.events.seen.values(), key=lambda seen: -seen[0].seq):
            if turn_id not in (None, turn.id) or not most or session_id != turn.session_id:
                continue
            then = {call.id: call for call in turn.tool_calls}
            for place, stored in self.rows.page(turn_id=turn.id, limit=most):
                if call := then.get(stored.call.id):
                    found.append((place, structs.replace(stored, call=call)))
        return found[:limit]

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


def _cut_turn(turn: Turn, mark: TurnMark) -> Turn:
    """Return a turn up to the last message and the last call that it had."""
    places = [place for place, one in enumerate(turn.messages, 1) if one.id == mark.message_id]
    messages = turn.messages[: places[-1]] if places else turn.messages
    calls = tuple(
        structs.replace(call, **_NO_OUTPUT) if place in mark.waiting else call
        for place, call in enumerate(turn.tool_calls[: mark.calls])
    )
    return structs.replace(turn, messages=messages, tool_calls=calls)


def score_again(
    found: FoundMemories, before: ScoreRules, after: ScoreRules, blobs: Blobs
) -> FoundMemories:
    """Return memories with their scores under other weights; those of past turns follow the hits.

    What came in by rule keeps its distance from the best.
    """
    turns = found.turns
    hits = {
        turn_id: hit._replace(
            score=_weigh_again(terms_of(turns.scored.get(turn_id)), before, after)
        )
        for turn_id, hit in turns.hits.items()
    }
    terms = {name: terms_of(one) for name, one in turns.scored.items()}
    scored = {
        name: one._replace(score=_weigh_again(one, before, after))
        for name, one in terms.items()
        if one
    }
    own = [(one, _weigh_again(one.terms, before, after)) for one in found.alone]
    was = [one.terms.score for one in found.alone if one.terms]
    best = max([*was, *(hit.score for hit in turns.hits.values())], default=0.0)
    now = max([*(score for _, score in own), *(hit.score for hit in hits.values())], default=0.0)
    share = now / best if best else 1.0
    alone: list[Candidate] = [
        replace(one, score=score if one.terms else one.score * share) for one, score in own
    ]
    again = replace(turns, hits=hits, scored=scored)
    return FoundMemories(alone=alone, turns=again, lines=list(quoted_lines(again, blobs)))


def _weigh_again(terms: Terms | None, before: ScoreRules, after: ScoreRules) -> float:
    """Return what recall would have scored; whom and when it favours stays as it was."""
    if terms is None:
        return 0.0
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
