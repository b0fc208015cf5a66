"""What is found in a tool's output leads to it: a summary and an id, never the output itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import assistant, fake_brain, user

from smartbrain import SmartBrain

ROWS = [f"row {number} ok 正常" for number in range(200)]
CASES = pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ZQX-777 flaky frobnicator", "ZQX-777 是什么"),
        ("模块 KWY-31 偶发抖动", "what about KWY-31?"),
    ],
)


def worked(path: Path, line: str, *, silent: bool = False) -> tuple[SmartBrain, str]:
    """Return a brain of which one old run printed a line, and the id of that run."""
    brain = fake_brain(path)
    output = "\n".join([*ROWS, line, *ROWS])
    messages = [] if silent else [user("check the logs 看看日志"), assistant("done")]
    calls = [
        {"name": "ls", "stdout": "a.txt", "exit_code": 0},
        {"name": "logs", "stdout": output, "exit_code": 0},
        {"name": "pwd", "stdout": "/srv", "exit_code": 0},
    ]
    turn = brain.commit_turn("w", {"messages": messages, "tool_calls": calls})
    for number in range(10):
        brain.commit_turn("w", [user(f"chatter 闲聊 {number}"), assistant("ok")])
    (run,) = [one.id for one in turn.artifacts if one.tool_name == "logs"]
    return brain, run


@pytest.mark.spec("W6", "R17")
@CASES
@pytest.mark.parametrize("silent", [False, True])
@pytest.mark.parametrize("recipe", ["standard", "chat"])
def test_evidence_names_the_run_that_printed_it(
    tmp_path: Path, line: str, message: str, silent: bool, recipe: str
) -> None:
    """The summary and the id are there, with which the line is found; the output is not."""
    brain, run = worked(tmp_path, line, silent=silent)
    with brain:
        package = brain.compose_context("new", message, recipe=recipe)
        found = brain.artifacts.grep(run, line.split()[0])
        again = brain.replay(package.context_id, {})
    text = package.text()
    assert (True, 1) == (f"artifact {run}): logs: exit code 0" in text, found.matches)
    assert ([], True) == ([one for one in ROWS[20:180] if one in text], again.same)


@pytest.mark.spec("W6", "S1")
@CASES
def test_the_recall_tool_names_the_run(tmp_path: Path, line: str, message: str) -> None:
    """A model that asks memory is told the id with which it can look into the output."""
    brain, run = worked(tmp_path, line)
    with brain:
        told = brain.call_tool(
            "new", {"id": "c", "name": "recall", "arguments": {"query": message}}
        )
        arguments = {"id": f"tool:{run}", "pattern": line.split()[0]}
        read = brain.call_tool("new", {"id": "d", "name": "artifact_grep", "arguments": arguments})
    assert (True, True) == (f"in tool:{run}: logs: exit code 0" in told.text, line in read.text)


@pytest.mark.spec("R17")
@pytest.mark.parametrize("message", ["check the logs", "看看日志"])
def test_a_turn_found_by_what_was_said_shows_no_run(tmp_path: Path, message: str) -> None:
    """Who asks for what was said gets that; the runs of the turn are not of interest."""
    brain, run = worked(tmp_path, "nothing")
    with brain:
        text = brain.compose_context("new", message).text()
    assert (True, False) == ("check the logs" in text, run in text)
