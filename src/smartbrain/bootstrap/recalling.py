"""The read path of a root, put together: what a recall reaches in an open tenant.

In: a tenant and the rules of a handle. Out: answers, counted in the tenant's metrics. Loaded by the
first call that recalls; it brings the libraries for search with it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from msgspec import structs

from smartbrain.bootstrap.metrics import Metrics, RootMetrics
from smartbrain.bootstrap.models import agreed
from smartbrain.compose.documents import Judge
from smartbrain.domain.metrics import (
    ACTIVE_FACTS,
    EXPIRED_INSIGHTS,
    FRAGMENTATION,
    GRAPH_DENSITY,
    OLD_RAW_EPISODES,
    RECALL_PRECISION,
    VIEW_REBUILDS,
)
from smartbrain.domain.recall import ArmReport, ArmVerdict
from smartbrain.domain.search import IndexFilter
from smartbrain.errors import AdapterError, SmartBrainError
from smartbrain.govern.insights import insight_counts
from smartbrain.jobs.embed import is_waited_for
from smartbrain.ports.telemetry import log_fault
from smartbrain.recall.arms.graph import find_named
from smartbrain.recall.candidates import fact_types
from smartbrain.recall.explain import Answered, explain_expected
from smartbrain.recall.gather import VECTOR
from smartbrain.recall.packet import Recollection, build_packet
from smartbrain.recall.pipeline import Found, make_answer, search
from smartbrain.recall.request import PacketOptions, RecallRequest, RecallTools, VectorArm
from smartbrain.recall.verdicts import FOUND_OR_NOT
from smartbrain.recall.views.links import GraphView
from smartbrain.recall.views.meaning import VectorView
from smartbrain.recall.views.words import WordsView
from smartbrain.remember.operations import FEEDBACK
from smartbrain.remember.reader.read import read_question
from smartbrain.text.ontology import extend_ontology

if TYPE_CHECKING:
    from smartbrain.bootstrap.background import Background
    from smartbrain.bootstrap.models import Models, Rerankers
    from smartbrain.bootstrap.pool import OpenTenant
    from smartbrain.domain.explanation import Explanation
    from smartbrain.domain.metrics import Metric
    from smartbrain.domain.policy import Rules
    from smartbrain.domain.policy_recall import RecallRules
    from smartbrain.domain.recall import Recall
    from smartbrain.ports.bundle import Ports
    from smartbrain.recall.views.follow import Follower

_SAID: Final = 50
_VIEWS: Final = "views"
_BY_WORDS: Final = ("text", "passages")
_RERANK: Final = "rerank"
_log = logging.getLogger(__name__)
_Done = TypeVar("_Done")
_OLD: Final = timedelta(days=30)


class Recalling:
    """Recall with the models and threads of one root."""

    def __init__(
        self, models: Models, rerankers: Rerankers, background: Background, metrics: RootMetrics
    ) -> None:
        self._models = models
        self._rerankers = rerankers
        self._background = background
        self._metrics = metrics

    def recall(
        self,
        asked: RecallRequest,
        tenant: OpenTenant,
        rules: Rules,
        *,
        budget_tokens: int | None = None,
        cite: bool = True,
    ) -> Recall:
        """Return what memory has on a question."""
        found = self._search(asked, tenant, rules)
        answer = make_answer(
            found,
            asked,
            ports=tenant.ports,
            timer=time.monotonic,
            budget_tokens=budget_tokens,
            cite=cite,
        )
        self._metrics.of(tenant.name).observe_recall(answer.trace)
        return answer

    def packet(
        self, asked: RecallRequest, whom: PacketOptions, tenant: OpenTenant, rules: Rules
    ) -> Recollection:
        """Return what a search found, and what of it memory contributes to one call."""
        start = time.monotonic()
        made = self._search_packet(asked, whom, tenant, rules)
        metrics = self._metrics.of(tenant.name)
        metrics.observe_packet(made.packet, (time.monotonic() - start) * 1000)
        metrics.observe_recall(made.found.trace)
        return made

    def explain(
        self,
        expect: str,
        asked: RecallRequest,
        tenant: OpenTenant,
        rules: Rules,
        *,
        budget_tokens: int | None = None,
    ) -> tuple[Explanation, Explanation | None]:
        """Return why something is in the answer to a question, or is not; and of a packet too."""
        found, ports = self._search(asked, tenant, rules), tenant.ports
        answer = make_answer(
            found, asked, ports=ports, timer=time.monotonic, budget_tokens=budget_tokens
        )
        seeds, _ = find_named(found.cues, truth=ports.truth)
        told = self.why(expect, Answered.by_recall(found, answer, seeds), tenant, rules)
        if told.verdict not in FOUND_OR_NOT:
            return told, None
        wider = replace(asked, k=rules.packet.max_per_type)
        found, packet, _ = self._search_packet(wider, PacketOptions(), tenant, rules)
        by_packet = Answered.by_packet(found, packet.explain, seeds)
        return told, self.why(expect, by_packet, tenant, rules)

    def _search(self, asked: RecallRequest, tenant: OpenTenant, rules: Rules) -> Found:
        tools = self.make_tools(tenant, rules)
        return search(asked, tools=tools, ports=tenant.ports, rules=agreed(rules))

    def _search_packet(
        self, asked: RecallRequest, whom: PacketOptions, tenant: OpenTenant, rules: Rules
    ) -> Recollection:
        asked = replace(asked, rare_share=rules.packet.episodes.rare_word_share)
        found = self._search(asked, tenant, rules)
        return build_packet(found, asked, whom, ports=tenant.ports, rules=rules)

    def why(self, expect: str, answered: Answered, tenant: OpenTenant, rules: Rules) -> Explanation:
        """Return why something is in an answer that was made, or is not."""
        views = [name for name in _BY_WORDS if rules.recall.switches()[name][1]]

        def said(words: str) -> tuple[list[str], bool]:
            look = partial(tenant.views.search, words, rules.recall, k=_SAID, only=IndexFilter())
            searches = {view: self._background.now(partial(look, view=view)) for view in views}
            found, whole = [], True
            for view, asked in searches.items():
                failure = asked.exception()
                if failure is None:
                    found += asked.result()
                elif isinstance(failure, Exception):  # a recall answers without it as well
                    log_fault(_log, f"the view {view} could not be searched", failure)
                    whole = False
                else:
                    raise failure
            return [hit.id for hit in found], whole

        with tenant.ports.truth.read() as rows:
            return explain_expected(
                expect,
                answered=answered,
                transaction=rows,
                types=tenant.ports.types,
                blobs=tenant.ports.blobs,
                search_words=said if views else None,
            )

    def metrics(self, tenant: OpenTenant) -> dict[str, object]:
        """Return the figures of a tenant, those that are counted when somebody looks as well."""
        metrics = self._metrics.of(tenant.name)
        observe_rows(tenant.ports, metrics)
        views = tenant.made_views
        if views is not None and views.loaded is not None:
            observe_views(views.loaded, metrics)
        with tenant.ports.truth.read() as rows:
            metrics.gauge(EXPIRED_INSIGHTS, insight_counts(transaction=rows).expired_rate)
        return metrics.snapshot()

    def make_tools(self, tenant: OpenTenant, rules: Rules) -> RecallTools:
        """Return what a recall can use, the views caught up as far as the deadline allows."""
        recall = rules.recall
        views = tenant.made_views
        is_open = views is not None and views.loaded is not None
        self._metrics.of(tenant.name).looked_up(_VIEWS, hit=is_open)
        follower, behind = tenant.views.caught_up(recall)
        vectors, unasked = self._vectors(tenant, recall)
        ontology = extend_ontology(rules.ontology.attributes)
        return RecallTools(
            follower=follower,
            run=self._background.now,
            run_model=self._background.beside,
            tenant=tenant.name,
            overdue=self._background.overdue,
            in_time=self._in_time,
            timer=time.monotonic,
            reranker=self._rerankers.reranker(),
            vectors=vectors,
            unasked=unasked,
            behind=behind,
            expansion=rules.policies.retrieval.query_expansion,
            ontology=ontology,
            read_question=partial(read_question, ontology=ontology),
        )

    def observe(self, tenant: str, metric: Metric, value: float) -> None:
        """Count a figure of a tenant."""
        self._metrics.of(tenant).observe(metric, value)

    def judge(self, rules: Rules) -> Judge | None:
        """Return what can read a question together with texts of any source, if one was chosen."""
        reranker, asked = self._rerankers.reranker(), agreed(rules).rerank
        return Judge(reranker, asked, self._in_time) if reranker and asked.enabled else None

    def _in_time(self, work: Callable[[], _Done], seconds: float, /) -> _Done:
        """Have a reranker read, and wait for it no longer than so many seconds."""
        overdue = self._background.overdue
        if overdue.busy(_RERANK):
            sentence = "the reranker has not come back from earlier questions"
            raise AdapterError(f"{sentence}, and is not asked until it does", code="busy")
        reading = self._background.beside(_RERANK, work)
        try:
            return reading.result(seconds)
        except TimeoutError:
            overdue.give_up(_RERANK, reading)
            raise

    def _vectors(
        self, tenant: OpenTenant, rules: RecallRules
    ) -> tuple[Sequence[VectorArm], Sequence[ArmReport]]:
        """Return the arms that search by meaning, and why others cannot."""
        if not rules.vector.enabled:
            return (), [_unasked("disabled", "recall.vector.enabled is false")]
        if not self._models.chosen:
            return (), [_unasked("no_embedder", "no embedder was chosen; recall goes by words")]
        try:
            embedders = self._models.model()
        except SmartBrainError as error:
            return (), [_unasked(error.code, error.message, ArmVerdict.FAILED)]
        arms, unasked = [], []
        for one in embedders.embedders:
            view = tenant.views.vector_view(one)
            if view is not None:
                languages = embedders.languages_of(one)
                arms.append(VectorArm(embedder=one, view=view, languages=languages))
                continue
            if is_waited_for(one, embedders, ports=tenant.ports):
                sentence = "nothing has been embedded so far"
                report = _unasked("no_vectors", sentence, ArmVerdict.NOT_READY)
            else:
                sentence = "there is nothing yet that this embedder is for"
                report = _unasked("nothing_to_embed", sentence, ArmVerdict.SKIPPED)
            unasked.append(structs.replace(report, name=f"{VECTOR}:{one.name}"))
        return arms, unasked


def _unasked(code: str, reason: str, verdict: ArmVerdict = ArmVerdict.OFF) -> ArmReport:
    return ArmReport(name=VECTOR, verdict=verdict, code=code, reason=reason)


def observe_rows(ports: Ports, metrics: Metrics) -> None:
    """Count the facts that hold, and the episodes over 30 days old that nobody has compressed.

    Also how many of the memories that somebody judged were worth it: a pin is for one, and so are
    more votes up than down.
    """
    with ports.truth.read() as rows:
        facts = rows.recalled.counts(fact_types(ports.types))
        raw = rows.recalled.counts(["episodes"], raw_before=ports.clock() - _OLD)
        votes = [one.body for one in rows.working.state("tenant", FEEDBACK)]
    metrics.gauge(ACTIVE_FACTS, sum(facts.values()))
    metrics.gauge(OLD_RAW_EPISODES, raw["episodes"])
    judged = [one for one in votes if one["pinned"] or one["up"] or one["down"]]
    if judged:
        good = sum(one["pinned"] or one["up"] > one["down"] for one in judged)
        metrics.gauge(RECALL_PRECISION, good / len(judged))


def observe_views(follower: Follower, metrics: Metrics) -> None:
    """Take the figures of the views that are ready to answer."""
    for what, count in follower.rebuilds.items():
        metrics.gauge(VIEW_REBUILDS, count, what)
    for name in follower.names():
        view: object = follower.get(name)
        if isinstance(view, GraphView):
            links = view.index.stats()
            metrics.gauge(GRAPH_DENSITY, links.density)
            metrics.gauge(FRAGMENTATION, _share(links.waiting, links.edges), name)
        elif isinstance(view, WordsView):
            words = view.index.stats()
            metrics.gauge(FRAGMENTATION, _share(words.removed, words.documents), name)
        elif isinstance(view, VectorView):
            vectors = view.index.stats()
            metrics.gauge(FRAGMENTATION, _share(vectors.removed, vectors.count), name)


def _share(dead: int, live: int) -> float:
    return dead / (dead + live) if dead else 0.0
