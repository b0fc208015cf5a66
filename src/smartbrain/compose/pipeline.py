"""The compose path, stage by stage: a packet and documents become one context (R15–R17).

packet → slots → documents → candidates on one scale → order → budget → package. Follow `compose` to
follow one. Everything is read in one transaction; nothing is written, and the same state gives the
same package.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from smartbrain.compose.candidates import resource_candidates
from smartbrain.compose.counting import PricedCounter
from smartbrain.compose.documents import Outside, find_documents, judge_together
from smartbrain.compose.passages import EvidenceChoice
from smartbrain.compose.request import ComposeRequest
from smartbrain.compose.select import ContextInputs, select
from smartbrain.compose.shown import why_selected
from smartbrain.compose.slots import read_slots
from smartbrain.domain.context import ContextDebug, ContextPackage, EvidenceSource, TraceIds
from smartbrain.domain.plan import RetrievalPlan
from smartbrain.domain.policy import Rules
from smartbrain.domain.reason import Reason
from smartbrain.ports.bundle import Ports
from smartbrain.recall.packet import Recollection

_NOTHING_OUTSIDE: Final = Outside()


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """A context, and what it was made of; `shown` are the memories that ended in it."""

    package: ContextPackage
    inputs: ContextInputs
    omitted: tuple[Reason, ...]
    plan: RetrievalPlan | None
    shown: tuple[str, ...]


def compose(
    request: ComposeRequest,
    recollection: Recollection,
    *,
    ports: Ports,
    rules: Rules,
    count: PricedCounter,
    outside: Outside = _NOTHING_OUTSIDE,
) -> Composition:
    """Return the context of one model call, within its limit."""
    found, packet, _ = recollection
    with ports.truth.read() as rows:
        contents = read_slots(request, recollection, rows=rows, blobs=ports.blobs, rules=rules)
    documents = find_documents(found, outside.documents, request, rules)
    memories, resources = contents.memories.candidates, resource_candidates(documents.pack)
    judged = judge_together(memories, resources, found.cues.text, outside.judge)
    inputs = ContextInputs(
        request=request,
        contents=contents,
        cues=found.cues,
        working=packet.working_memory,
        summary=packet.stm.summary,
        memories=judged.memories,
        documents=judged.documents,
        known=packet.explain.selected,
    )
    package, choice = select(inputs, rules=rules, count=count)
    asked, context = found.trace.request_id, ports.ids.new()
    reranked = {"rerank": judged.why.to_dict()} if judged.why else {}
    debug = ContextDebug(
        planner={**documents.planner, **reranked},
        why_selected=why_selected(package, request, inputs.known),
        ignored=(*documents.ignored, *package.debug.ignored),
        trace=TraceIds(context_id=context, request_id=asked, plan_id=asked),
    )
    return Composition(
        package=replace(package, context_id=context, debug=debug),
        inputs=inputs,
        omitted=packet.explain.omitted,
        plan=found.trace.plan,
        shown=_shown_memories(choice),
    )


def _shown_memories(choice: EvidenceChoice) -> tuple[str, ...]:
    lines = (line for passage in choice.passages for line, _ in passage.lines)
    found = (line.id for line in lines if line.hit and line.source is EvidenceSource.MEMORY)
    return tuple(dict.fromkeys(filter(None, found)))
