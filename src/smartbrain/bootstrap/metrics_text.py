"""Metrics in the text format that Prometheus reads, written without its library (S5).

In: the metrics of tenants. Out: one text, each metric with its meaning and kind once, each value
with its tenant. Names are those of the JSON form; what was not measured is not in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from smartbrain.domain.metrics import METRICS, Metric

if TYPE_CHECKING:
    from smartbrain.bootstrap.metrics import Metrics


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
    """Write a number: whole ones without a point, others with every digit."""
    return str(int(value)) if value == int(value) else repr(value)
