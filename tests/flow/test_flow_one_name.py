"""Places and things that have a name in each language are one, and so are values that name them."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from any_order import assert_replays, entities, memories
from flow_builders import fake_brain, plain_facts, user

from smartbrain.remember.match import says_same, senses
from smartbrain.text.entity_words import all_names, first_name

NAMED = [
    ["我住在北京", "I live in Beijing", "北京很大", "I love Beijing"],
    ["我在谷歌上班。", "I work at Google.", "谷歌很大"],
]


@pytest.mark.spec("C7", "M2", "C4")
@pytest.mark.parametrize(
    ("told", "key", "fact"),
    [
        (NAMED[0], "entity:place:Beijing", {"k": "home", "v": "北京"}),
        (NAMED[1], "entity:org:Google", {"k": "employer", "v": "谷歌"}),
        (NAMED[0][1::-1], "entity:place:Beijing", {"k": "home", "v": "Beijing"}),
    ],
)
def test_a_name_in_the_other_language_is_the_same_one(
    tmp_path: Path, told: list[str], key: str, fact: dict[str, str]
) -> None:
    """One entity with both names, and a fact that is said again is no change."""
    with fake_brain(tmp_path) as brain:
        results = [brain.commit_turn("s", [user(one)]) for one in told]
        (entity,) = brain.memories.list("entities").items
        assert (key, len(told)) == (entity.key, entity.frequency)
        called = {entity.value["canonical"], *entity.value["aliases"]}
        assert set(all_names(*key.split(":")[1:])) == called
        assert entity.title in told[0]
        (profile,) = brain.memories.history("profile:user")
        assert ([fact], 2) == (plain_facts(profile), profile.frequency)
        assert "repeated" in {one.code for one in results[1].explain.retention}
        assert_replays(brain)


@pytest.mark.spec("C7", "M4")
@pytest.mark.parametrize("told", NAMED, ids=" | ".join)
def test_the_order_of_names_decides_nothing(tmp_path: Path, told: list[str]) -> None:
    """Whichever name arrives first, the entity and the fact are the same."""
    outcomes = []
    for number, order in enumerate(permutations(range(len(told)))):
        with fake_brain(tmp_path / str(number)) as brain:
            for day in order:
                at = f"2000-01-{day + 1:02}T00:00:00Z"
                brain.commit_turn("s", {"at": at, "messages": [user(told[day])]})
            outcomes.append((memories(brain), entities(brain)))
            assert_replays(brain)
    assert [outcomes[0]] * len(outcomes) == outcomes


@pytest.mark.spec("C7")
@pytest.mark.parametrize("said", ["我下周去北京", "I am going to Beijing next week."])
def test_an_entity_under_another_of_its_names_is_still_found(tmp_path: Path, said: str) -> None:
    """What was stored under the Chinese name goes on there."""
    with fake_brain(tmp_path) as brain:
        brain.memories.put("entities", "entity:place:北京", {"aliases": ["帝都"]})
        brain.commit_turn("s", [user(said)])
        found = brain.memories.list("entities", status=None).items
        (entity,) = [one for one in found if one.value["kind"] == "place"]
        assert ("entity:place:北京", "北京") == (entity.key, entity.value["canonical"])
        assert 2 == entity.frequency


@pytest.mark.spec("C7", "C4")
@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("北京", "Beijing", True),
        ("beijing", "北京", True),
        ("谷歌", "Google", True),
        ("São Paulo", "圣保罗", True),
        ("北京", "Shanghai", False),
        ("NYC", "北京", False),
        ("Vim", "Emacs", False),
    ],
)
def test_values_that_name_one_thing_say_the_same(one: str, other: str, same: bool) -> None:
    """And share a sense by which they are found."""
    assert same == says_same(one, other) == (not set(senses(one)).isdisjoint(senses(other)))


@pytest.mark.spec("C7")
@pytest.mark.parametrize(
    ("kind", "name", "first"),
    [
        ("place", "北京", "Beijing"),
        ("place", "Beijing", "Beijing"),
        ("org", "谷歌", "Google"),
        ("place", "故宫", "故宫"),
        ("person", "北京", "北京"),
        ("place", "Nowhere", "Nowhere"),
    ],
)
def test_a_thing_is_filed_under_the_first_of_its_names(kind: str, name: str, first: str) -> None:
    """Of its own kind alone; whatever is in no list goes by its own name."""
    assert first == first_name(kind, name)
