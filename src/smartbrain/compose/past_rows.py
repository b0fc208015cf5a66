"""A session as a context of the past saw it, read out of the rows of now (S6).

In: a transaction, and the turns that the context was chosen from. Out: a transaction that knows
nothing of the session that came later: no later turn, and no later step of a turn that went on
since. Reading alone; everything else is as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec import structs

from smartbrain.domain.context_slots import CONTEXT_POOL
from smartbrain.domain.turn import CallStatus
from smartbrain.govern.fastmemo import COMPACTION
from smartbrain.govern.short_term import calls_made

if TYPE_CHECKING:
    from smartbrain.compose.select import Inputs
    from smartbrain.domain.artifact import StoredCall
    from smartbrain.domain.job import StateEntry
    from smartbrain.domain.packet import ShownCall
    from smartbrain.domain.turn import ToolCall, Turn
    from smartbrain.ports.truth import Transaction

_NO_OUTPUT: Final[Mapping[str, Any]] = {
    "status": CallStatus.UNKNOWN,
    "exit_code": None,
    "result_spans": (),
    "stdout_spans": (),
    "stderr_spans": (),
}


@dataclass(frozen=True, slots=True)
class _End:
    """How far a turn was: its last message, its calls as they are kept, if they are."""

    message: str | None
    calls: Mapping[str, ShownCall] | None


def past_rows(rows: Transaction, inputs: Inputs) -> Transaction:
    """Return rows in which the turns of a past context are as they were."""
    return cast("Transaction", _Rows(rows, _ends(inputs), inputs))


def knows_calls(inputs: Inputs) -> bool:
    """Tell whether it is known which calls the turn in progress had, or can be told from it."""
    wanted = inputs.wanted
    return (
        wanted.turn_id is None
        or wanted.recipe.tool_calls
        or bool(inputs.held.results)
        or any(one.calls for turn in inputs.held.turns for one in turn.messages)
    )


def _ends(inputs: Inputs) -> dict[str, _End]:
    wanted, held = inputs.wanted, inputs.held
    ends = {}
    for turn in held.turns:
        kept = {one.id: one for one in turn.tool_calls}
        if turn.turn_id == wanted.turn_id:
            kept |= {one.id: one for one in held.results}
        known = wanted.recipe.tool_calls or bool(kept)
        last = turn.messages[-1].id if turn.messages else None
        ends[turn.turn_id] = _End(last, kept if known else None)
    return ends


class _Rows:
    def __init__(self, rows: Transaction, ends: Mapping[str, _End], inputs: Inputs) -> None:
        self._rows = rows
        self.events = _Events(rows.events, ends)
        self.calls = _Calls(rows.calls, self.events)
        self.working = _Working(rows.working, self.events, inputs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)


class _Events:
    """Turns as they were; `seen` are those that were read, with how many calls they have now."""

    def __init__(self, events: Any, ends: Mapping[str, _End]) -> None:
        self._events = events
        self._ends = ends
        self.seen: dict[str, tuple[Turn, int]] = {}

    def turn(self, turn_id: str) -> Turn:
        return self._cut(self._events.turn(turn_id))

    def turns(self, session_id: str, *, after: int = 0, limit: int = 100) -> list[Turn]:
        return [self._cut(one) for one in self._events.turns(session_id, after=after, limit=limit)]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._events, name)

    def _cut(self, turn: Turn) -> Turn:
        end = self._ends.get(turn.id)
        then = turn if end is None else _as_then(turn, end)
        self.seen[turn.id] = (then, len(turn.tool_calls))
        return then


class _Calls:
    """The calls of the turns that were read, newest first."""

    def __init__(self, calls: Any, events: _Events) -> None:
        self._calls = calls
        self._events = events

    def page(
        self, *, session_id: str | None = None, turn_id: str | None = None, limit: int = 50
    ) -> list[tuple[tuple[int, int], StoredCall]]:
        found: list[tuple[tuple[int, int], StoredCall]] = []
        for turn, most in sorted(self._events.seen.values(), key=lambda one: -one[0].seq):
            if turn_id not in (None, turn.id) or not most or session_id != turn.session_id:
                continue
            then = {one.id: one for one in turn.tool_calls}
            for place, stored in self._calls.page(turn_id=turn.id, limit=most):
                if call := then.get(stored.call.id):
                    found.append((place, structs.replace(stored, call=call)))
        return found[:limit]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._calls, name)


class _Working:
    """Working state, with a compaction that tells nothing in short which was shown whole then."""

    def __init__(self, working: Any, events: _Events, inputs: Inputs) -> None:
        self._working = working
        self._events = events
        self._inputs = inputs

    def state(self, owner: str, kind: str | None = None, after: str = "") -> list[StateEntry]:
        found: list[StateEntry] = self._working.state(owner, kind, after)
        turns = self._inputs.held.turns
        if kind != COMPACTION or not self._inputs.wanted.recipe.shows(CONTEXT_POOL) or not turns:
            return found
        first = self._events.turn(turns[0].turn_id).seq
        then = {"up_to": first - 1, "lines": f"{first} 0 "}
        return [
            structs.replace(one, body={**one.body, **then}) if one.body["up_to"] >= first else one
            for one in found
        ]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._working, name)


def _as_then(turn: Turn, end: _End) -> Turn:
    """Return a turn up to the last message and the last call that it had."""
    places = [place for place, one in enumerate(turn.messages, 1) if one.id == end.message]
    messages = turn.messages[: places[-1]] if places else turn.messages
    calls = turn.tool_calls
    if end.calls is None:  # not shown then: those that its messages made, as far as they say
        made = {name for one in messages for name in calls_made(one)}
        known = [place for place, one in enumerate(calls, 1) if one.call_id in made]
        calls = calls[: known[-1]] if known else calls
    else:
        known = [place for place, one in enumerate(calls, 1) if one.id in end.calls]
        calls = tuple(_call_then(one, end.calls) for one in calls[: max(known, default=0)])
    return structs.replace(turn, messages=messages, tool_calls=calls)


def _call_then(call: ToolCall, kept: Mapping[str, ShownCall]) -> ToolCall:
    """Return a call without the outcome that it did not have yet."""
    one = kept.get(call.id)
    waited = one is not None and one.status is CallStatus.UNKNOWN and not one.bytes
    return structs.replace(call, **_NO_OUTPUT) if waited else call
