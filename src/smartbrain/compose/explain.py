"""Explaining a past context out of its trace (S6).

In: a trace that is read back. Out: what was planned, what was chosen and why, what was cut or left
out and why, and the budget by slot. Nothing else is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from smartbrain.compose.passages import EvidenceChoice
from smartbrain.compose.select import ContextInputs
from smartbrain.compose.shown import EVIDENCE, SLOTS, where_shown
from smartbrain.compose.trace import KeptContext
from smartbrain.domain.context import ContextPackage
from smartbrain.domain.context_explained import ContextExplanation, SlotBudget
from smartbrain.domain.explanation import Explanation, Verdict
from smartbrain.domain.reason import Reason
from smartbrain.recall.explain import Answered, by_id, unread_by_type
from smartbrain.recall.verdicts import HINTS

_MEMORY: Final = "mem_"  # how the id of a memory begins
_SHORTENED: Final = "shortened"
_IGNORED: Final = ("ignored_field", "unknown_field")
_ASKED: Final = ("message", "recipe", "audience", "run_id", "turn_id", "planner")
_PARTS: Final = {"plan": ("plan", "store_plans"), "context": ("inputs", "store_contexts")}
"""What a trace may lack: its part, and the setting that has it kept."""


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
    told = (*ignored, *shortened)
    left = [reason for reason in kept.ignored if reason not in told]
    # What was said in a turn has a line of its own for each message: each reason once.
    once = {(one.code, one.type, one.id, one.key): one for one in (*left, *kept.omitted)}
    context = ContextExplanation(
        session_id=kept.trace.session_id,
        created_at=kept.trace.created_at,
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
        **{name: body[name] for name in _ASKED},
    )
    chosen = [one.id for one in context.selected if one.type == EVIDENCE]
    others = {one.id for one in context.left if one.id and one.type not in SLOTS} - {*chosen}
    used = f"{context.used:,} of {context.limit:,} tokens are used"
    return Explanation(
        context_id=kept.trace.context_id,
        reason=f"evidence: {len(chosen)} chosen, {len(others)} left out; {used}",
        trail=tuple(_trail(context, kept)),
        context=context,
    )


def in_slot_order(tokens: Mapping[str, int]) -> dict[str, int]:
    """Return what slots take in the order of a package; what is stored has none."""
    return {name: tokens[name] for name in SLOTS if name in tokens}


def answered_by(
    kept: KeptContext, inputs: ContextInputs, package: ContextPackage, choice: EvidenceChoice
) -> Answered:
    """Return what a past context was made of, as an answer to its message."""
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


def _trail(context: ContextExplanation, kept: KeptContext) -> Iterator[Reason]:
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
        why = kept.why_not_kept(*_PARTS[name])
        yield Reason("not_kept", f"the {name} was not kept: {why}", key=name)
