"""A tenant with agents, for the tests of the work queue.

In: what is said, by turns. Out: committed turns whose work is queued, and looks at what came of it.
The truth is a real database, in memory or in a folder; clock, wall time and chance are the test's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.domain.ids import IdSource, derive
from smartbrain.domain.job import Job, WorkKind
from smartbrain.domain.memory import Memory
from smartbrain.domain.policy import JobsRules, Rules
from smartbrain.domain.result import CommitResult
from smartbrain.domain.turn import CommitRequest, Operation
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.jobs.work import Queue, Work, WorkOutcome
from smartbrain.ports.bundle import Ports
from smartbrain.remember.input import read_turn_events
from smartbrain.remember.pipeline import commit_turns
from smartbrain.remember.write_rules import WriteRules
from smartbrain.testing.blobs import MemoryBlobs
from smartbrain.testing.clock import FakeClock, seeded

WALL = datetime(2031, 7, 1, 12, tzinfo=UTC)
"""When the machine thinks it is: years after the clock that dates memories."""
EXTRACT, VERIFY, LINK = WorkKind.EXTRACT, WorkKind.VERIFY, WorkKind.LINK
SUMMARISE, EMBED = WorkKind.SUMMARISE, WorkKind.EMBED


class Tenant:
    """One tenant, its queue, and an agent called `agent`."""

    def __init__(self, folder: Path | None = None, *agents: WorkKind, seed: int = 1) -> None:
        asked = agents or (EXTRACT,)
        rules = replace(Rules(), jobs=replace(JobsRules(), agents=tuple(map(str, asked))))
        self.rules = WriteRules(rules, "规则")
        self.clock = FakeClock(step=timedelta(milliseconds=1))
        self.wall = FakeClock(WALL)
        truth = SqliteTruth(folder, tenant="t", clock=self.clock)
        ids = IdSource(self.clock, seeded(seed))
        self.ports = Ports(truth, MemoryBlobs(), self.clock, ids, BUILTIN_TYPES)
        self.queue = Queue(self.ports, self.rules, self.wall)

    def say(self, text: str, answer: str = "", session: str = "s", **more: Any) -> CommitResult:
        """Commit a turn."""
        messages = [{"role": "user", "content": text}]
        if answer:
            messages.append({"role": "assistant", "content": answer})
        return self.commit({"messages": messages, **more}, session=session)

    def commit(self, given: object, session: str = "s") -> CommitResult:
        """Commit a turn as a caller gives it."""
        events, ignored = read_turn_events(given, zone=UTC, types=BUILTIN_TYPES)
        request = CommitRequest(session_id=session, events=events)
        return commit_turns([(request, ignored)], ports=self.ports, rules=self.rules)[0]

    def put_work(self, count: int, kind: WorkKind = LINK) -> list[str]:
        """Queue work about a memory that is there; return the work's ids."""
        value = {"subject": "server", "attribute": "host", "value": "法兰克福", "remember": True}
        (written,) = self.commit({"facts": [value]}, session="facts").memory_written.items
        jobs = []
        for n in range(count):
            now = self.clock()
            payload = {"memories": [written.id], "n": n}
            job = Job(
                id=derive("job", kind, n),
                kind=kind,
                payload=payload,
                created_at=now,
                updated_at=now,
            )
            jobs.append(job)
        with self.ports.truth.write() as rows:
            for job in jobs:
                rows.working.put_job(job)
        return [job.id for job in jobs]

    def disputed(self) -> tuple[Memory, Memory]:
        """Write two facts too close to call; return the one that stands and the other.

        An agent says otherwise than the user did two weeks before.
        """
        for port, asked in (("8080", True), ("9090", False)):
            value = {"subject": "server", "attribute": "port", "value": port, "remember": asked}
            self.commit({"facts": [value]}, session="facts")
            self.clock.advance(days=14)
        before, other = self.history("fact:server:port")
        return before, other

    def lease(self, kind: WorkKind = EXTRACT, owner: str = "agent", **more: Any) -> Work:
        """Lease one piece of work, which must be there."""
        (work,) = self.queue.lease([kind], owner, **more)
        return work

    def answer(
        self, result: Mapping[str, Any], kind: WorkKind = EXTRACT, owner: str = "agent"
    ) -> WorkOutcome:
        """Lease one piece of work and complete it."""
        return self.queue.complete(self.lease(kind, owner).id, owner, result)

    def memory(self, key: str) -> Memory:
        """Return what stands under a key."""
        found = self.active(key)
        assert found is not None, f"nothing stands under {key}"
        return found

    def active(self, key: str) -> Memory | None:
        """Return what stands under a key, if anything does."""
        with self.ports.truth.read() as rows:
            return rows.memories.active(BUILTIN_TYPES.by_key(key).name, key)

    def history(self, key: str) -> list[Memory]:
        """Return all versions of a key."""
        with self.ports.truth.read() as rows:
            return rows.memories.history(key)

    def operations(self) -> list[Operation]:
        """Return the operations that hold answers of agents, newest first."""
        with self.ports.truth.read() as rows:
            return [one for one in rows.ledger.operations() if one.kind == "agent"]


NOTHING = {"claims": []}
"""The answer of a reader that found nothing."""


def fact(subject: str, attribute: str, value: str, quote: str) -> dict[str, Any]:
    """Return an answer that claims one fact."""
    about = {"type": "facts", "subject": subject, "relation": "thing", "attr": attribute}
    return {"claims": [{**about, "value": value, "quote": quote}]}
