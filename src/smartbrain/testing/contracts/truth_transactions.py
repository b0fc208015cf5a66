"""The truth's contract: transactions, what they undo, what they show and what runs after them.

In: an adapter of `ports.truth`. Out: failed asserts. `Overlapping` is for adapters whose readers
and writers go on side by side; one in memory may let them take turns.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from smartbrain.domain.memory import Memory
from smartbrain.domain.turn import Session
from smartbrain.errors import InternalError
from smartbrain.ports.truth import Transaction, Truth
from smartbrain.testing import builders
from smartbrain.testing.contracts import raised
from smartbrain.testing.contracts.truth_suite import (
    TruthSuite,
    reading,
    refused,
    write,
    writing,
)

THREADS = 8
ROUNDS = 12


class Stop(BaseException):
    """Raised in a transaction to leave it, as Ctrl-C would."""


class TransactionContract(TruthSuite):
    """All or nothing, and what is left of nothing."""

    def test_a_new_truth_is_empty_and_well(self, empty: Truth) -> None:
        """Nothing is stored, numbered or wrong before the first write."""
        assert empty.seq() == 0
        assert empty.changes(0) == []
        assert {0} == set(empty.counts().values())
        assert empty.check() == []

    def test_an_error_undoes_every_part(self, truth: Truth) -> None:
        """Whatever ends the block early, no table keeps a row of it."""
        before = truth.counts()
        for way_out in (ValueError("坏了"), Stop()):
            assert way_out is _left_by(truth, way_out)
            assert before == truth.counts()
            assert truth.seq() == 1
        assert truth.check() == []

    def test_nothing_of_a_failed_transaction_is_remembered(self, truth: Truth) -> None:
        """Nodes, changes and actions of an undone block do not show up in the next one."""
        ran: list[str] = []
        lost = builders.memory()

        def fail(transaction: Transaction) -> None:
            transaction.memories.add([lost])
            transaction.after_commit(lambda: ran.append("after"))
            transaction.events.turn("no such turn")

        assert refused(truth, fail).code == "not_found"
        link = builders.edge(lost.id, lost.id)
        assert raised(writing(truth).edges.add, [link]).code == "not_found"
        writing(truth).working.put_state(builders.state_entry())
        assert (truth.seq(), ran) == (1, [])

    def test_a_change_that_failed_half_way_cannot_be_committed(self, truth: Truth) -> None:
        """Who catches the error of such a change and goes on is stopped; nothing is kept."""
        chunk, other = builders.raw_chunk(), builders.raw_chunk("second 第二")
        one = builders.turn("s", 1, [chunk])
        kept = builders.memory()
        builders.store_turn(writing(truth), one, [chunk])
        writing(truth).memories.add([kept])
        before = truth.counts()
        twin = builders.turn("s", 1, [chunk], id="twin")
        broken = builders.turn("s", 2, id="broken", messages=(one.messages[0], one.messages[0]))
        lost, loser = builders.memory("fact:user:name"), builders.memory(version=2)
        clash = builders.raw_chunk("other content", id=chunk.id)
        changes: list[tuple[str, Callable[[Transaction], object]]] = [
            ("conflict", lambda now: now.events.add_turns([twin])),
            ("conflict", lambda now: now.events.add_turns([builders.turn("s", 3), broken])),
            ("active_exists", lambda now: now.memories.add([lost, loser])),
            ("conflict", lambda now: now.raw.hold([other, clash])),
        ]
        for code, change in changes:

            def go_on(
                now: Transaction, code: str = code, change: Callable[..., object] = change
            ) -> None:
                now.memories.add([builders.memory("fact:a:b")])
                assert code == raised(lambda: change(now)).code

            assert refused(truth, go_on).code == "internal"
            assert before == truth.counts()
        assert truth.check() == []

    def test_a_change_refused_before_it_began_leaves_the_block_usable(self, truth: Truth) -> None:
        """An edge to nowhere, or texts of no memory, change nothing; the rest commits."""
        kept, lost = builders.memory(), builders.memory("fact:user:name")
        with truth.write() as transaction:
            transaction.memories.add([kept])
            edges = [builders.edge(kept.id, kept.id), builders.edge(kept.id, lost.id)]
            assert raised(lambda: transaction.edges.add(edges)).code == "not_found"
            texts = {kept.id: ["上海"], lost.id: ["x"]}
            assert raised(lambda: transaction.memories.put_chunks(texts)).code == "not_found"
        assert [self.owned(kept)] == _all_memories(reading(truth))
        assert (truth.counts()["edges"], truth.counts()["chunks"]) == (0, 0)
        assert truth.check() == []

    def test_an_action_runs_once_after_its_commit(self, truth: Truth) -> None:
        """The action finds the transaction committed, and runs for that transaction alone."""
        seen: list[int] = []
        with truth.write() as transaction:
            transaction.memories.add([builders.memory()])
            transaction.after_commit(lambda: seen.append(truth.seq()))
            assert seen == []
        writing(truth).memories.add([builders.memory("fact:a:b")])
        assert seen == [2]

    def test_no_writer_starts_before_the_action_has_ended(self, truth: Truth) -> None:
        """A writer that queues while the action runs gets its turn after it."""
        order: list[str] = []
        waiting = threading.Thread(target=lambda: write(truth, lambda _: order.append("writer")))

        def act() -> None:
            waiting.start()
            truth.counts()
            order.append("action")

        writing(truth).after_commit(act)
        waiting.join()
        assert order == ["action", "writer"]

    def test_an_actions_error_reaches_the_writer_and_undoes_nothing(self, truth: Truth) -> None:
        """What is durable stays, and the truth can be used again."""

        def fail() -> None:
            raise ZeroDivisionError

        def change(transaction: Transaction) -> None:
            transaction.memories.add([builders.memory()])
            transaction.after_commit(fail)

        try:
            write(truth, change)
        except ZeroDivisionError:
            assert len(_all_memories(reading(truth))) == 1
            writing(truth).events.add_turns([builders.turn()])
            return
        raise AssertionError("the action's error was swallowed")

    def test_an_action_of_a_reader_never_runs(self, truth: Truth) -> None:
        """A reading transaction commits nothing, so nothing comes after it."""
        ran: list[str] = []
        reading(truth).after_commit(lambda: ran.append("ran"))
        writing(truth).events.add_turns([builders.turn()])
        assert ran == []

    def test_a_reader_cannot_write(self, truth: Truth) -> None:
        """A change in a reading transaction is refused and leaves the truth able to write."""
        error = raised(lambda: reading(truth).events.add_turns([builders.turn()]))
        assert error.code == "read_only"
        assert truth.counts()["turns"] == 0
        writing(truth).events.add_turns([builders.turn()])
        assert truth.counts()["turns"] == 1

    def test_a_write_inside_a_write_is_refused_at_once(self, truth: Truth) -> None:
        """It cannot wait for itself, so it says so; the outer block goes on."""
        with truth.write() as transaction:
            assert isinstance(raised(lambda: write(truth, lambda _: None)), InternalError)
            transaction.events.add_turns([builders.turn()])
        assert truth.counts()["turns"] == 1

    def test_threads_write_and_read_side_by_side(self, empty: Truth) -> None:
        """Eight threads lose no write, repeat no number and never see half a transaction."""

        def work(name: int) -> set[bool]:
            whole = set()
            for place in range(1, ROUNDS + 1):
                chunk = builders.raw_chunk(f"线程 {name} says {place}")
                made = builders.turn(f"会话-{name}", place, [chunk])
                with empty.write() as transaction:
                    builders.store_turn(transaction, made, [chunk])
                with empty.read() as transaction:
                    turns = [transaction.events.turns(one.id) for one in _sessions(transaction)]
                    whole.add(all(one.messages for turns_of in turns for one in turns_of))
                    whole.add(made in transaction.events.turns(made.session_id))
            return whole

        with ThreadPoolExecutor(THREADS) as pool:
            assert {True} == set().union(*pool.map(work, range(THREADS)))
        assert THREADS * ROUNDS == empty.seq() == empty.counts()["turns"]
        assert list(range(1, THREADS * ROUNDS + 1)) == sorted(
            {change.seq for change in empty.changes(0)}
        )
        assert empty.check() == []

    def test_a_closed_truth_says_so(self, truth: Truth) -> None:
        """Every use after closing is refused by its code; closing again is fine."""
        truth.close()
        truth.close()
        uses: tuple[Callable[[], object], ...] = (
            reading(truth).events.sessions,
            lambda: write(truth, lambda _: None),
            truth.seq,
            lambda: truth.changes(0),
            truth.counts,
            truth.check,
        )
        assert ["closed"] * len(uses) == [raised(use).code for use in uses]

    def test_closing_lets_an_open_write_finish(self, truth: Truth) -> None:
        """A transaction that is under way when the truth is closed still commits."""
        done: list[str] = []
        with truth.write() as transaction:
            truth.close()
            transaction.events.add_turns([builders.turn()])
            transaction.after_commit(lambda: done.append("committed"))
        assert done == ["committed"]
        assert raised(truth.seq).code == "closed"

    def test_closing_lets_an_open_read_finish(self, truth: Truth) -> None:
        """A reader that is under way when the truth is closed goes on to its end."""
        writing(truth).events.add_turns([builders.turn()])
        with truth.read() as transaction:
            truth.close()
            assert len(transaction.events.turns("s-1")) == 1
        assert raised(truth.seq).code == "closed"


class Overlapping(TruthSuite):
    """Readers beside a writer: each sees one committed state from its beginning to its end."""

    def test_a_reader_does_not_see_what_is_not_committed(self, empty: Truth) -> None:
        """While a write is open, others read the state before it, without waiting."""
        with empty.write() as transaction:
            transaction.events.add_turns([builders.turn()])
            assert _count_elsewhere(empty) == 0
            assert len(_sessions(reading(empty))) == 0
            assert empty.seq() == 0
        assert _count_elsewhere(empty) == 1

    def test_a_reader_keeps_its_state_while_a_writer_commits(self, empty: Truth) -> None:
        """What was committed after a read began is not seen by it, but by the next one."""
        writing(empty).events.add_turns([builders.turn("s", 1)])
        with empty.read() as transaction:
            writing(empty).events.add_turns([builders.turn("s", 2)])
            assert empty.seq() == 2
            assert len(transaction.events.turns("s")) == 1
        assert len(reading(empty).events.turns("s")) == 2

    def test_a_reader_sees_each_transaction_whole_or_not_at_all(self, truth: Truth) -> None:
        """Two rows that are always written together are never seen apart."""
        stop = threading.Event()

        def look() -> set[int]:
            seen = set()
            while not stop.is_set():
                with truth.read() as transaction:
                    left = len(transaction.working.state("left"))
                    seen.add(left - len(transaction.working.state("right")))
            return seen

        with ThreadPoolExecutor(4) as pool:
            readers = [pool.submit(look) for _ in range(4)]
            for place in range(60):
                with truth.write() as transaction:
                    for owner in ("left", "right"):
                        transaction.working.put_state(builders.state_entry(str(place), owner=owner))
            stop.set()
        assert {0} == set().union(*(reader.result() for reader in readers))

    def test_a_write_may_begin_inside_a_read(self, truth: Truth) -> None:
        """One thread can hold a read open around a write of its own."""
        with truth.read() as transaction:
            writing(truth).events.add_turns([builders.turn()])
            assert transaction.events.sessions() == []


def _left_by(truth: Truth, way_out: BaseException) -> BaseException | None:
    try:
        with truth.write() as transaction:
            _write_one_of_each(transaction)
            raise way_out
    except (ValueError, Stop) as caught:
        return caught


def _write_one_of_each(transaction: Transaction) -> None:
    chunk = builders.raw_chunk()
    call, link = builders.tool_call("c", chunk), builders.ref("r")
    made = builders.turn("s", 1, [chunk], tool_calls=(call,), refs=(link,))
    builders.store_turn(transaction, made, [chunk, chunk])
    memory = builders.memory(raw_refs=(builders.span(chunk),))
    transaction.memories.add([memory])
    transaction.memories.put_chunks({memory.id: ["[facts:fact:user:city] 上海"]})
    transaction.edges.add([builders.edge(memory.id, chunk.id)])
    transaction.ledger.add_operation(builders.operation("op-2"))
    transaction.ledger.keep_reply("key", "hash", {"ok": True}, made.at)
    transaction.ledger.add_audit(builders.audit_entry())
    transaction.ledger.add_tombstone(builders.tombstone())
    transaction.working.put_state(builders.state_entry())
    transaction.working.put_job(builders.job())
    transaction.working.put_trace(builders.trace())


def _all_memories(transaction: Transaction) -> list[Memory]:
    return [memory for _, memory in transaction.memories.page(status=None, limit=10_000)]


def _sessions(transaction: Transaction) -> list[Session]:
    return [session for _, session in transaction.events.sessions(limit=10_000)]


def _count_elsewhere(truth: Truth) -> int:
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: truth.counts()["turns"]).result()
