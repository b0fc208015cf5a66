"""The arms of recall, switched off, failing, late, deleted: an answer comes and says how it came.

In: one brain with an embedder, parts of which are taken away at run time. Out: the row of the table
of degradation that was taken, a report of every arm, and what the other arms found.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flow_builders import user
from recall_builders import NOW, arm, arms, ids, opened, say

from smartbrain import SmartBrain
from smartbrain.domain.recall import ArmVerdict
from smartbrain.errors import AdapterError
from smartbrain.recall.arms import graph, raw, text, time, vector
from smartbrain.testing.models import FailingEmbedder, HashEmbedder

SAID = (
    "Win11 蓝牙打不开，错误码 0x8007045D",
    "The bluetooth driver fails with 0x8007045D on 张三's laptop",
    "周报星期四要交 the weekly report is due",
)
QUERIES = ["张三 蓝牙 打不开", "bluetooth driver fails 张三"]
TIMED = ["昨天 蓝牙 0x8007045D 张三", "yesterday bluetooth 0x8007045D 张三"]


class Switched(HashEmbedder):
    """An embedder that can be broken while it is in use."""

    broken = False

    def embed_query(self, text: str) -> Any:
        """Fail while it is broken."""
        if self.broken:
            raise AdapterError("the model is gone", retryable=True)
        return super().embed_query(text)


@contextmanager
def brain_with_vectors(path: Path, embedder: HashEmbedder | None = None) -> Iterator[SmartBrain]:
    """Open a brain whose every arm answers."""
    with opened(path, embedder=embedder or Switched(64)) as brain:
        for n, said in enumerate(SAID):
            say(brain, said, at=NOW - timedelta(days=1), session=f"s{n}")
        brain.jobs.run("embed")
        brain.recall("开始 start")
        yield brain


@pytest.mark.spec("R4")
@pytest.mark.parametrize("query", QUERIES)
def test_each_row_of_the_table_is_reached_at_run_time(tmp_path: Path, query: str) -> None:
    """One brain goes through all five and back, and answers in each with the same best memory."""
    embedder = Switched(64)
    with brain_with_vectors(tmp_path, embedder) as brain:

        def asked(**settings: bool) -> tuple[str, bool, dict[str, str], str]:
            for name in ("vector", "graph"):
                brain.configure({f"recall.{name}.enabled": settings.get(name, True)})
            answer = brain.recall(query)
            shown = {name: arms(answer)[name] for name in ("text", "vector", "graph")}
            return answer.trace.mode, answer.trace.degraded, shown, answer[0].id

        mode, degraded, shown, best = asked()
        assert ("all", False) == (mode, degraded)
        assert {"text": "ok", "vector": "ok", "graph": "ok"} == shown
        embedder.broken = True
        assert ("no_embeddings", True, {**shown, "vector": "failed"}, best) == asked()
        embedder.broken = False
        for switches, row in (
            ({"vector": False}, "vector_not_ready"),
            ({"graph": False}, "no_graph"),
            ({"vector": False, "graph": False}, "keywords_only"),
        ):
            off = dict.fromkeys(switches, "off")
            assert (row, False, {**shown, **off}, best) == asked(**switches)
        assert ("all", False, shown, best) == asked()


@pytest.mark.spec("R4")
def test_without_an_embedder_there_are_no_embeddings(tmp_path: Path) -> None:
    """That is how it was set up: nothing is missing, and the report says why."""
    with opened(tmp_path) as brain:
        say(brain, SAID[0])
        answer = brain.recall("蓝牙")
        packet = brain.build_memory_packet("s", "蓝牙")
    assert ("no_embeddings", False) == (answer.trace.mode, answer.trace.degraded)
    assert (ArmVerdict.OFF, "no_embedder") == (
        arm(answer, "vector").verdict,
        arm(answer, "vector").code,
    )
    assert ("no_embeddings", False) == (packet.metrics["mode"], packet.metrics["degraded"])


@pytest.mark.spec("R4")
def test_vectors_that_are_not_made_yet_are_not_waited_for(tmp_path: Path) -> None:
    """An embedder that has embedded nothing so far leaves its arm not ready, and nothing lacks."""
    failing = FailingEmbedder(HashEmbedder(64))
    with opened(tmp_path, embedder=failing) as brain:
        say(brain, SAID[0])
        answer = brain.recall("蓝牙")
    assert ("vector_not_ready", False) == (answer.trace.mode, answer.trace.degraded)
    report = arm(answer, "vector")
    assert ("vector:hash", ArmVerdict.NOT_READY, "no_vectors") == (
        report.name,
        report.verdict,
        report.code,
    )
    assert 1 == len(answer.items)


@pytest.mark.spec("R4")
@pytest.mark.parametrize(
    ("query", "found"), [("张三 怎么了", "张三"), ("what about 0x8007045D", "0x8007045D")]
)
def test_the_graph_answers_alone(tmp_path: Path, query: str, found: str) -> None:
    """No text index is built at all, neither of memories nor of originals, and no vector."""
    config: dict[str, Any] = {
        "use_node_index": False,
        "raw": {"enabled": False},
        "vector": {"enabled": False},
    }
    with opened(tmp_path, recall=config) as brain:
        for n, said in enumerate(SAID):
            say(brain, said, session=f"s{n}")
        answer = brain.recall(query)
        timed = brain.recall(f"今天 today {query}")
        packet = brain.build_memory_packet("s0", query)
        with brain._lease() as tenant:
            follower = tenant.views.loaded
            assert follower is not None
            assert [False, False] == [follower.place(one).ready for one in ("text", "passages")]
    assert ("graph_only", False) == (answer.trace.mode, answer.trace.degraded)
    assert {
        "text": "off",
        "raw": "off",
        "vector": "off",
        "graph": "ok",
        "labels": "ok",
    }.items() <= (arms(answer).items())
    assert found in answer[0].text
    assert "graph" in answer[0].found_by
    assert "graph_only" == packet.metrics["mode"]
    assert [] != packet.episodes
    assert "time" in timed[0].found_by


@pytest.mark.spec("R4")
def test_switching_the_text_index_off_takes_effect_at_once(tmp_path: Path) -> None:
    """It stays loaded, and yet no arm asks it, not even for a time; switched on it answers."""
    with brain_with_vectors(tmp_path) as brain:
        with pytest.MonkeyPatch.context() as patched:
            asked: list[object] = []
            patched.setattr(text, "search_text", lambda *_, **__: asked.append(1) or [])
            brain.configure({"recall.use_node_index": False})
            for query in (*QUERIES, *TIMED):
                assert [] != ids(brain.recall(query))
            assert [] == asked
        brain.configure({"recall.use_node_index": True})
        assert "ok" == arms(brain.recall(QUERIES[0]))["text"]


ARMS: list[tuple[str, Any, str]] = [
    ("text", text, "search_text"),
    ("vector", vector, "search_meaning"),
    ("time", time, "search_times"),
    ("names", graph, "find_named"),
    ("graph", graph, "spread"),
    ("raw", raw, "search_originals"),
]


@pytest.mark.spec("R4")
@pytest.mark.parametrize(("name", "module", "function"), ARMS, ids=[one[0] for one in ARMS])
@pytest.mark.parametrize(
    ("error", "code"),
    [(AdapterError("kaputt 坏了"), "adapter"), (RuntimeError("kaputt\n坏了"), "internal")],
    ids=["ours", "foreign"],
)
def test_an_arm_that_fails_costs_only_its_own_hits(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    module: Any,
    function: str,
    error: Exception,
    code: str,
) -> None:
    """Whatever it fails with: the others answer, its report is a line, the next call is whole."""

    def failing(*_: object, **__: object) -> object:
        raise error

    with brain_with_vectors(tmp_path) as brain:
        whole = [brain.recall(query) for query in TIMED]
        with monkeypatch.context() as patched:
            patched.setattr(module, function, failing)
            hurt = [brain.recall(query) for query in TIMED]
            packet = brain.build_memory_packet("s0", TIMED[0])
        again = [brain.recall(query) for query in TIMED]
    for before, answer, after in zip(whole, hurt, again, strict=True):
        assert not before.trace.degraded
        assert answer.trace.degraded
        report = arm(answer, name)
        assert (ArmVerdict.FAILED, code) == (report.verdict, report.code)
        assert "kaputt" in report.reason
        assert "\n" not in report.reason
        assert set(ids(before)[:2]) == set(ids(answer)[:2])
        assert ids(before) == ids(after)
        own = (report.name, "exact") if name == "raw" else (report.name,)  # of the same passages
        others = {one.name: one.verdict for one in answer.trace.arms if one.name not in own}
        expected = {one.name: one.verdict for one in before.trace.arms if one.name not in own}
        if name != "text":  # the arm of times asks the text index as well
            assert expected == others
    assert packet.metrics["degraded"]
    assert packet.episodes


@pytest.mark.spec("R4")
@pytest.mark.parametrize(("name", "module", "function"), ARMS, ids=[one[0] for one in ARMS])
def test_an_arm_that_is_late_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, module: Any, function: str
) -> None:
    """The deadline passes, the others have answered, what comes too late is thrown away."""
    go = threading.Event()
    inner: Callable[..., object] = getattr(module, function)

    def waiting(*given: object, **more: object) -> object:
        go.wait(60)
        return inner(*given, **more)

    query = TIMED[len(name) % 2]
    with brain_with_vectors(tmp_path) as brain:
        before = brain.recall(query)
        brain.configure({"recall.deadline_ms": 1_000})
        with monkeypatch.context() as patched:
            patched.setattr(module, function, waiting)
            try:
                answer = brain.recall(query)
            finally:
                go.set()
        brain.configure({"recall.deadline_ms": None})
        after = brain.recall(query)
    assert (ArmVerdict.LATE, "late") == (arm(answer, name).verdict, arm(answer, name).code)
    assert answer.trace.degraded
    late = [one.name for one in answer.trace.arms if one.verdict is ArmVerdict.LATE]
    with_it = {"text": ["text", "facts", "exact", "days", "time"], "raw": ["exact", "raw"]}
    assert with_it.get(name, [arm(answer, name).name]) == late
    assert set(ids(before)[:2]) == set(ids(answer)[:2])
    assert ids(before) == ids(after)


@pytest.mark.spec("R4", "S7")
def test_snapshots_that_are_removed_while_open_are_not_missed(tmp_path: Path) -> None:
    """What is open goes on answering, follows what is said next, and is built anew when opened."""
    with brain_with_vectors(tmp_path) as brain, brain._lease() as tenant:
        tenant.views.save(brain._recall_rules())
        folder = tenant.folder / "views"
    with opened(tmp_path, embedder=Switched(64), seed=2) as brain:
        before = [ids(brain.recall(query)) for query in QUERIES]
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.name.endswith(".lock"):
                path.unlink()
        assert before == [ids(brain.recall(query)) for query in QUERIES]
        say(brain, "蓝牙 driver 换了新的 a new one", session="later")
        brain.jobs.run("embed")
        assert "later" == brain.recall("蓝牙 driver 换了新的")[0].session_id
        after = [ids(brain.recall(query)) for query in QUERIES]
    with opened(tmp_path, embedder=Switched(64), seed=3) as brain:
        assert after == [ids(brain.recall(query)) for query in QUERIES]


@pytest.mark.spec("R4")
def test_a_stuck_arm_does_not_starve_those_that_follow(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Recall after recall, an arm that never returns costs its own hits alone."""
    go = threading.Event()

    def stuck(*_: object, **__: object) -> object:
        go.wait(60)
        return []

    with brain_with_vectors(tmp_path) as brain:
        expected = ids(brain.recall(QUERIES[0]))[:1]
        brain.configure({"recall.deadline_ms": 100})
        monkeypatch.setattr(vector, "search_meaning", stuck)
        try:
            answers = [brain.recall(QUERIES[0]) for _ in range(20)]
        finally:
            go.set()
    assert [expected] * 20 == [ids(one)[:1] for one in answers]
    assert {ArmVerdict.LATE} == {arm(one, "vector").verdict for one in answers}


@pytest.mark.spec("R3")
@pytest.mark.parametrize("query", ["was the storm loud?", "暴风雨大不大"])
def test_types_narrow_the_answer_and_not_where_the_graph_begins(tmp_path: Path, query: str) -> None:
    """A profile that shares no word with the question is beside the turn that does."""
    with opened(tmp_path) as brain:
        say(brain, "I live in Berlin. 我住在柏林。 A storm is coming. 暴风雨要来了。")
        say(brain, "Where is the library? 图书馆在哪里？", session="x")
        answer = brain.recall(query, types=["profile"])
        without = brain.recall(query, types=["profile"], k_hop=0)
    assert [("profile:user", ("graph",))] == [(one.key, one.found_by) for one in answer]
    assert "beginnings" not in arms(answer)
    assert [] == ids(without)


@pytest.mark.spec("R3")
def test_other_types_do_not_crowd_out_those_asked_for(tmp_path: Path) -> None:
    """All that the graph reaches is read, for most of it is of types that were not asked for."""
    with opened(tmp_path) as brain:
        say(brain, "I live in Berlin. 我住在柏林。")
        for n in range(5):
            people = [{"key": f"entity:person:P{n}_{m}", "remember": True} for m in range(30)]
            said = user(f"Where do they live in Berlin, {n}号楼的人住在哪里？")
            brain.commit_turn("s", {"messages": [said], "entities": people})
        plain = brain.recall("where do I live 我住在哪里", k=5)
        answer = brain.recall("where do I live 我住在哪里", k=5, types=["profile"])
    assert plain.trace.candidates < arm(answer, "graph").hits <= answer.trace.candidates
    assert ["profile:user"] == [one.key for one in answer]


@pytest.mark.spec("R4")
@pytest.mark.parametrize(
    "nothing", ["\u200b", "\u200b\u200d\ufeff", "\u202e\u202c", "---", "…？！"]
)
def test_a_message_that_says_nothing_is_near_to_nothing(tmp_path: Path, nothing: str) -> None:
    """A model gives every text a vector; invisible characters and mere marks are not asked for."""
    with opened(tmp_path, embedder=HashEmbedder(64)) as brain:
        say(brain, SAID[0])
        brain.jobs.run("embed")
        assert [] == list(brain.recall(nothing))
        assert list(brain.recall("蓝牙"))
