"""What is said not to take place, not to have happened or not to be needed is no memory.

In: a message of the user. Out: the events and tasks that it leaves. What has "no" in it beside what
does take place is kept.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, user


def kept(folder: Path, said: str) -> list[str]:
    """Return the types of the events and tasks that a message leaves."""
    with fake_brain(folder) as brain:
        brain.commit_turn("s", [user(said)])
        return [kind for kind in ("events", "tasks") for _ in brain.memories.list(kind).items]


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    "said",
    [
        "No meeting tomorrow",
        "Tomorrow no team meeting",
        "No outage yesterday",
        "Zero incidents yesterday",
        "There was no outage yesterday",
        "明天没有会",
        "明天没有 meeting",
        "昨天 no outage",
        "昨天没有故障",
        "I doubt that we need to rotate keys",
        "I don't think we need to rotate the keys",
        "I'm not convinced that we need to rotate the keys",
        "I never said we need to rotate the keys",
        "我不觉得我们需要修复登录 bug",
        "不需要修复登录 bug",
        "没必要修复登录 bug",
        "no TODO left",
        "There are no open TODO items",
        "没有 TODO 了",
        "没有待办了",
        "Error: TODO handler not found",
        "TODO handler not found",
    ],
)
def test_what_is_denied_is_neither_an_event_nor_a_task(tmp_path: Path, said: str) -> None:
    """There is none of it, so there is nothing to keep."""
    assert [] == kept(tmp_path, said)


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("No, the meeting is tomorrow", "events"),
        ("The team meeting is tomorrow at 3pm, no slides needed", "events"),
        ("We had no internet, so the demo yesterday failed", "events"),
        ("There was an outage yesterday", "events"),
        ("昨天出故障了", "events"),
        ("There is no doubt we need to rotate the keys", "tasks"),
        ("We need to rotate the keys, no doubt", "tasks"),
        ("TODO rotate the keys", "tasks"),
        ("Fixed the page. TODO rotate the keys", "tasks"),
        ("我需要修复登录 bug", "tasks"),
    ],
)
def test_what_takes_place_or_is_needed_is_kept(tmp_path: Path, said: str, kind: str) -> None:
    """A "no" of something else does not deny it."""
    assert kind in kept(tmp_path, said)
