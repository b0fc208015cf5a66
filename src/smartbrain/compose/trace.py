"""What is kept of a compose: its plan, candidates, selection, budget and what was ignored (S6).

In: a composition and the rules it was made under. Out: a trace to be stored, with all that it takes
to explain it and to choose again from the same. Made off the hot path, after the answer is given.
Reading it back is in `kept`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from smartbrain.compose.kept import inputs_to_plain
from smartbrain.domain.context import ContextPackage
from smartbrain.domain.context_text import blocks, step_results
from smartbrain.domain.job import Trace
from smartbrain.domain.record import to_plain
from smartbrain.errors import NotFound
from smartbrain.remember.read_turn import shown_sentences

if TYPE_CHECKING:
    from smartbrain.compose.id_prices import Count
    from smartbrain.compose.pipeline import Composition
    from smartbrain.compose.words import Words
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.reason import Reason

SLOTS: Final = ContextPackage.__struct_fields__
"""The slots of a package in their order, and its other fields."""
_TOLD: Final = (
    *("recipe", "audience", "run_id", "turn_id", "message", "budget", "tokens", "planner", "ids"),
    *("ignored", "omitted", "rules"),
)
_KEPT: Final = ("selection", "why_selected", "inputs")
_INPUTS: Final = (
    *("recipe", "message", "system", "developer", "limit", "now", "core", "governed", "turns"),
    *("tool_result", "working", "summary", "cues", "candidates"),
)


def check_form(trace: Trace) -> None:
    """Check that a trace has all that is read of it, as one of an earlier release may not.

    Raises:
        NotFound: it has not.
    """
    body = trace.body
    lacks = [name for name in _TOLD if name not in body]
    if any(name in body for name in _KEPT):
        lacks += [name for name in _KEPT if name not in body]
        lacks += [name for name in _INPUTS if name not in body.get("inputs", {})]
    if lacks:
        raise NotFound(
            f"context {trace.context_id!r:.80} was composed by an older version, whose trace cannot"
            f" be read: it has no {lacks[0]}; compose again"
        )


def trace_of(made: Composition, rules: Rules, count: Count, words: Words) -> Trace:
    """Return what is kept of a composition under the rules; `words` are stored and not kept."""
    package, inputs = made.package, made.inputs
    wanted = inputs.wanted
    body: dict[str, Any] = {
        "recipe": wanted.recipe.name,
        "audience": wanted.audience.value,
        "run_id": wanted.run_id,
        "turn_id": wanted.turn_id,
        "message": wanted.text,
        "budget": package.constraints.to_dict(),
        "tokens": slot_tokens(package, count),
        "planner": to_plain(package.debug.planner),
        "ids": package.debug.trace.to_dict(),
        "ignored": _plain(package.debug.ignored),
        "omitted": _plain(made.omitted),
        "rules": _rules(rules),
        "sentences": shown_sentences(shown_texts(package)),
    }
    if rules.policies.observability.store_plans:
        body["plan"] = made.plan.to_dict() if made.plan else None
    if rules.policies.observability.store_contexts:
        body["why_selected"] = _plain(package.debug.why_selected)
        body["selection"] = [
            {
                "id": one.id,
                "score": one.score,
                "source": one.source.value,
                "source_uri": one.source_uri,
            }
            for one in package.evidence
        ]
        body["inputs"] = inputs_to_plain(inputs, words)
    return Trace(
        context_id=package.context_id,
        session_id=package.session_id,
        created_at=package.created_at,
        body=body,
    )


def slot_tokens(package: ContextPackage, count: Count) -> dict[str, int]:
    """Return how many tokens each slot of a context takes, as it is shown, in its order."""
    tokens: dict[str, int] = {}
    for block in blocks(package):
        tokens[block.slot] = tokens.get(block.slot, 0) + count(block.shown)
    return tokens


def in_slot_order(tokens: Mapping[str, int]) -> dict[str, int]:
    """Return what slots take in the order of a package; what is stored has none."""
    return {name: tokens[name] for name in SLOTS if name in tokens}


def shown_texts(package: ContextPackage) -> Iterator[str]:
    """Yield all words that a context shows, but for the user's message (C11)."""
    for block in (*package.system_blocks, *package.developer_blocks):
        yield block.text
    yield package.working_summary
    for pin in package.pins:
        yield pin.summary
    yield from (step.text for step in package.plan)
    yield from (note.text for note in package.notebook)
    for turn in package.recent_turns:
        yield from (message.content for message in turn.messages)
        yield from (call.summary for call in turn.tool_calls)
    for one in package.evidence:
        yield one.snippet
    for call in step_results(package):
        yield from (call.summary, call.text)


def _plain(reasons: Iterable[Reason]) -> list[dict[str, Any]]:
    """Return reasons as plain data, without what they do not say."""
    return [_reason(one) for one in reasons]


def _reason(one: Reason) -> dict[str, Any]:
    plain: dict[str, Any] = {"code": one.code, "reason": one.reason}
    if one.id:
        plain["id"] = one.id
    if one.type:
        plain["type"] = one.type
    if one.key:
        plain["key"] = one.key
    if one.detail:
        plain["detail"] = to_plain(one.detail)
    return plain


def _rules(rules: Rules) -> dict[str, Any]:
    """Return the rules that choosing from the same again goes by, as they are set in a file."""
    recall = rules.recall
    weights = to_plain(getattr(recall.profiles, recall.profile))
    return {
        "policies": {"composition": to_plain(rules.policies.composition)},
        "fastmemo": {"max_chars": rules.fastmemo.max_chars},
        "working": {"window_turns": rules.working.window_turns},
        "recall": {"profile": recall.profile, "profiles": {recall.profile: weights}},
    }
