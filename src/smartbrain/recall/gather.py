"""Asking the arms: all at once, under one deadline, each with its own time and health (R3, R4).

In: a question, its cues and its plan. Out: what each arm found, and a report of every arm. An arm
that fails, is late or is off costs only its own hits; the graph goes last, from what the others
found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.recall import ArmReport, ArmVerdict
from smartbrain.domain.search import Scored
from smartbrain.errors import SmartBrainError
from smartbrain.recall.arms import links, meaning, originals, words

if TYPE_CHECKING:
    from smartbrain.domain.plan import RetrievalPlan
    from smartbrain.domain.policy_recall import RecallRules
    from smartbrain.domain.recall import Cues
    from smartbrain.domain.text_search import TextQuery
    from smartbrain.ports.bundle import Ports
    from smartbrain.recall.asked import Asked, Reach

TEXT: Final = "text"
LABELS: Final = "labels"
TIME: Final = "time"
RAW: Final = "raw"
GRAPH: Final = "graph"
VECTOR: Final = "vector"
_NAMES: Final = "names"
_SEEDS: Final = 20
_FEW: Final = 100


@dataclass(slots=True)
class Gathered:
    """What the arms found, by arm, best first; `passages` are the originals behind episodes."""

    found: dict[str, list[Scored]] = field(default_factory=dict)
    passages: dict[int, int] = field(default_factory=dict)
    reports: list[ArmReport] = field(default_factory=list)

    def report(self, name: str) -> ArmReport | None:
        """Return what became of an arm, or of the first of its kind."""
        return next((one for one in self.reports if one.name.split(":")[0] == name), None)


def gather(
    asked: Asked,
    cues: Cues,
    plan: RetrievalPlan,
    *,
    reach: Reach,
    ports: Ports,
    rules: RecallRules,
) -> Gathered:
    """Ask every arm that can answer: first those that search, then those that go on from there."""
    table = _Table(reach, rules)
    for name, code, reason in reach.off:
        table.note(name, ArmVerdict.OFF, code, reason)
    query = words.query_of(plan, cues)
    _ask_searching(table, asked, cues, query, k=plan.budget.candidate_k, ports=ports)
    graph = table.ready(GRAPH, GRAPH, off=not rules.graph.enabled or not asked.k_hop)
    if graph:
        table.ask(_NAMES, partial(links.named, cues, truth=ports.truth))
    found = table.answers()
    names = found.pop(_NAMES, {})
    _ask_originals(table, cues, query, found.get(TEXT), ports=ports)
    if graph:
        seeds = links.seeds_of(names, list(found.values()), most=_SEEDS)
        _ask_graph(table, seeds, hops=asked.k_hop, k=plan.budget.candidate_k)
    later = table.answers()
    episodes, passages = later.pop(RAW, ([], {}))
    if passages:
        later[RAW] = episodes
    return Gathered({**found, **later}, passages, table.reports)


def _ask_searching(
    table: _Table, asked: Asked, cues: Cues, query: TextQuery, *, k: int, ports: Ports
) -> None:
    """Ask the arms that need nothing but the question."""
    follower, only = table.reach.follower, words.only_of(asked)
    if table.ready(TEXT, TEXT, off=not table.rules.use_node_index):
        table.ask(TEXT, partial(words.search_text, query, only, follower=follower, k=k))
    else:
        table.ask(LABELS, partial(links.labelled, cues, truth=ports.truth, k=_FEW))
    for arm in table.reach.vectors:
        name = f"{VECTOR}:{arm.embedder.name}"
        if cues.text.strip() and table.ready(name, arm.view):
            search = partial(meaning.search_meaning, cues.text, arm, only)
            table.ask(name, partial(search, follower=follower, k=k))
    if not cues.times:
        table.note(TIME, ArmVerdict.SKIPPED, "no_time", "the message speaks of no time")
        return
    search = partial(words.search_times, query, asked, cues, by_words=table.rules.use_node_index)
    table.ask(TIME, partial(search, follower=follower, truth=ports.truth, k=_FEW))


def _ask_originals(
    table: _Table, cues: Cues, query: TextQuery, text: list[Scored] | None, *, ports: Ports
) -> None:
    """Look in the original words where memories may not do."""
    rules = table.rules.raw
    if not rules.enabled:
        table.note(RAW, ArmVerdict.OFF, "disabled", "recall.raw.enabled is false")
        return
    why = originals.wanted(cues, text, rules.trigger)
    if not why or not query.terms:
        table.note(RAW, ArmVerdict.SKIPPED, "not_needed", "memories answer well enough")
    elif table.ready(RAW, "passages"):
        search = partial(originals.search_originals, query, follower=table.reach.follower)
        table.ask(RAW, partial(search, truth=ports.truth, k=rules.top_k))


def _ask_graph(table: _Table, seeds: Mapping[int, float], *, hops: int, k: int) -> None:
    """Spread over the graph from what is named and what was found."""
    if not seeds:
        table.note(GRAPH, ArmVerdict.SKIPPED, "no_seeds", "nothing is named and nothing was found")
        return
    search = partial(links.spread, seeds, follower=table.reach.follower, hops=hops)
    table.ask(GRAPH, partial(search, rules=table.rules.graph, k=k))


class _Table:
    """The arms that were asked, and what became of them."""

    def __init__(self, reach: Reach, rules: RecallRules) -> None:
        self.reach = reach
        self.rules = rules
        self.reports: list[ArmReport] = []
        self._deadline = reach.timer() + rules.deadline_ms / 1000
        self._asked: dict[str, tuple[Future[Any], list[float]]] = {}

    def ready(self, name: str, view: str, *, off: bool = False) -> bool:
        """Tell whether an arm can be asked; else note why not."""
        if any(name == one[0] for one in self.reach.off):
            return False
        if off:
            self.note(name, ArmVerdict.OFF, "disabled", "it is switched off")
            return False
        if self.reach.follower.get(view) is None:
            place = self.reach.follower.place(view)
            self.note(name, ArmVerdict.NOT_READY, place.code, place.reason)
            return False
        return True

    def note(self, name: str, verdict: ArmVerdict, code: str, reason: str) -> None:
        """Keep what became of an arm that was not asked."""
        self.reports.append(ArmReport(name=name, verdict=verdict, code=code, reason=reason))

    def ask(self, name: str, arm: Callable[[], Any]) -> None:
        """Start an arm."""
        took: list[float] = []
        self._asked[name] = self.reach.run(partial(_timed, arm, self.reach.timer, took)), took

    def answers(self) -> dict[str, Any]:
        """Return what the arms that were asked have found, as far as there is time."""
        found = {}
        for name, (future, took) in self._asked.items():
            answer, report = self._answer(name, future, took)
            if name != _NAMES:
                self.reports.append(report)
            if report.verdict is ArmVerdict.OK:
                found[name] = answer
        self._asked.clear()
        return found

    def _answer(self, name: str, future: Future[Any], took: Sequence[float]) -> Any:
        """Wait for an arm; one that is late is left to itself."""
        left = max(0.0, self._deadline - self.reach.timer())
        try:
            failure = future.exception(left)
        except TimeoutError:
            future.cancel()
            sentence = "it did not answer in time; the others went on without it"
            return None, ArmReport(name=name, verdict=ArmVerdict.LATE, code="late", reason=sentence)
        if isinstance(failure, SmartBrainError):
            return None, ArmReport(
                name=name, verdict=ArmVerdict.FAILED, code=failure.code, reason=failure.message
            )
        if failure is not None:
            raise failure
        answer = future.result()
        hits = answer[0] if isinstance(answer, tuple) else answer
        return answer, ArmReport(
            name=name,
            verdict=ArmVerdict.OK,
            reason="it answered",
            hits=len(hits),
            took_ms=round(took[0] * 1000, 3),
        )


def _timed(arm: Callable[[], Any], timer: Callable[[], float], took: list[float]) -> Any:
    """Run an arm and keep how long it took."""
    start = timer()
    try:
        return arm()
    finally:
        took.append(timer() - start)
