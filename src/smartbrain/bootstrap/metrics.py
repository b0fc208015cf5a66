"""What is measured in a process: counters, gauges and distributions, tenant by tenant (S5).

In: metrics of `domain.metrics` and numbers. Out: figures for JSON, the text that Prometheus reads,
and alerts where a target is missed. A distribution has fixed buckets: constant in size whatever
comes in, and as exact as they are narrow. Names are the same in both forms.
"""

from __future__ import annotations

import logging
import math
import threading
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.metrics import (
    ACTIVE_FACTS,
    CACHE_HITS,
    CANDIDATES,
    COMPRESSION,
    DEGRADATIONS,
    METRICS,
    PACKET_LATENCY,
    QUERY_LATENCY,
    QUERY_P99,
    STAGE_TIME,
    Alert,
    Metric,
)
from smartbrain.domain.recall import ArmVerdict
from smartbrain.ports.telemetry import note_stages

if TYPE_CHECKING:
    from smartbrain.domain.packet import MemoryPacket
    from smartbrain.domain.policy import SloRules
    from smartbrain.domain.recall import RecallTrace
    from smartbrain.domain.time import Clock
    from smartbrain.ports.telemetry import Telemetry


class Histogram:
    """Counts values by the first bound that they do not pass; one bucket is beyond all bounds."""

    __slots__ = ("bounds", "buckets", "count", "high", "low", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self.bounds = bounds
        self.buckets = [0] * (len(bounds) + 1)
        self.count = 0
        self.total = 0.0
        self.low = self.high = 0.0

    def add(self, value: float) -> None:
        """Count a value."""
        self.low = min(self.low, value) if self.count else value
        self.high = max(self.high, value) if self.count else value
        self.count += 1
        self.total += value
        self.buckets[bisect_left(self.bounds, value)] += 1

    def percentile(self, share: float) -> float:
        """Return the value below which such a share of all values lies; 0 when there are none."""
        wanted = share * self.count
        below = 0
        for place, inside in enumerate(self.buckets):
            if inside and below + inside >= wanted:
                start = self.bounds[place - 1] if place else self.low
                end = self.bounds[place] if place < len(self.bounds) else self.high
                start, end = max(start, self.low), min(end, self.high)
                return min(end, start + (end - start) * (wanted - below) / inside)
            below += inside
        return self.high

    def cumulative(self) -> list[int]:
        """Return how many values pass no bound, bound by bound, and all of them at the end."""
        return list(accumulate(self.buckets))

    def figures(self) -> dict[str, float | int]:
        """Return the distribution in figures, for JSON."""
        return {
            "count": self.count,
            "sum": round(self.total, 6),
            "min": round(self.low, 6),
            "max": round(self.high, 6),
            "p50": round(self.percentile(0.50), 6),
            "p95": round(self.percentile(0.95), 6),
            "p99": round(self.percentile(0.99), 6),
        }


_log = logging.getLogger(__name__)

MOST_ALERTS: Final = 100
ENOUGH: Final = 100
"""Values that a percentile or a rate needs before its target is held against it."""
TOTAL: Final = "total"
"""The stage of a trace that is the whole of it; not a stage of its own here."""
_DEGRADED: Final = (ArmVerdict.LATE, ArmVerdict.FAILED, ArmVerdict.NOT_READY)

Series = dict[str, float | Histogram]
"""The values of one metric by the value of its label; "" where it has none."""


class Metrics:
    """The figures of one tenant; threads may share it."""

    def __init__(
        self,
        tenant: str,
        *,
        clock: Clock,
        slo: SloRules,
        on_alert: Callable[[str, Alert], None] = lambda *_: None,
        telemetry: Telemetry | None = None,
    ) -> None:
        """Begin with nothing measured; alerts carry the clock's time."""
        self._on_alert = on_alert
        self._telemetry = telemetry
        self.tenant = tenant
        self._clock = clock
        self._slo = slo
        self._lock = threading.RLock()
        self._series: dict[str, Series] = {metric.name: {} for metric in METRICS}
        self._lookups: Counter[tuple[str, bool]] = Counter()
        self._missed: set[str] = set()
        self._alerts: deque[Alert] = deque(maxlen=MOST_ALERTS)

    def count(self, metric: Metric, by: float = 1, label: str = "") -> None:
        """Add to a counter."""
        with self._lock:
            series = self._series[metric.name]
            before = series.get(label, 0)
            assert not isinstance(before, Histogram)
            series[label] = before + by
            self._tell(metric, by, label)

    def gauge(self, metric: Metric, value: float, label: str = "") -> None:
        """Say what a gauge shows from now on; what is no finite number is not shown."""
        if not math.isfinite(value):
            return
        with self._lock:
            self._series[metric.name][label] = value
            self._tell(metric, value, label)
            if metric.name == ACTIVE_FACTS.name:
                limit = self._slo.max_active_facts
                sentence = f"{value:g} facts are active, more than {limit}; consolidate them"
                self._judge(metric.name, sentence, value, limit)

    def observe(self, metric: Metric, value: float, label: str = "") -> None:
        """Add a value to a distribution; what is no finite number is left out."""
        with self._lock:
            if math.isfinite(value):
                self._histogram(metric, label).add(value)
                self._tell(metric, value, label)

    def _tell(self, metric: Metric, value: float, label: str) -> None:
        if self._telemetry is not None:
            self._telemetry.measure(metric, value, self.tenant, label)

    def looked_up(self, cache: str, *, hit: bool) -> None:
        """Count a read of a cache, and work its rate out anew."""
        with self._lock:
            self._lookups[cache, hit] += 1
            hits, reads = self._lookups[cache, True], self._lookups[cache, False]
            reads += hits
            rate = hits / reads
            self.gauge(CACHE_HITS, rate, cache)
            if reads >= ENOUGH:
                limit = self._slo.min_cache_hit_rate
                sentence = f"the cache {cache} served {rate:.0%} of reads, less than {limit:.0%}"
                self._judge(f"{CACHE_HITS.name}:{cache}", sentence, rate, limit, least=True)

    def observe_packet(self, packet: MemoryPacket, took_ms: float) -> None:
        """Take the figures of a memory packet."""
        with self._lock:
            self.observe(PACKET_LATENCY, took_ms)
            for kind, found in packet.metrics.get(CANDIDATES.name, {}).items():
                self.observe(CANDIDATES, found, kind)
            levels = Counter(item.compression.value for item in packet.episodes)
            for level, found in levels.items():
                self.count(COMPRESSION, found, level)
            for step in packet.budget_report.degradations:
                self.count(DEGRADATIONS, label=step.code)
            for percent, limit in (
                (50, self._slo.packet_p50_ms),
                (95, self._slo.packet_p95_ms),
                (99, self._slo.packet_p99_ms),
            ):
                self._judge_time(PACKET_LATENCY, "a memory packet", percent, limit)

    def observe_recall(self, trace: RecallTrace) -> None:
        """Take the figures of a recall: its stages, its arms, and which of them did not answer."""
        stages = {name: took for name, took in trace.stages.items() if name != TOTAL}
        note_stages(stages)
        with self._lock:
            for name, took in stages.items():
                self.observe(STAGE_TIME, took, name)
            for arm in trace.arms:
                # Each embedder is an arm of its own; the kind is enough to see what is wrong.
                kind = arm.name.split(":")[0]
                if arm.verdict is ArmVerdict.OK or arm.took_ms:  # not of one that was not asked
                    self.observe(STAGE_TIME, arm.took_ms, f"arm.{kind}")
                if arm.verdict in _DEGRADED:
                    self.count(DEGRADATIONS, label=f"{kind}_{arm.verdict.value}")
            if not trace.stages:
                return
            self.observe(QUERY_LATENCY, trace.stages.get(TOTAL, math.fsum(stages.values())))
            times = self._histogram(QUERY_LATENCY)
            self.gauge(QUERY_P99, times.percentile(0.99))
            self._judge_time(QUERY_LATENCY, "a recall", 95, self._slo.recall_p95_ms)

    def alerts(self) -> tuple[Alert, ...]:
        """Return the alerts that were raised, oldest first; the last hundred are kept."""
        with self._lock:
            return tuple(self._alerts)

    def snapshot(self) -> dict[str, Any]:
        """Return every metric by name, ready for JSON.

        A metric without a label is a number or the figures of a distribution, null before it was
        measured; one with a label is a dict of these by its values.
        """
        with self._lock:
            shown: dict[str, Any] = {}
            for metric in METRICS:
                series = self._series[metric.name]
                values = {label: _plain(series[label]) for label in sorted(series)}
                shown[metric.name] = values if metric.label else values.get("")
            shown["alerts"] = [alert.to_dict() for alert in self._alerts]
            return shown

    def series(self) -> list[tuple[Metric, dict[str, float | tuple[list[int], float]]]]:
        """Return every metric with its values by label; of a distribution, its buckets and sum."""
        with self._lock:
            return [
                (metric, {label: _read(series[label]) for label in sorted(series)})
                for metric in METRICS
                for series in (self._series[metric.name],)
            ]

    def _histogram(self, metric: Metric, label: str = "") -> Histogram:
        found = self._series[metric.name].setdefault(label, Histogram(metric.bounds))
        assert isinstance(found, Histogram)
        return found

    def _judge_time(self, metric: Metric, what: str, percent: int, limit: float) -> None:
        """Hold a percentile against its target, once there are enough values."""
        times = self._histogram(metric)
        if times.count < ENOUGH:
            return
        took = times.percentile(percent / 100)
        sentence = f"{what} takes {took:.1f} ms in the {percent}th percentile, more than {limit:g}"
        self._judge(f"{metric.name}:p{percent}", sentence, took, limit)

    def _judge(
        self, code: str, sentence: str, value: float, limit: float, *, least: bool = False
    ) -> None:
        """Raise an alert when a target begins to be missed; it is raised anew after it held."""
        if not (value < limit if least else value > limit):
            self._missed.discard(code)
        elif code not in self._missed:
            self._missed.add(code)
            at = self._clock()
            alert = Alert(code=code, sentence=sentence, value=value, limit=limit, at=at)
            self._alerts.append(alert)
            self._on_alert(self.tenant, alert)
            _log.warning("%s", sentence, extra={"tenant_id": self.tenant, "stage": code})


class RootMetrics:
    """The metrics of all tenants of a root, each begun by the first call that needs it."""

    def __init__(self, **shared: Any) -> None:
        """Take what `Metrics` of every tenant takes."""
        self._shared = shared
        self._lock = threading.Lock()
        self._tenants: dict[str, Metrics] = {}

    def of(self, tenant: str) -> Metrics:
        """Return the metrics of a tenant."""
        with self._lock:
            found = self._tenants.get(tenant)
            if found is None:
                found = self._tenants[tenant] = Metrics(tenant, **self._shared)
            return found

    def all(self) -> list[Metrics]:
        """Return the metrics of every tenant that was used, by name."""
        with self._lock:
            return [self._tenants[name] for name in sorted(self._tenants)]


def _plain(value: float | Histogram) -> Any:
    return value.figures() if isinstance(value, Histogram) else value


def _read(value: float | Histogram) -> float | tuple[list[int], float]:
    return (value.cumulative(), value.total) if isinstance(value, Histogram) else value


def prometheus_text(tenants: Iterable[Metrics]) -> str:
    """Return the metrics of some tenants, in the text format of version 0.0.4."""
    read = [(one.tenant, dict(one.series())) for one in tenants]
    lines: list[str] = []
    for metric in METRICS:
        found = [
            line
            for tenant, series in read
            for label, value in series[metric].items()
            for line in _lines(metric, _labels(metric, tenant, label), value)
        ]
        if found:
            lines += [f"# HELP {metric.name} {metric.meaning}"]
            lines += [f"# TYPE {metric.name} {metric.kind.value}", *found]
    return "".join(f"{line}\n" for line in lines)


def _lines(
    metric: Metric, labels: dict[str, str], value: float | tuple[list[int], float]
) -> Iterator[str]:
    """Yield the lines of one value; a distribution has one for each bucket."""
    if not isinstance(value, tuple):
        yield f"{metric.name}{_shown(labels)} {_number(value)}"
        return
    cumulative, total = value
    bounds = [*map(_number, metric.bounds), "+Inf"]
    for bound, count in zip(bounds, cumulative, strict=True):
        yield f"{metric.name}_bucket{_shown({**labels, 'le': bound})} {count}"
    yield f"{metric.name}_sum{_shown(labels)} {_number(total)}"
    yield f"{metric.name}_count{_shown(labels)} {cumulative[-1]}"


def _labels(metric: Metric, tenant: str, label: str) -> dict[str, str]:
    return {"tenant": tenant, metric.label: label} if metric.label else {"tenant": tenant}


def _shown(labels: dict[str, str]) -> str:
    """Write labels; whatever a tenant is called, it stays within its quotation marks."""
    pairs = (f'{name}="{_escaped(value)}"' for name, value in labels.items())
    return "{" + ",".join(pairs) + "}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
