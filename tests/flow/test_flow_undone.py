"""What was told as done and was not done after all is open again, and nothing else is."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, user


def states(folder: Path, *messages: str) -> dict[str, tuple[str, ...]]:
    """Return how the tasks and goals came along that stand after messages of the user."""
    with fake_brain(folder) as brain:
        for message in messages:
            brain.commit_turn("s", [user(message)])
        found = [one for kind in ("tasks", "goals") for one in brain.memories.list(kind).items]
        return {
            str(one.value.get("title") or one.value.get("name")): tuple(
                f"{each.value['status']} {each.status.value}"
                for each in sorted(
                    brain.memories.list(one.type, status=None).items, key=lambda each: each.version
                )
                if each.key == one.key
            )
            for one in found
        }


@pytest.mark.spec("C4", "C1")
@pytest.mark.parametrize(
    ("todo", "done", "then", "title"),
    [
        (
            "I need to clean the kitchen.",
            "I cleaned the kitchen.",
            "Actually, I didn't clean the kitchen.",
            "clean the kitchen",
        ),
        (
            "I need to clean the kitchen.",
            "Cleaned the kitchen, done.",
            "Actually, I didn't clean the kitchen.",
            "clean the kitchen",
        ),
        (
            "I need to clean the kitchen.",
            "I cleaned the kitchen.",
            "I didn't clean the kitchen after all.",
            "clean the kitchen",
        ),
        (
            "I need to book a hotel in Rome.",
            "The hotel in Rome is booked.",
            "No, the hotel in Rome isn't booked.",
            "book a hotel in Rome",
        ),
        ("我要打扫厨房", "我打扫了厨房", "其实我没打扫厨房", "打扫厨房"),
        ("我要打扫厨房", "厨房打扫好了", "其实厨房没打扫", "打扫厨房"),
        ("我要写周报", "周报完成了", "不对，我没写周报", "写周报"),
        ("我要给妈妈打电话", "我给妈妈打了电话", "其实我没给妈妈打电话", "给妈妈打电话"),
    ],
)
def test_a_task_that_was_not_done_after_all_is_open_again(
    tmp_path: Path, todo: str, done: str, then: str, title: str
) -> None:
    """What was told as done is taken back."""
    came = ("todo superseded", "done retracted", "todo active")
    assert {title: came} == states(tmp_path, todo, done, then)


@pytest.mark.spec("C4")
def test_a_goal_that_was_not_reached_after_all_goes_on(tmp_path: Path) -> None:
    """The same holds for what somebody wants to reach."""
    told = ("My goal is to run a marathon.", "I ran the marathon!", "Actually, I didn't run it.")
    came = ("active superseded", "achieved retracted", "active active")
    then = "Actually, I didn't run the marathon."
    assert {"run a marathon": came} == states(tmp_path / "whole", *told[:2], then)
    assert {"run a marathon": came[:1] + ("achieved active",)} == states(tmp_path / "it", *told)


@pytest.mark.spec("C4", "C1")
@pytest.mark.parametrize(
    "told",
    [
        ("I need to clean the kitchen.", "Actually, I didn't clean the kitchen."),
        ("我要打扫厨房", "其实我没打扫厨房"),
    ],
)
def test_what_is_still_to_be_done_stays_so(tmp_path: Path, told: tuple[str, str]) -> None:
    """Not to have done something is no reason not to do it."""
    assert [("todo active",)] == list(states(tmp_path, *told).values())


@pytest.mark.spec("C4", "C1")
@pytest.mark.parametrize(
    "then",
    [
        "Actually, I didn't clean the bathroom.",
        "I didn't clean the kitchen last year.",
        "Did I clean the kitchen?",
        "其实我没打扫客厅",
        "其实妈妈没打扫厨房",
    ],
)
def test_other_things_that_were_not_done_open_nothing(tmp_path: Path, then: str) -> None:
    """Neither does a word that corrects nothing."""
    told = ("I need to clean the kitchen.", "I cleaned the kitchen.")
    if not then.isascii():
        told = ("我要打扫厨房", "我打扫了厨房")
    assert [("todo superseded", "done active")] == list(states(tmp_path, *told, then).values())


@pytest.mark.spec("C1")
@pytest.mark.parametrize("said", ["Actually, I didn't clean the kitchen.", "其实我没打扫厨房"])
def test_what_nobody_had_to_do_is_no_task(tmp_path: Path, said: str) -> None:
    """It is chit-chat."""
    assert {} == states(tmp_path, said)


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    "told",
    [
        ("I need to clean the kitchen.", "I don't need to clean the kitchen after all."),
        ("I need to clean the kitchen.", "I no longer need to clean the kitchen."),
        ("我要打扫厨房", "我不用打扫厨房了"),
    ],
)
def test_what_need_not_be_done_is_gone(tmp_path: Path, told: tuple[str, str]) -> None:
    """That is a denial of the need, and not of the deed."""
    assert {} == states(tmp_path, *told)
