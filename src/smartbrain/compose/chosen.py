"""Why each thing that a context shows is in it (R1).

In: a package, what was asked for, and what recall says of the evidence. Out: a reason for each
block, entry, turn and piece of evidence, in the order of the slots; its `type` is the slot. What
was left out is explained where it is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from smartbrain.domain.context import EvidenceSource
from smartbrain.domain.context_text import step_results
from smartbrain.domain.reason import Reason

if TYPE_CHECKING:
    from smartbrain.compose.asked import Wanted
    from smartbrain.domain.context import Block, ContextPackage

EVIDENCE: Final = "evidence"
"""The slot of what was recalled; its reasons stand in the order of the evidence."""
_GIVEN: Final = ("given", "the agent says it itself")
_BLOCKS: Final = {
    "working_memory": ("working", "the run has it in mind"),
    "fastmemo": ("surface", "it is what the surface memory holds"),
    "context_pool": ("surface", "it is what was kept of earlier chat"),
    "budget": ("tell_budget", "the rules tell the model its budget"),
}
_FOUND: Final = {
    EvidenceSource.RESOURCE: Reason("found", "documents answer the message with it"),
    EvidenceSource.MEMORY: Reason("found", "recall found it for the message"),
}
_CORE: Final = ("core", "it is lasting memory that every context begins with")


def why_selected(
    package: ContextPackage, wanted: Wanted, known: Iterable[Reason]
) -> tuple[Reason, ...]:
    """Return why each thing is there, in the order of the slots.

    Args:
        package: what is shown.
        wanted: what was asked for.
        known: what recall says of memories, as far as that was kept.
    """
    return tuple(_reasons(package, wanted, known))


def _reasons(package: ContextPackage, wanted: Wanted, known: Iterable[Reason]) -> Iterator[Reason]:
    yield from _of_blocks("system_blocks", package.system_blocks, len(wanted.system))
    yield from _of_blocks("developer_blocks", package.developer_blocks, len(wanted.developer))
    if package.working_summary:
        sentence = "it sums up the session so far"
        yield Reason("summary", sentence, id="summary", type="working_summary")
    for pin in package.pins:
        yield Reason("pinned", "it is pinned", id=pin.id, type="pins", key=pin.source)
    for step in package.plan:
        sentence = "it is done, and stays in sight" if step.done else "it is to be done"
        yield Reason("planned", sentence, id=step.id, type="plan")
    for note in package.notebook:
        yield Reason("noted", "it was noted in the session", id=note.id, type="notebook")
    for turn in package.recent_turns:
        code, sentence = "recent", "it is one of the session's last turns"
        if turn.turn_id == wanted.turn_id:
            code, sentence = "in_progress", "it is the turn that is being made"
        yield Reason(code, sentence, id=turn.turn_id, type="recent_turns")
    reasons = {one.id: one for one in known}
    for one in package.evidence:
        why = reasons.get(one.id, _FOUND[one.source])
        yield Reason(
            why.code, why.reason, id=one.id, type=EVIDENCE, key=one.source_uri, detail=why.detail
        )
    for call in step_results(package):
        sentence = "it is the outcome of the call that was made last"
        if call is not package.tool_result:
            sentence = "it was made together with the last call"
        yield Reason("last_call", sentence, id=call.id, type="tool_result")
    if package.user_message:
        sentence = "it is the message to answer"
        yield Reason("asked", sentence, id="message", type="user_message")


def _of_blocks(slot: str, blocks: Iterable[Block], own: int) -> Iterator[Reason]:
    """Yield why blocks are there, of which the first are the agent's own."""
    for number, block in enumerate(blocks):
        code, sentence = _GIVEN if number < own else _BLOCKS.get(block.type, _CORE)
        yield Reason(code, sentence, id=block.type, type=slot)
