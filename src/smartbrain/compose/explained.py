"""Explaining a past context out of its trace (S6).

In: a trace. Out: what was planned, what was chosen and why, what was cut or left out and why, and
the budget by slot. Nothing else is read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from smartbrain.compose.chosen import EVIDENCE
from smartbrain.compose.trace import SLOTS, in_slot_order
from smartbrain.compose.visible import where_shown
from smartbrain.domain.context import Constraints
from smartbrain.domain.context_explained import ContextExplanation, SlotBudget
from smartbrain.domain.explanation import Explanation, Verdict
from smartbrain.domain.reason import Reason
from smartbrain.recall.answered import Answered, by_id, unread_by_type
from smartbrain.recall.verdicts import HINTS

if TYPE_CHECKING:
    from smartbrain.compose.passages import Choice
    from smartbrain.compose.select import Inputs
    from smartbrain.domain.context import ContextPackage
    from smartbrain.domain.job import Trace

_MEMORY: Final = "mem_"  # how the id of a memory begins
_SHORTENED: Final = "shortened"
_IGNORED: Final = ("ignored_field", "unknown_field")
_KEPT_BY: Final = {"plan": "store_plans", "context": "store_contexts"}
_PARTS: Final = {"plan": "plan", "context": "inputs"}  # of a trace, by what they are called


def explain_context(trace: Trace) -> Explanation:
    """Return how the context of a trace came about."""
    body = trace.body
    constraints = Constraints.from_dict(body["budget"])
    most = {
        "system_blocks": constraints.truncation.system_blocks_max_tokens,
        "working_summary": constraints.truncation.summary_max_tokens,
    }
    told = tuple(map(Reason.from_dict, body["ignored"]))
    ignored = tuple(one for one in told if one.code in _IGNORED)
    shortened = tuple(one for one in told if one.code.startswith(_SHORTENED))
    left = [one for one in told if one not in ignored and one not in shortened]
    context = ContextExplanation(
        session_id=trace.session_id,
        created_at=trace.created_at,
        message=body["message"],
        recipe=body["recipe"],
        audience=body["audience"],
        run_id=body["run_id"],
        turn_id=body["turn_id"],
        planner=body["planner"],
        plan=body.get("plan"),
        selected=tuple(map(Reason.from_dict, body.get("why_selected", ()))),
        shortened=shortened,
        left=tuple(_once([*left, *map(Reason.from_dict, body["omitted"])])),
        ignored=ignored,
        budget=tuple(
            SlotBudget(slot=slot, tokens=tokens, most=most.get(slot))
            for slot, tokens in in_slot_order(body["tokens"]).items()
        ),
        limit=constraints.token_budget.limit,
        used=constraints.token_budget.used_estimate,
        ids=body["ids"],
        not_kept=tuple(name for name, part in _PARTS.items() if part not in body),
    )
    return Explanation(
        context_id=trace.context_id,
        reason=_summed_up(context),
        trail=tuple(_trail(context)),
        context=context,
    )


def _once(reasons: Iterable[Reason]) -> Iterable[Reason]:
    """Return reasons each once: what was said in a turn has a line of its own for each message."""
    return {(one.code, one.type, one.id, one.key): one for one in reasons}.values()


def answered_by(trace: Trace, inputs: Inputs, package: ContextPackage, choice: Choice) -> Answered:
    """Return what a past context was made of, as an answer to its message.

    Args:
        trace: what was kept of it.
        inputs: what it was chosen from.
        package: what is chosen of that again, as it was.
        choice: the evidence of the package, line by line.
    """
    body = trace.body
    selected = map(Reason.from_dict, body["why_selected"])
    shown = by_id(one for one in selected if one.type == EVIDENCE)
    for one in (line for passage in choice.passages for line, _ in passage.lines):
        if one.id:
            told = "it is in a passage of the evidence"
            shown.setdefault(one.id, Reason("in_passage", told, id=one.id, type=EVIDENCE))
    lines = {line for block in package.system_blocks for line in block.text.split("\n")}
    for block in inputs.held.core:
        for line, source in zip(block.text.split("\n"), block.source, strict=False):
            if line in lines:
                told = f"it is lasting memory, in the block {block.type}"
                shown.setdefault(source, Reason("core", told, id=source, type="system_blocks"))
    left = [*map(Reason.from_dict, (*body["omitted"], *body["ignored"]))]
    return Answered(
        query=body["message"],
        shown=shown,
        omitted=by_id(one for one in left if not one.code.startswith(_SHORTENED)),
        unread=unread_by_type(left),
        turns=frozenset(turn.turn_id for turn in package.recent_turns),
        made_at=trace.created_at,
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


def _summed_up(context: ContextExplanation) -> str:
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
        setting = f"policies.observability.{_KEPT_BY[name]}"
        yield Reason("not_kept", f"the {name} was not kept: {setting} was false", key=name)
