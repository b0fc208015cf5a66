"""Pins that have expired, and what pins name: the notes they become, and runs by either id.

In: pins in Chinese and English on a real brain, and days that pass. Out: the notebook of the
session each came from, whatever is written next, and what a context of it shows meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, user

from smartbrain import NotFound, SmartBrain
from smartbrain.bootstrap.replaying import check_replay
from smartbrain.testing.clock import FakeClock

SAID = [
    ("部署窗口", "只在周五 18 点后部署"),
    ("deploy window", "deploy on Fridays after 18:00 only"),
]


def spoken(brain: SmartBrain) -> str:
    """Say something and return the source it is."""
    return f"chat:{brain.commit_turn('会话', [user('说一句 hello'), assistant('好')]).turn_id}"


def later(brain: SmartBrain, days: float) -> None:
    """Let days pass."""
    clock = brain._root.clock.clock
    assert isinstance(clock, FakeClock)
    clock.advance(days=days)


WRITES: dict[str, Callable[[SmartBrain], object]] = {
    "plan": lambda brain: brain.plan.add("other", "写测试"),
    "fastmemo": lambda brain: brain.fastmemo.add("user", "prefers tea"),
    "note": lambda brain: brain.notebook.add("other", "looked at it"),
    "remember": lambda brain: brain.remember("I like tea"),
    "turn": lambda brain: brain.commit_turn("other", [user("接着做")]),
}


@pytest.mark.spec("W5")
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize(("title", "summary"), SAID)
def test_any_write_makes_a_note_of_an_expired_pin(
    tmp_path: Path, write: str, title: str, summary: str
) -> None:
    """In the session it came from, which a context of it shows before and after, and once."""
    with fake_brain(tmp_path) as brain:
        source = spoken(brain)
        brain.pins.add("constraint", title, summary, source)
        later(brain, 8)
        line = f"{title}: {summary} ({source})"
        before = brain.state.governed("会话").notebook
        shown = brain.compose_context("会话", "hi", recipe="chat").text()
        assert [] == list(brain.state.governed("other").notebook)
        WRITES[write](brain)
        after = brain.state.governed("会话").notebook
        (note,) = brain.notebook.list("会话")
        assert summary in shown
        assert summary in brain.compose_context("会话", "hi", recipe="chat").text()
    assert [("1", line)] == [(one.id, one.text) for one in before]
    assert [("1", line)] == [(one.id, one.text) for one in after] == [(note.id, note.text)]


@pytest.mark.spec("W5", "W4")
@pytest.mark.parametrize("noted", [True, False])
@pytest.mark.parametrize(("title", "summary"), SAID)
def test_a_rollback_brings_an_expired_pin_back(
    tmp_path: Path, title: str, summary: str, noted: bool
) -> None:
    """It lives as long again and leaves no second note until then; replayed it is the same."""
    with fake_brain(tmp_path) as brain:
        source = spoken(brain)
        brain.pins.add("constraint", title, summary, source)
        later(brain, 8)
        if noted:
            brain.commit_turn("会话", [user("继续 go on")])
        else:
            brain.pins.add("path", "log", "/var/log", source)
        assert [title] == [one.title for one in brain.pins.rollback(1)]
        brain.commit_turn("会话", [user("还在吗 still there?")])
        assert [title] == [one.title for one in brain.pins.list()]
        assert 1 == len(brain.notebook.list("会话"))
        with brain._lease() as tenant:
            assert () == check_replay(tenant, brain._root.rules).differences
        later(brain, 8)
        assert [] == brain.pins.list()


@pytest.mark.spec("W5", "W6")
@pytest.mark.parametrize("printed", ["测试 3 失败\n", "test 3 failed\n"])
def test_a_run_is_read_by_the_id_that_its_caller_gave_it(tmp_path: Path, printed: str) -> None:
    """As a pin names it; the latest of several, and none that is not there."""
    with fake_brain(tmp_path) as brain:
        for text in ("old 旧的\n", printed):
            run = {"id": "k1", "name": "pytest", "stdout": text, "exit_code": 1}
            brain.commit_turn("s", {"messages": [user("跑测试")], "tool_calls": [run]})
        pin = brain.pins.add("path", "t", "s", "tool:k1", artifact_ref="tool:k1")
        assert pin.artifact_ref is not None
        found = brain.artifacts.get(pin.artifact_ref)
        call = {"name": "artifact_get", "arguments": {"id": pin.artifact_ref}}
        answer = brain.call_tool("s", {"id": "z", "function": {**call}})
        assert printed.strip() in answer.text
        assert printed == found.text == brain.artifacts.get(found.id).text
        with pytest.raises(NotFound):
            brain.artifacts.get("tool:k2")


@pytest.mark.spec("W5")
def test_a_pin_of_no_session_becomes_a_note_where_somebody_spoke(tmp_path: Path) -> None:
    """Not in a session that has a plan only."""
    file = tmp_path / "配置.yml"
    file.write_text("一\n", encoding="utf-8")
    with fake_brain(tmp_path / "b") as brain:
        spoken(brain)
        brain.pins.add("path", "config 配置", "x", f"file:{file}#L1")
        later(brain, 8)
        brain.plan.add("other", "write")
        assert [] == brain.notebook.list("other")
        assert 1 == len(brain.notebook.list("会话"))
