"""The truth's contract: what deciding about a turn looks up, and what was decided (C2, C4).

In: an adapter of `ports.remembering`. Out: failed asserts where a version is missing or out of
order, a mention of another session counts, or an explanation does not come back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from smartbrain.domain.memory import OVER, Memory, Status
from smartbrain.ports.truth import Truth
from smartbrain.testing import builders
from smartbrain.testing.contracts.truth_suite import TruthSuite, minutes, read, write


class RememberingContract(TruthSuite):
    """Lookups of the write path."""

    def test_histories_come_by_key_oldest_first(self, tmp_path: Path) -> None:
        """By the statements' own times, of all types; unknown keys are left out."""
        truth = self.make_with_source(tmp_path)
        late = builders.memory("fact:市:名", said_at=minutes(9))
        early = builders.memory(
            "fact:市:名", version=2, status=Status.SUPERSEDED, said_at=minutes(1)
        )
        other = builders.memory("fact:other:x")
        write(truth, lambda one: one.memories.add([late, early, other]))
        found = read(truth, lambda one: one.remembering.histories(["fact:市:名", "fact:nobody:x"]))
        assert {"fact:市:名": [early.id, late.id]} == {
            key: [memory.id for memory in versions] for key, versions in found.items()
        }
        assert read(truth, lambda one: one.remembering.histories([])) == {}

    def test_heads_are_what_stands_and_what_was_said_last(self, tmp_path: Path) -> None:
        """Of each key and one type, oldest first; on request also what was taken back or ended."""
        truth = self.make_with_source(tmp_path)
        states = (
            (Status.RETRACTED, ()),
            (Status.SUPERSEDED, (OVER,)),
            (Status.DISPUTED, ()),
            (Status.ACTIVE, ()),
            (Status.SUPERSEDED, ()),
            (Status.SUPERSEDED, ()),
        )
        told = [
            builders.memory(
                "fact:市:名", number, status=status, tags=tags, valid_since=minutes(number)
            )
            for number, (status, tags) in enumerate(states, 1)
        ]
        gone = builders.memory(
            "fact:市:名", 9, status=Status.ARCHIVED, deleted_at=minutes(9), valid_since=minutes(9)
        )
        away = builders.memory("fact:away:x", status=Status.ARCHIVED, valid_since=minutes(1))
        write(truth, lambda one: one.memories.add([*told, gone, away]))
        keys = ["fact:市:名", "fact:away:x", "fact:nobody:x"]
        with truth.read() as rows:
            heads = rows.remembering.heads("facts", keys)
            assert [told[2].id, told[3].id, told[5].id, away.id] == [one.id for one in heads]
            heads = rows.remembering.heads("facts", keys[:1], rejected=True)
            assert [told[place].id for place in (0, 1, 2, 3, 5)] == [one.id for one in heads]
            assert rows.remembering.heads("tasks", keys) == []
            assert rows.remembering.heads("facts", []) == []

    def test_the_last_number_of_a_key_counts_what_is_deleted(self, tmp_path: Path) -> None:
        """So that no number is given twice; a key that nothing is stored under has none."""
        truth = self.make_with_source(tmp_path)
        gone = builders.memory("fact:市:名", 3, status=Status.ARCHIVED, deleted_at=minutes(1))
        write(truth, lambda one: one.memories.add([builders.memory("fact:市:名", 2), gone]))
        with truth.read() as rows:
            assert rows.remembering.last_version("facts", "fact:市:名") == 3
            assert rows.remembering.last_version("tasks", "fact:市:名") == 0
            assert rows.remembering.last_version("facts", "fact:nobody:x") == 0

    def test_a_fact_is_found_in_any_case_of_its_letters(self, tmp_path: Path) -> None:
        """Its very key first, else the oldest; other types, and what is deleted, are none."""
        truth = self.make_with_source(tmp_path)
        keys = ("fact:API:port", "fact:api:port", "fact:API:端口")
        stored = [builders.memory(key) for key in keys]
        gone = builders.memory("fact:Gone:port", status=Status.ARCHIVED, deleted_at=minutes(1))
        write(truth, lambda one: one.memories.add([*stored, gone]))
        asked = ("fact:api:port", "fact:Api:Port", "fact:api:端口", "fact:gone:port", "task:a:b")
        found = read(truth, lambda one: [*map(one.remembering.fact_key, asked)])
        assert found == ["fact:api:port", "fact:API:port", "fact:API:端口", None, None]

    def test_the_newest_that_stand_come_first(self, tmp_path: Path) -> None:
        """Active ones and candidates of one type; what is superseded or deleted does not stand."""
        truth = self.make_with_source(tmp_path)
        states = (Status.ACTIVE, Status.SUPERSEDED, Status.CANDIDATE, Status.ACTIVE)
        memories = _stored(truth, states)
        newest = read(truth, lambda one: one.remembering.newest("facts"))
        assert [memories[2].id, memories[0].id] == [memory.id for memory in newest]
        assert len(read(truth, lambda one: one.remembering.newest("facts", limit=1))) == 1
        assert read(truth, lambda one: one.remembering.newest("tasks")) == []

    def test_what_was_put_away_comes_by_itself(self, tmp_path: Path) -> None:
        """Archived ones of one type, the newest first; what is deleted or stands is none."""
        truth = self.make_with_source(tmp_path)
        states = (Status.ARCHIVED, Status.ACTIVE, Status.ARCHIVED, Status.ARCHIVED)
        memories = _stored(truth, states)
        old = read(truth, lambda one: one.remembering.newest("facts", put_away=True))
        assert [memories[2].id, memories[0].id] == [memory.id for memory in old]
        assert (
            len(read(truth, lambda one: one.remembering.newest("facts", limit=1, put_away=True)))
            == 1
        )
        assert read(truth, lambda one: one.remembering.newest("tasks", put_away=True)) == []

    def test_statements_are_found_by_what_they_tell(self, tmp_path: Path) -> None:
        """Newest first, at most so many of each kind of event."""
        truth = self.make_with_source(tmp_path)
        told = [
            builders.memory(
                f"statement:t:{place}",
                type="statements",
                value={"predicate": {"normalized": name}},
                status=Status.CANDIDATE,
            )
            for place, name in enumerate(("踢球", "sing", "踢球", "踢球"))
        ]
        write(truth, lambda one: one.memories.add(told))
        found = read(truth, lambda one: one.remembering.alike({"踢球", "sing", "jump"}, limit=2))
        assert {"踢球": [told[3].id, told[2].id], "sing": [told[1].id], "jump": []} == {
            name: [memory.id for memory in memories] for name, memories in found.items()
        }

    def test_the_turns_beside_one_are_found_by_their_times(self, tmp_path: Path) -> None:
        """Whatever their places; of one time the place decides. Other sessions are apart."""
        truth = self.make(tmp_path)
        told = [("s", 1, 5), ("s", 2, 1), ("别的", 1, 4), ("s", 3, 5), ("s", 4, 3)]
        turns = [builders.turn(session, seq, at=minutes(at)) for session, seq, at in told]
        write(truth, lambda one: one.events.add_turns(turns))
        expected = {
            "s/t2": (None, "s/t4"),
            "s/t4": ("s/t2", "s/t1"),
            "s/t1": ("s/t4", "s/t3"),
            "s/t3": ("s/t1", None),
            "别的/t1": (None, None),
            "unknown": (None, None),
        }
        with truth.read() as rows:
            assert expected == {one: rows.remembering.neighbours(one) for one in expected}
            last = rows.events.last_turn("s")
        assert last is not None
        assert (minutes(3), minutes(5)) == (last.at, last.latest)

    def test_explanations_come_back_in_order(self, tmp_path: Path) -> None:
        """Each as it was kept, those of one source only."""
        truth = self.make_with_source(tmp_path)
        bodies = [{"为什么": [1]}, {"b": None}]
        for body in bodies:
            write(
                truth,
                lambda one, body=body: one.remembering.keep_explanation("t-1", body, minutes(1)),
            )
        write(truth, lambda one: one.remembering.keep_explanation("t-2", {}, minutes(1)))
        assert bodies == read(truth, lambda one: one.remembering.explanations("t-1"))
        assert read(truth, lambda one: one.remembering.explanations("nobody")) == []


def _stored(truth: Truth, states: Sequence[Status]) -> list[Memory]:
    """Store facts of some states, the last of them deleted."""
    memories = [
        builders.memory(f"fact:数:{place}", status=status) for place, status in enumerate(states)
    ]
    write(truth, lambda one: one.memories.add(memories))
    gone = replace(memories[-1], deleted_at=minutes(1))
    write(truth, lambda one: one.memories.update(gone))
    return memories
