"""Asking the arms: beside each other, under one deadline, each with its time and health (R3, R4).

In: a question, its cues and its plan. Out: what each arm found, and a report of every arm. An arm
that fails, is late or is off costs only its own hits; the graph goes last, from what the others
found. Arms that take no time share a thread; whoever is slow loses it, and the others go on. One
that has not come back from earlier questions is not asked; one that is damaged is opened again.
"""

from __future__ import annotations

import dataclasses
import logging
from collections import deque
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from msgspec.structs import replace

from smartbrain.domain.graph import NodeKind
from smartbrain.domain.memory_type import Group, MemoryType
from smartbrain.domain.plan import RetrievalPlan
from smartbrain.domain.policy_recall import RecallRules
from smartbrain.domain.recall import ArmReport, ArmVerdict, Cues, Intent
from smartbrain.domain.search import IndexFilter, Scored, TextQuery
from smartbrain.domain.status import ArmState
from smartbrain.errors import SmartBrainError
from smartbrain.ports.bundle import Ports
from smartbrain.ports.telemetry import log_fault
from smartbrain.recall.arms import attribute, graph, raw, text, time, vector
from smartbrain.recall.plan import ASKING
from smartbrain.recall.relevance import TermCounts
from smartbrain.recall.request import Question, RecallRequest, RecallTools, Run
from smartbrain.recall.views.view import View
from smartbrain.text.query import text_query
from smartbrain.text.tokenise import says_something

_log = logging.getLogger(__name__)
TEXT: Final = "text"
FACTS: Final = "facts"
LABELS: Final = "labels"
TIME: Final = "time"
DAYS: Final = "days"
ATTRIBUTES: Final = "attributes"
RAW: Final = "raw"
EXACT: Final = "exact"
PASSAGES: Final = "passages"
GRAPH: Final = "graph"
VECTOR: Final = "vector"
_NAMES: Final = "names"
_BEGINNINGS: Final = "beginnings"
_ALIASES: Final = "aliases"
_WIDER: Final = "wider"
_COUNTS: Final = "counts"
SESSIONS: Final = "sessions"
# Reported only if they do not answer.
_SILENT: Final = frozenset((FACTS, _NAMES, _BEGINNINGS, _ALIASES, _WIDER, _COUNTS, SESSIONS))
_NAME: Final = 0.8  # what a name counts that the message has another one for
_SEEDS: Final = 20
_FACTS: Final = 24  # that are looked for by themselves
_SENTENCE: Final = 200
_FIRST: Final = 0.7  # of the deadline; the rest is for the arms that begin where the first end
_SECOND: Final = 0.8  # of the deadline, for whom names stand for
_PATIENCE: Final = 0.005  # seconds; how long arms may share a thread before the rest leave it


@dataclass(slots=True)
class Gathered:
    """What the arms found, by arm, best first; `passages` are the originals behind episodes.

    `names` are those of what the message calls by another name, `counts` tell how many memories
    hold its words, where that was asked for and the index answered; `sessions` tell how well each
    session as a whole does.
    """

    found: dict[str, list[Scored]] = field(default_factory=dict)
    passages: dict[int, int] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    counts: TermCounts | None = None
    sessions: Mapping[str, float] = field(default_factory=dict)
    reports: list[ArmReport] = field(default_factory=list)

    def rare(self, share: float | None) -> frozenset[str]:
        """Return the words of the message that few memories hold, at most a share of them."""
        return frozenset() if self.counts is None or share is None else self.counts.rare(share)

    def report(self, name: str) -> ArmReport | None:
        """Return what became of an arm, or of the first of its kind."""
        return next((one for one in self.reports if one.name.split(":")[0] == name), None)


def gather(
    request: RecallRequest,
    cues: Cues,
    plan: RetrievalPlan,
    *,
    tools: RecallTools,
    ports: Ports,
    rules: RecallRules,
) -> Gathered:
    """Ask every arm that can answer: first those that search, then those that go on from there."""
    only, k = text.filter_of(request), plan.budget.candidate_k
    question = Question(
        request=request,
        cues=cues,
        query=text.query_of(plan, cues),
        only=only,
        k=k,
        tools=tools,
        ports=ports,
        rules=rules,
    )
    arms = _Arms(question)
    _ask_searching(arms, question)
    with_graph = arms.can_ask(GRAPH, GRAPH, off=not rules.graph.enabled or not request.k_hop)
    if with_graph:
        arms.ask(_NAMES, partial(graph.find_named, cues, truth=ports.truth))
        if request.narrowed and TEXT in arms.asked:
            # What was asked for may be beside what is found, and only there.
            arms.ask_text(_BEGINNINGS, question.query, replace(only, types=()), _SEEDS)
    labels = LABELS in arms.asked
    found = arms.answers(_FIRST)
    counts, beginnings = found.pop(_COUNTS, None), found.pop(_BEGINNINGS, [])
    sessions = found.pop(SESSIONS, {})
    found[EXACT], passages = found.pop(EXACT, ([], {}))
    seeds, question, names = _follow_names(arms, question, found)
    if TEXT not in found and not labels:
        arms.ask(LABELS, partial(graph.search_labels, question))
    _ask_originals(arms, question, found.get(TEXT))
    if with_graph:
        seeds = graph.seeds_of(seeds, [*found.values(), beginnings], most=_SEEDS)
        _ask_graph(arms, seeds, hops=request.k_hop, k=k * (2 if request.narrowed else 1))
    later = arms.answers(1.0)
    if _WIDER in later:  # it looks for all that the message says, and these names
        found[TEXT] = later.pop(_WIDER)
        sentence = f"it answered, also for {', '.join(names)}"[:_SENTENCE]
        arms.remark(TEXT, "aliases", sentence, hits=len(found[TEXT]))
    if rules.graph.use_l2 and GRAPH in later:
        later[GRAPH], there = later[GRAPH]
        if not there:
            arms.remark(GRAPH, "no_l2", "the graph has no layer of concepts; it goes by memories")
    if RAW in later:
        later[RAW], originals = later[RAW]
        passages = {**originals, **passages}
    hits = {name: some for name, some in {**found, **later}.items() if some}
    return Gathered(hits, passages, names, counts, sessions, arms.reports)


def _follow_names(
    arms: _Arms, question: Question, found: dict[str, Any]
) -> tuple[dict[int, float], Question, tuple[str, ...]]:
    """Return what is named as seeds, the question with what that is also called, and these names.

    Memories are looked for by these names as well.
    """
    seeds, unknown = found.pop(_NAMES, ({}, ()))
    if not unknown or not (TEXT in found or LABELS in found):
        return seeds, question, ()
    by_words = question.tools.follower if TEXT in found else None
    owners = partial(graph.find_owners, unknown, follower=by_words, truth=question.ports.truth)
    arms.ask(_ALIASES, owners)
    more, names = arms.answers(_SECOND).get(_ALIASES, ({}, ()))
    if names and TEXT in found:
        wider = text_query("", expansions=[(name, _NAME) for name in names], said=True)
        query, faint = question.query, question.query.faint | wider.faint
        query = dataclasses.replace(query, terms=(*query.terms, *wider.terms), faint=faint)
        question = dataclasses.replace(question, query=query)
        arms.ask_text(_WIDER, query, question.only, question.k)
    return seeds | more, question, names


def _ask_searching(arms: _Arms, question: Question) -> None:
    """Ask the arms that need nothing but the message: for its words, its times, its meaning."""
    request, cues, only, rules = question.request, question.cues, question.only, question.rules
    if arms.can_ask(TEXT, TEXT, off=not rules.use_node_index):
        # Who recalls wants what there is; a packet is made for any message, small talk as well.
        is_question, is_chat = cues.intent is Intent.QA, cues.intent is Intent.CHIT_CHAT
        faintly = not is_chat if request.rare_share is None else is_question
        arms.ask_text(TEXT, question.query, only, question.k, faintly=faintly)
        facts = [kind.name for kind in question.ports.types if kind.group is Group.FACTS]
        facts = [name for name in facts if name in request.types]
        if facts and len(facts) < len(request.types):
            # A turn that is told of over and over would crowd out what was decided about it.
            arms.ask_text(FACTS, question.query, replace(only, types=tuple(facts)), _FACTS)
        if request.rare_share is not None:
            arms.ask(_COUNTS, partial(text.count_terms, question), view=TEXT)
        if getattr(rules.profiles, rules.profile).session and text.is_about_more(cues):
            arms.ask(SESSIONS, partial(text.search_sessions, question), view=TEXT)
    else:
        arms.ask(LABELS, partial(graph.search_labels, question))
    if cues.codes or cues.phrases:  # what is named as it stands is told by nothing else
        used = ((TEXT, rules.use_node_index), (PASSAGES, rules.raw.enabled))
        views = tuple(
            name for name, on in used if on and question.tools.follower.get(name) is not None
        )
        exactly = partial(text.search_exact, question, views)
        arms.ask(EXACT, exactly, view=views[0] if views else "")
    elif cues.attributes and cues.asking >= ASKING:
        arms.ask(ATTRIBUTES, partial(attribute.search_attributes, question))
    for arm in question.tools.vectors:
        name, words = f"{VECTOR}:{arm.embedder.name}", vector.words_for(arm, cues)
        if not says_something(words):
            sentence = "the message says nothing in a language that it reads"
            arms.note(name, ArmVerdict.SKIPPED, "no_words", sentence)
        elif arms.can_ask(name, arm.view):
            near = partial(vector.search_meaning, words, arm, only, _types_apart(question))
            arms.ask(name, partial(near, follower=question.tools.follower), view=arm.view)
    if cues.ahead or cues.times:
        arms.ask(DAYS, partial(time.search_days, question), view=TEXT)
    if cues.times:
        arms.ask(TIME, partial(time.search_times, question), view=TEXT)
    else:
        sentence = f"the message speaks of no {'past ' if cues.ahead else ''}time"
        arms.note(TIME, ArmVerdict.SKIPPED, "no_time", sentence)


def _types_apart(question: Question) -> list[tuple[tuple[str, ...], int]]:
    """Return types whose vectors are searched together, and how many are read of them.

    What happened is searched by itself: the many short memories that are made of a turn are nearer
    to any question than the turn, and would crowd it out.
    """
    request, near = question.request, question.rules.vector.per_kind
    groups: dict[bool, list[MemoryType]] = {}
    for kind in question.ports.types:
        if not request.types or kind.name in request.types:
            groups.setdefault(kind.node_kind is NodeKind.EPISODE, []).append(kind)
    return [
        (
            tuple(kind.name for kind in group),
            max(request.k, *(near.get(kind.node_kind, question.k) for kind in group)),
        )
        for group in groups.values()
    ]


def _ask_originals(arms: _Arms, question: Question, by_words: list[Scored] | None) -> None:
    rules = question.rules.raw
    if not rules.enabled:
        arms.note(RAW, ArmVerdict.OFF, "disabled", "recall.raw.enabled is false")
    elif not question.query.terms or not raw.needs_originals(
        question.cues, by_words, rules.trigger
    ):
        arms.note(RAW, ArmVerdict.SKIPPED, "not_needed", "memories answer well enough")
    elif arms.can_ask(RAW, PASSAGES):
        search = partial(raw.search_originals, question, question.query, rules.top_k)
        arms.ask(RAW, search, view=PASSAGES)


def _ask_graph(arms: _Arms, seeds: Mapping[int, float], *, hops: int, k: int) -> None:
    if not seeds:
        arms.note(GRAPH, ArmVerdict.SKIPPED, "no_seeds", "nothing is named and nothing was found")
        return
    rules = arms.rules.graph
    spread = graph.spread_over_concepts if rules.use_l2 else graph.spread
    search = partial(spread, seeds, follower=arms.tools.follower, hops=hops)
    arms.ask(GRAPH, partial(search, rules=rules, k=k), view=GRAPH)


Waiting = tuple[str, Callable[[], None]]
"""An arm that has not begun: its name, and what is to be done."""


class ArmLine:
    """Arms that one thread runs one after the other: to hand over each costs more than most do."""

    def __init__(self, timer: Callable[[], float]) -> None:
        self._timer = timer
        self.waiting: deque[Waiting] = deque()
        self.asked: dict[str, float] = {}
        self.answers: dict[str, Any] = {}
        self.took: dict[str, float] = {}

    def answer(self, name: str, arm: Callable[[], Any]) -> None:
        """Run an arm, and keep what it found and how long it took."""
        start = self._timer()
        try:
            answer = arm()
        finally:
            self.took[name] = self._timer() - start
        self.answers[name] = answer

    def run_for(self, seconds: float, run: Run) -> dict[str, Future[Any]]:
        """Run the arms that wait, for some seconds; then what has not begun, each by itself.

        So one that is slow, stuck or fails holds up the others no longer than that. Those who wait
        later are none of its thread's business, which may still be at work then.
        """
        waiting, self.waiting = self.waiting, deque()
        names = [name for name, _ in waiting]
        if not names:
            return {}
        together = run(partial(_take_each, waiting, lambda _, work: work()))
        with suppress(TimeoutError):
            together.exception(seconds)
        together.cancel()
        alone: dict[str, Future[Any]] = {}
        _take_each(waiting, lambda name, work: alone.update({name: run(work)}))
        return {name: alone.get(name, together) for name in names}

    def report(self, name: str, future: Future[Any], seconds: float) -> ArmReport:
        """Wait for an arm, and tell what became of it; one that is late is left to itself."""
        verdict, code, reason, hits = ArmVerdict.OK, "ok", "it answered", 0
        if name not in self.answers:
            try:
                failure = future.exception(seconds)
            except TimeoutError:
                verdict, code = ArmVerdict.LATE, "late"
                reason = "it did not answer in time; the others went on without it"
            else:
                if failure is not None:
                    verdict, (code, reason) = ArmVerdict.FAILED, _failure(name, failure)
        if verdict is ArmVerdict.OK:
            answer = self.answers[name]
            hits = len(answer[0] if isinstance(answer, tuple) else answer)
        took = self.took.get(name)
        if took is None:  # it has not ended: how long it was waited for
            took = self._timer() - self.asked.get(name, self._timer())
        took_ms = round(took * 1000, 3)
        return ArmReport(
            name=name, verdict=verdict, code=code, reason=reason, hits=hits, took_ms=took_ms
        )


def _take_each(waiting: deque[Waiting], do: Callable[[str, Callable[[], None]], None]) -> None:
    """Do something with the arms that no other thread has taken, one by one."""
    while True:
        try:
            name, work = waiting.popleft()
        except IndexError:
            return
        do(name, work)


def _failure(name: str, failure: BaseException) -> tuple[str, str]:
    """Return the code and the sentence of a failure; a defect costs no more than the arm's hits."""
    if isinstance(failure, SmartBrainError):
        return failure.code, failure.message
    if not isinstance(failure, Exception):
        raise failure  # it tells the process to end
    log_fault(_log, f"the arm {name} of recall failed", failure)
    return "internal", " ".join(f"{type(failure).__name__}: {failure}".split())[:_SENTENCE]


class _Arms:
    """The arms that were asked, and what became of them."""

    def __init__(self, question: Question) -> None:
        self.tools = tools = question.tools
        self.rules = question.rules
        self.reports = list(tools.unasked)
        self._began = tools.timer()
        self._line = ArmLine(tools.timer)
        self._views: dict[str, tuple[str, View | None]] = {}
        self.asked: dict[str, Future[Any] | None] = {}

    def can_ask(self, name: str, view: str, *, off: bool = False) -> bool:
        """Tell whether an arm can be asked; else note why not."""
        if any(name == one.name for one in self.tools.unasked):
            return False
        if off:
            self.note(name, ArmVerdict.OFF, "disabled", "it is switched off")
            return False
        if self.tools.follower.get(view) is None:
            place = self.tools.follower.place(view)
            hurt = place.state is ArmState.FAILED
            verdict = ArmVerdict.FAILED if hurt else ArmVerdict.NOT_READY
            self.note(name, verdict, place.code, place.reason)
            return False
        return True

    def note(self, name: str, verdict: ArmVerdict, code: str, reason: str) -> None:
        """Keep what became of an arm that was not asked."""
        self.reports.append(ArmReport(name=name, verdict=verdict, code=code, reason=reason))

    def remark(self, name: str, code: str, reason: str, hits: int | None = None) -> None:
        """Say more of an arm that answered."""
        self.reports = [
            replace(one, code=code, reason=reason, hits=one.hits if hits is None else hits)
            if one.name == name
            else one
            for one in self.reports
        ]

    def ask_text(
        self, name: str, query: TextQuery, only: IndexFilter, k: int, *, faintly: bool = False
    ) -> None:
        """Have memories looked for by words."""
        search = partial(text.search_text, query, only, follower=self.tools.follower, k=k)
        self.ask(name, partial(search, faintly=faintly), view=TEXT)

    def ask(self, name: str, arm: Callable[[], Any], view: str = "") -> None:
        """Have an arm asked: one that waits for a model begins at once, others in a line."""
        if self.tools.overdue.busy(self._who(name)):
            sentence = "it has not come back from earlier questions, and is not asked until it does"
            self.note(name, ArmVerdict.LATE, "busy", sentence)
            return
        if view:
            self._views[name] = view, self.tools.follower.get(view)
        work = partial(self._line.answer, name, arm)
        self._line.asked[name] = self.tools.timer()
        if name.startswith(VECTOR):
            self.asked[name] = self.tools.run_model(name, work)
        else:
            self.asked[name] = None
            self._line.waiting.append((name, work))

    def _who(self, name: str) -> Hashable:
        """Return under which name an arm is overdue: a model serves all tenants."""
        return name if name.startswith(VECTOR) else (self.tools.tenant, name)

    def answers(self, share: float) -> dict[str, Any]:
        """Return what the arms that were asked have found in a share of the time."""
        found = {}
        deadline = self._began + share * self.rules.patience
        of_models = self._began + self.rules.vector.deadline_ms / 1000
        line = self._line
        running = line.run_for(_PATIENCE, self.tools.run)
        for name, future in self.asked.items():
            last = min(deadline, of_models) if name.startswith(VECTOR) else deadline
            left = max(0.0, last - self.tools.timer())
            work = future or running[name]
            report = line.report(name, work, left)
            if report.verdict is ArmVerdict.LATE:
                self.tools.overdue.give_up(self._who(name), work)
            if report.code == "corrupt" and name in self._views:
                self.tools.follower.doubt(*self._views[name], report.reason)
            if name not in _SILENT or report.verdict is not ArmVerdict.OK:
                self.reports.append(report)
            if report.verdict is ArmVerdict.OK:
                found[name] = line.answers[name]
        self.asked.clear()
        return found
