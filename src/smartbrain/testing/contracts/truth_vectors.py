"""The truth's contract: the vectors that embedders made of memories (R3).

In: an adapter of `ports.followed.Vectors`. Out: failed asserts where a vector outlives its text, is
mixed up with another embedding's, or a memory is missing from the queue.
"""

from __future__ import annotations

from array import array
from dataclasses import replace
from pathlib import Path

from smartbrain.domain.change import ChangeKind
from smartbrain.domain.memory import Status
from smartbrain.ports.truth import Transaction, Truth
from smartbrain.testing import builders
from smartbrain.testing.contracts.truth_followed import NOBODY, numbers_of
from smartbrain.testing.contracts.truth_suite import TruthSuite, minutes, read, write

ONE, OTHER = array("f", [0.5, -1.0]).tobytes(), array("f", [0.25, 2.0]).tobytes()


class VectorsContract(TruthSuite):
    """What embedders made."""

    def test_an_embedding_is_entered_once(self, tmp_path: Path) -> None:
        """Name, model and dimensions together are one; another of them is another."""
        truth = self.make(tmp_path)
        given = [("e", "m", 2), ("e", "m", 3), ("e", "模型 2", 2), ("别的", "m", 2)]
        with truth.write() as transaction:
            opened = [transaction.vectors.open(*one, minutes(0)) for one in given]
        with truth.write() as transaction:
            assert opened == [transaction.vectors.open(*one, minutes(9)) for one in given]
        assert given == [(one.name, one.model, one.dimensions) for one in opened]
        assert opened == read(truth, lambda one: one.vectors.embeddings())
        assert len({one.num for one in opened}) == 4

    def test_vectors_come_back_as_they_were_put(self, tmp_path: Path) -> None:
        """By embedding and number; put again they are replaced."""
        truth, nums = self._memories(tmp_path, 3)
        e, other = self._spaces(truth, "e", "other")
        write(truth, lambda one: one.vectors.put(e, {nums[0]: ONE, nums[1]: ONE}))
        write(truth, lambda one: one.vectors.put(other, {nums[1]: ONE}))
        write(truth, lambda one: one.vectors.put(e, {nums[1]: OTHER}))
        with truth.read() as rows:
            assert {nums[0]: ONE, nums[1]: OTHER} == rows.vectors.get(e, [*nums, NOBODY])
            assert {nums[1]: ONE} == rows.vectors.get(other, nums)
            assert rows.vectors.get(e, [nums[2]]) == {}

    def test_putting_vectors_is_a_change_of_their_memories(self, tmp_path: Path) -> None:
        """Views learn of vectors by the number of the memory."""
        truth, nums = self._memories(tmp_path, 2)
        (e,) = self._spaces(truth, "e")
        before = truth.seq()
        write(truth, lambda one: one.vectors.put(e, dict.fromkeys(nums, ONE)))
        changes = truth.changes(before)
        assert [(ChangeKind.VECTOR, num) for num in nums] == [
            (one.kind, one.num) for one in changes
        ]

    def test_what_lacks_a_vector_is_the_queue(self, tmp_path: Path) -> None:
        """In pages, lowest first, for each embedding on its own; deleted memories need none."""
        truth, nums = self._memories(tmp_path, 6)
        e, other = self._spaces(truth, "e", "other")
        write(truth, lambda one: one.vectors.put(e, {nums[1]: ONE, nums[2]: ONE}))
        write(truth, _delete, nums[4])
        with truth.read() as rows:
            lacking = rows.vectors.lacking
            assert [nums[at] for at in (0, 3, 5)] == lacking([e])
            assert [nums[0]] == lacking([e], limit=1)
            assert [nums[3], nums[5]] == lacking([e], after=nums[0])
            assert lacking([e], after=nums[5]) == []
            assert [nums[at] for at in (0, 1, 2, 3, 5)] == lacking([other])

    def test_several_embeddings_share_a_queue(self, tmp_path: Path) -> None:
        """What is in any of them is done; in none of them, all of it is to be done."""
        truth, nums = self._memories(tmp_path, 5)
        e, other = self._spaces(truth, "e", "other")
        write(truth, lambda one: one.vectors.put(e, {nums[1]: ONE}))
        write(truth, lambda one: one.vectors.put(other, {nums[1]: ONE, nums[2]: ONE}))
        write(truth, _delete, nums[4])
        with truth.read() as rows:
            for spaces, places in (([], (0, 1, 2, 3)), ([e], (0, 2, 3)), ([e, other], (0, 3))):
                assert [nums[at] for at in places] == rows.vectors.lacking(spaces)
                assert len(places) == rows.vectors.count_lacking(spaces)

    def test_an_empty_vector_is_none(self, tmp_path: Path) -> None:
        """It takes a memory out of the queue; nobody is given it or told of it."""
        truth, nums = self._memories(tmp_path, 2)
        (e,) = self._spaces(truth, "e")
        before = truth.seq()
        write(truth, lambda one: one.vectors.put(e, {nums[0]: b"", nums[1]: ONE}))
        with truth.read() as rows:
            assert {nums[1]: ONE} == rows.vectors.get(e, nums)
            assert rows.vectors.lacking([e]) == []
        assert [nums[1]] == [one.num for one in truth.changes(before)]
        name = read(truth, lambda one: one.followed.ids([nums[0]]))[nums[0]]
        write(truth, lambda one: one.memories.put_chunks({name: ["改了 changed"]}))
        assert [nums[0]] == read(truth, lambda one: one.vectors.lacking([e]))

    def test_a_changed_text_loses_its_vectors(self, tmp_path: Path) -> None:
        """In every embedding, and that memory's alone; it is in the queue again."""
        truth, nums = self._memories(tmp_path, 2)
        spaces = self._spaces(truth, "e", "other")
        for space in spaces:
            write(truth, lambda one, e: one.vectors.put(e, dict.fromkeys(nums, ONE)), space)
        with truth.write() as transaction:
            name = transaction.followed.ids([nums[0]])[nums[0]]
            transaction.memories.put_chunks({name: ["改了 changed"]})
        with truth.read() as rows:
            for space in spaces:
                assert {nums[1]: ONE} == rows.vectors.get(space, nums)
                assert [nums[0]] == rows.vectors.lacking([space])

    def test_a_vector_for_what_is_gone_is_left_out(self, tmp_path: Path) -> None:
        """A number that is no memory is passed over; the others are kept."""
        truth, nums = self._memories(tmp_path, 1)
        (e,) = self._spaces(truth, "e")
        chunk = builders.raw_chunk()
        write(truth, lambda one: one.raw.hold([chunk]))
        (raw,) = read(truth, lambda one: one.followed.nums(ChangeKind.RAW))
        write(truth, lambda one: one.vectors.put(e, {NOBODY: ONE, nums[0]: ONE, raw: ONE}))
        found = read(truth, lambda one: one.vectors.get(e, [NOBODY, nums[0], raw]))
        assert {nums[0]: ONE} == found
        write(truth, lambda one: one.vectors.put(e, {}))

    def test_a_dropped_embedding_is_gone_with_its_vectors(self, tmp_path: Path) -> None:
        """Only its own vectors go, and its number is not given to another."""
        truth, nums = self._memories(tmp_path, 2)
        e, other = self._spaces(truth, "e", "other")
        write(truth, lambda one: one.vectors.put(e, {nums[0]: ONE}))
        write(truth, lambda one: one.vectors.put(other, dict.fromkeys(nums, OTHER)))
        with truth.write() as transaction:
            assert transaction.vectors.drop(other) == 2
            assert transaction.vectors.drop(NOBODY) == 0
        with truth.read() as rows:
            assert [e] == [one.num for one in rows.vectors.embeddings()]
            assert rows.vectors.get(other, nums) == {}
            assert {nums[0]: ONE} == rows.vectors.get(e, nums)
        assert self._spaces(truth, "new")[0] > other

    def _memories(self, tmp_path: Path, count: int) -> tuple[Truth, list[int]]:
        """Return a truth with some memories, and their numbers."""
        truth = self.make_with_source(tmp_path)
        memories = [builders.memory(f"fact:数:{number}") for number in range(count)]
        write(truth, lambda one: one.memories.add(memories))
        return truth, numbers_of(truth, memories)

    def _spaces(self, truth: Truth, *names: str) -> list[int]:
        """Enter embeddings and return their numbers."""
        with truth.write() as transaction:
            return [transaction.vectors.open(one, "m", 2, minutes(0)).num for one in names]


def _delete(transaction: Transaction, num: int) -> None:
    """Mark a memory as deleted."""
    node = transaction.followed.ids([num])[num]
    memory = transaction.memories.get([node])[node]
    transaction.memories.update(replace(memory, status=Status.ARCHIVED, deleted_at=minutes(1)))
