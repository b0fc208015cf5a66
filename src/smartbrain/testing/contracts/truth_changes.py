"""The truth's contract: the log of changes that views follow.

In: an adapter of `ports.truth`. Out: failed asserts where a transaction is missing from the log, is
in it twice or in pieces, or where one that changed nothing followed by views is numbered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from smartbrain.domain.change import Change, ChangeKind, ChangeOp
from smartbrain.domain.turn import RawChunk
from smartbrain.ports.truth import Transaction, Truth
from smartbrain.testing import builders
from smartbrain.testing.contracts.truth_suite import (
    CITY,
    TruthSuite,
    minutes,
    raised,
    refused,
    write,
)

_Step = Callable[[Transaction], object]


class ChangesContract(TruthSuite):
    """One number a transaction, in the order of commits, with every row it touched."""

    def test_a_transaction_has_one_number_and_lists_what_it_touched(self, tmp_path: Path) -> None:
        """All kinds of rows are logged, each row once, under the one number."""
        truth = self.make(tmp_path)
        chunk = builders.raw_chunk()
        memory = builders.memory(raw_refs=(builders.span(chunk),))
        with truth.write() as transaction:
            transaction.ledger.add_operation(builders.operation())
            builders.store_turn(transaction, builders.turn("s", 1, [chunk]), [chunk])
            builders.store_turn(transaction, builders.turn("s", 2, [chunk]), [chunk])
            transaction.memories.add([memory])
            transaction.memories.put_chunks({memory.id: ["上海"]})
            transaction.edges.add([builders.edge(memory.id, chunk.id)])
        expected = Counter(
            {"operation": 1, "session": 1, "turn": 2, "raw": 1, "memory": 1, "edge": 1}
        )
        changes = truth.changes(0)
        assert expected == Counter(change.kind.value for change in changes)
        assert {(1, ChangeOp.UPSERT)} == {(change.seq, change.op) for change in changes}
        assert truth.seq() == 1

    def test_a_memorys_number_is_the_one_of_its_page(self, tmp_path: Path) -> None:
        """A view finds the changed row by the number in the log."""
        truth = self.make_with_source(tmp_path)
        write(truth, lambda one: one.memories.add([builders.memory(), builders.memory("fact:a:b")]))
        with truth.read() as transaction:
            numbers = [number for number, _ in transaction.memories.page()]
        assert numbers == [change.num for change in truth.changes(1)]

    def test_the_last_change_of_a_row_is_the_one_kept(self, tmp_path: Path) -> None:
        """An edge that is made and deleted in one transaction is logged as deleted."""
        truth = self.make_with_source(tmp_path)
        memory = builders.memory()
        edge = builders.edge(memory.id, memory.id)
        with truth.write() as transaction:
            transaction.memories.add([memory])
            transaction.edges.add([edge])
            transaction.edges.delete([edge.id], minutes(1))
        found = {change.kind: change.op for change in truth.changes(1)}
        assert found == {ChangeKind.MEMORY: ChangeOp.UPSERT, ChangeKind.EDGE: ChangeOp.DELETE}

    def test_dropping_a_chunk_is_logged_under_its_number(self, tmp_path: Path) -> None:
        """The number a chunk was added under is the number it is deleted under."""
        truth = self.make(tmp_path)
        chunk = builders.raw_chunk()
        write(truth, lambda transaction: transaction.raw.hold([chunk]))
        write(truth, lambda transaction: transaction.raw.release([chunk.id]))
        write(truth, lambda transaction: transaction.raw.drop_unheld())
        (added,), (dropped,) = truth.changes(0)[:1], truth.changes(1)
        assert (added.op, dropped.op) == (ChangeOp.UPSERT, ChangeOp.DELETE)
        assert (added.num, added.kind) == (dropped.num, dropped.kind)

    def test_what_views_do_not_follow_gets_no_number(self, tmp_path: Path) -> None:
        """Counts, replies, audit, tombstones, working state, jobs and traces are not logged."""
        truth = self.make_with_source(tmp_path)
        chunk, memory = builders.raw_chunk(), builders.memory()
        turn = builders.turn("s", 1, [chunk])
        with truth.write() as transaction:
            builders.store_turn(transaction, turn, [chunk])
            transaction.memories.add([memory])
        before = truth.seq()
        silent: tuple[_Step, ...] = (
            lambda _: None,
            lambda one: one.raw.hold([chunk]),
            lambda one: one.raw.release([chunk.id]),
            lambda one: one.raw.drop_unheld(),
            lambda one: one.events.extend_turn(turn),
            lambda one: one.edges.delete(["no such edge"], minutes(1)),
            lambda one: one.ledger.keep_reply("k", "h", {}, minutes(1)),
            lambda one: one.ledger.add_audit(builders.audit_entry()),
            lambda one: one.ledger.add_tombstone(builders.tombstone()),
            lambda one: one.working.put_state(builders.state_entry()),
            lambda one: one.working.drop_state("tenant"),
            lambda one: one.working.put_job(builders.job()),
            lambda one: one.working.put_trace(builders.trace()),
            lambda one: one.memories.history(CITY),
        )
        for place, change in enumerate(silent):
            write(truth, change)
            assert (before, place) == (truth.seq(), place)

    def test_what_views_follow_gets_a_number(self, tmp_path: Path) -> None:
        """Each way of changing an event, a chunk, a memory or an edge is logged by its kind."""
        truth = self.make(tmp_path)
        chunk = builders.raw_chunk()
        turn = builders.turn("s", 1, [chunk], tool_calls=(builders.tool_call("c"),))
        longer = replace(turn, refs=(builders.ref(),))
        ended = replace(turn.tool_calls[0], exit_code=1)
        memory = builders.memory()
        edge = builders.edge(memory.id, chunk.id)
        loud: tuple[tuple[set[str], _Step], ...] = (
            ({"operation"}, lambda one: one.ledger.add_operation(builders.operation())),
            ({"raw"}, lambda one: _hold_and_let_go(one, chunk)),
            ({"session", "turn"}, lambda one: one.events.add_turns([turn])),
            ({"turn"}, lambda one: one.events.extend_turn(longer)),
            ({"turn"}, lambda one: one.events.extend_turn(replace(longer, proposals={"新": 1}))),
            ({"turn"}, lambda one: one.events.complete_call(ended)),
            ({"session"}, lambda one: one.events.end_session("s", minutes(1))),
            ({"memory"}, lambda one: one.memories.add([memory])),
            ({"memory"}, lambda one: one.memories.update(replace(memory, frequency=2))),
            ({"memory"}, lambda one: one.memories.put_chunks({memory.id: ["上海"]})),
            ({"edge"}, lambda one: one.edges.add([edge])),
            ({"edge"}, lambda one: one.edges.delete([edge.id], minutes(1))),
            ({"raw"}, lambda one: one.raw.drop_unheld()),
        )
        for place, (kinds, change) in enumerate(loud):
            write(truth, change)
            logged = {change.kind.value for change in truth.changes(place)}
            assert (place + 1, kinds) == (truth.seq(), logged)

    def test_a_failed_transaction_takes_no_number(self, tmp_path: Path) -> None:
        """The numbers of what was committed have no gap."""
        truth = self.make_with_source(tmp_path)
        write(truth, lambda one: one.memories.add([builders.memory()]))
        refused(truth, lambda one: one.memories.add([builders.memory(version=2)]))
        write(truth, lambda one: one.memories.add([builders.memory("fact:a:b")]))
        assert [change.seq for change in truth.changes(0)] == [1, 2, 3]

    def test_changes_go_on_after_the_number_given(self, tmp_path: Path) -> None:
        """Only later transactions are returned, in order, and none after the last."""
        truth = _with_transactions(self.make(tmp_path), [1, 1, 1])
        assert [change.seq for change in truth.changes(1)] == [2, 3]
        assert truth.changes(3) == []
        assert truth.changes(99) == []

    def test_a_limit_never_cuts_a_transaction(self, tmp_path: Path) -> None:
        """As many whole transactions as fit, but always the first."""
        truth = _with_transactions(self.make(tmp_path), [5, 2, 3, 1])
        sizes = {limit: len(truth.changes(0, limit=limit)) for limit in (0, 1, 5, 6, 7, 9, 10, 11)}
        assert sizes == {0: 5, 1: 5, 5: 5, 6: 5, 7: 7, 9: 7, 10: 10, 11: 11}

    def test_following_in_small_steps_misses_nothing(self, tmp_path: Path) -> None:
        """Page by page, every change comes once and in order, whatever the limit."""
        truth = _with_transactions(self.make(tmp_path), [1, 4, 2, 1, 6, 1, 3])
        whole = truth.changes(0)
        assert len(whole) == 18
        for limit in (1, 2, 3, 5, 100):
            followed: list[Change] = []
            while page := truth.changes(followed[-1].seq if followed else 0, limit=limit):
                followed += page
            assert whole == followed

    def test_below_the_floor_the_log_says_gone(self, tmp_path: Path) -> None:
        """Who asks for dropped rows is told where to start; from there it works."""
        truth = _with_transactions(self.make(tmp_path), [1, 1, 1])
        self.drop_changes(truth, 2)
        error = raised(lambda: truth.changes(1))
        assert error.code == "gone"
        assert "2" in error.message
        assert [change.seq for change in truth.changes(2)] == [3]
        assert truth.seq() == 3


def _hold_and_let_go(transaction: Transaction, chunk: RawChunk) -> None:
    """Hold a chunk, and another one that is not needed after all."""
    loose = builders.raw_chunk("放手")
    transaction.raw.hold([chunk, loose])
    transaction.raw.release([loose.id])


def _with_transactions(truth: Truth, sizes: list[int]) -> Truth:
    """Commit one transaction a size, each touching so many rows."""
    for place, size in enumerate(sizes):
        chunks = [builders.raw_chunk(f"第 {place} 次, row {row}") for row in range(size)]
        with truth.write() as transaction:
            transaction.raw.hold(chunks)
    return truth
