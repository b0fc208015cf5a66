"""The compose path, stage by stage: a packet and documents become one context (R15–R17).

packet → slots → documents → candidates on one scale → order → budget → package. Follow `compose` to
follow one. Everything is read in one transaction; nothing is written, and the same state gives the
same package.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from smartbrain.compose.budget import Budget
from smartbrain.compose.candidates import (
    Candidate,
    memory_candidates,
    on_one_scale,
    resource_candidates,
)
from smartbrain.compose.passages import Choice, Count, in_order
from smartbrain.compose.resources import decide_documents, documents_plan
from smartbrain.compose.slots import memo_blocks, read_slots, working_block
from smartbrain.domain.context import (
    Block,
    Constraints,
    ContextDebug,
    ContextDiversity,
    ContextPackage,
    EvidenceSource,
    TokenBudget,
    TraceIds,
    Truncation,
)
from smartbrain.domain.context_text import note_text, pin_text, plan_text
from smartbrain.domain.reason import Reason
from smartbrain.errors import AdapterError

if TYPE_CHECKING:
    from smartbrain.compose.asked import Wanted
    from smartbrain.compose.slots import Held
    from smartbrain.domain.evidence import EvidencePack
    from smartbrain.domain.packet import MemoryPacket
    from smartbrain.domain.plan import RetrievalPlan
    from smartbrain.domain.policy import CompositionRules, Rules
    from smartbrain.domain.recall import Cues
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.resources import Resources
    from smartbrain.recall.pipeline import Found

_EPISODES: Final = "episodes"
_SYSTEM_SHARE: Final = 16  # of the limit, one part is for core memory at most
_BOARD_SHARE: Final = 0.1  # of the limit, for each of pins, plan and notebook
_CLEARLY: Final = 1.2  # times better, memory or documents take from the other's share
_SHIFT: Final = 0.2  # of the evidence is taken then


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """A context, and what it was made of; `shown` are the memories that ended in it."""

    package: ContextPackage
    wanted: Wanted
    packet: MemoryPacket
    plan: RetrievalPlan | None
    candidates: Sequence[Candidate]
    shown: tuple[str, ...]


def compose(
    wanted: Wanted,
    found: Found,
    packet: MemoryPacket,
    *,
    ports: Ports,
    rules: Rules,
    count: Count,
    resources: Resources | None = None,
) -> Composition:
    """Return the context of one model call, within its limit.

    Raises:
        UsageError: the limit is too small for what the caller says itself.
        NotFound: there is no such turn in the session.
        AdapterError: the storage failed.
    """
    with ports.truth.read() as rows:
        held = read_slots(wanted, packet, rows=rows, blobs=ports.blobs, rules=rules)
    pack, planner, unfollowed = _documents(found, resources, wanted, rules)
    candidates = _candidates(held, packet, found, pack, ports)
    choice = _choice(candidates, pack, found.cues, rules.policies.composition, count)
    package = _fitted(wanted, held, packet, choice, rules=rules, count=count)
    debug = ContextDebug(
        planner=planner,
        why_selected=_why(package, packet),
        ignored=(*wanted.unread, *unfollowed, *package.debug.ignored),
        trace=TraceIds(
            context_id=(context := ports.ids.new()),
            request_id=found.trace.request_id,
            plan_id=found.trace.request_id,
        ),
    )
    package = replace(package, context_id=context, debug=debug)
    shown = dict.fromkeys(
        line.id for passage in choice.passages for line, _ in passage.lines if line.hit and line.id
    )
    memories = {one.id for one in candidates if one.source is EvidenceSource.MEMORY}
    return Composition(
        package=package,
        wanted=wanted,
        packet=packet,
        plan=found.trace.plan,
        candidates=candidates,
        shown=tuple(one for one in shown if one in memories),
    )


def _documents(
    found: Found, resources: Resources | None, wanted: Wanted, rules: Rules
) -> tuple[EvidencePack | None, Mapping[str, Any], list[Reason]]:
    """Ask for documents if the message wants some; tell what was decided and not followed."""
    policies = rules.policies
    there = resources is not None and wanted.recipe.shows("evidence")
    decision = decide_documents(
        found.cues, policies.retrieval.enable_resource_retrieval, there=there
    )
    planner = {
        "recipe": wanted.recipe.name,
        "audience": wanted.audience.value,
        "intent": found.cues.intent.value,
        "mode": found.trace.mode,
        "degraded": found.trace.degraded,
        "resources": decision.why.to_dict(),
    }
    plan = found.trace.plan
    if not decision.search or resources is None or plan is None:
        return None, planner, []
    try:
        pack = resources.retrieve(documents_plan(plan, policies))
    except AdapterError as error:
        return None, planner, [Reason(error.code, error.message, type="resources")]
    sentence = "the documents cannot be filtered or ordered by it"
    return (
        pack,
        planner,
        [
            Reason("ignored_field", sentence, type="resources", key=name)
            for name in pack.explain.ignored_fields
        ],
    )


def _candidates(
    held: Held, packet: MemoryPacket, found: Found, pack: EvidencePack | None, ports: Ports
) -> list[Candidate]:
    """Return everything that may become evidence, on one scale."""
    scores: dict[str, float] = {}
    for one in found.ranked:
        if one.row.type == _EPISODES and one.row.source_turn_id:
            scores.setdefault(one.row.source_turn_id, one.score)
    memories = memory_candidates(
        packet,
        held.spoken,
        scores,
        told=[source for block in held.core for source in block.source],
        blobs=ports.blobs,
    )
    documents = resource_candidates(pack) if pack else []
    return on_one_scale(memories, documents, found.cues.keywords)


def _choice(
    candidates: Sequence[Candidate],
    pack: EvidencePack | None,
    cues: Cues,
    rules: CompositionRules,
    count: Count,
) -> Choice:
    """Return the choice of evidence, with how many memory and documents may bring (R17)."""
    core = (cues.entities or cues.referred)[:1]
    choice = Choice(
        waiting=in_order(candidates, core),
        words=[word.casefold() for word in (*cues.codes, *cues.phrases, *cues.keywords)],
        rules=rules,
        count=count,
    )
    if pack is not None:
        choice.quotas = _quotas(candidates, rules)
    return choice


def _quotas(candidates: Sequence[Candidate], rules: CompositionRules) -> dict[EvidenceSource, int]:
    """Return how many pieces each source may bring; what one has not is the other's."""
    most = rules.evidence_max_items
    share = int(rules.diversity.memory_resource_ratio.partition("/")[0]) / 100
    best, there = {}, {}
    for source in EvidenceSource:
        held = [one.score for one in candidates if one.source is source and one.hit]
        best[source], there[source] = max(held, default=0.0), len(held)
    memory, resource = EvidenceSource.MEMORY, EvidenceSource.RESOURCE
    if best[memory] > _CLEARLY * best[resource]:
        share = min(1.0, share + _SHIFT)
    elif best[resource] > _CLEARLY * best[memory]:
        share = max(0.0, share - _SHIFT)
    of_memory = min(round(most * share), there[memory])
    of_resource = min(most - of_memory, there[resource])
    return {memory: most - of_resource, resource: of_resource}


def _fitted(
    wanted: Wanted,
    held: Held,
    packet: MemoryPacket,
    choice: Choice,
    *,
    rules: Rules,
    count: Count,
) -> ContextPackage:
    """Return the package that fits, the most important slots first."""
    recipe, limits, board = wanted.recipe, rules.policies.composition, held.governed
    budget = Budget(wanted.limit, count)
    developer = (*wanted.developer, *_told_budget(wanted.limit, limits))
    budget.require(wanted.message, wanted.system, developer)
    result = budget.result(held.tool_result)
    own = [Block(type=one.type, text=one.text, updated_at=one.updated_at) for one in held.core]
    own = [*working_block(packet.working_memory), *own]
    system = budget.blocks(own, min(limits.system_blocks_max_tokens, wanted.limit // _SYSTEM_SHARE))
    memo = [one for one in memo_blocks(board, rules.fastmemo.max_chars) if recipe.shows(one.type)]
    system += budget.blocks(memo, wanted.limit // 4)
    pins = budget.entries("pins", _of(recipe.shows("pins"), board.pins), pin_text, _BOARD_SHARE)
    plan = budget.entries("plan", _of(recipe.shows("plan"), board.plan), plan_text, _BOARD_SHARE)
    notes = _of(recipe.shows("notebook"), board.notebook)[::-1]
    notebook = budget.entries("notebook", notes, note_text, _BOARD_SHARE)[::-1]
    summary = packet.stm.summary if recipe.shows("working_summary") else ""
    turns = [turn.turn_id for turn in held.turns]
    budget.evidence(choice, share=budget.top_share(bool(summary or turns)), shown=turns)
    summary = budget.summary(summary, limits.summary_max_tokens)
    recent = budget.turns(held.turns)
    turns = [turn.turn_id for turn in recent]
    budget.evidence(choice, shown=turns)
    budget.evidence_again(choice, turns)
    choice.close(turns)
    return ContextPackage(
        context_id="",
        session_id=wanted.session_id,
        created_at=wanted.now,
        system_blocks=(*wanted.system, *system),
        developer_blocks=developer,
        working_summary=summary,
        pins=pins,
        plan=plan,
        notebook=notebook,
        recent_turns=recent,
        evidence=choice.evidence(wanted.now, wanted.text),
        tool_result=result,
        user_message=wanted.message,
        constraints=_constraints(wanted.limit, ceil(budget.used), limits),
        debug=ContextDebug(ignored=(*budget.ignored, *choice.ignored)),
    )


def _of(shows: bool, entries: tuple[Any, ...]) -> tuple[Any, ...]:
    return entries if shows else ()


def _told_budget(limit: int, rules: CompositionRules) -> tuple[Block, ...]:
    """Return the line that tells the model how large a context may be, if the rules ask for it."""
    if not rules.tell_budget:
        return ()
    return (Block(type="budget", text=f"At most {limit:,} tokens of context are shown."),)


def _constraints(limit: int, used: int, rules: CompositionRules) -> Constraints:
    return Constraints(
        token_budget=TokenBudget(limit=limit, used_estimate=used),
        diversity=ContextDiversity(
            by_document=rules.diversity.by_document, by_source_uri=rules.diversity.by_source_uri
        ),
        truncation=Truncation(
            system_blocks_max_tokens=rules.system_blocks_max_tokens,
            summary_max_tokens=rules.summary_max_tokens,
            recent_turns_max=rules.recent_turns_max,
            evidence_max_items=rules.evidence_max_items,
            max_snippet_chars=rules.max_snippet_chars,
        ),
    )


def _why(package: ContextPackage, packet: MemoryPacket) -> tuple[Reason, ...]:
    """Return why each piece of evidence is there, in its order."""
    known = {one.id: one for one in packet.explain.selected}
    found = Reason("found", "documents answer the message with it")
    return tuple(
        replace(known.get(one.id, found), id=one.id, key=one.source_uri) for one in package.evidence
    )
