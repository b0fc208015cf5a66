"""Random histories of the truth against a model in plain Python, and races for one key.

In: rules that Hypothesis calls in any order, inside transactions that commit or fail. Out: nothing
while the store and the model agree after each of them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from copy import deepcopy
from pathlib import Path

import pytest
import truth_racer
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)
from msgspec.structs import replace
from truth_model import Model
from truth_racer import race

from conftest import is_full
from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import Memory, Status
from smartbrain.errors import SmartBrainError
from smartbrain.ports.truth import Transaction
from smartbrain.testing import builders
from smartbrain.testing.clock import FakeClock
from smartbrain.testing.contracts.truth_suite import minutes

CHUNKS = {
    chunk.id: chunk
    for chunk in map(builders.raw_chunk, ("一", "two", "第三 third", "四" * 3000, ""))
}
KEYS = ("fact:用户:城市", "fact:user:name", "pref:ui:主题")
SESSIONS = ("会话", "session")
KINDS = (EdgeType.ABOUT, EdgeType.SUPPORTS)

chunk_ids = st.sampled_from(sorted(CHUNKS))
places = st.integers(1, 4)
statuses = st.sampled_from([Status.ACTIVE, Status.ACTIVE, Status.SUPERSEDED, Status.RETRACTED])
instants = st.integers(0, 5).map(minutes)
picks = st.integers(0, 30)


def outcome(call: Callable[[], object]) -> str | None:
    """Return the code that a call fails with, None if it does not."""
    try:
        call()
    except SmartBrainError as error:
        return error.code
    return None


def picked(ids: Iterable[str], picks: set[int]) -> list[str]:
    """Return ids by chance: none for a pick of 0, else one a pick, where there are any."""
    there = sorted(ids)
    return sorted({there[pick % len(there)] for pick in picks if pick and there})


class TruthMachine(RuleBasedStateMachine):
    """Writes at random; after each transaction the truth equals the model."""

    def __init__(self) -> None:
        super().__init__()
        self.truth = SqliteTruth(None, tenant="", clock=FakeClock())
        self.model = Model()
        self.begin()

    def begin(self) -> None:
        """Open the transaction that the next rules write in."""
        self.saved = deepcopy(self.model)
        self.block = self.truth.write()
        self.transaction = self.block.__enter__()

    @initialize()
    def begin_with_a_source(self) -> None:
        """Store the operation that all memories come from, and a few things to work on."""
        self.transaction.ledger.add_operation(builders.operation())
        self.model.touched["operation", 1] = "upsert"
        self.hold(list(CHUNKS)[:3])
        for version, status in enumerate((Status.ACTIVE, Status.SUPERSEDED), 1):
            self.add_memory(KEYS[0], version, status, minutes(0), version)
        self.add_edge(0, 1, KINDS[0], 0.5)
        self.commit()

    @rule()
    def commit(self) -> None:
        self.block.__exit__(None, None, None)
        self.model.commit()
        self.compare()
        self.begin()

    @rule()
    def fail(self) -> None:
        """Leave the block with an error; after a change that failed half-way there is no other."""
        assert not self.block.__exit__(ZeroDivisionError, ZeroDivisionError(), None)
        self.model = self.saved
        self.compare()
        self.begin()

    @rule(wanted=st.lists(chunk_ids, max_size=3))
    def hold(self, wanted: list[str]) -> None:
        self.transaction.raw.hold([CHUNKS[chunk] for chunk in wanted])
        self.model.hold(wanted)

    @rule(wanted=st.lists(chunk_ids, min_size=1, max_size=3))
    def release(self, wanted: list[str]) -> None:
        counts = Counter(wanted)
        enough = all(self.model.held[chunk] >= count for chunk, count in counts.items())
        if enough and any(self.model.loose[chunk] < count for chunk, count in counts.items()):
            return  # a turn still needs it
        found = outcome(lambda: self.transaction.raw.release(wanted))
        assert (None if enough else "conflict") == found
        if enough:
            self.model.held -= counts
            self.model.loose -= counts

    @rule()
    def drop_unheld(self) -> None:
        expected = self.model.unreferenced()
        dropped = {chunk.id for chunk in self.transaction.raw.drop_unheld()}
        assert expected == dropped
        for chunk in dropped:
            self.model.touched["raw", chunk, self.model.known.pop(chunk)] = "delete"

    @rule(session=st.sampled_from(SESSIONS), seq=places, wanted=st.lists(chunk_ids, max_size=2))
    def add_turn(self, session: str, seq: int, wanted: list[str]) -> None:
        turn = builders.turn(session, seq, [CHUNKS[chunk] for chunk in wanted])
        self.hold(wanted)
        taken = (session, seq) in self.model.turns
        found = outcome(lambda: self.transaction.events.add_turns([turn]))
        assert ("conflict" if taken else None) == found
        if taken:
            self.fail()
            return
        self.model.turns[session, seq] = turn
        self.model.loose -= Counter(wanted)
        self.model.touched["session", session] = "upsert"
        self.model.touched["turn", turn.id] = "upsert"

    @rule(session=st.sampled_from(SESSIONS), seq=places, chunk=chunk_ids)
    def extend_turn(self, session: str, seq: int, chunk: str) -> None:
        stored = self.model.turns.get((session, seq))
        if stored is None:
            unknown = builders.turn(session, seq)
            assert "not_found" == outcome(lambda: self.transaction.events.extend_turn(unknown))
            return
        self.hold([chunk])
        more = builders.message(f"{stored.id}/m{len(stored.messages)}", CHUNKS[chunk])
        grown = replace(stored, messages=(*stored.messages, more))
        self.transaction.events.extend_turn(grown)
        self.model.turns[session, seq] = grown
        self.model.loose[chunk] -= 1
        self.model.touched["turn", stored.id] = "upsert"

    @rule(key=st.sampled_from(KEYS), version=places, status=statuses, at=instants, ref=picks)
    def add_memory(self, key: str, version: int, status: Status, at: object, ref: int) -> None:
        refs = tuple(builders.span(CHUNKS[one]) for one in picked(self.model.known, {ref}))
        memory = builders.memory(key, version, status=status, said_at=at, raw_refs=refs)
        found = outcome(lambda: self.transaction.memories.add([memory]))
        if memory.id in self.model.memories:
            assert "conflict" == found
            self.fail()
        elif status is Status.ACTIVE and self.model.active(key):
            assert "active_exists" == found
            self.fail()
        else:
            assert found is None
            self.model.memories[memory.id] = memory
            self.model.touched["memory", memory.id] = "upsert"

    @rule(pick=picks, status=statuses, at=instants)
    def change_status(self, pick: int, status: Status, at: object) -> None:
        present = picked(self.model.memories, {pick})
        stored = self.model.memories[present[0]] if present else builders.memory("fact:无:无")
        memory = replace(stored, status=status, said_at=at)
        found = outcome(lambda: self.transaction.memories.update(memory))
        others = [one for one in self.model.active(memory.key) if one.id != memory.id]
        if not present:
            assert "not_found" == found
        elif status is Status.ACTIVE and others:
            assert "active_exists" == found
        else:
            assert found is None
            self.model.memories[memory.id] = memory
            self.model.touched["memory", memory.id] = "upsert"

    @rule(src=picks, dst=picks, kind=st.sampled_from(KINDS), weight=st.floats(0, 1))
    def add_edge(self, src: int, dst: int, kind: EdgeType, weight: float) -> None:
        nodes = [*sorted(self.model.memories), *sorted(self.model.known), "无此节点"]
        ends = nodes[src % len(nodes)], nodes[dst % len(nodes)]
        edge = builders.edge(*ends, kind, weight=weight)
        found = outcome(lambda: self.transaction.edges.add([edge]))
        assert ("not_found" if "无此节点" in ends else None) == found
        if found is None:
            self.model.edges[edge.id] = edge
            self.model.living.add(edge.id)
            self.model.touched["edge", edge.id] = "upsert"

    @rule(wanted=st.sets(picks, max_size=3))
    def delete_edges(self, wanted: set[int]) -> None:
        ids = picked(self.model.edges, wanted)
        living = self.model.living & set(ids)
        assert len(living) == self.transaction.edges.delete(ids, minutes(1))
        self.model.living -= living
        self.model.touched |= {("edge", edge): "delete" for edge in living}

    @rule(key=st.sampled_from(["键", "key"]), number=places)
    def keep_reply(self, key: str, number: int) -> None:
        reply = ("hash", {"n": number})
        found = outcome(lambda: self.transaction.ledger.keep_reply(key, *reply, minutes(0)))
        assert ("idempotency_conflict" if key in self.model.replies else None) == found
        self.model.replies.setdefault(key, reply)

    def compare(self) -> None:
        """Hold the truth against the model, and the log against what was committed."""
        model, truth = self.model, self.truth
        assert model.seq == truth.seq()
        changes = truth.changes(0)
        log = [Counter() for _ in range(model.seq)]
        for change in changes:
            log[change.seq - 1][change.kind.value, change.op.value] += 1
        assert model.log == log
        assert sorted(changes, key=lambda one: one.seq) == changes
        with truth.read() as transaction:
            chunks = transaction.raw.get(CHUNKS)
            assert {chunk: model.held[chunk] for chunk in model.known} == {
                chunk.id: chunk.held for chunk in chunks.values()
            }
            page = transaction.memories.page(status=None, limit=1000)
            assert model.memories == {memory.id: memory for _, memory in page}
            logged = {change.num for change in changes if change.kind == "memory"}
            assert logged == {number for number, _ in page}
            for key in KEYS:
                assert model.active(key) == [one for one in [_active(transaction, key)] if one]
                told = [memory.said_at for memory in transaction.memories.history(key)]
                assert sorted(told) == told
            living = [
                edge
                for node in (*model.memories, *model.known)
                for edge in transaction.edges.of(node)
            ]
            assert {edge: model.edges[edge] for edge in model.living} == {
                edge.id: edge for edge in living
            }
            turns = [turn for session in SESSIONS for turn in transaction.events.turns(session)]
            assert model.turns == {(turn.session_id, turn.seq): turn for turn in turns}
            assert model.replies == {
                key: reply for key in ("键", "key") if (reply := transaction.ledger.reply(key))
            }

    def teardown(self) -> None:
        """Let go of what no turn needs; then nothing is wrong inside the database."""
        self.transaction.raw.release(list(self.model.loose.elements()))
        self.block.__exit__(None, None, None)
        assert [] == self.truth.check()
        self.truth.close()


def _active(transaction: Transaction, key: str) -> Memory | None:
    return transaction.memories.active("facts", key)


@pytest.mark.spec("M3", "M4", "M5", "E1", "E2", "E4")
def test_random_histories_agree_with_the_model() -> None:
    """Whatever is written, refused and undone in whatever order, truth and model are the same."""
    examples, steps = (2_000, 80) if is_full() else (70, 50)
    run_state_machine_as_test(
        TruthMachine,
        settings=settings(max_examples=examples, stateful_step_count=steps, deadline=None),
    )


@pytest.mark.spec("M4")
def test_threads_and_processes_that_race_leave_one_active_version(tmp_path: Path) -> None:
    """Of all versions that four threads and three processes push, one a key is active."""
    keys = 200 if is_full() else 25
    truth = SqliteTruth(tmp_path, tenant="t", clock=FakeClock())
    with truth.write() as transaction:
        transaction.ledger.add_operation(builders.operation())
    with ExitStack() as stack:
        children = [stack.enter_context(_child(tmp_path, racer, keys)) for racer in (4, 5, 6)]
        assert ["ready"] * 3 == [child.stdout.readline().strip() for child in children]
        with ThreadPoolExecutor(4) as pool:
            for child in children:
                child.stdin.write("go\n")
                child.stdin.flush()
            results = list(pool.map(lambda racer: list(race(truth, racer, keys)), range(4)))
        results += [child.communicate()[0].split() for child in children]
    assert [keys] * 7 == [len(result) for result in results]
    outcomes = Counter(code for result in results for code in result)
    assert {"won": keys, "active_exists": 6 * keys} == dict(outcomes)
    for key in range(keys):
        winners = [racer for racer, result in enumerate(results) if result[key] == "won"]
        with truth.read() as transaction:
            history = transaction.memories.history(f"fact:竞争:{key}")
        assert [racer + 1 for racer in winners] == [
            memory.version for memory in history if memory.status is Status.ACTIVE
        ]
    assert [] == truth.check()
    truth.close()


def _child(folder: Path, racer: int, keys: int) -> subprocess.Popen[str]:
    """Start a process that races when it is told to."""
    return subprocess.Popen(
        [sys.executable, truth_racer.__file__, str(folder), str(racer), str(keys)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        encoding="utf-8",
    )
