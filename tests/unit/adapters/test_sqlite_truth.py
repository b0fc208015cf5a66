"""What only the SQLite truth promises: no lingering readers, several handles, open and close."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest
from msgspec.structs import replace
from sqlite_child import Child

from smartbrain.adapters.sqlite.truth import DATABASE, SqliteTruth, schema_version
from smartbrain.domain.memory import Memory
from smartbrain.errors import AdapterError, InternalError, NotFound, SmartBrainError
from smartbrain.testing import builders
from smartbrain.testing.clock import FakeClock


def open_truth(folder: Path | None) -> SqliteTruth:
    return SqliteTruth(folder, tenant="t", clock=FakeClock())


@pytest.fixture
def truth(tmp_path: Path) -> Iterator[SqliteTruth]:
    opened = open_truth(tmp_path)
    yield opened
    opened.close()


def cursors() -> int:
    gc.collect()
    return sum(isinstance(found, apsw.Cursor) for found in gc.get_objects())


def add_turn(truth: SqliteTruth, seq: int) -> None:
    with truth.write() as transaction:
        transaction.events.add_turns([builders.turn("会话", seq)])


def look(truth: SqliteTruth) -> int:
    with truth.read() as transaction:
        return len(transaction.events.turns("会话"))


def look_and_fail(truth: SqliteTruth) -> None:
    with pytest.raises(NotFound), truth.read() as transaction:
        transaction.events.turn("none")


def stop_early(truth: SqliteTruth) -> None:
    with truth.read() as transaction:
        next(iter(transaction.connection.execute("SELECT id FROM turns")))


@pytest.mark.spec("S8")
@pytest.mark.parametrize(
    "call",
    [
        look,
        look_and_fail,
        stop_early,
        SqliteTruth.seq,
        SqliteTruth.counts,
        SqliteTruth.check,
        lambda truth: truth.changes(0),
        lambda truth: truth.changes(0, limit=1),
    ],
)
def test_no_read_outlives_its_call(
    truth: SqliteTruth, tmp_path: Path, call: Callable[[SqliteTruth], object]
) -> None:
    """After it the whole log can be folded in and cut, so forgotten text cannot stay there."""
    for seq in range(1, 4):
        add_turn(truth, seq)
    call(truth)
    assert not any(reader.connection.in_transaction for reader in truth._readers)
    other = apsw.Connection(str(tmp_path / DATABASE))
    add_turn(truth, 4)
    assert (0, 0, 0) == other.execute("PRAGMA wal_checkpoint(TRUNCATE)").get
    assert 0 == (tmp_path / f"{DATABASE}-wal").stat().st_size
    other.close()


def test_an_open_reader_would_be_noticed(truth: SqliteTruth, tmp_path: Path) -> None:
    """The measure of the test above does tell an open read from none."""
    add_turn(truth, 1)
    other = apsw.Connection(str(tmp_path / DATABASE))
    with truth.read():
        add_turn(truth, 2)
        assert 1 == other.execute("PRAGMA wal_checkpoint(TRUNCATE)").get[0]
    other.close()


def test_idle_readers_are_few(truth: SqliteTruth) -> None:
    """Many reads at once leave no more than two connections open behind them."""
    inside = threading.Barrier(8)

    def read() -> None:
        with truth.read():
            inside.wait()

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert 2 == len(truth._readers)


@pytest.mark.spec("E5")
def test_two_handles_share_one_database(truth: SqliteTruth, tmp_path: Path) -> None:
    """Each sees what the other has committed, and numbers go on where they stood."""
    other = open_truth(tmp_path)
    add_turn(truth, 1)
    assert 1 == look(other)
    add_turn(other, 2)
    assert (2, 2) == (look(truth), truth.seq())
    other.close()
    assert 2 == look(truth)


@pytest.mark.spec("E5")
def test_another_process_sees_and_adds(truth: SqliteTruth, tmp_path: Path) -> None:
    """What is committed here is there, and the other way round."""
    add_turn(truth, 1)
    script = """
truth = SqliteTruth(FOLDER, tenant="t", clock=FakeClock())
with truth.write() as transaction:
    say(len(transaction.events.turns("会话")))
    transaction.events.add_turns([builders.turn("会话", 2)])
say(truth.seq())
hear()
"""
    with Child(script, tmp_path) as other:
        assert ("1", "2") == (other.hear(), other.hear())
        assert 2 == look(truth)
        other.process.kill()
    assert 2 == look(truth)
    assert [] == truth.check()


@pytest.mark.spec("E5")
def test_what_is_stored_is_there_after_reopening(tmp_path: Path) -> None:
    """Closing folds the log into the file; opening again finds everything."""
    truth = open_truth(tmp_path)
    add_turn(truth, 1)
    assert (tmp_path / f"{DATABASE}-wal").stat().st_size > 0
    truth.close()
    assert not (tmp_path / f"{DATABASE}-wal").exists()
    again = open_truth(tmp_path)
    assert (1, 1) == (look(again), again.seq())
    add_turn(again, 2)
    assert 2 == again.seq()
    again.close()


def test_numbers_of_nodes_are_never_used_twice(truth: SqliteTruth) -> None:
    """A dropped chunk's number stays unused, so that a view cannot mistake another for it."""
    chunks = [builders.raw_chunk(text) for text in ("一", "二", "三")]
    for chunk in chunks:
        with truth.write() as transaction:
            transaction.raw.hold([chunk])
            transaction.raw.release([chunk.id])
        with truth.write() as transaction:
            transaction.raw.drop_unheld()
    added = [change.num for change in truth.changes(0) if change.op == "upsert"]
    assert 3 == len(set(added))


def test_a_lost_row_of_the_tenant_is_named(truth: SqliteTruth) -> None:
    """Numbering cannot go on without it, and says so as damage, not as a mistake of ours."""
    with truth.write() as transaction:
        transaction.connection.execute("DELETE FROM tenant")
    for call in (truth.seq, lambda: truth.changes(0), lambda: add_turn(truth, 1)):
        with pytest.raises(AdapterError, match="own row") as caught:
            call()
        assert "corrupt" == caught.value.code
    assert 0 == truth.counts()["turns"]


@pytest.mark.parametrize(
    ("damage", "read"),
    [
        ("UPDATE turns SET proposals = '{'", lambda one: one.events.turns("会话")),
        ("UPDATE messages SET spans = '[[99,0,1]]'", lambda one: one.events.turns("会话")),
        ("UPDATE messages SET meta = ''", lambda one: one.events.turn("会话/t1")),
    ],
)
def test_a_damaged_value_is_named(truth: SqliteTruth, damage: str, read: Callable) -> None:
    """Reading it is an error of the storage; what is whole can still be read."""
    chunk = builders.raw_chunk()
    with truth.write() as transaction:
        builders.store_turn(transaction, builders.turn("会话", 1, [chunk]), [chunk])
        transaction.connection.execute(damage)
    with pytest.raises(AdapterError) as caught, truth.read() as transaction:
        read(transaction)
    assert "corrupt" == caught.value.code
    assert 1 == truth.counts()["turns"]


def test_in_memory_a_read_inside_a_write_is_refused() -> None:
    """There is one connection, so the read would see what is not committed; after it, it may."""
    truth = open_truth(None)
    seen: list[int] = []
    with truth.write() as transaction:
        transaction.events.add_turns([builders.turn("会话", 1)])
        for call in (truth.seq, lambda: look(truth)):
            with pytest.raises(InternalError):
                call()
        transaction.after_commit(lambda: seen.append(look(truth)))
    assert [1] == seen
    add_turn(truth, 2)
    assert 2 == look(truth)
    truth.close()


def test_the_version_can_be_asked_without_a_trace(tmp_path: Path) -> None:
    """A look at the schema's version creates nothing and leaves a crashed log where it is."""
    with pytest.raises(AdapterError):
        schema_version(tmp_path, None)
    assert [] == list(tmp_path.iterdir())
    script = """
truth = SqliteTruth(FOLDER, tenant="t", clock=FakeClock())
with truth.write() as transaction:
    transaction.events.add_turns([builders.turn("会话", 1)])
say("written")
hear()
"""
    with Child(script, tmp_path) as other:
        assert "written" == other.hear()
        other.process.kill()
    files = [tmp_path / DATABASE, tmp_path / f"{DATABASE}-wal"]
    before = [path.read_bytes() for path in files]
    assert schema_version(tmp_path, None) > 0
    assert before == [path.read_bytes() for path in files]
    truth = open_truth(tmp_path)
    assert 1 == look(truth)
    truth.close()


@pytest.mark.spec("E5")
@pytest.mark.parametrize("writing", [True, False])
def test_the_last_block_closes_what_it_used(tmp_path: Path, writing: bool) -> None:
    """Closed inside a transaction, the truth is shut when that ends: no log, no descriptor."""
    truth = open_truth(tmp_path)
    add_turn(truth, 1)
    with truth.write() if writing else truth.read() as transaction:
        truth.close()
        assert 1 == len(transaction.events.turns("会话"))
    assert ["brain.db", "write.lock"] == sorted(path.name for path in tmp_path.iterdir())
    links = [path.readlink() for path in Path("/proc/self/fd").iterdir() if path.exists()]
    assert not [link for link in links if tmp_path in link.parents]


def test_threads_may_close_while_others_work(tmp_path: Path) -> None:
    """Whoever is late hears `closed`; whoever was in time has committed; nothing else happens."""
    truth = open_truth(tmp_path)
    outcomes: list[str] = []
    started = threading.Barrier(5)

    def work(name: int) -> None:
        started.wait()
        for seq in range(1, 200):
            try:
                with truth.write() as transaction:
                    transaction.events.add_turns([builders.turn(str(name), seq)])
                truth.seq()
            except SmartBrainError as error:
                outcomes.append(error.code)
                return

    threads = [threading.Thread(target=work, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    started.wait()
    truth.close()
    for thread in threads:
        thread.join()
    assert ["closed"] * 4 == outcomes
    assert truth._writer is None
    assert 0 == len(truth._readers)
    again = open_truth(tmp_path)
    assert [] == again.check()
    again.close()


@pytest.mark.spec("S8")
def test_calls_leave_no_cursor_behind(truth: SqliteTruth) -> None:
    """Each one that stayed would make every later statement slower."""
    before = cursors()
    chunk = builders.raw_chunk("原文 original")
    for seq in range(1, 21):
        with truth.write() as transaction:
            builders.store_turn(transaction, builders.turn("会话", seq, [chunk]), [chunk])
        assert seq == look(truth)
        truth.changes(0)
    assert before == cursors()


@pytest.mark.parametrize("writing", [True, False])
def test_plans_do_not_depend_on_bound_values(truth: SqliteTruth, writing: bool) -> None:
    """A statement that could use a partial index is not prepared anew for every value."""
    with truth.write() if writing else truth.read() as transaction:
        assert transaction.connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, -1) == 1


@pytest.mark.parametrize(
    ("change", "written"),
    [
        ({}, []),
        ({"frequency": 2}, ["UPDATE memories SET frequency = ? WHERE num = ?"]),
        (
            {"text": "在上海", "value": {"城市": "上海"}},
            ["UPDATE memories SET text = ?, value = ? WHERE num = ?"],
        ),
    ],
)
def test_only_what_differs_of_a_memory_is_written(
    truth: SqliteTruth, change: dict, written: list[str]
) -> None:
    """A memory that was merely said again has none of its indexes written."""
    said = builders.turn("会话", 1)
    memory = builders.memory(source_turn_id=said.id)
    found: list[str] = []

    def trace(_cursor: object, statement: str, _bound: object) -> bool:
        found.append(statement)
        return True

    with truth.write() as transaction:
        transaction.events.add_turns([said])
        transaction.memories.add([memory])
        transaction.connection.exec_trace = trace
        transaction.memories.update(replace(memory, **change))
        transaction.connection.exec_trace = None
        stored = transaction.memories.get([memory.id])[memory.id]
    assert written == [statement for statement in found if statement.startswith("UPDATE")]
    assert replace(memory, tenant_id="t", **change) == stored


def standing(truth: SqliteTruth, type_name: str) -> list[str]:
    with truth.write() as transaction:
        return [one.key for one in transaction.remembering.newest(type_name)]


def add_memory(truth: SqliteTruth, memory: Memory, error: type[Exception] | None = None) -> None:
    with truth.write() as transaction:
        transaction.ledger.add_operation(builders.operation())
        transaction.memories.add([memory])
        if error is not None:
            raise error


@pytest.mark.spec("E5")
def test_a_writer_knows_nothing_for_sure_once_another_has_written(tmp_path: Path) -> None:
    """What a handle remembers of the rows is read again after somebody else wrote them."""
    ours, other = open_truth(tmp_path), open_truth(tmp_path)
    assert [] == standing(ours, "concepts")
    add_memory(other, builders.memory(type="concepts", key="concept:图"))
    assert ["concept:图"] == standing(ours, "concepts")
    ours.close()
    other.close()


@pytest.mark.spec("E5")
def test_a_writer_forgets_what_was_undone(truth: SqliteTruth) -> None:
    """A memory that was never committed leaves no number behind."""
    memory = builders.memory(type="concepts", key="concept:graph")
    with pytest.raises(KeyError):
        add_memory(truth, memory, KeyError)
    assert [] == standing(truth, "concepts")
    with truth.write() as transaction, pytest.raises(NotFound):
        transaction.memories.update(memory)


@pytest.mark.spec("E5")
def test_a_type_is_found_as_soon_as_one_of_its_memories_stands(truth: SqliteTruth) -> None:
    """That there was nothing of a type is forgotten by what is written."""
    assert [] == standing(truth, "concepts")
    add_memory(truth, builders.memory(type="concepts", key="concept:graph"))
    assert ["concept:graph"] == standing(truth, "concepts")
