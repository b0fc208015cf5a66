"""The truth's contract: what views follow, current rows by number (R4).

In: an adapter of `ports.followed`. Out: failed asserts where a deleted row comes back, an episode
has the wrong neighbours, or another history is taken for this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from smartbrain.domain.change import ChangeKind
from smartbrain.domain.graph import AGGREGATE, EdgeType, Tier
from smartbrain.domain.graph_search import GraphEdge, GraphLayer
from smartbrain.domain.indexed import IndexedMemory, IndexedPassage, NearbyEpisode
from smartbrain.domain.memory import Layer, Memory, Span, Status
from smartbrain.domain.replay import Step
from smartbrain.domain.turn import Role
from smartbrain.ports.truth import Truth
from smartbrain.testing import builders
from smartbrain.testing.contracts.truth_suite import (
    SHANGHAI,
    TruthSuite,
    minutes,
    raised,
    read,
    write,
)

NOBODY = 10_000


class FollowedContract(TruthSuite):
    """Current rows by number."""

    def test_numbers_come_in_pages_without_what_is_deleted(self, tmp_path: Path) -> None:
        """Pages of any size give every living row once, lowest first."""
        truth = self.make_with_source(tmp_path)
        memories = [builders.memory(f"fact:数:{number}") for number in range(7)]
        write(truth, lambda one: one.memories.add(memories))
        nums = numbers_of(truth, memories)
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
        said = builders.memory(
            "fact:said:x",
            source_turn_id=turn.id,
            entities=("上海", "Shanghai"),
            tags=("城市",),
            status=Status.DISPUTED,
            layer=Layer.LONG,
            said_at=minutes(3).astimezone(SHANGHAI),
        )
        by_hand = builders.memory("fact:by:hand")
        with truth.write() as transaction:
            transaction.events.add_turns([turn])
            transaction.memories.add([said, by_hand])
        first, second = numbers_of(truth, [said, by_hand])
        expected = [
            _indexed(first, said, session_id="会话 1", ref_uri="文档/notes.md"),
            _indexed(second, by_hand),
        ]
        found = read(truth, lambda one: one.followed.memories([second, NOBODY, first]))
        assert expected == found
        assert read(truth, lambda one: one.followed.memories([])) == []

    def test_an_episode_comes_with_those_around_it(self, tmp_path: Path) -> None:
        """Two turns either way in the same session, nearest first, the earlier before the later."""
        truth = self.make_with_source(tmp_path)
        episodes = _tell(truth, "s", 6)
        others = _tell(truth, "另一个", 6)
        nums = numbers_of(truth, episodes)
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
        assert not set(numbers_of(truth, others)) & {
            near.num for row in found.values() for near in row
        }

    def test_an_episode_tells_its_turn_and_whether_that_is_the_last(self, tmp_path: Path) -> None:
        """Also where nothing is looked for around it; what else a turn told has no such place."""
        truth = self.make_with_source(tmp_path)
        episodes = [*_tell(truth, "s", 3), *_tell(truth, "另一个", 2)]
        fact = builders.memory("fact:user:city", source_turn_id="s/t2")
        write(truth, lambda one: one.memories.add([fact]))
        nums = numbers_of(truth, [*episodes, fact])
        with truth.read() as rows:
            found = rows.followed.memories(nums, around=None)
            around = rows.followed.memories(nums)
        assert [row.turn for row in found] == [1, 2, 3, 1, 2, 0]
        assert [row.last for row in found] == [False, False, True, False, True, False]
        assert found == [row._replace(nearby=()) for row in around]

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
        nums = numbers_of(truth, episodes)
        (number,) = numbers_of(truth, [fact])
        with truth.read() as rows:
            (middle,) = rows.followed.memories([nums[2]])
            (told,) = rows.followed.memories([number])
        assert [(nums[0], 2), (nums[4], 2)] == [(near.num, near.distance) for near in middle.nearby]
        assert told.nearby == ()

    def test_turns_without_an_episode_count_as_distance(self, tmp_path: Path) -> None:
        """Distance is measured in turns, not in episodes."""
        truth = self.make_with_source(tmp_path)
        episodes = _tell(truth, "s", 4, silent=(2,))
        nums = numbers_of(truth, episodes)
        with truth.read() as rows:
            (first, second, _) = rows.followed.memories(nums)
        assert [(nums[1], 2)] == [(near.num, near.distance) for near in first.nearby]
        assert [(nums[2], 1), (nums[0], 2)] == [(near.num, near.distance) for near in second.nearby]

    def test_episodes_around_others_are_read_with_them(self, tmp_path: Path) -> None:
        """Each once, with all that is around it; also around one that is gone, in its session."""
        truth = self.make_with_source(tmp_path)
        episodes = _tell(truth, "s", 8)
        _tell(truth, "t", 8)
        nums = numbers_of(truth, episodes)
        gone = replace(episodes[4], status=Status.ARCHIVED, deleted_at=minutes(1))
        write(truth, lambda one: one.memories.update(gone))
        fact = builders.memory("fact:a:b", source_turn_id="s/t1")
        write(truth, lambda one: one.memories.add([fact]))
        (number,) = numbers_of(truth, [fact])
        with truth.read() as rows:

            def around(given: list[int], distance: int) -> list[int]:
                found = rows.followed.memories(given, around=distance)
                assert found == rows.followed.memories([one.num for one in found])
                known = {one.num: one._replace(nearby=()) for one in found[1:]}
                assert found == rows.followed.memories(given, around=distance, known=known)
                return [one.num for one in found]

            assert nums[:3] == around([nums[0]], 2)
            assert nums[:4] == around([nums[1], nums[0], nums[2]], 1)
            assert [nums[at] for at in (2, 3, 5, 6)] == around([nums[4]], 2)
            assert [number] == around([number, NOBODY], 2)
            assert [nums[7]] == around([nums[7]], 0)

    def test_what_was_said_in_the_turn_of_an_episode(self, tmp_path: Path) -> None:
        """All that users and assistants said, in order, by the episode's number; no other words."""
        truth = self.make_with_source(tmp_path)
        first, second, ruled = map(builders.raw_chunk, ("第一句", "and the second", "a rule"))
        said = (
            builders.message("m-1", first),
            builders.message("m-2", ruled, role=Role.SYSTEM),
            builders.message("m-3", role=Role.ASSISTANT, spans=(Span(second.id, 4, 3),)),
        )
        turn = builders.turn("s", 1, messages=said)
        refs = (builders.span(first),)
        episode = builders.memory(
            "episode:s:1", type="episodes", text="短", source_turn_id=turn.id, raw_refs=refs
        )
        fact = builders.memory("fact:a:b", source_turn_id=turn.id)
        with truth.write() as transaction:
            transaction.raw.hold([first, second, ruled])
            transaction.events.add_turns([turn])
            transaction.memories.add([episode, fact])
        nums = numbers_of(truth, [episode, fact])
        with truth.read() as rows:
            assert [row.cut for row in rows.followed.memories(nums)] == [True, False]
            spoken = rows.followed.spoken([*nums, NOBODY])
        told = [(piece.chunk.id, piece.offset, piece.length) for piece in spoken.pop(nums[0])]
        assert [(first.id, 0, len("第一句".encode())), (second.id, 4, 3)] == told
        assert not spoken

    def test_edges_come_as_the_graph_takes_them(self, tmp_path: Path) -> None:
        """Ends by number, weight and type; each in its layers; a deleted one is gone."""
        truth = self.make_with_source(tmp_path)
        left, right = builders.memory("fact:左:一"), builders.memory("fact:right:two")
        hot = builders.edge(left.id, right.id, EdgeType.CAUSES, weight=0.25)
        cold = builders.edge(right.id, left.id, EdgeType.ABOUT, tier=Tier.COLD)
        summed = builders.edge(left.id, right.id, EdgeType.SIMILAR_TO, attrs={AGGREGATE: True})
        gone = builders.edge(left.id, left.id)
        with truth.write() as transaction:
            transaction.memories.add([left, right])
            transaction.edges.add([hot, cold, summed, gone])
        with truth.read() as rows:
            nums = rows.followed.nums(ChangeKind.EDGE)
        write(truth, lambda one: one.edges.add([replace(gone, deleted_at=minutes(1))]))
        one, two = numbers_of(truth, [left, right])
        expected = [
            GraphEdge(
                nums[0], one, two, EdgeType.CAUSES, 0.25, GraphLayer.FULL | GraphLayer.ONLINE
            ),
            GraphEdge(nums[1], two, one, EdgeType.ABOUT, cold.weight, GraphLayer.FULL),
            GraphEdge(nums[2], one, two, EdgeType.SIMILAR_TO, summed.weight, GraphLayer.CONCEPTS),
        ]
        with truth.read() as rows:
            assert expected == rows.followed.edges([*reversed(nums), NOBODY])
            assert nums[:3] == rows.followed.nums(ChangeKind.EDGE)

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
        with truth.write() as transaction:  # a step may bring no node: its words are known
            turn = builders.turn("会话", 1)
            transaction.events.add_turns([turn])
            transaction.replayed.add_step(Step(turn_id=turn.id, created_at=minutes(1)))
        marks.append(truth.mark())
        assert len(set(marks)) == 5
        assert all(truth.mark(mark) == mark for mark in marks)
        other = self.make(_below(tmp_path, "other"))
        write(other, lambda one: one.ledger.add_operation(builders.operation("别的")))
        assert [other.mark(mark) == mark for mark in marks] == [True, *[False] * 4]
        assert truth.mark(other.mark()) != other.mark()
        assert truth.mark("no mark") != "no mark"


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


def numbers_of(truth: Truth, memories: Sequence[Memory]) -> list[int]:
    """Return the numbers of memories in their order."""
    found = read(truth, lambda one: one.followed.numbers([memory.id for memory in memories]))
    return [found[memory.id] for memory in memories]


def _indexed(num: int, memory: Memory, **place: str) -> IndexedMemory:
    """Return what is indexed of a memory."""
    return IndexedMemory(
        num=num,
        id=memory.id,
        type=memory.type,
        key=memory.key,
        title=memory.title,
        text=memory.text,
        value=memory.value,
        entities=memory.entities,
        tags=memory.tags,
        status=memory.status.value,
        layer=memory.layer.value,
        said_at=memory.said_at,
        source_turn_id=memory.source_turn_id,
        session_id=place.get("session_id", ""),
        ref_uri=place.get("ref_uri", ""),
    )


def _below(folder: Path, name: str) -> Path:
    """Make a folder below another."""
    below = folder / name
    below.mkdir()
    return below
