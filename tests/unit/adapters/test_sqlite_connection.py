"""Connections to SQLite: what is really set on them, and every apsw error under a name of ours."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import apsw
import pytest

from smartbrain.adapters.sqlite.connection import connect, translate, translated
from smartbrain.adapters.sqlite.truth import DATABASE, SqliteTruth
from smartbrain.errors import (
    AdapterError,
    Conflict,
    InternalError,
    SmartBrainError,
    UsageError,
)
from smartbrain.testing import builders
from smartbrain.testing.clock import FakeClock

KEY = bytes(range(32))
SECRET = "绝密 top-secret-marker 上海"
LARGE = builders.raw_chunk("满" * 50_000)
ERRORS = {
    "BusyError": "busy",
    "CantOpenError": "read_only",
    "CorruptError": "corrupt",
    "FullError": "disk_full",
    "IOError": "io_error",
    "InterruptError": "busy",
    "LockedError": "busy",
    "NoMemError": "io_error",
    "NotADBError": "corrupt",
    "PermissionsError": "read_only",
    "ProtocolError": "busy",
    "ReadOnlyError": "read_only",
}
# What can only come of a mistake in this package: wrong SQL, wrong use, features we do not use.
OWN_FAULTS = {
    "AbortError",
    "AuthError",
    "BindingsError",
    "ConnectionClosedError",
    "ConnectionNotClosedError",
    "ConstraintError",
    "CursorClosedError",
    "EmptyError",
    "ExecTraceAbort",
    "ExecutionCompleteError",
    "ExtensionLoadingError",
    "ForkingViolationError",
    "FormatError",
    "IncompleteExecutionError",
    "InternalError",
    "InvalidContextError",
    "MismatchError",
    "MisuseError",
    "NoFTS5Error",
    "NoLFSError",
    "NotFoundError",
    "RangeError",
    "SQLError",
    "SchemaChangeError",
    "ThreadingViolationError",
    "TooBigError",
    "VFSFileClosedError",
    "VFSNotImplementedError",
}


def open_truth(folder: Path | None, key: bytes | None = None) -> SqliteTruth:
    return SqliteTruth(folder, tenant="t", clock=FakeClock(), key=key)


@pytest.fixture(params=[None, KEY], ids=["plain", "encrypted"])
def truth(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteTruth]:
    opened = open_truth(tmp_path, request.param)
    yield opened
    opened.close()


def fill_up(connection: apsw.Connection) -> None:
    """Let the database grow by a few pages only."""
    connection.pragma("max_page_count", connection.pragma("page_count") + 4)


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def subclasses(kind: type) -> Iterator[type]:
    for child in kind.__subclasses__():
        yield child
        yield from subclasses(child)


@pytest.mark.spec("E5")
@pytest.mark.parametrize("writing", [True, False])
def test_the_pragmas_are_in_force(truth: SqliteTruth, writing: bool) -> None:
    """Every connection, reading or writing, plain or encrypted, runs as it was meant to."""
    expected = {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "secure_delete": 1,
        "temp_store": 2,
        "query_only": int(not writing),
        "cache_size": -2000 if writing else -8192,
    }
    with truth.write() if writing else truth.read() as transaction:
        found = {name: transaction.connection.pragma(name) for name in expected}
    assert expected == found


def test_every_table_is_strict(truth: SqliteTruth) -> None:
    """No table takes a value of another type than its column's."""
    with truth.read() as transaction:
        tables = {
            row[0]: row[1]
            for row in transaction.connection.execute(
                "SELECT name, strict FROM pragma_table_list WHERE schema = 'main'"
                " AND name NOT LIKE 'sqlite_%'"
            )
        }
    assert set(truth.counts()) | {"tenant"} == set(tables)
    assert {1} == set(tables.values())


@pytest.mark.spec("M4")
def test_the_database_itself_holds_one_active_version(truth: SqliteTruth) -> None:
    """SQL that goes around the code is refused by the partial unique index."""
    with truth.write() as transaction:
        transaction.ledger.add_operation(builders.operation())
        transaction.memories.add([builders.memory()])
    with truth.write() as transaction:
        execute = transaction.connection.execute
        execute("CREATE TEMP TABLE copy AS SELECT * FROM memories")
        execute("INSERT INTO nodes (id, kind) VALUES ('mem-x', 'Memory')")
        execute("UPDATE copy SET version = 2, num = last_insert_rowid()")
        with pytest.raises(apsw.ConstraintError, match=r"memories\.type, memories\.key$"):
            execute("INSERT INTO memories SELECT * FROM copy")
        execute("UPDATE copy SET status = 'superseded'")
        execute("INSERT INTO memories SELECT * FROM copy")
        with pytest.raises(apsw.ConstraintError, match=r"memories\.type, memories\.key$"):
            execute("UPDATE memories SET status = 'active'")


def test_every_error_of_apsw_is_known() -> None:
    """Each exception class is mapped or listed as our own fault; a new one must be decided on."""
    assert {kind.__name__ for kind in subclasses(apsw.Error)} == set(ERRORS) | OWN_FAULTS
    assert set() == set(ERRORS) & OWN_FAULTS


@pytest.mark.parametrize("name", sorted(ERRORS))
def test_a_mapped_error_names_file_and_reason_in_one_line(name: str, tmp_path: Path) -> None:
    """Whoever reads it learns which database, what happened and what to do."""
    error = translate(getattr(apsw, name)("原因 the reason"), str(tmp_path / DATABASE))
    assert (AdapterError, ERRORS[name]) == (type(error), error.code)
    assert str(tmp_path) in error.message
    assert "原因 the reason" in error.message
    assert "\n" not in error.message


@pytest.mark.parametrize("name", sorted(OWN_FAULTS))
def test_an_unmapped_error_is_our_own_fault(name: str) -> None:
    """It becomes InternalError with its text, never something a caller would retry."""
    error = translate(getattr(apsw, name)("what sqlite said"), "brain.db")
    assert isinstance(error, InternalError)
    assert "what sqlite said" in error.message


@pytest.mark.parametrize(
    ("said", "kind", "code"),
    [
        ("UNIQUE constraint failed: memories.type, memories.key", Conflict, "active_exists"),
        ("UNIQUE constraint failed: idempotency_keys.key", Conflict, "idempotency_conflict"),
        (
            "UNIQUE constraint failed: memories.type, memories.key, memories.version",
            Conflict,
            "conflict",
        ),
        ("UNIQUE constraint failed: turns.session, turns.seq", Conflict, "conflict"),
        ("FOREIGN KEY constraint failed", InternalError, "internal"),
        ("CHECK constraint failed: confidence BETWEEN 0 AND 1", InternalError, "internal"),
        ("NOT NULL constraint failed: memories.key", InternalError, "internal"),
    ],
)
def test_a_broken_constraint_is_named(said: str, kind: type[SmartBrainError], code: str) -> None:
    """Rules that callers can meet are conflicts by code; the others are our own fault."""
    error = translate(apsw.ConstraintError(said), "brain.db")
    assert (kind, code) == (type(error), error.code)


def test_a_failed_write_on_a_full_disk_is_told_as_such(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite calls it an input/output error; the free space tells what it was."""
    database = str(tmp_path / DATABASE)
    assert "io_error" == translate(apsw.IOError("x"), database).code
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1000))
    assert "disk_full" == translate(apsw.IOError("x"), database).code
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Path("/none").stat())
    assert "io_error" == translate(apsw.IOError("x"), database).code


@pytest.mark.spec("E5")
def test_nothing_goes_on_after_the_transaction_was_undone(truth: SqliteTruth) -> None:
    """A caught disk error cannot turn the rest of its block into changes that commit alone."""

    def go_on_after_an_error() -> None:
        with truth.write() as transaction:
            transaction.events.add_turns([builders.turn()])
            fill_up(transaction.connection)
            with pytest.raises(AdapterError, match="disk is full"):
                transaction.raw.hold([LARGE])
            with pytest.raises(InternalError, match="has ended"):
                transaction.working.put_state(builders.state_entry())

    with pytest.raises(InternalError, match="has ended"):
        go_on_after_an_error()
    assert {0} == set(truth.counts().values())
    assert 0 == truth.seq()


def test_a_transaction_that_was_left_cannot_be_used(truth: SqliteTruth) -> None:
    """Neither the writing nor the reading one works outside its block."""
    with truth.write() as writer:
        pass
    with truth.read() as reader:
        pass
    with pytest.raises(InternalError):
        writer.events.add_turns([builders.turn()])
    with pytest.raises(InternalError):
        reader.events.sessions()
    assert 0 == truth.counts()["turns"]


def test_what_is_not_of_sqlite_passes_through() -> None:
    """Only apsw's errors are translated at the edge of a transaction."""
    with pytest.raises(ZeroDivisionError), translated("brain.db"):
        raise ZeroDivisionError


@pytest.mark.spec("E5")
def test_a_full_database_refuses_and_keeps_what_it_had(truth: SqliteTruth) -> None:
    """The error says so, nothing of the transaction stays, and after that writing goes on."""
    with truth.write() as transaction:
        transaction.events.add_turns([builders.turn("s", 1)])
        fill_up(transaction.connection)
    with pytest.raises(AdapterError, match="disk is full") as caught, truth.write() as transaction:
        transaction.raw.hold([LARGE])
    assert ("disk_full", True) == (caught.value.code, caught.value.retryable)
    assert (1, 0) == (truth.counts()["turns"], truth.counts()["raw_chunks"])
    with truth.write() as transaction:
        transaction.connection.pragma("max_page_count", 1_000_000)
        transaction.raw.hold([LARGE])
        transaction.raw.release([LARGE.id])
    assert [] == truth.check()


def test_an_error_can_be_caught_inside_the_transaction(truth: SqliteTruth) -> None:
    """A repository's own call raises our error, not apsw's, so that the block may go on."""
    with truth.write() as transaction:
        transaction.ledger.keep_reply("键", "h", {}, builders.START)
        with pytest.raises(Conflict, match="already in use"):
            transaction.ledger.keep_reply("键", "h", {}, builders.START)
        with pytest.raises(InternalError, match="CHECK"):
            transaction.working.put_job(builders.job(attempts=-1))
    assert (1, 0) == (truth.counts()["idempotency_keys"], truth.counts()["jobs"])


@pytest.mark.parametrize(
    "change",
    [
        {"session_id": "half \ud800"},
        {"run_id": "\udfff"},
        {"seq": 2**70},
        {"tool_calls": (builders.tool_call("c", exit_code=-(2**63) - 1),)},
        {"proposals": {"文": "\ud83d"}},
    ],
)
def test_what_sqlite_cannot_hold_is_refused(truth: SqliteTruth, change: dict) -> None:
    """Half a character or a number beyond 64 bits is the caller's to change, and stores nothing."""
    with pytest.raises(UsageError), truth.write() as transaction:
        transaction.events.add_turns([builders.turn(**change)])
    assert 0 == truth.counts()["sessions"]


@pytest.mark.spec("S8")
def test_an_encrypted_database_shows_no_text(tmp_path: Path) -> None:
    """Neither the database nor its log holds a word, while a plain one holds all of them."""
    for key, readable in ((KEY, False), (None, True)):
        folder = tmp_path / str(readable)
        folder.mkdir()
        truth = open_truth(folder, key)
        with truth.write() as transaction:
            transaction.ledger.add_operation(builders.operation(input={"秘": SECRET}))
            transaction.memories.add([builders.memory(text=SECRET, key="fact:绝密:key")])
            transaction.raw.hold([builders.raw_chunk(SECRET)])
        log = (folder / f"{DATABASE}-wal").read_bytes()
        truth.close()
        database = (folder / DATABASE).read_bytes()
        for data in (log, database):
            found = [word for word in SECRET.split() if word.encode() in data]
            assert (SECRET.split() if readable else []) == found
        assert readable == database.startswith(b"SQLite format 3")
        assert readable == (b"CREATE TABLE" in database)


@pytest.mark.spec("S8")
@pytest.mark.parametrize(
    ("made_with", "opened_with"),
    [(KEY, bytes(32)), (KEY, None), (None, KEY)],
    ids=["another", "none", "needless"],
)
def test_a_wrong_key_is_named_and_harms_nothing(
    tmp_path: Path, made_with: bytes | None, opened_with: bytes | None
) -> None:
    """The error names the key's file; no byte changes, no descriptor stays open."""
    open_truth(tmp_path, made_with).close()
    before = (tmp_path / DATABASE).read_bytes()
    descriptors = open_descriptors()
    with pytest.raises(AdapterError, match=r"key\.json is missing") as caught:
        open_truth(tmp_path, opened_with)
    assert ("corrupt", False) == (caught.value.code, caught.value.retryable)
    assert before == (tmp_path / DATABASE).read_bytes()
    assert descriptors == open_descriptors()
    open_truth(tmp_path, made_with).close()


@pytest.mark.spec("S8")
def test_deleted_text_is_overwritten(tmp_path: Path) -> None:
    """What was dropped is not left in free space of the file."""
    truth = open_truth(tmp_path)
    chunk = builders.raw_chunk(SECRET)
    with truth.write() as transaction:
        transaction.raw.hold([chunk])
    truth.close()
    assert SECRET.encode() in (tmp_path / DATABASE).read_bytes()
    truth = open_truth(tmp_path)
    with truth.write() as transaction:
        transaction.raw.release([chunk.id])
        transaction.raw.drop_unheld()
    truth.close()
    assert SECRET.encode() not in (tmp_path / DATABASE).read_bytes()


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    """Opening makes a database, never a folder."""
    with pytest.raises(AdapterError, match="no-folder") as caught:
        open_truth(tmp_path / "no-folder")
    assert "read_only" == caught.value.code


def test_a_look_creates_no_file(tmp_path: Path) -> None:
    """Without leave to create, a missing database stays missing."""
    with pytest.raises(AdapterError):
        connect(str(tmp_path / DATABASE), None, query_only=True, create=False)
    assert [] == list(tmp_path.iterdir())


@pytest.mark.spec("E5")
def test_a_restored_copy_gets_its_log_back(tmp_path: Path) -> None:
    """A copy made by VACUUM INTO has no write-ahead log; the first write gives it one."""
    source, target = tmp_path / "source", tmp_path / "target"
    source.mkdir()
    target.mkdir()
    truth = open_truth(source)
    with truth.read() as transaction:
        connection = connect(transaction.connection.filename, None)
    connection.execute("VACUUM INTO ?", (str(target / DATABASE),))
    connection.close()
    truth.close()
    restored = open_truth(target)
    with restored.write() as transaction:
        assert "wal" == transaction.connection.pragma("journal_mode")
    with restored.read() as transaction:
        assert "wal" == transaction.connection.pragma("journal_mode")
    restored.close()


def test_a_file_system_without_a_log_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where WAL cannot be had, opening says so instead of running without it."""

    class Stubborn(apsw.Connection):
        def pragma(self, name: str, *given: object, **named: object) -> object:
            return "delete" if name == "journal_mode" else super().pragma(name, *given, **named)

    monkeypatch.setattr(apsw, "Connection", Stubborn)
    with pytest.raises(AdapterError, match="write-ahead log") as caught:
        connect(str(tmp_path / DATABASE), None)
    assert ("io_error", False) == (caught.value.code, caught.value.retryable)
