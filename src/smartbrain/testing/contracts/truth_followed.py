"""The truth's contract: the log of changes, and rows as indexes follow them.

In: an adapter of `ports.truth`. Out: failed asserts where a change is missing or comes twice, a
deleted row comes back, or an episode lacks its neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec.structs import replace

from smartbrain.domain.change import Change, ChangeKind, ChangeOp
from smartbrain.domain.graph import AGGREGATE, EdgeType, Tier
from smartbrain.domain.graph_search import GraphEdge, GraphLayer
from smartbrain.domain.indexed import IndexedMemory, IndexedPassage
from smartbrain.domain.memory import Layer, Memory, Span, Status
from smartbrain.domain.replay import Step
from smartbrain.domain.turn import RawChunk, Role
from smartbrain.ports.truth import Transaction, Truth
from smartbrain.testing import builders
from smartbrain.testing.contracts import raised
from smartbrain.testing.contracts.truth_suite import (
    CITY,
    SHANGHAI,
    TruthSuite,
    minutes,
    reading,
    write,
    writing,
)

NOBODY = 10_000


class FollowedContract(TruthSuite):
    """Current rows by number."""

    def test_numbers_come_in_pages_without_what_is_deleted(self, truth: Truth) -> None:
        """Pages of any size give every living row once, lowest first."""
        memories = [builders.memory(f"fact:数:{number}") for number in range(7)]
        writing(truth).memories.add(memories)
        nums = numbers_of(truth, memories)
        gone = replace(memories[3], status=Status.ARCHIVED, deleted_at=minutes(1))
        writing(truth).memories.update(gone)
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

    def test_numbers_of_edges_and_passages(self, truth: Truth) -> None:
        """Each kind has its own numbers; kinds that no view is made of are refused."""
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

    def test_a_memory_comes_with_its_session_and_reference(self, truth: Truth) -> None:
        """What a turn refers to first is named; a memory put by hand has neither."""
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
        found = reading(truth).followed.memories([second, NOBODY, first])
        assert expected == found
        assert reading(truth).followed.memories([]) == []

    def test_what_was_said_in_the_turn_of_an_episode(self, truth: Truth) -> None:
        """All that users and assistants said, in order, by the episode's number; no other words."""
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

    def test_edges_come_as_the_graph_takes_them(self, truth: Truth) -> None:
        """Ends by number, weight and type; each in its layers; a deleted one is gone."""
        left, right = builders.memory("fact:左:一"), builders.memory("fact:right:two")
        hot = builders.edge(left.id, right.id, EdgeType.CAUSES, weight=0.25)
        cold = builders.edge(right.id, left.id, EdgeType.ABOUT, tier=Tier.COLD)
        summed = builders.edge(left.id, right.id, EdgeType.SIMILAR_TO, attrs={AGGREGATE: True})
        gone = builders.edge(left.id, left.id)
        with truth.write() as transaction:
            transaction.memories.add([left, right])
            transaction.edges.add([hot, cold, summed, gone])
        nums = reading(truth).followed.nums(ChangeKind.EDGE)
        writing(truth).edges.add([replace(gone, deleted_at=minutes(1))])
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

    def test_passages_come_by_number(self, truth: Truth) -> None:
        """Chunks in the database and in files, lowest number first; not what was dropped."""
        chunks = [
            builders.raw_chunk("蓝牙"),
            builders.raw_chunk("in a file", path="raw/2026/x"),
            builders.raw_chunk("nobody holds it"),
        ]
        writing(truth).raw.hold(chunks)
        nums = reading(truth).followed.nums(ChangeKind.RAW)
        with truth.write() as transaction:
            transaction.raw.release([chunks[2].id])
            transaction.raw.drop_unheld()
        expected = [
            IndexedPassage(num, replace(chunk, held=1))
            for num, chunk in zip(nums[:2], chunks[:2], strict=True)
        ]
        assert expected == reading(truth).followed.passages([*reversed(nums), NOBODY])
        assert nums[:2] == reading(truth).followed.nums(ChangeKind.RAW)

    def test_ids_and_numbers_answer_each_other(self, truth: Truth) -> None:
        """Memories and chunks both have a number; who is nowhere is left out."""
        chunk, memory = builders.raw_chunk("原文"), builders.memory()
        with truth.write() as transaction:
            transaction.raw.hold([chunk])
            transaction.memories.add([memory])
        with truth.read() as rows:
            numbers = rows.followed.numbers([memory.id, "没有", chunk.id])
            assert {memory.id, chunk.id} == set(numbers)
            back = rows.followed.ids([*numbers.values(), NOBODY])
        assert {num: name for name, num in numbers.items()} == back

    def test_a_mark_is_known_to_its_own_history(self, empty: Truth, tmp_path: Path) -> None:
        """Whatever was written later, earlier marks stay known; those of others are not."""
        marks = [empty.mark()]
        writing(empty).ledger.add_operation(builders.operation())
        marks.append(empty.mark())
        writing(empty).memories.add([builders.memory()])
        marks.append(empty.mark())
        writing(empty).ledger.add_operation(builders.operation("op-2"))
        marks.append(empty.mark())
        with empty.write() as transaction:  # a step may bring no node: its words are known
            turn = builders.turn("会话", 1)
            transaction.events.add_turns([turn])
            transaction.replayed.add_step(Step(turn_id=turn.id, created_at=minutes(1)))
        marks.append(empty.mark())
        assert len(set(marks)) == 5
        assert all(empty.mark(mark) == mark for mark in marks)
        (tmp_path / "other").mkdir()
        other = self.make(tmp_path / "other")
        writing(other).ledger.add_operation(builders.operation("别的"))
        assert [other.mark(mark) == mark for mark in marks] == [True, *[False] * 4]
        assert empty.mark(other.mark()) != other.mark()
        assert empty.mark("no mark") != "no mark"


def numbers_of(truth: Truth, memories: Sequence[Memory]) -> list[int]:
    """Return the numbers of memories in their order."""
    found = reading(truth).followed.numbers([memory.id for memory in memories])
    return [found[memory.id] for memory in memories]


def _indexed(num: int, memory: Memory, **place: str) -> IndexedMemory:
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


_Step = Callable[[Transaction], object]


class ChangesContract(TruthSuite):
    """One number a transaction, in the order of commits, with every row it touched."""

    def test_a_memorys_number_is_the_one_of_its_page(self, truth: Truth) -> None:
        """A view finds the changed row by the number in the log."""
        writing(truth).memories.add([builders.memory(), builders.memory("fact:a:b")])
        numbers = [number for number, _ in reading(truth).memories.page()]
        assert numbers == [change.num for change in truth.changes(1)]

    def test_dropping_a_chunk_is_logged_under_its_number(self, empty: Truth) -> None:
        """The number a chunk was added under is the number it is deleted under."""
        chunk = builders.raw_chunk()
        writing(empty).raw.hold([chunk])
        writing(empty).raw.release([chunk.id])
        writing(empty).raw.drop_unheld()
        (added,), (dropped,) = empty.changes(0)[:1], empty.changes(1)
        assert (added.op, dropped.op) == (ChangeOp.UPSERT, ChangeOp.DELETE)
        assert (added.num, added.kind) == (dropped.num, dropped.kind)

    def test_what_views_do_not_follow_gets_no_number(self, truth: Truth) -> None:
        """Counts, replies, audit, tombstones, working state, jobs and traces are not logged."""
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

    def test_what_views_follow_gets_a_number(self, empty: Truth) -> None:
        """Each way of changing an event, a chunk, a memory or an edge is logged by its kind."""
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
            write(empty, change)
            logged = {change.kind.value for change in empty.changes(place)}
            assert (place + 1, kinds) == (empty.seq(), logged)

    def test_changes_go_on_after_the_number_given(self, empty: Truth) -> None:
        """Only later transactions are returned, in order, and none after the last."""
        _add_transactions(empty, [1, 1, 1])
        assert [change.seq for change in empty.changes(1)] == [2, 3]
        assert empty.changes(3) == []
        assert empty.changes(99) == []

    def test_a_limit_never_cuts_a_transaction(self, empty: Truth) -> None:
        """As many whole transactions as fit, but always the first."""
        _add_transactions(empty, [5, 2, 3, 1])
        sizes = {limit: len(empty.changes(0, limit=limit)) for limit in (0, 1, 5, 6, 7, 9, 10, 11)}
        assert sizes == {0: 5, 1: 5, 5: 5, 6: 5, 7: 7, 9: 7, 10: 10, 11: 11}

    def test_following_in_small_steps_misses_nothing(self, empty: Truth) -> None:
        """Page by page, every change comes once and in order, whatever the limit."""
        _add_transactions(empty, [1, 4, 2, 1, 6, 1, 3])
        whole = empty.changes(0)
        assert len(whole) == 18
        for limit in (1, 2, 3, 5, 100):
            followed: list[Change] = []
            while page := empty.changes(followed[-1].seq if followed else 0, limit=limit):
                followed += page
            assert whole == followed

    def test_below_the_floor_the_log_says_gone(self, empty: Truth) -> None:
        """Who asks for dropped rows is told where to start; from there it works."""
        _add_transactions(empty, [1, 1, 1])
        self.drop_changes(empty, 2)
        error = raised(lambda: empty.changes(1))
        assert error.code == "gone"
        assert "2" in error.message
        assert [change.seq for change in empty.changes(2)] == [3]
        assert empty.seq() == 3


def _hold_and_let_go(transaction: Transaction, chunk: RawChunk) -> None:
    loose = builders.raw_chunk("放手")
    transaction.raw.hold([chunk, loose])
    transaction.raw.release([loose.id])


def _add_transactions(truth: Truth, sizes: list[int]) -> None:
    for place, size in enumerate(sizes):
        chunks = [builders.raw_chunk(f"第 {place} 次, row {row}") for row in range(size)]
        writing(truth).raw.hold(chunks)
