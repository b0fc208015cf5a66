"""The truth's contract: how much a tenant holds (S7).

In: an adapter of `ports.usage`. Out: failed asserts where an amount is another than what was
written, or leaves out what the transaction itself has written.
"""

from __future__ import annotations

from pathlib import Path

from smartbrain.domain.memory import Status
from smartbrain.testing import builders
from smartbrain.testing.contracts.truth_suite import TruthSuite, read, write


class UsageContract(TruthSuite):
    """Amounts of one tenant."""

    def test_amounts_grow_with_what_is_written(self, tmp_path: Path) -> None:
        """Inside the transaction already; an original in a file counts by its length."""
        truth = self.make(tmp_path)
        length = 9_000_000
        small = builders.raw_chunk()
        large = builders.raw_chunk("长 long", path="raw/b.zst", length=length)
        made = builders.turn(
            messages=(builders.message("m-1", small), builders.message("m-2", large)),
            tool_calls=(builders.tool_call("c-1"), builders.tool_call("c-2")),
        )
        with truth.write() as transaction:
            before = transaction.usage.bytes()
            builders.store_turn(transaction, made, [small, large])
            transaction.ledger.add_operation(builders.operation())
            old = builders.memory(status=Status.SUPERSEDED)
            transaction.memories.add([old, builders.memory(version=2)])
            inside = transaction.usage.bytes()
            assert transaction.usage.artifacts() == 2
            assert transaction.usage.memories() == 2
        assert before + length <= inside < before + 2 * length
        assert inside == read(truth, lambda one: one.usage.bytes())
        assert read(truth, lambda one: one.usage.artifacts()) == 2
        assert read(truth, lambda one: one.usage.memories()) == 2

    def test_memories_are_counted_by_type(self, tmp_path: Path) -> None:
        """Whatever their status, without what is deleted."""
        truth = self.make_with_source(tmp_path)
        memories = [builders.memory("fact:a:b"), builders.memory("fact:c:d")]
        write(truth, lambda one: one.memories.add(memories))
        assert read(truth, lambda one: one.usage.counts(["facts", "tasks"])) == {
            "facts": 2,
            "tasks": 0,
        }
