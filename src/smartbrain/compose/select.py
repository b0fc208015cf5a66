"""Choosing what a context shows from everything that it may show (R13, R16, R17).

In: `Inputs`, all that was found and read for one call. Out: the package that fits, and the choice
of evidence in it. Nothing is read here, so that inputs which were kept give the same package again,
or another one under other rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import structs

from smartbrain.compose.budget import Budget
from smartbrain.compose.candidates import Candidate, on_one_scale
from smartbrain.compose.id_prices import Count, Priced, priced
from smartbrain.compose.lists import lists_again, lists_within, memo_within
from smartbrain.compose.passages import Choice, in_order
from smartbrain.compose.slots import Held, turns_shown
from smartbrain.compose.turn_forms import asked_alone
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
from smartbrain.domain.context_text import place_said, user_words
from smartbrain.domain.context_turns import is_open, is_speech
from smartbrain.remember.gate import masked
from smartbrain.text.tokens import EstimatedTokens

if TYPE_CHECKING:
    from smartbrain.compose.asked import Wanted
    from smartbrain.domain.packet import ShownCall, ShownTurn, WorkingMemory
    from smartbrain.domain.policy import CompositionRules, Rules
    from smartbrain.domain.reason import Reason
    from smartbrain.domain.recall import Cues
    from smartbrain.domain.summary import CoreBlock

_CLEARLY: Final = 1.2  # times better, memory or documents take from the other's share
_SHIFT: Final = 0.2  # of the evidence is taken then


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """All that a context is chosen from; `memories` and `documents` are each on their own scale.

    `known` is what recall says of memories: why each came to mind.
    """

    wanted: Wanted
    held: Held
    cues: Cues
    working: WorkingMemory | None = None
    summary: str = ""
    memories: Sequence[Candidate] = ()
    documents: Sequence[Candidate] = ()
    known: Sequence[Reason] = ()


def select(inputs: Inputs, *, rules: Rules, count: Count) -> tuple[ContextPackage, Choice]:
    """Return the package of what fits, and the choice of its evidence.

    Raises:
        UsageError: the limit is too small for what the caller says itself.
    """
    estimated = rules.policies.composition.tokenizer == EstimatedTokens.name
    prices = priced(count, estimated=estimated)
    budget = Budget(inputs.wanted.limit, prices)
    held = _with_message(inputs.held, inputs.wanted)
    if held is not inputs.held:
        inputs = replace(inputs, held=held)
    standing = _standing(inputs, budget, rules)
    told = {source for block in standing.core for source in block.source}
    candidates: list[Candidate] = []
    if inputs.wanted.recipe.shows("evidence"):
        memories = [one for one in inputs.memories if one.session or one.id not in told]
        candidates = on_one_scale(memories, inputs.documents, inputs.cues.keywords)
    most = rules.policies.composition.evidence_places(inputs.wanted.limit)
    choice = _choice(candidates, inputs.cues, rules.policies.composition, prices, most)
    return _fitted(inputs, choice, standing, budget, rules), choice


def _with_message(held: Held, wanted: Wanted) -> Held:
    """Return what is held, with the message as it is given again in the turn that waits.

    Stored it may be masked.
    """
    turn = held.turns[-1] if held.turns else None
    if turn is None or not wanted.message or not _waits(turn, wanted):
        return held
    words = user_words(wanted.message)
    if _said_place(turn, wanted) is not None or (stored := masked(words)) == words:
        return held
    place = _said_place(turn, replace(wanted, message={"content": stored}))
    if place is None:
        return held
    said = [one for one in turn.messages if is_speech(one)][place]
    messages = [
        structs.replace(one, content=words) if one is said else one for one in turn.messages
    ]
    return replace(held, turns=(*held.turns[:-1], structs.replace(turn, messages=tuple(messages))))


def _waits(last: ShownTurn, wanted: Wanted) -> bool:
    """Tell whether the last turn is the one in progress, or has no answer yet."""
    return last.turn_id == wanted.turn_id or is_open(last, ())


def _said_place(last: ShownTurn, wanted: Wanted) -> int | None:
    """Return where the last turn says the message, if it waits for its answer."""
    if not _waits(last, wanted):
        return None
    return place_said(last, wanted.message, anywhere=last.turn_id == wanted.turn_id)


def _choice(
    candidates: Sequence[Candidate],
    cues: Cues,
    rules: CompositionRules,
    count: Priced,
    most: int,
) -> Choice:
    """Return the choice of evidence, with how many memory and documents may bring (R17)."""
    core = (cues.entities or cues.referred)[:1]
    return Choice(
        waiting=in_order(candidates, core),
        words=[word.casefold() for word in (*cues.codes, *cues.phrases, *cues.keywords)],
        rules=rules,
        count=count,
        most=most,
        quotas=_quotas(candidates, rules, most),
    )


def _quotas(
    candidates: Sequence[Candidate], rules: CompositionRules, most: int
) -> dict[EvidenceSource, int]:
    """Return how many pieces each source may bring; what one has not is the other's."""
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


class _Standing(NamedTuple):
    """What is shown before anything that was found, and whatever that is."""

    developer: tuple[Block, ...]
    results: tuple[ShownCall, ...]
    core: tuple[CoreBlock, ...]
    working: tuple[Block, ...]
    most: int = 0  # tokens that core memory may take


def _standing(inputs: Inputs, budget: Budget, rules: Rules) -> _Standing:
    """Spend what the caller says itself, and what stands in every context of the tenant.

    Core memory leaves room for a run, however much that has in mind just now, so that it stays the
    same while the run goes on; what core memory does not need is the run's.
    """
    wanted, held, limits = inputs.wanted, inputs.held, rules.policies.composition
    last = held.turns[-1] if held.turns else None
    again = last is not None and _said_place(last, wanted) is not None
    asked = None
    if last is not None and (again or last.turn_id == wanted.turn_id):
        asked = asked_alone(last)

    def told(limit: int) -> tuple[Block, ...]:
        return (*wanted.developer, *_told_budget(limit, limits))

    budget.require(wanted.message, wanted.system, told, asked=asked, again=again)
    developer = told(wanted.limit)
    results = budget.results(held.results)
    if not wanted.recipe.shows("system"):
        return _Standing(developer, results, (), ())
    most = limits.system_blocks_max_tokens
    before = budget.used
    of_core = most // 2 if inputs.working else most
    core = budget.core(held.core, of_core)
    working = budget.working(inputs.working, most - (budget.used - before))
    return _Standing(developer, results, core, working, of_core)


def _fitted(
    inputs: Inputs, choice: Choice, standing: _Standing, budget: Budget, rules: Rules
) -> ContextPackage:
    """Return the package that fits, the most important slots first."""
    wanted, held = inputs.wanted, inputs.held
    recipe, limits, board = wanted.recipe, rules.policies.composition, held.governed
    memo = memo_within(budget, board, recipe.shows, rules.fastmemo.max_chars)
    lists = lists_within(budget, board, recipe.shows)
    summary = inputs.summary if recipe.shows("working_summary") else ""
    turns = [turn.turn_id for turn in held.turns]
    budget.evidence(choice, share=budget.top_share(bool(summary or turns)), shown=turns)
    summary = budget.summary(summary, limits.summary_max_tokens)
    recent = budget.turns(held.turns, turns_shown(recipe, rules) + (wanted.turn_id is not None))
    turns = [turn.turn_id for turn in recent]
    lasting = budget.core_again(held.core, standing.core, standing.most)
    core = [Block(type=one.type, text=one.text, updated_at=one.updated_at) for one in lasting]
    budget.evidence(choice, shown=turns)
    budget.evidence_again(choice, turns)
    of_evidence = budget.for_evidence if recipe.shows("evidence") else None
    lists = lists_again(budget, lists, of_evidence)
    choice.close(turns)
    calls = [call.id for turn in recent for call in turn.tool_calls]
    there = {*turns, *calls, *(call.id for call in standing.results)}
    trimmed = [one for one in held.trimmed if one.id in there]
    return ContextPackage(
        context_id="",
        session_id=wanted.session_id,
        created_at=wanted.now,
        system_blocks=(*wanted.system, *standing.working, *core, *memo),
        developer_blocks=standing.developer,
        working_summary=summary,
        pins=lists.pins.entries,
        plan=lists.plan.entries,
        notebook=lists.notebook.entries,
        recent_turns=recent,
        turn_id=wanted.turn_id,
        evidence=choice.evidence(wanted.now, wanted.text),
        tool_result=standing.results[-1] if standing.results else None,
        parallel_results=standing.results[:-1],
        user_message=wanted.message,
        constraints=_constraints(wanted.limit, ceil(budget.used), limits),
        debug=ContextDebug(ignored=(*trimmed, *budget.ignored, *lists.reasons, *choice.ignored)),
    )


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
            evidence_max_items=rules.evidence_places(limit),
            max_snippet_chars=rules.max_snippet_chars,
        ),
    )
