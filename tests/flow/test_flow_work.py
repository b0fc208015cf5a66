"""Agents and a language model at work on a real brain, from commit to memory.

In: brains opened as users open them, agents that lease from threads, a model behind real HTTP.
"""

from __future__ import annotations

import json
from array import array
from base64 import b64encode
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from flow_builders import assistant, fake_brain, user

from smartbrain import Conflict, NotFound, SmartBrain, UsageError
from smartbrain.bootstrap.replaying import check_replay
from smartbrain.errors import AdapterError, SmartBrainError
from smartbrain.ports.language_model import ModelAnswer
from smartbrain.testing.model_service import MODEL, running_chat_service, saying
from smartbrain.testing.models import ScriptedModel

ZH, EN = "机房那边给我们留了十二个柜位。", "Racks twelve through fifteen stay with our group."
KEY = "fact:racks:limit"
ALL = ["extract", "link", "summarise", "embed"]


def racks(quote: str) -> dict[str, Any]:
    """Return an answer that claims one fact."""
    about = {"type": "facts", "subject": "racks", "relation": "thing", "attr": "limit"}
    return {"claims": [{**about, "value": "12", "quote": quote}]}


def with_agents(path: Path, *agents: str) -> SmartBrain:
    """Open a brain that queues work for agents."""
    return fake_brain(path, jobs={"agents": list(agents)})


@pytest.mark.spec("C9", "C3")
@pytest.mark.parametrize("said", [ZH, EN])
def test_an_agent_reads_a_turn_and_the_user_s_words_become_a_memory(
    tmp_path: Path, said: str
) -> None:
    """Leased, handed in, explained, found under its key; the turn is its source."""
    with with_agents(tmp_path, "extract") as brain:
        turn = brain.commit_turn("s", [user(said), assistant("好的。")]).turn_id
        (work,) = brain.work.lease("extract", "reader", seconds=30)
        outcome = brain.work.complete(work.id, "reader", racks(said))
        memory = brain.memories.get(KEY)
        assert (turn, 0.8, (memory.id,)) == (
            memory.source_turn_id,
            memory.confidence,
            outcome.written,
        )
        assert outcome == brain.work.complete(work.id, "reader", racks(said))
        explained = brain.explain(turn_id=outcome.operation_id or "")
        assert [outcome.explain] == list(explained.steps)
        assert ["done"] == [one.state.value for one in brain.work.list("extract")]


@pytest.mark.spec("C9")
def test_leases_go_by_the_machine_s_own_time(tmp_path: Path) -> None:
    """A brain whose clock stands in another year leases and takes back as any other."""
    with with_agents(tmp_path, "extract") as brain:
        brain.commit_turn("s", [user(ZH)])
        before = datetime.now(UTC)
        (work,) = brain.work.lease(["extract", "verify"], "a", seconds=3600)
        now = datetime.now(UTC)
        assert work.lease_until is not None
        assert before <= work.lease_until - timedelta(hours=1) <= now
        assert () == tuple(brain.work.lease("extract", "b"))
        failed = brain.work.fail(work.id, "a", "读不懂 unreadable")
        assert failed.run_after is not None
        assert failed.run_after > now
        assert () == tuple(brain.work.lease("extract", "b"))


@pytest.mark.spec("C9", "E4")
def test_agents_in_threads_share_the_work(tmp_path: Path) -> None:
    """Every turn is read once, whoever reads it."""
    with with_agents(tmp_path, "extract") as brain:
        for n in range(12):
            brain.commit_turn("s", [user(f"第 {n} 句，没什么 nothing.")])

        def agent(name: str) -> list[str]:
            done = []
            while found := brain.work.lease("extract", name):
                done += [brain.work.complete(one.id, name, {"claims": []}).work_id for one in found]
            return done

        with ThreadPoolExecutor(3) as pool:
            done = [one for found in pool.map(agent, ["甲", "b", "丙"]) for one in found]
        assert sorted(work.id for work in brain.work.list(state="done")) == sorted(done)
        assert 12 == len(done)


@pytest.mark.spec("C9", "C8", "C5")
def test_every_kind_of_agent_finds_its_work(tmp_path: Path) -> None:
    """A decision leaves something to link, to summarise and to embed; a dispute to verify."""
    with with_agents(tmp_path, *ALL) as brain:
        brain.commit_turn("s", [user("我们决定用 Postgres 做数据库。")])
        concept = brain.graph.add_node("Concept:存储")
        answers: dict[str, Any] = {
            "extract": {"claims": []},
            "summarise": {"text": "数据库用 Postgres。"},
        }
        (link,) = brain.work.lease("link", "agent")
        first = link.input["memories"][0]["id"]
        edges = [{"src": first, "type": "ABOUT", "dst": concept.id}]
        assert 1 == len(brain.work.complete(link.id, "agent", {"edges": edges}).written)
        (embed,) = brain.work.lease("embed", "agent")
        vector = b64encode(array("f", (0.6, 0.8)).tobytes()).decode()
        made = [
            {"id": one["id"], "mark": one["mark"], "vector": vector}
            for one in embed.input["memories"]
        ]
        answer = {"embedder": "out", "model": "m", "vectors": made}
        assert len(made) == len(brain.work.complete(embed.id, "agent", answer).written)
        for kind, given in answers.items():
            (work,) = brain.work.lease(kind, "agent")
            brain.work.complete(work.id, "agent", given)
        brain.memories.put("facts", "fact:server:房间", {"value": "地下室"})
        fact = {"subject": "server", "attribute": "房间", "value": "三楼"}
        call = {"name": "facts", "result": {"facts": [fact]}}
        brain.commit_turn("s", {"tool_calls": [call]})
        (verify,) = brain.work.lease("verify", "agent")
        other = verify.input["other"]["id"]
        brain.work.complete(verify.id, "agent", {"active": other})
        assert other == brain.memories.get("fact:server:房间").id


@pytest.mark.spec("C9")
def test_wrong_arguments_are_refused_before_anything_is_taken(tmp_path: Path) -> None:
    """Each by the class of its error, with what would be right."""
    with with_agents(tmp_path, "extract") as brain:
        brain.commit_turn("s", [user(ZH)])
        work = brain.work
        for bad in (
            lambda: work.lease("extrct", "a"),
            lambda: work.lease([], "a"),
            lambda: work.lease("extract", " "),
            lambda: work.lease("extract", "a", seconds=0),
            lambda: work.lease("extract", "a", seconds=float("nan")),
            lambda: work.lease("extract", "a", seconds=True),
            lambda: work.lease("extract", "a", limit=0),
            lambda: work.lease("extract", "a", limit=101),
            lambda: work.list(state="gone"),
            lambda: work.heartbeat("", "a"),
        ):
            with pytest.raises(UsageError):
                bad()
        with pytest.raises(NotFound):
            work.complete("job_none", "a", {"claims": []})
        (one,) = work.list()
        with pytest.raises(Conflict) as caught:
            work.complete(one.id, "a", {"claims": []})
        assert "lease_lost" == caught.value.code


@pytest.mark.spec("C9", "C6")
def test_without_agents_and_models_there_is_no_queue(tmp_path: Path) -> None:
    """The rules do it all; only disputes wait for somebody."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user("记住：我住在上海。We decided to use Postgres.")])
        assert () == tuple(brain.work.list())
        assert brain.memories.list().items


@pytest.mark.spec("C6", "S1")
def test_a_language_model_is_given_by_its_address(tmp_path: Path) -> None:
    """Every turn is read by it as well, over real HTTP."""
    with running_chat_service() as service:
        service.faults.append(saying(json.dumps(racks(ZH))))
        with SmartBrain.open(tmp_path, language_model=f"{service.url}#{MODEL}") as brain:
            brain.commit_turn("s", [user(ZH)])
            assert 0 == brain.jobs.run("extract").waiting
            assert 0.8 == brain.memories.get(KEY).confidence
        assert MODEL == service.requests[0].body["model"]


class Watched(ScriptedModel):
    """Says when it is asked."""

    def __init__(self, script: Sequence[str | SmartBrainError]) -> None:
        super().__init__(script)
        self.was_asked = Event()

    def complete(self, *given: Any, **more: Any) -> ModelAnswer:
        self.was_asked.set()
        return super().complete(*given, **more)


@pytest.mark.spec("C6", "C9")
def test_a_model_reads_in_the_background(tmp_path: Path) -> None:
    """Nobody has to ask it; a run by hand waits for what is going on."""
    model = Watched([json.dumps(racks(ZH))])
    with SmartBrain.open(tmp_path, language_model=model) as brain:
        brain.commit_turn("s", [user(ZH)])
        assert model.was_asked.wait(20)
        brain.jobs.run("extract")
        assert 0.8 == brain.memories.get(KEY).confidence
        assert 1 == len(model.asked)


@pytest.mark.spec("C6")
def test_a_model_that_fails_leaves_everything_else_as_it_is(tmp_path: Path) -> None:
    """The turn is committed and remembered by rule, its work stays queued with the reason."""
    model = Watched([AdapterError("它不在 away", retryable=True)])
    with SmartBrain.open(tmp_path, language_model=model) as brain:
        result = brain.commit_turn("s", [user("记住：我住在上海。")])
        assert result.memory_written.count
        brain.jobs.run("extract")
        (work,) = brain.work.list("extract")
        assert ("queued", 0, "它不在 away") == (work.state.value, work.attempts, work.error)


@pytest.mark.spec("E1", "C6")
def test_a_replay_needs_no_model(tmp_path: Path) -> None:
    """The stored answers give the same memories again."""
    with with_agents(tmp_path, "extract") as brain:
        for said in (ZH, EN):
            brain.commit_turn("s", [user(said)])
            (work,) = brain.work.lease("extract", "模型 model")
            brain.work.complete(work.id, "模型 model", racks(said))
        with brain._lease() as tenant:
            report = check_replay(tenant, brain._root.rules)
    assert (2, 2, True) == (report.steps, report.operations, report.identical)
