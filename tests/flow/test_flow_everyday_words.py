"""What people say in passing about their work and themselves, in their own words.

In: a message or two, in Chinese and English. Out: one memory that says it, under its proper key.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flow_builders import fake_brain, user


def remembered(folder: Path, *told: str) -> dict[str, dict[str, Any]]:
    """Return the values of what stands after messages of the user, by keys, entities aside."""
    with fake_brain(folder) as brain:
        for said in told:
            turn = {"at": "2026-03-05T10:00:00+08:00", "messages": [user(said)]}
            brain.commit_turn("s", turn)
        kinds = ("profile", "preferences", "facts", "tasks", "decisions", "events", "goals")
        found = [one for kind in kinds for one in brain.memories.list(kind).items]
    return {one.key: dict(one.value) for one in found}


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("said", "facts"),
    [
        (
            "I'm a backend engineer at Stripe based in Dublin",
            {"role": "backend engineer", "employer": "Stripe", "home": "Dublin"},
        ),
        ("I work at Stripe based in Dublin", {"employer": "Stripe", "home": "Dublin"}),
        ("We have two kids", {"family": "two kids"}),
        ("我们有两个孩子", {"family": "两个孩子"}),
    ],
)
def test_who_somebody_is_stands_in_the_profile(
    tmp_path: Path, said: str, facts: dict[str, str]
) -> None:
    """Each attribute by itself, and nothing of it as a fact of a company."""
    found = remembered(tmp_path, said)
    assert ["profile:user"] == [*found]
    assert facts == {one["k"]: one["v"] for one in found["profile:user"]["facts"]}


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("told", "key", "value"),
    [
        (
            ("生产库是 MySQL 8.0", "生产库升级到 MySQL 8.4 了"),
            "fact:production_database:kind",
            "MySQL 8.4",
        ),
        (
            ("The prod database is Postgres 15", "The prod database was upgraded to Postgres 16"),
            "fact:production:database",
            "Postgres 16",
        ),
        (("预算是五万", "预算涨到六万了"), "fact:general:budget", "六万"),
        (("Our budget is 50k", "The budget went up to 60k"), "fact:general:budget", "60k"),
        (("我的直属领导是王芳",), "fact:user:manager", "王芳"),
        (("My manager is Priya",), "fact:user:manager", "Priya"),
        (
            ("我们用 React", "我们把前端从 React 换成 Vue 了"),
            "fact:company:frontend_framework",
            "Vue",
        ),
    ],
)
def test_what_something_has_become_takes_the_place_of_what_it_was(
    tmp_path: Path, told: tuple[str, ...], key: str, value: str
) -> None:
    """There is one fact, and it says how things are now."""
    found = remembered(tmp_path, *told)
    assert {key: value} == {one: told["value"] for one, told in found.items()}


@pytest.mark.spec("C6")
@pytest.mark.parametrize(
    ("said", "day"), [("周一开始封版", "2026-03-09"), ("周一上线了新版本", "2026-03-02")]
)
def test_a_release_lies_ahead_unless_it_is_over(tmp_path: Path, said: str, day: str) -> None:
    """Said on a Thursday, of a Monday."""
    (event,) = remembered(tmp_path, said).values()
    assert day == event["date"]
