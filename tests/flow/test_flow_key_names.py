"""Names of tasks and goals in their keys: short, readable, the same for the same thing (M2)."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, user
from hypothesis import given
from hypothesis import strategies as st

from smartbrain.domain.keys import slug
from smartbrain.remember.extract.key_names import short


@pytest.mark.spec("M2")
@pytest.mark.parametrize(
    ("said", "key"),
    [
        (
            "I have to call the landlord about the leaking tap on Monday",
            "task:general:call_landlord_about_leaking_tap",
        ),
        (
            "I need to send the samples to Hannah Brandt in Oslo tomorrow.",
            "task:general:send_samples_hannah_brandt_oslo",
        ),
        ("I need to buy milk", "task:general:buy_milk"),
        ("I need to renew my passport.", "task:general:renew_my_passport"),
        ("我要给客户王总回一封关于报价的邮件", "task:general:给客户王总回报价的邮件"),
        ("我要买牛奶", "task:general:买牛奶"),
        (
            "My goal is to run a full marathon before I turn forty",
            "goal:general:run_a_full_marathon",
        ),
        ("My goal is to run a marathon.", "goal:general:run_a_marathon"),
        ("我打算用五年时间攒够首付，在苏州买房", "goal:general:用五年时间攒够首付"),
        (
            "我们团队的年度目标是把客户流失率降到百分之五以下",
            "goal:general:客户流失率降到百分之五以下",
        ),
    ],
)
def test_a_key_is_no_half_sentence(tmp_path: Path, said: str, key: str) -> None:
    """What is short stays as it is said; the title keeps every word."""
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user(said)])
    assert key in [one.key for one in result.memory_written.items]


@pytest.mark.spec("M2", "C4")
@pytest.mark.parametrize(
    ("told", "again"),
    [
        (
            "I have to call the landlord about the leaking tap",
            "Calling the landlord about the leaking tap is done.",
        ),
        (
            "I need to migrate the customer table to the new schema",
            "The customer table migration is done.",
        ),
        ("我要给客户王总回一封关于报价的邮件", "给客户王总回关于报价的邮件搞定了"),
    ],
)
def test_a_task_with_a_short_key_is_found_again(tmp_path: Path, told: str, again: str) -> None:
    """It is one task, done."""
    with fake_brain(tmp_path) as brain:
        for said in (told, again):
            brain.commit_turn("s", [user(said)])
        (task,) = brain.memories.list("tasks").items
    assert "done" == task.value["status"]


@pytest.mark.spec("M2")
@pytest.mark.parametrize(
    "title",
    ["a", "the", "of the to in", "去", "把一个", "before I go", "tomorrow", "call Bob tomorrow"],
)
def test_something_is_left_of_every_name(title: str) -> None:
    """Words that say little may be all there is."""
    assert slug(short(title))


@given(st.text(alphabet="abc the of to in 我把的一个会，", min_size=1, max_size=90))
def test_a_short_name_is_a_name_and_no_longer(title: str) -> None:
    """Whatever stands in a title, its name has something of it."""
    assert len(short(title)) <= len(title)
    assert bool(slug(short(title))) == bool(slug(title))
