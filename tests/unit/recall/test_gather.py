"""Asking the arms: who is asked, how long they are waited for, what is reported.

In: a reach whose threads and clock are the test's. Out: reports and hits, without any sleep: an arm
that does not answer is a future that nobody fulfils.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from explain_brain import opened, say
from recalled_rows import NOW

from smartbrain.adapters.graph.index import NumpyGraph
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.graph_search import GraphEdge, GraphLayer
from smartbrain.domain.policy import QueryExpansionRules
from smartbrain.domain.policy_recall import GraphRules, RawRecallRules, RecallRules
from smartbrain.domain.recall import ArmReport, ArmVerdict, CueTime, QuestionReading
from smartbrain.errors import AdapterError
from smartbrain.recall.arms import graph, text, vector
from smartbrain.recall.cues import read_cues
from smartbrain.recall.gather import ArmLine, Gathered, gather
from smartbrain.recall.pipeline import mode_of
from smartbrain.recall.plan import make_plan
from smartbrain.recall.request import RecallRequest, RecallTools, VectorArm
from smartbrain.text.ontology import load_ontology


def at_once(work: Callable[[], Any]) -> Future[Any]:
    """Run an arm here and now."""
    done: Future[Any] = Future()
    try:
        done.set_result(work())
    except (AdapterError, ValueError) as error:
        done.set_exception(error)
    return done


def never(_work: Callable[[], Any]) -> Future[Any]:
    """Take an arm and not run it."""
    return Future()


class Timer:
    """Seconds that pass with every look."""

    now = step = 0.0

    def __call__(self) -> float:
        """Return the present and move on."""
        self.now += self.step
        return self.now


def gathered(
    path: Path,
    text: str = "张三 bluetooth",
    *,
    run: Callable[[Callable[[], Any]], Future[Any]] = at_once,
    unasked: tuple[ArmReport, ...] = (),
    vectors: tuple[VectorArm, ...] = (),
    rules: RecallRules | None = None,
    **asked: Any,
) -> Gathered:
    """Gather in a brain that was told three things."""
    rules = rules or RecallRules(deadline_ms=1)
    with opened(path) as brain:
        for said in ("张三的蓝牙打不开", "the bluetooth is broken", "周报 report"):
            say(brain, said)
        with brain._lease() as tenant:
            follower = tenant.views.ready(rules, wait=True)
            question = RecallRequest(text=text, now=NOW, **asked)
            cues = read_cues(text, now=NOW)
            widely = QueryExpansionRules()
            plan = make_plan(cues, request_id="r", rules=rules, k=20, expansion=widely)
            reach = RecallTools(
                follower=follower,
                run=run,
                run_model=lambda _model, work: run(work),
                in_time=lambda work, _seconds: work(),
                timer=Timer(),
                expansion=widely,
                ontology=load_ontology(),
                read_question=lambda _: QuestionReading(),
                unasked=unasked,
                vectors=vectors,
            )
            return gather(question, cues, plan, tools=reach, ports=tenant.ports, rules=rules)


def verdicts(found: Gathered) -> dict[str, str]:
    """Return what became of each arm; none is reported twice."""
    names = [one.name for one in found.reports]
    assert len(names) == len(set(names))
    return {one.name: one.verdict.value for one in found.reports}


@pytest.mark.spec("R3", "R4")
@pytest.mark.parametrize("text", ["张三 蓝牙", "broken bluetooth"])
def test_every_arm_is_reported_once(tmp_path: Path, text: str) -> None:
    """Those that answered with their hits, those that were not needed with why."""
    found = gathered(tmp_path, text)
    assert {"text": "ok", "time": "skipped", "raw": "ok", "graph": "ok"} == verdicts(found)
    for one in found.reports:
        assert one.reason
        if one.name in found.found:
            assert len(found.found[one.name]) == one.hits


@pytest.mark.spec("R4")
def test_nobody_answers_and_nobody_is_waited_for(tmp_path: Path) -> None:
    """All are late, nothing is found, and it is no error."""
    found = gathered(tmp_path, "昨天 yesterday 张三", run=never)
    late = {name for name, verdict in verdicts(found).items() if verdict == "late"}
    assert {"text", "labels", "time", "days", "names", "raw"} == late
    assert "skipped" == verdicts(found)["graph"]
    assert {} == found.found


@pytest.mark.spec("R4")
def test_an_arm_that_is_late_is_cancelled(tmp_path: Path) -> None:
    """One that has not begun never will: nobody would read its answer."""
    taken: list[Future[Any]] = []

    def keeping(_work: Callable[[], Any]) -> Future[Any]:
        taken.append(Future())
        return taken[-1]

    gathered(tmp_path, run=keeping)
    assert taken
    assert all(one.cancelled() for one in taken)


@pytest.mark.spec("R4", "S5")
def test_an_arm_that_is_late_took_as_long_as_it_was_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not no time at all, which would make the slowest look the fastest."""
    monkeypatch.setattr(Timer, "step", 0.001)
    found = gathered(tmp_path, run=never)
    late = [one for one in found.reports if one.verdict is ArmVerdict.LATE]
    assert late
    assert all(one.took_ms >= 1 for one in late)


@pytest.mark.spec("R4")
def test_a_slow_arm_takes_none_of_those_that_are_asked_later() -> None:
    """Its thread ends with what it began with: whoever asks the next ones waits for their own."""
    line, go = ArmLine(time.monotonic), threading.Event()
    with ThreadPoolExecutor(2) as pool:
        line.waiting.append(("text", lambda: line.answer("text", lambda: go.wait(60))))
        running = line.run_for(0.01, pool.submit)
        line.waiting.append(("graph", lambda: line.answer("graph", lambda: [1])))
        go.set()
        assert running["text"].exception(60) is None
        assert ["graph"] == [name for name, _ in line.waiting]
        assert line.run_for(60, pool.submit)["graph"].exception(60) is None
    assert [1] == line.answers["graph"]


def test_switches_leave_arms_out(tmp_path: Path) -> None:
    """Off is off, whatever is ready; without words in an index labels are asked."""
    rules = RecallRules(
        use_node_index=False, graph=GraphRules(enabled=False), raw=RawRecallRules(enabled=False)
    )
    found = gathered(tmp_path, rules=rules)
    assert {
        "text": "off",
        "labels": "ok",
        "time": "skipped",
        "graph": "off",
        "raw": "off",
    } == verdicts(found)
    assert "labels_only" == mode_of(found)
    assert "off" == verdicts(gathered(tmp_path / "b", k_hop=0))["graph"]


@pytest.mark.spec("R4")
@pytest.mark.parametrize(
    ("error", "code"), [(AdapterError("坏了"), "adapter"), (ValueError("a\nb"), "internal")]
)
def test_a_failure_is_one_line_of_a_report(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    error: Exception,
    code: str,
) -> None:
    """Ours by its code; any other is logged with its traceback, for it is a defect."""

    def failing(*_: object, **__: object) -> object:
        raise error

    monkeypatch.setattr(text, "search_text", failing)
    with caplog.at_level(logging.ERROR):
        found = gathered(tmp_path)
    assert found.report("labels") is not None  # words are looked for in another way
    report = found.report("text")
    assert report is not None
    assert (ArmVerdict.FAILED, code) == (report.verdict, report.code)
    assert "\n" not in report.reason
    assert ("internal" == code) == bool(caplog.records)
    assert "graph" in found.found


@pytest.mark.spec("R4")
def test_without_words_only_names_and_times_are_looked_for(tmp_path: Path) -> None:
    """An empty question finds nothing and asks for no original."""
    found = gathered(tmp_path, "")
    assert "skipped" == verdicts(found)["raw"]
    assert "skipped" == verdicts(found)["graph"]


def report(name: str, verdict: ArmVerdict, code: str = "ok") -> ArmReport:
    """Build a report."""
    return ArmReport(name=name, verdict=verdict, code=code)


OK, OFF, FAILED, LATE = ArmVerdict.OK, ArmVerdict.OFF, ArmVerdict.FAILED, ArmVerdict.LATE
NOT_READY, SKIPPED = ArmVerdict.NOT_READY, ArmVerdict.SKIPPED


@pytest.mark.spec("R4")
@pytest.mark.parametrize(
    ("text", "vector", "graph", "row"),
    [
        (OK, (OK, "ok"), OK, "all"),
        (OK, (OK, "ok"), SKIPPED, "all"),
        (OK, (OFF, "no_embedder"), OK, "no_embeddings"),
        (OK, (FAILED, "adapter"), OK, "no_embeddings"),
        (OK, (OFF, "disabled"), OK, "vector_not_ready"),
        (OK, (NOT_READY, "no_vectors"), OK, "vector_not_ready"),
        (OK, (LATE, "late"), OK, "vector_not_ready"),
        (OK, (OK, "ok"), OFF, "no_graph"),
        (OK, (OK, "ok"), NOT_READY, "no_graph"),
        (OK, (OFF, "no_embedder"), OFF, "keywords_only"),
        (OK, (FAILED, "adapter"), LATE, "keywords_only"),
        (OFF, (OFF, "no_embedder"), OK, "graph_only"),
        (OFF, (OFF, "disabled"), OFF, "labels_only"),
        (LATE, (OFF, "no_embedder"), SKIPPED, "graph_only"),
        (FAILED, (OK, "ok"), OK, "no_text"),
        (OFF, (OK, "ok"), OFF, "vectors_only"),
        (LATE, (OK, "ok"), SKIPPED, "no_text"),
    ],
)
def test_the_mode_is_the_row_of_the_table(
    text: ArmVerdict, vector: tuple[ArmVerdict, str], graph: ArmVerdict, row: str
) -> None:
    """Told by which arms could answer, not by which were chosen; the graph also with no seed."""
    reports = [report("text", text), report("vector:m", *vector), report("graph", graph)]
    assert row == mode_of(Gathered(reports=reports))


@pytest.mark.spec("R3")
def test_of_two_embedders_one_that_answers_is_enough() -> None:
    """The other's failure is reported, and the row is that of all arms."""
    reports = [
        report("text", OK),
        report("vector:en", FAILED, "adapter"),
        report("vector:zh", OK),
        report("graph", OK),
    ]
    assert "all" == mode_of(Gathered(reports=reports))


@pytest.mark.spec("R3")
def test_seeds_are_what_is_named_and_the_best_of_each_arm() -> None:
    """Each arm by its own scale, not more than so many; what is named keeps its weight."""
    hits = [SimpleNamespace(num=n, score=10.0 - n) for n in range(1, 6)]
    found: Any = [hits, [], [SimpleNamespace(num=9, score=0.0)]]
    assert {7: 1.0, 1: 1.0, 2: pytest.approx(8 / 9)} == graph.seeds_of({7: 1.0}, found, most=2)
    assert {1: 1.0} == graph.seeds_of({1: 0.3}, found, most=1)


@pytest.mark.spec("R3", "R14")
@pytest.mark.parametrize("text", ["昨天", "yesterday"])
def test_a_time_outside_what_was_asked_for_is_not_searched(tmp_path: Path, text: str) -> None:
    """The message's own time and the caller's are both kept to."""
    (time,) = read_cues(text, now=NOW).times
    assert isinstance(time, CueTime)
    found = gathered(tmp_path, text, since=NOW)
    assert "ok" == verdicts(found)["time"]
    assert [] == found.found.get("time", [])


@pytest.mark.spec("R3", "J6")
@pytest.mark.parametrize("text", ["张三 蓝牙", "broken bluetooth"])
def test_without_concepts_the_graph_goes_by_memories(tmp_path: Path, text: str) -> None:
    """What is found is the same, and the report says which layer was missing."""
    plain = gathered(tmp_path / "a", text)
    layered = gathered(
        tmp_path / "b", text, rules=RecallRules(deadline_ms=1, graph=GraphRules(use_l2=True))
    )
    assert plain.found == layered.found
    codes = [(one.verdict, one.code) for one in (plain.report("graph"), layered.report("graph"))]
    assert [(ArmVerdict.OK, "ok"), (ArmVerdict.OK, "no_l2")] == codes


@pytest.mark.spec("R3", "J6")
def test_activation_passes_between_concepts_first() -> None:
    """From a concept to another that only their layer ties to it, and on to its memories."""
    index = NumpyGraph()
    both = GraphLayer.FULL | GraphLayer.ONLINE
    index.update(
        [
            GraphEdge(1, 1, 2, EdgeType.SIMILAR_TO, 0.9, GraphLayer.CONCEPTS),
            GraphEdge(2, 2, 3, EdgeType.ABOUT, 0.8, both),
        ]
    )
    follower: Any = SimpleNamespace(graph=lambda: index)
    how: dict[str, Any] = {"follower": follower, "hops": 1, "rules": GraphRules(), "k": 9}
    assert [1] == [one.num for one in graph.spread({1: 1.0}, **how)]
    hits, there = graph.spread_over_concepts({1: 1.0}, **how)
    assert (True, {1, 2, 3}) == (there, {one.num for one in hits})
    hits, there = graph.spread_over_concepts({2: 1.0, 3: 0.5}, **how)
    assert (True, {1, 2, 3}) == (there, {one.num for one in hits})


@pytest.mark.spec("R3")
@pytest.mark.parametrize(
    ("text", "asked", "rules", "expected"),
    [
        ("张三的蓝牙", {}, {}, [200, 200]),
        ("the broken bluetooth", {"types": ("facts",)}, {}, [150]),
        ("张三的 bluetooth", {"types": ("facts", "episodes")}, {}, [150, 200]),
        ("the broken bluetooth", {"types": ("facts",)}, {"Fact": 7}, [20]),
        ("张三的蓝牙", {"types": ("facts",), "k": 3}, {"Fact": 7}, [7]),
        ("the broken bluetooth", {"types": ("tasks",)}, {}, [200]),
        ("张三的蓝牙", {}, {"Fact": 900}, [900, 200]),
    ],
)
def test_neighbours_are_read_by_the_kinds_that_are_asked_for(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    text: str,
    asked: dict[str, Any],
    rules: dict[str, int],
    expected: list[int],
) -> None:
    """As many as the kind with most of them has, never fewer than are to be shown; turns apart."""
    read: list[int] = []

    def search(
        words: str, _arm: object, _only: object, apart: list[Any], *, follower: object
    ) -> list[Any]:
        assert (text, True) == (words, follower is not None)
        assert all(("episodes" in types) <= ("facts" not in types) for types, _ in apart)
        read.extend(k for _, k in apart)
        return []

    monkeypatch.setattr(vector, "search_meaning", search)
    default = RecallRules()
    apart = replace(default.vector, per_kind={**default.vector.per_kind, **rules})
    embedder: Any = SimpleNamespace(name="m")
    arm = VectorArm(embedder=embedder, view="text")
    gathered(tmp_path, text, vectors=(arm,), rules=replace(default, vector=apart), **asked)
    assert expected == read


@pytest.mark.spec("R3")
@pytest.mark.parametrize(
    ("text", "languages", "expected"),
    [
        ("狗的医生", ("en",), "dog doctor"),
        ("the dog's doctor", ("zh",), "狗 医生 博士"),
        ("狗的医生", ("zh",), "狗的医生"),
        ("狗的医生", ("zh", "en"), "狗的医生"),
        ("狗的医生", (), "狗的医生"),
        ("강아지 병원", ("zh",), "강아지 병원"),
    ],
)
def test_an_embedder_is_asked_in_a_language_that_it_reads(
    text: str, languages: tuple[str, ...], expected: str
) -> None:
    """One that reads only the other language is given the message word by word in that one."""
    embedder: Any = SimpleNamespace(name="m")
    arm = VectorArm(embedder=embedder, view="text", languages=languages)
    assert expected == vector.words_for(arm, read_cues(text, now=NOW))
