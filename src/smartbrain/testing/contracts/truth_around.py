"""The truth's contract: edges, what surrounds memories, working state, amounts, what was masked.

In: an adapter of `ports.truth`. Out: failed asserts where an edge, an operation, a reply, an audit
entry, a tombstone, a state, a job, a trace or a difference comes back otherwise than it was put.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from smartbrain.domain.graph import EdgeType, Provenance, Tier
from smartbrain.domain.job import JobState
from smartbrain.domain.memory import Status
from smartbrain.ports.truth import Transaction, Truth
from smartbrain.testing import builders
from smartbrain.testing.clock import START
from smartbrain.testing.contracts import raised
from smartbrain.testing.contracts.truth_suite import (
    SHANGHAI,
    TruthSuite,
    left_at_default,
    minutes,
    reading,
    refused,
    writing,
)

CHUNK = builders.raw_chunk()
LEFT, RIGHT = builders.memory("fact:左:一"), builders.memory("fact:right:two")


class EdgesContract(TruthSuite):
    """Relations between nodes."""

    def test_an_edge_comes_back_whole(self, truth: Truth) -> None:
        """Every field is kept, in both directions."""
        _add_nodes(truth)
        edge = builders.edge(
            LEFT.id,
            RIGHT.id,
            EdgeType.CAUSES,
            weight=0.25,
            confidence=0.5,
            since=minutes(-5),
            until=minutes(5),
            provenance=Provenance("规则", 4),
            tier=Tier.COLD,
            attrs={"因为": ["x", {"深": 1}]},
            created_at=minutes(1),
            updated_at=minutes(2),
        )
        assert {"deleted_at", "tenant_id"} == left_at_default(edge)
        writing(truth).edges.add([edge])
        assert [self.owned(edge)] == reading(truth).edges.of(LEFT.id)
        assert [self.owned(edge)] == reading(truth).edges.of(RIGHT.id, outgoing=False)
        assert reading(truth).edges.of(RIGHT.id) == reading(truth).edges.of("无此节点") == []

    def test_every_type_joins_any_nodes(self, truth: Truth) -> None:
        """All types can be kept, between memories, raw chunks and a node and itself."""
        _add_nodes(truth)
        edges = [builders.edge(LEFT.id, CHUNK.id, kind) for kind in EdgeType]
        edges.append(builders.edge(LEFT.id, LEFT.id))
        writing(truth).edges.add(edges)
        assert edges == [replace(edge, tenant_id="") for edge in reading(truth).edges.of(LEFT.id)]
        with truth.read() as transaction:
            for kind in EdgeType:
                found = transaction.edges.of(CHUNK.id, outgoing=False, kind=kind)
                assert [kind] == [edge.type for edge in found]

    def test_the_same_relation_is_one_edge(self, truth: Truth) -> None:
        """Written again, it takes the new state and keeps when and by whom it was made."""
        _add_nodes(truth)
        first = builders.edge(LEFT.id, RIGHT.id)
        again = replace(
            first,
            weight=0.1,
            confidence=0.2,
            since=minutes(1),
            until=minutes(2),
            tier=Tier.COLD,
            attrs={"新": 1},
            updated_at=minutes(3),
        )
        writing(truth).edges.add([first])
        made = replace(again, provenance=Provenance("other", 9), created_at=minutes(9))
        writing(truth).edges.add([first, made])
        assert [self.owned(again)] == reading(truth).edges.of(LEFT.id)
        assert truth.counts()["edges"] == 1

    def test_both_ends_must_be_nodes(self, truth: Truth) -> None:
        """An end that is nowhere is not found, and nothing of the call is kept."""
        _add_nodes(truth)
        good = builders.edge(LEFT.id, RIGHT.id)
        for bad in (builders.edge(LEFT.id, "无"), builders.edge("none", RIGHT.id)):
            error = raised(writing(truth).edges.add, [good, bad])
            assert error.code == "not_found"
        assert truth.counts()["edges"] == 0

    def test_edges_come_in_the_order_they_were_made(self, truth: Truth) -> None:
        """Writing an edge again does not move it."""
        _add_nodes(truth)
        kinds = (EdgeType.TIME, EdgeType.ABOUT, EdgeType.CAUSE)
        edges = [builders.edge(LEFT.id, RIGHT.id, kind) for kind in kinds]
        writing(truth).edges.add(edges)
        writing(truth).edges.add([edges[0]])
        found = reading(truth).edges.of(LEFT.id)
        assert list(kinds) == [edge.type for edge in found]

    def test_a_deleted_edge_is_gone_until_it_is_written_again(self, truth: Truth) -> None:
        """Deleting counts the living ones only; a deleted edge can come back to life."""
        _add_nodes(truth)
        edges = [builders.edge(LEFT.id, RIGHT.id), builders.edge(LEFT.id, CHUNK.id)]
        writing(truth).edges.add(edges)
        ids = [edges[0].id, "没有"]
        with truth.write() as transaction:
            assert transaction.edges.delete(ids, minutes(1)) == 1
            assert transaction.edges.delete(ids, minutes(2)) == 0
            assert transaction.edges.delete([], minutes(2)) == 0
        assert [edges[1].id] == [edge.id for edge in reading(truth).edges.of(LEFT.id)]
        writing(truth).edges.add([edges[0]])
        assert len(reading(truth).edges.of(LEFT.id)) == 2

    def test_what_stands_is_led_to_by_one_edge_a_version(self, truth: Truth) -> None:
        """Whichever stands, the way to it is the same edge; written again it leads elsewhere."""
        _add_nodes(truth)
        for dst in (RIGHT.id, CHUNK.id):
            writing(truth).edges.add([builders.edge(LEFT.id, dst, EdgeType.ACTIVE_OF)])
            assert [dst] == [edge.dst for edge in reading(truth).edges.of(LEFT.id)]
        assert truth.counts()["edges"] == 1


class LedgerContract(TruthSuite):
    """Operations, replies, audit and tombstones."""

    def test_operations_come_back_whole_and_newest_first(self, empty: Truth) -> None:
        """Every field is kept with the operation's own UTC offset; ids are used once."""
        full = builders.operation(
            "操作-2",
            at=minutes(5).astimezone(SHANGHAI),
            actor="agent",
            rules_hash="hash",
            created_at=minutes(6),
        )
        assert set() == left_at_default(full)
        for made in (builders.operation(), full):
            writing(empty).ledger.add_operation(made)
        found = reading(empty).ledger.operations()
        assert [full, builders.operation()] == found
        assert full.at.utcoffset() == found[0].at.utcoffset()
        assert [full] == reading(empty).ledger.operations(limit=1)
        assert raised(writing(empty).ledger.add_operation, full).code == "conflict"

    def test_a_reply_is_kept_under_its_key(self, truth: Truth) -> None:
        """Hash and result come back as they were; an unused key has no reply."""
        replies: dict[str, dict[str, Any]] = {
            "键-1": {"turn_id": "轮", "n": [1, None]},
            "empty": {},
            "big": {"大": "x" * 10**6},
        }
        for key, result in replies.items():
            writing(truth).ledger.keep_reply(key, "h", result, START)
        found = {key: reading(truth).ledger.reply(key) for key in replies}
        assert found == {key: ("h", result) for key, result in replies.items()}
        assert reading(truth).ledger.reply("unused") is None

    def test_an_idempotency_key_is_used_once(self, truth: Truth) -> None:
        """A second reply is refused by its code, and the first one stays."""
        writing(truth).ledger.keep_reply("键", "a", {"n": 1}, START)
        error = raised(writing(truth).ledger.keep_reply, "键", "b", {"n": 2}, START)
        assert error.code == "idempotency_conflict"
        assert reading(truth).ledger.reply("键") == ("a", {"n": 1})

    def test_a_reply_goes_with_its_transaction(self, truth: Truth) -> None:
        """After a failure the key is free, so that the call can be made again."""

        def fail(transaction: Transaction) -> None:
            transaction.ledger.keep_reply("键", "a", {}, START)
            transaction.events.turn("none")

        refused(truth, fail)
        assert reading(truth).ledger.reply("键") is None
        writing(truth).ledger.keep_reply("键", "a", {}, START)

    def test_audit_entries_come_back_whole_and_newest_first(self, truth: Truth) -> None:
        """All of them, or those of one subject, whatever their own times say."""
        full = builders.audit_entry(
            "钉-2", at=minutes(-9), before={"旧": 1}, after={"新": [2]}, reason="用户要求"
        )
        assert set() == left_at_default(full)
        entries = [builders.audit_entry(), full, builders.audit_entry(before={}, after={})]
        for entry in entries:
            writing(truth).ledger.add_audit(entry)
        assert entries[::-1] == reading(truth).ledger.audit()
        assert [full] == reading(truth).ledger.audit("钉-2")
        assert entries[2:] == reading(truth).ledger.audit("pin-1", limit=1)
        assert reading(truth).ledger.audit("none") == []

    def test_a_tombstone_is_set_once(self, truth: Truth) -> None:
        """Repeating it changes nothing; kind and fingerprint together name it."""
        full = builders.tombstone(reason="不是事实")
        assert set() == left_at_default(full)
        for made in (full, full, replace(full, subject_id="later", reason="x")):
            writing(truth).ledger.add_tombstone(made)
        assert full == reading(truth).ledger.tombstone("forgotten", "指纹-1")
        assert reading(truth).ledger.tombstone("other", "指纹-1") is None
        assert reading(truth).ledger.tombstone("forgotten", "指纹-2") is None


class WorkingContract(TruthSuite):
    """Working state, jobs and traces."""

    def test_state_is_replaced_by_owner_kind_and_id(self, truth: Truth) -> None:
        """The new body stands in the old one's place; when it was made is kept."""
        first, other = builders.state_entry("a"), builders.state_entry("b")
        new = replace(first, body={"新": []}, updated_at=minutes(2), expires_at=minutes(3))
        assert set() == left_at_default(new)
        for entry in (first, other, replace(new, created_at=minutes(9))):
            writing(truth).working.put_state(entry)
        assert [new, other] == reading(truth).working.state("tenant")

    def test_state_is_read_and_dropped_by_owner_kind_and_id(self, truth: Truth) -> None:
        """Each narrower question touches less, and other owners are never touched."""
        for owner in ("tenant", "session:会话"):
            for kind in ("pin", "笔记"):
                for name in ("1", "2"):
                    entry = builders.state_entry(name, owner=owner, kind=kind)
                    writing(truth).working.put_state(entry)

        def left() -> list[tuple[str, str]]:
            entries = reading(truth).working.state("tenant")
            return [(entry.kind, entry.id) for entry in entries]

        assert left() == [("pin", "1"), ("pin", "2"), ("笔记", "1"), ("笔记", "2")]
        assert len(reading(truth).working.state("tenant", "笔记")) == 2
        later = reading(truth).working.state("tenant", "pin", "1")
        assert [(entry.kind, entry.id) for entry in later] == [("pin", "2")]
        assert reading(truth).working.state("tenant", "pin", "2") == []
        with truth.write() as transaction:
            assert transaction.working.drop_state("tenant", "plan") == 0
            assert transaction.working.drop_state("tenant", "pin", "1") == 1
        assert left() == [("pin", "2"), ("笔记", "1"), ("笔记", "2")]
        with truth.write() as transaction:
            assert transaction.working.drop_state("tenant", None, "1") == 1
            assert transaction.working.drop_state("tenant", "笔记") == 1
            assert transaction.working.drop_state("tenant") == 1
            assert transaction.working.drop_state("tenant") == 0
        assert left() == []
        assert len(reading(truth).working.state("session:会话")) == 4

    def test_a_job_is_queued_once_and_moves_on(self, truth: Truth) -> None:
        """The same id is one job in its present state; every field is kept."""
        queued, other = builders.job(payload={"会话": "s"}), builders.job("job-2", kind="衰减")
        leased = replace(
            queued,
            state=JobState.LEASED,
            attempts=2,
            run_after=minutes(1),
            lease_owner="工 1",
            lease_until=minutes(2),
            result={"错": "busy"},
            updated_at=minutes(3),
        )
        assert set() == left_at_default(leased)
        for job in (queued, other, leased):
            writing(truth).working.put_job(job)
        assert [leased, other] == reading(truth).working.jobs()
        assert [other] == reading(truth).working.jobs(kind="衰减")
        assert [leased] == reading(truth).working.jobs(state=JobState.LEASED)
        assert reading(truth).working.jobs(kind="衰减", state=JobState.LEASED) == []

    def test_a_job_is_found_by_its_id_and_in_its_order(self, truth: Truth) -> None:
        """Whatever its state, and no more than asked for; an unused id has no job."""
        jobs = [builders.job(f"工作-{state.value}", state=state) for state in JobState]
        for job in jobs:
            writing(truth).working.put_job(job)
        with truth.read() as transaction:
            assert jobs == [transaction.working.job(job.id) for job in jobs]
            assert transaction.working.job("没有 none") is None
            for limit in (0, 3, 9, None):
                assert jobs[:limit] == transaction.working.jobs(limit=limit)

    def test_jobs_that_are_due_come_oldest_first(self, truth: Truth) -> None:
        """Pauses and leases that end at that moment count; what has ended never does."""
        leased = {"state": JobState.LEASED, "lease_owner": "工 1"}
        jobs = [
            builders.job("租 later", **leased, lease_until=minutes(6)),
            builders.job("租 over", **leased, lease_until=minutes(5)),
            builders.job("等 later", run_after=minutes(6)),
            builders.job("等 over", run_after=minutes(5)),
            builders.job("其他", kind="衰减"),
            builders.job("now"),
            builders.job("done", state=JobState.DONE),
            builders.job("failed", state=JobState.FAILED),
        ]
        for job in jobs:
            writing(truth).working.put_job(job)

        def found(**asked: Any) -> list[str]:
            return [job.id for job in reading(truth).working.jobs(**asked)]

        due = minutes(5)
        assert found(due=due) == ["租 over", "等 over", "其他", "now"]
        assert found(due=due, kind=jobs[0].kind) == ["租 over", "等 over", "now"]
        assert found(due=due, state=JobState.QUEUED) == ["等 over", "其他", "now"]
        assert found(due=due, kind=jobs[0].kind, limit=2) == ["租 over", "等 over"]
        assert found(due=due, state=JobState.DONE) == []

    def test_a_trace_comes_back_whole(self, truth: Truth) -> None:
        """By its context; composing again replaces what was decided."""
        trace = builders.trace("上下文-1")
        again = replace(trace, body={"kept": ["大" * 300_000]})
        writing(truth).working.put_trace(trace)
        assert trace == reading(truth).working.trace("上下文-1")
        writing(truth).working.put_trace(again)
        assert again == reading(truth).working.trace("上下文-1")
        assert reading(truth).working.trace("none") is None


def _add_nodes(truth: Truth) -> None:
    with truth.write() as transaction:
        transaction.raw.hold([CHUNK])
        transaction.memories.add([LEFT, RIGHT])


class UsageContract(TruthSuite):
    """Amounts of one tenant."""

    def test_amounts_grow_with_what_is_written(self, empty: Truth) -> None:
        """Inside the transaction already; an original in a file counts by its length."""
        length = 9_000_000
        small = builders.raw_chunk()
        large = builders.raw_chunk("长 long", path="raw/b.zst", length=length)
        made = builders.turn(
            messages=(builders.message("m-1", small), builders.message("m-2", large)),
            tool_calls=(builders.tool_call("c-1"), builders.tool_call("c-2")),
        )
        with empty.write() as transaction:
            before = transaction.usage.bytes()
            builders.store_turn(transaction, made, [small, large])
            transaction.ledger.add_operation(builders.operation())
            old = builders.memory(status=Status.SUPERSEDED)
            transaction.memories.add([old, builders.memory(version=2)])
            inside = transaction.usage.bytes()
            assert transaction.usage.artifacts() == 2
            assert transaction.usage.memories() == 2
        assert before + length <= inside < before + 2 * length
        assert inside == reading(empty).usage.bytes()
        assert reading(empty).usage.artifacts() == 2
        assert reading(empty).usage.memories() == 2

    def test_memories_are_counted_by_type(self, truth: Truth) -> None:
        """Whatever their status, without what is deleted."""
        memories = [builders.memory("fact:a:b"), builders.memory("fact:c:d")]
        writing(truth).memories.add(memories)
        assert reading(truth).usage.counts(["facts", "tasks"]) == {
            "facts": 2,
            "tasks": 0,
        }
