"""What the slots of a context may hold, read in one transaction (R15).

In: a session, a recipe, a packet. Out: `Held`: core memory, what is governed, the last turns, the
step that is just being made. Output of tools is shown of the current call alone; of the last calls
before it their summaries. Long code of closed turns becomes a reference. What of it fits is the
budget's business.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec.structs import replace

from smartbrain.compose.arguments import LONGEST_ARGUMENTS, short_arguments, shorter_arguments
from smartbrain.compose.core_memory import date_blocks
from smartbrain.domain.context_slots import CONTEXT_POOL
from smartbrain.domain.context_turns import callers, calls_behind, is_open, is_speech
from smartbrain.domain.packet import ShownCall, ShownTurn
from smartbrain.domain.reason import Reason
from smartbrain.domain.turn import Role, ToolCall, Turn
from smartbrain.domain.working import Compaction, Governed
from smartbrain.errors import NotFound
from smartbrain.govern.artifacts import excerpt, last_artifacts
from smartbrain.govern.fastmemo import governed, is_behind, read_compaction
from smartbrain.govern.short_term import (
    calls_made,
    last_turns,
    result_media,
    shown_turn,
    with_texts,
)
from smartbrain.remember.summary import core_blocks, summarise_call

if TYPE_CHECKING:
    from smartbrain.compose.asked import Wanted
    from smartbrain.domain.artifact import Artifact
    from smartbrain.domain.indexed import SpokenTurn
    from smartbrain.domain.packet import MemoryPacket
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.recipe import Recipe
    from smartbrain.domain.summary import CoreBlock
    from smartbrain.govern.short_term import Heard
    from smartbrain.ports.blobs import Blobs
    from smartbrain.ports.truth import Transaction

_REACH: Final = 2  # turns on each side of what was found
_FENCED: Final = re.compile(r"(?ms)^[ \t]*(```|~~~)[^\n]*\n(.*?)(?:^[ \t]*\1[ \t]*$|\Z)")
_LONGEST_TOKEN: Final = 8  # characters, in any prose
_LOOP: Final = "tool_loop"
_CHAT: Final = "chat"
_MOST_BEHIND: Final = 100  # turns behind a compaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Everything that may be shown; `turns` are oldest first, and end with the one in progress.

    `heard` is what was read of the session already, with its words as they are stored. `trimmed`
    tells what of the turns is not shown whole, by the id of the turn or of the call.
    """

    core: tuple[CoreBlock, ...] = ()
    governed: Governed = Governed()
    turns: tuple[ShownTurn, ...] = ()
    in_progress: str | None = None
    results: tuple[ShownCall, ...] = ()
    spoken: tuple[SpokenTurn, ...] = ()
    heard: Heard | None = None
    trimmed: tuple[Reason, ...] = ()


class ReadTurns(NamedTuple):
    """Turns, the outcomes of the calls that are just made, and what of them is not shown whole."""

    turns: tuple[ShownTurn, ...]
    results: tuple[ShownCall, ...]
    trimmed: tuple[Reason, ...]


def read_slots(
    wanted: Wanted,
    packet: MemoryPacket,
    *,
    rows: Transaction,
    blobs: Blobs,
    rules: Rules,
    heard: Heard | None = None,
) -> Held:
    """Read what a recipe may show; `heard` is what the packet's own search read of the session.

    Raises:
        NotFound: there is no such turn in the session.
    """
    recipe = wanted.recipe
    read = read_turns(wanted, rows=rows, blobs=blobs, rules=rules, heard=heard)
    board = any(map(recipe.shows, ("fastmemo", "context_pool", "pins", "plan", "notebook")))
    told = [call.id for turn in read.turns for call in turn.tool_calls]
    return Held(
        core=date_blocks(core_blocks(wanted.now, transaction=rows, rules=rules), rows=rows)
        if recipe.shows("system")
        else (),
        governed=governed(wanted.session_id, rows=rows, now=wanted.now, rules=rules, told=told)
        if board
        else Governed(),
        turns=read.turns,
        in_progress=wanted.turn_id,
        results=read.results,
        trimmed=read.trimmed,
        spoken=read_spoken(packet, rows, rules, wanted.limit) if recipe.shows("evidence") else (),
        heard=heard,
    )


def read_turns(
    wanted: Wanted,
    *,
    rows: Transaction,
    blobs: Blobs,
    rules: Rules,
    place: int | None = None,
    heard: Heard | None = None,
) -> ReadTurns:
    """Read the turns that a recipe shows, and the outcomes of the calls that are just made.

    Args:
        wanted: what is composed.
        rows: the state to read.
        blobs: where long texts are.
        rules: how many turns there are, and how much of them.
        place: the turn that was the session's last one, of a past moment.
        heard: what was just read of the session.

    Raises:
        NotFound: there is no such turn in the session.
    """
    recipe, composition = wanted.recipe, rules.policies.composition
    most, told = turns_shown(recipe, rules), Compaction()
    if recipe.shows(CONTEXT_POOL):
        told = read_compaction(wanted.session_id, rows=rows)
        if most and recipe.recent_turns is None and recipe.name == _CHAT and is_behind(told):
            most = max(most, _MOST_BEHIND)  # what was not compacted yet is told nowhere else
    turns = last_turns(
        wanted.session_id,
        most,
        transaction=rows,
        blobs=blobs,
        place=place,
        after=told.up_to,
        heard=heard,
    )
    results: tuple[ShownCall, ...] = ()
    trimmed: list[Reason] = []
    few = composition.keep_rounds
    turns = tuple(_few_calls(turn, few) for turn in turns if turn.turn_id != wanted.turn_id)
    if wanted.turn_id is not None:
        turn, results = _in_progress(wanted, rows=rows, blobs=blobs, rules=rules, trimmed=trimmed)
        turns = (*turns, _few_calls(turn, few, step=len(results), waits=True))
    if recipe.tool_calls:
        last = _last_told(turns, wanted, results, rows=rows, blobs=blobs, rules=rules)
        turns = tuple(_with_told(turn, last, trimmed) for turn in turns) if last else turns
    else:
        turns = tuple(replace(turn, tool_calls=()) for turn in turns)
    if not recipe.long_code:
        lines = composition.chat_code_max_lines
        waits = wanted.turn_id is not None or bool(turns and is_open(turns[-1], ()))
        closed = turns[:-1] if waits else turns
        cut = (_without_long_code(turn, lines, trimmed) for turn in closed)
        turns = (*cut, *turns[len(closed) :])
    shown = results if recipe.shows("tool_result") else ()
    return ReadTurns(turns, shown, tuple(trimmed))


def read_spoken(
    packet: MemoryPacket, rows: Transaction, rules: Rules, limit: int
) -> tuple[SpokenTurn, ...]:
    """Read the turns of a packet's episodes, and those beside them.

    That is of as many sessions as there is evidence shown, those of the best episodes.
    """
    told = [one for one in packet.episodes if one.source_turn_id]
    best = sorted(told, key=lambda one: -(one.score or 0.0))
    sessions = list(dict.fromkeys(one.session_id for one in best))
    shown = {*sessions[: rules.policies.composition.evidence_places(limit)]}
    hits = [one.source_turn_id for one in told if one.source_turn_id and one.session_id in shown]
    return tuple(rows.composed.around(hits, reach=_REACH)) if hits else ()


def turns_shown(recipe: Recipe, rules: Rules) -> int:
    """Return how many of the last turns a recipe shows, however little room there is."""
    composition = rules.policies.composition
    if not recipe.shows("recent_turns"):
        return 0
    if recipe.recent_turns is not None:
        return recipe.recent_turns
    by_name = {_CHAT: rules.working.window_turns, _LOOP: composition.keep_rounds}
    return by_name.get(recipe.name, composition.recent_turns_max)


def _in_progress(
    wanted: Wanted, *, rows: Transaction, blobs: Blobs, rules: Rules, trimmed: list[Reason]
) -> tuple[ShownTurn, tuple[ShownCall, ...]]:
    """Return the turn that is being made, and the outcomes of its last step."""
    stored = rows.events.turn(wanted.turn_id or "")
    if stored.session_id != wanted.session_id:
        raise NotFound(f"session {wanted.session_id!r:.80} has no turn {wanted.turn_id!r:.80}")
    step = _last_step(stored)
    (whole,) = with_texts([replace(stored, tool_calls=step)], transaction=rows, blobs=blobs)
    turn = shown_turn(stored, [message.content for message in whole.messages])
    most = rules.policies.composition.tool_result_max_chars // max(1, len(step))
    outcomes = [_outcome(call, most, rules) for call in whole.tool_calls]
    # More than this has no room; what of the rest has room is the budget's business.
    longest = wanted.limit * _LONGEST_TOKEN
    return turn, tuple(
        replace(
            one,
            media=result_media(call, stored.refs),
            args=_arguments(one.id, call.args, longest, trimmed),
        )
        for one, call in zip(outcomes, whole.tool_calls, strict=True)
    )


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


def _outcome(call: ToolCall, most: int, rules: Rules) -> ShownCall:
    """Return a call with so many characters of its output at most, and its summary."""
    short = summarise_call(call, rules.artifacts)
    text, cut = excerpt(call, max_chars=most)
    return ShownCall(
        id=call.id,
        tool_name=call.name,
        status=call.status,
        exit_code=call.exit_code,
        bytes=short.bytes,
        summary=short.summary if cut else short.summary.partition("\n")[0],
        call_id=call.call_id,
        text=text,
        truncated=cut,
    )


def _arguments(call_id: str, given: Any, most: int, trimmed: list[Reason]) -> Any:
    """Return what a tool was given in so many characters, and note if that is not all of it."""
    shorter = shorter_arguments(given, most)
    if shorter is not given:
        trimmed.append(short_arguments(call_id, given, shorter, "recent_turns"))
    return shorter


def _last_told(
    turns: Sequence[ShownTurn],
    wanted: Wanted,
    current: Sequence[ShownCall],
    *,
    rows: Transaction,
    blobs: Blobs,
    rules: Rules,
) -> dict[str, Artifact]:
    """Return the last calls, which tell what they were given and what came of it in short.

    In a loop of tools those are the last of the session. Elsewhere they are those of the turn in
    progress, so that what is shown of past turns stays the same from call to call. The current ones
    are told apart.
    """
    loop = wanted.recipe.name == _LOOP
    if not (loop or wanted.turn_id) or not any(turn.tool_calls for turn in turns):
        return {}
    last = last_artifacts(
        wanted.session_id,
        rules.policies.composition.keep_rounds,
        turn_id=None if loop else wanted.turn_id,
        transaction=rows,
        blobs=blobs,
        rules=rules.artifacts,
    )
    apart = {one.id for one in current}
    return {one.id: one for one in last if one.id not in apart}


def _with_told(turn: ShownTurn, told: Mapping[str, Artifact], trimmed: list[Reason]) -> ShownTurn:
    """Return a turn some of whose calls are told with what they were given."""
    calls = [(call, told.get(call.id)) for call in turn.tool_calls]
    return replace(
        turn,
        tool_calls=tuple(
            replace(
                call,
                summary=one.summary,
                args=_arguments(call.id, one.args, LONGEST_ARGUMENTS, trimmed),
            )
            if one
            else call
            for call, one in calls
        ),
    )


def _few_calls(turn: ShownTurn, keep: int, step: int = 0, *, waits: bool = False) -> ShownTurn:
    """Return a turn with its last calls alone, and what was said beside those and after them.

    A loop of tools may go on for long; what one request is shown of it does not grow. The calls of
    the current step are all there.
    """
    calls = max(keep, step)
    gone = turn.tool_calls[:-calls]
    if not gone:
        return turn
    dropped = {call.id for call in gone}
    named = {call.call_id for call in gone}
    behind = calls_behind(turn, waits=waits)
    first = min(
        place for place, made in behind.items() if any(one.id not in dropped for one in made)
    )
    speech = [one for one in turn.messages if is_speech(one)]
    makers = {name for one in speech for name in one.calls}
    loose = any(one.call_id not in makers for one in turn.tool_calls[-calls:])
    near = callers(speech, waits=waits)[-keep:] if loose else []
    before = {
        id(one)
        for place, one in enumerate(speech)
        if one.role is Role.ASSISTANT and place < first and place not in near
    }
    kept = [
        replace(one, calls=tuple(name for name in one.calls if name not in named))
        for one in turn.messages
        if id(one) not in before
    ]
    return replace(turn, messages=tuple(kept), tool_calls=turn.tool_calls[-calls:])


def _without_long_code(turn: ShownTurn, lines: int, trimmed: list[Reason]) -> ShownTurn:
    """Return a turn in which code of more lines than that is only referred to."""

    def reference(found: re.Match[str]) -> str:
        size = found[2].count("\n")
        if size <= lines:
            return found[0]
        where = f"artifact turn:{turn.turn_id}"
        sentence = f"code of {size} lines is shown as a reference: {where}"
        trimmed.append(Reason("long_code", sentence, id=turn.turn_id, type="recent_turns"))
        return f"[code, {size} lines: {where}]"

    return replace(
        turn,
        messages=tuple(
            replace(one, content=_FENCED.sub(reference, one.content)) for one in turn.messages
        ),
    )
