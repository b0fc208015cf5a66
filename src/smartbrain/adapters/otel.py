"""OpenTelemetry: a span for each call and its stages, and every figure as it is measured.

In: calls that have ended, figures. Out: spans and instruments of the program's own providers, which
decide whether they are sent anywhere, and where. What calls were given is told for debugging alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from opentelemetry import metrics, trace
from opentelemetry.trace import Span, StatusCode

from smartbrain.domain.metrics import METRICS, Metric, MetricKind
from smartbrain.ports.telemetry import Call

_NAME: Final = "smartbrain"
_LONGEST: Final = 2_000  # characters of the arguments of a call
_MILLISECOND: Final = 1_000_000


class OtelTelemetry:
    """Tells the providers that are set when a brain is opened."""

    def __init__(self, *, with_arguments: bool) -> None:
        self._tracer = trace.get_tracer(_NAME)
        self._with_arguments = with_arguments
        meter = metrics.get_meter(_NAME)
        self._calls = meter.create_histogram(
            "smartbrain.call.duration", "ms", "Time that a call took."
        )
        self._instruments: dict[str, Any] = {one.name: _instrument(meter, one) for one in METRICS}

    def end_call(self, call: Call, ended: int, outcome: str, arguments: Mapping[str, Any]) -> None:
        told = {"smartbrain.tenant_id": call.tenant, "smartbrain.query_id": call.id}
        span = self._tracer.start_span(
            f"{_NAME}.{call.verb}",
            attributes={**told, "smartbrain.outcome": outcome},
            start_time=call.started,
        )
        if self._with_arguments:
            span.set_attribute("smartbrain.arguments", repr(arguments)[:_LONGEST])
        if outcome != "ok":
            span.set_status(StatusCode.ERROR, outcome)
        self._add_stages(span, call, told)
        span.end(ended)
        took = (ended - call.started) / _MILLISECOND
        self._calls.record(took, {"verb": call.verb, "tenant": call.tenant, "outcome": outcome})

    def measure(self, metric: Metric, value: float, tenant: str, label: str) -> None:
        labels = {"tenant": tenant, metric.label: label} if metric.label else {"tenant": tenant}
        instrument = self._instruments[metric.name]
        if metric.kind is MetricKind.COUNTER:
            instrument.add(value, labels)
        elif metric.kind is MetricKind.GAUGE:
            instrument.set(value, labels)
        else:
            instrument.record(value, labels)

    def _add_stages(self, span: Span, call: Call, told: Mapping[str, str]) -> None:
        """Add a span for each stage, one behind the other as they were measured."""
        inside, start = trace.set_span_in_context(span), call.started
        for name, took_ms in call.stages.items():
            end = start + int(took_ms * _MILLISECOND)
            stage = self._tracer.start_span(
                f"{_NAME}.stage.{name}",
                inside,
                attributes={**told, "smartbrain.stage": name},
                start_time=start,
            )
            stage.end(end)
            start = end


def _instrument(meter: metrics.Meter, metric: Metric) -> Any:
    name = f"{_NAME}.{metric.name}"
    if metric.kind is MetricKind.COUNTER:
        return meter.create_counter(name, description=metric.meaning)
    if metric.kind is MetricKind.GAUGE:
        return meter.create_gauge(name, description=metric.meaning)
    return meter.create_histogram(
        name, description=metric.meaning, explicit_bucket_boundaries_advisory=list(metric.bounds)
    )
