"""Metrics in Prometheus' text format: every line as its parser wants it.

In: metrics with known figures and awkward names. Out: lines, read back by the rules of the format.
"""

from __future__ import annotations

import re

import pytest

from smartbrain.bootstrap.metrics import RootMetrics, prometheus_text
from smartbrain.domain.metrics import ACTIVE_FACTS, DEGRADATIONS, PACKET_LATENCY, STAGE_TIME
from smartbrain.domain.policy import SloRules
from smartbrain.testing.clock import FakeClock

pytestmark = pytest.mark.spec("S5")

SAMPLE = re.compile(
    r'[a-z_][a-z0-9_]*\{(?:[a-z]+="(?:[^"\\\n]|\\[\\n"])*"(?:,(?!\})|(?=\})))*\} -?[0-9.e+-]+'
)


def root() -> RootMetrics:
    return RootMetrics(clock=FakeClock(), slo=SloRules())


def test_nothing_measured_is_nothing_written() -> None:
    """No tenant, or one that nobody has used, has no line."""
    metrics = root()
    metrics.of("a")
    assert "" == prometheus_text(metrics.all()) == prometheus_text([])


def test_counters_and_gauges_are_a_line_a_tenant() -> None:
    """The meaning and the kind stand once before them."""
    metrics = root()
    metrics.of("甲").gauge(ACTIVE_FACTS, 3)
    metrics.of("b").gauge(ACTIVE_FACTS, 0.5)
    metrics.of("b").count(DEGRADATIONS, 2, "drop_low")
    lines = prometheus_text(metrics.all()).splitlines()
    assert [
        f"# HELP degradation_events_count {DEGRADATIONS.meaning}",
        "# TYPE degradation_events_count counter",
        'degradation_events_count{tenant="b",code="drop_low"} 2',
        f"# HELP active_facts_count {ACTIVE_FACTS.meaning}",
        "# TYPE active_facts_count gauge",
        'active_facts_count{tenant="b"} 0.5',
        'active_facts_count{tenant="甲"} 3',
    ] == lines


def test_a_distribution_is_its_buckets_its_sum_and_its_count() -> None:
    """Each bucket counts all values up to its bound; the last one counts all."""
    metrics = root()
    for took in (0.05, 40.0, 40.5, 99_999.0):
        metrics.of("a").observe(PACKET_LATENCY, took)
    lines = prometheus_text(metrics.all()).splitlines()
    name = PACKET_LATENCY.name
    assert f"# TYPE {name} histogram" == lines[1]
    counts = {line.rpartition(" ")[0]: line.rpartition(" ")[2] for line in lines[2:]}
    assert "1" == counts[f'{name}_bucket{{tenant="a",le="0.1"}}']
    assert "1" == counts[f'{name}_bucket{{tenant="a",le="30"}}']
    assert "3" == counts[f'{name}_bucket{{tenant="a",le="50"}}']
    assert (
        "4"
        == counts[f'{name}_bucket{{tenant="a",le="+Inf"}}']
        == counts[f'{name}_count{{tenant="a"}}']
    )
    assert 100_079.55 == float(counts[f'{name}_sum{{tenant="a"}}'])
    assert len(PACKET_LATENCY.bounds) + 3 == len(counts)


def test_awkward_names_stay_within_their_marks() -> None:
    """Quotation marks, backslashes and line breaks of a tenant or a label break no line."""
    metrics = root()
    metrics.of('a"b\\c\nd').observe(STAGE_TIME, 1.0, 'x"\n# TYPE evil counter')
    lines = prometheus_text(metrics.all()).splitlines()
    samples = [line for line in lines if not line.startswith("#")]
    assert 2 == len(lines) - len(samples)
    assert all(SAMPLE.fullmatch(line) for line in samples)
    assert r'tenant="a\"b\\c\nd"' in samples[0]
