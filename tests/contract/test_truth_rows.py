"""Rows of the truth, made at random: each comes back as it was put, and in its order.

In: records whose fields Hypothesis fills by their types. Out: nothing where the store gives back
what it was given. What the rows are for is held by the contract of the port.
"""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from truth_records import (
    CHUNKS,
    ENDS,
    MANY,
    TENANT,
    json_values,
    names,
    new_truth,
    numbered,
    records_of,
    texts,
)

from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.domain.graph import Edge, edge_id
from smartbrain.domain.job import AuditEntry, Job, JobState, StateEntry, Tombstone, Trace
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.turn import Message, Operation, RawChunk, Ref, ToolCall, Turn
from smartbrain.testing import builders
from smartbrain.testing.clock import FakeClock
from smartbrain.testing.contracts.truth_suite import reading, writing

ABSENT = {"content": "", "result": None, "stdout": None, "stderr": None}
"""What lies in raw chunks, and is not kept a second time."""
TURNS = records_of(
    Turn,
    id="轮-1",
    session_id=names,
    seq=st.integers(1, 9),
    messages=st.lists(records_of(Message, content=""), max_size=3).map(numbered).map(tuple),
    tool_calls=st.lists(
        records_of(ToolCall, **{name: ABSENT[name] for name in ("result", "stdout", "stderr")}),
        max_size=3,
    )
    .map(numbered)
    .map(tuple),
    refs=st.lists(records_of(Ref), max_size=3).map(numbered).map(tuple),
)


@pytest.mark.spec("E1")
@MANY
@given(TURNS, st.integers(0, 3))
def test_a_turn_comes_back_whole_however_it_grew(turn: Turn, said: int) -> None:
    """Whatever its parts hold: with some of its messages first, with all of it then, and again."""
    first = replace(turn, messages=turn.messages[:said], tool_calls=(), refs=(), proposals={})
    with closing(new_truth()) as truth:
        writing(truth).events.add_turns([first])
        for step in (first, turn, turn):
            writing(truth).events.extend_turn(step)
            found = reading(truth).events.turn(turn.id)
            assert step == found
            assert step.at.utcoffset() == found.at.utcoffset()


@pytest.mark.spec("E2")
@MANY
@given(records_of(RawChunk, body=st.binary(), path=None, held=0), st.integers(1, 3))
def test_a_chunk_comes_back_whole(chunk: RawChunk, times: int) -> None:
    """However often it is held; the count is the truth's own."""
    made = builders.raw_chunk(chunk.id)
    kept = replace(chunk, id=made.id, address=made.address)
    filed = replace(kept, id=f"{made.id}-2", address="f" * 64, body=None, path="raw/文件")
    with closing(SqliteTruth(None, tenant=TENANT, clock=FakeClock())) as truth:
        for _ in range(times):
            writing(truth).raw.hold([kept, filed])
        found = reading(truth).raw.get([kept.id, filed.id])
        assert {one.id: replace(one, held=times) for one in (kept, filed)} == found


MEMORIES = st.lists(
    records_of(
        Memory,
        source_turn_id=None,
        source_message_id=None,
        source_operation_id=builders.OPERATION,
        tenant_id=TENANT,
        version=st.integers(1, 99),
        frequency=st.integers(1, 99),
    ),
    min_size=1,
    max_size=4,
).map(numbered)


@pytest.mark.spec("M3", "M4")
@MANY
@given(MEMORIES, MEMORIES)
def test_memories_come_back_whole_and_by_their_times(made: list[Any], later: list[Any]) -> None:
    """As added and as updated; the versions of a key by when they were said."""
    stored = [replace(one, key=f"键 {one.id}") for one in made]
    with closing(new_truth()) as truth:
        writing(truth).memories.add(stored)
        assert {one.id: one for one in stored} == reading(truth).memories.get(x.id for x in stored)
        for old, new in zip(stored, later, strict=False):
            now = replace(new, id=old.id, type=old.type, key=old.key, version=old.version)
            writing(truth).memories.update(now)
            found = reading(truth).memories.get([old.id])[old.id]
            assert now == found
            assert now.said_at.utcoffset() == found.said_at.utcoffset()
        versions = [
            replace(one, id=f"v{place}", key="同", version=place, status=Status.SUPERSEDED)
            for place, one in enumerate(made, 1)
        ]
        writing(truth).memories.add(versions)
        times = [one.said_at for one in reading(truth).memories.history("同")]
        assert sorted(one.said_at for one in versions) == times


EDGES = st.lists(
    records_of(
        Edge,
        src=st.sampled_from([one.id for one in ENDS]),
        dst=st.sampled_from([one.id for one in (*ENDS, *CHUNKS)]),
        tenant_id=TENANT,
        deleted_at=None,
    ).map(lambda one: replace(one, id=edge_id(one.src, one.type, one.dst))),
    max_size=6,
)


@pytest.mark.spec("M5")
@MANY
@given(EDGES)
def test_edges_come_back_whole_from_both_ends(edges: list[Edge]) -> None:
    """One a relation, in the order they were made; who made it and when is kept."""
    known: dict[str, Edge] = {}
    with closing(new_truth()) as truth:
        for edge in edges:
            writing(truth).edges.add([edge])
            first = known.get(edge.id, edge)
            known[edge.id] = replace(edge, provenance=first.provenance, created_at=first.created_at)
        for node in {end for edge in edges for end in (edge.src, edge.dst)}:
            for outgoing in (True, False):
                beside = [
                    one for one in known.values() if node == (one.src if outgoing else one.dst)
                ]
                assert beside == reading(truth).edges.of(node, outgoing=outgoing)


@pytest.mark.spec("E1", "E4", "W4")
@MANY
@given(
    st.lists(records_of(Operation), max_size=4).map(numbered),
    st.lists(records_of(AuditEntry, subject_id=names), max_size=4),
    st.dictionaries(names, st.dictionaries(texts, json_values, max_size=3), max_size=3),
    st.lists(records_of(Tombstone, kind=names, fingerprint=names), max_size=4),
)
def test_the_ledger_gives_back_what_was_written(
    operations: list[Any], entries: list[Any], replies: dict[str, Any], tombstones: list[Any]
) -> None:
    """Operations and audit newest first, one reply a key, the first tombstone of a mark."""
    with closing(SqliteTruth(None, tenant=TENANT, clock=FakeClock())) as truth:
        ledger = writing(truth).ledger
        for operation in operations:
            ledger.add_operation(operation)
        for entry in entries:
            ledger.add_audit(entry)
        for key, result in replies.items():
            ledger.keep_reply(key, f"hash of {key}", result, FakeClock()())
        for tombstone in tombstones:
            ledger.add_tombstone(tombstone)
        ledger = reading(truth).ledger
        assert operations[::-1] == ledger.operations()
        assert [one.at.utcoffset() for one in operations[::-1]] == [
            one.at.utcoffset() for one in ledger.operations()
        ]
        assert operations[::-1][:2] == ledger.operations(limit=2)
        assert entries[::-1] == ledger.audit()
        for name in {one.subject_id for one in entries}:
            assert [one for one in entries[::-1] if one.subject_id == name] == ledger.audit(name)
        assert {key: (f"hash of {key}", result) for key, result in replies.items()} == {
            key: ledger.reply(key) for key in replies
        }
        assert ledger.reply("没有 none") is None
        first = {(one.kind, one.fingerprint): one for one in reversed(tombstones)}
        assert first == {mark: ledger.tombstone(*mark) for mark in first}
        assert ledger.tombstone("没有", "none") is None


OWNERS, KINDS = ("tenant", "session:会话"), ("pin", "笔记")


@pytest.mark.spec("W4", "S6")
@MANY
@given(
    st.lists(
        records_of(
            StateEntry,
            owner=st.sampled_from(OWNERS),
            kind=st.sampled_from(KINDS),
            id=st.sampled_from("abc"),
        ),
        max_size=8,
    ),
    st.sampled_from([(None, None), ("pin", None), ("pin", "a"), (None, "b")]),
    st.lists(records_of(Job, id=st.sampled_from(["工作", "b"])), max_size=4),
    st.lists(records_of(Trace, context_id=st.sampled_from(["上下文", "b"])), max_size=3),
)
def test_working_state_is_what_was_put_last(
    entries: list[Any], gone: tuple[Any, Any], jobs: list[Any], traces: list[Any]
) -> None:
    """In the order of the first time; what is dropped is gone, and nothing beside it."""
    state: dict[tuple[str, str, str], StateEntry] = {}
    with closing(new_truth()) as truth:
        for entry in entries:
            writing(truth).working.put_state(entry)
            first = state.get((entry.owner, entry.kind, entry.id), entry)
            state[entry.owner, entry.kind, entry.id] = replace(entry, created_at=first.created_at)
        kind, name = gone
        dropped = [
            one
            for one in state
            if one[0] == "tenant" and kind in (None, one[1]) and name in (None, one[2])
        ]
        for one in dropped:
            del state[one]
        assert len(dropped) == writing(truth).working.drop_state("tenant", kind, name)
        working = reading(truth).working
        for owner in OWNERS:
            held = [one for one in state.values() if one.owner == owner]
            assert held == working.state(owner)
            for each in KINDS:
                assert [one for one in held if one.kind == each] == working.state(owner, each)
                after = [one for one in held if one.kind == each and one.id > "a"]
                assert after == working.state(owner, each, "a")
        last: dict[str, Job] = {}
        for job in jobs:
            writing(truth).working.put_job(job)
            first = last.get(job.id, job)
            asked = {"kind": first.kind, "payload": first.payload, "created_at": first.created_at}
            last[job.id] = replace(job, **asked)
        assert last == {one: working.job(one) for one in last}
        assert list(last.values()) == working.jobs()
        for one in JobState:
            assert [job for job in last.values() if job.state is one] == working.jobs(state=one)
        kept: dict[str, Trace] = {}
        for trace in traces:
            writing(truth).working.put_trace(trace)
            kept[trace.context_id] = replace(kept.get(trace.context_id, trace), body=trace.body)
        assert kept == {one: working.trace(one) for one in kept}
        assert working.trace("没有") is working.job("没有") is None
