"""Shorter forms of a turn and of the outcome of a call, one after the other (R16).

In: a turn or a call as it may be shown. Out: its forms by level, each shorter than the one before.
What the user asks in a turn in progress is in all of its forms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from smartbrain.compose.arguments import LONGEST_ARGUMENTS, shorter_arguments
from smartbrain.compose.levels import Form, Level, forms
from smartbrain.domain.packet import ShownCall, ShownTurn
from smartbrain.domain.rendered import short_source
from smartbrain.domain.turn import Role

_SUMMARISED: Final = 400  # characters of a message that is summarised
_FEWEST: Final = 80  # of a summary, and of what a tool was given, where there is hardly any room


def asked_alone(turn: ShownTurn) -> ShownTurn:
    """Return a turn with what the user says in it alone."""
    said = (one for one in turn.messages if one.role is Role.USER)
    asked = tuple(one for one in said if one.content.strip() or one.media)
    return replace(turn, messages=asked, tool_calls=())


def outcome_forms(call: ShownCall) -> Iterator[tuple[Level, ShownCall]]:
    """Yield the outcome of a call with ever less of its output, at last its id alone."""
    yield Level.FULL, call
    args = shorter_arguments(call.args, LONGEST_ARGUMENTS)
    if args is not call.args:
        call = replace(call, args=args)
        yield Level.SUMMARY, call
    half = len(call.text) // 2
    if half:
        yield Level.SUMMARY, replace(call, text=f"{call.text[:half]}…", truncated=True)
        eighth = replace(call, text=f"{call.text[: half // 4]}…", truncated=True)
        yield Level.SUMMARY, eighth
    yield Level.HIGHLIGHTS, replace(call, text="", truncated=True)
    first = call.summary.partition("\n")[0][:_FEWEST]
    args = shorter_arguments(call.args, _FEWEST)
    yield (
        Level.REFERENCE,
        replace(call, text="", args=args, summary=first, truncated=True, media=()),
    )


def turn_forms(turn: ShownTurn, *, asked: bool) -> Iterator[tuple[Level | None, ShownTurn]]:
    """Yield a turn whole, then with ever shorter messages, and calls that say how they ended.

    What is `asked` in it stays whole, and is at last all that there is of it.
    """
    yield Level.FULL, turn
    reference = f"({short_source(f'turn:{turn.turn_id}')})"
    by_message = [
        [Form(Level.FULL, one.content)]
        if asked and one.role is Role.USER
        else list(forms(one.content, _SUMMARISED, reference))
        for one in turn.messages
    ]
    for level in (Level.SUMMARY, Level.HIGHLIGHTS, Level.REFERENCE):
        texts = [_at(level, found) for found in by_message]
        messages = [
            replace(one, content=text) for one, text in zip(turn.messages, texts, strict=True)
        ]
        calls = turn.tool_calls if level is Level.SUMMARY else _ended(turn)
        yield level, replace(turn, messages=tuple(messages), tool_calls=calls)
    if asked:
        yield None, asked_alone(turn)


def _ended(turn: ShownTurn) -> tuple[ShownCall, ...]:
    """Return the calls of a turn with the first line of their summaries alone."""
    return tuple(
        replace(
            call,
            summary=call.summary.partition("\n")[0],
            args=shorter_arguments(call.args, _FEWEST),
        )
        for call in turn.tool_calls
    )


def _at(level: Level, found: Sequence[Form]) -> str:
    """Return the form of a text at a level; one that has none is as long as the one before."""
    wanted = list(Level).index(level)
    return [form.text for form in found if list(Level).index(form.level) <= wanted][-1]
