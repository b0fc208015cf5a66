"""A deadline that is moved is a new version of its task, and a meeting that is moved is no task.

In: a task and what is said of its day afterwards, in Chinese and English, in any order of arrival.
Out: the same task, due on the new day; how far it is does not change.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from any_order import assert_replays, memories
from flow_builders import fake_brain, user

from smartbrain import SmartBrain

# 2000-01-04 is a Tuesday: the Friday after it is the 7th, the Monday after that the 10th.
_DAYS = ("2000-01-04T09:00:00Z", "2000-01-05T09:00:00Z", "2000-01-06T09:00:00Z")

MOVED = [
    ("The report is due Friday.", "The report deadline moved to Monday.", "report"),
    ("I need to finish the report by Friday", "The report deadline moved to Monday", "report"),
    ("I need to finish the report by Friday", "The report is now due Monday", "report"),
    (
        "I need to write the sales report by Friday",
        "The deadline for the report got pushed back to next Monday",
        "write_the_sales_report",
    ),
    (
        "I have to submit the grant application by Friday.",
        "The grant application deadline has been extended to Monday",
        "submit_the_grant_application",
    ),
    ("I need to finish the report by Friday", "They pushed the report deadline to Monday.",
     "report"),
    ("报告周五前要交", "报告改到下周一交", "报告"),
    ("报告周五前要交", "报告的截止日期改到下周一了", "报告"),
    ("我周五前要交报告", "报告推迟到下周一交", "交报告"),
    ("周五之前要写完季度报告", "季度报告延期到下周一", "写完季度报告"),
    ("周五之前要写完季度报告", "老板把季度报告的截止时间推迟到下周一了", "写完季度报告"),
]  # fmt: skip


def tell(brain: SmartBrain, said: str, day: int) -> None:
    """Commit a turn that was said on a day."""
    brain.commit_turn("s", {"at": _DAYS[day], "messages": [user(said)]})


@pytest.mark.spec("C1", "C4", "C6")
@pytest.mark.parametrize(("told", "moved", "name"), MOVED)
def test_a_moved_deadline_is_a_new_version_of_its_task(
    tmp_path: Path, told: str, moved: str, name: str
) -> None:
    """The old day is history, and no second task is made of it."""
    with fake_brain(tmp_path) as brain:
        tell(brain, told, 0)
        assert ["2000-01-07"] == [one.value["due"] for one in brain.memories.list("tasks").items]
        tell(brain, moved, 1)
        (task,) = brain.memories.list("tasks").items
        assert not brain.memories.list("events").items
    assert (f"task:general:{name}", 2) == (task.key, task.version)
    assert ("2000-01-10", "todo") == (task.value["due"], task.value["status"])


@pytest.mark.spec("C4", "M4")
@pytest.mark.parametrize(("told", "moved", "name"), MOVED)
def test_a_moved_deadline_comes_out_the_same_in_any_order(
    tmp_path: Path, told: str, moved: str, name: str
) -> None:
    """So it does where the move arrives before the task that it is about."""
    outcomes = []
    for number, order in enumerate(permutations(enumerate((told, moved, "Thanks, 谢谢!")))):
        with fake_brain(tmp_path / str(number)) as brain:
            for day, said in order:
                tell(brain, said, day)
            outcomes.append(memories(brain))
            assert_replays(brain)
    assert [outcomes[0]] * len(outcomes) == outcomes
    assert f"task:general:{name}" in {one["key"] for one in outcomes[0]}


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("told", "moved", "status"),
    [
        ("I'm working on the slides", "The slides are now due Monday", "doing"),
        ("I'm working on the slides", "The slides deadline moved to Monday", "doing"),
        ("我正在写周报", "周报改到下周一交", "doing"),
        ("The slides are done", "The slides got pushed to Monday", "done"),
    ],
)
def test_a_new_day_says_nothing_of_how_far_a_task_is(
    tmp_path: Path, told: str, moved: str, status: str
) -> None:
    """What is under way stays so."""
    with fake_brain(tmp_path) as brain:
        tell(brain, told, 0)
        tell(brain, moved, 1)
        (task,) = brain.memories.list("tasks").items
    assert (status, "2000-01-10") == (task.value["status"], task.value["due"])


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("told", "moved"),
    [
        ("I need to ask Bob about the report by Friday.", "The report deadline moved to Monday"),
        ("I need to finish the report by Friday.", "The homework deadline moved to Monday"),
        ("I need to finish the report by Friday.", "Can we move the report deadline to Monday?"),
        ("我周五前要问小李报告的事", "作业的截止日期改到下周一了"),
        ("报告周五前要交", "报告能改到下周一交吗？"),
    ],
)
def test_the_deadline_of_something_else_moves_no_task(
    tmp_path: Path, told: str, moved: str
) -> None:
    """Nor does a question."""
    with fake_brain(tmp_path) as brain:
        tell(brain, told, 0)
        tell(brain, moved, 1)
        due = {one.value.get("due") for one in brain.memories.list("tasks").items}
    assert {"2000-01-07"} == due


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("said", "title"),
    [
        ("王总的会推到周五了", "王总的会"),
        ("老板把评审会推到周五了", "评审会"),
        ("王总的会改到周五了", "王总的会"),
        ("Bob's meeting got pushed to Friday", "Bob's meeting"),
    ],
)
def test_a_meeting_that_is_moved_is_an_event_and_no_task(
    tmp_path: Path, said: str, title: str
) -> None:
    """Pushing it is nothing that anybody had to do."""
    with fake_brain(tmp_path) as brain:
        tell(brain, said, 0)
        assert not brain.memories.list("tasks").items
        (event,) = brain.memories.list("events").items
    assert (title, "2000-01-07") == (event.value["title"], event.value["date"])


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("told", "moved"),
    [
        ("和王总的会在周四", "王总的会推到周五了"),
        ("周四和王总开会", "王总的会推到周五了"),
        ("I have a meeting with Bob on Thursday", "Bob's meeting got pushed to Friday"),
    ],
)
def test_the_day_that_a_meeting_was_on_goes(tmp_path: Path, told: str, moved: str) -> None:
    """Only the new one stands."""
    with fake_brain(tmp_path) as brain:
        tell(brain, told, 0)
        tell(brain, moved, 1)
        assert ["2000-01-07"] == [one.value["date"] for one in brain.memories.list("events").items]


@pytest.mark.spec("C6")
@pytest.mark.parametrize("said", ["把王总的会推到周五吧", "Can we push Bob's meeting to Friday?"])
def test_asking_to_move_a_meeting_moves_none(tmp_path: Path, said: str) -> None:
    """It is a wish."""
    with fake_brain(tmp_path) as brain:
        assert not brain.commit_turn("s", [user(said)]).memory_written.items
