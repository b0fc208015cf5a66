"""Lookups of the truth, held to dictionaries, lists and sorts of Python.

In: steps and histories that Hypothesis makes up. Out: nothing where claims, vectors, turns,
mentions, episodes and what is recalled are found as the plain model finds them.
"""

from __future__ import annotations

from array import array
from contextlib import closing
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from truth_records import COUNTING, ENDS, MANY, TENANT, new_truth, numbered, records_of

from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.domain.claim import Claim, ClaimStatus, Say
from smartbrain.domain.graph import EdgeType
from smartbrain.domain.indexed import NearbyEpisode
from smartbrain.domain.memory import Compression, Memory, Status
from smartbrain.domain.turn import Session, Turn
from smartbrain.testing import builders
from smartbrain.testing.clock import START, FakeClock
from smartbrain.testing.contracts.truth_suite import minutes, reading, with_source, writing

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


def changed_claims(
    truth: SqliteTruth, made: list[Claim], steps: list[Any]
) -> tuple[dict[str, Claim], dict[str, Memory]]:
    """Take steps with claims; return those that are there then, and what they are part of."""
    stored = writing(truth).claims
    there, part_of = {one.id: one for one in made}, dict[str, Memory]()
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
    return there, part_of


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
    with closing(new_truth()) as truth:
        writing(truth).events.add_turns([builders.turn("会话", 1)])
        writing(truth).claims.add([*made, *made])
        there, part_of = changed_claims(truth, made, steps)
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
                for start in range(len(in_time)):
                    some = in_time[start : start + most]
                    run = sum(number in told.named[one.id] for one in some)
                    runs[number] = max(run, runs[number])
                mentions = sum(number in entities for entities in told.named.values())
                if mentions > 4 * most:  # of those, only the last ones that were stored count
                    continue
                late = [number in told.named[one.id] for one in own[-most:]]
                counted = rows.mentions.counted([entity.id], name, turns=most)
                assert {entity.id: sum(late)} == counted
                last = own[-1].id
                counted = rows.mentions.counted([entity.id], name, turns=most, without=last)
                assert {entity.id: sum(late[:-1])} == counted
        for number, entity in enumerate(ENTITIES):
            frequent = rows.mentions.is_frequent(entity.id, times=times, turns=most)
            assert (runs[number] >= times) == frequent


EPISODES = st.lists(st.sampled_from([*"aaados"]), min_size=1, max_size=7)
"""What became of the episode of each turn: active, deleted, superseded, or there was none."""


@pytest.mark.spec("R3")
@MANY
@given(EPISODES, EPISODES, st.data())
def test_episodes_come_with_those_around_them(
    first: list[str], second: list[str], data: st.DataObject
) -> None:
    """Two turns either way in the same session, nearest first, the earlier before the later.

    Distance is measured in turns, whether they have episodes or not.
    """
    sessions = {"会话": first, "s": second}
    told: dict[tuple[str, int], Memory] = {}
    with closing(new_truth()) as truth:
        for name, states in sessions.items():
            for seq, state in enumerate(states, 1):
                writing(truth).events.add_turns([turn := builders.turn(name, seq)])
                if state != "s":
                    key = f"episode:{turn.id}"
                    made = builders.memory(
                        key, type="episodes", text=f"第 {seq} 轮 of {name}", source_turn_id=turn.id
                    )
                    told[name, seq] = made
                    writing(truth).memories.add([made])
                if state == "o":
                    old = replace(made, status=Status.SUPERSEDED)
                    writing(truth).memories.update(old)
                if state == "d":
                    gone = replace(made, status=Status.ARCHIVED, deleted_at=START)
                    writing(truth).memories.update(gone)
        fact = builders.memory("fact:a:b", source_turn_id=builders.turn("s", 1).id)
        writing(truth).memories.add([fact])
        rows = reading(truth).followed
        nums = rows.numbers([one.id for one in (*told.values(), fact)])
        states = {place: sessions[place[0]][place[1] - 1] for place in told}
        active = {place: nums[one.id] for place, one in told.items() if states[place] == "a"}
        for place, num in active.items():
            (found,) = rows.memories([num])
            name, seq = place
            beside = [
                NearbyEpisode(active[name, other], abs(other - seq), told[name, other].text)
                for other in (seq - 1, seq + 1, seq - 2, seq + 2)
                if (name, other) in active
            ]
            assert tuple(beside) == found.nearby
            assert (seq, seq == len(sessions[name])) == (found.turn, found.last)
            (bare,) = rows.memories([num], around=None)
            assert found._replace(nearby=()) == bare
        asked = data.draw(st.lists(st.sampled_from([*told, None]), max_size=3, unique=True))
        reach = data.draw(st.integers(0, 2))
        given_nums = [nums[told[one].id if one else fact.id] for one in asked]
        there = {None, *(place for place, state in states.items() if state != "d")}
        expected = {num for num, one in zip(given_nums, asked, strict=True) if one in there}
        for name, seq in filter(None, asked):
            expected |= {
                num
                for (session, other), num in active.items()
                if session == name and 0 < abs(other - seq) <= reach
            }
        around = rows.memories([*given_nums, 10_000], around=reach)
        assert sorted(expected) == [one.num for one in around]
        assert around == rows.memories([one.num for one in around])
        known = {one.num: one._replace(nearby=()) for one in around[1:]}
        assert around == rows.memories(given_nums, around=reach, known=known)


LABELS = ("蓝牙", "Shanghai", "SHANGHAI", "Shanghainese")
STORED = st.lists(
    st.tuples(
        st.sampled_from(["facts", "concepts", "episodes"]),
        st.integers(0, 2),
        st.sampled_from([*[Status.ACTIVE] * 3, *Status]),
        st.booleans(),
        st.sampled_from([Compression.RAW, Compression.THEME]),
        st.sets(st.sampled_from(LABELS)),
    ),
    max_size=9,
).flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(range(len(rows)))))


def memories_of(stored: list[Any], order: list[int]) -> list[Memory]:
    """Return memories of which no key has two that are active."""
    made: list[Memory] = []
    taken = set()
    for (kind, key, status, is_gone, compression, labels), minute in zip(
        stored, order, strict=True
    ):
        alone = status is not Status.ACTIVE or is_gone or (kind, key) not in taken
        status = status if alone else Status.SUPERSEDED
        status = Status.ARCHIVED if is_gone else status
        taken |= {(kind, key)} if status is Status.ACTIVE else set()
        memory = builders.memory(
            f"{kind}:键:{key}",
            len(made) + 1,
            type=kind,
            status=status,
            said_at=minutes(minute),
            deleted_at=START if is_gone else None,
            compression=compression,
            source_turn_id=f"s/t{len(made) + 1}" if kind == "episodes" else None,
        )
        named = ("keywords", "entities", "tags")[len(made) % 3]
        made.append(replace(memory, **{"keywords": ("z",), named: ("z", *sorted(labels))}))
    return made


@pytest.mark.spec("R3", "R7")
@MANY
@given(STORED, st.integers(1, 4), st.integers(0, 9), st.integers(0, 9))
def test_what_is_recalled_is_what_stands(
    stored: tuple[list[Any], list[int]], most: int, since: int, until: int
) -> None:
    """By number, key, type, label and time; nothing of what is deleted, in each order asked for."""
    made = memories_of(*stored)
    with closing(with_source(SqliteTruth(None, tenant=TENANT, clock=FakeClock()))) as truth:
        for place, memory in enumerate(made, 1):
            writing(truth).events.add_turns([builders.turn("s", place, at=memory.said_at)])
        writing(truth).memories.add(made)
        rows = reading(truth).recalled
        nums = reading(truth).followed.numbers([one.id for one in made])
        there = [one for one in made if one.deleted_at is None]
        active = [one for one in there if one.status is Status.ACTIVE]
        found = rows.rows([*nums.values(), 10_000])
        assert [(nums[one.id], one.id, one.status) for one in there] == [
            (one.num, one.id, one.status) for one in found
        ]
        said = {nums[one.id]: "s" for one in there if one.source_turn_id}
        assert said == rows.sessions([*nums.values()])
        for key in {one.key for one in made}:
            own = sorted((one for one in there if one.key == key), key=lambda one: one.said_at)
            assert [one.id for one in own] == [one.id for one in rows.versions([key])]
            standing = [one for one in own if one.status is Status.ACTIVE]
            waiting = [one for one in own if one.status is Status.CANDIDATE]
            keyed = {nums[one.id] for one in standing or waiting}
            assert {*rows.keyed([key, "没有:这个"]).values()} <= keyed
            assert bool(rows.keyed([key])) == bool(keyed)
        kinds = ("concepts", "facts", "没有")
        late = sorted(active, key=lambda one: one.said_at, reverse=True)
        newest = [one for kind in kinds for one in [x for x in active if x.type == kind][-most:]]
        assert [one.id for one in late if one in newest] == [
            one.id for one in rows.standing(kinds, limit=most)
        ]
        told = [
            nums[one.id]
            for one in late
            if one.type == "episodes" and minutes(since) <= one.said_at < minutes(until)
        ]
        assert told[:most] == rows.within(minutes(since), minutes(until), limit=most)
        for label in LABELS:
            known = [
                nums[one.id]
                for one in reversed(active)
                if label.lower() in {x.lower() for x in (*one.keywords, *one.entities, *one.tags)}
            ]
            assert known[:most] == rows.labelled([label.lower(), "Shang"], limit=most)
        counted = {kind: sum(one.type == kind for one in active) for kind in kinds}
        assert counted == rows.counts(kinds)
        assert {one: min(most, found) for one, found in counted.items()} == rows.counts(
            kinds, most=most
        )
        raw = [
            one
            for one in active
            if one.compression is Compression.RAW and one.said_at < minutes(until)
        ]
        old = {kind: sum(one.type == kind for one in raw) for kind in kinds}
        assert old == rows.counts(kinds, raw_before=minutes(until))


@pytest.mark.spec("M4", "K2")
@MANY
@given(STORED, st.integers(1, 4), st.integers(0, 9), st.none() | st.sampled_from(Status))
def test_versions_are_looked_up_for_writing(
    stored: tuple[list[Any], list[int]], most: int, since: int, status: Status | None
) -> None:
    """By key oldest first, the newest of a type, in pages; a number is never given twice."""
    made = memories_of(*stored)
    with closing(with_source(SqliteTruth(None, tenant=TENANT, clock=FakeClock()))) as truth:
        for place, memory in enumerate(made, 1):
            writing(truth).events.add_turns([builders.turn("s", place, at=memory.said_at)])
        writing(truth).memories.add(made)
        rows, memories = reading(truth).remembering, reading(truth).memories
        there = [one for one in made if one.deleted_at is None]
        keys = {one.key for one in made}
        found = rows.histories([*keys, "fact:nobody:x"])
        for key in keys:
            own = sorted((one for one in made if one.key == key), key=lambda one: one.said_at)
            assert [one.id for one in own] == [one.id for one in found[key]]
        assert found.keys() == keys
        for kind in ("facts", "concepts", "tasks"):
            for key in keys:
                numbers = [one.version for one in made if (one.type, one.key) == (kind, key)]
                assert max(numbers, default=0) == rows.last_version(kind, key)
            late = [one for one in reversed(there) if one.type == kind]
            for statuses, put_away in (
                ((Status.ACTIVE, Status.CANDIDATE), False),
                ((Status.ARCHIVED,), True),
            ):
                newest = rows.newest(kind, limit=most, put_away=put_away)
                own = [one.id for one in late if one.status in statuses]
                assert own[:most] == [one.id for one in newest]
            begin = minutes(since)
            chosen = {"type_name": kind, "status": status}
            own = [
                one
                for one in made
                if one.type == kind and status in (None, one.status) and one.said_at >= begin
            ]
            page = memories.page(**chosen, since=begin, limit=most)
            rest = memories.page(**chosen, since=begin, after=page[-1][0]) if page else []
            assert [one.id for one in own] == [one.id for _, one in (*page, *rest)]
            earlier = [
                one.id
                for one in made
                if one.type == kind and status in (None, one.status) and one.said_at < begin
            ]
            assert earlier == [one.id for _, one in memories.page(**chosen, until=begin)]
