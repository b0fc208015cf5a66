"""Shorter forms of what a context may show, one after the other (R16, W1).

In: a text, a turn, a call, a run's working memory. Out: forms from whole to hardly anything, each
no longer than the one before. Words shown are the text's own; a cut shows "…".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import islice
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from smartbrain.domain.context import Block
from smartbrain.domain.packet import ShownCall, ShownTurn, WorkingMemory
from smartbrain.domain.reason import Reason
from smartbrain.domain.record import canonical_json
from smartbrain.domain.rendered import short_source
from smartbrain.domain.turn import Role
from smartbrain.govern.call_arguments import shorten_arguments
from smartbrain.text.sentences import first_sentences

MARK: Final = "…"
_MAX_PLACES: Final = 8  # of one word that are looked at
MAX_ARGUMENTS: Final = 600
"""Characters that past calls show of what they were given, and the current one if room is short."""
_HIGHLIGHTS: Final = 3  # so much shorter than a summary
_MIN_HIGHLIGHTS: Final = 40
_LEAD: Final = 0.25  # of an excerpt stands before the first word that was looked for
_MESSAGE_SUMMARY: Final = 400  # characters of a message that is summarised
_MIN_CHARACTERS: Final = 80  # of a summary, and of arguments, where there is hardly any room
_MIN_VALUE: Final = 40  # characters of a value or a sentence of working memory that is cut


class Level(StrEnum):
    """How much of something is shown."""

    FULL = "full"
    SUMMARY = "summary"
    HIGHLIGHTS = "highlights"
    REFERENCE = "reference"


def text_forms(text: str, characters: int, reference: str = "") -> Iterator[tuple[Level, str]]:
    """Yield a text whole, then in ever fewer characters, at last as what it can be found by."""
    yield (Level.FULL, text)
    highlights = max(_MIN_HIGHLIGHTS, characters // _HIGHLIGHTS)
    for level, size in ((Level.SUMMARY, characters), (Level.HIGHLIGHTS, highlights)):
        if len(text) > size:
            yield (level, first_sentences(text, size))
    if reference and len(reference) < len(text):
        yield (Level.REFERENCE, reference)


class SoughtWord(NamedTuple):
    """A word that a text is searched for, in all its forms, and how much finding it says."""

    forms: tuple[str, ...]
    weight: float


def excerpt(text: str, characters: int, words: Sequence[SoughtWord]) -> str:
    """Return the part of a text with the most of some words, cut where words end if it can be."""
    if len(text) <= characters:
        return text
    room = characters - 2 * len(MARK)
    start = _densest_start(text, room, words)
    end = min(len(text), start + room)
    start = max(0, end - room)
    if start:
        start = _first_blank(text, start, min(end, start + room // 8)) or start
    if end < len(text):
        end = _first_blank(text, end, max(start, end - room // 8)) or end
    before, after = MARK if start else "", MARK if end < len(text) else ""
    return f"{before}{text[start:end].strip()}{after}"


def _densest_start(text: str, room: int, words: Sequence[SoughtWord]) -> int:
    """Return where the stretch that says most begins; of equals the first."""
    folded = text.casefold()
    places = sorted(
        (place, number)
        for number, word in enumerate(words)
        for form in word.forms
        for place in islice(_find_places(folded, form), _MAX_PLACES)
    )
    best, best_start, first = 0.0, 0, 0
    for last, (end, _) in enumerate(places):
        while end - places[first][0] > room * (1 - _LEAD):
            first += 1
        held = sum(words[number].weight for number in {n for _, n in places[first : last + 1]})
        if held > best:
            best, best_start = held, places[first][0]
    return max(0, best_start - int(room * _LEAD))


def _find_places(text: str, word: str) -> Iterator[int]:
    """Yield where a word begins."""
    for found in re.finditer(re.escape(word), text):
        before = text[found.start() - 1 : found.start()]
        if not (word[0].isascii() and before.isascii() and before.isalnum()):
            yield found.start()


def _first_blank(text: str, start: int, end: int) -> int | None:
    """Return the first blank from one place towards another; None where there is none."""
    step = 1 if end >= start else -1
    return next((place for place in range(start, end, step) if text[place].isspace()), None)


def explain_arguments(call_id: str, whole: Any, shown: Any, slot: str) -> Reason:
    """Return why not all is shown of what a call was given."""
    before, after = len(canonical_json(whole)), len(canonical_json(shown))
    sentence = f"{after:,} of {before:,} characters of what it was given are shown"
    return Reason("shortened", sentence, id=call_id, type=slot, key="args")


def keep_question(turn: ShownTurn) -> ShownTurn:
    """Return a turn with what the user says in it alone."""
    said = (message for message in turn.messages if message.role is Role.USER)
    asked = tuple(message for message in said if message.content.strip() or message.media)
    return replace(turn, messages=asked, tool_calls=())


def outcome_forms(call: ShownCall) -> Iterator[tuple[Level, ShownCall]]:
    """Yield the outcome of a call with ever less of its output, at last its id alone."""
    yield Level.FULL, call
    args = shorten_arguments(call.args, MAX_ARGUMENTS)
    if args is not call.args:
        call = replace(call, args=args)
        yield Level.SUMMARY, call
    half = len(call.text) // 2
    for size in (half, half // 4) if half else ():
        yield Level.SUMMARY, replace(call, text=f"{call.text[:size]}{MARK}", truncated=True)
    call = replace(call, text="", truncated=True)
    yield Level.HIGHLIGHTS, call
    first = call.summary.partition("\n")[0][:_MIN_CHARACTERS]
    args = shorten_arguments(call.args, _MIN_CHARACTERS)
    yield Level.REFERENCE, replace(call, args=args, summary=first, media=())


def turn_forms(turn: ShownTurn, *, asked: bool) -> Iterator[tuple[Level | None, ShownTurn]]:
    """Yield a turn whole, then with ever shorter messages, and calls that say how they ended."""
    yield Level.FULL, turn
    reference = f"({short_source(f'turn:{turn.turn_id}')})"
    by_message = [
        {Level.FULL: message.content}
        if asked and message.role is Role.USER
        else dict(text_forms(message.content, _MESSAGE_SUMMARY, reference))
        for message in turn.messages
    ]
    ended = tuple(  # with the first line of their summaries alone
        replace(
            call,
            summary=call.summary.partition("\n")[0],
            args=shorten_arguments(call.args, _MIN_CHARACTERS),
        )
        for call in turn.tool_calls
    )
    texts = [message.content for message in turn.messages]
    for level in (Level.SUMMARY, Level.HIGHLIGHTS, Level.REFERENCE):
        texts = [forms.get(level, text) for forms, text in zip(by_message, texts, strict=True)]
        messages = tuple(
            replace(message, content=text)
            for message, text in zip(turn.messages, texts, strict=True)
        )
        yield (
            level,
            replace(
                turn,
                messages=messages,
                tool_calls=turn.tool_calls if level is Level.SUMMARY else ended,
            ),
        )
    if asked:
        yield None, keep_question(turn)


class WorkingShape(NamedTuple):
    """How much is shown: of the latest decisions, of slot values and sentences, of all lines."""

    details: int
    decisions: int
    value: int
    sentence: int
    lines: int


def working_block(working: WorkingMemory, shape: WorkingShape) -> Block:
    """Return what a run has in mind as a block in a shape; one of no text is empty."""
    firsts = [f"Goal: {working.goal}"] if working.goal else []
    firsts += [f"Constraint: {constraint}" for constraint in working.constraints]
    lines = [excerpt(text, shape.sentence, ()) for text in firsts]
    for name, value in sorted(working.slots.items()):
        lines.append(f"{name}: {excerpt(canonical_json(value), shape.value, ())}")
    count = len(working.decisions)
    for place in range(count - shape.decisions, count):
        decision = working.decisions[place]
        told = decision.detail and place >= count - shape.details
        lines.append(f"Decided: {decision.text}{f' ({decision.detail})' if told else ''}")
    text = "\n".join(lines[: shape.lines])
    return Block(type="working_memory", text=text, source={"run_id": working.run_id})


def working_shapes(working: WorkingMemory) -> Iterator[WorkingShape]:
    """Yield ever shorter shapes of a working memory, the whole of it first.

    The details of decisions go first, the oldest before the others, then decisions, then the ends
    of long slot values; goal and constraints are the last to be cut.
    """
    decisions = len(working.decisions)
    lines = bool(working.goal) + len(working.constraints) + len(working.slots)
    value = max((len(canonical_json(item)) for item in working.slots.values()), default=0)
    sentence = 20 + max(map(len, (working.goal or "", *working.constraints)))
    for kept in range(decisions, -1, -1):
        yield WorkingShape(kept, decisions, value, sentence, lines + decisions)
    for kept in range(decisions - 1, -1, -1):
        yield WorkingShape(0, kept, value, sentence, lines + decisions)
    for shorter in _shrink(value):
        yield WorkingShape(0, 0, shorter, sentence, lines)
    for shorter in _shrink(sentence):
        yield WorkingShape(0, 0, _MIN_VALUE, shorter, lines)
    for kept in range(lines - 1, -1, -1):
        yield WorkingShape(0, 0, _MIN_VALUE, _MIN_VALUE, kept)


def _shrink(size: int) -> Iterator[int]:
    while size > _MIN_VALUE:
        size = max(_MIN_VALUE, size * 3 // 4)
        yield size
