"""Quotas of a tenant through the facade: what is refused, and that nothing changes then."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from flow_builders import assistant, fake_brain, inside, user

from smartbrain import SmartBrain
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


def refused_at(brain: SmartBrain, name: str, write: Callable[[], object]) -> None:
    """Check that a write is refused by its quota and leaves every table as it was."""
    with brain._lease() as tenant:
        before = tenant.ports.truth.counts()
        with pytest.raises(Conflict, match=rf"may hold [\d,]+, .* raise quotas\.{name}$") as error:
            write()
        assert "over_quota" == error.value.code
        assert before == tenant.ports.truth.counts()


@pytest.mark.spec("S7")
@pytest.mark.parametrize(
    ("said", "more"),
    [("I live in Berlin.", "I work at Siemens."), ("我住在上海。", "我在华为工作。")],
)
def test_memories_beyond_the_quota_are_refused_whoever_brings_them(
    tmp_path: Path, said: str, more: str
) -> None:
    """Turns, verbs and runs are refused whole; what is there can be read and taken back."""
    with fake_brain(tmp_path) as brain:
        brain.commit_turn("s", [user(said)])
        run = brain.runs.start("s", "look 看")
        with inside(brain) as rows:
            full = rows.usage.memories()
    with fake_brain(tmp_path, **{"quotas.memories": full}) as brain:
        for write in (
            lambda: brain.commit_turn("s", [user(more)]),
            lambda: brain.memories.put("facts", "fact:x:y", {"value": more}),
            lambda: brain.remember(more),
            lambda: brain.graph.add_node("Concept:新"),
            lambda: brain.runs.insight(run, more, 0.5),
        ):
            refused_at(brain, "memories", write)
        (told,) = brain.memories.list(type="profile").items
        brain.memories.retract(told.id)
        assert [] == list(brain.memories.list(type="profile").items)


@pytest.mark.spec("S7")
def test_bytes_beyond_the_quota_are_refused_with_the_originals_in_files(tmp_path: Path) -> None:
    """A long output lies in a file of its own and counts as the database's pages do."""
    long = "\n".join(f"第 {number} 行输出, line {number}" for number in range(6_000))
    turn = {"messages": [user("x")], "tool_calls": [call(1, long)]}
    with fake_brain(tmp_path / "measured") as brain:
        brain.commit_turn("s", [user("Look. 看看。")])
        with inside(brain) as rows:
            small = rows.usage.bytes()
        brain.commit_turn("s", turn)
        with inside(brain) as rows:
            large = rows.usage.bytes()
    assert small + len(long.encode()) < large
    with fake_brain(tmp_path / "limited", **{"quotas.bytes": large - 1}) as brain:
        brain.commit_turn("s", [user("Look. 看看。")])
        refused_at(brain, "bytes", lambda: brain.commit_turn("s", turn))
        brain.commit_turn("s", [user("Thanks! 谢谢！")])


@pytest.mark.spec("S7")
def test_a_document_beyond_the_quota_of_bytes_leaves_nothing_behind(tmp_path: Path) -> None:
    """What is only kept, and made a graph of later, counts at once."""
    with fake_brain(tmp_path, **{"quotas.bytes": 1}) as brain:
        refused_at(brain, "bytes", lambda: brain.ingest("一份文件 a document " * 100))
