"""What we use of a kind of things is one fact, however it is said, and a switch replaces it.

In: what the user says, in Chinese and English, in any order of arrival. Out: the new thing stands
and the old one is an earlier version; what others use, plan or ask about leaves it as it is.
"""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from any_order import assert_replays, memories
from flow_builders import fake_brain, user

SWITCHED = [
    ("We use Jenkins for CI.", "We migrated CI to GitHub Actions.", "company:ci"),
    ("We use Jenkins for CI.", "We switched from Jenkins to GitHub Actions for CI.", "company:ci"),
    ("We use Jenkins for CI.", "We migrated from Jenkins to GitHub Actions.", "company:ci"),
    ("We use Jenkins for CI.", "CI换成GitHub Actions了。", "company:ci"),
    ("We use MySQL.", "We switched to PostgreSQL.", "company:database"),
    ("We use MySQL.", "The database was migrated to PostgreSQL.", "company:database"),
    ("Our database is MySQL.", "We switched to PostgreSQL.", "company:database"),
    ("Our database is MySQL.", "We migrated the database from MySQL to PostgreSQL.",
     "company:database"),
    ("The database is MySQL.", "我们换成PostgreSQL了。", "company:database"),
    ("Database: MySQL", "We changed the database to Foobase.", "company:database"),
    ("We use MySQL for billing.", "We switched to PostgreSQL for billing.", "billing:tool"),
    ("We use MySQL for billing.", "We switched from MySQL to PostgreSQL for billing.",
     "billing:tool"),
    ("数据库用MySQL。", "我们把数据库从MySQL换成PostgreSQL了。", "company:database"),
    ("数据库用MySQL。", "数据库换成PostgreSQL了。", "company:database"),
    ("我们的数据库是MySQL。", "我们把数据库迁移到PostgreSQL了。", "company:database"),
    ("我们用MySQL。", "我们已经改用PostgreSQL了。", "company:database"),
    ("我们用MySQL。", "上周我们把数据库换成了PostgreSQL。", "company:database"),
    ("We use MySQL.", "Last week we switched to PostgreSQL.", "company:database"),
    ("我们用Jenkins做CI。", "CI换成GitHub Actions了。", "company:ci"),
    ("我们用Jenkins做CI。", "我们改用GitHub Actions做CI了。", "company:ci"),
    ("消息队列是RabbitMQ。", "消息队列从RabbitMQ迁移到Kafka了。", "company:message_queue"),
    ("我的手机号是13800000001。", "我换手机号了，新号码是13900000002。", "user:phone"),
    ("My phone number is 555-123-4567.", "I changed my number, the new one is 555-123-9999.",
     "user:phone"),
]  # fmt: skip
LEFT = [
    "We will migrate the database to PostgreSQL.",
    "We should switch to PostgreSQL.",
    "We plan to migrate the database to PostgreSQL.",
    "Have we switched to PostgreSQL?",
    "If we switched to PostgreSQL, we would be faster.",
    "We haven't switched to PostgreSQL.",
    "We switched to PostgreSQL, but we went back.",
    "We switched to PostgreSQL in staging.",
    "We temporarily switched to PostgreSQL.",
    "The client switched to PostgreSQL.",
    "The client moved the database to PostgreSQL.",
    "The client's database is PostgreSQL.",
    "Acme switched from MySQL to PostgreSQL.",
    "They changed the database to PostgreSQL.",
    "We switched to PostgreSQL for analytics.",
    "We moved the database to AWS.",
    "We moved the database to Frankfurt.",
    "We switched to Redis.",
    "我们打算换成PostgreSQL。",
    "我们打算把数据库换成PostgreSQL。",
    "我们考虑迁移到PostgreSQL。",
    "数据库要换成PostgreSQL了。",
    "数据库换成PostgreSQL了吗？",
    "数据库换成PostgreSQL会更好。",
    "客户把数据库换成PostgreSQL了。",
    "他们把数据库从MySQL换成PostgreSQL了。",
    "客户的数据库换成PostgreSQL了。",
    "我们把数据库迁移到阿里云了。",
    "我们暂时换成PostgreSQL了。",
]


@pytest.mark.spec("C4", "M2", "M4")
@pytest.mark.parametrize(("first", "then", "key"), SWITCHED)
def test_a_switch_of_a_kind_replaces_what_was_used(
    tmp_path: Path, first: str, then: str, key: str
) -> None:
    """One fact stands, in whatever order both arrive, and the other is an earlier version."""
    outcomes = []
    for number, order in enumerate(permutations((first, then))):
        with fake_brain(tmp_path / str(number)) as brain:
            for said in order:
                day = 1 if said is first else 2
                turn = {"at": f"2001-05-0{day}T10:00:00Z", "messages": [user(said)]}
                brain.commit_turn("s", turn)
            (fact,) = brain.memories.list("facts").items
            versions = brain.memories.history(fact.key)
            outcomes.append(memories(brain))
            assert_replays(brain)
        assert (f"fact:{key}", 2) == (fact.key, len(versions))
        assert str(fact.value["value"]) in then
    assert outcomes[0] == outcomes[1]


@pytest.mark.spec("C1", "C4")
@pytest.mark.parametrize("said", LEFT)
def test_what_is_no_switch_of_ours_leaves_what_we_use(tmp_path: Path, said: str) -> None:
    """Plans, questions, tries, what others use, and things of another kind or purpose."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user("We use MySQL.")])
        brain.commit_turn("s", [user(said)])
        (one,) = brain.memories.history("fact:company:database")
    assert ("MySQL", "active") == (one.value["value"], str(one.status))


@pytest.mark.spec("C4", "M4")
@pytest.mark.parametrize(
    ("key", "known", "said"),
    [
        ("fact:general:database", "MySQL", "We switched to PostgreSQL."),
        ("fact:database:database", "MySQL", "数据库换成PostgreSQL了。"),
        ("fact:CI:tool", "Jenkins", "We migrated CI to GitHub Actions."),
        ("fact:project:database", "MySQL", "我们把数据库换成PostgreSQL了。"),
    ],
)
def test_a_switch_finds_what_is_stored_under_another_name(
    tmp_path: Path, key: str, known: str, said: str
) -> None:
    """It keeps the key that it was told by at first."""
    with fake_brain(tmp_path) as brain:
        brain.memories.put("facts", key, {"value": known})
        brain.commit_turn("s", [user(said)])
        (fact,) = brain.memories.list("facts").items
        versions = brain.memories.history(key)
    assert (key, 2) == (fact.key, len(versions))
    assert str(fact.value["value"]) in said


@pytest.mark.spec("C4")
@pytest.mark.parametrize("said", ["We use Redis.", "我们换成Redis了。"])
def test_how_big_a_thing_is_says_not_which_it_is(tmp_path: Path, said: str) -> None:
    """A cache of 2 GB is not replaced by Redis."""
    with fake_brain(tmp_path) as brain:
        brain.memories.put("facts", "fact:general:cache", {"value": "2 GB"})
        brain.commit_turn("s", [user(said)])
        found = {one.key: one.value["value"] for one in brain.memories.list("facts").items}
    assert {"fact:general:cache": "2 GB", "fact:company:cache": "Redis"} == found


@pytest.mark.spec("C4", "C6")
@pytest.mark.parametrize(
    ("first", "then", "key", "value"),
    [
        ("我用VSCode写代码。", "我现在改用Cursor写代码了。", "pref:tools:editor", "Cursor"),
        ("我用 Chrome。", "我换成 Firefox 了。", "pref:tools:browser", "Firefox"),
        ("I use VSCode.", "I switched to Cursor.", "pref:tools:editor", "Cursor"),
        ("我用VSCode写代码。", "我打算改用Cursor写代码。", "pref:tools:editor", "VSCode"),
        ("我用VSCode写代码。", "我要不要换成Cursor？", "pref:tools:editor", "VSCode"),
        ("我用VSCode写代码。", "他改用Cursor了。", "pref:tools:editor", "VSCode"),
    ],
)
def test_the_tool_that_somebody_changes_to_is_the_one_they_use(
    tmp_path: Path, first: str, then: str, key: str, value: str
) -> None:
    """Though it is not said what they used before."""
    with fake_brain(tmp_path) as brain:
        for said in (first, then):
            brain.commit_turn("s", [user(said)])
        found = {one.key: one.value["value"] for one in brain.memories.list("preferences").items}
    assert {key: value} == found
