"""The entity gate on what a task or a decision names: names pass it, a mere noun waits (C2)."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow_builders import fake_brain, user


@pytest.mark.spec("C2", "C7")
@pytest.mark.parametrize(
    ("said", "name", "noun"),
    [
        (
            "We need to send the samples to Hannah Brandt in Oslo.",
            "entity:person:Hannah_Brandt",
            "entity:object:samples",
        ),
        ("我要给腾讯的刘志强写一封感谢信。", "entity:person:刘志强", "entity:object:感谢信"),
    ],
)
def test_a_task_makes_names_memories_and_no_noun(
    tmp_path: Path, said: str, name: str, noun: str
) -> None:
    """What only has a part in a statement is a node that waits until it is named again."""
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user(said)])
        assert "tasks" in [one.type for one in result.memory_written.items]
        told = {one.key: (one.action, one.code) for one in result.explain.retention}
        assert ("written", "entity_in_use") == told[name]
        assert ("deferred", "entity_gate") == told[noun]
        again = brain.commit_turn("s", [user(said)])
    assert "entity_frequent" in [one.code for one in again.explain.retention if one.key == noun]


@pytest.mark.spec("C7")
@pytest.mark.parametrize("asked", ["Is Grafana any good compared to Kibana?"])
def test_a_question_is_no_name(tmp_path: Path, asked: str) -> None:
    """Its first word is a verb."""
    with fake_brain(tmp_path) as brain:
        result = brain.commit_turn("s", [user(asked)])
    named = {one.key for one in result.explain.retention if one.type == "entities"}
    assert {"entity:object:Grafana", "entity:object:Kibana"} == named
