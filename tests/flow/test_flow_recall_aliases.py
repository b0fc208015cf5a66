"""Names that something is also called by, and the memories that call it otherwise."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from recall_builders import NOW, arm, arms, opened, say

from smartbrain import SmartBrain
from smartbrain.testing.clock import FakeClock

ROBERT = "entity:person:Robert_Smith"
BUDGET = "Robert Smith owns the budget of 4 million"


def told(path: Path, clock: FakeClock | None = None, **config: object) -> SmartBrain:
    """Open a brain that knows two people by several names, and was told of them by one."""
    brain = opened(path, clock=clock, recall=config)
    names = {"name": "Robert Smith", "aliases": ["Bob", "老罗"]}
    brain.memories.put("entities", ROBERT, names)
    brain.memories.put("entities", "entity:person:Anna_Bobson", {"aliases": ["Annie", "小罗"]})
    say(brain, f"{BUDGET}.", session="a")
    say(brain, "Anna Bobson plays chess.", session="b")
    say(brain, "We had soup, and it rained.", session="c")
    return brain


@pytest.mark.spec("R12", "C7")
@pytest.mark.parametrize("query", ["Bob", "老罗", "What does Bob do?", "老罗负责什么？"])
def test_a_stored_alias_leads_to_what_is_told_of_its_owner(tmp_path: Path, query: str) -> None:
    """By words and by relations; somebody whose name is only like it is not meant."""
    with told(tmp_path) as brain:
        answer = brain.recall(query, k=2)
    assert {BUDGET} == {one.text.removeprefix("user: ").split(".")[0] for one in answer}
    assert all({"text", "graph"} <= set(one.found_by) for one in answer)
    assert answer.trace.cues is not None
    assert "Robert Smith" in answer.trace.cues.referred
    assert "Anna Bobson" not in answer.trace.cues.referred
    assert ("aliases", True) == (
        arm(answer, "text").code,
        "Robert Smith" in arm(answer, "text").reason,
    )
    assert 2 == arm(answer, "text").hits
    assert not {"names", "aliases", "wider"} & arms(answer).keys()


@pytest.mark.spec("R4", "C7")
@pytest.mark.parametrize("query", ["Bob", "老罗"])
def test_an_alias_leads_there_without_a_text_index(tmp_path: Path, query: str) -> None:
    """The entities stored last are looked through."""
    with told(tmp_path, use_node_index=False, raw={"enabled": False}) as brain:
        answer = brain.recall(query, k=2)
    assert "graph_only" == answer.trace.mode
    assert BUDGET in answer[0].text


@pytest.mark.spec("R12", "C7")
@pytest.mark.parametrize("query", ["Bob", "老罗"])
def test_being_mentioned_by_an_alias_does_not_hide_its_owner(tmp_path: Path, query: str) -> None:
    """A name that was only mentioned is not yet somebody else; one that is remembered is."""
    with told(tmp_path) as brain:
        say(brain, f"{query} 喜欢喝茶 likes tea.", session="d")
        mentioned = [one.text for one in brain.recall(query)]
        brain.memories.put("entities", f"entity:person:{query}", {"attrs": {"age": 7}})
        answer = brain.recall(query)
    assert any("likes tea" in text for text in mentioned[:2])
    assert any(text.startswith(BUDGET) for text in mentioned)
    assert answer.trace.cues is not None
    assert () == answer.trace.cues.referred


@pytest.mark.spec("R9")
@pytest.mark.parametrize("query", ["Bob", "老罗"])
def test_an_alias_is_a_strong_cue(tmp_path: Path, query: str) -> None:
    """A packet shows what was told of its owner long ago."""
    clock = FakeClock(NOW)
    with told(tmp_path, clock) as brain:
        clock.now = NOW + timedelta(days=200)
        packet = brain.build_memory_packet("z", query)
    (episode,) = [one for one in packet.episodes if one.type == "episodes"]
    assert BUDGET in episode.text
