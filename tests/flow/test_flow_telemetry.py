"""Calls as logs and spans tell of them: tenant, id, stages, outcome, and no word of memory (S5).

In: ordinary calls and such as fail, with words that occur nowhere else. Out: log records, lines of
JSON, spans and figures of OpenTelemetry's own in-memory exporters.
"""

from __future__ import annotations

import asyncio
import io
import json
import logging
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import metrics, trace
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from smartbrain import AsyncSmartBrain, SmartBrain, SmartBrainError
from smartbrain.bootstrap.observing import JsonLines, start_logging
from smartbrain.domain.policy import TelemetryRules
from smartbrain.ports.embedder import Vector

WORDS = ("Ottoline", "zanzibar", "密码本", "书柜")
SAID = "My sister Ottoline keeps the zanzibar key. 我的密码本放在书柜里。"


class FailingEmbedder:
    """An embedder whose every failure quotes what it was given."""

    name = "failing"
    model = "failing"
    dimensions = 4
    languages: tuple[str, ...] = ()

    def embed_query(self, text: str) -> Vector:
        raise RuntimeError(f"cannot embed {text}")

    def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        raise RuntimeError(f"cannot embed {texts}")

    def close(self) -> None:
        pass


def use(brain: SmartBrain) -> None:
    """Call verbs of every kind, with words that nothing else says; some of the calls fail."""
    brain.remember(SAID, session_id="s")
    brain.recall("where is the zanzibar key of Ottoline?")
    brain.compose_context("s", "密码本在书柜里吗？")
    for wrong in (
        lambda: brain.memories.get("Ottoline"),
        lambda: brain.recall("zanzibar", k=-1),
        lambda: brain.pins.add("conclusion", "zanzibar", "密码本", "chat:Ottoline"),
        lambda: brain.forget(topic="书柜 zanzibar Ottoline"),
        lambda: brain.explain(context_id="密码本"),
    ):
        with suppress(SmartBrainError):
            wrong()


def no_word_in(text: str) -> None:
    assert [] == [word for word in WORDS if word in text]


class Records(logging.Handler):
    """Keeps every record and the line of JSON that it makes."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.records: list[logging.LogRecord] = []
        self.lines: list[dict[str, Any]] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)
        self.lines.append(json.loads(JsonLines().format(record)))


@pytest.fixture
def records() -> Iterator[Records]:
    logger, kept = logging.getLogger("smartbrain"), Records()
    logger.addHandler(kept)
    logger.setLevel(logging.INFO)
    yield kept
    logger.removeHandler(kept)
    logger.setLevel(logging.NOTSET)


@pytest.mark.spec("S5")
def test_every_call_is_a_line_with_tenant_id_and_outcome(tmp_path: Path, records: Records) -> None:
    """Stages of a recall have the call's own id; a call inside another is none of its own."""
    logging.getLogger("smartbrain").setLevel(logging.DEBUG)
    with SmartBrain.open(tmp_path, tenant="客户") as brain:
        use(brain)
    calls = [one for one in records.lines if one["logger"] == "smartbrain.calls"]
    verbs = [one for one in calls if one["message"] == one["stage"]]
    assert [
        ("remember", "ok"),
        ("recall", "ok"),
        ("compose_context", "ok"),
        ("memories.get", "bad_key"),
        ("recall", "usage"),
        ("pins.add", "no_source"),
    ] == [(one["stage"], one["outcome"]) for one in verbs][:6]
    assert {"客户"} == {one["tenant_id"] for one in verbs[:4]}
    assert len(verbs) == len({one["query_id"] for one in verbs})
    recalled = verbs[1]
    stages = [one for one in calls if one["query_id"] == recalled["query_id"]][1:]
    assert {"search", "pack"} & {one["stage"] for one in stages} or len(stages) >= 2
    assert sum(one["took_ms"] for one in stages) <= recalled["took_ms"] * 1.5 + 1
    no_word_in(json.dumps(calls, ensure_ascii=False))


@pytest.mark.spec("S5")
def test_no_word_of_memory_is_logged(tmp_path: Path, records: Records) -> None:
    """Not by calls, nor by what fails beside them, such as an embedder that quotes its input."""
    with SmartBrain.open(tmp_path, embedder=FailingEmbedder()) as brain:
        use(brain)
        with suppress(SmartBrainError, RuntimeError):
            brain.jobs.run("embed")
        brain.subscribe(lambda _: [][len(SAID)], since=0).close()
        asyncio.run(_use_twin(tmp_path))
    told = json.dumps(records.lines, ensure_ascii=False)
    no_word_in(told)
    no_word_in("\n".join(map(logging.Formatter().format, records.records)))
    assert "recall" in told


async def _use_twin(folder: Path) -> None:
    async with await AsyncSmartBrain.open(folder) as brain:
        await brain.recall("where is the zanzibar key?")


@pytest.mark.spec("S5")
def test_a_server_logs_lines_of_json(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only if the settings want it; what an exception says is left out but for debugging."""
    logger, told = logging.getLogger("smartbrain"), io.StringIO()
    before = list(logger.handlers)
    monkeypatch.setattr(sys, "stderr", told)
    try:
        start_logging(TelemetryRules())
        assert before == logger.handlers
        start_logging(TelemetryRules(log="json"))
        try:
            raise ValueError(SAID)
        except ValueError:
            logging.getLogger("smartbrain.x").exception("it failed")
        line = json.loads(told.getvalue())
        assert ("error", "it failed", "ValueError") == (
            line["level"],
            line["message"],
            line["error"],
        )
        no_word_in(told.getvalue())
    finally:
        logger.handlers[:] = before
        logger.setLevel(logging.NOTSET)
        logger.propagate = True


@pytest.fixture(scope="module")
def exported() -> Iterator[tuple[InMemorySpanExporter, InMemoryMetricReader]]:
    """OpenTelemetry's own providers, which a program sets once."""
    spans, figures = InMemorySpanExporter(), InMemoryMetricReader()
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(provider)
    metrics.set_meter_provider(MeterProvider([figures]))
    yield spans, figures
    provider.shutdown()


def points(figures: InMemoryMetricReader) -> dict[str, list[dict[str, Any]]]:
    """Return the labels of all points of each figure."""
    data = figures.get_metrics_data()
    assert data is not None
    return {
        metric.name: [dict(point.attributes or {}) for point in metric.data.data_points]
        for resource in data.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }


@pytest.mark.spec("S5")
def test_spans_and_figures_are_told_without_words(
    tmp_path: Path, exported: tuple[InMemorySpanExporter, InMemoryMetricReader]
) -> None:
    """A span a call below that of the program, one a stage below it; figures by tenant."""
    spans, figures = exported
    spans.clear()
    with (
        SmartBrain.open(tmp_path, tenant="客户", config={"telemetry.otel": True}) as brain,
        trace.get_tracer("program").start_as_current_span("request") as request,
    ):
        use(brain)
    found = spans.get_finished_spans()
    calls = {one.name: one for one in found if one.name.count(".") == 1}
    recall = next(one for one in found if one.name == "smartbrain.recall")
    assert {"smartbrain.remember", "smartbrain.recall", "smartbrain.compose_context"} <= set(calls)
    assert recall.parent is not None
    assert request.get_span_context().span_id == recall.parent.span_id
    assert recall.attributes is not None
    assert ("客户", "ok") == (
        recall.attributes["smartbrain.tenant_id"],
        recall.attributes["smartbrain.outcome"],
    )
    stages = [one for one in found if one.parent and one.parent.span_id == recall.context.span_id]
    assert len(stages) >= 2
    assert all(one.start_time >= recall.start_time for one in stages)
    no_word_in("\n".join(one.to_json() for one in found))
    told = points(figures)
    assert {"tenant": "客户"} in told["smartbrain.query_latency_ms"]
    assert any(one["verb"] == "recall" for one in told["smartbrain.call.duration"])
    no_word_in(str(told))


@pytest.mark.spec("S5")
def test_spans_hold_words_only_if_asked(
    tmp_path: Path, exported: tuple[InMemorySpanExporter, InMemoryMetricReader]
) -> None:
    """`telemetry.otel_arguments` is for debugging; nothing is told unless `otel` is on."""
    spans, _ = exported
    spans.clear()
    config = {"telemetry.otel": True, "telemetry.otel_arguments": True}
    with SmartBrain.open(tmp_path / "a", config=config) as brain:
        brain.recall("zanzibar")
    assert "zanzibar" in spans.get_finished_spans()[-1].to_json()
    spans.clear()
    with SmartBrain.open(tmp_path / "b") as brain:
        use(brain)
    assert () == spans.get_finished_spans()


_QUIET = """
import socket, sys
def refuse(*_): raise SystemExit("somebody called")
socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
from smartbrain import SmartBrain
with SmartBrain.open(sys.argv[1]) as brain:
    brain.remember("My sister lives in Turin.")
    brain.recall("where does my sister live?")
    brain.compose_context("s", "where?")
assert "opentelemetry" not in sys.modules
assert "httpx" not in sys.modules
"""


@pytest.mark.spec("S5")
def test_nothing_leaves_on_its_own(tmp_path: Path) -> None:
    """A brain as it comes opens no connection, and loads nothing that could send telemetry."""
    done = subprocess.run(
        [sys.executable, "-c", _QUIET, str(tmp_path / "b")],
        capture_output=True,
        check=False,
        timeout=600,
    )
    assert (0, b"", b"") == (done.returncode, done.stdout, done.stderr)
