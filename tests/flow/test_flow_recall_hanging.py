"""Arms and models that hang: they are not asked again until they come back, and nobody else waits.

In: brains of one root, and an arm or a model of some of them that does not return before it is told
to. Out: answers of all others, the report of the one that hangs, and how many threads there are.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from recall_builders import arm, ids, opened, say

from smartbrain import SmartBrain
from smartbrain.adapters.tantivy.index import TantivyTextIndex
from smartbrain.domain.recall import ArmVerdict, Recall
from smartbrain.errors import AdapterError
from smartbrain.recall.arms import graph, text
from smartbrain.recall.relevance import TermCounts
from smartbrain.recall.views.follow import Follower, Place
from smartbrain.testing.models import HashEmbedder, PieceReranker

QUERIES = ["张三 在腾讯 上班吗", "does Alice work at Acme"]
SAID = ("张三在腾讯上班", "Alice works at Acme in Berlin", "the weekly report 周报")
SOON = 60


class Gate:
    """Lets nobody through while it is shut."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.free.set()

    def pass_through(self) -> None:
        """Wait until it is free."""
        self.free.wait(SOON)


class HangingEmbedder(HashEmbedder):
    """An embedder that hangs while its gate is shut."""

    gate = Gate()

    def embed_query(self, text: str) -> Any:
        """Wait, then embed."""
        self.gate.pass_through()
        return super().embed_query(text)


class HangingReranker(PieceReranker):
    """A reranker that hangs while its gate is shut."""

    gate = Gate()

    def score(self, query: str, texts: Sequence[str]) -> list[float]:
        """Wait, then score."""
        self.gate.pass_through()
        return super().score(query, texts)


def told(brain: SmartBrain) -> SmartBrain:
    """Tell a brain some things."""
    for said in SAID:
        say(brain, said)
    return brain


def how(answers: Sequence[Recall], name: str) -> list[tuple[str, str]]:
    """Return what became of an arm in each answer."""
    return [(arm(one, name).verdict.value, arm(one, name).code) for one in answers]


def settled(name: str) -> None:
    """Wait for the threads of a kind to have ended what they were told to."""
    for thread in threading.enumerate():
        if thread.name.startswith(name):
            thread.join(0.01)


@pytest.mark.spec("R4")
@pytest.mark.parametrize("query", QUERIES)
def test_a_hanging_arm_silences_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    """Whole tenants may hang: other arms and other tenants answer, and it recovers by itself."""
    gate, ill = Gate(), [f"病 ill {n}" for n in range(8)]
    inner = graph.spread

    def hanging(*given: Any, follower: Any, **more: Any) -> Any:
        if follower in hung:
            gate.pass_through()
        return inner(*given, follower=follower, **more)

    with opened(tmp_path) as brain:
        brains = {name: told(brain.tenant(name)) for name in ill}
        well = told(brain.tenant("well 好"))
        hung = []
        for one in brains.values():
            with one._lease() as tenant:
                hung.append(tenant.views.ready(one._recall_rules(), wait=True))
        expected = ids(well.recall(query))
        monkeypatch.setattr(graph, "spread", hanging)
        gate.free.clear()
        threads = threading.active_count()
        try:
            for one in brains.values():
                one.configure({"recall.deadline_ms": 600})
                answers = [one.recall(query) for _ in range(4)]
                assert [("late", "late")] * 2 + [("late", "busy")] * 2 == how(answers, "graph")
                assert {"ok"} == {arm(answer, "text").verdict.value for answer in answers}
                assert all(answer.trace.degraded for answer in answers)
            for _ in range(20):
                answer = well.recall(query)
                assert (expected, False) == (ids(answer), answer.trace.degraded)
            # Two of each that hangs, and those that are there for everybody.
            assert threading.active_count() - threads <= 2 * len(ill) + 2 * 16
        finally:
            gate.free.set()
        for one in brains.values():
            one.configure({"recall.deadline_ms": None})
            assert ArmVerdict.OK is _recovered(one, query, "graph")


@pytest.mark.spec("R4")
@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(
    ("model", "hangs", "others"),
    [
        (HangingEmbedder, "vector", ("text", "rerank")),
        (HangingReranker, "rerank", ("text", "vector")),
    ],
)
def test_a_hanging_model_holds_up_no_other(
    tmp_path: Path, model: Any, hangs: str, others: tuple[str, ...], query: str
) -> None:
    """Each has threads of its own, is asked twice while it hangs, and again once it is back."""
    recall = {"deadline_ms": 600, "rerank": {"deadline_ms": 600}}
    with SmartBrain.open(
        tmp_path,
        config={"recall": recall},
        embedder=HangingEmbedder(64),
        reranker=HangingReranker(),
    ) as brain:
        told(brain)
        brain.jobs.run("embed")
        brain.recall(query)
        model.gate.free.clear()
        try:
            answers = [brain.recall(query) for _ in range(8)]
        finally:
            model.gate.free.set()
        assert {"busy"} == {code for _, code in how(answers, hangs)[2:]}
        for other in others:
            assert {("ok", "ok")} == {*how(answers, other)}
        assert ArmVerdict.OK is _recovered(brain, query, hangs)


def _recovered(brain: SmartBrain, query: str, name: str) -> ArmVerdict:
    """Return how an arm is that was let go; its threads may take a moment to end."""
    for _ in range(1_000):
        report = arm(brain.recall(query), name)
        if report.code != "busy":
            return report.verdict
        settled("smartbrain")
    return report.verdict


@pytest.mark.spec("R4", "R9")
@pytest.mark.parametrize("query", QUERIES)
def test_a_packet_does_not_wait_for_which_words_are_rare(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    """The index that hangs when it is asked is late, as any arm; a recall does not ask it."""
    gate = Gate()
    inner = text.count_terms

    def hanging(*given: Any, **more: Any) -> TermCounts:
        gate.pass_through()
        return inner(*given, **more)

    with told(opened(tmp_path)) as brain:
        assert "counts" not in {one["name"] for one in packet_arms(brain, query)}
        brain.configure({"recall.deadline_ms": 1_000})
        monkeypatch.setattr(text, "count_terms", hanging)
        gate.free.clear()
        try:
            packet = brain.build_memory_packet("s", query)
            answer = brain.recall(query)
        finally:
            gate.free.set()
    (report,) = [one for one in packet.metrics["arms"] if one["name"] == "counts"]
    assert ("late", "late") == (report["verdict"], report["code"])
    assert packet.metrics["degraded"]
    assert packet.episodes or packet.facts
    assert not answer.trace.degraded


@pytest.mark.spec("R4", "R9")
@pytest.mark.parametrize(
    "error", [AdapterError("kaputt 坏了"), OSError("坏了"), RuntimeError("bad")]
)
@pytest.mark.parametrize("query", QUERIES)
def test_a_packet_comes_whatever_fails_when_rare_words_are_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str, error: Exception
) -> None:
    """Then no word counts as rare, and the packet says that something is missing."""

    def failing(*_: object) -> list[int]:
        raise error

    with told(opened(tmp_path)) as brain:
        brain.recall(query)
        with monkeypatch.context() as patched:
            patched.setattr(TantivyTextIndex, "holding", failing)
            packet = brain.build_memory_packet("s", query)
        whole = brain.build_memory_packet("s", query)
    (report,) = [one for one in packet.metrics["arms"] if one["name"] == "counts"]
    assert "failed" == report["verdict"]
    assert packet.metrics["degraded"]
    assert packet.episodes or packet.facts
    assert not whole.metrics["degraded"]


def packet_arms(brain: SmartBrain, query: str) -> Sequence[dict[str, Any]]:
    """Return what became of the arms of a packet."""
    arms: Sequence[dict[str, Any]] = brain.build_memory_packet("s", query).metrics["arms"]
    return arms


@pytest.mark.spec("R23", "R4")
@pytest.mark.parametrize("query", QUERIES)
def test_a_call_waits_for_views_that_open_slowly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    """However slow the machine, nothing is answered without them, unless a deadline was set."""
    inner = Follower._load

    def slow(follower: Follower, place: Place) -> Any:
        threading.Event().wait(1.0)
        return inner(follower, place)

    told(opened(tmp_path)).close()
    monkeypatch.setattr(Follower, "_load", slow)
    with opened(tmp_path, recall={"deadline_ms": 20}) as brain:
        hasty, made = brain.recall(query), brain.compose_context("now", query)
    with opened(tmp_path) as brain:
        patient, whole = brain.recall(query), brain.compose_context("now", query)
    assert hasty.trace.degraded
    assert "its snapshot is read" in made.degraded
    assert (False, "") == (patient.trace.degraded, whole.degraded)
    assert patient.items
