"""The truth's contract: memories with all their versions (M3, M4), search texts (M6).

In: an adapter of `ports.truth`. Out: failed asserts where versions or search texts come in
the wrong order, are left out, or are found where they should not be.
"""

from __future__ import annotations

from typing import Any

from smartbrain.domain.memory import (
    OVER,
    Span,
    Status,
)
from smartbrain.ports.truth import Truth
from smartbrain.testing import builders
from smartbrain.testing.contracts import raised
from smartbrain.testing.contracts.truth_suite import (
    CITY,
    TruthSuite,
    minutes,
    reading,
    writing,
)

CHUNK = builders.raw_chunk("用户说他搬到了北京。I moved to Beijing.")


class MemoriesContract(TruthSuite):
    """Typed, versioned memories; at most one active a key."""

    def test_one_key_may_be_active_under_two_types(self, truth: Truth) -> None:
        """Type and key together are what has one active version."""
        writing(truth).memories.add([builders.memory("共用"), builders.memory("共用", type="meta")])
        with truth.read() as transaction:
            names = ("facts", "goals", "meta")
            found = [transaction.memories.active(name, "共用") for name in names]
        assert [memory and memory.type for memory in found] == ["facts", None, "meta"]

    def test_a_raw_ref_must_lead_to_a_held_chunk(self, truth: Truth) -> None:
        """A memory cannot point at original text that is nowhere."""
        memory = builders.memory(raw_refs=(Span("raw_none", 0, 1),))
        assert raised(writing(truth).memories.add, [memory]).code == "not_found"

    def test_get_returns_what_is_known(self, truth: Truth) -> None:
        """Unknown ids are left out; asking for nothing gives nothing."""
        memory = builders.memory()
        writing(truth).memories.add([memory])
        ids = ["mem-none", memory.id, memory.id, "没有"]
        assert {memory.id} == set(reading(truth).memories.get(iter(ids)))
        assert reading(truth).memories.get([]) == {}

    def test_at_the_same_time_history_goes_by_the_turns_place(self, truth: Truth) -> None:
        """Two turns of one moment keep the order of their session, whichever came in first."""
        for version, seq in ((1, 2), (2, 1)):
            with truth.write() as transaction:
                turn = builders.turn("s", seq)
                transaction.events.add_turns([turn])
                status = Status.ACTIVE if version == 1 else Status.SUPERSEDED
                made = builders.memory(version=version, source_turn_id=turn.id, status=status)
                transaction.memories.add([made])
        history = reading(truth).memories.history(CITY)
        assert [memory.source_turn_id for memory in history] == ["s/t1", "s/t2"]

    def test_search_texts_are_replaced_in_order(self, truth: Truth) -> None:
        """The new texts stand in the place of all old ones; a memory may have none."""
        memory, other = builders.memory(), builders.memory("fact:other:one")
        writing(truth).memories.add([memory, other])
        writing(truth).memories.put_chunks({other.id: ["别动 untouched"]})
        texts: tuple[list[str], ...] = (
            ["[facts:fact:user:city]\n用户住在上海", "second", "第三"],
            ["only one 唯一"],
            ["大" * 500_000, "b"],
            [],
        )
        for given in texts:
            writing(truth).memories.put_chunks({memory.id: given})
            found = reading(truth).replayed.chunks([memory.id])
            assert given == found.get(memory.id, [])
        assert reading(truth).replayed.chunks([other.id])[other.id] == ["别动 untouched"]
        assert reading(truth).replayed.chunks(["mem-none"]) == {}

    def test_search_texts_can_be_put_twice_with_their_memory(self, truth: Truth) -> None:
        """In the transaction that adds a memory, too, the later texts replace the earlier."""
        memory = builders.memory()
        with truth.write() as transaction:
            transaction.memories.add([memory])
            transaction.memories.put_chunks({memory.id: ["一", "二"]})
            transaction.memories.put_chunks({memory.id: ["三"]})
        assert reading(truth).replayed.chunks([memory.id])[memory.id] == ["三"]

    def test_only_a_memory_has_search_texts(self, truth: Truth) -> None:
        """An unknown id is not found, and neither is another kind of node."""
        writing(truth).raw.hold([CHUNK])
        for unknown in ("mem-none", CHUNK.id):
            error = raised(writing(truth).memories.put_chunks, {unknown: ["x"]})
            assert error.code == "not_found"


class RememberingContract(TruthSuite):
    """Lookups of the write path."""

    def test_heads_are_what_stands_and_what_was_said_last(self, truth: Truth) -> None:
        """Of each key and one type, oldest first; on request also what was taken back or ended."""
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
        writing(truth).memories.add([*told, gone, away])
        keys = ["fact:市:名", "fact:away:x", "fact:nobody:x"]
        with truth.read() as rows:
            heads = rows.remembering.heads("facts", keys)
            assert [told[2].id, told[3].id, told[5].id, away.id] == [one.id for one in heads]
            heads = rows.remembering.heads("facts", keys[:1], rejected=True)
            assert [told[place].id for place in (0, 1, 2, 3, 5)] == [one.id for one in heads]
            assert rows.remembering.heads("tasks", keys) == []
            assert rows.remembering.heads("facts", []) == []

    def test_a_fact_is_found_in_any_case_of_its_letters(self, truth: Truth) -> None:
        """Its very key first, else the oldest; other types, and what is deleted, are none."""
        keys = ("fact:API:port", "fact:api:port", "fact:API:端口")
        stored = [builders.memory(key) for key in keys]
        gone = builders.memory("fact:Gone:port", status=Status.ARCHIVED, deleted_at=minutes(1))
        writing(truth).memories.add([*stored, gone])
        asked = ("fact:api:port", "fact:Api:Port", "fact:api:端口", "fact:gone:port", "task:a:b")
        found = [*map(reading(truth).remembering.fact_key, asked)]
        assert found == ["fact:api:port", "fact:API:port", "fact:API:端口", None, None]

    def test_statements_are_found_by_what_they_tell(self, truth: Truth) -> None:
        """Newest first, at most so many of each kind of event."""
        told = [
            builders.memory(
                f"statement:t:{place}",
                type="statements",
                value={"predicate": {"normalized": name}},
                status=Status.CANDIDATE,
            )
            for place, name in enumerate(("踢球", "sing", "踢球", "踢球"))
        ]
        writing(truth).memories.add(told)
        found = reading(truth).remembering.alike({"踢球", "sing", "jump"}, limit=2)
        assert {"踢球": [told[3].id, told[2].id], "sing": [told[1].id], "jump": []} == {
            name: [memory.id for memory in memories] for name, memories in found.items()
        }

    def test_explanations_come_back_in_order(self, truth: Truth) -> None:
        """Each as it was kept, those of one source only."""
        bodies: list[dict[str, Any]] = [{"为什么": [1]}, {"b": None}]
        for body in bodies:
            writing(truth).remembering.keep_explanation("t-1", body, minutes(1))
        writing(truth).remembering.keep_explanation("t-2", {}, minutes(1))
        assert bodies == reading(truth).remembering.explanations("t-1")
        assert reading(truth).remembering.explanations("nobody") == []
