"""Quotas of a tenant through the facade: what is refused, and that nothing changes then."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, fake_brain, inside, user

from smartbrain.errors import Conflict


def call(number: int, output: str = "done 完成") -> dict[str, Any]:
    """Return a call that has ended."""
    return {"id": f"c{number}", "name": "look", "result": output}


@pytest.mark.spec("S7", "W6")
@pytest.mark.parametrize("said", ["Look around.", "到处看看。"])
def test_outputs_beyond_the_quota_are_refused_and_nothing_changes(
    tmp_path: Path, said: str
) -> None:
    """One output too many names the setting; the turn it came with is not there either."""
    with fake_brain(tmp_path, **{"quotas.artifacts": 2}) as brain:
        turn = brain.commit_turn("s", {"messages": [user(said)], "tool_calls": [call(1)]}).turn_id
        brain.artifacts.add("look", said, session_id="s")
        with inside(brain) as rows:
            before = rows.events.turns("s")
        for refused in (
            lambda: brain.artifacts.add("look", "more 更多", session_id="s"),
            lambda: brain.commit_turn("s", {"messages": [user("x")], "tool_calls": [call(3)]}),
            lambda: brain.commit_turn("s", {"tool_calls": [call(4, "步")]}, turn_id=turn),
        ):
            with pytest.raises(Conflict, match=r"may hold 2, .* raise quotas.artifacts") as error:
                refused()
            assert "over_quota" == error.value.code
        with inside(brain) as rows:
            assert before == rows.events.turns("s")
        brain.commit_turn("s", [user(said), assistant("Done. 好了。")])
        assert 2 == len(brain.artifacts.list().items)


@pytest.mark.spec("S7", "W6")
def test_a_full_tenant_still_completes_the_calls_it_has(tmp_path: Path) -> None:
    """The outcome of a call that is stored already brings no other, and the same comes once."""
    begun = {"id": "c1", "name": "look"}
    with fake_brain(tmp_path, **{"quotas.artifacts": 1}) as brain:
        turn = brain.commit_turn("s", {"messages": [user("去看")], "tool_calls": [begun]}).turn_id
        for _ in range(2):
            brain.commit_turn("s", {"tool_calls": [call(1)]}, turn_id=turn)
        (stored,) = brain.sessions.turns("s")
    assert ["done 完成"] == [one.result for one in stored.tool_calls]
