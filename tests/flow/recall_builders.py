"""What the tests of recall build: brains, things that were said, looks at answers.

In: a folder, words, times. Out: open brains on the real adapters whose ids and clock are their own,
and the parts of an answer that tests compare.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import apsw
from flow_builders import assistant, inside, user

from smartbrain import SmartBrain
from smartbrain.bootstrap.root import Root
from smartbrain.domain.memory import Span
from smartbrain.domain.recall import ArmReport, Recall
from smartbrain.testing.clock import FakeClock, seeded

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def opened(
    path: Path,
    *,
    clock: FakeClock | None = None,
    embedder: object = None,
    tenant: str = "t",
    seed: int = 1,
    **config: Any,
) -> SmartBrain:
    """Open a brain whose clock stands still."""
    root = Root(
        path,
        config=config,
        clock=clock or FakeClock(NOW),
        entropy=seeded(seed),
        embedder=embedder,
    )
    with root.tenants.lease(tenant):
        return SmartBrain(root, tenant, owner=True)


def say(
    brain: SmartBrain,
    text: str,
    *,
    at: datetime | str | None = None,
    session: str = "s",
    reply: str = "好的 ok",
) -> str:
    """Commit a turn and return its id."""
    events: dict[str, Any] = {"messages": [user(text), assistant(reply)]}
    if at is not None:
        events["at"] = at
    return brain.commit_turn(session, events).turn_id


def put(brain: SmartBrain, key: str, value: Any) -> str:
    """Put a fact and return its id."""
    return brain.memories.put("facts", key, {"value": value}).memory_written.items[0].id


def arm(answer: Recall, name: str) -> ArmReport:
    """Return the one report of an arm, or of the one whose name begins so."""
    (found,) = [one for one in answer.trace.arms if one.name.split(":")[0] == name]
    return found


def arms(answer: Recall) -> dict[str, str]:
    """Return what became of each arm."""
    return {one.name.split(":")[0]: one.verdict.value for one in answer.trace.arms}


def ids(answer: Recall) -> list[str]:
    """Return the ids of what was recalled."""
    return [one.id for one in answer]


def original(brain: SmartBrain, span: Span) -> bytes:
    """Return the bytes that a span names, read from the storage anew."""
    with brain._lease() as tenant, inside(brain) as rows:
        chunk = rows.raw.get([span.raw_id])[span.raw_id]
        body = chunk.body
        if body is None:
            body = tenant.ports.blobs.get(chunk.path or "", chunk.address)
    return body[span.offset : span.offset + span.length]


@contextmanager
def counted() -> Iterator[list[str]]:
    """Collect every statement of every connection that is opened from now on.

    Not the settings of a connection: a thread that finds none free opens one.
    """
    ran: list[str] = []

    def listen(connection: apsw.Connection) -> None:
        connection.exec_trace = heard

    def heard(_cursor: object, sql: str, _values: object) -> bool:
        if not sql.lstrip().startswith("PRAGMA"):
            ran.append(sql)
        return True

    apsw.connection_hooks.append(listen)
    try:
        yield ran
    finally:
        apsw.connection_hooks.remove(listen)
