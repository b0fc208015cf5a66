"""Metrics: what a packet and a recall leave in them, percentiles, alerts, and many threads.

In: packets and traces with known figures. Out: snapshots compared with these figures.
"""

from __future__ import annotations

import json
import logging
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.bootstrap.metrics import ENOUGH, MOST_ALERTS, Histogram, Metrics, RootMetrics
from smartbrain.domain.memory import Compression
from smartbrain.domain.metrics import (
    ACTIVE_FACTS,
    CACHE_HITS,
    COMPRESSION,
    DEGRADATIONS,
    FRAGMENTATION,
    METRICS,
    PACKET_LATENCY,
    Alert,
)
from smartbrain.domain.packet import BudgetReport, Degradation, LadderStep, MemoryPacket, PacketItem
from smartbrain.domain.policy import SloRules
from smartbrain.domain.recall import ArmReport, ArmVerdict, RecallTrace
from smartbrain.testing.clock import FakeClock

pytestmark = pytest.mark.spec("S5")


def metrics_of(tenant: str = "租户", clock: FakeClock | None = None, **slo: Any) -> Metrics:
    return Metrics(tenant, clock=clock or FakeClock(), slo=SloRules(**slo))


def item(name: str, kind: str, level: Compression = Compression.RAW) -> PacketItem:
    return PacketItem(id=name, type=kind, key=f"{kind}:{name}", text="文", compression=level)


def packet() -> MemoryPacket:
    steps = (LadderStep.REDUCE_TOP_K, LadderStep.REDUCE_TOP_K, LadderStep.DROP_LOW)
    return MemoryPacket(
        facts=(item("a", "facts"), item("b", "preferences")),
        episodes=(item("c", "episodes"), item("d", "episodes", Compression.PHASE)),
        insights=(item("e", "insights"),),
        budget_report=BudgetReport(
            degradations=tuple(Degradation(code=step, reason="上限") for step in steps)
        ),
        metrics={"candidate_count_by_type": {"facts": 300, "episodes": 2}},
    )


def trace(**stages: float) -> RecallTrace:
    def arm(name: str, verdict: ArmVerdict, took: float = 0.0) -> ArmReport:
        return ArmReport(name=name, verdict=verdict, took_ms=took)

    return RecallTrace(
        stages=stages,
        arms=(
            arm("text", ArmVerdict.OK, 2.0),
            arm("vector:bge-zh", ArmVerdict.LATE, 250.0),
            arm("vector:bge-en", ArmVerdict.FAILED, 1.0),
            arm("graph", ArmVerdict.NOT_READY),
            arm("raw", ArmVerdict.SKIPPED),
            arm("rerank", ArmVerdict.OFF),
        ),
    )


@pytest.mark.spec("R8")
def test_a_packet_leaves_its_figures() -> None:
    """Candidates by type, levels, steps of the ladder and the time it took."""
    metrics = metrics_of()
    metrics.observe_packet(packet(), 12.5)
    metrics.observe_packet(packet(), 12.5)
    shown = metrics.snapshot()
    assert {"facts": 300, "episodes": 2} == {
        kind: figures["max"] for kind, figures in shown["candidate_count_by_type"].items()
    }
    assert {"phase": 2, "raw": 2} == shown["compression_level_distribution"]  # of episodes
    assert {"reduce_top_k": 4, "drop_low": 2} == shown["degradation_events_count"]
    latency = shown["build_memory_packet_latency_ms"]
    assert {"count": 2, "sum": 25.0, "min": 12.5, "max": 12.5} == {
        name: latency[name] for name in ("count", "sum", "min", "max")
    }
    assert (12.5, 12.5, 12.5) == (latency["p50"], latency["p95"], latency["p99"])


def test_a_recall_leaves_its_figures() -> None:
    """Stages and arms by name, and which arms did not answer; what is off is no degradation.

    What was not asked took no time, and is not among those that did.
    """
    metrics = metrics_of()
    metrics.observe_recall(trace(cues=1.0, gather=9.0, total=11.0))
    shown = metrics.snapshot()
    assert {"cues": 1.0, "gather": 9.0, "arm.text": 2.0, "arm.vector": 251.0} == {
        stage: figures["sum"] for stage, figures in shown["db_query_time_ms_by_stage"].items()
    }
    assert {"graph_not_ready": 1, "vector_failed": 1, "vector_late": 1} == (
        shown["degradation_events_count"]
    )
    assert (11.0, 11.0) == (shown["query_latency_ms"]["sum"], shown["query_latency_p99"])


def test_a_recall_without_a_total_took_the_sum_of_its_stages() -> None:
    """And one without stages says nothing about time."""
    metrics = metrics_of()
    metrics.observe_recall(trace())
    assert metrics.snapshot()["query_latency_ms"] is None
    metrics.observe_recall(trace(cues=1.5, fuse=2.0))
    assert 3.5 == metrics.snapshot()["query_latency_ms"]["sum"]


def test_a_snapshot_is_json_with_every_name() -> None:
    """Before anything is measured too, when nothing is shown as 0 that was never looked at."""
    empty = metrics_of().snapshot()
    assert [*(metric.name for metric in METRICS), "alerts"] == list(empty)
    assert all(value in (None, {}, []) for value in empty.values())
    metrics = metrics_of()
    metrics.observe_packet(packet(), 1.0)
    metrics.gauge(ACTIVE_FACTS, 201)
    metrics.observe_recall(trace(total=1.0))
    assert metrics.snapshot() == json.loads(json.dumps(metrics.snapshot()))


def test_too_many_active_facts_are_an_alert(caplog: pytest.LogCaptureFixture) -> None:
    """Raised once while it lasts, logged with the tenant, and raised anew after it held."""
    clock = FakeClock()
    metrics = metrics_of("甲", clock)
    began = clock.now
    with caplog.at_level(logging.WARNING):
        for count in (200, 201, 250, 200, 300):
            metrics.gauge(ACTIVE_FACTS, count)
            clock.advance(minutes=1)
    first, second = metrics.alerts()
    assert (201, 200, "active_facts_count") == (first.value, first.limit, first.code)
    assert "201 facts are active" in first.sentence
    assert 60 == (first.at - began).total_seconds()
    assert 300 == second.value
    assert [first, second] == [Alert.from_dict(one) for one in metrics.snapshot()["alerts"]]
    assert [("甲", "active_facts_count")] * 2 == [
        (record.__dict__["tenant_id"], record.__dict__["stage"]) for record in caplog.records
    ]


def test_the_limit_of_facts_is_a_setting() -> None:
    """The target of the configuration is the one that counts."""
    metrics = metrics_of(max_active_facts=5)
    metrics.gauge(ACTIVE_FACTS, 6)
    assert [5] == [alert.limit for alert in metrics.alerts()]


def test_the_last_hundred_alerts_are_kept() -> None:
    """However often a target is missed."""
    metrics = metrics_of()
    for count in range(MOST_ALERTS + 20):
        metrics.gauge(ACTIVE_FACTS, 1_000 + count)
        metrics.gauge(ACTIVE_FACTS, 1)
    kept = metrics.alerts()
    assert (MOST_ALERTS, 1_020, 1_119) == (len(kept), kept[0].value, kept[-1].value)


def test_slow_packets_and_recalls_are_an_alert_once_there_are_enough() -> None:
    """A single slow call is none; the target that is missed is named."""
    metrics = metrics_of(packet_p50_ms=1_000.0)
    for _ in range(ENOUGH - 1):
        metrics.observe_packet(packet(), 500.0)
        metrics.observe_recall(trace(total=2_000.0))
    assert () == metrics.alerts()
    metrics.observe_packet(packet(), 500.0)
    metrics.observe_recall(trace(total=2_000.0))
    assert [
        ("build_memory_packet_latency_ms:p95", 80.0),
        ("build_memory_packet_latency_ms:p99", 150.0),
        ("query_latency_ms:p95", 1_500.0),
    ] == [(alert.code, alert.limit) for alert in metrics.alerts()]


def test_the_rate_of_a_cache_is_worked_out() -> None:
    """Too low a rate is an alert, once enough was read."""
    metrics = metrics_of()
    for place in range(ENOUGH):
        metrics.looked_up("向量", hit=place % 4 == 0)
        metrics.looked_up("graph", hit=True)
    assert {"graph": 1.0, "向量": 0.25} == metrics.snapshot()[CACHE_HITS.name]
    assert ["cache_hit_rate:向量"] == [alert.code for alert in metrics.alerts()]


def test_what_is_no_number_is_left_out() -> None:
    """It would spoil every sum after it, and JSON has no word for it."""
    metrics = metrics_of()
    for bad in (float("nan"), float("inf")):
        metrics.observe(PACKET_LATENCY, bad)
        metrics.gauge(ACTIVE_FACTS, bad)
    assert metrics.snapshot()["active_facts_count"] is None
    assert metrics.snapshot()["build_memory_packet_latency_ms"] is None


def test_threads_lose_nothing() -> None:
    """Eight of them at once, while somebody looks."""
    metrics = metrics_of()

    def work(_: int) -> None:
        for _ in range(200):
            metrics.observe_packet(packet(), 1.0)
            metrics.observe_recall(trace(total=1.0))
            metrics.snapshot()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    shown = metrics.snapshot()
    assert 1_600 == shown["build_memory_packet_latency_ms"]["count"]
    assert 1_600 == shown["query_latency_ms"]["count"]
    assert {"phase": 1_600, "raw": 1_600} == shown[COMPRESSION.name]
    assert 4_800 + 4_800 == sum(shown[DEGRADATIONS.name].values())


def test_each_tenant_has_its_own() -> None:
    """The same one whenever it is asked for."""
    root = RootMetrics(clock=FakeClock(), slo=SloRules())
    root.of("乙").gauge(FRAGMENTATION, 0.5, "text")
    root.of("a").gauge(ACTIVE_FACTS, 1)
    assert root.of("乙") is root.of("乙")
    assert {} == root.of("a").snapshot()[FRAGMENTATION.name]
    assert ["a", "乙"] == [one.tenant for one in root.all()]


@given(st.lists(st.floats(0, 20_000), min_size=1, max_size=200))
def test_percentiles_are_within_their_bucket(values: list[float]) -> None:
    """As near to the true one as the buckets are wide, rising, and never outside what was seen."""
    histogram = Histogram(PACKET_LATENCY.bounds)
    for value in values:
        histogram.add(value)
    ordered = sorted(values)
    found = [histogram.percentile(share) for share in (0.5, 0.95, 0.99, 1.0)]
    assert sorted(found) == found
    assert ordered[0] <= found[0]
    assert found[-1] <= ordered[-1]
    edges = [0.0, *PACKET_LATENCY.bounds, 20_000.0]
    true = ordered[max(0, -(-len(ordered) * 50 // 100) - 1)]
    place = next(n for n in range(1, len(edges)) if true <= edges[n])
    assert edges[place - 1] <= found[0] <= edges[place]
    assert len(values) == histogram.count == histogram.cumulative()[-1]


def test_percentiles_are_interpolated() -> None:
    """A hundred values spread over one bucket and the next."""
    histogram = Histogram((10.0, 20.0, 30.0))
    for place in range(100):
        histogram.add(10.0 + (place + 1) / 10)
    assert pytest.approx((15.05, 19.505, 19.901)) == tuple(
        histogram.percentile(share) for share in (0.5, 0.95, 0.99)
    )
    assert 0.0 == Histogram((1.0,)).percentile(0.99)
