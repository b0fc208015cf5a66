"""Several people in one conversation: what each says of themselves stays their own.

In: turns whose messages have names, and transcripts. Out: profiles and preferences by person.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, user

from smartbrain import SmartBrain
from smartbrain.bootstrap.replaying import check_replay

TALKS = [
    (
        [
            ("Alice", "I work at Siemens."),
            ("Alice", "I prefer dark mode."),
            ("Bob", "I work at Google."),
            ("Bob", "I no longer prefer dark mode."),
            ("Bob", "I prefer light mode."),
            ("Alice", "I live in Berlin."),
        ],
        {"user": {"employer": "Siemens", "home": "Berlin"}, "Bob": {"employer": "Google"}},
        {"": "dark mode", "Bob": "light mode"},
    ),
    (
        [
            ("小明", "我在腾讯上班。"),
            ("小明", "我喜欢深色主题。"),
            ("小红", "我在阿里上班。"),
            ("小红", "我喜欢浅色主题。"),
            ("小明", "我住在北京。"),
        ],
        {"user": {"employer": "腾讯", "home": "北京"}, "小红": {"employer": "阿里"}},
        {"": "深色主题", "小红": "浅色主题"},
    ),
]


def profiles(brain: SmartBrain) -> dict[str, dict[str, str]]:
    """Return what is known of each person."""
    return {
        one.value["subject"]: {fact["k"]: fact["v"] for fact in one.value["facts"]}
        for one in brain.memories.list("profile").items
    }


def preferences(brain: SmartBrain) -> dict[str, str]:
    """Return what each person prefers; the user has no name."""
    found = brain.memories.list("preferences").items
    return {one.value["name"].rpartition(" ")[0]: one.value["value"] for one in found}


@pytest.mark.spec("M2", "C4", "E1")
@pytest.mark.parametrize(("talk", "people", "wishes"), TALKS, ids=["en", "zh"])
def test_speakers_do_not_overwrite_each_other(
    tmp_path: Path,
    talk: list[tuple[str, str]],
    people: dict[str, dict[str, str]],
    wishes: dict[str, str],
) -> None:
    """Who speaks first is the user, anybody else goes by name; a replay finds the same."""
    with fake_brain(tmp_path) as brain:
        for name, said in talk:
            brain.commit_turn("s", [user(said, name=name)])
        found = profiles(brain), preferences(brain)
        texts = [one.text for one in brain.memories.list("profile").items]
        told = [one.text for one in brain.memories.list("preferences").items]
        with brain._lease() as tenant:
            report = check_replay(tenant, brain._root.rules)
    assert (people, wishes) == found
    (other,) = set(people) - {"user"}
    assert [f"{other} — employer: {people[other]['employer']}"] == [
        text for text in texts if other in text
    ]
    assert any(text.startswith(f"{other}: ") for text in told)
    assert (0, 0) == (report.failed, report.differing)


@pytest.mark.spec("M2")
def test_a_transcript_of_two_people_has_two_profiles(tmp_path: Path) -> None:
    """Their lines are theirs."""
    file = tmp_path / "talk.txt"
    file.write_text(
        "[2000-03-01 10:00] 张三: 我在腾讯工作\n[2000-03-01 10:01] Bob: I work at Google\n",
        encoding="utf-8",
    )
    with fake_brain(tmp_path / "brain") as brain:
        brain.import_chat(file)
        found = profiles(brain)
    assert {"user": {"employer": "腾讯"}, "Bob": {"employer": "Google"}} == found


@pytest.mark.spec("M2")
@pytest.mark.parametrize("name", ["李雷", "Alice"])
def test_a_user_alone_is_the_user_whatever_the_name(tmp_path: Path, name: str) -> None:
    """In each session, named or not; a guest of somebody without a name is the guest."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("one", [user("I work at Siemens.", name=name)])
        brain.commit_turn("two", [user("我住在北京。", name=f"{name}2")])
        brain.commit_turn("three", [user("我叫李雷。")])
        brain.commit_turn("three", [user("I work at Google.", name="Bob")])
        found = profiles(brain)
    assert {"user", "Bob"} == set(found)
    assert ("Siemens", "Google") == (found["user"]["employer"], found["Bob"]["employer"])
