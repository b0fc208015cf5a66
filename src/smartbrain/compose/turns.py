"""The turns that a context may show, and the outcomes of the calls just made (R15, R18, W6).

In: a session, a recipe, the turn in progress. Out: `ReadTurns`. Output of tools is shown of the
current step alone; of the last calls before it their summaries. Long code of closed turns becomes a
reference. What of it fits is the budget's business.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from smartbrain.compose.request import ComposeRequest
from smartbrain.compose.shorten import MAX_ARGUMENTS, explain_arguments
from smartbrain.domain.context_slots import CONTEXT_POOL
from smartbrain.domain.context_turns import calls_behind, is_open, is_speech
from smartbrain.domain.packet import ShownCall, ShownTurn
from smartbrain.domain.policy import Rules
from smartbrain.domain.reason import Reason
from smartbrain.domain.recipe import Recipe
from smartbrain.domain.turn import CallStatus, Role, ToolCall, Turn
from smartbrain.domain.working import Compaction
from smartbrain.errors import NotFound
from smartbrain.govern.artifacts import artifacts_of, excerpt
from smartbrain.govern.call_arguments import shorten_arguments
from smartbrain.govern.fastmemo import is_behind, read_compaction
from smartbrain.govern.short_term import (
    Heard,
    calls_made,
    last_turns,
    place_of,
    result_media,
    shown_turn,
    with_texts,
)
from smartbrain.govern.tool_schemas import TOOLS
from smartbrain.ports.blobs import Blobs
from smartbrain.ports.truth import Transaction
from smartbrain.remember.summary import summarise_call

_FENCED: Final = re.compile(r"(?ms)^[ \t]*(```|~~~)[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)")
_LONGEST_TOKEN: Final = 8  # characters, in any prose
_LOOP: Final = "tool_loop"
_CHAT: Final = "chat"
_MAX_UNCOMPACTED: Final = 100  # turns behind a compaction


class TurnMark(NamedTuple):
    """How far a turn had come: its last message, its calls, and those without an outcome yet."""

    turn_id: str
    message_id: str | None = None
    calls: int = 0
    waiting: Sequence[int] = ()


def _mark_turn(turn: ShownTurn) -> TurnMark:
    last = turn.messages[-1].id if turn.messages else None
    calls = turn.tool_calls
    unknown = [one.status is CallStatus.UNKNOWN and not one.bytes for one in calls]
    waiting = [place for place, is_unknown in enumerate(unknown) if is_unknown]
    return TurnMark(turn.turn_id, last, len(calls), waiting)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadTurns:
    """Turns, oldest first, with the one in progress last; the outcomes of the current step.

    `trimmed` tells what of them is not shown whole, by the id of the turn or of the call. `marks`
    say how far each had come, `place` which turn was the session's last one; 0 once it has ended.
    """

    turns: tuple[ShownTurn, ...] = ()
    results: tuple[ShownCall, ...] = ()
    trimmed: tuple[Reason, ...] = ()
    marks: tuple[TurnMark, ...] = ()
    place: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnReader:
    """What turns are read with; `trimmed` fills with what is not shown whole."""

    request: ComposeRequest
    rows: Transaction
    blobs: Blobs
    rules: Rules
    trimmed: list[Reason] = field(default_factory=list)

    def read(self, *, place: int | None = None, heard: Heard | None = None) -> ReadTurns:
        """Read the turns that a recipe shows, and the outcomes of the calls that are just made."""
        request, recipe = self.request, self.request.recipe
        few = self.rules.policies.composition.keep_rounds
        if place is None:
            place = place_of(request.session_id, transaction=self.rows)
        whole = self._last_turns(place, heard)
        whole = [turn for turn in whole if turn.turn_id != request.turn_id]
        turns = [_keep_last_calls(turn, few) for turn in whole]
        results: tuple[ShownCall, ...] = ()
        if request.turn_id is not None:
            turn, results = self._read_in_progress(request.turn_id)
            whole.append(turn)
            turns.append(_keep_last_calls(turn, few, step=len(results), waits=True))
        if recipe.tool_calls:
            turns = self._describe_calls(turns, results)
        else:
            turns = [replace(turn, tool_calls=()) for turn in turns]
        if not recipe.long_code:
            waits = request.turn_id is not None or bool(turns and is_open(turns[-1], ()))
            count = len(turns) - waits
            turns = [*map(self._refer_to_code, turns[:count]), *turns[count:]]
        shown = results if recipe.shows("tool_result") else ()
        return ReadTurns(
            turns=tuple(turns),
            results=shown,
            trimmed=tuple(self.trimmed),
            marks=tuple(map(_mark_turn, whole)),
            place=place,
        )

    def _last_turns(self, place: int, heard: Heard | None) -> Sequence[ShownTurn]:
        request, recipe = self.request, self.request.recipe
        most, compaction = count_shown_turns(recipe, self.rules), Compaction()
        if recipe.shows(CONTEXT_POOL):
            compaction = read_compaction(request.session_id, rows=self.rows)
            is_chat = recipe.recent_turns is None and recipe.name == _CHAT
            if most and is_chat and is_behind(compaction):
                most = max(most, _MAX_UNCOMPACTED)  # what was not compacted is told nowhere else
        return last_turns(
            request.session_id,
            most,
            transaction=self.rows,
            blobs=self.blobs,
            place=place,
            after=compaction.up_to,
            heard=heard,
        )

    def _read_in_progress(self, turn_id: str) -> tuple[ShownTurn, tuple[ShownCall, ...]]:
        session = self.request.session_id
        stored = self.rows.events.turn(turn_id)
        if stored.session_id != session:
            raise NotFound(f"session {session!r:.80} has no turn {turn_id!r:.80}")
        step = _last_step(stored)
        read = replace(stored, tool_calls=step)
        (whole,) = with_texts([read], transaction=self.rows, blobs=self.blobs)
        turn = shown_turn(stored, [message.content for message in whole.messages])
        most = self.rules.policies.composition.tool_result_max_chars // max(1, len(step))
        # More than this has no room; what of the rest has room is the budget's business.
        longest = self.request.limit * _LONGEST_TOKEN
        outcomes = []
        for call in whole.tool_calls:
            short = summarise_call(call, self.rules.artifacts)
            text, cut = excerpt(call, max_chars=most)
            outcome = ShownCall(
                id=call.id,
                tool_name=call.name,
                status=call.status,
                exit_code=call.exit_code,
                bytes=short.bytes,
                summary=short.summary if cut else short.summary.partition("\n")[0],
                call_id=call.call_id,
                args=self._shorten_arguments(call.id, call.args, longest),
                text=text,
                truncated=cut,
                media=result_media(call, stored.refs),
            )
            outcomes.append(outcome)
        return turn, tuple(outcomes)

    def _describe_calls(
        self, turns: Sequence[ShownTurn], current: Sequence[ShownCall]
    ) -> list[ShownTurn]:
        """Return turns whose last calls tell what they were given and what came of it in short.

        In a loop of tools those are the last of the session. Elsewhere they are those of the turn
        in progress, so that what is shown of past turns stays the same from call to call. The
        current ones are told apart.
        """
        loop, turn_id = self.request.recipe.name == _LOOP, self.request.turn_id
        told = [turn.tool_calls for turn in turns if loop or turn.turn_id == turn_id]
        calls = [call for some in told for call in some if call.tool_name not in TOOLS]
        few = self.rules.policies.composition.keep_rounds
        ids = [call.id for call in calls[-few:]]
        ids += [call.id for call in calls[:-few] if call.status is CallStatus.ERROR][-1:]
        found = artifacts_of(
            ids, transaction=self.rows, blobs=self.blobs, rules=self.rules.artifacts
        )
        apart = {call.id for call in current}
        last = {artifact.id: artifact for artifact in found if artifact.id not in apart}

        def described(call: ShownCall) -> ShownCall:
            if artifact := last.get(call.id):
                args = self._shorten_arguments(call.id, artifact.args, MAX_ARGUMENTS)
                return replace(call, summary=artifact.summary, args=args)
            return call

        return [replace(turn, tool_calls=tuple(map(described, turn.tool_calls))) for turn in turns]

    def _shorten_arguments(self, call_id: str, given: Any, most: int) -> Any:
        """Return what a tool was given in so many characters, and note if that is not all of it."""
        shorter = shorten_arguments(given, most)
        if shorter is not given:
            self.trimmed.append(explain_arguments(call_id, given, shorter, "recent_turns"))
        return shorter

    def _refer_to_code(self, turn: ShownTurn) -> ShownTurn:
        most = self.rules.policies.composition.chat_code_max_lines

        def refer(found: re.Match[str]) -> str:
            size = found[2].count("\n")
            if size <= most:
                return found[0]
            where = f"artifact turn:{turn.turn_id}"
            sentence = f"code of {size} lines is shown as a reference: {where}"
            reason = Reason("long_code", sentence, id=turn.turn_id, type="recent_turns")
            self.trimmed.append(reason)
            return f"[code, {size} lines: {where}]"

        messages = (
            replace(message, content=_FENCED.sub(refer, message.content))
            for message in turn.messages
        )
        return replace(turn, messages=tuple(messages))


def count_shown_turns(recipe: Recipe, rules: Rules) -> int:
    """Return how many of the last turns a recipe shows, however little room there is."""
    composition = rules.policies.composition
    if not recipe.shows("recent_turns"):
        return 0
    if recipe.recent_turns is not None:
        return recipe.recent_turns
    by_name = {_CHAT: rules.working.window_turns, _LOOP: composition.keep_rounds}
    return by_name.get(recipe.name, composition.recent_turns_max)


def _last_step(turn: Turn) -> tuple[ToolCall, ...]:
    """Return the last call of a turn, with those that the same message made right before it."""
    calls = turn.tool_calls
    made = next((ids for ids in map(calls_made, reversed(turn.messages)) if ids), ())
    together = 0
    for call in reversed(calls[-len(made) :] if made else ()):
        if call.call_id not in made:
            break
        together += 1
    return calls[-max(1, together) :]


def _keep_last_calls(
    turn: ShownTurn, keep: int, *, step: int = 0, waits: bool = False
) -> ShownTurn:
    """Return a turn with its last calls alone, and what was said beside those and after them.

    A loop of tools may go on for long; what one request is shown of it does not grow. Calls of
    memory's own tools take no places, and are shown in the current step alone. The last call that
    failed stays in sight, unless the same tool went well since.
    """
    calls = turn.tool_calls
    current = {call.id for call in calls[len(calls) - step :]}
    work = [call for call in calls if call.tool_name not in TOOLS]
    kept = {call.id for call in work[-keep:]} | current
    ends = {call.tool_name: call for call in work}
    failed = [call for call in work if call.status is CallStatus.ERROR]
    if failed and ends[failed[-1].tool_name].status is CallStatus.ERROR:
        kept.add(failed[-1].id)
    gone = [call for call in calls if call.id not in kept]
    if not gone:
        return turn
    named = {call.call_id for call in gone}
    behind = calls_behind(turn, waits=waits)
    makers = {place for place, made in behind.items() if any(call.id in kept for call in made)} or {
        len(turn.messages)
    }
    tail = min(
        (place for place, made in behind.items() if made[-1].id in current),
        default=max(makers),
    )
    messages, place = [], -1
    for message in turn.messages:
        place += is_speech(message)
        if message.role is not Role.ASSISTANT or place in makers or place >= tail:
            names = tuple(name for name in message.calls if name not in named)
            messages.append(replace(message, calls=names))
    shown = tuple(call for call in calls if call.id in kept)
    return replace(turn, messages=tuple(messages), tool_calls=shown)
