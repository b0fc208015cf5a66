"""The truth's contract: memories with all their versions (M3, M4) and their search texts (M6).

In: an adapter of `ports.truth`. Out: failed asserts where a field is lost, a key has two active
versions, or versions come in the wrong order.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from smartbrain.domain.graph import Provenance
from smartbrain.domain.memory import (
    Compression,
    Layer,
    Memory,
    Privacy,
    Scope,
    Sentiment,
    Span,
    Status,
)
from smartbrain.errors import SmartBrainError
from smartbrain.ports.truth import Transaction, Truth
from smartbrain.testing import builders
from smartbrain.testing.contracts.truth_suite import (
    CITY,
    SHANGHAI,
    TruthSuite,
    left_at_default,
    minutes,
    read,
    refused,
    write,
)

CHUNK = builders.raw_chunk("用户说他搬到了北京。I moved to Beijing.")
TURN = builders.turn("会话", 1, [CHUNK])


class MemoriesContract(TruthSuite):
    """Typed, versioned memories; at most one active a key."""

    def test_a_memory_comes_back_whole(self, tmp_path: Path) -> None:
        """Every field is kept, of memories said in a turn and of those made by an operation."""
        truth = self.make_with_source(tmp_path)
        said = _full_memory()
        made = replace(
            said,
            id="mem-2",
            version=8,
            source_turn_id=None,
            source_message_id=None,
            source_operation_id=builders.OPERATION,
        )
        assert {"source_operation_id", "tenant_id"} == left_at_default(said)
        with truth.write() as transaction:
            builders.store_turn(transaction, TURN, [CHUNK])
            transaction.memories.add([said, made])
        found = read(truth, lambda one: one.memories.get([said.id, made.id]))
        assert {said.id: self.owned(said), made.id: self.owned(made)} == found
        assert said.said_at.utcoffset() == found[said.id].said_at.utcoffset()

    def test_every_status_layer_scope_and_compression_can_be_kept(self, tmp_path: Path) -> None:
        """No value of an enumeration is refused by the store or read as another."""
        truth = self.make_with_source(tmp_path)
        memories = [builders.memory(f"fact:status:{one}", status=one) for one in Status]
        memories += [builders.memory(f"fact:layer:{one}", layer=one) for one in Layer]
        memories += [builders.memory(f"fact:how:{one}", compression=one) for one in Compression]
        memories += [
            builders.memory(f"fact:scope:{one}", privacy=Privacy(pii=True, scope=one))
            for one in Scope
        ]
        write(truth, _add, *memories)
        assert [self.owned(one) for one in memories] == _page(truth, status=None)

    def test_large_and_foreign_text_survives(self, tmp_path: Path) -> None:
        """Megabytes, emoji, zero bytes and right-to-left text come back exactly."""
        truth = self.make_with_source(tmp_path)
        memory = builders.memory(
            "fact:用户:简介 👨‍👩‍👧",
            title="\u202bعربى\u202c 标题",
            text="长文本 long text " * 150_000,
            value={"深": [{"nested": ["值\x00", 2**70, -0.5, None]}] * 100},
        )
        write(truth, _add, memory)
        assert self.owned(memory) == read(
            truth, lambda one: one.memories.active("facts", memory.key)
        )

    def test_a_key_has_one_active_version(self, tmp_path: Path) -> None:
        """A second active version is refused, whether it is added or made so by an update."""
        truth = self.make_with_source(tmp_path)
        first, second = builders.memory(), builders.memory(version=2)
        old = replace(second, status=Status.SUPERSEDED)
        write(truth, _add, first)
        assert refused(truth, _add, second).code == "active_exists"
        write(truth, _add, old)
        assert refused(truth, _update, second).code == "active_exists"
        assert self.owned(first) == _active(truth)
        assert self.owned(old) == read(truth, lambda one: one.memories.get([old.id]))[old.id]

    def test_two_active_versions_in_one_call_are_refused_whole(self, tmp_path: Path) -> None:
        """The first of the two is not kept either."""
        truth = self.make_with_source(tmp_path)
        pair = builders.memory(), builders.memory(version=2)
        assert refused(truth, _add, *pair).code == "active_exists"
        assert read(truth, lambda one: one.memories.history(CITY)) == []

    def test_the_active_version_can_change_hands(self, tmp_path: Path) -> None:
        """In one transaction the old version steps back and the new one takes its place."""
        truth = self.make_with_source(tmp_path)
        first, second = builders.memory(), builders.memory(version=2, said_at=minutes(1))
        write(truth, _add, first)
        with truth.write() as transaction:
            transaction.memories.update(replace(first, status=Status.SUPERSEDED))
            assert transaction.memories.active("facts", CITY) is None
            transaction.memories.add([second])
        assert self.owned(second) == _active(truth)
        history = read(truth, lambda one: one.memories.history(CITY))
        assert [memory.status for memory in history] == [Status.SUPERSEDED, Status.ACTIVE]

    def test_one_key_may_be_active_under_two_types(self, tmp_path: Path) -> None:
        """Type and key together are what has one active version."""
        truth = self.make_with_source(tmp_path)
        write(truth, _add, builders.memory("共用"), builders.memory("共用", type="meta"))
        with truth.read() as transaction:
            names = ("facts", "goals", "meta")
            found = [transaction.memories.active(name, "共用") for name in names]
        assert [memory and memory.type for memory in found] == ["facts", None, "meta"]

    def test_threads_that_race_leave_one_active_version(self, tmp_path: Path) -> None:
        """Of many versions that want to be active at once, one is; the others hear why not."""
        truth = self.make_with_source(tmp_path)

        def claim(version: int) -> str:
            try:
                write(truth, _add, builders.memory(version=version))
            except SmartBrainError as error:
                return error.code
            return "active"

        with ThreadPoolExecutor(8) as pool:
            outcomes = list(pool.map(claim, range(1, 25)))
        assert sorted(outcomes) == ["active"] + ["active_exists"] * 23
        assert len(read(truth, lambda one: one.memories.history(CITY))) == 1

    def test_a_version_and_an_id_are_used_once(self, tmp_path: Path) -> None:
        """Adding what is stored already is a conflict, not a second row."""
        truth = self.make_with_source(tmp_path)
        memory = builders.memory(status=Status.CANDIDATE)
        write(truth, _add, memory)
        for twin in (memory, replace(memory, id="other"), replace(memory, version=9)):
            assert refused(truth, _add, twin).code == "conflict"
        assert truth.counts()["memories"] == 1

    def test_an_update_writes_the_present_state(self, tmp_path: Path) -> None:
        """Every field that a version may change is changed; unknown ids are not found."""
        truth = self.make_with_source(tmp_path)
        before = builders.memory(raw_refs=(builders.span(CHUNK),))
        with truth.write() as transaction:
            builders.store_turn(transaction, TURN, [CHUNK])
            transaction.memories.add([before])
        after = replace(_full_memory(), id=before.id, key=before.key, version=before.version)
        write(truth, _update, after)
        assert {before.id: self.owned(after)} == read(
            truth, lambda one: one.memories.get([before.id])
        )
        unknown = replace(after, id="mem-none", version=2)
        assert refused(truth, _update, unknown).code == "not_found"
        assert refused(truth, _update, replace(after, id=CHUNK.id)).code == "not_found"

    def test_a_raw_ref_must_lead_to_a_held_chunk(self, tmp_path: Path) -> None:
        """A memory cannot point at original text that is nowhere."""
        truth = self.make_with_source(tmp_path)
        memory = builders.memory(raw_refs=(Span("raw_none", 0, 1),))
        assert refused(truth, _add, memory).code == "not_found"

    def test_get_returns_what_is_known(self, tmp_path: Path) -> None:
        """Unknown ids are left out; asking for nothing gives nothing."""
        truth = self.make_with_source(tmp_path)
        memory = builders.memory()
        write(truth, _add, memory)
        ids = ["mem-none", memory.id, memory.id, "没有"]
        assert {memory.id} == set(read(truth, lambda one: one.memories.get(iter(ids))))
        assert read(truth, lambda one: one.memories.get([])) == {}

    def test_history_goes_by_the_versions_own_time(self, tmp_path: Path) -> None:
        """Oldest first by when it was said, not by version number or commit; unknown is empty."""
        truth = self.make_with_source(tmp_path)
        times = {1: 5, 2: 1, 3: 9, 4: 3}
        for version, at in times.items():
            status = Status.ACTIVE if version == 1 else Status.SUPERSEDED
            made = builders.memory(version=version, said_at=minutes(at), status=status)
            write(truth, _add, made)
        write(truth, _add, builders.memory("fact:user:name"))
        history = read(truth, lambda one: one.memories.history(CITY))
        assert [memory.version for memory in history] == [2, 4, 1, 3]
        assert read(truth, lambda one: one.memories.history("fact:无:无")) == []

    def test_at_the_same_time_history_goes_by_the_turns_place(self, tmp_path: Path) -> None:
        """Two turns of one moment keep the order of their session, whichever came in first."""
        truth = self.make(tmp_path)
        for version, seq in ((1, 2), (2, 1)):
            with truth.write() as transaction:
                turn = builders.turn("s", seq)
                transaction.events.add_turns([turn])
                status = Status.ACTIVE if version == 1 else Status.SUPERSEDED
                made = builders.memory(version=version, source_turn_id=turn.id, status=status)
                transaction.memories.add([made])
        history = read(truth, lambda one: one.memories.history(CITY))
        assert [memory.source_turn_id for memory in history] == ["s/t1", "s/t2"]

    def test_pages_filter_and_go_on(self, tmp_path: Path) -> None:
        """By type, status and time said, in the order of writing, from a number on."""
        truth = self.make_with_source(tmp_path)
        memories = [
            builders.memory("fact:a:1", said_at=minutes(1)),
            builders.memory("fact:a:2", said_at=minutes(2), status=Status.EXPIRED),
            builders.memory("meta:三", said_at=minutes(3), type="meta"),
            builders.memory("fact:a:4", said_at=minutes(4)),
        ]
        write(truth, _add, *memories)

        def keys(**page: Any) -> list[str]:
            return [memory.key for memory in _page(truth, **page)]

        assert keys() == ["fact:a:1", "meta:三", "fact:a:4"]
        assert keys(status=None) == ["fact:a:1", "fact:a:2", "meta:三", "fact:a:4"]
        assert keys(status=Status.EXPIRED) == ["fact:a:2"]
        assert keys(type_name="meta") == ["meta:三"]
        assert keys(since=minutes(3), status=None) == ["meta:三", "fact:a:4"]
        assert keys(until=minutes(3), status=None) == ["fact:a:1", "fact:a:2"]
        assert keys(limit=1) == ["fact:a:1"]
        with truth.read() as transaction:
            (first, _), *rest = transaction.memories.page()
            assert rest == transaction.memories.page(after=first)
            assert sorted({first, *(number for number, _ in rest)}) == [
                first,
                *(number for number, _ in rest),
            ]

    def test_search_texts_are_replaced_in_order(self, tmp_path: Path) -> None:
        """The new texts stand in the place of all old ones; a memory may have none."""
        truth = self.make_with_source(tmp_path)
        memory, other = builders.memory(), builders.memory("fact:other:one")
        write(truth, _add, memory, other)
        write(truth, lambda one: one.memories.put_chunks({other.id: ["别动 untouched"]}))
        texts: tuple[list[str], ...] = (
            ["[facts:fact:user:city]\n用户住在上海", "second", "第三"],
            ["only one 唯一"],
            ["大" * 500_000, "b"],
            [],
        )
        for given in texts:
            write(truth, lambda one, given: one.memories.put_chunks({memory.id: given}), given)
            assert given == read(truth, lambda one: one.memories.chunks(memory.id))
        assert read(truth, lambda one: one.memories.chunks(other.id)) == ["别动 untouched"]
        assert read(truth, lambda one: one.memories.chunks("mem-none")) == []

    def test_search_texts_can_be_put_twice_with_their_memory(self, tmp_path: Path) -> None:
        """In the transaction that adds a memory, too, the later texts replace the earlier."""
        truth = self.make_with_source(tmp_path)
        memory = builders.memory()
        with truth.write() as transaction:
            transaction.memories.add([memory])
            transaction.memories.put_chunks({memory.id: ["一", "二"]})
            transaction.memories.put_chunks({memory.id: ["三"]})
        assert read(truth, lambda one: one.memories.chunks(memory.id)) == ["三"]

    def test_only_a_memory_has_search_texts(self, tmp_path: Path) -> None:
        """An unknown id is not found, and neither is another kind of node."""
        truth = self.make(tmp_path)
        write(truth, lambda one: one.raw.hold([CHUNK]))
        for unknown in ("mem-none", CHUNK.id):
            error = refused(
                truth, lambda one, name: one.memories.put_chunks({name: ["x"]}), unknown
            )
            assert error.code == "not_found"


def _full_memory() -> Memory:
    """Build a memory said in TURN in which no field but the operation is at its default."""
    return Memory(
        id="mem-1",
        type="facts",
        key="fact:用户:城市",
        title="住在北京",
        text="用户搬到了北京。",
        value={"subject": "用户", "attribute": "城市", "value": ["北京", 1, None, {"嵌": True}]},
        confidence=0.75,
        status=Status.DISPUTED,
        version=7,
        valid_since=minutes(-100),
        valid_until=minutes(100),
        source_turn_id=TURN.id,
        source_message_id=TURN.messages[0].id,
        said_at=minutes(3).astimezone(SHANGHAI),
        evidence_refs=("turn:会话/t1", 'quoted "evidence" \\ 证据'),
        raw_refs=(Span(CHUNK.id, 3, 9), Span(CHUNK.id, 0, CHUNK.length)),
        keywords=("北京", "moved\n"),
        entities=("entity:place:北京",),
        tags=("搬家", "home"),
        sentiment=Sentiment(valence=-0.25, arousal=0.5),
        importance=0.875,
        frequency=12,
        last_access=minutes(9),
        privacy=Privacy(pii=True, scope=Scope.TEAM),
        provenance=Provenance(creator="用户", version=3),
        layer=Layer.LONG,
        compression=Compression.MILESTONE,
        created_at=minutes(4),
        updated_at=minutes(5),
        deleted_at=minutes(6),
    )


def _add(transaction: Transaction, *memories: Memory) -> None:
    """Append versions."""
    transaction.memories.add(memories)


def _update(transaction: Transaction, memory: Memory) -> None:
    """Write the present state of a version."""
    transaction.memories.update(memory)


def _active(truth: Truth) -> Memory | None:
    """Return the active version of the city."""
    return read(truth, lambda one: one.memories.active("facts", CITY))


def _page(truth: Truth, **page: Any) -> list[Memory]:
    """Return the memories of a page."""
    return [memory for _, memory in read(truth, lambda one: one.memories.page(**page))]
