"""What the flow tests build: brains with a clock of their own, messages, and looks inside.

In: a folder and a few words. Out: an open brain, plain input of `commit_turn`, rows of a database.
Not a fake: everything runs on the real adapters.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import apsw

from smartbrain import SmartBrain
from smartbrain.bootstrap.root import Root
from smartbrain.domain.memory import Memory
from smartbrain.ports.truth import Transaction
from smartbrain.testing.clock import FakeClock, seeded

START = datetime(2001, 5, 17, 8, 30, tzinfo=UTC)


def fake_brain(path: Path, *, seed: int = 1, **config: Any) -> SmartBrain:
    """Open a brain whose time and ids depend on nothing but the arguments."""
    clock = FakeClock(START, step=timedelta(seconds=1))
    root = Root(path, config=config, clock=clock, entropy=seeded(seed))
    with root.tenants.lease("t"):
        return SmartBrain(root, "t", owner=True)


def user(content: str | None, **more: Any) -> dict[str, Any]:
    """Return a message of the user."""
    return {"role": "user", "content": content, **more}


def assistant(content: str | None, **more: Any) -> dict[str, Any]:
    """Return a message of the assistant."""
    return {"role": "assistant", "content": content, **more}


@contextmanager
def inside(brain: SmartBrain) -> Iterator[Transaction]:
    """Look at a brain's repositories in a reading transaction."""
    with brain._lease() as tenant, tenant.ports.truth.read() as transaction:
        yield transaction


def episode_of(brain: SmartBrain, turn_id: str) -> Memory:
    """Return the episode that a turn left."""
    page = brain.memories.list(type="episodes", limit=1000)
    (found,) = [memory for memory in page.items if memory.source_turn_id == turn_id]
    return found


def table_rows(database: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Return every row of every table of a database, ours and SQLite's own counters."""
    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        names = [
            row[0]
            for row in connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
            )
        ]
        return {name: list(connection.execute(f"SELECT * FROM {name}")) for name in names}
    finally:
        connection.close()


def column_names(database: Path, table: str) -> list[str]:
    """Return the columns of a table in the order of its rows."""
    connection = apsw.Connection(str(database), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    finally:
        connection.close()


def plain_facts(memory: Memory) -> list[dict[str, Any]]:
    """Return the facts of a profile without the ids of the claims behind them."""
    facts = memory.value["facts"]
    return [{name: item for name, item in fact.items() if name != "claims"} for fact in facts]
