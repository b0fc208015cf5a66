"""What `commit_turn` answers: short artifacts and the documented JSON.

In: turns with tool calls of every size. Out: summaries that stay small, results that read back.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, fake_brain, user

from smartbrain import SmartBrain
from smartbrain.domain.result import CommitResult


def lines(text: str, count: int) -> str:
    """Return a text of that many numbered lines."""
    return "\n".join(f"{text} {n}" for n in range(count))


@pytest.mark.spec("W6")
@pytest.mark.parametrize(
    "call",
    [
        {"name": "t"},
        {"name": "t", "result": ""},
        {"name": "t", "result": {"行": list(range(5000))}},
        {"name": "t", "stdout": lines("日志 line", 5000), "exit_code": 0},
        {"name": "t", "stderr": lines("错误", 50), "stdout": "y" * 100_000, "exit_code": 3},
        {"name": "t", "result": "x" * 200_000},
        {"name": "多\n行\u2028名\r\n字", "result": "一\n二\n三\n四\n五\n六\n七"},
        {"name": "n" * 512, "stdout": "\n\n\n \x0b\x0c\x1c\x85 \n"},
        {"name": "t", "stdout": "🙂" * 2000},
    ],
    ids=lambda call: repr(call)[:40],
)
def test_an_artifact_is_told_in_one_to_six_lines(tmp_path: Path, call: dict[str, Any]) -> None:
    """However large or odd the output, its summary stays small and names the tool's end."""
    with SmartBrain.open(tmp_path) as brain:
        (artifact,) = brain.commit_turn("s", {"tool_calls": [call]}).artifacts
        (read,) = brain.sessions.turns("s")[0].tool_calls
    assert 1 <= len(artifact.summary.splitlines()) <= 6
    assert len(artifact.summary) <= 1500
    assert (read.id, call["name"]) == (artifact.id, artifact.tool_name)


@pytest.mark.spec("W6")
def test_a_failed_call_tells_its_errors_first(tmp_path: Path) -> None:
    """Name and end come first, then stderr, then stdout; a result only where both are absent."""
    calls = [
        {"name": "make", "exit_code": 2, "stdout": "building…\n", "stderr": "错误：缺少文件\n"},
        {"name": "计算", "result": {"答": 42}, "status": "ok"},
        {"name": "both", "result": "not shown", "stdout": "shown"},
    ]
    with SmartBrain.open(tmp_path) as brain:
        artifacts = brain.commit_turn("s", {"tool_calls": calls}).artifacts
    assert [
        "make: exit code 2, 34 bytes\n错误：缺少文件\nbuilding…",
        '计算: ok, 10 bytes\n{"答":42}',
        "both: unknown, 5 bytes\nshown",
    ] == [artifact.summary for artifact in artifacts]


@pytest.mark.spec("S1", "C1")
def test_the_result_is_the_documented_json(tmp_path: Path) -> None:
    """Every field is there, and reading the JSON back gives the same result."""
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn(
            "s",
            {
                "messages": [user("记住：周五发布")],
                "tool_calls": [{"name": "t", "stdout": "ok", "exit_code": 0}],
                "tasks": [{"key": "task:SmartBot:release", "title": "发布"}],
                "mood": 1,
            },
        )
        task = brain.memories.get("task:SmartBot:release")
        event = brain.memories.get("event:general:2001-05-18:发布")
    assert ("发布", 0.8) == (task.value["title"], task.confidence)
    plain = result.to_dict()
    assert {
        "ok": True,
        "turn_id": result.turn_id,
        "replayed": False,
        "memory_written": {
            "count": 2,
            "items": [
                {
                    "id": memory.id,
                    "type": memory.type,
                    "key": memory.key,
                    "status": "active",
                    "confidence": memory.confidence,
                }
                for memory in (task, event)
            ],
        },
        "artifacts": [
            {
                "id": result.artifacts[0].id,
                "tool_name": "t",
                "status": "ok",
                "exit_code": 0,
                "bytes": 2,
                "summary": "t: exit code 0, 2 bytes\nok",
            }
        ],
        "summary": {
            "updated": False,
            "trigger_reason": None,
            "version": None,
            "source_turn_range": None,
            "generated_at": None,
        },
    } == {name: value for name, value in plain.items() if name != "explain"}
    explain = plain["explain"]
    assert ["retention", "conflicts", "summary", "ignored"] == list(explain)
    assert [
        ("episodes", f"episode:s:{result.turn_id}", "written"),
        ("tasks", "task:SmartBot:release", "written"),
        ("events", "event:general:2001-05-18:发布", "written"),
    ] == [(one["type"], one["key"], one["action"]) for one in explain["retention"]]
    text = json.dumps(plain, ensure_ascii=False)
    assert result == CommitResult.from_dict(json.loads(text))


@pytest.mark.spec("C11")
@pytest.mark.parametrize(
    ("said", "answered"),
    [
        (
            "We decided to use Postgres for the database.",
            "Got it: we decided to use Postgres for the database.",
        ),
        ("我们决定用 Redis 做缓存。", "好的，我们决定用 Redis 做缓存。"),
    ],
)
def test_an_answer_that_agrees_is_no_second_statement(
    tmp_path: Path, said: str, answered: str
) -> None:
    """The assistant repeats what it was just told; the decision has been said once."""
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user(said), assistant(answered)])
        (decision,) = brain.memories.list("decisions").items
    assert decision.frequency == 1
    assert ["new"] == [one.code for one in result.explain.retention if one.type == "decisions"]
