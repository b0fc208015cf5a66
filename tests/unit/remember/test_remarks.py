"""Deeds told in passing, and a bare "done": what they reach, whichever arrives first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import permutations
from pathlib import Path
from typing import Any, Final

import pytest

from smartbrain import SmartBrain
from smartbrain.domain.claim import Claim
from smartbrain.domain.graph import EdgeType

NOW: Final = datetime(2026, 3, 11, 10, tzinfo=UTC)


def tell(brain: SmartBrain, days_ago: int, text: str, role: str = "user") -> str:
    """Commit what was said some days ago; return the id of its turn."""
    at = (NOW - timedelta(days=days_ago)).isoformat()
    turn = {"messages": [{"role": role, "content": text}], "at": at}
    return brain.commit_turn(f"s{days_ago}", turn).turn_id


def claims(brain: SmartBrain, turn_id: str) -> list[Claim]:
    """Return what a turn claims."""
    with brain._lease() as tenant, tenant.ports.truth.read() as rows:
        return rows.claims.of_turn(turn_id)


def tasks(brain: SmartBrain) -> list[tuple[str, str]]:
    """Return the tasks that stand and their states."""
    found = brain.memories.list("tasks", status="active").items
    return sorted((one.value["title"], one.value["status"]) for one in found)


def opened(path: Path, **config: Any) -> SmartBrain:
    """Return a brain for which it is always the same moment."""
    return SmartBrain.open(path, clock=lambda: NOW, config=config)


@pytest.mark.spec("C1", "K11")
@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Hello", 0),
        ("I slept", 0),
        ("I will buy milk", 0),
        ("Did I buy the milk?", 0),
        ("还没买牛奶", 0),
        ("I bought the milk. I called mom.", 4),
        ("报价单发了", 2),
        (" ".join(f"I painted wall {number}." for number in range(50)), 20),
    ],
)
def test_a_deed_is_claimed_of_a_task_and_of_a_goal(text: str, count: int, tmp_path: Path) -> None:
    """What names nothing that was done, is to come or is asked claims nothing; a text, not all."""
    with opened(tmp_path) as brain:
        assert count == sum(
            bool(one.detail.get("deed")) for one in claims(brain, tell(brain, 1, text))
        )
        assert all(status != "done" for _, status in tasks(brain))


@pytest.mark.spec("C1", "C4", "M4")
@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize(
    ("texts", "title", "status"),
    [
        (("I need to buy milk.", "I bought the milk.", "nice"), "buy milk", "done"),
        (("I bought the milk.", "I need to buy milk.", "nice"), "buy milk", "todo"),
        (("我得发报价单", "报价单发了", "好的"), "发报价单", "done"),
        (("报价单发了", "我得发报价单", "好的"), "发报价单", "todo"),
    ],
)
def test_a_deed_ends_what_was_to_be_done_before_it(
    texts: tuple[str, ...], title: str, status: str, order: tuple[int, ...], tmp_path: Path
) -> None:
    """In whatever order the turns arrive; it ends nothing that comes after it."""
    with opened(tmp_path) as brain:
        for place in order:
            tell(brain, 9 - place, texts[place])
        assert [(title, status)] == tasks(brain)


@pytest.mark.spec("C4", "M4", "K2")
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_what_ends_a_late_task_is_of_the_turn_that_tells_it(tmp_path: Path, role: str) -> None:
    """Its version has that turn's time and words, and is as sure as who tells it."""
    with opened(tmp_path) as brain:
        turn = tell(brain, 2, "I called Bob.", role)
        tell(brain, 4, "I need to call Bob.")
        (task,) = brain.memories.list("tasks", status="active").items
        with brain._lease() as tenant, tenant.ports.truth.read() as rows:
            (said,) = rows.edges.of(task.id, kind=EdgeType.DERIVED_FROM)
    assert ("done", "I called Bob.", turn) == (task.value["status"], task.text, task.source_turn_id)
    assert NOW - timedelta(days=2) == task.said_at == task.valid_since
    assert role == task.provenance.creator
    assert (0.85 if role == "user" else 0.6) == task.confidence == said.confidence


@pytest.mark.spec("C10", "C4")
def test_what_is_masked_ends_nothing_where_it_is_refused(tmp_path: Path) -> None:
    """Under `privacy.pii: refuse` nothing is made of words that held personal data."""
    with opened(tmp_path, privacy={"pii": "refuse"}) as brain:
        turn = tell(brain, 1, "I emailed bob@example.com the slides.")
        tell(brain, 2, "I need to email the slides.")
        assert [] == claims(brain, turn)
        assert [("email the slides", "todo")] == tasks(brain)
