"""Personal data in writes that are no turns: masked or refused before anything is stored.

In: puts, corrections, retractions, nodes and agents' answers that hold an address or a number.
Out: every byte of the tenant's database, and what became of the writes.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from flow_builders import table_rows, user

from smartbrain import SmartBrain
from smartbrain.bootstrap.agents import open_queue
from smartbrain.bootstrap.replaying import check_replay
from smartbrain.domain.job import WorkKind
from smartbrain.errors import UsageError

SECRETS = ["bob@example.com", "13812345678"]


def put(brain: SmartBrain, secret: str) -> None:
    """State a fact outright, its personal data in the value."""
    brain.memories.put("facts", "fact:bob:contact", {"value": f"write to {secret} 联系"})


def put_key(brain: SmartBrain, secret: str) -> None:
    """State a fact outright, its personal data in the key, and vote for it by that key."""
    brain.memories.put("facts", f"fact:{secret}:owner", {"value": "Bob 鲍勃"})
    if brain.memories.list("facts").items:
        brain.feedback(f"fact:{secret}:owner", "upvote")


def correct(brain: SmartBrain, secret: str) -> None:
    """Correct a fact, and say why."""
    brain.memories.put("facts", "fact:bob:contact", {"value": "none 无"})
    brain.memories.correct("fact:bob:contact", {"value": secret}, reason=f"he is {secret}")


def retract(brain: SmartBrain, secret: str) -> None:
    """Take a fact back, and say why."""
    brain.memories.put("facts", "fact:bob:contact", {"value": "none 无"})
    brain.memories.retract("fact:bob:contact", reason=f"he is {secret} 了")


def node(brain: SmartBrain, secret: str) -> None:
    """Add nodes and an edge between them."""
    with suppress(UsageError):  # refused as a whole where nothing personal may be remembered
        brain.graph.add_node(f"Entity:{secret}")
        brain.graph.add_node("Concept:联系人")
        brain.graph.add_edge(f"Entity:{secret}", "ABOUT", "Concept:联系人")


def answer(brain: SmartBrain, secret: str) -> None:
    """Hand in what an agent has read out of a turn."""
    brain.commit_turn("s", [user("Bob 有一个邮箱和一个电话。")])
    with brain._lease() as tenant:
        queue = open_queue(tenant.ports, brain._root.rules)
        (work,) = queue.lease([WorkKind.EXTRACT], "a")
        claim = {"type": "facts", "subject": "bob", "attr": "contact", "value": secret}
        quoted = {**claim, "relation": "thing", "quote": "Bob 有一个邮箱和一个电话"}
        queue.complete(work.id, "a", {"claims": [quoted]})


WAYS: list[Callable[[SmartBrain, str], None]] = [put, put_key, correct, retract, node, answer]


@pytest.mark.spec("C10", "E1")
@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("rule", ["mask", "refuse"])
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_no_write_stores_personal_data_that_is_to_be_masked(
    tmp_path: Path, way: Callable[[SmartBrain, str], None], rule: str, secret: str
) -> None:
    """Neither the operation nor the memory has it, and what is stored runs again the same."""
    config: dict[str, Any] = {"privacy.pii": rule, "jobs.agents": ["extract"]}
    with SmartBrain.open(tmp_path, config=config) as brain:
        way(brain, secret)
        facts = brain.memories.list("facts", status=None).items
        entities = brain.memories.list("entities", status=None).items
        with brain._lease() as tenant:
            report = check_replay(tenant, brain._root.rules)
            rows = table_rows(tenant.folder / "brain.db")
    held = [name for name, found in rows.items() if secret.encode() in repr(found).encode()]
    assert [] == held
    assert (0, 0) == (report.failed, report.differing)
    marked = [one for one in (*facts, *entities) if one.privacy.pii]
    assert (way is not retract and rule == "mask") == bool(marked)


@pytest.mark.spec("C10")
def test_personal_data_of_a_node_is_marked_where_nothing_is_masked(tmp_path: Path) -> None:
    """By default its name stays as it is, and the node says that it holds some."""
    with SmartBrain.open(tmp_path) as brain:
        marks = [
            brain.graph.add_node(name).privacy.pii
            for name in ("Entity:bob@example.com", "Entity:电话 13812345678", "Entity:小明")
        ]
    assert [True, True, False] == marks


@pytest.mark.spec("C10")
@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("rule", ["mask", "refuse"])
def test_names_of_tools_and_models_are_masked(tmp_path: Path, rule: str, secret: str) -> None:
    """They stand in the text of the episode and in the notebook, so they count as words."""
    call = {"name": f"send_to {secret}", "args": {"text": "hi 你好"}, "result": "ok"}
    said = user("Send it 发送吧", name="鲍勃", model=f"model of {secret}")
    with SmartBrain.open(tmp_path, config={"privacy.pii": rule}) as brain:
        brain.commit_turn("s", {"messages": [said], "tool_calls": [call]})
        with brain._lease() as tenant:
            rows = table_rows(tenant.folder / "brain.db")
    held = [name for name, found in rows.items() if secret.encode() in repr(found).encode()]
    assert [] == held


@pytest.mark.spec("C10", "C6")
@pytest.mark.parametrize(
    ("said", "address"),
    [
        ("记住，我的邮箱是 mei@example.com。", "mei@example.com"),
        ("Remember that my email is bob@example.com.", "bob@example.com"),
    ],
)
def test_what_was_masked_is_still_what_it_was(tmp_path: Path, said: str, address: str) -> None:
    """An address that nobody can read is the user's address; one that is refused is none."""
    found = {}
    for rule in ("tag", "mask", "refuse"):
        with SmartBrain.open(tmp_path / rule, config={"privacy.pii": rule}) as brain:
            brain.commit_turn("s", [user(said)])
            facts = [
                fact
                for one in brain.memories.list("profile", status=None).items
                for fact in one.value["facts"]
            ]
            found[rule] = [(fact["k"], fact["v"]) for fact in facts]
    masked = [("email", "[email]")]
    assert {"tag": [("email", address)], "mask": masked, "refuse": []} == found


PHONE, CARD = 13812345678, 4111111111111111


@pytest.mark.spec("C10", "E1")
@pytest.mark.parametrize("rule", ["mask", "refuse"])
def test_personal_numbers_are_masked_in_every_part_of_a_turn(tmp_path: Path, rule: str) -> None:
    """Proposals, arguments, those that a provider writes as a text, and results."""
    said = {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {
                "id": "c2",
                "type": "function",
                "function": {"name": "call", "arguments": f'{{"phone":{PHONE}}}'},
            }
        ],
    }
    call = {"id": "c1", "name": "pay", "args": {"card": CARD}, "result": [{"mobile": PHONE}]}
    fact = {"key": "fact:user:phone", "value": PHONE, "remember": True}
    with SmartBrain.open(tmp_path, config={"privacy.pii": rule}) as brain:
        brain.commit_turn("s", {"messages": [user("付款")], "tool_calls": [call]})
        brain.commit_turn("s", [user("打电话"), said])
        result = brain.commit_turn("s", {"messages": [user("好")], "facts": [fact]})
        kept = [one for one in brain.memories.list("facts").items if one.key == fact["key"]]
        turns = [one.to_dict() for one in brain.sessions.turns("s")]
        with brain._lease() as tenant:
            stored = repr((turns, table_rows(tenant.folder / "brain.db")))
    assert not any(str(number) in stored for number in (PHONE, CARD))
    if rule == "mask":
        (memory,) = kept
        assert ("[phone]", True) == (memory.value["value"], memory.privacy.pii)
    else:
        assert [] == kept
        assert "pii" in [one.code for one in result.explain.retention]


@pytest.mark.spec("C10")
def test_a_personal_number_is_marked_where_nothing_is_masked(tmp_path: Path) -> None:
    """By default it stays the number it is; a time in milliseconds is nothing personal."""
    facts = [
        {"key": "fact:user:phone", "value": PHONE, "remember": True},
        {"key": "fact:build:time", "value": 1773048600000, "remember": True},
    ]
    with SmartBrain.open(tmp_path) as brain:
        brain.commit_turn("s", {"messages": [user("好")], "facts": facts})
        stored = {one.key: one for one in brain.memories.list("facts").items}
    phone, time = stored["fact:user:phone"], stored["fact:build:time"]
    assert (PHONE, True) == (phone.value["value"], phone.privacy.pii)
    assert (1773048600000, False) == (time.value["value"], time.privacy.pii)


@pytest.mark.spec("C10")
@pytest.mark.parametrize(
    "given",
    [
        {"messages": [user("TODO: update call_13812345678_log")]},
        {"messages": [user("我要更新 uid13812345678 的记录")]},
        {"messages": [user("Remember that the list is contact_13812345678.csv")]},
        {
            "messages": [user("hi 你好")],
            "tasks": [{"key": "task:p:call_13812345678", "title": "x"}],
        },
    ],
)
def test_a_phone_within_a_name_is_masked(tmp_path: Path, given: dict[str, Any]) -> None:
    """Letters or a `_` beside a number hide it from nobody."""
    with SmartBrain.open(tmp_path, config={"privacy.pii": "mask"}) as brain:
        brain.commit_turn("s", given)
        with brain._lease() as tenant:
            rows = table_rows(tenant.folder / "brain.db")
    assert [] == [name for name, found in rows.items() if "13812345678" in repr(found)]
