"""Contexts of the past, by their ids: explained, compared, replayed under other rules (S6).

In: ids as callers give them, an open tenant, overrides. Out: explanations and diffs, or `NotFound`
where no trace is kept. What was kept is ranked, budgeted and rendered again; only an override that
asks for what was never read has turns read or memory searched again, over rows that are no newer
than the trace, and the diff says so. Loaded by the first call that looks back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import structs

from smartbrain.bootstrap.composing import asked_of
from smartbrain.bootstrap.sources import check_at_opening
from smartbrain.compose.candidates import resource_candidates
from smartbrain.compose.diff import Side, diff_contexts, why_left
from smartbrain.compose.documents import find_documents, judge_together, why_no_document
from smartbrain.compose.explain import answered_by, explain_context, seen_in
from smartbrain.compose.select import select
from smartbrain.compose.shown import why_selected
from smartbrain.compose.slots import read_memories
from smartbrain.compose.trace import KeptContext, package_of, past_rows, score_again, slot_tokens
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
    from smartbrain.compose.counting import PricedCounter
    from smartbrain.compose.documents import AskDocuments
    from smartbrain.compose.request import ComposeRequest
    from smartbrain.compose.select import ContextInputs
    from smartbrain.compose.slots import SlotContents
    from smartbrain.domain.context import ContextPackage
    from smartbrain.domain.context_diff import ContextDiff
    from smartbrain.domain.explanation import Explanation
    from smartbrain.domain.job import Trace
    from smartbrain.domain.packet import MemoryPacket
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.policy_recall import ScoreRules
    from smartbrain.domain.recipe import Recipe
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
    count: Callable[[Rules], PricedCounter]


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


def read_overrides(kept: KeptContext, given: object, settings: Settings) -> Overridden:
    """Read what a replay is asked to do otherwise, on top of the rules of its trace."""
    if not isinstance(given, Mapping):
        raise UsageError(f"overrides are a dict of names and values, not {given!r:.60}")
    values = {name: value for name, value in given.items() if name != RECIPE}
    limit = kept.constraints.token_budget.limit
    before = with_overrides(with_overrides(settings, kept.rules), {_LIMIT: limit})
    after = with_overrides(before, values) if values else before
    check_at_opening(before, after)
    was = {row.name: row.value for row in explain(before)}
    names = [row.name for row in explain(after) if was.get(row.name) != row.value]
    for name in names:
        if not name.startswith((*_CHOSEN, *_SEARCHED)) and name not in _TURNS:
            raise UsageError(
                f"{name} has no say in what a context shows; a replay takes"
                f" {', '.join(f'{prefix}*' for prefix in _SEARCHED)}, policies.composition.*,"
                f" working.window_turns, fastmemo.max_chars and {RECIPE}",
                code="config",
            )
    recipe = given.get(RECIPE)
    if recipe is not None:
        recipe_named(recipe, after.rules.recipes)
    return Overridden(
        before=before, after=after, names=tuple(names), given=dict(given), recipe=recipe
    )


class _Replay(NamedTuple):
    """A past context as it was, and what it is chosen from under other rules."""

    recipe: Recipe
    package: ContextPackage
    asked: Overridden
    inputs: ContextInputs
    notes: list[Reason]


def replay_context(
    trace: Trace, overrides: object, *, tenant: OpenTenant, settings: Settings, by: Search
) -> ContextDiff:
    """Return what a past context would show otherwise under other rules."""
    old, package, asked, inputs, notes = _read_again(trace, overrides, tenant, settings, by)
    rules, recipe = asked.after.rules, inputs.request.recipe
    omitted: tuple[Reason, ...] = ()
    missing = dict.fromkeys(EvidenceSource, Reason("forgotten", "its words are gone since"))
    searches = asked.searches()
    if recipe.shows("evidence") and not old.shows("evidence"):
        searches.append(RECIPE)
    if searches and recipe.shows("evidence"):
        inputs, packet, missing, later = _search_again(inputs, tenant, rules, by)
        omitted = (*_changed(package, tenant), *packet.explain.omitted)
        notes.append(_live("searched_again", "memory was searched again", searches))
        notes += later
    elif asked.weights[0] != asked.weights[1]:
        found = score_again(inputs.contents.memories, *asked.weights, tenant.ports.blobs)
        inputs = replace(inputs, memories=found.candidates)
    made, choice = select(inputs, rules=rules, count=by.count(rules))
    why = why_selected(made, inputs.request, inputs.known)
    made = structs.replace(made, debug=structs.replace(made.debug, why_selected=why))
    reasons = why_left(package, inputs, made, choice, omitted=omitted, missing=missing)
    return diff_contexts(
        Side(package=package, tokens=trace.body["tokens"]),
        Side(
            package=made,
            tokens=slot_tokens(made, by.count(rules).plain),
            reasons=tuple(reasons),
        ),
        overrides=asked.given,
        live=any(note.type == "live" for note in notes),
        notes=tuple(notes),
    )


def _read_again(
    trace: Trace, overrides: object, tenant: OpenTenant, settings: Settings, by: Search
) -> _Replay:
    """Return a past context, and what it was chosen from as another recipe or limit reads it."""
    blobs = tenant.ports.blobs
    with tenant.ports.truth.read() as rows:
        kept = KeptContext(trace, rows)
        asked = read_overrides(kept, overrides, settings)
        before, rules = asked.before.rules, asked.after.rules
        inputs = kept.inputs(blobs, before)
        package, _ = package_of(kept, inputs, rules=before, count=by.count(before))
        notes, request = _gone(kept), inputs.request
        old = request.recipe
        if asked.recipe is not None:
            request = replace(request, recipe=recipe_named(asked.recipe, rules.recipes))
            notes += _not_kept(old.slots, request.recipe.slots)
        if _LIMIT in asked.names:
            request = replace(request, limit=rules.policies.composition.token_limit)
        contents, reads = inputs.contents, asked.reads()
        if reads or request.recipe != old:
            names = [*reads, *([RECIPE] if request.recipe != old else [])]
            notes.append(_live("read_again", "turns were read again", names))
            contents = replace(contents, recent=kept.read_turns(request, blobs, rules))
            if any(map(old.shows, _BOARD)):
                contents = _with_notes(contents, request, rows, rules)
    return _Replay(old, package, asked, replace(inputs, request=request, contents=contents), notes)


def _gone(kept: KeptContext) -> list[Reason]:
    """Return a note if some of what a context was chosen from was forgotten."""
    sentence = f"the words of {kept.gone} things that it was chosen from are gone since"
    return [Reason("forgotten", sentence)] if kept.gone else []


def _with_notes(
    contents: SlotContents, request: ComposeRequest, rows: Transaction, rules: Rules
) -> SlotContents:
    """Return contents with the notes of then that stand beside the calls which are told now.

    If some of them were folded into others since, they are left as they were.
    """
    sheet = read_sheet(notebook_of(request.session_id), rows=rows)
    notes = [note for note in notes_of(sheet) if note.at <= request.now]
    kept = {note.id: note for note in contents.governed.notebook}
    if not kept.keys() <= {note.id for note in notes}:
        return contents
    told = [call.id for turn in contents.recent.turns for call in turn.tool_calls]
    shown = shown_notes(notes[-rules.notebook.max_notes :], told, rules.notebook)
    entries = tuple(kept.get(one.id) or NotebookEntry.from_dict(one.to_dict()) for one in shown)
    return replace(contents, governed=structs.replace(contents.governed, notebook=entries))


def _search_again(
    inputs: ContextInputs, tenant: OpenTenant, rules: Rules, by: Search
) -> tuple[ContextInputs, MemoryPacket, dict[EvidenceSource, Reason], list[Reason]]:
    """Return inputs with what is found now of what was stored then, and what to mind.

    Between them, why evidence of each source may be missing.
    """
    request, ports = inputs.request, tenant.ports
    roomy = replace(rules, packet=rules.packet.for_context(request.limit))
    question, whom = asked_of(request, tenant, roomy)
    # What a turn in progress has asked since is not what was asked then.
    text = question.text if request.message else inputs.cues.text
    question = replace(question, text=text, stored_by=request.now)
    found, packet = by.recalling.brought(question, whom, tenant, roomy)
    with ports.truth.read() as now:
        rows = past_rows(now, (), request.now)
        memories = read_memories(request, found, packet, rows=rows, blobs=ports.blobs, rules=rules)
    documents = find_documents(found, by.ask, request, rules)
    missing = dict.fromkeys(EvidenceSource, Reason("not_found", "the search does not bring it"))
    sentence = (
        "what was replaced or forgotten since is not found any more, and the rules of searching"
        " that are not overridden are those of now"
    )
    notes = [Reason("as_it_stands", sentence)]
    if documents.pack is not None:
        notes.append(Reason("documents_of_now", "documents were searched as they are now"))
    else:
        notes += documents.ignored
    missing[EvidenceSource.RESOURCE] = why_no_document(documents.planner, documents.ignored)
    resources = resource_candidates(documents.pack)
    judge = by.recalling.judge(rules)
    judged = judge_together(memories.candidates, resources, found.cues.text, judge)
    made = replace(
        inputs,
        contents=replace(inputs.contents, memories=memories),
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
        trace = self._trace(context_id, tenant, settings)
        with tenant.ports.truth.read() as rows:
            return explain_context(KeptContext(trace, rows))

    def why(
        self, context_id: object, expect: str, tenant: OpenTenant, settings: Settings
    ) -> Explanation:
        """Return why something is in a context, or is not."""
        trace = self._trace(context_id, tenant, settings)
        kept, inputs, rules = self._read(trace, tenant, settings)
        package, choice = select(inputs, rules=rules, count=self._search.count(rules))
        answered = answered_by(kept, inputs, package, choice)
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
        notes: list[Reason] = []
        sides = []
        for trace in [self._trace(one, tenant, settings) for one in (context_id, other_id)]:
            kept, inputs, rules = self._read(trace, tenant, settings)
            made = package_of(kept, inputs, rules=rules, count=self._search.count(rules))
            sides.append((kept, inputs, *made))
            notes += _gone(kept)
        (before, _, first, _), (after, inputs, second, choice) = sides
        if first.session_id != second.session_id:
            sentence = f"sessions {first.session_id} and {second.session_id}"
            notes.append(Reason("other_session", sentence))
        memory = Reason("not_found", "recall does not bring it for this one")
        document = why_no_document(second.debug.planner, second.debug.ignored)
        missing = {EvidenceSource.MEMORY: memory, EvidenceSource.RESOURCE: document}
        reasons = why_left(first, inputs, second, choice, omitted=after.omitted, missing=missing)
        return diff_contexts(
            Side(package=first, tokens=before.body["tokens"]),
            Side(package=second, tokens=after.body["tokens"], reasons=tuple(reasons)),
            other_id=second.context_id,
            notes=tuple(notes),
        )

    def _read(
        self, trace: Trace, tenant: OpenTenant, settings: Settings
    ) -> tuple[KeptContext, ContextInputs, Rules]:
        """Return a trace that is read back, what it was chosen from, and by which rules."""
        with tenant.ports.truth.read() as rows:
            kept = KeptContext(trace, rows)
            rules = with_overrides(settings, kept.rules).rules
            return kept, kept.inputs(tenant.ports.blobs, rules), rules

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
        return trace
