"""Replaying: the order of events, the ids and times they keep, and what is made of their steps.

In: databases that were filled through the write path. Out: what is run again, and in which order.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from work_tenant import EXTRACT, LINK, VERIFY, Tenant, fact

from smartbrain import SmartBrain
from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.bootstrap.replaying import check_replay
from smartbrain.bootstrap.root import Root
from smartbrain.domain.replay import Stage, Step, StepParts
from smartbrain.errors import NotFound
from smartbrain.jobs.replay import replay
from smartbrain.testing.clock import START, FakeClock, seeded


@contextmanager
def brain(path: Path) -> Iterator[SmartBrain]:
    """Open a brain whose clock stands still, so that no time tells an order."""
    root = Root(path, clock=FakeClock(), entropy=seeded(1))
    with SmartBrain(root, "t", owner=True) as handle, handle._lease(create=True):
        yield handle


def user(text: str) -> list[dict[str, str]]:
    """Return a turn of one message."""
    return [{"role": "user", "content": text}]


def noted(handle: SmartBrain) -> list[tuple[int, Step]]:
    """Return the steps of a tenant, each with the last operation before it."""
    with handle._lease() as tenant, tenant.ports.truth.read() as rows:
        return [(last, step) for _, last, step in rows.replayed.steps()]


@pytest.mark.spec("E1")
def test_each_commit_is_noted_with_what_it_added(tmp_path: Path) -> None:
    """Of a turn that grew every step is known: its parts, its context and how far it went."""
    with brain(tmp_path) as handle:
        begun = {
            "messages": user("部署")[0:1],
            "tool_calls": [{"id": "c", "name": "run"}],
            "tasks": [{"project": "p", "title": "一"}, {"project": "p", "title": "two"}],
        }
        turn = handle.commit_turn("s", begun, context_id="ctx").turn_id
        handle.memories.put("facts", "fact:a:b", {"value": "c"})
        ended = {
            "messages": [*user("部署"), *user("好了")],
            "tool_calls": [{"id": "c", "name": "run", "stdout": "ok"}],
            "refs": [{"ref_type": "url", "ref_uri": "https://example.com"}],
        }
        handle.commit_turn("s", ended, turn_id=turn)
        handle.ingest("一份文件 a document")
        handle.r2g()
        found = noted(handle)
        (call,) = handle.sessions.turns("s")[0].tool_calls
    assert [0, 1, 1, 1] == [last for last, _ in found]
    steps = [step for _, step in found]
    assert [Stage.COMMIT, Stage.COMMIT, Stage.RECORD, Stage.REMEMBER] == [
        step.stage for step in steps
    ]
    assert [turn, turn] == [step.turn_id for step in steps[:2]]
    assert ["ctx", None] == [step.context_id for step in steps[:2]]
    assert [
        StepParts(messages=1, tool_calls=(call.id,), open_calls=(call.id,), proposals={"tasks": 2}),
        StepParts(messages=1, refs=1, tool_calls=(call.id,)),
    ] == [step.parts for step in steps[:2]]


@pytest.mark.spec("E1")
def test_operations_are_run_between_the_turns_they_stood_between(tmp_path: Path) -> None:
    """With a clock that stands still, only the noted order tells which statement is the last."""
    with brain(tmp_path) as handle:
        for value in ("一", "two", "三"):
            handle.memories.put("facts", "fact:a:b", {"value": value})
            proposed = {"subject": "a", "attribute": "b", "value": f"{value} 回", "confirmed": True}
            handle.commit_turn("s", {"messages": user("说"), "facts": [proposed]})
        handle.memories.put("facts", "fact:a:b", {"value": "last"})
        history = handle.memories.history("fact:a:b")
        with handle._lease() as tenant:
            told: list[tuple[int, int]] = []
            report = check_replay(
                tenant, handle._root.rules, lambda done, total: told.append((done, total))
            )
    assert len(history) > 3
    assert () == report.differences
    assert (3, 4) == (report.steps, report.operations)
    total = 7 + report.memories
    assert [(n, total) for n in range(1, 8)] == told[:7]
    assert (total, total) == told[-1]


def test_many_events_are_read_page_by_page(tmp_path: Path) -> None:
    """More steps and operations than a page holds are all run, in order."""
    with brain(tmp_path) as handle:
        for n in range(210):
            handle.memories.put("facts", f"fact:a:{n % 3}", {"value": f"值 {n}"})
        handle.commit_turn("s", user("好"))
        with handle._lease() as tenant:
            report = check_replay(tenant, handle._root.rules)
    assert (1, 210, True) == (report.steps, report.operations, report.identical)


@pytest.mark.spec("C9", "S1")
@pytest.mark.parametrize("said", ["服务器跑的是 Debian。", "The server runs Debian."])
def test_what_an_agent_made_of_a_turn_is_explained_under_the_turn(said: str) -> None:
    """As a step after the commit's own, and again when it is replayed."""
    tenant = Tenant(None, EXTRACT)
    committed = tenant.say(said)
    outcome = tenant.answer(fact("server", "version", "Debian", said))
    with closing(SqliteTruth(None, tenant="t", clock=tenant.clock)) as truth:
        target = replace(tenant.ports, truth=truth)
        assert replay(tenant.ports, target, rules=tenant.rules).identical
        steps = [committed.explain.to_dict(), outcome.explain.to_dict()]
        for ports in (tenant.ports, target):
            with ports.truth.read() as rows:
                assert steps == rows.remembering.explanations(committed.turn_id)
                assert steps[1:] == rows.remembering.explanations(outcome.operation_id or "")


@pytest.mark.spec("C9", "E1")
def test_the_stored_answers_of_agents_are_used_again() -> None:
    """Nobody is asked: what they proposed, elected and linked comes out of their stored answers."""
    tenant = Tenant(None, EXTRACT, LINK)
    tenant.say("服务器在法兰克福。The server runs Debian.")
    tenant.answer(fact("server", "version", "Debian", "The server runs Debian"))
    standing, other = tenant.disputed()
    tenant.answer({"active": other.id, "reason": "查过了"}, VERIFY)
    edge = {"src": standing.id, "type": "ABOUT", "dst": other.id}
    tenant.answer({"edges": [edge]}, LINK)
    with closing(SqliteTruth(None, tenant="t", clock=tenant.clock)) as truth:
        target = replace(tenant.ports, truth=truth)
        report = replay(tenant.ports, target, rules=tenant.rules)
    assert 3 == report.operations == len(tenant.operations())
    assert other.id == tenant.memory("fact:server:port").id
    assert ((), ()) == (report.not_run, report.differences)
    assert report.identical


def test_a_step_of_no_turn_is_refused() -> None:
    """A step is noted with its turn or not at all."""
    truth = SqliteTruth(None, tenant="t", clock=FakeClock())
    with truth.write() as transaction, pytest.raises(NotFound):
        transaction.replayed.add_step(Step(turn_id="没有", created_at=START))
    truth.close()
