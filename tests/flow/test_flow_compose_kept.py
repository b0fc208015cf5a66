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
