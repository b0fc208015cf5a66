"""Feedback that rejects a memory: it never was so, and what it had ended holds again (K9, J7)."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, plain_facts, user

from smartbrain import SmartBrain, UsageError
from smartbrain.bootstrap.replaying import check_replay
from smartbrain.domain.memory import Memory, Status
from smartbrain.errors import NotFound


def said(memory: Memory) -> object:
    """Return what a memory says, without the ids of claims."""
    if memory.type == "profile":
        return [(fact["k"], fact["v"]) for fact in plain_facts(memory)]
    return memory.value.get("value") or memory.value.get("decision")


def replays(brain: SmartBrain) -> bool:
    """Tell whether running all events again gives what is remembered."""
    with brain._lease() as tenant:
        return check_replay(tenant, brain._terms.rules).identical


@pytest.mark.spec("K9", "K1")
@pytest.mark.parametrize(
    ("first", "second", "key", "stands"),
    [
        ("The staging port is 5432.", "The staging port is 6000 now.", "fact:staging:port", "5432"),
        ("I live in Bergen.", "I live in Oslo.", "profile:user", [("home", "Bergen")]),
        ("我住在北京", "我搬到沈阳了", "profile:user", [("home", "北京")]),
        (
            "We decided to use MySQL for the database.",
            "We decided to use Postgres for the database.",
            "decision:general:database",
            "use MySQL",
        ),
        ("打印机的端口是 9100。", "打印机的端口改成 9200 了。", "fact:打印机:port", "9100"),
    ],
)
def test_what_a_rejected_memory_had_ended_holds_again(
    tmp_path: Path, first: str, second: str, key: str, stands: object
) -> None:
    """The rejected version stays in the history as retracted, and a replay gives the same."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(first)])
        brain.commit_turn("s", [user(second)])
        wrong = brain.memories.get(key)
        rejected = brain.feedback(wrong.id, "reject")
        assert rejected.id == wrong.id
        assert said(brain.memories.get(key)) == stands
        assert replays(brain)


@pytest.mark.spec("K9")
@pytest.mark.parametrize(
    ("text", "key"),
    [("The staging port is 5432.", "fact:staging:port"), ("我叫李雷", "profile:user")],
)
def test_a_rejected_memory_without_an_earlier_one_leaves_nothing(
    tmp_path: Path, text: str, key: str
) -> None:
    """Only a new statement of the user brings it back."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(text)])
        rejected = brain.feedback(brain.memories.get(key).id, "reject")
        assert rejected.status is Status.RETRACTED
        with pytest.raises(NotFound):
            brain.memories.get(key)
        with pytest.raises(NotFound, match="does not stand"):
            brain.feedback(rejected.id, "reject")
        brain.commit_turn("s", [user(text)])
        assert brain.memories.get(key).status is Status.ACTIVE
        assert replays(brain)


@pytest.mark.spec("K9")
def test_of_a_profile_only_what_the_version_told_is_rejected(tmp_path: Path) -> None:
    """The facts that were told before it stand on."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user("我叫李雷。")])
        brain.commit_turn("s", [user("I live in Oslo.")])
        brain.feedback(brain.memories.get("profile:user").id, "reject")
        assert said(brain.memories.get("profile:user")) == [("name", "李雷")]


@pytest.mark.spec("K9")
@pytest.mark.parametrize("task", ["todo:\n- call Bob", "待办：\n- 给妈妈打电话"])
def test_tasks_are_rejected_as_well(tmp_path: Path, task: str) -> None:
    """A task that nobody set is not open any more."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(task)])
        (written,) = brain.memories.list("tasks").items
        assert brain.feedback(written.id, "reject").status is Status.RETRACTED
        assert brain.memories.list("tasks").items == ()
        assert replays(brain)


def test_an_unknown_action_names_the_known_ones(tmp_path: Path) -> None:
    """The message says what can be given."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user("I live in Oslo.")])
        (written,) = brain.memories.list("profile").items
        with pytest.raises(UsageError, match="downvote, reject"):
            brain.feedback(written.id, "refuse")
