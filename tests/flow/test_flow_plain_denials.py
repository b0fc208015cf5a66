"""What somebody says is not so: it ends what it names, and is no statement of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from flow_builders import fake_brain, plain_facts, user

from smartbrain import SmartBrain

Told = list[tuple[str, str]]


def versions(path: Path, kind: str, *texts: str) -> Told:
    """Say something on one day each; return what is known of a type, with its status."""
    with fake_brain(path) as brain:
        tell(brain, *texts)
        found = brain.memories.list(kind, status=None).items
        return sorted((_said(one.value), one.status.value) for one in found)


def tell(brain: SmartBrain, *texts: str) -> None:
    """Say something on one day each."""
    for day, text in enumerate(texts, start=1):
        brain.commit_turn("s", {"at": f"2001-05-{day:02}T10:00:00Z", "messages": [user(text)]})


def _said(value: Mapping[str, Any]) -> str:
    """Return what a value says."""
    return str(value.get("value") or value.get("decision") or value["facts"])


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    "told",
    [
        ("I don't work at Google.",),
        ("I do not work for Apple.",),
        ("我不在腾讯工作",),
        ("I work at Google.", "I don't work at Google."),
        ("I work at Apple.", "Actually, I do not work for Apple."),
        ("我在腾讯工作", "我不在腾讯工作"),
        ("我在腾讯上班", "我其实不在腾讯上班"),
    ],
)
def test_whom_somebody_does_not_work_for_is_not_their_employer(
    tmp_path: Path, told: tuple[str, ...]
) -> None:
    """It is no taste either."""
    with fake_brain(tmp_path) as brain:
        tell(brain, *told)
        assert not brain.memories.list("profile").items
        assert not brain.memories.list("preferences", status=None).items


@pytest.mark.spec("C4")
@pytest.mark.parametrize(
    ("told", "employer"),
    [
        (("I work at Stripe.", "I don't work at Google."), "Stripe"),
        (("I work at Google.", "I don't work at Google, I work at Meta."), "Meta"),
        (("我在阿里工作", "我不在腾讯工作"), "阿里"),
        (("我在阿里工作", "我不在家工作"), "阿里"),
        (("I work at Stripe.", "I don't work at night."), "Stripe"),
    ],
)
def test_another_employer_stands(tmp_path: Path, told: tuple[str, ...], employer: str) -> None:
    """A denial names one, and so may what is said beside it."""
    with fake_brain(tmp_path) as brain:
        tell(brain, *told)
        (stands,) = brain.memories.list("profile").items
    assert [{"k": "employer", "v": employer}] == plain_facts(stands)


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (("I don't use vim, I use emacs.",), [("emacs", "active")]),
        (("I don't use vim; I use emacs.",), [("emacs", "active")]),
        (("我不用 vim，我用 emacs",), [("emacs", "active")]),
        (("I use emacs, I don't use vim.",), [("emacs", "active")]),
        (
            ("I use vim.", "I don't use vim, I use emacs."),
            [("emacs", "active"), ("vim", "superseded")],
        ),
        (("我用 vim", "我不用 vim，我用 emacs"), [("emacs", "active"), ("vim", "superseded")]),
        (("I like coffee.", "I like tea, not coffee."),
         [("coffee", "superseded"), ("tea", "active")]),
        (("我喜欢咖啡", "我喜欢茶，不是咖啡"), [("咖啡", "superseded"), ("茶", "active")]),
        (("I hate coffee.", "I like tea, not coffee."),
         [("not coffee", "active"), ("tea", "active")]),
    ],
)  # fmt: skip
def test_what_is_used_stands_where_what_is_not_is_named_beside_it(
    tmp_path: Path, told: tuple[str, ...], expected: Told
) -> None:
    """What is denied beside it is only the end of that."""
    assert expected == versions(tmp_path, "preferences", *told)


@pytest.mark.spec("C4", "M4")
@pytest.mark.parametrize(
    ("told", "value", "status"),
    [
        (("I hate pizza.", "I no longer love pizza."), "not pizza", "active"),
        (("我讨厌香菜", "我不再喜欢香菜了"), "讨厌香菜", "active"),
        (("I love pizza.", "I no longer hate pizza."), "pizza", "active"),
        (("我喜欢香菜", "我不再讨厌香菜了"), "香菜", "active"),
        (("I hate pizza.", "I no longer hate pizza."), "not pizza", "superseded"),
        (("我讨厌香菜", "我不再讨厌香菜了"), "讨厌香菜", "superseded"),
    ],
)
def test_a_liking_that_is_over_is_no_dislike_that_is(
    tmp_path: Path, told: tuple[str, ...], value: str, status: str
) -> None:
    """Neither ends the other."""
    assert [(value, status)] == versions(tmp_path, "preferences", *told)


@pytest.mark.spec("C4", "C11")
@pytest.mark.parametrize(
    ("told", "stands"),
    [
        (("Let's go with Vue.", "We decided against Vue."), "against Vue"),
        (("We decided to use Kafka.", "We decided against Kafka."), "against Kafka"),
        (("决定用 Vue", "决定不用 Vue"), "不用 Vue"),
        (("决定用 Go", "决定不用 Go 了"), "不用 Go 了"),
        (("决定用 Go", "决定不用 Go"), "不用 Go"),
    ],
)
def test_a_decision_against_something_ends_the_one_for_it(
    tmp_path: Path, told: tuple[str, ...], stands: str
) -> None:
    """It is no repetition, and the two do not stand beside each other."""
    found = versions(tmp_path, "decisions", *told)
    assert ["active", "superseded"] == sorted(status for _, status in found)
    assert (stands, "active") in found


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (("The API port is 80.", "The API port is not 80."), [("80", "retracted")]),
        (("The API port is 80.", "The API port isn't 80."), [("80", "retracted")]),
        (("接口端口是80", "接口端口不是80"), [("80", "retracted")]),
        (("The API port is 8080.", "The API port is not 80."), [("8080", "active")]),
        (("The API port is 80.", "The database port is not 80."), [("80", "active")]),
        (("接口端口是8080", "接口端口不是80"), [("8080", "active")]),
        (("The API port is not 80.",), []),
        (("The port is not 80 but 81.",), [("81", "active")]),
        (("端口不是80，是81",), [("81", "active")]),
        (("端口不是80而是81",), [("81", "active")]),
        (("接口端口是80", "接口端口不是80而是81"), [("80", "retracted"), ("81", "active")]),
    ],
)
def test_a_fact_that_is_denied_is_taken_back(
    tmp_path: Path, told: tuple[str, ...], expected: Told
) -> None:
    """Only if it is the one that is named; what is so instead is told beside it."""
    assert expected == versions(tmp_path, "facts", *told)
