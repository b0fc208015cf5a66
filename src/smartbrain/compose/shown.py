"""What a context shows, entry by entry, and why each is there (R1, S6).

In: a package, what was asked for, words that somebody expects. Out: its entries in the order of the
slots, each with what a reader sees of it; a reason for each; the first that shows the words. What
was left out is explained where it is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from smartbrain.compose.request import ComposeRequest
from smartbrain.domain.context import ContextPackage, EvidenceSource
from smartbrain.domain.context_messages import arguments_text
from smartbrain.domain.context_text import (
    call_text,
    note_text,
    pin_text,
    plan_text,
    said_again,
    step_results,
    turn_text,
    user_name,
    user_words,
    waiting_turn,
)
from smartbrain.domain.reason import Reason
from smartbrain.domain.rendered import title_of
from smartbrain.recall.cue_match import whole_word
from smartbrain.recall.forgotten import holds

SLOTS: Final = ContextPackage.__struct_fields__
"""The slots of a package in their order, and its other fields."""
EVIDENCE: Final = "evidence"
"""The slot of what was recalled; its reasons stand in the order of the evidence."""
_GIVEN: Final = ("given", "the agent says it itself")
_BLOCKS: Final = {
    "working_memory": ("working", "the run has it in mind"),
    "fastmemo": ("surface", "it is what the surface memory holds"),
    "context_pool": ("surface", "it is what was kept of earlier chat"),
    "budget": ("tell_budget", "the rules tell the model its budget"),
}
_IN_SLOT: Final = {
    "working_summary": ("summary", "it sums up the session so far"),
    "pins": ("pinned", "it is pinned"),
    "plan": ("planned", "it is to be done"),
    "notebook": ("noted", "it was noted in the session"),
    "recent_turns": ("recent", "it is one of the session's last turns"),
    "tool_result": ("last_call", "it is the outcome of the call that was made last"),
    "user_message": ("asked", "it is the message to answer"),
}
_FOUND: Final = {
    EvidenceSource.RESOURCE: Reason("found", "documents answer the message with it"),
    EvidenceSource.MEMORY: Reason("found", "recall found it for the message"),
}
_CORE: Final = ("core", "it is lasting memory that every context begins with")
SHOWN_IN: Final = "shown_in"
"""The code of the step that names the slot."""
_NAMED: Final = re.compile(r"[^\s:]+(?::[^\s:]+)+")  # a key, and not a sentence


def why_selected(
    package: ContextPackage, request: ComposeRequest, known: Iterable[Reason]
) -> tuple[Reason, ...]:
    """Return why each thing is there, in the order of the slots; `known` is what recall said."""
    reasons = {reason.id: reason for reason in known}
    own = {"system_blocks": len(request.system), "developer_blocks": len(request.developer)}
    sources = {pin.id: pin.source for pin in package.pins}
    done = {step.id for step in package.plan if step.done}
    last = package.tool_result.id if package.tool_result else None
    found = iter(package.evidence)
    why = []
    for entry in entries(package):
        slot, name, key, detail = entry.slot, entry.id, None, {}
        if slot in own:
            own[slot] -= 1
            code, sentence = _GIVEN if own[slot] >= 0 else _BLOCKS.get(name, _CORE)
        elif slot == EVIDENCE:
            evidence = next(found)
            told = reasons.get(name, _FOUND[evidence.source])
            code, sentence, detail = told.code, told.reason, {**told.detail}
            key = evidence.source_uri
        elif slot == "recent_turns" and name == request.turn_id:
            code, sentence = "in_progress", "it is the turn that is being made"
        elif slot == "plan" and name in done:
            code, sentence = "planned", "it is done, and stays in sight"
        elif slot == "tool_result" and name != last:
            code, sentence = "last_call", "it was made together with the last call"
        else:
            code, sentence = _IN_SLOT[slot]
            key = sources.get(name) if slot == "pins" else None
        why.append(Reason(code, sentence, id=name, type=slot, key=key, detail=detail))
    return tuple(why)


class Entry(NamedTuple):
    """One thing that a slot shows, as a reader sees it under the title of its block."""

    slot: str
    id: str
    title: str
    text: str


def entries(package: ContextPackage) -> Iterator[Entry]:
    """Yield everything that a context shows, in the order of the slots."""
    for slot in ("system_blocks", "developer_blocks"):
        for block in getattr(package, slot):
            yield Entry(slot, block.type, title_of(block.type), block.text)
    for slot, name, text in _named(package):
        yield Entry(slot, name, title_of(slot), text)


def _named(package: ContextPackage) -> Iterator[tuple[str, str, str]]:
    if package.working_summary:
        yield "working_summary", "summary", package.working_summary
    yield from (("pins", pin.id, pin_text(pin)) for pin in package.pins)
    yield from (("plan", step.id, plan_text(step)) for step in package.plan)
    yield from (("notebook", note.id, note_text(note)) for note in package.notebook)
    waiting = waiting_turn(package)
    for turn in package.recent_turns:
        given = "".join(f"\n{arguments_text(call)}" for call in turn.tool_calls)
        yield "recent_turns", turn.turn_id, turn_text(turn, waits=turn is waiting) + given
    for one in package.evidence:
        yield EVIDENCE, one.id, f"{one.speaker}: {one.snippet}" if one.speaker else one.snippet
    for call in step_results(package):
        yield "tool_result", call.id, f"{call_text(call)}\n{arguments_text(call)}"
    if message := package.user_message:
        yield "user_message", "message", f"{user_name(message)}\n{user_words(message)}".strip()


def where_shown(package: ContextPackage, expect: str) -> Reason | None:
    """Return where a context shows what somebody expects of it, or None.

    It is the place that has the words as they stand; failing that, one with a line that holds all
    of them, in whatever order.
    """
    again = said_again(package) is not None  # a turn shows the message then
    places = [one for one in entries(package) if not (again and one.slot == "user_message")]
    places.sort(key=lambda entry: entry.slot != EVIDENCE)  # what was chosen for it comes first
    words = " ".join(expect.split())
    found = next((one for one in places if one.id == words), None)
    if found is None:
        as_it_stands = whole_word(words.casefold())
        found = next((one for one in places if as_it_stands.search(_plain(one.text))), None)
    if found is None and not _NAMED.fullmatch(words):
        lines = ((one, line) for one in places for line in one.text.splitlines())
        found = next((one for one, line in lines if holds(words, line)), None)
    if found is None:
        return None
    return Reason(SHOWN_IN, f"it is shown in {found.title}", id=found.id, type=found.slot)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
