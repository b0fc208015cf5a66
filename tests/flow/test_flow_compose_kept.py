"""How traces of contexts come to be written: by one thread that looks for them and ends."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, inside, user

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
    there.join(timeout=60)
    assert None not in kept
    assert not there.is_alive()


@pytest.mark.spec("S6")
@pytest.mark.parametrize("message", ["Where does Mara live?", "小梅住在哪里？"])
def test_traces_are_written_with_pauses_until_somebody_asks_for_them(
    tmp_path: Path, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two of them others have the interpreter; whoever wants one does not wait for that."""
    monkeypatch.setattr(composing, "_SOON", 0.01)
    monkeypatch.setattr(composing, "_PAUSE", 60.0)
    paused = threading.Event()
    wait = threading.Event.wait
    monkeypatch.setattr(
        threading.Event,
        "wait",
        lambda self, timeout=None: (timeout == 60.0 and paused.set()) or wait(self, timeout),
    )
    with fake_brain(tmp_path) as brain:
        made = [brain.compose_context("b", f"{message} {n}").context_id for n in range(40)]
        assert paused.wait(30)
        asking = threading.Thread(target=brain._root.composing().flush, daemon=True)
        asking.start()
        asking.join(timeout=30)
        assert not asking.is_alive()
        with inside(brain) as rows:
            assert all(rows.working.trace(one) is not None for one in made)
