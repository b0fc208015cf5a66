"""Asking the arms: all at once, under one deadline, each with its own time and health (R3, R4).

In: a question, its cues and its plan. Out: what each arm found, and a report of every arm. An arm
that fails, is late or is off costs only its own hits; the graph goes last, from what the others
found.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
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
    from smartbrain.ports.bundle import Ports
    from smartbrain.recall.asked import Asked, Reach

TEXT: Final = "text"
NAMES: Final = "names"
LABELS: Final = "labels"
TIME: Final = "time"
RAW: Final = "raw"
GRAPH: Final = "graph"
VECTOR: Final = "vector"
_log = logging.getLogger(__name__)
_SEEDS: Final = 20
_FEW: Final = 100
_SENTENCE: Final = 200
_FIRST: Final = 0.7  # of the deadline; the rest is for the arms that begin where the first end


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
    """Ask every arm that can answer."""
    table = _Table(reach, rules)
    query, only = words.query_of(plan, cues), words.only_of(asked)
    k, follower = plan.budget.candidate_k, reach.follower
    indexed = table.ready(TEXT, TEXT, off=not rules.use_node_index)
    if indexed:
        table.ask(TEXT, partial(words.search_text, query, only, follower=follower, k=k))
    else:
        table.ask(LABELS, partial(links.labelled, cues, truth=ports.truth, k=_FEW))
    for arm in reach.vectors:
        name = f"{VECTOR}:{arm.embedder.name}"
        if asked.text.strip() and table.ready(name, arm.view):
            table.ask(
                name, partial(meaning.search_meaning, cues.text, arm, only, follower=follower, k=k)
            )
    if cues.times:
        table.ask(
            TIME,
            partial(
                words.search_times,
                query if indexed else None,
                asked,
                cues,
                follower=follower,
                truth=ports.truth,
                k=_FEW,
            ),
        )
    else:
        table.note(TIME, ArmVerdict.SKIPPED, "no_time", "the message speaks of no time")
    graph = table.ready(GRAPH, GRAPH, off=not rules.graph.enabled or not asked.k_hop)
    if graph:
        table.ask(NAMES, partial(links.named, cues, truth=ports.truth))
    found = table.answers(_FIRST)
    names = found.pop(NAMES, {})
    text = found.get(TEXT)
    why = originals.wanted(cues, text, rules.raw.trigger) if rules.raw.enabled else ""
    if rules.raw.enabled and not (why and query.terms):
        table.note(RAW, ArmVerdict.SKIPPED, "not_needed", "memories answer well enough")
    elif table.ready(RAW, "passages", off=not rules.raw.enabled):
        table.ask(
            RAW,
            partial(
                originals.search_originals,
                query,
                follower=follower,
                truth=ports.truth,
                k=rules.raw.top_k,
            ),
        )
    seeds = links.seeds_of(names, list(found.values()), most=_SEEDS) if graph else {}
    if graph and seeds:
        table.ask(
            GRAPH,
            partial(
                links.spread,
                seeds,
                follower=follower,
                hops=asked.k_hop,
                rules=rules.graph,
                k=k,
            ),
        )
    elif graph:
        table.note(GRAPH, ArmVerdict.SKIPPED, "no_seeds", "nothing is named and nothing was found")
    later = table.answers(1.0)
    episodes, passages = later.pop(RAW, ([], {}))
    if passages:
        later[RAW] = episodes
    return Gathered({**found, **later}, passages, table.reports)


class _Table:
    """The arms that were asked, and what became of them."""

    def __init__(self, reach: Reach, rules: RecallRules) -> None:
        self.reports = list(reach.unasked)
        self._reach = reach
        self._began = reach.timer()
        self._seconds = rules.deadline_ms / 1000
        self._asked: dict[str, tuple[Future[Any], list[float]]] = {}

    def ready(self, name: str, view: str, *, off: bool = False) -> bool:
        """Tell whether an arm can be asked; else note why not."""
        if any(name == one.name for one in self._reach.unasked):
            return False
        if off:
            self.note(name, ArmVerdict.OFF, "disabled", "it is switched off")
            return False
        if self._reach.follower.get(view) is None:
            place = self._reach.follower.place(view)
            self.note(name, ArmVerdict.NOT_READY, place.code, place.reason)
            return False
        return True

    def note(self, name: str, verdict: ArmVerdict, code: str, reason: str) -> None:
        """Keep what became of an arm that was not asked."""
        self.reports.append(ArmReport(name=name, verdict=verdict, code=code, reason=reason))

    def ask(self, name: str, arm: Callable[[], Any]) -> None:
        """Start an arm."""
        took: list[float] = []
        run = self._reach.run_model if name.startswith(VECTOR) else self._reach.run
        self._asked[name] = run(partial(_timed, arm, self._reach.timer, took)), took

    def answers(self, share: float) -> dict[str, Any]:
        """Return what the arms that were asked have found in a share of the time."""
        found = {}
        deadline = self._began + share * self._seconds
        for name, (future, took) in self._asked.items():
            left = max(0.0, deadline - self._reach.timer())
            answer, report = _answer(name, future, took, left)
            if name != NAMES or report.verdict is not ArmVerdict.OK:
                self.reports.append(report)
            if report.verdict is ArmVerdict.OK:
                found[name] = answer
        self._asked.clear()
        return found


def _answer(
    name: str, future: Future[Any], took: Sequence[float], seconds: float
) -> tuple[Any, ArmReport]:
    """Wait for an arm; one that is late is left to itself."""
    try:
        failure = future.exception(seconds)
    except TimeoutError:
        future.cancel()
        sentence = "it did not answer in time; the others went on without it"
        return None, ArmReport(name=name, verdict=ArmVerdict.LATE, code="late", reason=sentence)
    if isinstance(failure, SmartBrainError):
        return None, ArmReport(
            name=name, verdict=ArmVerdict.FAILED, code=failure.code, reason=failure.message
        )
    if isinstance(failure, Exception):
        # Even a defect of one arm, or of its library, costs no more than its hits.
        _log.error("the arm %s of recall failed", name, exc_info=failure)
        sentence = " ".join(f"{type(failure).__name__}: {failure}".split())[:_SENTENCE]
        return None, ArmReport(
            name=name, verdict=ArmVerdict.FAILED, code="internal", reason=sentence
        )
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
