"""The numbers that the SQLite truth keeps in mind in a transaction, and what it logs by them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from smartbrain.adapters.sqlite.truth import SqliteTruth
from smartbrain.domain.change import ChangeKind
from smartbrain.testing import builders
from smartbrain.testing.clock import FakeClock


@pytest.fixture
def truth() -> Iterator[SqliteTruth]:
    opened = SqliteTruth(None, tenant="t", clock=FakeClock())
    yield opened
    opened.close()


def logged(truth: SqliteTruth, kind: ChangeKind) -> list[int]:
    return [change.num for change in truth.changes(0) if change.kind is kind]


@pytest.mark.spec("M5")
def test_an_edge_written_again_in_its_transaction_is_logged_once(truth: SqliteTruth) -> None:
    """Nodes made in the same transaction do not make an edge that is there a new one."""
    one, other = builders.memory("fact:user:city"), builders.memory("fact:user:城市")
    with truth.write() as transaction:
        transaction.ledger.add_operation(builders.operation())
        transaction.memories.add([one, other])
        transaction.edges.add([builders.edge(one.id, other.id)])
        transaction.edges.add([builders.edge(one.id, other.id, weight=0.5)])
        assert [0.5] == [edge.weight for edge in transaction.edges.of(one.id)]
    assert [1] == logged(truth, ChangeKind.EDGE)


@pytest.mark.spec("M5")
def test_an_edge_given_twice_at_once_is_logged_once(truth: SqliteTruth) -> None:
    """The second of two equal edges gives the first its weight, and no number is logged for it."""
    one, other = builders.memory("fact:user:city"), builders.memory("fact:user:城市")
    with truth.write() as transaction:
        transaction.ledger.add_operation(builders.operation())
        transaction.memories.add([one, other])
        edge = builders.edge(one.id, other.id)
        transaction.edges.add([edge, replace(edge, weight=0.5)])
    assert [1] == logged(truth, ChangeKind.EDGE)


@pytest.mark.spec("M4")
def test_a_memory_changed_twice_after_it_was_read_has_its_last_state(truth: SqliteTruth) -> None:
    """What was read is compared with the first change alone; the second one is not lost."""
    memory = builders.memory("fact:user:city")
    with truth.write() as transaction:
        transaction.ledger.add_operation(builders.operation())
        transaction.memories.add([memory])
    with truth.write() as transaction:
        (read,) = transaction.remembering.histories([memory.key])[memory.key]
        transaction.memories.update(replace(read, frequency=2))
        transaction.memories.update(read)
    with truth.read() as transaction:
        assert memory.frequency == transaction.memories.get([memory.id])[memory.id].frequency


@pytest.mark.spec("M4")
@pytest.mark.parametrize("count", [1, 31, 32, 33, 200])
def test_every_change_of_a_transaction_is_logged(truth: SqliteTruth, count: int) -> None:
    """Few changes are logged by one statement and many by one each, all of them once."""
    with truth.write() as transaction:
        transaction.events.add_turns([builders.turn(f"会话-{one}", 1) for one in range(count)])
    assert [*range(1, count + 1)] == sorted(logged(truth, ChangeKind.TURN))
    assert [*range(1, count + 1)] == sorted(logged(truth, ChangeKind.SESSION))
