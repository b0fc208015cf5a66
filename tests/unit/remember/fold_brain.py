"""A tenant in memory that candidates are committed to, for the tests of what they come to.

In: candidates. Out: what became of them, and the rows. Everything runs on the real database.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from msgspec import structs

from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.domain.claim import Candidate
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import Memory
from smartbrain.domain.policy import Rules
from smartbrain.domain.turn import Turn
from smartbrain.domain.types import BUILTIN_TYPES
from smartbrain.remember.claims import UNFOLDED, ClaimOrigin, claims_of, verdict_claim
from smartbrain.remember.episode import About, remember_episode
from smartbrain.remember.gate import judge_candidate
from smartbrain.remember.groups import FoldOutcome, claim_and_fold, fold_new_claims
from smartbrain.remember.record import Recorded
from smartbrain.remember.write_set import Origin, WriteSet
from smartbrain.testing.builders import operation
from smartbrain.testing.clock import FakeClock

RULES = Rules()
DAY = timedelta(days=1)


class Brain:
    """A tenant in memory that candidates are committed to, each in a turn of its own."""

    def __init__(self) -> None:
        self.clock = FakeClock()
        self.truth = SqliteTruth(None, tenant="t", clock=self.clock)
        self.count = 0

    def say(
        self, *candidates: Candidate, at: datetime | None = None, rules: Rules = RULES
    ) -> FoldOutcome:
        """Commit candidates as said at a time."""
        self.count += 1
        now = self.clock()
        said = at or now
        turn = Turn(id=f"turn{self.count}", session_id="s", seq=self.count, at=said, created_at=now)
        with self.truth.write() as transaction:
            transaction.events.add_turns([turn])
            origin = Origin(turn_id=turn.id, session_id="s", said_at=said, now=now)
            writes = WriteSet(
                transaction, BUILTIN_TYPES, origin, rules.policies.linking.edge_weight
            )
            remember_episode(Recorded(turn, turn), About(), writes=writes, rules=rules)
            judged = [judge_candidate(one, BUILTIN_TYPES, rules) for one in candidates]
            place = ClaimOrigin(turn_id=turn.id, session_id="s", place=turn.seq, said_at=said)
            # Words name no key, as a caller does.
            claims = [
                structs.replace(one, detail={k: v for k, v in one.detail.items() if k != "key"})
                for one in claims_of(judged, place, types=BUILTIN_TYPES, rules=RULES)
            ]
            other = [one for one in judged if one.refused or one.candidate.type in UNFOLDED]
            outcome = claim_and_fold(other, place, also=claims, writes=writes, rules=rules)
            writes.write()
        return outcome

    def settle(self, chosen: Memory, rules: Rules = RULES) -> FoldOutcome:
        """Let a reviewer choose one of two facts."""
        done = operation(f"op-{chosen.id}", at=self.clock(), created_at=self.clock())
        with self.truth.write() as transaction:
            transaction.ledger.add_operation(done)
            origin = Origin(operation_id=done.id, said_at=done.at, now=done.created_at)
            weighing = rules.policies.linking.edge_weight
            writes = WriteSet(transaction, BUILTIN_TYPES, origin, weighing)
            claim = verdict_claim(chosen, "it is so", origin)
            outcome = fold_new_claims([claim], writes=writes, rules=rules)
            writes.write()
        return outcome

    def active(self, key: str) -> Memory | None:
        """Return what stands under a key."""
        with self.truth.read() as rows:
            return rows.memories.active(BUILTIN_TYPES.by_key(key).name, key)

    def history(self, key: str) -> list[Memory]:
        """Return all versions of a key."""
        with self.truth.read() as rows:
            return [one for one in rows.memories.history(key) if one.deleted_at is None]

    def edges(self, memory: Memory, kind: EdgeType) -> list[str]:
        """Return where edges of a kind lead from a memory."""
        with self.truth.read() as rows:
            return [edge.dst for edge in rows.edges.of(memory.id, kind=kind)]


def candidate(type_name: str, value: Mapping[str, Any], **fields: Any) -> Candidate:
    """Return a candidate of the user's words."""
    given = {"text": " ".join(map(str, value.values())), "rule": "test", **fields}
    return Candidate(type=type_name, value=value, **given)


def editor(name: str, **fields: Any) -> Candidate:
    """Return a preference for an editor."""
    return candidate("preferences", {"scope": "tools", "name": "editor", "value": name}, **fields)


def port(value: str, **fields: Any) -> Candidate:
    """Return a fact about a port."""
    fact = {"subject": "测试库", "attribute": "port", "value": value}
    return candidate("facts", fact, **fields)


def profile(name: str, value: str) -> Candidate:
    """Return one fact about the user."""
    return candidate("profile", {"subject": "user", "facts": [{"k": name, "v": value}]})


def task(title: str, status: str = "todo") -> Candidate:
    """Return a task."""
    return candidate("tasks", {"project": "general", "title": title, "status": status})
