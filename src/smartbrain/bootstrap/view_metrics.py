"""Figures of a whole tenant: how its graph and indexes stand, what it holds that is old (S5).

In: the views of a tenant that are open, and its truth. Out: gauges in its metrics. Counting takes a
while in a large tenant, so it is done when somebody looks at the metrics, not by each recall.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from smartbrain.domain.metrics import (
    ACTIVE_FACTS,
    FRAGMENTATION,
    GRAPH_DENSITY,
    OLD_RAW_EPISODES,
    RECALL_PRECISION,
    VIEW_REBUILDS,
)
from smartbrain.recall.standing import fact_types
from smartbrain.recall.views.links import GraphView
from smartbrain.recall.views.meaning import VectorView
from smartbrain.recall.views.words import WordsView
from smartbrain.remember.operate import FEEDBACK

if TYPE_CHECKING:
    from smartbrain.bootstrap.metrics import Metrics
    from smartbrain.ports.bundle import Ports
    from smartbrain.recall.views.follow import Follower


_OLD: Final = timedelta(days=30)


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
