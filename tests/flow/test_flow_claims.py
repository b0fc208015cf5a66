"""Claims through the facade: what they come to, from every source, in any order, said twice."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from any_order import assert_replays, memories
from flow_builders import fake_brain, inside, user

from smartbrain import SmartBrain


def tell(brain: SmartBrain, *told: str) -> None:
    """Commit messages, one a day, each in a session of its own."""
    for day, said in enumerate(told):
        at = f"2000-01-{day + 1:02}T00:00:00Z"
        brain.commit_turn(f"s{day}", {"at": at, "messages": [user(said)]})


def standing(brain: SmartBrain, type_name: str) -> dict[str, dict[str, Any]]:
    """Return what stands of a type: values by key."""
    return {one.key: dict(one.value) for one in brain.memories.list(type_name).items}


@pytest.mark.spec("K11", "C4")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            "We decided to use Postgres for the database.",
            "We decided to use MySQL for the database.",
        ),
        ("We decided to use Postgres for the database.", "我们决定数据库改用 MySQL"),
        ("我们决定数据库用 PostgreSQL", "我们决定数据库改用 MySQL"),
        ("记住：我们用 PostgreSQL 做主数据库", "记住：我们改用 MySQL 做主数据库了"),
    ],
)
def test_the_next_choice_for_a_slot_ends_the_one_before(
    tmp_path: Path, first: str, second: str
) -> None:
    """Whatever the words, the database is one decision."""
    with fake_brain(tmp_path) as brain:
        tell(brain, first, second)
        (chosen,) = standing(brain, "decisions").values()
        statuses = [one.status.value for one in brain.memories.history("decision:general:database")]
    assert "MySQL" in chosen["decision"]
    assert ["superseded", "active"] == statuses


@pytest.mark.spec("K11")
@pytest.mark.parametrize(
    "told",
    [
        ("For module 1 we decided to use Postgres.", "For module 2 we decided to use MySQL."),
        ("我们决定模块1用 PostgreSQL", "我们决定模块2用 MySQL"),
    ],
)
def test_decisions_for_two_parts_are_two(tmp_path: Path, told: tuple[str, str]) -> None:
    """Module 1 and module 2 do not end each other."""
    with fake_brain(tmp_path) as brain:
        tell(brain, *told)
        assert 2 == len(standing(brain, "decisions"))


@pytest.mark.spec("K11")
@pytest.mark.parametrize(
    "told",
    [
        ("We decided to use Kafka because it is fast", "We decided to use NATS for the queue"),
        ("我们决定用 Kafka，因为它快", "我们决定用 RabbitMQ 做消息队列"),
    ],
)
def test_an_old_reason_never_moves_to_a_new_decision(tmp_path: Path, told: tuple[str, str]) -> None:
    """A reason belongs to the claim that gave it."""
    with fake_brain(tmp_path) as brain:
        tell(brain, *told)
        values = standing(brain, "decisions").values()
        new = [one for one in values if "Kafka" not in one["decision"]]
    assert [None] == [one.get("rationale") for one in new]


@pytest.mark.spec("K2", "K3")
def test_one_wish_in_three_wordings_is_one_memory(tmp_path: Path) -> None:
    """The language of answers has one key, however it is asked for."""
    with fake_brain(tmp_path) as brain:
        tell(brain, "以后都用中文回答", "优先中文回答", "我偏好中文回答")
        (stands,) = brain.memories.list("preferences").items
    assert ("pref:writing:answer_language", 3) == (stands.key, stands.frequency)


@pytest.mark.spec("K3", "K4")
@pytest.mark.parametrize(
    "told",
    [
        (
            "I prefer snake_case names in code",
            "Remember: my code style is tabs",
            "Remember: my code style is spaces",
        ),
        ("以后变量名都用下划线命名", "以后代码都用制表符缩进", "以后代码都用四个空格缩进"),
    ],
)
def test_of_several_wishes_for_code_only_the_contrary_ends(
    tmp_path: Path, told: tuple[str, ...]
) -> None:
    """Spaces end tabs; how things are named stands beside them."""
    with fake_brain(tmp_path) as brain:
        tell(brain, *told)
        values = [str(one["value"]) for one in standing(brain, "preferences").values()]
    assert 2 == len(values)
    assert not any("tabs" in one or "制表" in one for one in values)


@pytest.mark.spec("K2", "M4")
@pytest.mark.parametrize(
    "told",
    [
        ("I live in Berlin", "The staging port is 8080", "I moved to Munich"),
        ("我住在北京", "测试库的端口是 5432", "我搬到上海了"),
    ],
)
def test_committing_twice_or_in_any_order_makes_no_difference(
    tmp_path: Path, told: tuple[str, ...]
) -> None:
    """A second commit of the same turn under its key changes nothing; order decides nothing."""
    outcomes = []
    for number, order in enumerate(permutations(range(len(told)))):
        with fake_brain(tmp_path / str(number)) as brain:
            for day in (*order, *order):
                events = {"at": f"2000-01-{day + 1:02}T00:00:00Z", "messages": [user(told[day])]}
                brain.commit_turn(f"s{day}", events, idempotency_key=f"turn {day}")
            outcomes.append(memories(brain))
            assert_replays(brain)
    assert [outcomes[0]] * len(outcomes) == outcomes


@pytest.mark.spec("K1", "S1")
@pytest.mark.parametrize("title", ["Write the docs", "写周报"])
def test_what_a_proposal_leaves_out_keeps_its_value(tmp_path: Path, title: str) -> None:
    """A task that is set to done keeps its title and its deadline."""
    key = "task:alpha:t1"
    with fake_brain(tmp_path) as brain:
        given = {"key": key, "title": title, "due": "2000-02-01", "evidence_refs": ["chat:1"]}
        brain.commit_turn("s", {"tasks": [given]})
        brain.commit_turn("s", {"tasks": [{"key": key, "status": "done"}]})
        first, last = brain.memories.history(key)
    assert (title, "2000-02-01", "done") == tuple(
        last.value[name] for name in ("title", "due", "status")
    )
    assert ("chat:1",) == first.evidence_refs


@pytest.mark.spec("K1")
@pytest.mark.parametrize("value", ["8080", "三楼"])
def test_an_operation_keeps_the_key_and_the_value_that_it_meant(tmp_path: Path, value: str) -> None:
    """Not only an id, which says nothing once the memory is gone."""
    with fake_brain(tmp_path) as brain:
        key = "fact:server:place"
        made = brain.memories.put("facts", key, {"value": value}).memory_written.items[0]
        brain.memories.retract(made.id, reason="moved")
        with inside(brain) as transaction:
            newest = transaction.ledger.operations(limit=1)[0]
    assert (key, value) == (newest.input["key"], newest.input["value"]["value"])


@pytest.mark.spec("K1", "K2")
def test_every_source_writes_claims(tmp_path: Path) -> None:
    """Words, proposals, operations and tool results are rows of one table, each with its source."""
    fact, wifi = {"subject": "build", "attribute": "status", "value": "green"}, "fact:office:wifi"
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user("The staging port is 8080")])
        brain.commit_turn("s", {"facts": [{"key": "fact:office:floor", "value": "3"}]})
        brain.commit_turn("s", {"tool_calls": [{"name": "ci", "result": {"facts": [fact]}}]})
        brain.memories.put("facts", wifi, {"value": "Birch"})
        brain.memories.correct(wifi, {"value": "Larch"})
        brain.feedback(brain.memories.get(wifi).id, "reject")
        brain.memories.put("facts", wifi, {"value": "Alder"})
        brain.memories.retract(wifi)
        groups = [f"facts:{name}" for name in ("staging:port", "office:floor", "build:status")]
        with inside(brain) as transaction:
            told = transaction.claims.in_groups(groups)
            done = transaction.claims.in_groups(["facts:office:wifi"])
    assert ["user", "agent", "tool"] == [one.source.value for one in told]
    assert "The staging port is 8080" == told[0].text
    assert {"operation"} == {one.source.value for one in done}
    expected = [("assert", "Birch"), ("assert", "Larch"), ("wrong", "Larch"), ("assert", "Alder")]
    assert [*expected, ("wrong", "")] == [(one.say.value, one.value) for one in done]
