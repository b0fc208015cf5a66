"""Why each thing is in a context or is not, at its making, by its trace, by its words (S6).

In: a package and its request, a trace, or words that somebody expects. Out: a reason for each
entry of a slot; what was planned, cut and left out with the budget by slot; the first place that
shows the words. Nothing else is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec.structs import replace

from smartbrain.domain.context import ContextPackage, EvidenceSource
from smartbrain.domain.context_explained import ContextExplanation, SlotBudget
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
from smartbrain.domain.explanation import Explanation, Verdict
from smartbrain.domain.reason import Reason
from smartbrain.domain.rendered import title_of
from smartbrain.recall.answered import Answered, by_id, unread_by_type
from smartbrain.recall.said import holds
from smartbrain.recall.verdicts import HINTS

if TYPE_CHECKING:
    from smartbrain.compose.passages import EvidenceChoice
    from smartbrain.compose.request import ComposeRequest
    from smartbrain.compose.select import ContextInputs
    from smartbrain.compose.trace import KeptContext

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
_MEMORY: Final = "mem_"  # how the id of a memory begins
_SHORTENED: Final = "shortened"
_IGNORED: Final = ("ignored_field", "unknown_field")
_PARTS: Final = {"plan": ("plan", "store_plans"), "context": ("inputs", "store_contexts")}
"""What a trace may lack: its part, and the setting that has it kept."""


SHOWN_IN: Final = "shown_in"
"""The code of the step that names the slot."""
_LATIN: Final = "[A-Za-z0-9]"
_NAMED: Final = re.compile(r"[^\s:]+(?::[^\s:]+)+")  # a key, and not a sentence


def why_selected(
    package: ContextPackage, request: ComposeRequest, known: Iterable[Reason]
) -> tuple[Reason, ...]:
    """Return why each thing is there, in the order of the slots.

    Args:
        package: what is shown.
        request: what was asked for.
        known: what recall says of memories, as far as that was kept.
    """
    return tuple(_reasons(package, request, known))


def _reasons(
    package: ContextPackage, request: ComposeRequest, known: Iterable[Reason]
) -> Iterator[Reason]:
    reasons = {reason.id: reason for reason in known}
    own = {"system_blocks": len(request.system), "developer_blocks": len(request.developer)}
    sources = {pin.id: pin.source for pin in package.pins}
    done = {step.id for step in package.plan if step.done}
    last = package.tool_result.id if package.tool_result else None
    found = iter(package.evidence)
    for entry in entries(package):
        slot, name, key, detail = entry.slot, entry.id, None, {}
        if slot in own:
            own[slot] -= 1
            code, sentence = _GIVEN if own[slot] >= 0 else _BLOCKS.get(name, _CORE)
        elif slot == EVIDENCE:
            evidence = next(found)
            why = reasons.get(name, _FOUND[evidence.source])
            code, sentence, key, detail = why.code, why.reason, evidence.source_uri, {**why.detail}
        elif slot == "recent_turns" and name == request.turn_id:
            code, sentence = "in_progress", "it is the turn that is being made"
        elif slot == "plan" and name in done:
            code, sentence = "planned", "it is done, and stays in sight"
        elif slot == "tool_result" and name != last:
            code, sentence = "last_call", "it was made together with the last call"
        else:
            code, sentence = _IN_SLOT[slot]
            key = sources.get(name) if slot == "pins" else None
        yield Reason(code, sentence, id=name, type=slot, key=key, detail=detail)


class Entry(NamedTuple):
    """One thing that a slot shows, as a reader sees it under the title of its block."""

    slot: str
    id: str
    title: str
    text: str


def entries(package: ContextPackage) -> Iterator[Entry]:
    """Yield everything that a context shows, in the order of the slots."""
    blocks = (
        ("system_blocks", package.system_blocks),
        ("developer_blocks", package.developer_blocks),
    )
    for slot, some in blocks:
        yield from (Entry(slot, one.type, title_of(one.type), one.text) for one in some)
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


def explain_context(kept: KeptContext) -> Explanation:
    """Return how a past context came about."""
    body = kept.body
    limits = kept.constraints
    most = {
        "system_blocks": limits.truncation.system_blocks_max_tokens,
        "working_summary": limits.truncation.summary_max_tokens,
    }
    ignored = tuple(reason for reason in kept.ignored if reason.code in _IGNORED)
    shortened = tuple(one for one in kept.ignored if one.code.startswith(_SHORTENED))
    told = {*map(id, ignored), *map(id, shortened)}
    left = [reason for reason in kept.ignored if id(reason) not in told]
    # What was said in a turn has a line of its own for each message: each reason once.
    once = {(one.code, one.type, one.id, one.key): one for one in (*left, *kept.omitted)}
    context = ContextExplanation(
        session_id=kept.trace.session_id,
        created_at=kept.trace.created_at,
        message=body["message"],
        recipe=body["recipe"],
        audience=body["audience"],
        run_id=body["run_id"],
        turn_id=body["turn_id"],
        planner=body["planner"],
        plan=kept.plan,
        selected=kept.selected,
        shortened=shortened,
        left=tuple(once.values()),
        ignored=ignored,
        budget=tuple(
            SlotBudget(slot=slot, tokens=tokens, most=most.get(slot))
            for slot, tokens in in_slot_order(body["tokens"]).items()
        ),
        limit=limits.token_budget.limit,
        used=limits.token_budget.used_estimate,
        ids=kept.ids.to_dict(),
        not_kept=tuple(name for name, (part, _) in _PARTS.items() if part not in body),
    )
    return Explanation(
        context_id=kept.trace.context_id,
        reason=_sum_up(context),
        trail=tuple(_trail(context)),
        context=context,
    )


def in_slot_order(tokens: Mapping[str, int]) -> dict[str, int]:
    """Return what slots take in the order of a package; what is stored has none."""
    return {name: tokens[name] for name in SLOTS if name in tokens}


def answered_by(
    kept: KeptContext, inputs: ContextInputs, package: ContextPackage, choice: EvidenceChoice
) -> Answered:
    """Return what a past context was made of, as an answer to its message.

    Args:
        kept: what was kept of it.
        inputs: what it was chosen from.
        package: what is chosen of that again, as it was.
        choice: the evidence of the package, line by line.
    """
    shown = by_id(reason for reason in kept.selected if reason.type == EVIDENCE)
    for line in (line for passage in choice.passages for line, _ in passage.lines):
        if line.id:
            told = "it is in a passage of the evidence"
            shown.setdefault(line.id, Reason("in_passage", told, id=line.id, type=EVIDENCE))
    texts = {text for block in package.system_blocks for text in block.text.split("\n")}
    for block in inputs.contents.core:
        for text, source in zip(block.text.split("\n"), block.source, strict=False):
            if text in texts:
                told = f"it is lasting memory, in the block {block.type}"
                shown.setdefault(source, Reason("core", told, id=source, type="system_blocks"))
    left = (*kept.omitted, *kept.ignored)
    return Answered(
        query=kept.body["message"],
        shown=shown,
        omitted=by_id(reason for reason in left if not reason.code.startswith(_SHORTENED)),
        unread=unread_by_type(left),
        turns=frozenset(turn.turn_id for turn in package.recent_turns),
        made_at=kept.trace.created_at,
    )


def seen_in(package: ContextPackage, told: Explanation) -> Explanation:
    """Return the verdict about some words with the place where a context shows them, if it does.

    What is remembered of them is judged before: it stays as further steps. A memory that is asked
    for by its id or its key is judged itself, for its words may be those of another one.
    """
    expect = told.expect or ""
    if expect.startswith(_MEMORY) or told.key == expect:
        return told
    place = where_shown(package, expect)
    if place is None:
        return told
    if told.verdict is Verdict.INCLUDED:
        named = any(step.type in SLOTS for step in told.trail)
        return told if named else replace(told, trail=(*told.trail, place))
    return replace(
        told,
        verdict=Verdict.INCLUDED,
        reason=f"it is in the answer: {place.reason}",
        hint=HINTS[Verdict.INCLUDED],
        trail=(place, *told.trail),
    )


def _sum_up(context: ContextExplanation) -> str:
    chosen = [one.id for one in context.selected if one.type == EVIDENCE]
    others = {one.id for one in context.left if one.id and one.type not in SLOTS}
    return (
        f"evidence: {len(chosen)} chosen, {len(others.difference(chosen))} left out;"
        f" {context.used:,} of {context.limit:,} tokens are used"
    )


def _trail(context: ContextExplanation) -> Iterator[Reason]:
    """Yield how it went, a step after the other."""
    planner = context.planner
    sentence = f"recipe {context.recipe} for a {context.audience}"
    yield Reason("asked", sentence, key=context.session_id)
    if intent := planner.get("intent"):
        yield Reason("planned", f"its intent is {intent}; recall ran as {planner.get('mode')}")
    if documents := planner.get("resources"):
        yield Reason.from_dict(documents)
    yield from context.selected
    yield from context.shortened
    yield from context.left
    yield from context.ignored
    for slot in context.budget:
        within = f" of its own {slot.most:,}" if slot.most is not None else ""
        yield Reason("tokens", f"it takes {slot.tokens:,} tokens{within}", key=slot.slot)
    yield Reason("budget", f"{context.used:,} of {context.limit:,} tokens are used")
    for name in context.not_kept:
        setting = f"policies.observability.{_PARTS[name][1]}"
        yield Reason("not_kept", f"the {name} was not kept: {setting} was false", key=name)


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
