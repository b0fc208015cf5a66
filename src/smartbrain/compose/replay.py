"""Looking back at contexts: how one came about, and what differs between two (S6).

In: traces that are read back, packages made again, and what they were chosen from. Out: what was
planned, chosen, cut and left out, each with its why and the budget by slot; slot by slot what came
in, what went, what moved, and the tokens. Nothing else is read or composed here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from smartbrain.compose.passages import EvidenceChoice, best_line
from smartbrain.compose.select import ContextInputs
from smartbrain.compose.shown import EVIDENCE, SLOTS, entries, where_shown
from smartbrain.compose.trace import KeptContext
from smartbrain.domain.context import ContextPackage, EvidenceSource
from smartbrain.domain.context_diff import ContextChange, ContextDiff, ContextMove, SlotChange
from smartbrain.domain.context_explained import ContextExplanation, SlotBudget
from smartbrain.domain.context_slots import CONTEXT_POOL, FASTMEMO
from smartbrain.domain.context_text import step_results
from smartbrain.domain.explanation import Explanation, Verdict
from smartbrain.domain.reason import Reason
from smartbrain.recall.explain import Answered, by_id, unread_by_type
from smartbrain.recall.verdicts import HINTS

_BLOCKS: Final = ("system_blocks", "developer_blocks")
_ALONE: Final = "*"
_WORDS: Final = 80  # characters by which something is recognised
_MEMO: Final = (FASTMEMO, CONTEXT_POOL)
_BOARD: Final = ("pins", "plan", "notebook")
_ALWAYS: Final = (*_BLOCKS, "user_message")


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """One of two contexts; `reasons` say why things are in it or were left out."""

    package: ContextPackage
    tokens: Mapping[str, int]
    reasons: Iterable[Reason] = ()


class _Shown(NamedTuple):
    """Something in its place."""

    place: int
    text: str


_Key = tuple[str, str]
"""A slot, and an id that is used once in it."""


def diff_contexts(before: Side, after: Side, **more: Any) -> ContextDiff:
    """Return what differs between two contexts; `more` are further fields of the result."""
    old, new = _things(before.package), _things(after.package)
    why_in = _by_thing(after.package.debug.why_selected)
    why_out = _by_thing(one for one in after.reasons if not _is_cut(one))
    cut_old = _by_thing(filter(_is_cut, before.package.debug.ignored))
    cut_new = _by_thing(filter(_is_cut, after.reasons))
    kept_old = [key for key in old if key in new]
    kept_new = [key for key in new if key in old]
    places_old, places_new = _places(kept_old), _places(kept_new)
    was, now = (one.package.constraints.token_budget for one in (before, after))
    slots = in_slot_order({**before.tokens, **after.tokens})

    def resized(key: _Key) -> Reason:
        return _resized(key, old[key], new[key], _about(key, cut_old), _about(key, cut_new))

    return ContextDiff(
        context_id=before.package.context_id,
        entered=tuple(_change(key, one, why_in) for key, one in new.items() if key not in old),
        left=tuple(_change(key, one, why_out) for key, one in old.items() if key not in new),
        moved=tuple(
            _move(key, old[key], new[key], _ordered(key[0]))
            for key in kept_old
            if places_old[key] != places_new[key]
        ),
        resized=tuple(
            _move(key, old[key], new[key], resized(key))
            for key in kept_old
            if old[key].text != new[key].text
        ),
        tokens=tuple(
            _slot_change(slot, before.tokens.get(slot, 0), after.tokens.get(slot, 0))
            for slot in slots
        ),
        limit=_slot_change("limit", was.limit, now.limit),
        used=_slot_change("used", was.used_estimate, now.used_estimate),
        **more,
    )


def _slot_change(slot: str, before: int, after: int) -> SlotChange:
    return SlotChange(slot=slot, before=before, after=after)


def _things(package: ContextPackage) -> dict[_Key, _Shown]:
    things: dict[_Key, _Shown] = {}
    places: dict[str, int] = {}
    for slot, name, _, text in entries(package):
        places[slot] = place = places.get(slot, 0) + 1
        key, again = (slot, name), 1
        while key in things:
            again += 1
            key = (slot, f"{name}#{again}")
        things[key] = _Shown(place, text)
    return things


def _by_thing(reasons: Iterable[Reason]) -> dict[_Key, Reason]:
    """Return reasons by what they are about; one that names no slot is about evidence."""
    found: dict[_Key, Reason] = {}
    for one in reasons:
        if one.type not in SLOTS:
            found[EVIDENCE, one.id or ""] = one
        elif one.id is None and one.type in _BLOCKS:
            found[one.type, one.key or ""] = one
        else:
            found[one.type, one.id or _ALONE] = one
    return found


def _places(keys: Iterable[_Key]) -> dict[_Key, int]:
    """Return the places that things would have if nothing had come or gone."""
    counts: dict[str, int] = {}
    places = {}
    for key in keys:
        counts[key[0]] = places[key] = counts.get(key[0], 0) + 1
    return places


def _change(key: _Key, one: _Shown, why: Mapping[_Key, Reason]) -> ContextChange:
    slot, name = key
    words = " ".join(one.text.split())
    text = words if len(words) <= _WORDS else f"{words[: _WORDS - 1]}…"
    return ContextChange(slot=slot, id=name, place=one.place, text=text, why=_about(key, why))


def _about(key: _Key, why: Mapping[_Key, Reason]) -> Reason | None:
    """Return what is said of a thing, or of all that its slot has."""
    slot, name = key
    return why.get((slot, name.partition("#")[0])) or why.get((slot, _ALONE))


def _is_cut(one: Reason) -> bool:
    """Tell whether a reason says that something is shown shortened, and not that it is left out."""
    return one.code.startswith("shortened")


def _ordered(slot: str) -> Reason:
    sentence = f"{slot} has another order"
    if slot == EVIDENCE:
        sentence = "evidence stands by its group, then by when the first line of each was said"
    return Reason("order", sentence, type=slot)


def _resized(key: _Key, old: _Shown, new: _Shown, was: Reason | None, now: Reason | None) -> Reason:
    """Return why something is shown with other words, from why it `was` and is cut `now`."""
    if now is not None and now != was:
        return now
    slot = key[0]
    if was is not None and now is None:
        return Reason("not_shortened", f"it is not cut as it was: {was.reason}", type=slot)
    before, after = (len(one.text.splitlines()) for one in (old, new))
    if before != after:
        code = "more_lines" if after > before else "fewer_lines"
        return Reason(code, f"{after} lines of it are shown, not {before}", type=slot)
    return Reason("other_words", "what it says is not the same", type=slot)


def _move(key: _Key, old: _Shown, new: _Shown, why: Reason) -> ContextMove:
    return ContextMove(
        slot=key[0],
        id=key[1],
        from_place=old.place,
        to_place=new.place,
        characters_before=len(old.text),
        characters_after=len(new.text),
        why=why,
    )


def why_left(
    before: ContextPackage,
    after: ContextInputs,
    made: ContextPackage,
    choice: EvidenceChoice,
    *,
    omitted: Iterable[Reason] = (),
    missing: Mapping[EvidenceSource, Reason],
) -> Iterator[Reason]:
    """Yield why what a context shows is not in another one, or not as much of it."""
    yield from _of_blocks(before, after)
    yield from _of_entries(before, after)
    yield from _of_turns(before, after)
    yield from _of_evidence(before, after, missing)
    yield from omitted
    yield from made.debug.ignored
    for lines in choice.quoted():
        best = best_line(lines).id
        sentence = f"its words stand in the passage of {best}"
        others = {line.id for line, _ in lines if line.hit} - {best}
        yield from (Reason("together", sentence, id=one) for one in sorted(others))
    recipe = after.request.recipe
    for entry in entries(before):
        slot = entry.slot
        if slot not in _ALWAYS and not recipe.shows(slot):
            yield Reason("recipe", f"recipe {recipe.name} shows no {slot}", id=entry.id, type=slot)


def _of_blocks(before: ContextPackage, after: ContextInputs) -> Iterator[Reason]:
    recipe = after.request.recipe
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


def _of_entries(before: ContextPackage, after: ContextInputs) -> Iterator[Reason]:
    for slot in _BOARD:
        for one in getattr(before, slot):
            yield Reason("not_there", f"it was not in {slot} at that time", id=one.id, type=slot)
    if before.working_summary and not after.summary:
        sentence = "there was no summary of the session"
        yield Reason("not_there", sentence, id="summary", type="working_summary")
    current = {one.id for one in after.contents.recent.results}
    for call in (one for one in step_results(before) if one.id not in current):
        sentence = "it was not the outcome of the last call"
        yield Reason("other_step", sentence, id=call.id, type="tool_result")
    if before.user_message:
        sentence = "no message was given"
        yield Reason("not_given", sentence, id="message", type="user_message")


def _of_turns(before: ContextPackage, after: ContextInputs) -> Iterator[Reason]:
    held = {turn.turn_id for turn in after.contents.recent.turns}
    for turn in before.recent_turns:
        code, sentence = "turns_max", f"it is before the last turns that are read: {len(held)}"
        if before.session_id != after.request.session_id:
            code, sentence = "other_session", "it is a turn of another session"
        elif turn.turn_id in held:
            code, sentence = "over_budget", "there is no room for it, or for one after it"
        elif not held:
            code, sentence = "no_turns", "no turn of the session is read"
        yield Reason(code, sentence, id=turn.turn_id, type="recent_turns")


def _of_evidence(
    before: ContextPackage, after: ContextInputs, missing: Mapping[EvidenceSource, Reason]
) -> Iterator[Reason]:
    there = {one.id for one in (*after.memories, *after.documents)}
    told = {source for block in after.contents.core for source in block.source}
    for one in before.evidence:
        code, sentence = missing[one.source].code, missing[one.source].reason
        if one.id in told:
            code, sentence = "told_by_core", "a block of core memory tells it"
        elif one.id in there:
            code, sentence = "over_limit", "others come before it"
        yield Reason(code, sentence, id=one.id, type=EVIDENCE)


_MEMORY: Final = "mem_"  # how the id of a memory begins
_SHORTENED: Final = "shortened"
_IGNORED: Final = ("ignored_field", "unknown_field")
_ASKED: Final = ("message", "recipe", "audience", "run_id", "turn_id", "planner")
_PARTS: Final = {"plan": ("plan", "store_plans"), "context": ("inputs", "store_contexts")}
"""What a trace may lack: its part, and the setting that has it kept."""


def explain_context(kept: KeptContext) -> Explanation:
    """Return how a past context came about."""
    body = kept.body
    limits = kept.constraints
    most = {
        "system_blocks": limits.truncation.system_blocks_max_tokens,
        "working_summary": limits.truncation.summary_max_tokens,
    }
    ignored = tuple(reason for reason in kept.ignored if reason.code in _IGNORED)
    shortened = tuple(one for one in kept.ignored if one.code.startswith(_SHORTENED))
    told = (*ignored, *shortened)
    left = [reason for reason in kept.ignored if reason not in told]
    # What was said in a turn has a line of its own for each message: each reason once.
    once = {(one.code, one.type, one.id, one.key): one for one in (*left, *kept.omitted)}
    context = ContextExplanation(
        session_id=kept.trace.session_id,
        created_at=kept.trace.created_at,
        plan=kept.plan,
        selected=kept.selected,
        shortened=shortened,
        left=tuple(once.values()),
        ignored=ignored,
        budget=tuple(
            SlotBudget(slot=slot, tokens=tokens, most=most.get(slot))
            for slot, tokens in in_slot_order(body["tokens"]).items()
        ),
        limit=limits.token_budget.limit,
        used=limits.token_budget.used_estimate,
        ids=kept.ids.to_dict(),
        not_kept=tuple(name for name, (part, _) in _PARTS.items() if part not in body),
        **{name: body[name] for name in _ASKED},
    )
    chosen = [one.id for one in context.selected if one.type == EVIDENCE]
    others = {one.id for one in context.left if one.id and one.type not in SLOTS} - {*chosen}
    used = f"{context.used:,} of {context.limit:,} tokens are used"
    return Explanation(
        context_id=kept.trace.context_id,
        reason=f"evidence: {len(chosen)} chosen, {len(others)} left out; {used}",
        trail=tuple(_trail(context, kept)),
        context=context,
    )


def in_slot_order(tokens: Mapping[str, int]) -> dict[str, int]:
    """Return what slots take in the order of a package; what is stored has none."""
    return {name: tokens[name] for name in SLOTS if name in tokens}


def answered_by(
    kept: KeptContext, inputs: ContextInputs, package: ContextPackage, choice: EvidenceChoice
) -> Answered:
    """Return what a past context was made of, as an answer to its message."""
    shown = by_id(reason for reason in kept.selected if reason.type == EVIDENCE)
    for line in (line for passage in choice.passages for line, _ in passage.lines):
        if line.id:
            told = "it is in a passage of the evidence"
            shown.setdefault(line.id, Reason("in_passage", told, id=line.id, type=EVIDENCE))
    texts = {text for block in package.system_blocks for text in block.text.split("\n")}
    for block in inputs.contents.core:
        for text, source in zip(block.text.split("\n"), block.source, strict=False):
            if text in texts:
                told = f"it is lasting memory, in the block {block.type}"
                shown.setdefault(source, Reason("core", told, id=source, type="system_blocks"))
    left = (*kept.omitted, *kept.ignored)
    return Answered(
        query=kept.body["message"],
        shown=shown,
        omitted=by_id(reason for reason in left if not reason.code.startswith(_SHORTENED)),
        unread=unread_by_type(left),
        turns=frozenset(turn.turn_id for turn in package.recent_turns),
        made_at=kept.trace.created_at,
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


def _trail(context: ContextExplanation, kept: KeptContext) -> Iterator[Reason]:
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
        why = kept.why_not_kept(*_PARTS[name])
        yield Reason("not_kept", f"the {name} was not kept: {why}", key=name)
