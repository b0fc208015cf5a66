"""The witness: remembers what was acknowledged and finds it again, byte for byte.

In: the lines of a killed child. Out: nothing, or a failed assertion that says what is lost, half
there, or there though nobody wrote it. Everything is read through the public handle; only the
checks of what must never show use SQL.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from children import encryption
from crash_turns import PLAIN, TENANTS, Commit, Told, commit_of, digest, grown, seen_of, told_of

from smartbrain import SmartBrain
from smartbrain.adapters.sqlite.connection import connect
from smartbrain.bootstrap.root import Root
from smartbrain.domain.turn import Turn

# What must never show, each as a query that returns nothing.
_NEVER = {
    "a turn without exactly one episode": (
        "SELECT t.id FROM turns t WHERE 1 <> (SELECT count(*) FROM memories m"
        " WHERE m.source_turn_id = t.id AND m.type = 'episodes' AND m.status = 'active')"
    ),
    "a turn without any part": (
        "SELECT t.id FROM turns t WHERE NOT EXISTS (SELECT 1 FROM messages WHERE turn = t.num)"
        " AND NOT EXISTS (SELECT 1 FROM tool_calls WHERE turn = t.num)"
    ),
    "a memory without a search text": (
        "SELECT m.key FROM memories m WHERE NOT EXISTS (SELECT 1 FROM chunks WHERE memory = m.num)"
    ),
    "an edge that leads nowhere": (
        "SELECT e.id FROM edges e WHERE NOT EXISTS (SELECT 1 FROM nodes WHERE num = e.src)"
        " OR NOT EXISTS (SELECT 1 FROM nodes WHERE num = e.dst)"
    ),
    "a memory that does not lead to its originals": (
        "SELECT m.key FROM memories m, json_each(m.raw_refs) r WHERE NOT EXISTS (SELECT 1"
        " FROM edges e WHERE e.type = 'DERIVED_FROM' AND e.src = m.num AND (e.dst = r.value ->> 0"
        " OR m.type <> 'episodes' AND EXISTS (SELECT 1 FROM edges o WHERE o.type = 'DERIVED_FROM'"
        " AND o.src = e.dst AND o.dst = r.value ->> 0)))"
    ),
    "a gap in a session": (
        "SELECT s.id FROM sessions s WHERE s.turns <> (SELECT max(seq) FROM turns t"
        " WHERE t.session = s.num)"
    ),
    "two active versions of a key": (
        "SELECT key FROM memories WHERE status = 'active' GROUP BY type, key HAVING count(*) > 1"
    ),
    "a change log that is not at its counter": (
        "SELECT seq FROM tenant WHERE seq <> coalesce((SELECT max(seq) FROM changes), 0)"
    ),
    "a missing link in time": (
        "SELECT 'edges' WHERE (SELECT count(*) FROM edges WHERE type = 'TEMPORAL_NEXT')"
        # A turn whose time is before that of the one stored before it follows none.
        " <> (SELECT count(*) FROM turns t JOIN turns p ON p.session = t.session"
        " AND p.seq = t.seq - 1 AND p.at <= t.at)"
    ),
}


@dataclass(frozen=True)
class Pending:
    """A commit that was tried and never acknowledged."""

    commit: Commit
    into: str | None


@dataclass
class Witness:
    """What one brain must hold after all that happened to it."""

    root: Path
    key_file: Path
    seed: int
    mix: str = "mixed"
    told: dict[str, dict[str, Told]] = field(default_factory=lambda: {name: {} for name in TENANTS})
    order: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    next_number: int = 0

    @property
    def config(self) -> dict[str, Any]:
        """The configuration that opens both tenants."""
        return encryption(self.key_file)

    def open(self) -> SmartBrain:
        """Open the brain."""
        return SmartBrain.open(self.root, tenant=PLAIN, config=self.config)

    def hear(self, lines: list[str], session: str) -> Pending | None:
        """Take note of what a child acknowledged; return what it had begun and not ended."""
        pending: Pending | None = None
        for line in lines:
            word, *rest = line.split(" ")
            if word == "try":
                earlier = int(rest[1]) if len(rest) > 1 else None
                commit = commit_of(self.seed, int(rest[0]), self.mix, earlier)
                pending = Pending(commit, rest[2] if len(rest) > 1 else None)
                self.next_number = commit.number + 1
            elif word == "ack":
                assert pending is not None
                assert rest[2] == digest(pending.commit.body)
                self.note(pending, session, rest[1])
                pending = None
        return pending

    def note(self, done: Pending, session: str, turn_id: str) -> None:
        """Expect a commit from now on."""
        tenant = self.told[done.commit.tenant]
        if done.into is None:
            tenant[turn_id] = told_of(done.commit.body)
            self.order.setdefault((done.commit.tenant, session), []).append(turn_id)
        else:
            assert done.into == turn_id
            tenant[turn_id] = grown(tenant[turn_id], done.commit.body)

    def settle(self, brain: SmartBrain, pending: Pending | None, session: str) -> bool:
        """Compare a session with what is expected; return whether the pending commit is there."""
        present = False
        for tenant in TENANTS:
            turns = list(all_turns(brain.tenant(tenant), session))
            expected = self.order.get((tenant, session), [])
            assert [turn.seq for turn in turns] == list(range(1, len(turns) + 1))
            assert expected == [turn.id for turn in turns[: len(expected)]], "a turn is lost"
            mine = pending is not None and pending.commit.tenant == tenant
            assert len(turns) - len(expected) <= (1 if mine else 0), "a turn nobody began"
            for turn in turns:
                seen = seen_of(turn)
                known = self.told[tenant].get(turn.id)
                if seen == known:
                    continue
                assert mine, f"turn {turn.id} is not what was acknowledged"
                assert pending is not None
                whole = grown(known, pending.commit.body) if known else told_of(pending.commit.body)
                assert seen == whole, f"turn {turn.id} is half there"
                assert (turn.id if known else None) == pending.into
                present = True
        return present

    def retry(self, brain: SmartBrain, pending: Pending, session: str, *, present: bool) -> None:
        """Repeat a commit under its idempotency key: there must be exactly one of it."""
        tenant = brain.tenant(pending.commit.tenant)
        results = [
            tenant.commit_turn(
                session,
                pending.commit.body,
                turn_id=pending.into,
                idempotency_key=pending.commit.key,
            )
            for _ in range(2)
        ]
        assert [present, True] == [result.replayed for result in results]
        assert results[0].turn_id == results[1].turn_id
        self.note(pending, session, results[0].turn_id)
        assert not self.settle(brain, None, session)

    def check_everything(self, brain: SmartBrain) -> None:
        """Read every turn of every session again."""
        for session in {session for _, session in self.order}:
            assert not self.settle(brain, None, session)

    def check_never(self) -> None:
        """Run the queries that must find nothing, and the doctor."""
        root = Root(self.root, config=self.config)
        for tenant in TENANTS:
            folder = root.folder(tenant)
            key = root.tenant_key(tenant, folder)
            connection = connect(str(folder / "brain.db"), key, query_only=True)
            try:
                for what, query in _NEVER.items():
                    assert [] == list(connection.execute(query)), what
            finally:
                connection.close()
        report = SmartBrain.doctor(self.root, config=self.config)
        assert [] == [finding for finding in report.all() if finding.severity == "error"]
        assert sorted(TENANTS) == [health.tenant for health in report.tenants]


def all_turns(brain: SmartBrain, session: str) -> Iterator[Turn]:
    """Read a session from its first turn to its last."""
    after = 0
    while turns := brain.sessions.turns(session, after=after, limit=1000):
        yield from turns
        after = turns[-1].seq


def last_turn(brain: SmartBrain, pending: Pending, session: str) -> str:
    """Return the id of the last turn of the session that a commit went to."""
    *_, turn = all_turns(brain.tenant(pending.commit.tenant), session)
    return turn.id
