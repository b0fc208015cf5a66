"""Venting, small talk and words beside a noun are no names and no wishes.

In: a message of the user. Out: the repositories and preferences that it leaves.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, user


def kept(folder: Path, said: str, *kinds: str) -> list[str]:
    """Return the keys of the memories of some types that a message leaves."""
    with fake_brain(folder) as brain:
        brain.commit_turn("s", [user(said)])
        return [one.key for kind in kinds for one in brain.memories.list(kind).items]


@pytest.mark.spec("C1", "C2")
@pytest.mark.parametrize(
    ("said", "repos"),
    [
        ("that repo sucks", []),
        ("this repo rocks", []),
        ("the repo crashed", []),
        ("check the repo again please", []),
        ("look at the repo please", []),
        ("in our repo today we found a leak", []),
        ("our repo now has tests", []),
        ("仓库 again 坏了", []),
        ("the rocket repo yesterday", ["rocket"]),
        ("I cloned the repo SmartBrain", ["SmartBrain"]),
        ("that repo called rocket is big", ["rocket"]),
        ("our repo rocket-core is big", ["rocket-core"]),
        ("仓库叫 rocket", ["rocket"]),
    ],
)
def test_a_repository_is_called_by_its_name_alone(
    tmp_path: Path, said: str, repos: list[str]
) -> None:
    """What a sentence goes on with after the noun is none."""
    found = [one for one in kept(tmp_path, said, "entities") if one.startswith("entity:repo:")]
    assert [f"entity:repo:{one}" for one in repos] == found


@pytest.mark.spec("C1")
@pytest.mark.parametrize(
    "said",
    [
        "I never want to see another regex again",
        "I never want to see a regex ever again",
        "再也不想看到正则了",
        "需要的话叫我",
        "饭好了叫我",
        "叫我的时候小声点",
    ],
)
def test_who_lets_off_steam_or_wants_to_be_fetched_wishes_for_nothing(
    tmp_path: Path, said: str
) -> None:
    """Neither is how the user wants things to be done, or to be called."""
    assert [] == kept(tmp_path, said, "preferences", "facts")


@pytest.mark.spec("C1", "C6")
@pytest.mark.parametrize(
    ("said", "key"),
    [
        ("请用 Markdown 格式输出", "pref:writing:answer_format"),
        ("请用 JSON 格式回答", "pref:writing:answer_format"),
        ("Please answer in Markdown", "pref:writing:answer_format"),
        ("Output in JSON format please", "pref:writing:answer_format"),
        ("I never want to see emojis in your answers", "pref:writing:emoji"),
        ("以后叫我老王", "pref:other:name_to_use"),
        ("请假系统用 Vue", "fact:请假系统:frontend_framework"),
    ],
)
def test_a_wish_for_a_format_or_a_name_is_kept_as_what_it_is(
    tmp_path: Path, said: str, key: str
) -> None:
    """A request has no subject: 请 is nobody who uses something."""
    assert [key] == kept(tmp_path, said, "preferences", "facts")
