"""Why things that one context shows are not in another (S6).

In: a context, and what the other one was chosen from. Out: reasons, those that say more behind
those that say less, for the last one about a thing counts. What was cut while choosing has said so
itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from smartbrain.compose.chosen import EVIDENCE
from smartbrain.domain.context_slots import CONTEXT_POOL, FASTMEMO
from smartbrain.domain.context_text import step_results
from smartbrain.domain.reason import Reason

if TYPE_CHECKING:
    from smartbrain.compose.passages import Choice
    from smartbrain.compose.select import Inputs
    from smartbrain.domain.context import ContextPackage, EvidenceSource

_MEMO: Final = (FASTMEMO, CONTEXT_POOL)
_BOARD: Final = ("pins", "plan", "notebook")


def why_left(
    before: ContextPackage,
    after: Inputs,
    made: ContextPackage,
    choice: Choice,
    *,
    omitted: Iterable[Reason] = (),
    missing: Mapping[EvidenceSource, Reason],
) -> Iterator[Reason]:
    """Yield why what a context shows is not in another one, or not as much of it.

    Args:
        before: what is shown.
        after: what the other context was chosen from.
        made: that context.
        choice: the choice of its evidence.
        omitted: what recall says of memories that it left out.
        missing: what is said of evidence of each source that the other was not chosen from.
    """
    yield from _of_blocks(before, after)
    yield from _of_entries(before, after)
    yield from _of_turns(before, after)
    yield from _of_evidence(before, after, missing)
    yield from omitted
    yield from made.debug.ignored
    for passage in choice.passages:
        best = passage.best.id
        sentence = f"its words stand in the passage of {best}"
        others = {line.id for line, _ in passage.lines if line.hit} - {best}
        yield from (Reason("together", sentence, id=one) for one in sorted(others))
    yield from _of_slots(before, after)


def _of_blocks(before: ContextPackage, after: Inputs) -> Iterator[Reason]:
    recipe = after.wanted.recipe
    for block in before.system_blocks:
        code, sentence = "not_there", "there was none to show"
        if not recipe.shows(block.type if block.type in _MEMO else "system"):
            code, sentence = "recipe", f"recipe {recipe.name} does not show it"
        yield Reason(code, sentence, id=block.type, type="system_blocks")
    for block in before.developer_blocks:
        code, sentence = "not_given", "the agent did not say it"
        if block.type == "budget":
            code, sentence = "tell_budget", "the rules do not tell the model its budget"
        yield Reason(code, sentence, id=block.type, type="developer_blocks")


def _of_entries(before: ContextPackage, after: Inputs) -> Iterator[Reason]:
    for slot in _BOARD:
        for one in getattr(before, slot):
            yield Reason("not_there", f"it was not in {slot} at that time", id=one.id, type=slot)
    if before.working_summary and not after.summary:
        sentence = "there was no summary of the session"
        yield Reason("not_there", sentence, id="summary", type="working_summary")
    current = {one.id for one in after.held.results}
    for call in (one for one in step_results(before) if one.id not in current):
        sentence = "it was not the outcome of the last call"
        yield Reason("other_step", sentence, id=call.id, type="tool_result")
    if before.user_message:
        sentence = "no message was given"
        yield Reason("not_given", sentence, id="message", type="user_message")


def _of_turns(before: ContextPackage, after: Inputs) -> Iterator[Reason]:
    held = {turn.turn_id for turn in after.held.turns}
    for turn in before.recent_turns:
        code, sentence = "turns_max", f"it is before the last turns that are read: {len(held)}"
        if before.session_id != after.wanted.session_id:
            code, sentence = "other_session", "it is a turn of another session"
        elif turn.turn_id in held:
            code, sentence = "over_budget", "there is no room for it, or for one after it"
        elif not held:
            code, sentence = "no_turns", "no turn of the session is read"
        yield Reason(code, sentence, id=turn.turn_id, type="recent_turns")


def _of_evidence(
    before: ContextPackage, after: Inputs, missing: Mapping[EvidenceSource, Reason]
) -> Iterator[Reason]:
    there = {one.id for one in (*after.memories, *after.documents)}
    told = {source for block in after.held.core for source in block.source}
    for one in before.evidence:
        code, sentence = missing[one.source].code, missing[one.source].reason
        if one.id in told:
            code, sentence = "told_by_core", "a block of core memory tells it"
        elif one.id in there:
            code, sentence = "over_limit", "others come before it"
        yield Reason(code, sentence, id=one.id, type=EVIDENCE)


def _of_slots(before: ContextPackage, after: Inputs) -> Iterator[Reason]:
    """Yield of everything in a slot that a recipe has not that it is so."""
    recipe = after.wanted.recipe
    shown = {
        "working_summary": ["summary"],
        "recent_turns": [one.turn_id for one in before.recent_turns],
        EVIDENCE: [one.id for one in before.evidence],
        "tool_result": [one.id for one in step_results(before)],
        **{slot: [one.id for one in getattr(before, slot)] for slot in _BOARD},
    }
    for slot, names in shown.items():
        if not recipe.shows(slot):
            sentence = f"recipe {recipe.name} shows no {slot}"
            yield from (Reason("recipe", sentence, id=name, type=slot) for name in names)
