"""Where a context shows some words, whatever is remembered of them (S1, S6).

In: a package, and words or the id of an entry. Out: the first place that shows them, as a reason
whose type is the slot. What a reader sees in a context is in it, also where the agent said it
itself or where a memory of it has been replaced since; what became of that memory is told apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from smartbrain.domain.context_messages import arguments_text
from smartbrain.domain.context_text import (
    said_again,
    step_results,
    user_name,
    user_words,
    waiting_turn,
)
from smartbrain.domain.context_turns import spoken, told_text
from smartbrain.domain.reason import Reason
from smartbrain.domain.rendered import title_of
from smartbrain.recall.holders import holds

if TYPE_CHECKING:
    from smartbrain.domain.context import ContextPackage
    from smartbrain.domain.packet import ShownCall, ShownTurn

SHOWN_IN: Final = "shown_in"
"""The code of the step that names the slot."""
_LATIN: Final = "[A-Za-z0-9]"
_NAMED: Final = re.compile(r"[^\s:]+(?::[^\s:]+)+")  # a key, and not a sentence


class _Place(NamedTuple):
    """One entry of a slot with its words; `title` is what the reader sees above it."""

    slot: str
    id: str
    title: str
    text: str


def where_shown(package: ContextPackage, expect: str) -> Reason | None:
    """Return where a context shows what somebody expects of it, or None.

    It is the place that has the words as they stand; failing that, one with a line that holds all
    of them, in whatever order.
    """
    places = list(_places(package))
    words = " ".join(expect.split())
    found = next((one for one in places if one.id == words), None)
    if found is None:
        as_it_stands = _pattern(words)
        found = next((one for one in places if as_it_stands.search(_plain(one.text))), None)
    if found is None and not _NAMED.fullmatch(words):
        lines = ((one, line) for one in places for line in one.text.splitlines())
        found = next((one for one, line in lines if holds(words, line)), None)
    if found is None:
        return None
    return Reason(SHOWN_IN, f"it is shown in {found.title}", id=found.id, type=found.slot)


def _pattern(words: str) -> re.Pattern[str]:
    """Return what finds words as they stand, and not within other words."""
    before = rf"(?<!{_LATIN})" if re.match(_LATIN, words) else ""
    after = rf"(?!{_LATIN})" if re.match(_LATIN, words[-1:]) else ""
    return re.compile(before + re.escape(words.casefold()) + after)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _places(package: ContextPackage) -> Iterator[_Place]:
    """Yield all that a context shows, entry by entry, what was chosen for the message first."""
    for one in package.evidence:
        said = "\n".join(filter(None, (one.title, one.speaker, one.snippet)))
        yield _Place("evidence", one.id, title_of("evidence"), said)
    for slot, blocks in (
        ("system_blocks", package.system_blocks),
        ("developer_blocks", package.developer_blocks),
    ):
        for block in blocks:
            yield _Place(slot, block.type, title_of(block.type), block.text)
    for pin in package.pins:
        told = "\n".join(filter(None, (pin.title, pin.summary, pin.source, pin.artifact_ref)))
        yield _Place("pins", pin.id, title_of("pins"), told)
    for step in package.plan:
        told = "\n".join(filter(None, (step.text, step.done_when)))
        yield _Place("plan", step.id, title_of("plan"), told)
    for note in package.notebook:
        yield _Place("notebook", note.id, title_of("notebook"), note.text)
    yield _Place("working_summary", "summary", title_of("working_summary"), package.working_summary)
    waiting = waiting_turn(package)
    for turn in package.recent_turns:
        told = _turn(turn, waits=turn is waiting)
        yield _Place("recent_turns", turn.turn_id, title_of("recent_turns"), told)
    for call in step_results(package):
        yield _Place("tool_result", call.id, title_of("tool_result"), _call(call))
    if package.user_message and said_again(package) is None:
        told = "\n".join((user_name(package.user_message), user_words(package.user_message)))
        yield _Place("user_message", "message", title_of("user_message"), told)


def _turn(turn: ShownTurn, *, waits: bool) -> str:
    said = [
        "\n".join(filter(None, (one.name, told_text(one)))) for one in spoken(turn, waits=waits)
    ]
    return "\n".join((*said, *map(_call, turn.tool_calls)))


def _call(call: ShownCall) -> str:
    given = arguments_text(call) if call.args is not None else ""
    return "\n".join(filter(None, (call.tool_name, call.summary, call.text, given, call.id)))
