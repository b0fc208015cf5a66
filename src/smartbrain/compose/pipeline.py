"""The compose path, stage by stage: a packet and documents become one context (R15–R17).

packet → slots → documents → candidates on one scale → order → budget → package. Follow `compose` to
follow one. Everything is read in one transaction; nothing is written, and the same state gives the
same package.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from smartbrain.compose.candidates import memory_candidates, resource_candidates
from smartbrain.compose.chosen import why_selected
from smartbrain.compose.found_runs import found_runs
from smartbrain.compose.judge import Beyond, read_together
from smartbrain.compose.resources import IGNORED, decide_documents, documents_plan
from smartbrain.compose.select import Inputs, select
from smartbrain.compose.slots import read_slots
from smartbrain.domain.context import ContextDebug, ContextPackage, EvidenceSource, TraceIds
from smartbrain.domain.reason import Reason
from smartbrain.errors import AdapterError
from smartbrain.recall.pipeline import missing_arms

if TYPE_CHECKING:
    from smartbrain.compose.asked import Wanted
    from smartbrain.compose.id_prices import Count
    from smartbrain.compose.passages import Choice
    from smartbrain.compose.resources import AskDocuments
    from smartbrain.domain.evidence import EvidencePack
    from smartbrain.domain.packet import MemoryPacket
    from smartbrain.domain.plan import RetrievalPlan
    from smartbrain.domain.policy import Rules
    from smartbrain.ports.bundle import Ports
    from smartbrain.recall.pipeline import Found

_NOTHING: Final = Beyond()


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """A context, and what it was made of; `shown` are the memories that ended in it."""

    package: ContextPackage
    inputs: Inputs
    omitted: tuple[Reason, ...]
    plan: RetrievalPlan | None
    shown: tuple[str, ...]


def compose(
    wanted: Wanted,
    found: Found,
    packet: MemoryPacket,
    *,
    ports: Ports,
    rules: Rules,
    count: Count,
    beyond: Beyond = _NOTHING,
) -> Composition:
    """Return the context of one model call, within its limit.

    Raises:
        UsageError: the limit is too small for what the caller says itself.
        NotFound: there is no such turn in the session.
    """
    with ports.truth.read() as rows:
        held = read_slots(
            wanted, packet, rows=rows, blobs=ports.blobs, rules=rules, heard=found.heard
        )
        runs = found_runs(found, packet, held.spoken, rows=rows, blobs=ports.blobs, rules=rules)
    pack, planner, unfollowed = find_documents(found, beyond.documents, wanted, rules)
    judged = read_together(
        memory_candidates(packet, held.spoken, found.ranked, runs=runs, blobs=ports.blobs),
        resource_candidates(pack) if pack else [],
        found.cues.text,
        beyond.judge,
    )
    if judged.why:
        planner = {**planner, "rerank": judged.why.to_dict()}
    inputs = Inputs(
        wanted=wanted,
        held=held,
        cues=found.cues,
        working=packet.working_memory,
        summary=packet.stm.summary,
        memories=judged.memories,
        documents=judged.documents,
        known=packet.explain.selected,
    )
    package, choice = select(inputs, rules=rules, count=count)
    debug = ContextDebug(
        planner=planner,
        why_selected=why_selected(package, wanted, inputs.known),
        ignored=(*unfollowed, *package.debug.ignored),
        trace=TraceIds(
            context_id=(context := ports.ids.new()),
            request_id=found.trace.request_id,
            plan_id=found.trace.request_id,
        ),
    )
    return Composition(
        package=replace(package, context_id=context, debug=debug),
        inputs=inputs,
        omitted=packet.explain.omitted,
        plan=found.trace.plan,
        shown=_shown(choice),
    )


def _shown(choice: Choice) -> tuple[str, ...]:
    """Return the memories that were found and are shown."""
    lines = [line for passage in choice.passages for line, _ in passage.lines]
    found = (one for one in lines if one.hit and one.source is EvidenceSource.MEMORY)
    return tuple(dict.fromkeys(one.id for one in found if one.id))


def find_documents(
    found: Found, ask: AskDocuments | None, wanted: Wanted, rules: Rules
) -> tuple[EvidencePack | None, Mapping[str, Any], list[Reason]]:
    """Ask for documents if the message wants some; tell what was decided and not followed.

    Documents that fail or take too long cost their evidence alone.
    """
    policies = rules.policies
    there = ask is not None and wanted.recipe.shows("evidence")
    decision = decide_documents(
        found.cues, policies.retrieval.enable_resource_retrieval, there=there
    )
    planner = {
        "recipe": wanted.recipe.name,
        "audience": wanted.audience.value,
        "intent": found.cues.intent.value,
        "mode": found.trace.mode,
        "degraded": found.trace.degraded,
        "missing": list(missing_arms(found.trace)),
        "resources": decision.why.to_dict(),
    }
    plan = found.trace.plan
    if not decision.search or ask is None or plan is None:
        return None, planner, []
    most = policies.retrieval.resource_deadline_ms
    try:
        pack = ask(documents_plan(plan, policies), most / 1_000)
    except TimeoutError:
        failed = Reason("late", f"the documents did not answer within {most} ms", type="resources")
        return None, _without_documents(planner, failed), [failed]
    except AdapterError as error:
        failed = Reason(error.code, error.message, type="resources")
        return None, _without_documents(planner, failed), [failed]
    sentence = "the documents cannot be filtered or ordered by it"
    return (
        pack,
        planner,
        [
            Reason(IGNORED, sentence, type="resources", key=name)
            for name in pack.explain.ignored_fields
        ],
    )


def _without_documents(planner: Mapping[str, Any], failed: Reason) -> dict[str, Any]:
    """Return what is told of a context whose documents failed."""
    missing = [*planner["missing"], f"documents: {failed.reason}"]
    return {**planner, "degraded": True, "missing": missing}
