"""What `compose_context` is given: wrong arguments are named, unknown parts do no harm."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flow_builders import fake_brain, user

from smartbrain.errors import NotFound, UsageError


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"user_message": 7}, "user_message is text or a message"),
        ({"user_message": {"role": "assistant", "content": "x"}}, "a message of the user"),
        ({"agent_state": "you are"}, "agent_state is a dict"),
        ({"agent_state": {"system": 3}}, "agent_state.system"),
        ({"token_limit": 0}, "token_limit is a whole number"),
        ({"audience": "nobody"}, "audience is one of"),
        ({"recipe": 3}, "there is no recipe"),
    ],
)
def test_wrong_arguments_are_refused(
    tmp_path: Path, arguments: dict[str, Any], sentence: str
) -> None:
    """Each wrong argument is named with what to give instead."""
    with fake_brain(tmp_path) as brain, pytest.raises(UsageError, match=sentence):
        brain.compose_context("s", **arguments)


def test_an_unknown_turn_is_not_found(tmp_path: Path) -> None:
    """A turn in progress must be one of the session."""
    with fake_brain(tmp_path) as brain:
        other = brain.commit_turn("other", [user("x")]).turn_id
        for turn in ("nope", other):
            with pytest.raises(NotFound):
                brain.compose_context("now", "x", turn_id=turn)


def test_unknown_parts_of_the_agents_state_are_told(tmp_path: Path) -> None:
    """What is not understood is named and does no harm."""
    with fake_brain(tmp_path) as brain:
        package = brain.compose_context("s", "hi", {"mood": "good", "mode": "plan"})
    assert [("unknown_field", "mood")] == [(one.code, one.key) for one in package.debug.ignored]
    assert "plan" in package.text()


def test_without_documents_the_planner_says_so(tmp_path: Path) -> None:
    """A message that asks for sources is answered from memory alone, and that is told."""
    with fake_brain(tmp_path) as brain:
        package = brain.compose_context("s", "查一下资料")
    assert "no_resources" == package.debug.planner["resources"]["code"]
