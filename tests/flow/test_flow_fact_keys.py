"""One fact has one key, however its letters are written; what is stored in other case goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from any_order import assert_replays
from flow_builders import fake_brain, user

from smartbrain import SmartBrain


def versions(brain: SmartBrain) -> list[tuple[str, Any, str]]:
    """Return the keys of all facts, each with its value and its status."""
    rows = brain.memories.list("facts", status=None).items
    return [(one.key, one.value["value"], one.status.value) for one in rows]


@pytest.mark.spec("M2", "C4", "C5")
@pytest.mark.parametrize(
    ("told", "key", "values"),
    [
        (("The API port is 8080", "the api port is 9090"), "fact:API:port", ["8080", "9090"]),
        (("the api port is 9090", "The API port is 8080"), "fact:api:port", ["9090", "8080"]),
        (("The Redis version is 7.0", "redis 版本是 7.2"), "fact:Redis:version", ["7.0", "7.2"]),
        (("API 端口是 8080", "api 端口是 9090"), "fact:API:port", ["8080", "9090"]),
        (("The API port is 8080. The api port is 9090 now.",), "fact:API:port", ["8080", "9090"]),
        (("The API port is 8080", "the api port is 8080"), "fact:API:port", ["8080"]),
    ],
)
def test_the_case_of_letters_makes_no_other_fact(
    tmp_path: Path, told: tuple[str, ...], key: str, values: list[str]
) -> None:
    """It is one key with its versions, spelled as it was first, and at most one of them stands."""
    with fake_brain(tmp_path) as brain:
        for text in told:
            brain.commit_turn("s", [user(text)])
        found = versions(brain)
        assert [(key, value) for value in values] == [one[:2] for one in found]
        assert [one[2] for one in found].count("active") == 1
        subjects = {one.value["subject"] for one in brain.memories.list("facts", status=None).items}
        assert len(subjects) == 1
        assert_replays(brain)


@pytest.mark.spec("M2", "C4")
@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("The API port is 8080", "the api port is not 8080"),
        ("API 端口是 8080", "api 端口不是 8080"),
    ],
)
def test_a_denial_finds_what_it_denies_in_other_case(tmp_path: Path, before: str, now: str) -> None:
    """The fact is taken back."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(before)])
        brain.commit_turn("s", [user(now)])
        assert [("fact:API:port", "8080", "retracted")] == versions(brain)


@pytest.mark.spec("M2", "C5")
def test_what_a_tool_says_of_a_subject_meets_what_the_user_said(tmp_path: Path) -> None:
    """A structured result spells a name as machines do."""
    told = {"subject": "api", "attribute": "owner", "value": "Lee"}
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user("The API owner is Kim")])
        call = {"id": "c", "name": "registry", "args": {}, "result": told}
        brain.commit_turn("s", {"messages": [user("Who owns it?")], "tool_calls": [call]})
        assert {"fact:API:owner"} == {key for key, _, _ in versions(brain)}
        assert ["Kim", "Lee"] == [value for _, value, _ in versions(brain)]


@pytest.mark.spec("M2", "M4")
def test_a_fact_is_named_by_its_key_in_any_case(tmp_path: Path) -> None:
    """Reading, writing, correcting and taking back by hand lead to the key that is stored."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user("The API port is 8080")])
        assert brain.memories.get("fact:api:port").value["value"] == "8080"
        brain.memories.put("facts", "fact:api:port", {"value": "8081"})
        brain.memories.correct("fact:Api:Port", {"value": "8082"})
        assert {"fact:API:port"} == {key for key, _, _ in versions(brain)}
        assert 3 == len(brain.memories.history("fact:api:port"))
        brain.memories.retract("fact:api:port")
        assert not brain.memories.list("facts").items
        assert_replays(brain)


@pytest.mark.spec("M2")
def test_other_names_stay_apart(tmp_path: Path) -> None:
    """Only case is overlooked: an accent or another script makes another name."""
    with fake_brain(tmp_path) as brain:
        for number, subject in enumerate(("API", "APIs", "接口", "ÁPI")):
            port = {"subject": subject, "attribute": "port", "value": number, "confirmed": True}
            brain.commit_turn("s", {"messages": [user("ok")], "facts": [port]})
        keys = {key for key, _, _ in versions(brain)}
        assert len(keys) == len(versions(brain)) == 4
