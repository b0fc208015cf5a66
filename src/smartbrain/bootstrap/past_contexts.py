"""Contexts of the past, by their ids: explained, compared, replayed under other rules (S6).

In: ids as callers give them, an open tenant, overrides. Out: explanations and diffs, or `NotFound`
where no trace is kept. What was kept is ranked, budgeted and rendered again; only an override that
asks for what was never read has turns read or memory searched again, over rows that are no newer
than the trace, and the diff says so. Loaded by the first call that looks back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from msgspec import structs

from smartbrain.bootstrap.composing import asked_of
from smartbrain.bootstrap.sources import check_at_opening
from smartbrain.compose.candidates import memory_candidates, resource_candidates
from smartbrain.compose.chosen import why_selected
from smartbrain.compose.diff import Side, diff_contexts
from smartbrain.compose.explained import answered_by, explain_context, seen_in
from smartbrain.compose.found_runs import found_runs
from smartbrain.compose.judge import read_together
from smartbrain.compose.kept import inputs_of, package_of
from smartbrain.compose.past_rows import knows_calls, past_rows
from smartbrain.compose.pipeline import find_documents
from smartbrain.compose.rescore import rescored
from smartbrain.compose.resources import why_no_document
from smartbrain.compose.select import select
from smartbrain.compose.slots import read_spoken, read_turns
from smartbrain.compose.trace import check_form, slot_tokens
from smartbrain.compose.why_left import why_left
from smartbrain.compose.words import read_words
from smartbrain.domain.context import EvidenceSource, NotebookEntry
from smartbrain.domain.memory import Status
from smartbrain.domain.reason import Reason
from smartbrain.domain.recipe import recipe_named
from smartbrain.errors import NotFound, UsageError
from smartbrain.govern.pins import notebook_of, notes_of, shown_notes
from smartbrain.govern.trail import read_sheet
from smartbrain.remember.arguments import read_id
from smartbrain.settings import Settings, explain, with_overrides

if TYPE_CHECKING:
    from smartbrain.bootstrap.composing import Composing
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.bootstrap.recalling import Recalling
    from smartbrain.compose.asked import Wanted
    from smartbrain.compose.id_prices import Priced
    from smartbrain.compose.resources import AskDocuments
    from smartbrain.compose.select import Inputs
    from smartbrain.compose.slots import Held
    from smartbrain.domain.context import ContextPackage
    from smartbrain.domain.context_diff import ContextDiff
    from smartbrain.domain.explanation import Explanation
    from smartbrain.domain.job import Trace
    from smartbrain.domain.packet import MemoryPacket
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.policy_recall import ScoreRules
    from smartbrain.ports.truth import Transaction


RECIPE: Final = "recipe"
"""The override that is no setting: which slots are shown."""
_LIMIT: Final = "policies.composition.token_limit"
_CHOSEN: Final = ("policies.composition.", "recall.profile", "fastmemo.max_chars")
_SEARCHED: Final = ("recall.", "packet.", "policies.retrieval.")
_TURNS: Final = (
    "policies.composition.recent_turns_max",
    "policies.composition.keep_rounds",
    "policies.composition.chat_code_max_lines",
    "policies.composition.tool_result_max_chars",
    "working.window_turns",
)
_BOARD: Final = ("pins", "plan", "notebook", "fastmemo", "context_pool")


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What a replay searches with if it has to, and how its tokens are counted."""

    recalling: Recalling
    ask: AskDocuments | None
    count: Callable[[Rules], Priced]


@dataclass(frozen=True, slots=True, kw_only=True)
class Overridden:
    """The rules of a past context, those of its replay, and the names of what they differ in."""

    before: Settings
    after: Settings
    names: tuple[str, ...]
    given: Mapping[str, Any]
    recipe: object = None

    @property
    def weights(self) -> tuple[ScoreRules, ScoreRules]:
        """The weights of scores, before and after."""
        before, after = self.before.rules.recall, self.after.rules.recall
        return getattr(before.profiles, before.profile), getattr(after.profiles, after.profile)

    def searches(self) -> list[str]:
        """Return the names whose override needs a search."""
        was, now = self.weights
        others = [name for name in self.names if not name.startswith(_CHOSEN)]
        found = [name for name in others if name.startswith(_SEARCHED)]
        return [*found, "recall.profile"] if was.raw != now.raw else found

    def reads(self) -> list[str]:
        """Return the names whose override needs turns to be read."""
        return [name for name in self.names if name in _TURNS]


def read_overrides(trace: Trace, given: object, settings: Settings) -> Overridden:
    """Read what a replay is asked to do otherwise, on top of the rules of its trace."""
    if not isinstance(given, Mapping):
        raise UsageError(f"overrides are a dict of names and values, not {given!r:.60}")
    values = {name: value for name, value in given.items() if name != RECIPE}
    limit = trace.body["budget"]["token_budget"]["limit"]
    before = with_overrides(rules_of(trace, settings), {_LIMIT: limit})
    after = with_overrides(before, values) if values else before
    check_at_opening(before, after)
    was = {row.name: row.value for row in explain(before)}
    names = [row.name for row in explain(after) if was.get(row.name) != row.value]
    for name in names:
        if not name.startswith((*_CHOSEN, *_SEARCHED)) and name not in _TURNS:
            raise UsageError(
                f"{name} has no say in what a context shows; a replay takes"
                f" {', '.join(f'{one}*' for one in _SEARCHED)}, policies.composition.*,"
                f" working.window_turns, fastmemo.max_chars and {RECIPE}",
                code="config",
            )
    recipe = given.get(RECIPE)
    if recipe is not None:
        recipe_named(recipe, after.rules.recipes)
    return Overridden(
        before=before, after=after, names=tuple(names), given=dict(given), recipe=recipe
    )


def replay_context(
    trace: Trace, overrides: object, *, tenant: OpenTenant, settings: Settings, by: Search
) -> ContextDiff:
    """Return what a past context would show otherwise under other rules."""
    inputs, notes = kept_inputs(trace, tenant)
    asked = read_overrides(trace, overrides, settings)
    before, rules = asked.before.rules, asked.after.rules
    package, _ = package_of(trace, inputs, rules=before, count=by.count(before))
    omitted: tuple[Reason, ...] = ()
    missing = dict.fromkeys(EvidenceSource, Reason("forgotten", "its words are gone since"))
    kept, old = inputs, inputs.wanted.recipe
    if asked.recipe is not None:
        recipe = recipe_named(asked.recipe, rules.recipes)
        inputs = replace(inputs, wanted=replace(inputs.wanted, recipe=recipe))
        notes += _not_kept(old.slots, recipe.slots)
    if _LIMIT in asked.names:
        limit = rules.policies.composition.token_limit
        inputs = replace(inputs, wanted=replace(inputs.wanted, limit=limit))
    recipe = inputs.wanted.recipe
    if asked.reads() or recipe != old:
        names = [*asked.reads(), *([RECIPE] if recipe != old else [])]
        notes.append(_live("read_again", "turns were read again", names))
        if not knows_calls(kept):
            sentence = "which calls the turn in progress had is not known; those of now are read"
            notes.append(Reason("calls_of_now", sentence))
        inputs = _with_turns(inputs, kept, tenant, rules)
    searches = asked.searches()
    if recipe.shows("evidence") and not old.shows("evidence"):
        searches.append(RECIPE)
    if searches and recipe.shows("evidence"):
        inputs, packet, missing, later = _searched(inputs, tenant, rules, by)
        omitted = (*_changed(package, tenant), *packet.explain.omitted)
        notes.append(_live("searched_again", "memory was searched again", searches))
        notes += later
    elif asked.weights[0] != asked.weights[1]:
        inputs = replace(inputs, memories=rescored(inputs.memories, *asked.weights))
    made, choice = select(inputs, rules=rules, count=by.count(rules))
    debug = structs.replace(
        made.debug, why_selected=why_selected(made, inputs.wanted, inputs.known)
    )
    return diff_contexts(
        Side(package=package, tokens=trace.body["tokens"]),
        Side(
            package=structs.replace(made, debug=debug),
            tokens=slot_tokens(made, by.count(rules).plain),
            reasons=tuple(
                why_left(package, inputs, made, choice, omitted=omitted, missing=missing)
            ),
        ),
        overrides=asked.given,
        live=any(one.type == "live" for one in notes),
        notes=tuple(notes),
    )


def kept_inputs(trace: Trace, tenant: OpenTenant) -> tuple[Inputs, list[Reason]]:
    """Return what a past context was chosen from, and a note if some of it was forgotten."""
    ports = tenant.ports
    with ports.truth.read() as rows:
        inputs, gone = inputs_of(trace, partial(read_words, rows=rows, blobs=ports.blobs))
    sentence = f"the words of {gone} things that it was chosen from are gone since"
    return inputs, [Reason("forgotten", sentence)] if gone else []


def rules_of(trace: Trace, settings: Settings) -> Settings:
    """Return settings with the rules that a past context was chosen by."""
    return with_overrides(settings, trace.body["rules"])


def _with_turns(inputs: Inputs, kept: Inputs, tenant: OpenTenant, rules: Rules) -> Inputs:
    """Return inputs with their turns read again, as far as they had come when they were kept."""
    wanted, ports = inputs.wanted, tenant.ports
    with ports.truth.read() as now:
        rows = past_rows(now, kept)
        place = _last_place(kept, rows)
        read = read_turns(wanted, rows=rows, blobs=ports.blobs, rules=rules, place=place)
        held = replace(inputs.held, **read._asdict())
        if any(map(kept.wanted.recipe.shows, _BOARD)):
            held = _with_notes(held, wanted, rows, rules)
    return replace(inputs, held=held)


def _with_notes(held: Held, wanted: Wanted, rows: Transaction, rules: Rules) -> Held:
    """Return what is held with the notes of then that stand beside the calls which are told now.

    If some of them were folded into others since, they are left as they were.
    """
    sheet = read_sheet(notebook_of(wanted.session_id), rows=rows)
    notes = [one for one in notes_of(sheet) if one.at <= wanted.now]
    kept = {one.id: one for one in held.governed.notebook}
    if not kept.keys() <= {one.id for one in notes}:
        return held
    told = [call.id for turn in held.turns for call in turn.tool_calls]
    shown = shown_notes(notes[-rules.notebook.max_notes :], told, rules.notebook)
    entries = [kept.get(one.id) or NotebookEntry.from_dict(one.to_dict()) for one in shown]
    return replace(held, governed=structs.replace(held.governed, notebook=tuple(entries)))


def _last_place(kept: Inputs, rows: Transaction) -> int:
    """Return the place of the last turn that a session had; none if it showed none, as once ended.

    Where none would have been shown anyway it is told by the time, for turns come in order.
    """
    wanted, turns = kept.wanted, kept.held.turns
    if wanted.recipe.shows("recent_turns") and wanted.recipe.recent_turns != 0:
        return max((rows.events.turn(one.turn_id).seq for one in turns[-2:]), default=0)
    last = rows.events.last_turn(wanted.session_id)
    low, high = 0, last.seq if last else 0
    while low < high:
        middle = (low + high + 1) // 2
        (turn,) = rows.events.turns(wanted.session_id, after=middle - 1, limit=1)
        low, high = (middle, high) if turn.created_at <= wanted.now else (low, middle - 1)
    return low


def _searched(
    inputs: Inputs, tenant: OpenTenant, rules: Rules, by: Search
) -> tuple[Inputs, MemoryPacket, dict[EvidenceSource, Reason], list[Reason]]:
    """Return inputs with what is found now of what was stored then, and what to mind.

    Between them, why evidence of each source may be missing.
    """
    wanted, ports = inputs.wanted, tenant.ports
    roomy = replace(rules, packet=rules.packet.for_context(wanted.limit))
    question, whom = asked_of(wanted, tenant, roomy)
    # What a turn in progress has asked since is not what was asked then.
    text = question.text if wanted.message else inputs.cues.text
    question = replace(question, text=text, stored_by=wanted.now)
    found, packet = by.recalling.brought(question, whom, tenant, roomy)
    with ports.truth.read() as rows:
        told = read_spoken(packet, rows, rules, wanted.limit)
        spoken = tuple(turn for turn in told if turn.at <= wanted.now)
        runs = found_runs(found, packet, spoken, rows=rows, blobs=ports.blobs, rules=rules)
    pack, planner, unfollowed = find_documents(found, by.ask, wanted, rules)
    missing = dict.fromkeys(EvidenceSource, Reason("not_found", "the search does not bring it"))
    sentence = (
        "what was replaced or forgotten since is not found any more, and the rules of searching"
        " that are not overridden are those of now"
    )
    notes = [Reason("as_it_stands", sentence)]
    if pack is not None:
        notes.append(Reason("documents_of_now", "documents were searched as they are now"))
    else:
        notes += unfollowed
    missing[EvidenceSource.RESOURCE] = why_no_document(planner, unfollowed)
    held = replace(inputs.held, spoken=spoken)
    judged = read_together(
        memory_candidates(packet, spoken, found.ranked, runs=runs, blobs=ports.blobs),
        resource_candidates(pack) if pack else [],
        found.cues.text,
        by.recalling.judge(rules),
    )
    made = replace(
        inputs,
        held=held,
        cues=found.cues,
        memories=judged.memories,
        documents=judged.documents,
        known=packet.explain.selected,
    )
    return made, packet, missing, notes


def _changed(package: ContextPackage, tenant: OpenTenant) -> list[Reason]:
    """Return what became since of the memories that a context shows, of those that do not hold."""
    with tenant.ports.truth.read() as rows:
        nums = rows.followed.numbers([one.id for one in package.evidence])
        stored = rows.recalled.rows(sorted(nums.values()))
    return [
        Reason("changed_since", f"since then it is {one.status.value}", id=one.id)
        for one in stored
        if one.status is not Status.ACTIVE
    ]


def _not_kept(old: tuple[str, ...], new: tuple[str, ...]) -> list[Reason]:
    """Say which slots of another recipe stay empty, for the first one did not read them."""
    gone = {"system"} - set(old)
    if not any(slot in old for slot in _BOARD):
        gone |= set(_BOARD)
    sentence = "the first recipe did not show it, so it was not kept"
    return [Reason("not_kept", sentence, key=slot) for slot in new if slot in gone]


def _live(code: str, what: str, names: list[str]) -> Reason:
    sentence = f"{what}, as of when the context was composed, for {', '.join(names)}"
    return Reason(code, sentence, type="live")


class PastContexts:
    """The contexts that one root has composed."""

    def __init__(self, composing: Composing, recalling: Recalling) -> None:
        self._composing = composing
        self._search = Search(recalling=recalling, ask=composing.documents, count=composing.count)

    def explain(self, context_id: object, tenant: OpenTenant, settings: Settings) -> Explanation:
        """Return how a context came about."""
        return explain_context(self._trace(context_id, tenant, settings))

    def why(
        self, context_id: object, expect: str, tenant: OpenTenant, settings: Settings
    ) -> Explanation:
        """Return why something is in a context, or is not."""
        trace = self._trace(context_id, tenant, settings)
        inputs, _ = kept_inputs(trace, tenant)
        rules = rules_of(trace, settings).rules
        package, choice = select(inputs, rules=rules, count=self._search.count(rules))
        answered = answered_by(trace, inputs, package, choice)
        told = self._search.recalling.why(expect, answered, tenant, settings.rules)
        return structs.replace(seen_in(package, told), context_id=trace.context_id)

    def replay(
        self, context_id: object, overrides: object, tenant: OpenTenant, settings: Settings
    ) -> ContextDiff:
        """Return what a context would show otherwise under other rules."""
        trace = self._trace(context_id, tenant, settings)
        return replay_context(trace, overrides, tenant=tenant, settings=settings, by=self._search)

    def diff(
        self, context_id: object, other_id: object, tenant: OpenTenant, settings: Settings
    ) -> ContextDiff:
        """Return what differs between two contexts."""
        traces = [self._trace(one, tenant, settings) for one in (context_id, other_id)]
        notes: list[Reason] = []
        made = []
        for trace in traces:
            inputs, gone = kept_inputs(trace, tenant)
            rules = rules_of(trace, settings).rules
            count = self._search.count(rules)
            made.append((inputs, *package_of(trace, inputs, rules=rules, count=count)))
            notes += gone
        (_, first, _), (inputs, second, choice) = made
        if first.session_id != second.session_id:
            sentence = f"sessions {first.session_id} and {second.session_id}"
            notes.append(Reason("other_session", sentence))
        reasons = why_left(
            first,
            inputs,
            second,
            choice,
            omitted=map(Reason.from_dict, traces[1].body["omitted"]),
            missing={
                EvidenceSource.MEMORY: Reason("not_found", "recall does not bring it for this one"),
                EvidenceSource.RESOURCE: why_no_document(
                    second.debug.planner, second.debug.ignored
                ),
            },
        )
        return diff_contexts(
            Side(package=first, tokens=traces[0].body["tokens"]),
            Side(package=second, tokens=traces[1].body["tokens"], reasons=tuple(reasons)),
            other_id=second.context_id,
            notes=tuple(notes),
        )

    def _trace(self, given: object, tenant: OpenTenant, settings: Settings) -> Trace:
        wanted = read_id(given, "context_id")
        self._composing.flush()
        with tenant.ports.truth.read() as rows:
            trace = rows.working.trace(wanted)
        if trace is None:
            kept = settings.rules.policies.observability
            why = f"traces are kept for {kept.trace_days} days, {kept.max_traces:,} at most"
            if not kept.trace:
                why = "policies.observability.trace is false, so none is kept"
            raise NotFound(f"there is no trace of a context {wanted!r:.80} in this tenant; {why}")
        check_form(trace)
        return trace
