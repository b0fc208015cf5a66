"""Density and fragmentation, measured on the views of a real tenant."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartbrain import SmartBrain
from smartbrain.bootstrap.metrics import Metrics
from smartbrain.bootstrap.view_metrics import observe_views
from smartbrain.domain.policy_state import SloRules
from smartbrain.testing.clock import FakeClock
from smartbrain.testing.embedder import HashEmbedder

pytestmark = pytest.mark.spec("S5")


def test_views_that_are_open_are_measured(tmp_path: Path) -> None:
    """Edges a node, and the share of each index that is dead weight."""
    metrics = Metrics("default", clock=FakeClock(), slo=SloRules())
    with SmartBrain.open(tmp_path, embedder=HashEmbedder(64)) as brain:
        for text in ("我住在杭州。", "I work at Acme with Ann.", "我搬到上海了。"):
            brain.commit_turn("s", [{"role": "user", "content": text}])
        brain.jobs.run("embed")
        brain.rebuild()
        with brain._lease() as tenant:
            follower = tenant.views.loaded
            assert follower is not None
            observe_views(follower, metrics)
            graph = follower.get("graph")
            assert graph is not None
            edges = graph.figures()[0]
    shown = metrics.snapshot()
    assert edges > 0
    assert 0 < shown["graph_density"] <= edges
    assert {"graph", "passages", "text"} < set(shown["index_fragmentation"])
    assert 4 == len(shown["index_fragmentation"])
    assert all(0.0 <= share <= 1.0 for share in shown["index_fragmentation"].values())
