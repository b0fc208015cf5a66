"""Rows of the truth, made at random: each comes back as it was put, and in its order.

In: records whose fields Hypothesis fills by their types. Out: nothing where the store gives back
what it was given. What the rows are for is held by the contract of the port.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime, timedelta, timezone
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct
from msgspec.structs import fields, replace

from conftest import is_full
from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.domain.claim import Claim, ClaimStatus, Say
from smartbrain.domain.graph import Edge, EdgeType, edge_id
from smartbrain.domain.job import AuditEntry, Job, JobState, StateEntry, Tombstone, Trace
from smartbrain.domain.memory import Memory, Span, Status
from smartbrain.domain.turn import Message, Operation, RawChunk, Ref, Session, ToolCall, Turn
from smartbrain.testing import builders
from smartbrain.testing.clock import START, FakeClock
from smartbrain.testing.contracts.truth_suite import minutes, reading, with_source, writing

CHUNKS = tuple(map(builders.raw_chunk, ("第一段。", "second part", "第三 part 😀", "")))
ENDS = (builders.memory("fact:左:一"), builders.memory("fact:right:two"))
TENANT = "租户 tenant"
MANY = settings(max_examples=500 if is_full() else 40, deadline=None)
COUNTING = (ClaimStatus.COUNTED, ClaimStatus.CANDIDATE)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=6)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**80), 2**80) | st.floats(-1e9, 1e9) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
zones = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
instants = st.builds(
    lambda micros, zone: (START + timedelta(microseconds=micros)).astimezone(zone),
    st.integers(-(2**50), 2**50),
    zones,
)
PLAIN: dict[object, st.SearchStrategy[Any]] = {
    str: texts,
    bool: st.booleans(),
    int: st.integers(0, 2**40),
    float: st.floats(0, 1),
    bytes: st.binary(max_size=20),
    datetime: instants,
    Any: json_values,
    NoneType: st.none(),
    Span: st.sampled_from([Span(one.id, 0, one.length) for one in CHUNKS]),
}


def values_of(hint: Any) -> st.SearchStrategy[Any]:
    """Return what a field of a type may hold."""
    if hint in PLAIN:
        return PLAIN[hint]
    origin, parts = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return st.one_of([values_of(part) for part in parts])
    if origin is tuple:
        return st.lists(values_of(parts[0]), max_size=3).map(tuple)
    if origin is Mapping:
        return st.dictionaries(texts, values_of(parts[1]), max_size=3)
    if issubclass(hint, Enum):
        return st.sampled_from(hint)
    return records_of(hint)


def records_of(kind: type[Struct], /, **known: Any) -> st.SearchStrategy[Any]:
    """Return records of a kind; what is `known` of them is a value, or what gives one."""
    hints = get_type_hints(kind)
    given = {
        one.name: known[one.name] if one.name in known else values_of(hints[one.name])
        for one in fields(kind)
    }
    made = {
        name: one if isinstance(one, st.SearchStrategy) else st.just(one)
        for name, one in given.items()
    }
    return st.builds(kind, **made)


def numbered(records: list[Any], name: str = "id") -> list[Any]:
    """Return records with ids of their own."""
    return [replace(one, **{name: f"{place}-名"}) for place, one in enumerate(records)]


def new_truth() -> SqliteTruth:
    """Return a truth in memory that holds the chunks and two memories."""
    truth = with_source(SqliteTruth(None, tenant=TENANT, clock=FakeClock()))
    with truth.write() as transaction:
        transaction.raw.hold(CHUNKS)
        transaction.memories.add(ENDS)
    return truth


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


CLAIMS = st.lists(
    records_of(
        Claim,
        group=st.sampled_from(["facts:用户:home", "facts:别的:x"]),
        subject=st.sampled_from(["user", "小美"]),
        attribute=st.sampled_from(["home", "other"]),
        say=st.sampled_from(Say),
        turn_id=st.none() | st.just("会话/t1"),
        message_id=None,
    ),
    max_size=5,
).map(numbered)
CLAIM_STEPS = st.tuples(
    st.integers(0, 4), st.sampled_from([*ClaimStatus, *ENDS, "none", "delete", "add"])
)


@pytest.mark.spec("K1", "K2")
@MANY
@given(CLAIMS, st.lists(CLAIM_STEPS, max_size=8))
def test_claims_are_what_was_made_of_them(claims: list[Any], steps: list[Any]) -> None:
    """Each whole; by group in the order of arrival, those that count or may; by turn all.

    What they are part of and whether they count may change, and one that was deleted can come back.
    """
    made = [
        replace(one, operation_id=None if one.turn_id else builders.OPERATION) for one in claims
    ]
    part_of: dict[str, Memory] = {}
    with closing(new_truth()) as truth:
        writing(truth).events.add_turns([builders.turn("会话", 1)])
        stored = writing(truth).claims
        stored.add([*made, *made])
        there = {one.id: one for one in made}
        for place, change in steps if made else ():
            claim = made[place % len(made)]
            if isinstance(change, ClaimStatus):
                stored.set_status([claim.id, "clm_none"], change)
                if claim.id in there:
                    there[claim.id] = replace(there[claim.id], status=change)
            elif change == "delete":
                stored.delete([claim.id, "clm_none"])
                there.pop(claim.id, None)
                part_of.pop(claim.id, None)
            elif change == "add":
                stored.add([claim])
                there.setdefault(claim.id, claim)
            else:
                memory = change if isinstance(change, Memory) else None
                stored.assign({claim.id: memory and memory.id, "clm_none": ENDS[0].id})
                part_of.pop(claim.id, None)
                if memory and claim.id in there:
                    part_of[claim.id] = memory
        stored = reading(truth).claims
        ids = {name: memory.id for name, memory in part_of.items()}
        assert ids == stored.memories([one.id for one in made])
        of_turn = stored.of_turn("会话/t1")
        told = [one for one in there.values() if one.turn_id]
        assert sorted(told, key=lambda one: (one.message, one.start)) == of_turn
        for group in {one.group for one in made}:
            own = [one for one in there.values() if one.group == group]
            counted = [one for one in own if one.status in COUNTING]
            found = stored.in_groups([group])
            assert counted == found
            assert [one.said_at.utcoffset() for one in counted] == [
                one.said_at.utcoffset() for one in found
            ]
            places = [(one.said_at, one.session_id, one.place) for one in counted]
            assert max(places, default=None) == stored.last_place(group)
            parts = [
                (one.said_at, one.session_id, one.place, at, part_of[one.id].key)
                for at, one in enumerate(own)
                if one.id in part_of
            ]
            assert max(parts, default=(None,))[-1] == stored.last_memory(group)
        for claim in made:
            waiting = [
                one.value
                for one in there.values()
                if one.status is ClaimStatus.CANDIDATE
                and (one.group, one.attribute) == (claim.group, claim.attribute)
                and (one.subject, one.say) == (claim.subject, claim.say)
                and one.session_id != claim.session_id
            ]
            assert sorted(map(repr, waiting)) == sorted(map(repr, stored.values_waiting(claim)))


VECTORS = tuple(array("f", one).tobytes() for one in ([0.5, -1.0], [0.25, 2.0], []))
PLACES = st.integers(0, 4)
EMBEDDINGS = (("e", "m", 2), ("e", "m", 3), ("别的", "模型 2", 2))
STEPS = st.one_of(
    st.tuples(
        st.just("put"),
        st.integers(0, 2),
        st.dictionaries(PLACES | st.just(9), st.sampled_from(VECTORS), max_size=4),
    ),
    st.tuples(st.sampled_from(["change", "delete"]), PLACES, st.none()),
    st.tuples(st.just("drop"), st.integers(0, 2), st.none()),
)


@pytest.mark.spec("R3")
@MANY
@given(st.lists(STEPS, max_size=8))
def test_vectors_are_those_of_the_present_texts(steps: list[Any]) -> None:
    """What lacks one is the queue; an empty one is none, yet takes a memory out of the queue.

    A changed text loses its vectors, and a deleted memory needs none.
    """
    memories = [builders.memory(f"fact:数:{place}") for place in range(5)]
    with closing(new_truth()) as truth:
        writing(truth).memories.add(memories)
        found = reading(truth).followed.numbers([one.id for one in (*memories, *ENDS)])
        others = sorted(found[one.id] for one in ENDS)
        nums = [found[one.id] for one in memories]
        ids = {num: name for name, num in found.items()}
        living = set(nums)
        spaces = [writing(truth).vectors.open(*one, START).num for one in EMBEDDINGS]
        held: dict[int, dict[int, bytes]] = {space: {} for space in spaces}
        for what, place, given_vectors in steps:
            before = truth.seq()
            if what == "put" and spaces[place] in held:
                new = {nums[at] if at < 5 else 10_000: one for at, one in given_vectors.items()}
                writing(truth).vectors.put(spaces[place], new)
                kept = {num: one for num, one in new.items() if num in nums}
                held[spaces[place]] |= kept
                told = [one.num for one in truth.changes(before) if one.num in nums]
                assert sorted(num for num, one in kept.items() if one) == sorted(told)
            elif what == "change":
                writing(truth).memories.put_chunks({ids[nums[place]]: [f"改了 {before}"]})
                for vectors in held.values():
                    vectors.pop(nums[place], None)
            elif what == "delete":
                gone = replace(memories[place], status=Status.ARCHIVED, deleted_at=START)
                writing(truth).memories.update(gone)
                living.discard(nums[place])
            elif what == "drop" and spaces[place] in held:
                dropped = held.pop(spaces[place])
                assert len(dropped) == writing(truth).vectors.drop(spaces[place])
        stored = reading(truth).vectors
        assert sorted(held) == [one.num for one in stored.embeddings()]
        for count in range(len(held) + 1):
            some = sorted(held)[:count]
            lacking = [
                num
                for num in sorted((*others, *living))
                if not any(num in held[space] for space in some)
            ]
            assert lacking == stored.lacking(some)
            assert len(lacking) == stored.count_lacking(some)
            assert lacking[1:3] == stored.lacking(some, after=lacking[0], limit=2)
        for space, vectors in held.items():
            shown = {num: one for num, one in vectors.items() if one and num in living}
            got = stored.get(space, [*nums, 10_000])
            assert shown == {num: got[num] for num in got if num in living}
            assert 10_000 not in got
        assert spaces == [
            writing(truth).vectors.open(*one, START).num if space in held else space
            for space, one in zip(spaces, EMBEDDINGS, strict=True)
        ]
        assert writing(truth).vectors.open("new", "m", 2, START).num > max(spaces)


ENTITIES = tuple(
    builders.memory(f"entity:object:{name}", type="entities", status=status)
    for name, status in (("它", "active"), ("two", "active"), ("waits", "candidate"))
)
HISTORIES = st.lists(
    st.tuples(st.sampled_from(["会话", "s"]), st.integers(0, 4), st.sets(st.integers(0, 2))),
    min_size=1,
    max_size=7,
).flatmap(lambda told: st.tuples(st.just(told), st.permutations(range(len(told)))))


class Told:
    """Turns with two calls each and an episode that mentions entities, committed in some order."""

    def __init__(self, truth: SqliteTruth, history: tuple[list[Any], list[int]]) -> None:
        told, order = history
        self.named: dict[str, set[int]] = {}
        self.sessions: dict[str, list[Turn]] = {}
        turns = []
        for session, minute, entities in told:
            own = self.sessions.setdefault(session, [])
            seq = len(own) + 1
            calls = tuple(builders.tool_call(f"{session}{seq}{letter}") for letter in "ab")
            turns.append(builders.turn(session, seq, at=minutes(minute), tool_calls=calls))
            own.append(turns[-1])
            self.named[turns[-1].id] = entities
        self.committed = [turns[place] for place in order]
        writing(truth).memories.add(ENTITIES)
        for turn in self.committed:
            key = f"episode:{turn.id}"
            episode = builders.memory(key, type="episodes", source_turn_id=turn.id)
            about = [ENTITIES[place].id for place in sorted(self.named[turn.id])]
            with truth.write() as rows:
                rows.events.add_turns([turn])
                rows.memories.add([episode])
                rows.edges.add([builders.edge(episode.id, one, EdgeType.MENTIONS) for one in about])

    def in_time(self, session: str) -> list[Turn]:
        """Return the turns of a session by their own times."""
        return sorted(self.sessions[session], key=lambda one: (one.at, one.seq))


@pytest.mark.spec("E1")
@MANY
@given(HISTORIES, st.integers(1, 4))
def test_turns_are_found_by_their_places(history: tuple[list[Any], list[int]], most: int) -> None:
    """Whatever order they were committed in, in pages; sessions and calls with them."""
    with closing(new_truth()) as truth:
        told = Told(truth, history)
        rows = reading(truth)
        calls = [call.id for turn in told.committed for call in turn.tool_calls][::-1]
        pages = rows.calls.page(limit=most)
        rest = rows.calls.page(before=pages[-1][0], limit=100)
        assert calls == [one.call.id for _, one in (*pages, *rest)]
        listed = rows.events.sessions(limit=1)
        listed += rows.events.sessions(after=listed[-1][0])
        last = [one.last_at for _, one in listed]
        assert sorted(last, reverse=True) == last
        sessions = {one.id: one for _, one in listed}
        assert sessions.keys() == told.sessions.keys()
        for name, own in told.sessions.items():
            times = [one.at for one in own]
            expected = Session(id=name, started_at=min(times), last_at=max(times), turns=len(own))
            assert expected == sessions[name]
            assert own == rows.events.turns(name)
            assert own[most:] == rows.events.turns(name, after=most)
            assert own[:most] == rows.events.turns(name, limit=most)
            end = rows.events.last_turn(name)
            assert (own[-1].seq, own[-1].id, own[-1].at) == (end.seq, end.id, end.at)
            assert end.latest == max(times)
            found = [one.call.id for _, one in rows.calls.page(session_id=name)]
            assert [one for one in calls if one.startswith(name)] == found


@pytest.mark.spec("C2")
@MANY
@given(HISTORIES, st.integers(1, 4), st.integers(1, 3))
def test_mentions_are_found_by_the_times_of_turns(
    history: tuple[list[Any], list[int]], most: int, times: int
) -> None:
    """Whatever place a turn has by its arrival: around one, of the last ones, in a row."""
    with closing(new_truth()) as truth:
        told = Told(truth, history)
        rows = reading(truth)
        runs = dict.fromkeys(range(len(ENTITIES)), 0)
        for name, own in told.sessions.items():
            in_time = told.in_time(name)
            beside = [None, *(one.id for one in in_time), None]
            for place, turn in enumerate(in_time):
                assert (beside[place], beside[place + 2]) == rows.remembering.neighbours(turn.id)
                near = {
                    at - place: told.named[one.id]
                    for at, one in enumerate(in_time)
                    if 0 < abs(at - place) < most
                }
                found = rows.mentions.places([one.id for one in ENTITIES], turn.id, turns=most)
                for number, entity in enumerate(ENTITIES):
                    mentioned = [at for at, entities in near.items() if number in entities]
                    assert mentioned == sorted(found.get(entity.id, []))
                around = set().union(*near.values())
                keys = [one.key for number, one in enumerate(ENTITIES[:2]) if number in around]
                assert keys == rows.mentions.named_around(turn.id, turns=most)
            for number, entity in enumerate(ENTITIES):
                late = [number in told.named[one.id] for one in own[-most:]]
                counted = rows.mentions.counted([entity.id], name, turns=most)
                assert {entity.id: sum(late)} == counted
                last = own[-1].id
                counted = rows.mentions.counted([entity.id], name, turns=most, without=last)
                assert {entity.id: sum(late[:-1])} == counted
                for start in range(len(in_time)):
                    some = in_time[start : start + most]
                    run = sum(number in told.named[one.id] for one in some)
                    runs[number] = max(run, runs[number])
        for number, entity in enumerate(ENTITIES):
            frequent = rows.mentions.is_frequent(entity.id, times=times, turns=most)
            assert (runs[number] >= times) == frequent
