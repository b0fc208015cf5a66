"""The truth's contract: numbered events, and the places of those whom they are delivered to (S4).

In: an adapter of `ports.memory_events`. Out: failed asserts where a change leaves no event, one
that was undone does, a number comes again, or two serve one reader.
"""

from __future__ import annotations

from msgspec.structs import replace

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.memory import Compression, Memory, Status
from smartbrain.domain.memory_event import MOST_KEPT, EventKind, EventPage
from smartbrain.errors import NotFound
from smartbrain.ports.truth import Truth
from smartbrain.testing import builders
from smartbrain.testing.clock import START
from smartbrain.testing.contracts import raised
from smartbrain.testing.contracts.truth_suite import TruthSuite, reading, refused, writing

_LEFT, _RIGHT = builders.memory("fact:左:一"), builders.memory("fact:right:two")


def _page(truth: Truth, since: int = 0, *kinds: EventKind, limit: int = 1_000) -> EventPage:
    return reading(truth).memory_events.page(since, kinds, limit=limit)


def _told(page: EventPage) -> list[tuple[str, str, str, str]]:
    return [(one.kind.value, one.subject, one.type, one.code) for one in page]


class MemoryEventsContract(TruthSuite):
    """What happened, by number."""

    def test_what_becomes_of_a_memory_is_told(self, truth: Truth) -> None:
        """Each change of where it stands is one event, in order, at the time of its commit."""
        kept = replace(_LEFT, status=Status.CANDIDATE)
        writing(truth).memories.add([kept])
        steps: list[tuple[str, str, Memory]] = []
        before = kept.status
        for status, kind in (
            (Status.ACTIVE, "FactPromoted"),
            (Status.DISPUTED, "ConflictDetected"),
            (Status.ACTIVE, "NodeRestored"),
            (Status.SUPERSEDED, "Superseded"),
            (Status.RETRACTED, "Retracted"),
            (Status.ARCHIVED, "Archived"),
            (Status.EXPIRED, "Expired"),
            (Status.DEPRECATED, "FactDemoted"),
        ):
            steps.append((f"Memory.{kind}", f"{before}>{status}", replace(kept, status=status)))
            before = status
        for _, _, changed in steps:
            writing(truth).memories.update(changed)
        page = _page(truth)
        assert _told(page) == [
            ("Memory.NodeCreated", kept.id, kept.type, "candidate"),
            *((kind, kept.id, kept.type, code) for kind, code, _ in steps),
        ]
        assert {one.at for one in page} == {START}
        assert [one.num for one in page] == sorted({one.num for one in page})

    def test_what_changes_nothing_tells_nothing(self, truth: Truth) -> None:
        """A memory that is said again, and a transaction that is undone, leave no event."""
        writing(truth).memories.add([_LEFT])
        last = _page(truth).last
        writing(truth).memories.update(replace(_LEFT, frequency=2))
        refused(truth, lambda one: (one.memories.add([_RIGHT]), one.memories.add([_RIGHT])))
        assert _page(truth, last) == EventPage(last=last)
        writing(truth).memories.add([_RIGHT])
        assert [one.num for one in _page(truth, last)] == [last + 1]

    def test_removing_compressing_and_relating_are_told(self, truth: Truth) -> None:
        """A memory that is deleted for good is told by its id; so are edges and their weights."""
        writing(truth).memories.add([_LEFT, _RIGHT])
        edge = builders.edge(_LEFT.id, _RIGHT.id, EdgeType.CAUSES, weight=0.25)
        since = _page(truth).last
        writing(truth).edges.add([edge])
        writing(truth).edges.add([replace(edge, weight=0.5)])
        phase = replace(_RIGHT, compression=Compression.PHASE)
        writing(truth).memories.update(phase)
        writing(truth).memories.update(replace(phase, deleted_at=START))
        writing(truth).erasure.delete_nodes([_RIGHT.id])
        assert _told(_page(truth, since)) == [
            ("Memory.EdgeCreated", edge.id, "CAUSES", "hot"),
            ("Memory.WeightUpdated", edge.id, "CAUSES", ""),
            ("Memory.Consolidated", _RIGHT.id, _RIGHT.type, "short/phase"),
            ("Memory.NodeRemoved", _RIGHT.id, _RIGHT.type, "active>active"),
            ("Memory.EdgeRemoved", edge.id, "CAUSES", ""),
            ("Memory.NodeForgotten", _RIGHT.id, "", ""),
        ]

    def test_turns_runs_of_tools_and_changes_of_state_are_told(self, truth: Truth) -> None:
        """Also what no row tells, such as an alert."""
        made = builders.turn(tool_calls=(builders.tool_call("c-1"),))
        with truth.write() as rows:
            builders.store_turn(rows, made, [])
            entry = builders.audit_entry()
            rows.ledger.add_audit(entry)
            rows.memory_events.add(EventKind.ALERT, "query_latency_ms:p95")
        assert _told(_page(truth)) == [
            ("Memory.TurnStored", made.id, "", ""),
            ("Memory.ArtifactStored", "c-1", "", made.tool_calls[0].status.value),
            ("Memory.StateChanged", "", entry.subject_kind, entry.action),
            ("Memory.Alert", "", "", "query_latency_ms:p95"),
        ]

    def test_pages_go_on_where_the_last_one_ended(self, truth: Truth) -> None:
        """Kinds are chosen; a page that ends early still says how far it looked."""
        writing(truth).memories.add([_LEFT, _RIGHT])
        writing(truth).memory_events.add(EventKind.ALERT, "a")
        first = _page(truth, 0, EventKind.NODE_CREATED, limit=1)
        assert ([_LEFT.id], "1") == ([one.subject for one in first], first.cursor)
        rest = _page(truth, first.last, EventKind.NODE_CREATED, limit=5)
        assert ([_RIGHT.id], None, 3) == ([one.subject for one in rest], rest.cursor, rest.last)

    def test_the_oldest_of_very_many_are_dropped(self, truth: Truth) -> None:
        """Whoever has not come so far is told so; from 0 on it begins with what is there."""
        with truth.write() as rows:
            for _ in range(MOST_KEPT + 1_000):
                rows.memory_events.add(EventKind.ALERT, "a")
        first = _page(truth, limit=1).items[0].num
        assert first == 1_001
        assert _page(truth, first - 1, limit=1).items[0].num == first
        for gone in (first - 2, MOST_KEPT + 1_001):
            error = raised(writing(truth).memory_events.page, gone, limit=1)
            assert (NotFound, "gone") == (type(error), error.code)

    def test_a_reader_is_served_by_one_at_a_time(self, truth: Truth) -> None:
        """Its place is kept, however it went; a new one begins with what comes next."""
        writing(truth).memory_events.add(EventKind.ALERT, "a")
        with truth.write() as rows:
            assert rows.memory_events.is_waiting("hook", now=5)
            assert rows.memory_events.claim("hook", now=5, until=10) == (1, 0)
            assert not rows.memory_events.is_waiting("hook", now=10)
            rows.memory_events.add(EventKind.ALERT, "b")
            assert not rows.memory_events.is_waiting("hook", now=9)
            assert rows.memory_events.is_waiting("hook", now=10)
            assert rows.memory_events.claim("hook", now=9, until=20) is None
            assert rows.memory_events.claim("hook", now=10, until=20) == (1, 0)
            rows.memory_events.postpone("hook", until=30)
            assert rows.memory_events.claim("hook", now=29, until=40) is None
            assert rows.memory_events.claim("hook", now=30, until=40) == (1, 1)
            rows.memory_events.advance("hook", 3)
            rows.memory_events.advance("hook", 2)
            assert rows.memory_events.claim("hook", now=0, until=1) == (3, 0)
