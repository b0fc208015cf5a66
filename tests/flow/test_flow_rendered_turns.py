"""Turns that were committed, shown again as messages: the same order, calls with their makers."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, fake_brain, user

from smartbrain.domain.context import ContextPackage


def made(number: int) -> dict[str, Any]:
    """Return a call as OpenAI gives it."""
    function = {"name": "read_log", "arguments": json.dumps({"path": f"日志{number}"})}
    return {"id": f"call_{number}", "type": "function", "function": function}


def answered(number: int) -> dict[str, Any]:
    """Return the result of a call as OpenAI gives it."""
    return {"role": "tool", "tool_call_id": f"call_{number}", "content": f"secret output {number}"}


@pytest.mark.spec("S1", "R15")
def test_a_committed_tool_loop_comes_back_in_its_order(tmp_path: Path) -> None:
    """Two calls at once, then one more, then the answer; the outputs themselves stay away."""
    said = [
        user("蓝牙坏了, please fix it"),
        assistant("I look at both logs.", tool_calls=[made(1), made(2)]),
        answered(1),
        answered(2),
        assistant(None, tool_calls=[made(3)]),
        answered(3),
        assistant("好了，it works."),
    ]
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", said)
        packet = brain.build_memory_packet("s", "and now?", audience="planner")
    package = ContextPackage(
        context_id="c",
        session_id="s",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        recent_turns=packet.stm.window,
        user_message=user("and now?"),
    )
    shown = package.messages()
    calls = [[call["id"] for call in one.get("tool_calls", ())] for one in shown]
    assert [*(one["role"] for one in said), "user"] == [one["role"] for one in shown]
    assert [[], ["call_1", "call_2"], [], [], ["call_3"], [], [], []] == calls
    assert said[0]["content"] == shown[0]["content"]
    assert said[-1]["content"] == shown[-2]["content"]
    assert "secret output" not in json.dumps(shown)
