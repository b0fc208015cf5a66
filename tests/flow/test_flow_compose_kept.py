"""How traces of contexts come to be written: by one thread that looks for them and ends."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, inside, user

from smartbrain import SmartBrain
from smartbrain.bootstrap import composing

LOOKING = "smartbrain-traces"


def looking() -> list[threading.Thread]:
    """Return the threads that look for traces."""
    return [one for one in threading.enumerate() if one.name == LOOKING]


@pytest.mark.spec("S6")
@pytest.mark.parametrize("message", ["Where does Mara live?", "小梅住在哪里？"])
def test_one_thread_looks_for_the_traces_of_many_contexts(
    tmp_path: Path, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is there once, also after everything was written, and ends with the brain."""
    monkeypatch.setattr(composing, "_SOON", 600.0)
    before = {*looking()}
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("a", [user("Mara lives in Lisbon. 小梅住在成都。"), assistant("ok")])
        first = brain.compose_context("b", message)
        (there,) = {*looking()} - before
        brain._root.composing().flush()
        second = brain.compose_context("b", message)
        assert {there} == {*looking()} - before
        brain._root.composing().flush()
        with inside(brain) as rows:
            kept = [rows.working.trace(one.context_id) for one in (first, second)]
    there.join(timeout=600)
    assert None not in kept
    assert not there.is_alive()


def many(brain: SmartBrain, message: str) -> list[str]:
    """Compose many contexts."""
    return [brain.compose_context("b", f"{message} {n}").context_id for n in range(40)]


@pytest.mark.spec("S6")
@pytest.mark.parametrize("locked", [False, True])
def test_a_forked_process_writes_its_own_traces_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, locked: bool
) -> None:
    """Whatever the parent is just doing: what waits there is the parent's."""
    monkeypatch.setattr(composing, "_SOON", 600.0)
    with fake_brain(tmp_path) as brain:
        made = many(brain, "Where does Mara live? 小梅住在哪里？")
        keeping = brain._root.composing()._kept
        if locked:
            keeping._writing.acquire()
        child = os.fork()
        if child == 0:
            own = brain.compose_context("child", "小梅住在哪里？")
            told = brain.explain(own.context_id)
            os._exit(0 if told.context_id == own.context_id and not keeping._waiting else 1)
        if locked:
            keeping._writing.release()
        assert 0 == ended(child)
        brain._root.composing().flush()
        with inside(brain) as rows:
            assert all(rows.working.trace(one) is not None for one in made)


def ended(child: int) -> int:
    """Return how a process ended; one that does not end is stopped."""
    for _ in range(600):
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.spec("C11")
@pytest.mark.parametrize(
    ("said", "question"),
    [
        ("We decided to use Redis for the cache.", "What do we use for the cache?"),
        ("我们决定用 Redis 做缓存。", "我们决定用什么做缓存？"),
    ],
)
def test_an_answer_is_known_however_many_contexts_wait_to_be_written(
    tmp_path: Path, said: str, question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An echo is one too if its context is not among the last ones any more."""
    monkeypatch.setattr(composing, "_SOON", 600.0)
    monkeypatch.setattr(composing, "_LATEST", 4)
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("long ago", [user(said)])
        first = brain.compose_context("s", question)
        for n in range(8):
            brain.compose_context("other", f"hello 你好 {n}")
        keeping = brain._root.composing()._kept
        answer = [user(question), assistant(said)]
        brain.commit_turn("s", answer, context_id=first.context_id)
        (kept,) = brain.memories.list(type="decisions").items
        keeping.flush()
        assert 4 == len(keeping._latest)
        assert not keeping._unwritten
    assert 1 == kept.frequency
