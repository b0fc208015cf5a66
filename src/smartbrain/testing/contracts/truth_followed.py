"""The truth's contract: what views follow, rows by number and the vectors made of them (R3, R4).

In: an adapter of `ports.followed`. Out: failed asserts where a deleted row comes back, an episode
has the wrong neighbours, or a vector outlives the text that it was made of.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from smartbrain.domain.change import ChangeKind
from smartbrain.domain.graph import EdgeType, Tier
from smartbrain.domain.graph_search import GraphEdge, GraphLayer
from smartbrain.domain.indexed import IndexedMemory, IndexedPassage, NearbyEpisode
from smartbrain.domain.memory import Memory, Status
from smartbrain.ports.truth import Transaction, Truth
from smartbrain.testing import builders
from smartbrain.testing.contracts.truth_suite import TruthSuite, minutes, raised, read, write

NOBODY = 10_000
ONE, OTHER = array("f", [0.5, -1.0]).tobytes(), array("f", [0.25, 2.0]).tobytes()


class FollowedContract(TruthSuite):
    """Current rows by number."""

    def test_numbers_come_in_pages_without_what_is_deleted(self, tmp_path: Path) -> None:
        """Pages of any size give every living row once, lowest first."""
        truth = self.make_with_source(tmp_path)
        memories = [builders.memory(f"fact:数:{number}") for number in range(7)]
        write(truth, lambda one: one.memories.add(memories))
        nums = _numbers(truth, memories)
        gone = replace(memories[3], status=Status.ARCHIVED, deleted_at=minutes(1))
        write(truth, lambda one: one.memories.update(gone))
        expected = [num for num in nums if num != nums[3]]
        with truth.read() as rows:
            for limit in (1, 2, 6, 100):
                found: list[int] = []
                while page := rows.followed.nums(
                    ChangeKind.MEMORY, after=found[-1] if found else 0, limit=limit
                ):
                    assert len(page) <= limit
                    found += page
                assert expected == found

    def test_numbers_of_edges_and_passages(self, tmp_path: Path) -> None:
        """Each kind has its own numbers; kinds that no view is made of are refused."""
        truth = self.make_with_source(tmp_path)
        chunks = [builders.raw_chunk(text) for text in ("一", "two")]
        left, right = builders.memory("fact:左:一"), builders.memory("fact:right:two")
        edges = [builders.edge(left.id, right.id), builders.edge(right.id, left.id)]
        with truth.write() as transaction:
            transaction.raw.hold(chunks)
            transaction.memories.add([left, right])
            transaction.edges.add(edges)
        with truth.read() as rows:
            raw = rows.followed.nums(ChangeKind.RAW)
            assert [chunk.id for chunk in chunks] == list(rows.followed.ids(raw).values())
            assert len(rows.followed.nums(ChangeKind.EDGE)) == 2
            error = raised(lambda: rows.followed.nums(ChangeKind.TURN))
            assert error.code == "internal"

    def test_a_memory_comes_with_its_session_and_reference(self, tmp_path: Path) -> None:
        """What a turn refers to first is named; a memory put by hand has neither."""
        truth = self.make_with_source(tmp_path)
        turn = builders.turn(
            "会话 1",
            1,
            refs=(
                builders.ref("r-1", ref_uri="文档/notes.md"),
                builders.ref("r-2", ref_uri="https://example.org/b"),
            ),
        )
        said = builders.memory("fact:said:x", source_turn_id=turn.id)
        by_hand = builders.memory("fact:by:hand")
        with truth.write() as transaction:
            transaction.events.add_turns([turn])
            transaction.memories.add([said, by_hand])
        first, second = _numbers(truth, [said, by_hand])
        expected = [
            IndexedMemory(
                num=first,
                memory=self.owned(said),
                session_id="会话 1",
                ref_uri="文档/notes.md",
            ),
            IndexedMemory(num=second, memory=self.owned(by_hand)),
        ]
        found = read(truth, lambda one: one.followed.memories([second, NOBODY, first]))
        assert expected == found
        assert read(truth, lambda one: one.followed.memories([])) == []

    def test_an_episode_comes_with_those_around_it(self, tmp_path: Path) -> None:
        """Two turns either way in the same session, nearest first, the earlier before the later."""
        truth = self.make_with_source(tmp_path)
        episodes = _tell(truth, "s", 6)
        others = _tell(truth, "另一个", 6)
        nums = _numbers(truth, episodes)
        with truth.read() as rows:
            found = {row.num: row.nearby for row in rows.followed.memories(nums)}
        expected = {
            nums[at]: tuple(
                NearbyEpisode(nums[near], abs(near - at), episodes[near].text)
                for near in (at - 1, at + 1, at - 2, at + 2)
                if 0 <= near < len(nums)
            )
            for at in range(len(nums))
        }
        assert expected == found
        assert not set(_numbers(truth, others)) & {
            near.num for row in found.values() for near in row
        }

    def test_only_active_episodes_are_around(self, tmp_path: Path) -> None:
        """Superseded and deleted ones, and other memories of a turn, are no surroundings."""
        truth = self.make_with_source(tmp_path)
        episodes = _tell(truth, "s", 5)
        fact = builders.memory("fact:user:city", source_turn_id="s/t2")
        with truth.write() as transaction:
            transaction.memories.add([fact])
            transaction.memories.update(replace(episodes[1], status=Status.SUPERSEDED))
            transaction.memories.update(
                replace(episodes[3], status=Status.ARCHIVED, deleted_at=minutes(1))
            )
        nums = _numbers(truth, episodes)
        (number,) = _numbers(truth, [fact])
        with truth.read() as rows:
            (middle,) = rows.followed.memories([nums[2]])
            (told,) = rows.followed.memories([number])
        assert [(nums[0], 2), (nums[4], 2)] == [(near.num, near.distance) for near in middle.nearby]
        assert told.nearby == ()

    def test_turns_without_an_episode_count_as_distance(self, tmp_path: Path) -> None:
        """Distance is measured in turns, not in episodes."""
        truth = self.make_with_source(tmp_path)
        episodes = _tell(truth, "s", 4, silent=(2,))
        nums = _numbers(truth, episodes)
        with truth.read() as rows:
            (first, second, _) = rows.followed.memories(nums)
        assert [(nums[1], 2)] == [(near.num, near.distance) for near in first.nearby]
        assert [(nums[2], 1), (nums[0], 2)] == [(near.num, near.distance) for near in second.nearby]

    def test_episodes_around_others_are_named(self, tmp_path: Path) -> None:
        """Themselves included, each once, also around one that is deleted; not beyond a session."""
        truth = self.make_with_source(tmp_path)
        episodes = _tell(truth, "s", 8)
        _tell(truth, "t", 8)
        nums = _numbers(truth, episodes)
        gone = replace(episodes[4], status=Status.ARCHIVED, deleted_at=minutes(1))
        write(truth, lambda one: one.memories.update(gone))
        fact = builders.memory("fact:a:b", source_turn_id="s/t1")
        write(truth, lambda one: one.memories.add([fact]))
        (number,) = _numbers(truth, [fact])
        with truth.read() as rows:
            around = rows.followed.episodes_around
            assert nums[:3] == around([nums[0]], 2)
            assert nums[:4] == around([nums[1], nums[0], nums[2]], 1)
            assert [nums[at] for at in (2, 3, 5, 6)] == around([nums[4]], 2)
            assert around([number, NOBODY], 2) == []
            assert [nums[7]] == around([nums[7]], 0)

    def test_edges_come_as_the_graph_takes_them(self, tmp_path: Path) -> None:
        """Ends by number, weight and type; a cold edge is not walked online; a deleted one gone."""
        truth = self.make_with_source(tmp_path)
        left, right = builders.memory("fact:左:一"), builders.memory("fact:right:two")
        hot = builders.edge(left.id, right.id, EdgeType.CAUSES, weight=0.25)
        cold = builders.edge(right.id, left.id, EdgeType.ABOUT, tier=Tier.COLD)
        gone = builders.edge(left.id, left.id)
        with truth.write() as transaction:
            transaction.memories.add([left, right])
            transaction.edges.add([hot, cold, gone])
        with truth.read() as rows:
            nums = rows.followed.nums(ChangeKind.EDGE)
        write(truth, lambda one: one.edges.add([replace(gone, deleted_at=minutes(1))]))
        one, two = _numbers(truth, [left, right])
        expected = [
            GraphEdge(
                nums[0], one, two, EdgeType.CAUSES, 0.25, GraphLayer.FULL | GraphLayer.ONLINE
            ),
            GraphEdge(nums[1], two, one, EdgeType.ABOUT, cold.weight, GraphLayer.FULL),
        ]
        with truth.read() as rows:
            assert expected == rows.followed.edges([*reversed(nums), NOBODY])
            assert nums[:2] == rows.followed.nums(ChangeKind.EDGE)

    def test_passages_come_by_number(self, tmp_path: Path) -> None:
        """Chunks in the database and in files, lowest number first; not what was dropped."""
        truth = self.make_with_source(tmp_path)
        chunks = [
            builders.raw_chunk("蓝牙"),
            builders.raw_chunk("in a file", path="raw/2026/x"),
            builders.raw_chunk("nobody holds it"),
        ]
        with truth.write() as transaction:
            transaction.raw.hold(chunks)
        with truth.read() as rows:
            nums = rows.followed.nums(ChangeKind.RAW)
        with truth.write() as transaction:
            transaction.raw.release([chunks[2].id])
            transaction.raw.drop_unheld()
        expected = [
            IndexedPassage(num, replace(chunk, held=1))
            for num, chunk in zip(nums[:2], chunks[:2], strict=True)
        ]
        assert expected == read(truth, lambda one: one.followed.passages([*reversed(nums), NOBODY]))
        assert nums[:2] == read(truth, lambda one: one.followed.nums(ChangeKind.RAW))

    def test_ids_and_numbers_answer_each_other(self, tmp_path: Path) -> None:
        """Memories and chunks both have a number; who is nowhere is left out."""
        truth = self.make_with_source(tmp_path)
        chunk, memory = builders.raw_chunk("原文"), builders.memory()
        with truth.write() as transaction:
            transaction.raw.hold([chunk])
            transaction.memories.add([memory])
        with truth.read() as rows:
            numbers = rows.followed.numbers([memory.id, "没有", chunk.id])
            assert {memory.id, chunk.id} == set(numbers)
            back = rows.followed.ids([*numbers.values(), NOBODY])
        assert {num: name for name, num in numbers.items()} == back

    def test_a_mark_is_known_to_its_own_history(self, tmp_path: Path) -> None:
        """Whatever was written later, earlier marks stay known; those of others are not."""
        truth = self.make(tmp_path)
        marks = [truth.mark()]
        write(truth, lambda one: one.ledger.add_operation(builders.operation()))
        marks.append(truth.mark())
        write(truth, lambda one: one.memories.add([builders.memory()]))
        marks.append(truth.mark())
        write(truth, lambda one: one.ledger.add_operation(builders.operation("op-2")))
        marks.append(truth.mark())
        assert len(set(marks)) == 4
        assert all(truth.knows(mark) for mark in marks)
        other = self.make(_below(tmp_path, "other"))
        write(other, lambda one: one.ledger.add_operation(builders.operation("别的")))
        assert [other.knows(mark) for mark in marks] == [True, False, False, False]
        assert not truth.knows(other.mark())
        assert not truth.knows("no mark")


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
            assert [nums[at] for at in (0, 3, 5)] == lacking(e)
            assert [nums[0]] == lacking(e, limit=1)
            assert [nums[3], nums[5]] == lacking(e, after=nums[0])
            assert lacking(e, after=nums[5]) == []
            assert [nums[at] for at in (0, 1, 2, 3, 5)] == lacking(other)

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
                assert [nums[0]] == rows.vectors.lacking(space)

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
        return truth, _numbers(truth, memories)

    def _spaces(self, truth: Truth, *names: str) -> list[int]:
        """Enter embeddings and return their numbers."""
        with truth.write() as transaction:
            return [transaction.vectors.open(one, "m", 2, minutes(0)).num for one in names]


def _tell(truth: Truth, session: str, count: int, silent: Sequence[int] = ()) -> list[Memory]:
    """Store turns with an episode each, none for the silent ones; return the episodes."""
    episodes = []
    with truth.write() as transaction:
        for seq in range(1, count + 1):
            turn = builders.turn(session, seq)
            transaction.events.add_turns([turn])
            if seq in silent:
                continue
            episode = builders.memory(
                f"episode:{session}:{turn.id}",
                type="episodes",
                text=f"第 {seq} 轮 turn {seq} of {session}",
                source_turn_id=turn.id,
            )
            episodes.append(episode)
        transaction.memories.add(episodes)
    return episodes


def _numbers(truth: Truth, memories: Sequence[Memory]) -> list[int]:
    """Return the numbers of memories in their order."""
    found = read(truth, lambda one: one.followed.numbers([memory.id for memory in memories]))
    return [found[memory.id] for memory in memories]


def _delete(transaction: Transaction, num: int) -> None:
    """Mark a memory as deleted."""
    (row,) = transaction.followed.memories([num])
    transaction.memories.update(replace(row.memory, status=Status.ARCHIVED, deleted_at=minutes(1)))


def _below(folder: Path, name: str) -> Path:
    """Make a folder below another."""
    below = folder / name
    below.mkdir()
    return below
