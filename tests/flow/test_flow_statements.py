"""Statements in the graph: which of them contradict each other, and what they are about."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, inside, user

from smartbrain import SmartBrain
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import Memory

SAID_AND_DENIED = [
    ("小明在公园里踢足球", "小明没在公园里踢足球"),
    ("Tom plays soccer in the park", "Tom doesn't play soccer in the park"),
]


def statements(brain: SmartBrain) -> list[Memory]:
    """Return every statement of a brain, as they were said."""
    found = brain.memories.list("statements", status=None, limit=1_000).items
    return sorted(found, key=lambda one: (one.said_at, one.value["n"]))


def contradictions(brain: SmartBrain) -> set[tuple[str, str, str]]:
    """Return what contradicts what, with its dimension."""
    texts = {one.id: one.text for one in statements(brain)}
    with inside(brain) as rows:
        return {
            (texts[edge.src], edge.attrs["dimension"], texts[edge.dst])
            for one in texts
            for edge in rows.edges.of(one)
            if edge.type is EdgeType.CONTRADICTS
        }


@pytest.mark.spec("C7", "M5")
@pytest.mark.parametrize("turns", [1, 2])
@pytest.mark.parametrize(("said", "denied"), SAID_AND_DENIED)
def test_what_is_said_and_denied_contradicts_itself(
    tmp_path: Path, said: str, denied: str, turns: int
) -> None:
    """Both ways and whichever came first, in one turn or in two."""
    for folder, (first, second) in {"a": (said, denied), "b": (denied, said)}.items():
        with fake_brain(tmp_path / folder) as brain:
            if turns == 1:
                brain.commit_turn("s", [user(first), user(second)])
            else:
                brain.commit_turn("s", [user(first)])
                brain.commit_turn("s", [user(second)])
            found = contradictions(brain)
        assert {(said, "value", denied), (denied, "value", said)} == found


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("小明在公园里踢足球", "小红没在公园里踢足球"),
        ("小明在公园里踢足球", "小明没在学校里踢足球"),
        ("小明在公园里踢足球", "小明昨天没在公园里踢足球"),
        ("小明在公园里踢足球", "小明没在公园里踢足球吗？"),
        ("Tom plays soccer in the park", "Ann doesn't play soccer in the park"),
        ("Tom plays soccer in the park", "Tom doesn't play tennis in the park"),
        ("Tom plays soccer in the park", "Tom didn't play soccer in the park yesterday"),
        ("Tom called Ann", "Ann didn't call Tom"),
        ("Tom plays soccer in the park", "Doesn't Tom play soccer in the park?"),
    ],
)
def test_what_differs_in_more_than_a_denial_is_no_contradiction(
    tmp_path: Path, first: str, second: str
) -> None:
    """Somebody else, somewhere else, another day, the other way round, or only asked."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(first)])
        brain.commit_turn("s", [user(second)])
        assert set() == contradictions(brain)


@pytest.mark.spec("C7")
@pytest.mark.parametrize("text", [said for said, _ in SAID_AND_DENIED])
def test_a_time_that_is_not_said_is_unspecified(tmp_path: Path, text: str) -> None:
    """It is neither missing nor the time of the turn; recall by a day does without it."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(text)])
        (statement,) = statements(brain)
        brain.recall(f"昨天 yesterday {text}")
    assert {"granularity": "unspecified"} == statement.value["time"]


@pytest.mark.spec("C7", "C10")
def test_two_masks_are_not_the_same_person(tmp_path: Path) -> None:
    """A mark says nothing about who it was."""
    with fake_brain(tmp_path, privacy={"pii": "mask"}) as brain:
        brain.commit_turn("s", [user("Tom called +14155552671")])
        brain.commit_turn("s", [user("Tom didn't call +14155552672")])
        assert set() == contradictions(brain)


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("text", "concepts"),
    [
        ("小明在公园里踢足球", {"足球", "足球活动"}),
        ("Tom plays soccer in the park", {"soccer", "Soccer activities"}),
    ],
)
def test_a_statement_is_about_the_concepts_of_what_it_names(
    tmp_path: Path, text: str, concepts: set[str]
) -> None:
    """It and its episode lead to them, and to no other concept of like letters."""
    with fake_brain(tmp_path) as brain:
        for name in (*concepts, "公园设计", "小明活动", "park design", "tennis", "篮球活动"):
            brain.graph.add_node(f"Concept:{name}")
        brain.commit_turn("s", [user(text)])
        brain.commit_turn("s", [user("他很高兴。He is happy.")])
        titles = {one.id: one.title for one in brain.memories.list("concepts").items}
        (statement,) = [one for one in statements(brain) if one.text == text]
        episodes = brain.memories.list("episodes").items
        first, second = sorted(episodes, key=lambda one: one.said_at)
        with inside(brain) as rows:
            about = [
                {titles[e.dst] for e in rows.edges.of(one.id) if e.type is EdgeType.ABOUT}
                for one in (statement, first, second)
            ]
    assert [concepts, concepts, set()] == about


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("told", "person", "thing"),
    [
        (["小明在公园里踢足球", "明天下午3点小明见客户", "三天前小明买了车"], "小明", "车"),
        (["老张修好了服务器", "昨天老张见客户", "晚上8点老张买了药"], "老张", "药"),
        (["张伟买了书", "上周张伟见了客户", "两天前张伟买了车"], "张伟", "车"),
        (["Tom fixed the server", "Three days ago Tom bought a car"], "Tom", "car"),
    ],
)
def test_a_time_before_a_name_changes_nothing(
    tmp_path: Path, told: list[str], person: str, thing: str
) -> None:
    """Whoever does something is one person, whatever stands before the name."""
    with fake_brain(tmp_path) as brain:
        for one in told:
            brain.commit_turn("s", [user(one)])
        keys = {one.key for one in brain.memories.list("entities", status=None, limit=100).items}
        agents = [one.entities for one in statements(brain)]
    assert f"entity:person:{person}" in keys
    assert {f"entity:object:{person}"}.isdisjoint(keys)
    assert all(person in named for named in agents)
    assert thing in agents[-1]
