"""Choosing what a context shows from everything that it may show (R13, R16, R17).

In: `ContextInputs`, all that was found and read for one call. Out: the package that fits, and the
choice of evidence in it. Nothing is read here, so that inputs which were kept give the same package
again, or another one under other rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, log1p
from typing import Final, NamedTuple

from msgspec import structs

from smartbrain.compose.budget import Budget
from smartbrain.compose.candidates import Candidate, order_by_worth, put_on_one_scale
from smartbrain.compose.counting import PricedCounter
from smartbrain.compose.lists import lists_again, lists_within, memo_within
from smartbrain.compose.passages import EvidenceChoice
from smartbrain.compose.request import ComposeRequest
from smartbrain.compose.shorten import SoughtWord, keep_question
from smartbrain.compose.slots import SlotContents
from smartbrain.compose.turns import count_shown_turns
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
from smartbrain.domain.packet import ShownCall, ShownTurn, WorkingMemory
from smartbrain.domain.policy import CompositionRules, Rules
from smartbrain.domain.reason import Reason
from smartbrain.domain.recall import Cues
from smartbrain.domain.summary import CoreBlock
from smartbrain.recall.relevance import looked_for, other_words, plain, telling_terms
from smartbrain.remember.gate import masked

_CLEARLY: Final = 1.2  # times better, memory or documents take from the other's share
_SHIFT: Final = 0.2  # of the evidence is taken then


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextInputs:
    """All that a context is chosen from; `memories` and `documents` are each on their own scale.

    `known` is what recall says of memories: why each came to mind.
    """

    request: ComposeRequest
    contents: SlotContents
    cues: Cues
    working: WorkingMemory | None = None
    summary: str = ""
    memories: Sequence[Candidate] = ()
    documents: Sequence[Candidate] = ()
    known: Sequence[Reason] = ()


def select(
    inputs: ContextInputs, *, rules: Rules, count: PricedCounter
) -> tuple[ContextPackage, EvidenceChoice]:
    """Return the package of what fits, and the choice of its evidence."""
    request, limits = inputs.request, rules.policies.composition
    budget = Budget(request.limit, count)
    turns = _with_message(inputs.contents.recent.turns, request)
    standing = _spend_standing(inputs, turns, budget, limits)
    told = {source for block in standing.core for source in block.source}
    candidates: list[Candidate] = []
    if request.recipe.shows("evidence"):
        memories = [one for one in inputs.memories if one.session or one.id not in told]
        candidates = put_on_one_scale(memories, inputs.documents, inputs.cues.keywords)
    cues, most = inputs.cues, limits.evidence_places(request.limit)
    choice = EvidenceChoice(
        waiting=order_by_worth(candidates, (cues.entities or cues.referred)[:1]),
        words=_sought_words(cues, [one.text for one in candidates]),
        rules=limits,
        count=count,
        most=most,
        quotas=_share_places(candidates, limits, most),
    )
    return _fit_slots(inputs, turns, choice, standing, budget, rules), choice


def _sought_words(cues: Cues, texts: Sequence[str]) -> list[SoughtWord]:
    """Return what a message asks for, each word in all its forms; a rare one weighs more."""
    terms = telling_terms(cues.text)
    alike = other_words(cues.text, terms)
    forms: list[tuple[str, ...]] = [(word.casefold(),) for word in (*cues.codes, *cues.phrases)]
    forms += [(term, *map(looked_for, alike.get(term, ()))) for term in terms]
    folded = [plain(text) for text in texts]
    held = [(some, sum(any(form in text for form in some) for text in folded)) for some in forms]
    return [SoughtWord(some, log1p(len(folded) / times)) for some, times in held if times]


def _with_message(turns: tuple[ShownTurn, ...], request: ComposeRequest) -> tuple[ShownTurn, ...]:
    """Return turns with the message as given in the one that waits: stored it may be masked."""
    turn = turns[-1] if turns else None
    if turn is None or not request.message or not _waits(turn, request):
        return turns
    words = user_words(request.message)
    if _place_said(turn, request) is not None or (stored := masked(words)) == words:
        return turns
    place = _place_said(turn, replace(request, message={"content": stored}))
    if place is None:
        return turns
    said = [message for message in turn.messages if is_speech(message)][place]
    messages = tuple(
        structs.replace(message, content=words) if message is said else message
        for message in turn.messages
    )
    return (*turns[:-1], structs.replace(turn, messages=messages))


def _waits(last: ShownTurn, request: ComposeRequest) -> bool:
    return last.turn_id == request.turn_id or is_open(last, ())


def _place_said(last: ShownTurn, request: ComposeRequest) -> int | None:
    """Return where the last turn says the message, if it waits for its answer."""
    if not _waits(last, request):
        return None
    return place_said(last, request.message, anywhere=last.turn_id == request.turn_id)


def _share_places(
    candidates: Sequence[Candidate], rules: CompositionRules, most: int
) -> dict[EvidenceSource, int]:
    """Return how many pieces each source may bring; what one has not is the other's (R17)."""
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
    core: tuple[CoreBlock, ...] = ()
    working: tuple[Block, ...] = ()
    most: int = 0  # tokens that core memory may take


def _spend_standing(
    inputs: ContextInputs, turns: Sequence[ShownTurn], budget: Budget, limits: CompositionRules
) -> _Standing:
    """Spend what the caller says itself, and what stands in every context of the tenant.

    Core memory leaves room for a run, however much that has in mind just now, so that it stays the
    same while the run goes on; what core memory does not need is the run's.
    """
    request, contents = inputs.request, inputs.contents
    last = turns[-1] if turns else None
    again = last is not None and _place_said(last, request) is not None
    asked = None
    if last is not None and (again or last.turn_id == request.turn_id):
        asked = keep_question(last)

    def told(limit: int) -> tuple[Block, ...]:
        if not limits.tell_budget:
            return request.developer
        text = f"At most {limit:,} tokens of context are shown."
        return (*request.developer, Block(type="budget", text=text))

    budget.require(request.message, request.system, told, asked=asked, again=again)
    developer = told(request.limit)
    results = budget.results(contents.recent.results)
    if not request.recipe.shows("system"):
        return _Standing(developer, results)
    most = limits.system_blocks_max_tokens
    before = budget.used
    of_core = most // 2 if inputs.working else most
    core = budget.core(contents.core, of_core)
    working = budget.working(inputs.working, most - (budget.used - before))
    return _Standing(developer, results, core, working, of_core)


def _fit_slots(
    inputs: ContextInputs,
    turns: Sequence[ShownTurn],
    choice: EvidenceChoice,
    standing: _Standing,
    budget: Budget,
    rules: Rules,
) -> ContextPackage:
    """Return the package that fits, the most important slots first."""
    request, contents = inputs.request, inputs.contents
    recipe, limits, board = request.recipe, rules.policies.composition, contents.governed
    memo = memo_within(budget, board, recipe.shows, rules.fastmemo.max_chars)
    given = lists_within(budget, board, recipe.shows)
    summary = inputs.summary if recipe.shows("working_summary") else ""
    known = [turn.turn_id for turn in turns]
    budget.evidence(choice, first=bool(summary or known), shown=known)
    summary = budget.summary(summary, limits.summary_max_tokens)
    window = count_shown_turns(recipe, rules) + (request.turn_id is not None)
    recent = budget.turns(turns, window)
    shown = [turn.turn_id for turn in recent]
    lasting = standing.core
    if lasting:
        lasting = budget.core_again(contents.core, lasting, standing.most)
    budget.evidence(choice, shown=shown)
    budget.evidence_again(choice, shown)
    of_evidence = budget.for_evidence if recipe.shows("evidence") else None
    lists = lists_again(budget, given, of_evidence)
    choice.close(shown)
    cuts = [reason for listed in lists.values() for reason in (*listed.folded, *listed.cuts)]
    calls = [call.id for turn in recent for call in turn.tool_calls]
    there = {*shown, *calls, *(call.id for call in standing.results)}
    trimmed = [reason for reason in contents.recent.trimmed if reason.id in there]
    core = [Block(type=one.type, text=one.text, updated_at=one.updated_at) for one in lasting]
    return ContextPackage(
        context_id="",
        session_id=request.session_id,
        created_at=request.now,
        system_blocks=(*request.system, *standing.working, *core, *memo),
        developer_blocks=standing.developer,
        working_summary=summary,
        pins=lists["pins"].entries,
        plan=lists["plan"].entries,
        notebook=lists["notebook"].entries,
        recent_turns=recent,
        turn_id=request.turn_id,
        evidence=choice.evidence(request.now, request.text),
        tool_result=standing.results[-1] if standing.results else None,
        parallel_results=standing.results[:-1],
        user_message=request.message,
        constraints=describe_limits(request.limit, ceil(budget.used), limits),
        debug=ContextDebug(ignored=(*trimmed, *budget.ignored, *cuts, *choice.ignored)),
    )


def describe_limits(limit: int, used: int, rules: CompositionRules) -> Constraints:
    """Return the limits that a context is made under."""
    diversity = rules.diversity
    return Constraints(
        token_budget=TokenBudget(limit=limit, used_estimate=used),
        diversity=ContextDiversity(
            by_document=diversity.by_document, by_source_uri=diversity.by_source_uri
        ),
        truncation=Truncation(
            system_blocks_max_tokens=rules.system_blocks_max_tokens,
            summary_max_tokens=rules.summary_max_tokens,
            recent_turns_max=rules.recent_turns_max,
            evidence_max_items=rules.evidence_places(limit),
            max_snippet_chars=rules.max_snippet_chars,
        ),
    )
