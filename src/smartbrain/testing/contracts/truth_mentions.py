"""The truth's contract: which turns mention an entity, by the turns' own times (C2).

In: an adapter of `ports.mentions`. Out: failed asserts where a mention counts by its arrival, too
far away, or in another session.
"""

from __future__ import annotations

from pathlib import Path

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import Memory
from smartbrain.ports.truth import Truth
from smartbrain.testing import builders
from smartbrain.testing.contracts.truth_suite import TruthSuite, minutes, read, write


class MentionsContract(TruthSuite):
    """Mentions of entities by turns."""

    def test_places_of_mentions_go_by_the_times_of_turns(self, tmp_path: Path) -> None:
        """Whatever place a turn has by its arrival; those too far away do not count."""
        truth = self.make_with_source(tmp_path)
        entity, stranger = builders.memory("fact:它:x"), builders.memory("fact:stranger:x")
        write(truth, lambda one: one.memories.add([entity, stranger]))
        for place, minute in ((1, 9), (2, 3), (3, 6), (4, 0)):
            mention(truth, "会话", place, entity, minute)
        ids, turn = [entity.id, stranger.id], builders.turn("会话", 3).id

        def near(turns: int) -> list[int]:
            found = read(truth, lambda one: one.mentions.places(ids, turn, turns=turns))
            assert not found.get(stranger.id)
            return sorted(found.get(entity.id, []))

        assert near(20) == [-2, -1, 1]
        assert near(2) == [-1, 1]
        assert near(1) == []
        assert read(truth, lambda one: one.mentions.places(ids, "nobody", turns=20)) == {}

    def test_active_entities_around_a_turn_are_found(self, tmp_path: Path) -> None:
        """Those that only the turn itself or one too far away mentions are not among them."""
        truth = self.make_with_source(tmp_path)
        near, own, far, waits = (
            builders.memory(f"entity:object:{name}", type="entities", status=status)
            for name, status in (("近", "active"), ("own", "active"), ("far", "active"),
                                 ("waits", "candidate"))
        )  # fmt: skip
        write(truth, lambda one: one.memories.add([near, own, far, waits]))
        for place, entity in enumerate((far, near, own, waits), 1):
            mention(truth, "会话", place, entity, place)
        turn = builders.turn("会话", 3).id
        found = read(truth, lambda one: one.mentions.named_around(turn, turns=2))
        assert [near.key] == found

    def test_an_entity_is_frequent_by_the_times_of_turns(self, tmp_path: Path) -> None:
        """So many mentions in so many turns in a row, of one session."""
        truth = self.make_with_source(tmp_path)
        entity, other = builders.memory("fact:它:x"), builders.memory("fact:other:x")
        write(truth, lambda one: one.memories.add([entity, other]))
        for place, (minute, named) in enumerate(((9, entity), (0, entity), (4, other)), 1):
            mention(truth, "会话", place, named, minute)
        mention(truth, "elsewhere", 1, other, 4)

        def frequent(one: Memory, times: int, turns: int) -> bool:
            return read(
                truth,
                lambda all_: all_.mentions.is_frequent(one.id, times=times, turns=turns),
            )

        assert frequent(entity, 2, 3)
        assert not frequent(entity, 2, 2)
        assert not frequent(entity, 3, 20)
        assert not frequent(other, 2, 20)
        assert frequent(other, 1, 1)

    def test_mentions_count_turns_of_one_session(self, tmp_path: Path) -> None:
        """Only the last ones, each once; another session's do not count."""
        truth = self.make_with_source(tmp_path)
        entity, stranger = builders.memory("fact:它:x"), builders.memory("fact:stranger:x")
        write(truth, lambda one: one.memories.add([entity, stranger]))
        for place in (1, 2, 3, 4):
            mention(truth, "会话", place, entity)
        mention(truth, "other", 1, entity)
        ids = [entity.id, stranger.id]

        def counted(session: str, turns: int) -> dict[str, int]:
            return read(truth, lambda one: one.mentions.counted(ids, session, turns=turns))

        assert counted("会话", 20) == {entity.id: 4, stranger.id: 0}
        assert counted("会话", 3) == {entity.id: 3, stranger.id: 0}
        assert counted("other", 20) == {entity.id: 1, stranger.id: 0}
        assert counted("nobody", 20) == {}

    def test_mentions_leave_out_the_turn_that_is_written(self, tmp_path: Path) -> None:
        """A turn that comes in several steps does not count for itself."""
        truth = self.make_with_source(tmp_path)
        entity = builders.memory("fact:它:x")
        write(truth, lambda one: one.memories.add([entity]))
        for place in (1, 2):
            mention(truth, "会话", place, entity)
        last = builders.turn("会话", 2).id
        found = read(
            truth,
            lambda one: one.mentions.counted([entity.id], "会话", turns=20, without=last),
        )
        assert found == {entity.id: 1}


def mention(truth: Truth, session: str, place: int, entity: Memory, minute: int = 0) -> None:
    """Store a turn that was said at a minute, and that mentions an entity."""
    turn = builders.turn(session, place, at=minutes(minute))
    key = f"episode:{session}:{turn.id}"
    episode = builders.memory(key, type="episodes", source_turn_id=turn.id)
    with truth.write() as transaction:
        transaction.events.add_turns([turn])
        transaction.memories.add([episode])
        transaction.edges.add([builders.edge(episode.id, entity.id, EdgeType.MENTIONS)])
