"""Choosing what a context shows from everything that it may show (R13, R16, R17).

In: `Inputs`, all that was found and read for one call. Out: the package that fits, and the choice
of evidence in it. Nothing is read here, so that inputs which were kept give the same package again,
or another one under other rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING, Any, Final

from smartbrain.compose.budget import Budget
from smartbrain.compose.candidates import Candidate, on_one_scale
from smartbrain.compose.passages import Choice, Count, in_order
from smartbrain.compose.slots import Held, memo_blocks, working_block
from smartbrain.domain.context import (
    Block,
    Constraints,
    ContextDebug,
    ContextDiversity,
    ContextPackage,
    EvidenceSource,
    TokenBudget,
    Truncation,
)
from smartbrain.domain.context_text import note_text, pin_text, plan_text

if TYPE_CHECKING:
    from smartbrain.compose.asked import Wanted
    from smartbrain.domain.packet import WorkingMemory
    from smartbrain.domain.policy import CompositionRules, Rules
    from smartbrain.domain.recall import Cues

_SYSTEM_SHARE: Final = 16  # of the limit, one part is for core memory at most
_BOARD_SHARE: Final = 0.1  # of the limit, for each of pins, plan and notebook
_CLEARLY: Final = 1.2  # times better, memory or documents take from the other's share
_SHIFT: Final = 0.2  # of the evidence is taken then


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """All that a context is chosen from; `memories` and `documents` are each on their own scale."""

    wanted: Wanted
    held: Held
    cues: Cues
    working: WorkingMemory | None = None
    summary: str = ""
    memories: Sequence[Candidate] = ()
    documents: Sequence[Candidate] = ()


def select(inputs: Inputs, *, rules: Rules, count: Count) -> tuple[ContextPackage, Choice]:
    """Return the package of what fits, and the choice of its evidence.

    Raises:
        UsageError: the limit is too small for what the caller says itself.
    """
    candidates: list[Candidate] = []
    if inputs.wanted.recipe.shows("evidence"):
        candidates = on_one_scale(inputs.memories, inputs.documents, inputs.cues.keywords)
    choice = _choice(candidates, inputs.cues, rules.policies.composition, count)
    return _fitted(inputs, choice, rules=rules, count=count), choice


def _choice(
    candidates: Sequence[Candidate], cues: Cues, rules: CompositionRules, count: Count
) -> Choice:
    """Return the choice of evidence, with how many memory and documents may bring (R17)."""
    core = (cues.entities or cues.referred)[:1]
    return Choice(
        waiting=in_order(candidates, core),
        words=[word.casefold() for word in (*cues.codes, *cues.phrases, *cues.keywords)],
        rules=rules,
        count=count,
        quotas=_quotas(candidates, rules),
    )


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


def _fitted(inputs: Inputs, choice: Choice, *, rules: Rules, count: Count) -> ContextPackage:
    """Return the package that fits, the most important slots first."""
    wanted, held = inputs.wanted, inputs.held
    recipe, limits, board = wanted.recipe, rules.policies.composition, held.governed
    budget = Budget(wanted.limit, count)
    developer = (*wanted.developer, *_told_budget(wanted.limit, limits))
    budget.require(wanted.message, wanted.system, developer)
    results = budget.results(held.results)
    core = [Block(type=one.type, text=one.text, updated_at=one.updated_at) for one in held.core]
    own = _of(recipe.shows("system"), (*working_block(inputs.working), *core))
    system = budget.blocks(own, min(limits.system_blocks_max_tokens, wanted.limit // _SYSTEM_SHARE))
    memo = [one for one in memo_blocks(board, rules.fastmemo.max_chars) if recipe.shows(one.type)]
    system += budget.blocks(memo, wanted.limit // 4)
    pins = budget.entries("pins", _of(recipe.shows("pins"), board.pins), pin_text, _BOARD_SHARE)
    plan = budget.entries("plan", _of(recipe.shows("plan"), board.plan), plan_text, _BOARD_SHARE)
    notes = _of(recipe.shows("notebook"), board.notebook)[::-1]
    notebook = budget.entries("notebook", notes, note_text, _BOARD_SHARE)[::-1]
    summary = inputs.summary if recipe.shows("working_summary") else ""
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
        tool_result=results[-1] if results else None,
        parallel_results=results[:-1],
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
