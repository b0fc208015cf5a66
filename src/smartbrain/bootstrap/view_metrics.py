"""How dense the graph is and how much of each index is dead weight, taken from the views (S5).

In: the views of a tenant that are open. Out: gauges in its metrics. Counting takes a while in a
large tenant, so it is done when somebody looks at the metrics, not by each recall.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from smartbrain.domain.metrics import FRAGMENTATION, GRAPH_DENSITY
from smartbrain.recall.views.links import GraphView
from smartbrain.recall.views.meaning import VectorView
from smartbrain.recall.views.words import WordsView

if TYPE_CHECKING:
    from smartbrain.ports.telemetry import Telemetry
    from smartbrain.recall.views.follow import Follower


def observe_views(follower: Follower, metrics: Telemetry) -> None:
    """Take the figures of the views that are ready to answer.

    Raises:
        AdapterError: an index cannot be read.
    """
    for name in follower.names():
        view = follower.get(name)
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
