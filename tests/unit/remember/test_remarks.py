"""Deeds told in passing are kept for aims that arrive after them: which ones, and how many."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from smartbrain import SmartBrain
from smartbrain.bootstrap.replaying import check_replay
from smartbrain.domain.graph import EdgeType
from smartbrain.remember import told_deeds

NOW: Final = datetime(2026, 3, 11, 10, tzinfo=UTC)
TODO: Final = "I need to buy milk."
DONE: Final = "I bought the milk."


def tell(brain: SmartBrain, days_ago: int, text: str, role: str = "user") -> str:
    """Commit what was said some days ago; return the id of its turn."""
    at = (NOW - timedelta(days=days_ago)).isoformat()
    turn = {"messages": [{"role": role, "content": text}], "at": at}
    return brain.commit_turn(f"s{days_ago}", turn).turn_id


def kept(brain: SmartBrain) -> list[list[str]]:
    """Return the words of the deeds that are kept, turn by turn, by their own times."""
    with brain._lease() as tenant, tenant.ports.truth.read() as rows:
        found = sorted(rows.working.state("tenant", "deed"), key=lambda one: one.id)
    return [[deed["text"] for deed in one.body["deeds"]] for one in found]


def tasks(brain: SmartBrain) -> list[tuple[str, str]]:
    """Return the tasks that stand and their states."""
    found = brain.memories.list("tasks", status="active").items
    return sorted((one.value["title"], one.value["status"]) for one in found)


def opened(path: Path, **config: Any) -> SmartBrain:
    """Return a brain for which it is always the same moment."""
    return SmartBrain.open(path, clock=lambda: NOW, config=config)


@pytest.mark.spec("C1", "C4")
def test_a_turn_leaves_one_row_for_all_that_it_tells_as_done(tmp_path: Path) -> None:
    """What names nothing that was done, is to come or is asked leaves none."""
    with opened(tmp_path) as brain:
        for text in ("Hello", "I slept", "I will buy milk", "Did I buy the milk?", "还没买牛奶"):
            tell(brain, 3, text)
        assert [] == kept(brain)
        tell(brain, 2, "I bought the milk. I called mom.")
        assert [["I bought the milk.", "I called mom."]] == kept(brain)
        tell(brain, 1, " ".join(f"I painted wall {number}." for number in range(50)))
        assert [2, 20] == [len(row) for row in kept(brain)]


@pytest.mark.spec("C4", "M4")
def test_the_newest_are_kept_by_their_own_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In whatever order they come; those that are not swept away yet are not looked at either."""
    monkeypatch.setattr(told_deeds, "_MOST", 2)
    with opened(tmp_path) as brain:
        monkeypatch.setattr(told_deeds, "_SWEPT", 1 << 40)
        for days, name in ((2, "Bob"), (5, "mom"), (3, "Anna")):
            tell(brain, days, f"I called {name}.")
        assert 3 == len(kept(brain))
        for name in ("Bob", "mom", "Anna"):
            tell(brain, 9, f"I need to call {name}.")
        ended = [("call Anna", "done"), ("call Bob", "done"), ("call mom", "todo")]
        assert ended == tasks(brain)
        monkeypatch.setattr(told_deeds, "_SWEPT", 1)
        tell(brain, 4, "I called Eve.")
        assert [["I called Anna."], ["I called Bob."]] == kept(brain)


@pytest.mark.spec("C4", "M4")
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_what_ends_a_late_task_is_of_the_turn_that_tells_it(tmp_path: Path, role: str) -> None:
    """Its version has that turn's time, words, rule and names, and is as sure as who tells it."""
    with opened(tmp_path) as brain:
        turn = tell(brain, 2, "I called Bob.", role)
        tell(brain, 4, "I need to call Bob.")
        (task,) = brain.memories.list("tasks", status="active").items
        with brain._lease() as tenant, tenant.ports.truth.read() as rows:
            (said,) = rows.edges.of(task.id, kind=EdgeType.DERIVED_FROM)
            (named,) = rows.edges.of(task.id, kind=EdgeType.MENTIONS)
            entity = rows.memories.get([named.dst])[named.dst]
            report = check_replay(tenant, brain._root.rules)
    assert ("done", "I called Bob.", turn) == (task.value["status"], task.text, task.source_turn_id)
    assert NOW - timedelta(days=2) == task.said_at == task.valid_since
    assert (role, "tasks.past") == (task.provenance.creator, said.attrs["rule"])
    assert (0.85 if role == "user" else 0.6) == task.confidence == said.confidence
    assert "Bob" == entity.title
    assert (0, 0) == (report.failed, report.differing)


@pytest.mark.spec("C1", "C4")
def test_a_task_that_is_told_after_it_was_done_is_to_be_done_again(tmp_path: Path) -> None:
    """A deed ends nothing that comes after it, nor what is told in the same turn."""
    with opened(tmp_path) as brain:
        tell(brain, 5, DONE)
        tell(brain, 4, TODO)
        assert [("buy milk", "todo")] == tasks(brain)
        tell(brain, 5, TODO)
        assert [("buy milk", "todo")] == tasks(brain)


@pytest.mark.spec("C10", "C4")
def test_what_is_masked_is_kept_masked_and_ends_nothing_where_it_is_refused(tmp_path: Path) -> None:
    """Under `privacy.pii: refuse` neither the words nor what comes of them hold personal data."""
    with opened(tmp_path, privacy={"pii": "refuse"}) as brain:
        tell(brain, 1, "I emailed bob@example.com the slides.")
        tell(brain, 2, "I need to email the slides.")
        assert [["I emailed [email] the slides."]] == kept(brain)
        assert [("email the slides", "todo")] == tasks(brain)
