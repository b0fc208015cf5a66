"""The truth's contract: edges to what stands, replies that fail, jobs that are due, amounts.

In: an adapter of `ports.truth`. Out: failed asserts where a version has two edges to what stands, a
key stays taken, a job comes too early or too late, or something is not counted.
"""

from __future__ import annotations

from typing import Any

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.job import JobState
from smartbrain.domain.memory import Status
from smartbrain.ports.truth import Transaction, Truth
from smartbrain.testing import builders
from smartbrain.testing.clock import START
from smartbrain.testing.contracts.truth_suite import (
    TruthSuite,
    minutes,
    reading,
    refused,
    writing,
)

CHUNK = builders.raw_chunk()
LEFT, RIGHT = builders.memory("fact:左:一"), builders.memory("fact:right:two")


class EdgesContract(TruthSuite):
    """Relations between nodes."""

    def test_what_stands_is_led_to_by_one_edge_a_version(self, truth: Truth) -> None:
        """Whichever stands, the way to it is the same edge; written again it leads elsewhere."""
        with truth.write() as transaction:
            transaction.raw.hold([CHUNK])
            transaction.memories.add([LEFT, RIGHT])
        for dst in (RIGHT.id, CHUNK.id):
            writing(truth).edges.add([builders.edge(LEFT.id, dst, EdgeType.ACTIVE_OF)])
            assert [dst] == [edge.dst for edge in reading(truth).edges.of(LEFT.id)]
        assert truth.counts()["edges"] == 1


class LedgerContract(TruthSuite):
    """Operations, replies, audit and tombstones."""

    def test_a_reply_goes_with_its_transaction(self, truth: Truth) -> None:
        """After a failure the key is free, so that the call can be made again."""

        def fail(transaction: Transaction) -> None:
            transaction.ledger.keep_reply("键", "a", {}, START)
            transaction.events.turn("none")

        refused(truth, fail)
        assert reading(truth).ledger.reply("键") is None
        writing(truth).ledger.keep_reply("键", "a", {}, START)


class WorkingContract(TruthSuite):
    """Working state, jobs and traces."""

    def test_jobs_that_are_due_come_oldest_first(self, truth: Truth) -> None:
        """Pauses and leases that end at that moment count; what has ended never does."""
        leased = {"state": JobState.LEASED, "lease_owner": "工 1"}
        jobs = [
            builders.job("租 later", **leased, lease_until=minutes(6)),
            builders.job("租 over", **leased, lease_until=minutes(5)),
            builders.job("等 later", run_after=minutes(6)),
            builders.job("等 over", run_after=minutes(5)),
            builders.job("其他", kind="衰减"),
            builders.job("now"),
            builders.job("done", state=JobState.DONE),
            builders.job("failed", state=JobState.FAILED),
        ]
        for job in jobs:
            writing(truth).working.put_job(job)

        def found(**asked: Any) -> list[str]:
            return [job.id for job in reading(truth).working.jobs(**asked)]

        due = minutes(5)
        assert found(due=due) == ["租 over", "等 over", "其他", "now"]
        assert found(due=due, kind=jobs[0].kind) == ["租 over", "等 over", "now"]
        assert found(due=due, state=JobState.QUEUED) == ["等 over", "其他", "now"]
        assert found(due=due, kind=jobs[0].kind, limit=2) == ["租 over", "等 over"]
        assert found(due=due, state=JobState.DONE) == []


class UsageContract(TruthSuite):
    """Amounts of one tenant."""

    def test_amounts_grow_with_what_is_written(self, empty: Truth) -> None:
        """Inside the transaction already; an original in a file counts by its length."""
        length = 9_000_000
        small = builders.raw_chunk()
        large = builders.raw_chunk("长 long", path="raw/b.zst", length=length)
        made = builders.turn(
            messages=(builders.message("m-1", small), builders.message("m-2", large)),
            tool_calls=(builders.tool_call("c-1"), builders.tool_call("c-2")),
        )
        with empty.write() as transaction:
            before = transaction.usage.bytes()
            builders.store_turn(transaction, made, [small, large])
            transaction.ledger.add_operation(builders.operation())
            old = builders.memory(status=Status.SUPERSEDED)
            transaction.memories.add([old, builders.memory(version=2)])
            inside = transaction.usage.bytes()
            assert transaction.usage.artifacts() == 2
            assert transaction.usage.memories() == 2
        assert before + length <= inside < before + 2 * length
        assert inside == reading(empty).usage.bytes()
        assert reading(empty).usage.artifacts() == 2
        assert reading(empty).usage.memories() == 2

    def test_memories_are_counted_by_type(self, truth: Truth) -> None:
        """Whatever their status, without what is deleted."""
        memories = [builders.memory("fact:a:b"), builders.memory("fact:c:d")]
        writing(truth).memories.add(memories)
        assert reading(truth).usage.counts(["facts", "tasks"]) == {
            "facts": 2,
            "tasks": 0,
        }
