"""The views behind an open brain: a commit is found at once, arms tell how they stand.

In: turns, nodes, settings and embedders through `SmartBrain`, in Chinese and English. Out: what the
next call finds, on real indexes; nothing here waits or sleeps.
"""

from __future__ import annotations

import logging
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from flow_builders import START, assistant, episode_of, user

from smartbrain import SmartBrain
from smartbrain.adapters.keys import new_master_key_text
from smartbrain.domain.search import Hit
from smartbrain.domain.status import ArmState
from smartbrain.errors import AdapterError, NotFound, UsageError
from smartbrain.testing.clock import FakeClock
from smartbrain.testing.models import FailingEmbedder, HashEmbedder

BLUETOOTH = "Win11 蓝牙打不开，错误码 0x8007045D"
REPORT = "The weekly report is due on Thursday"
REVIEW = "明天的 release 评审会改到下午三点"
TOPICS = (BLUETOOTH, REPORT, REVIEW, "张三 moved to 杭州", "well done 干得好")
# Remarks of which nothing but their episode is remembered.
STUCK = "怎么又打不开了，错误码 0x8007045D"
SIGH = "Oh no, the weekly report again"
QUERIES = ("0x8007045d 蓝牙打不开", "reports weekly", "release 评审会几点", "张三", "干得好 done")


def opened(path: Path, **more: Any) -> SmartBrain:
    """Open a brain with a clock of its own."""
    return SmartBrain.open(path, clock=FakeClock(START, step=timedelta(seconds=1)), **more)


def encrypted(path: Path) -> dict[str, Any]:
    """Return the configuration of an encrypted brain, with its key in a file."""
    key = path / "key"
    key.write_text(new_master_key_text(), encoding="ascii")
    return {"encryption": {"enabled": True, "master_key_file": str(key)}}


def say(brain: SmartBrain, text: str, session: str = "s") -> str:
    """Commit a turn and return the id of its episode."""
    turn = brain.commit_turn(session, [user(text), assistant("好的 ok")]).turn_id
    return episode_of(brain, turn).id


def found(brain: SmartBrain, words: str, **more: Any) -> list[Hit]:
    """Search as this handle's rules allow."""
    with brain._lease() as tenant:
        return tenant.views.search(words, brain._recall_rules(), **more)


def states(brain: SmartBrain) -> dict[str, tuple[str, str]]:
    """Return state and code of each arm."""
    return {arm.name: (arm.state.value, arm.code) for arm in brain.capabilities().arms}


@pytest.mark.spec("R4", "S1")
@pytest.mark.parametrize("view", ["text", "passages"])
def test_a_commit_is_found_by_the_next_call(tmp_path: Path, view: str) -> None:
    """Turn by turn, in Chinese, English and mixed text, also through another handle and again."""
    with opened(tmp_path) as brain:
        other = brain.tenant("default")
        for text, words in zip(TOPICS, QUERIES, strict=True):
            assert all(text not in hit.text for hit in found(brain, words, view=view))
            say(brain, text, text)
            for handle in (brain, other):
                assert text in found(handle, words, view=view)[0].text
    with opened(tmp_path) as brain:
        assert BLUETOOTH in found(brain, "蓝牙", view=view)[0].text


@pytest.mark.spec("S8")
def test_tenants_do_not_find_what_others_said(tmp_path: Path) -> None:
    """The same words in two tenants are found in the one where they were said."""
    with opened(tmp_path) as brain:
        other = brain.tenant("李四")
        say(brain, BLUETOOTH)
        assert (1, 0) == (len(found(brain, "蓝牙")), len(found(other, "蓝牙")))
        say(other, "蓝牙耳机 of 李四")
        assert ["蓝牙耳机 of 李四"] == [hit.title for hit in found(other, "蓝牙")]


@pytest.mark.spec("R4", "S1")
def test_arms_are_idle_until_the_first_call_and_then_up(tmp_path: Path) -> None:
    """Opening a brain loads nothing; the first search brings up each view, in figures."""
    with opened(tmp_path) as brain:
        say(brain, STUCK)
        idle = ("idle", "not_loaded")
        quiet = {"text": idle, "passages": idle, "graph": idle, "vector": ("off", "no_embedder")}
        assert quiet == states(brain)
        assert {} == brain.capabilities().rebuilds
        found(brain, "打不开")
        up = {**dict.fromkeys(("text", "passages", "graph"), ("up", "ok"))}
        assert {**up, "vector": ("off", "no_embedder")} == states(brain)
        text = brain.capabilities().arm("text")
        assert text is not None
        assert (1, 0) == (text.items, text.behind)
        say(brain, SIGH)
        behind = brain.capabilities().arm("text")
        assert behind is not None
        assert behind.behind > 0
        assert brain.capabilities().to_dict()["arms"][0]["state"] == "up"
        assert [arm.to_dict() for arm in brain.status().arms] == [
            arm.to_dict() for arm in brain.capabilities().arms
        ]


@pytest.mark.spec("R4", "S1")
def test_configure_switches_arms_of_this_handle_alone(tmp_path: Path) -> None:
    """At once and back again; another handle of the same tenant goes on as before."""
    with opened(tmp_path) as brain:
        other = brain.tenant("default")
        node = brain.graph.add_node("Concept:蓝牙").id
        switches = {
            "text": "recall.use_node_index",
            "passages": "recall.raw.enabled",
            "graph": "recall.graph.enabled",
            "vector": "recall.vector.enabled",
        }
        for arm, name in switches.items():
            brain.configure({name: False})
            off = brain.capabilities().arm(arm)
            assert off is not None
            assert (ArmState.OFF, "disabled", f"{name} is false") == (
                off.state,
                off.code,
                off.reason,
            )
            assert ("off", "disabled") != states(other)[arm]
        for call in (brain.graph.neighbors, brain.graph.khop, brain.graph.ppr):
            with pytest.raises(UsageError, match=r"recall\.graph\.enabled is false"):
                call(node)
        assert [] == list(other.graph.neighbors(node))
        brain.configure({"recall": {"graph": {"enabled": True}}})
        assert [] == list(brain.graph.neighbors(node))


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"recall.vektor.enabled": False}, "vector"),
        ({"recall.graph.enabled": "sometimes"}, "recall.graph.enabled"),
        ({"recall.graph.k_hop": 99}, "k_hop"),
        ({"recall.graph.enabled": False, "recall.没有": 1}, "没有"),
        ({"encryption.enabled": True}, "cannot be changed while the brain is open"),
        ({"timezone": "Asia/Shanghai"}, "cannot be changed while the brain is open"),
        ({5: 6}, "cannot be changed while the brain is open"),
        (None, "not None"),
        ("recall.graph.enabled", "a dict"),
        ([("recall.graph.enabled", False)], "a dict"),
    ],
    ids=lambda one: repr(one)[:30],
)
def test_a_wrong_setting_changes_nothing(tmp_path: Path, values: Any, sentence: str) -> None:
    """A name or value that is wrong, or fixed at opening, is refused as a whole."""
    with opened(tmp_path) as brain:
        before = states(brain)
        with pytest.raises(UsageError) as caught:
            brain.configure(values)
        assert "config" == caught.value.code
        assert sentence in caught.value.message
        assert "\n" not in caught.value.message
        assert before == states(brain)


@pytest.mark.spec("R4", "S7")
@pytest.mark.parametrize("locked", [False, True], ids=["plain", "encrypted"])
def test_a_rebuild_finds_the_same_and_is_counted(tmp_path: Path, locked: bool) -> None:
    """The top ten of every view stay, also after closing; an encrypted tenant writes no index."""
    config = encrypted(tmp_path) if locked else None
    told: list[tuple[str, int]] = []

    def top_ten(brain: SmartBrain) -> list[list[str]]:
        views = ("text", "passages")
        return [
            [hit.id for hit in found(brain, one, view=view)] for one in QUERIES for view in views
        ]

    with opened(tmp_path / "b", config=config) as brain:
        for number in range(30):
            say(brain, f"{TOPICS[number % 5]} 第 {number} 次", f"s{number % 3}")
        before = top_ten(brain)
        assert all(before)
        now = brain.rebuild(lambda view, rows: told.append((view, rows)))
        assert [1] * 3 == [now.rebuilds[f"{one}:asked"] for one in ("text", "passages", "graph")]
        assert {"text", "passages", "graph"} == {view for view, _ in told}
        assert 30 == len(brain.memories.list(type="episodes", limit=100).items)
        assert ("text", brain.status().rows["memories"]) in told
        assert before == top_ten(brain)
        say(brain, "蓝牙 after the rebuild 之后")
        assert "蓝牙 after the rebuild 之后" in [hit.title for hit in found(brain, "after 蓝牙")]
        after = top_ten(brain)
        with brain._lease() as tenant:
            tenant.views.save(brain._recall_rules())
            assert locked == (not (tenant.folder / "views").exists())
    with opened(tmp_path / "b", config=config) as brain:
        assert after == top_ten(brain)


@pytest.mark.spec("R3", "M5", "S1")
@pytest.mark.parametrize(
    ("concept", "entity"),
    [("Concept:蓝牙故障", "Entity:张三"), ("Concept:Slow boot", "Entity:ACME Ltd")],
)
def test_the_graph_is_built_by_hand_and_walked(tmp_path: Path, concept: str, entity: str) -> None:
    """Nodes by id, key or name; the stronger come first, also after opening again."""
    with opened(tmp_path) as brain:
        episode = say(brain, BLUETOOTH)
        node, person = brain.graph.add_node(concept), brain.graph.add_node(entity)
        assert node.id == brain.graph.add_node(concept).id
        brain.graph.add_edge(concept, "about", episode, 0.9)
        edge = brain.graph.add_edge(person.key, "CAUSES", node.key)
        assert (person.id, node.id, 1.0) == (edge.src, edge.dst, edge.weight)
        brain.graph.add_edge(entity, "causes", concept, 0.2)
        for name in (concept, node.key, node.id):
            near = brain.graph.neighbors(name)
            assert [(episode, "ABOUT", True), (person.id, "CAUSES", False)] == [
                (one.id, one.relation, one.outgoing) for one in near
            ]
            assert near[0].weight == pytest.approx(0.9)
        assert 1 == len(brain.graph.neighbors(concept, limit=1))
    with opened(tmp_path) as brain:
        for walk in (brain.graph.khop, brain.graph.ppr):
            reached = walk({concept: 2.0, entity: 1})
            assert {node.id, person.id, episode} <= {name for name, _ in reached}
            assert sorted(reached, key=lambda one: -one[1]) == list(reached)
            assert [person.id] == [name for name, _ in walk(entity, hops=0)]
            assert walk({concept: 3.0, node.id: 1.0}) == walk({concept: 3.0})
            assert [] == list(walk({}))


@pytest.mark.parametrize("seeds", [5, None, ["Concept:甲"], {"Concept:甲": 0}, {"Concept:甲": -1}])
@pytest.mark.parametrize("walk", ["khop", "ppr"])
def test_seeds_that_are_none_are_refused(tmp_path: Path, walk: str, seeds: Any) -> None:
    """The sentence shows what the caller gave, never a number of the index."""
    with opened(tmp_path) as brain:
        brain.graph.add_node("Concept:甲")
        with pytest.raises(UsageError, match="seed") as caught:
            getattr(brain.graph, walk)(seeds)
        shown = "Concept:甲" if isinstance(seeds, dict | list) else repr(seeds)
        assert shown in caught.value.message


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), "1", None, 1e10])
def test_a_seed_weighs_a_number_above_0(tmp_path: Path, weight: Any) -> None:
    """Whatever else is given is named together with its node."""
    with opened(tmp_path) as brain:
        brain.graph.add_node("Entity:Bob")
        with pytest.raises(UsageError, match="the seed 'Entity:Bob' weighs"):
            brain.graph.ppr({"Entity:Bob": weight})


@pytest.mark.parametrize("hops", [-1, 7, 1.5, "2", None, True])
def test_hops_go_from_0_to_6(tmp_path: Path, hops: Any) -> None:
    """Both walks say so."""
    with opened(tmp_path) as brain:
        brain.graph.add_node("Concept:甲")
        for walk in (brain.graph.khop, brain.graph.ppr):
            with pytest.raises(UsageError, match="hops is a whole number from 0 to 6"):
                walk("Concept:甲", hops=hops)
            assert 1 == len(walk("Concept:甲", hops=6))


@pytest.mark.parametrize("name", ["nope", "没有", "Concept:没有", "foo:bar", "mem_x", "Fact:x", ""])
def test_a_node_that_is_not_there_is_not_found(tmp_path: Path, name: str) -> None:
    """Whichever way it is asked for, and whatever it looks like; an edge is not written either."""
    with opened(tmp_path) as brain:
        brain.graph.add_node("Concept:甲")
        before = brain.status().rows
        for call in (
            lambda: brain.graph.neighbors(name),
            lambda: brain.graph.khop(name),
            lambda: brain.graph.ppr({name: 1.0}),
            lambda: brain.graph.add_edge("Concept:甲", "about", name),
        ):
            with pytest.raises(NotFound, match=f"there is no node '{name}'"):
                call()
        assert before == brain.status().rows


@pytest.mark.spec("R3", "R4", "S1")
def test_an_embedder_brings_up_the_vector_arm(tmp_path: Path) -> None:
    """What was said before and after it was chosen gets vectors, and the arm counts them."""
    with opened(tmp_path) as brain:
        say(brain, STUCK)
    with opened(tmp_path, embedder=HashEmbedder(64)) as brain:
        before = brain.capabilities().arm("vector")
        assert before is not None
        assert (ArmState.BUILDING, "embedding", 1) == (before.state, before.code, before.waiting)
        say(brain, SIGH)
        report = brain.jobs.run("embed")
        assert ("ok", 0) == (report.code, report.waiting)
        found(brain, "打不开")
        arm = brain.capabilities().arm("vector")
        assert arm is not None
        assert ("vector:hash", ArmState.UP, 2, 0) == (arm.name, arm.state, arm.items, arm.waiting)
        brain.configure({"recall.vector.enabled": False})
        assert ("off", "disabled") == states(brain)["vector"]
        with pytest.raises(UsageError, match=r"did you mean 'embed'\?"):
            brain.jobs.run("embd")


@pytest.mark.spec("R4", "E5")
@pytest.mark.parametrize("retryable", [True, False])
def test_a_failing_embedder_fails_no_commit(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, retryable: bool
) -> None:
    """The turn is stored and found by its words; the arm tells what is wrong, then recovers."""
    failing = FailingEmbedder(HashEmbedder(64), retryable=retryable)
    with caplog.at_level(logging.ERROR), opened(tmp_path, embedder=failing) as brain:
        say(brain, STUCK)
        assert 1 == len(found(brain, "打不开"))
        report = brain.jobs.run("embed")
        assert (0, 1) == (report.embedded, report.waiting)
        assert "fails on purpose" in report.reason
        arm = brain.capabilities().arm("vector")
        assert arm is not None
        assert (ArmState.FAILED, 1) == (arm.state, arm.waiting)
        assert "fails on purpose" in arm.reason
    assert [] == caplog.records
    with opened(tmp_path, embedder=HashEmbedder(64)) as brain:
        assert 1 == brain.jobs.run("embed").embedded


def test_without_an_embedder_there_is_nothing_to_embed_with(tmp_path: Path) -> None:
    """The job says how to choose one; the words are searched all the same."""
    with opened(tmp_path) as brain:
        say(brain, SIGH)
        with pytest.raises(UsageError, match="no embedder"):
            brain.jobs.run("embed")
        assert 1 == len(found(brain, "reports weekly"))


def test_a_closed_brain_answers_nothing(tmp_path: Path) -> None:
    """Every verb over the views says that the brain is closed."""
    brain = opened(tmp_path)
    brain.close()
    for call in (
        brain.capabilities,
        brain.rebuild,
        lambda: brain.graph.add_node("Concept:甲"),
        lambda: brain.graph.neighbors("Concept:甲"),
        lambda: brain.jobs.run("embed"),
    ):
        with pytest.raises((UsageError, AdapterError)) as caught:
            call()
        assert "closed" == caught.value.code


@pytest.mark.spec("E2", "R3")
@pytest.mark.parametrize(
    ("said", "last"),
    [
        ("".join(f"On day {n} we met 30 people in Berlin. " for n in range(60)), "rhubarb"),
        ("".join(f"第{n}天我们在杭州见了30个人。" for n in range(60)), "梅子酒"),
    ],
)
def test_a_long_turn_is_found_by_all_its_words(tmp_path: Path, said: str, last: str) -> None:
    """Its episode tells it in short, and still answers to what only the original holds."""
    with opened(tmp_path) as brain:
        turn = brain.commit_turn("s", [user(f"{said} {last}")]).turn_id
        episode = episode_of(brain, turn)
        assert last not in episode.text
        assert [episode.id] == [hit.id for hit in found(brain, last) if hit.type == "episodes"]
        brain.rebuild()
        assert [episode.id] == [hit.id for hit in found(brain, last) if hit.type == "episodes"]
