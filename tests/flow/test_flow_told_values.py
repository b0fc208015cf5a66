"""What a plain sentence of the user says of hours, days and projects stands in the value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flow_builders import fake_brain, user

AT = "2026-11-18T09:00:00+00:00"  # a Wednesday


def told(path: Path, text: str, type_name: str) -> dict[str, Any]:
    """Return the value of the one memory of a type that a sentence makes."""
    with fake_brain(path) as brain:
        brain.commit_turn("s", {"messages": [user(text)], "at": AT})
        (memory,) = brain.memories.list(type_name).items
    return dict(memory.value)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("Remind me to send the report to Anna by Friday 5pm.", "2026-11-20T17:00+00:00"),
        ("I need to submit the tax form by March 3rd at 10:30.", "2027-03-03T10:30+00:00"),
        ("周五下午五点前要把报告发给王芳。", "2026-11-20T17:00+00:00"),
        ("明天上午十点前得提交周报。", "2026-11-19T10:00+00:00"),
    ],
)
def test_a_task_that_is_due_at_an_hour_keeps_it(tmp_path: Path, text: str, due: str) -> None:
    """The hour is part of the date."""
    assert due == told(tmp_path, text, "tasks")["due"]


@pytest.mark.spec("K1", "K11")
@pytest.mark.parametrize(
    "text",
    [
        "In SmartRAG we decided to add retrieve(plan) returning EvidencePack.",
        "SmartRAG 项目决定用 Postgres 做数据库。",
    ],
)
def test_a_decision_belongs_to_the_project_it_names(tmp_path: Path, text: str) -> None:
    """Its scope is what stands before it."""
    assert "SmartRAG" == told(tmp_path, text, "decisions")["project"]


@pytest.mark.spec("K1", "K11")
@pytest.mark.parametrize(
    ("text", "made_at"),
    [
        ("Last Tuesday we decided to use Postgres for the billing service.", "2026-11-17"),
        ("We decided last Tuesday to go with Postgres.", "2026-11-17"),
        ("上周二我们定了用 Postgres 存账单。", "2026-11-10"),
    ],
)
def test_a_decision_was_made_when_the_words_say(tmp_path: Path, text: str, made_at: str) -> None:
    """It is told later than it was made."""
    assert made_at == told(tmp_path, text, "decisions")["made_at"]
