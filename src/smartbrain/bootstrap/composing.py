"""The compose path of a root, put together: contexts made, kept, and looked back at (S6).

In: what a caller asks for, an open tenant, the rules of a handle. Out: packages; explanations and
diffs of past ones. Traces and the times at which memories were shown are written afterwards, many
at once, by a background thread. What was kept is ranked, budgeted and rendered again; only an
override that asks for what was never read searches again, over rows that are no newer than the
trace, and the diff says so. Loaded by the first call that composes.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from msgspec import structs

from smartbrain.adapters.models.given import GivenResources
from smartbrain.adapters.splintr_counter import token_counter
from smartbrain.bootstrap.background import Background, Threaded
from smartbrain.bootstrap.sources import check_at_opening
from smartbrain.compose.candidates import resource_candidates
from smartbrain.compose.counting import PricedCounter
from smartbrain.compose.documents import Outside, find_documents, judge_together, why_no_document
from smartbrain.compose.pipeline import Composition, compose
from smartbrain.compose.replay import (
    Side,
    answered_by,
    diff_contexts,
    explain_context,
    seen_in,
    why_left,
)
from smartbrain.compose.request import ComposeRequest, message_text, read_agent_state, read_message
from smartbrain.compose.select import select
from smartbrain.compose.shown import why_selected
from smartbrain.compose.slots import read_memories
from smartbrain.compose.trace import (
    KeptContext,
    package_of,
    past_rows,
    score_again,
    shown_texts,
    slot_tokens,
    trace_of,
)
from smartbrain.domain.audience import Shown
from smartbrain.domain.context import EvidenceSource, NotebookEntry
from smartbrain.domain.context_messages import prefix_share
from smartbrain.domain.memory import Status
from smartbrain.domain.metrics import PREFIX_SHARE
from smartbrain.domain.reason import Reason
from smartbrain.domain.recipe import recipe_named
from smartbrain.domain.turn import Role
from smartbrain.errors import NotFound, SmartBrainError, UsageError
from smartbrain.govern.pins import notebook_of, notes_of, shown_notes
from smartbrain.govern.short_term import with_texts
from smartbrain.govern.trail import read_sheet
from smartbrain.recall.request import PacketOptions, RecallRequest
from smartbrain.remember.arguments import read_id, read_optional_id
from smartbrain.settings import Settings, explain, with_overrides
from smartbrain.text.tokens import EstimatedTokens

if TYPE_CHECKING:
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.bootstrap.recalling import Recalling
    from smartbrain.compose.counting import Count
    from smartbrain.compose.documents import AskDocuments
    from smartbrain.compose.select import ContextInputs
    from smartbrain.compose.slots import SlotContents
    from smartbrain.domain.context import ContextPackage
    from smartbrain.domain.context_diff import ContextDiff
    from smartbrain.domain.evidence import EvidencePack
    from smartbrain.domain.explanation import Explanation
    from smartbrain.domain.job import Trace
    from smartbrain.domain.packet import MemoryPacket
    from smartbrain.domain.plan import RetrievalPlan
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.policy_recall import ScoreRules
    from smartbrain.domain.recipe import Recipe
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.resources import Resources
    from smartbrain.ports.token_counter import TokenCounter
    from smartbrain.ports.truth import Transaction

_log: Final = logging.getLogger(__name__)
_SOON: Final = 0.1  # seconds in which traces are gathered before they are written
_OVER: Final = 10  # at most a tenth more traces than allowed are kept for a while
_PRUNED_EVERY: Final = 100  # traces
_MOST_TOKENS: Final = 10_000_000
_SHORT: Final = 2_000  # characters of a text whose tokens are counted once, of many such
_LONGER: Final = 50_000  # of few: the last turns come again
_LATEST: Final = 64  # contexts whose answers may come before they are written
_ASKED: Final = (6_000, 2_000)  # characters at the ends of a long message that are looked for
Lease = Callable[..., AbstractContextManager["OpenTenant"]]
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


def _ask_documents(resources: Resources | None, background: Background) -> AskDocuments | None:
    """Return how documents are asked; None where there are none."""
    if resources is None:
        return None
    given = GivenResources(resources)

    def ask(plan: RetrievalPlan, seconds: float) -> EvidencePack:
        answer = background.outside(partial(given.retrieve, plan))
        try:
            return answer.result(seconds)
        finally:
            answer.cancel()  # one that has not even begun is not request any more

    return ask


class Composing:
    """Contexts with the models and threads of one root."""

    def __init__(
        self,
        recalling: Recalling,
        background: Background,
        lease: Lease,
        *,
        resources: Resources | None,
    ) -> None:
        self.recalling = recalling
        self.documents = _ask_documents(resources, background)
        self._kept = _Keeping(background, lease)
        self._counts: dict[str, PricedCounter] = {}

    def read(
        self, given: dict[str, Any], now: datetime, rules: Rules, *, message: object, state: object
    ) -> ComposeRequest:
        """Read what a caller asks for at some time."""
        system, developer = read_agent_state(state)
        limit = given["token_limit"]
        if limit is None:
            limit = rules.policies.composition.token_limit
        if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= _MOST_TOKENS:
            raise UsageError(
                f"token_limit is a whole number from 1 to {_MOST_TOKENS}, not {limit!r:.60}"
            )
        return ComposeRequest(
            session_id=read_id(given["session_id"], "session_id"),
            message=read_message(message),
            recipe=recipe_named(given["recipe"], rules.recipes),
            audience=given["audience"],
            limit=limit,
            now=now,
            turn_id=read_optional_id(given["turn_id"], "turn_id"),
            run_id=read_optional_id(given["run_id"], "run_id"),
            system=system,
            developer=developer,
        )

    def compose(self, request: ComposeRequest, tenant: OpenTenant, rules: Rules) -> ContextPackage:
        """Return the context of one model call, and have what was decided kept."""
        roomy = replace(rules, packet=rules.packet.for_context(request.limit))
        asked = make_recall_request(request, tenant, roomy)
        made = compose(
            request,
            self.recalling.packet(*asked, tenant, roomy),
            ports=tenant.ports,
            rules=rules,
            count=self.count(rules),
            outside=Outside(self.documents, self.recalling.judge(rules)),
        )
        made = self._with_prefix_share(made, tenant.name)
        self._kept.add(tenant.name, Kept(made, rules, self.count(rules).plain))
        return made.package

    def _with_prefix_share(self, made: Composition, tenant: str) -> Composition:
        """Note how much of a request begins as the last one of its session did (R22)."""
        package = made.package
        before = self._kept.latest(tenant, package.session_id, None)
        if before is None:
            return made
        share = prefix_share(before, package)
        self.recalling.observe(tenant, PREFIX_SHARE, share)
        debug = structs.replace(
            package.debug, planner={**package.debug.planner, "prefix_share": share}
        )
        return replace(made, package=structs.replace(package, debug=debug))

    def flush(self) -> None:
        """Write what waits to be kept."""
        self._kept.flush()

    def close(self) -> None:
        """Write what waits to be kept, and end the thread that looks for it."""
        self._kept.flush()
        self._kept.rest()

    def shown(self, tenant: str, session_id: str, context_id: str | None) -> Shown | None:
        """Return what a context of late showed; None for one that is not known.

        Without an id it is the last one of the session.
        """
        package = self._kept.latest(tenant, session_id, context_id)
        return None if package is None else Shown(texts=tuple(shown_texts(package)))

    def count(self, rules: Rules) -> PricedCounter:
        """Return how tokens are counted; texts that come again are counted once."""
        name = rules.policies.composition.tokenizer
        if name not in self._counts:
            plain = _counting(token_counter(rules.policies.composition))
            self._counts[name] = PricedCounter(plain, estimated=name == EstimatedTokens.name)
        return self._counts[name]


class Kept(NamedTuple):
    """A composition, the rules it was made under, and how its tokens are counted."""

    made: Composition
    rules: Rules
    count: Count


class _Keeping(Threaded):
    """What waits to be written of the contexts that were composed, tenant by tenant."""

    def __init__(self, background: Background, lease: Lease) -> None:
        self._background = background
        self._lease = lease
        self._latest: deque[tuple[str, ContextPackage]] = deque()
        super().__init__()

    def begin(self) -> None:
        """Start with nothing that waits: in a child that is the parent's to write."""
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._waiting: dict[str, list[Kept]] = {}
        self._timer: threading.Timer | None = None
        self._unwritten: set[str] = set()
        self._written: dict[str, int] = {}

    def add(self, tenant: str, one: Kept) -> None:
        """Have a composition written soon, with others."""
        with self._lock:
            self._waiting.setdefault(tenant, []).append(one)
            self._latest.appendleft((tenant, one.made.package))
            self._unwritten.add(one.made.package.context_id)
            if self._timer is None:
                self._timer = threading.Timer(_SOON, self._flush_beside)
                self._timer.name, self._timer.daemon = "smartbrain-traces", True
                self._timer.start()

    def latest(self, tenant: str, session_id: str, context_id: str | None) -> ContextPackage | None:
        """Return a context of late by its id, or the last one of a session."""
        with self._lock:
            latest = [package for owner, package in self._latest if owner == tenant]
        for one in latest:
            if context_id == one.context_id or (
                context_id is None and one.session_id == session_id
            ):
                return one
        return None

    def flush(self) -> None:
        """Write everything that waits; what cannot be written is lost, and that is said.

        What another thread is just writing is written when this returns.
        """
        with self._writing:
            with self._lock:
                waiting, self._waiting = self._waiting, {}
            for tenant, some in waiting.items():
                try:
                    self._write(tenant, some)
                except SmartBrainError as error:
                    _log.warning("%d traces of %s are lost: %s", len(some), tenant, error.message)
                finally:
                    self._settle([one.made.package.context_id for one in some])

    def _settle(self, written: Sequence[str]) -> None:
        """Let go of contexts whose answers find them in the storage by now."""
        with self._lock:
            self._unwritten.difference_update(written)
            while len(self._latest) > _LATEST:
                if self._latest[-1][1].context_id in self._unwritten:
                    break
                self._latest.pop()

    def rest(self) -> None:
        """Write nothing more until there is more."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None

    def _flush_beside(self) -> None:
        with self._lock:
            self._timer = None  # what comes from now on has a timer of its own
        with suppress(RuntimeError):  # the process ends unclosed: as after a crash, traces are lost
            self._background.soon(self.flush)

    def _write(self, tenant: str, waiting: list[Kept]) -> None:
        with self._lease(tenant, create=False) as opened:
            with opened.ports.truth.read() as rows:
                traces = [
                    trace_of(*one, rows=rows)
                    for one in waiting
                    if one.rules.policies.observability.trace
                ]
            self._put(tenant, waiting, traces, opened.ports)

    def _put(self, tenant: str, waiting: list[Kept], traces: list[Trace], ports: Ports) -> None:
        seen = self._written.get(tenant)
        with ports.truth.write() as rows:
            for one in waiting:
                if one.made.shown:
                    rows.composed.accessed(one.made.shown, one.made.inputs.request.now)
            forgotten = rows.forgettings.receipts(last=1)
            for trace in traces:  # one from before a forgetting may hold its words
                if not forgotten or trace.created_at > forgotten[0].asked_at:
                    rows.working.put_trace(trace)
            last = waiting[-1]
            rules = last.rules.policies.observability
            often = min(_PRUNED_EVERY, rules.max_traces // _OVER)
            if seen is None or seen + len(traces) >= often:
                oldest = last.made.inputs.request.now - timedelta(days=rules.trace_days)
                rows.composed.prune_traces(oldest, rules.max_traces, rules.max_trace_bytes)
                seen = 0
        self._written[tenant] = seen + len(traces)


def _counting(counter: TokenCounter) -> Count:
    short = lru_cache(maxsize=8_192)(counter.count)
    longer = lru_cache(maxsize=128)(counter.count)

    def count(text: str) -> int:
        size = len(text)
        if size <= _SHORT:
            return short(text)
        return longer(text) if size <= _LONGER else counter.count(text)

    return count


def make_recall_request(
    request: ComposeRequest, tenant: OpenTenant, rules: Rules
) -> tuple[RecallRequest, PacketOptions]:
    """Return what memory is asked for a context, and for whom."""
    asked = RecallRequest(
        text=_query(request, tenant),
        now=request.now,
        k=rules.packet.max_per_type,
        k_hop=rules.recall.graph.k_hop,
        session_id=request.session_id,
    )
    return asked, PacketOptions(audience=request.audience, run_id=request.run_id, whole=True)


def _query(request: ComposeRequest, tenant: OpenTenant) -> str:
    """Return what memory is asked: the message, or what the user said in the turn in progress."""
    text = message_text(request.message)
    if request.message is None and request.turn_id is not None:
        ports = tenant.ports
        with ports.truth.read() as rows:
            turn = rows.events.turn(request.turn_id)
            said = [one for one in turn.messages if one.role is Role.USER][-1:]
            (turn,) = with_texts(
                [structs.replace(turn, messages=tuple(said))],
                transaction=rows,
                blobs=ports.blobs,
                outputs=False,
            )
        text = "".join(one.content for one in turn.messages)
    head, tail = _ASKED
    return text if len(text) <= head + tail else f"{text[:head]}\n{text[-tail:]}"


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
    trace: Trace, overrides: object, *, tenant: OpenTenant, settings: Settings, by: Composing
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
    trace: Trace, overrides: object, tenant: OpenTenant, settings: Settings, by: Composing
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
    inputs: ContextInputs, tenant: OpenTenant, rules: Rules, by: Composing
) -> tuple[ContextInputs, MemoryPacket, dict[EvidenceSource, Reason], list[Reason]]:
    """Return inputs with what is found now of what was stored then, and what to mind.

    Between them, why evidence of each source may be missing.
    """
    request, ports = inputs.request, tenant.ports
    roomy = replace(rules, packet=rules.packet.for_context(request.limit))
    question, whom = make_recall_request(request, tenant, roomy)
    # What a turn in progress has asked since is not what was asked then.
    text = question.text if request.message else inputs.cues.text
    question = replace(question, text=text, stored_by=request.now)
    recollection = by.recalling.packet(question, whom, tenant, roomy)
    found, packet, _ = recollection
    with ports.truth.read() as now:
        rows = past_rows(now, (), request.now)
        memories = read_memories(request, recollection, rows=rows, blobs=ports.blobs, rules=rules)
    documents = find_documents(found, by.documents, request, rules)
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
    with tenant.ports.truth.read() as rows:
        nums = rows.followed.numbers([one.id for one in package.evidence])
        stored = rows.recalled.rows(sorted(nums.values()))
    return [
        Reason("changed_since", f"since then it is {one.status.value}", id=one.id)
        for one in stored
        if one.status is not Status.ACTIVE
    ]


def _not_kept(old: tuple[str, ...], new: tuple[str, ...]) -> list[Reason]:
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

    def __init__(self, composing: Composing) -> None:
        self._composing = composing

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
        package, choice = select(inputs, rules=rules, count=self._composing.count(rules))
        answered = answered_by(kept, inputs, package, choice)
        told = self._composing.recalling.why(expect, answered, tenant, settings.rules)
        return structs.replace(seen_in(package, told), context_id=trace.context_id)

    def replay(
        self, context_id: object, overrides: object, tenant: OpenTenant, settings: Settings
    ) -> ContextDiff:
        """Return what a context would show otherwise under other rules."""
        trace = self._trace(context_id, tenant, settings)
        return replay_context(
            trace, overrides, tenant=tenant, settings=settings, by=self._composing
        )

    def diff(
        self, context_id: object, other_id: object, tenant: OpenTenant, settings: Settings
    ) -> ContextDiff:
        """Return what differs between two contexts."""
        notes: list[Reason] = []
        sides = []
        for trace in [self._trace(one, tenant, settings) for one in (context_id, other_id)]:
            kept, inputs, rules = self._read(trace, tenant, settings)
            made = package_of(kept, inputs, rules=rules, count=self._composing.count(rules))
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
