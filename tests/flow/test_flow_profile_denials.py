"""What somebody says they are not: it ends that one thing of their profile, and nothing else."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from any_order import assert_replays, memories
from flow_builders import fake_brain, user

from smartbrain import SmartBrain

Facts = list[tuple[str, str]]


def tell(brain: SmartBrain, *texts: tuple[int, str]) -> None:
    """Say something, each on a day."""
    for day, text in texts:
        brain.commit_turn("s", {"at": f"2001-05-{day:02}T10:00:00Z", "messages": [user(text)]})


def standing(path: Path, *texts: str) -> Facts:
    """Say something on one day each; return what stands of the user then."""
    with fake_brain(path) as brain:
        tell(brain, *enumerate(texts, start=1))
        assert_replays(brain)
        return _facts(brain)


def _facts(brain: SmartBrain) -> Facts:
    found = brain.memories.list("profile").items
    return [(fact["k"], fact["v"]) for one in found for fact in one.value["facts"]]


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("told", "denied"),
    [
        ("I'm a nurse.", "I'm not a nurse."),
        ("I'm a nurse.", "I was never a nurse."),
        ("我是护士", "我不是护士"),
        ("我住在北京", "我不住在北京"),
        ("I live in Berlin.", "I don't live in Berlin."),
        ("I live in Berlin.", "I've never lived in Berlin."),
        ("I'm a vegetarian", "I'm not a vegetarian"),
        ("我吃素", "我不吃素"),
        ("I have a dog", "I don't have a dog"),
        ("I have two kids.", "I don't have any kids."),
        ("我养了一只狗", "我没养狗"),
        ("I'm allergic to nuts and milk.", "I'm not allergic to nuts, milk or eggs."),
        ("我对花生过敏", "我对花生不过敏"),
        ("I have diabetes.", "I don't have diabetes."),
        ("我有高血压", "我没有高血压"),
        ("I speak German.", "I don't speak German."),
        ("我会说法语", "我不会说法语"),
        ("My name is Tom.", "My name is not Tom."),
        ("我叫李雷", "我不叫李雷"),
        ("I'm 42 years old.", "I'm not 42 years old."),
        ("我今年28岁", "我不是28岁"),
        ("I'm Canadian.", "I'm not Canadian."),
        ("I'm from Brazil.", "I'm not from Brazil."),
        ("我老家在湖南", "我老家不在湖南"),
        ("I'm married.", "I'm not married."),
        ("我已婚", "我没有结婚"),
        ("I work as a PM.", "I don't work as a PM."),
        ("I live with my wife.", "I don't live with my wife."),
        ("我一个人住", "我不是一个人住"),
        ("I have a dog and two cats.", "I don't have any pets."),
        ("我养了一只猫", "我没有宠物"),
    ],
)
def test_what_is_denied_plainly_is_retracted(tmp_path: Path, told: str, denied: str) -> None:
    """It leaves a tombstone, and it was said once."""
    with fake_brain(tmp_path) as brain:
        tell(brain, (1, told), (2, denied))
        (one,) = brain.memories.list("profile", status=None).items
        assert ("retracted", 1) == (one.status.value, one.frequency)
        assert_replays(brain)


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("told", "denied", "stands"),
    [
        ("I live in Berlin.", "I don't live in Paris.", [("home", "Berlin")]),
        ("我住在北京", "我不住在上海", [("home", "北京")]),
        ("我住在北京", "I don't live in Paris", [("home", "北京")]),
        ("I have a cat.", "I don't have a dog.", [("pet", "a cat")]),
        ("I'm an engineer.", "I'm not a senior engineer.", [("role", "engineer")]),
        (
            "I live in Berlin.",
            "I don't live in Berlin with my parents.",
            [("home", "Berlin")],
        ),
        (
            "I'm a nurse at Bayer.",
            "I'm not a nurse at Bayer.",
            [("role", "nurse"), ("employer", "Bayer")],
        ),
        ("我是护士，住在北京", "我不是护士", [("home", "北京")]),
        (
            "I'm a nurse and I live in Oslo.",
            "I'm not a nurse, but I live in Oslo.",
            [("home", "Oslo")],
        ),
        ("I'm a nurse.", "I'm not a nurse, I'm a doctor.", [("role", "doctor")]),
        ("I'm allergic to nuts and milk.", "I'm not allergic to nuts.",
         [("allergy", "allergic to milk")]),
        ("I have a dog and two cats.", "I have no pets.", [("pet", "no pets")]),
        ("I have no pets.", "I have a dog.", [("pet", "a dog")]),
    ],
)  # fmt: skip
def test_nothing_goes_that_is_not_denied(
    tmp_path: Path, told: str, denied: str, stands: Facts
) -> None:
    """Another value stands, and so does one of which more was denied than was told."""
    assert stands == standing(tmp_path, told, denied)


@pytest.mark.spec("C4", "C11")
@pytest.mark.parametrize(
    ("told", "denied", "again"),
    [
        ("I live in Berlin.", "I don't live in Berlin.", "I live in Berlin again."),
        ("我住在北京", "我不住在北京", "我又住在北京了"),
        ("I have a dog", "I don't have a dog", "I have a dog again."),
    ],
)
def test_denials_count_by_their_own_time(
    tmp_path: Path, told: str, denied: str, again: str
) -> None:
    """What was said before a denial is taken back by it, and what is said after it stands."""
    days = list(enumerate((told, denied, again), start=1))
    seen = []
    for number, order in enumerate(permutations(days)):
        with fake_brain(tmp_path / str(number)) as brain:
            tell(brain, *order)
            seen.append(memories(brain))
            assert len(_facts(brain)) == 1
            assert_replays(brain)
    assert all(one == seen[0] for one in seen)
