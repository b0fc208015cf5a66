"""Figures of a whole tenant, measured on the views and rows of a real one."""

from __future__ import annotations

from pathlib import Path

import pytest

from smartbrain import SmartBrain
from smartbrain.bootstrap.metrics import Metrics
from smartbrain.bootstrap.recalling import observe_rows, observe_views
from smartbrain.domain.policy import SloRules
from smartbrain.testing.clock import FakeClock
from smartbrain.testing.models import HashEmbedder

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
    assert {"text:asked": 1, "graph:asked": 1} == {
        what: shown["view_rebuilds_count"][what] for what in ("text:asked", "graph:asked")
    }
    assert edges > 0
    assert 0 < shown["graph_density"] <= edges
    assert {"graph", "passages", "text"} < set(shown["index_fragmentation"])
    assert 4 == len(shown["index_fragmentation"])
    assert all(0.0 <= share <= 1.0 for share in shown["index_fragmentation"].values())


def test_facts_and_old_episodes_are_counted(tmp_path: Path) -> None:
    """Facts that hold, the user's home among them; episodes of more than 30 days ago."""
    clock = FakeClock()
    metrics = Metrics("default", clock=clock, slo=SloRules(max_active_facts=1))
    with SmartBrain.open(tmp_path, clock=clock) as brain:
        for name, value in (("甲", 1), ("b", 2), ("甲", 3)):
            fact = {"subject": name, "attribute": "柜位", "value": value}
            brain.memories.put("facts", f"fact:{name}:柜位", fact)
        for _ in range(3):
            brain.commit_turn("s", [{"role": "user", "content": "我住在杭州。"}])
            clock.advance(days=20)
        with brain._lease() as tenant:
            observe_rows(tenant.ports, metrics)
    shown = metrics.snapshot()
    assert (3, 2) == (shown["active_facts_count"], shown["episode_raw_count_over_30d"])
    assert ["active_facts_count"] == [alert["code"] for alert in shown["alerts"]]


def test_feedback_tells_how_precise_recall_is(tmp_path: Path) -> None:
    """Of what was judged, what has a pin or more votes for it; nothing before anyone judged."""
    with SmartBrain.open(tmp_path) as brain:
        ids = [
            brain.memories.put("facts", f"fact:{name}:柜位", {"value": name})
            .memory_written.items[0]
            .id
            for name in ("甲", "b", "丙", "d", "e")
        ]
        assert brain.metrics()["recall_precision"] is None
        for place, action in ((0, "upvote"), (1, "downvote"), (2, "pin"), (3, "upvote")):
            brain.feedback(ids[place], action)
        assert 0.75 == brain.metrics()["recall_precision"]
        brain.feedback(ids[3], "downvote")
        brain.feedback(ids[2], "unpin")
        assert brain.metrics()["recall_precision"] == pytest.approx(1 / 3)


def test_recalls_that_find_their_indexes_open_are_counted(tmp_path: Path) -> None:
    """The first one opens them, and so does the first after its tenant had to make room."""
    with SmartBrain.open(tmp_path, config={"tenants": {"max_open": 1}}) as brain:
        brain.commit_turn("s", [{"role": "user", "content": "我住在杭州。I live in Oslo."}])
        for _ in range(4):
            brain.recall("杭州 Oslo")
        assert {"views": 0.75} == brain.metrics()["cache_hit_rate"]
        brain.tenant("另一个").remember("你好 hello")
        brain.recall("杭州 Oslo")
        assert {"views": 0.6} == brain.metrics()["cache_hit_rate"]
