"""The schema's history: what is older comes forward whole, what is not ours is left alone."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
from sqlite_child import Child
from sqlite_versions import ALL, NEWEST, ROWS, build, looked_at, opened, schema_of

from smartbrain.adapters.sqlite import migrate
from smartbrain.adapters.sqlite.migrate import APPLICATION_ID, BASELINE, Migration
from smartbrain.adapters.sqlite.truth import DATABASE, OlderTruth, SqliteTruth, schema_version
from smartbrain.errors import AdapterError, Conflict, InternalError, UsageError
from smartbrain.testing import builders
from smartbrain.testing.clock import FakeClock

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = ROOT / "src/smartbrain/adapters/sqlite/schema.sql"
BROKEN = Migration(
    NEWEST + 1, "broken", "CREATE TABLE half (x TEXT) STRICT; INSERT INTO nowhere VALUES (1);"
)
NEXT = Migration(NEWEST + 1, "next", "ALTER TABLE refs ADD COLUMN more TEXT;")
Known = Callable[..., None]


def open_truth(folder: Path) -> SqliteTruth:
    return SqliteTruth(folder, tenant="租户", clock=FakeClock())


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> Iterator[Known]:
    """Return a way to say which migrations this SmartBrain knows."""

    def know(*steps: Migration) -> None:
        monkeypatch.setattr(migrate, "migrations", lambda: steps)
        migrate.latest.cache_clear()

    yield know
    monkeypatch.undo()
    migrate.latest.cache_clear()


def test_schema_sql_is_the_sum_of_the_migrations() -> None:
    """The file that people read makes the same schema as the migrations that run."""
    with closing(apsw.Connection(":memory:")) as read, closing(apsw.Connection(":memory:")) as run:
        read.execute(SCHEMA.read_text(encoding="utf-8"))
        for step in ALL:
            run.execute(step.sql)
        assert schema_of(run) == schema_of(read)


@pytest.mark.parametrize(("stale", "code"), [(False, 0), (True, 1)])
def test_the_tool_tells_a_stale_schema(tmp_path: Path, stale: bool, code: int) -> None:
    """`tools/schema.py --check` is content with the file as it is, and with no other."""
    target = tmp_path / "src/smartbrain/adapters/sqlite/schema.sql"
    target.parent.mkdir(parents=True)
    target.write_text(SCHEMA.read_text(encoding="utf-8") + "-- more\n" * stale, encoding="utf-8")
    (tmp_path / "tools").mkdir()
    tool = shutil.copy(ROOT / "tools/schema.py", tmp_path / "tools")
    checked = subprocess.run(
        [sys.executable, str(tool), "--check"],
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (code, "") == (checked.returncode, checked.stderr)
    assert stale == ("make docs" in checked.stdout)


def narrowed(rows: list[Any], like: list[Any]) -> list[Any]:
    """Return rows without the columns that were added since there were rows like these."""
    return [now[: len(was)] for now, was in zip(rows, like, strict=True)]


def test_every_version_has_rows_to_bring_forward() -> None:
    """Whoever adds a migration adds the rows that its version leaves in users' databases."""
    assert list(range(BASELINE, NEWEST + 1)) == list(ROWS)
    with closing(apsw.Connection(":memory:")) as connection:
        for step in ALL:
            connection.execute(step.sql)
            connection.execute(ROWS[step.number])
            tables = connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
            ).fetchall()
            for (table,) in tables:
                assert connection.execute(f"SELECT count(*) FROM {table}").get, (step, table)


@pytest.mark.spec("E1", "E5")
@pytest.mark.parametrize("version", range(BASELINE, NEWEST + 1))
def test_an_earlier_version_comes_forward_with_its_rows(
    tmp_path: Path, known: Known, version: int
) -> None:
    """Opening brings it to the newest version; every row is as it was, and the checks pass."""
    build(tmp_path, version)
    known(*ALL, NEXT)
    before = looked_at(tmp_path)
    truth = open_truth(tmp_path)
    assert [] == truth.check()
    assert 1 == truth.seq()
    with truth.write() as transaction:
        turn = transaction.events.turn("turn-1")
        transaction.events.add_turns([builders.turn("会话", 2, at=turn.at)])
    assert 2 == truth.seq()
    truth.close()
    assert ("会话", 1, "run-1", timedelta(hours=8)) == (
        turn.session_id,
        turn.seq,
        turn.run_id,
        turn.at.utcoffset(),
    )
    assert [("m-1", "raw_1", 15), ("m-2", "raw_1", 6)] == [
        (message.id, message.spans[0].raw_id, message.spans[0].length) for message in turn.messages
    ]
    after = looked_at(tmp_path)
    assert NEXT.number == after[0]
    grown = {"tenant", "sessions", "turns", "changes", "memory_events"}
    made_anew = {"traces"} if version < 18 else set()
    for table in before[2].keys() - grown - made_anew - {"withheld"}:  # which is dropped
        assert before[2][table] == narrowed(after[2][table], before[2][table])


@pytest.mark.spec("M3", "M4")
@pytest.mark.parametrize("version", range(BASELINE, NEWEST + 1))
def test_memories_of_an_earlier_version_can_be_read(tmp_path: Path, version: int) -> None:
    """Versions, search texts and edges answer through the port after the upgrade."""
    build(tmp_path, version)
    truth = open_truth(tmp_path)
    with truth.read() as transaction:
        history = transaction.memories.history("fact:用户:城市")
        assert [("mem-1", "superseded"), ("mem-2", "active")] == [
            (memory.id, memory.status.value) for memory in history
        ]
        assert [("会话", 1, ("小明",)), (None, None, ())] == [
            (row.session_id, row.seq, row.speakers)
            for row in transaction.recalled.versions(["fact:用户:城市"])
        ]
        assert ["[facts:fact:用户:城市] 北京"] == transaction.replayed.chunks(["mem-2"]).get(
            "mem-2", []
        )
        assert ["mem-2"] == [edge.dst for edge in transaction.edges.of("mem-1")]
        assert ("body", {"turn_id": "turn-1"}) == transaction.ledger.reply("键")
        assert transaction.ledger.tombstone("rejected", "指纹") is not None
    truth.close()


@pytest.mark.parametrize("done", range(len(ALL)))
def test_each_step_alone_leads_to_the_next_version(tmp_path: Path, known: Known, done: int) -> None:
    """With one more migration the schema becomes what all of them make of an empty database."""
    version = ALL[done - 1].number if done else 0
    build(tmp_path, version) if version else None
    before = looked_at(tmp_path)[2] if version else {}
    known(*ALL[: done + 1])
    open_truth(tmp_path).close()
    found = looked_at(tmp_path)
    expected = tmp_path / "expected"
    expected.mkdir()
    build(expected, ALL[done].number, rows=False)
    assert (ALL[done].number, looked_at(expected)[1]) == found[:2]
    for table, rows in before.items():
        if table in found[2] and not (table == "traces" and ALL[done].number == 18):
            assert rows == narrowed(found[2][table], rows)


def test_a_new_database_names_its_tenant_and_its_time(tmp_path: Path) -> None:
    """The tenant's own row is made with the file, from the clock that was handed in."""
    clock = FakeClock()
    SqliteTruth(tmp_path, tenant="租户", clock=clock).close()
    (row,) = looked_at(tmp_path)[2]["tenant"]
    assert (1, "租户", 0, 0, 1773048600000000) == row


@pytest.mark.spec("E5")
@pytest.mark.parametrize("version", [BASELINE, NEWEST])
def test_a_failing_migration_leaves_the_old_version(
    tmp_path: Path, known: Known, version: int
) -> None:
    """Nothing of any step stays, not even of those that worked; the old program still opens it."""
    build(tmp_path, version)
    before = looked_at(tmp_path), (tmp_path / DATABASE).read_bytes()
    known(*ALL, BROKEN)
    with pytest.raises(InternalError, match="nowhere"):
        open_truth(tmp_path)
    assert before == (looked_at(tmp_path), (tmp_path / DATABASE).read_bytes())
    known(*ALL)
    truth = open_truth(tmp_path)
    assert [] == truth.check()
    truth.close()


def test_a_failing_first_migration_can_be_tried_again(tmp_path: Path, known: Known) -> None:
    """A database that could not be made is still an empty one."""
    known(*ALL, BROKEN)
    with pytest.raises(InternalError):
        open_truth(tmp_path)
    known(*ALL)
    truth = open_truth(tmp_path)
    assert (0, []) == (truth.seq(), truth.check())
    truth.close()


def test_migrations_are_numbered_without_a_gap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A missing or doubled number in the package is noticed before any database is touched."""
    (tmp_path / "migrations").mkdir()
    for name in (f"{BASELINE:04d}_one.sql", f"{BASELINE + 2:04d}_three.sql"):
        (tmp_path / "migrations" / name).write_text("SELECT 1", encoding="utf-8")
    monkeypatch.setattr(migrate.resources, "files", lambda _: tmp_path)
    with pytest.raises(InternalError, match="numbered"):
        migrate.migrations.__wrapped__()


def refused(folder: Path, code: str) -> AdapterError:
    """Try to open and to look at a database; both refuse it and leave every file as it was."""
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for attempt in (lambda: open_truth(folder), lambda: schema_version(folder, None)):
        with pytest.raises(AdapterError) as caught:
            attempt()
        assert (code, False) == (caught.value.code, caught.value.retryable)
        assert str(folder / DATABASE) in caught.value.message
    after = {path.name: path.read_bytes() for path in folder.iterdir()}
    after.pop(f"{DATABASE}-shm", None)
    before.pop(f"{DATABASE}-shm", None)
    assert before == after
    return caught.value


def crashed_copy(source: Path, target: Path) -> None:
    """Copy a database with the log that an open connection has not folded in."""
    target.mkdir()
    with opened(source) as connection:
        connection.pragma("journal_mode", "wal")
        connection.execute("CREATE TABLE more (x); INSERT INTO more VALUES ('日志')")
        for name in (DATABASE, f"{DATABASE}-wal"):
            shutil.copy(source / name, target / name)


@pytest.mark.spec("E5")
@pytest.mark.parametrize("crashed", [False, True])
def test_a_newer_database_is_refused_untouched(tmp_path: Path, crashed: bool) -> None:
    """The error names both versions; not even a log that lies beside it is folded in."""
    build(tmp_path, NEWEST)
    with opened(tmp_path) as connection:
        connection.pragma("user_version", NEWEST + 1)
    folder = tmp_path
    if crashed:
        folder = tmp_path / "copy"
        crashed_copy(tmp_path, folder)
    error = refused(folder, "newer_database")
    assert f"schema {NEWEST + 1}, this one knows {NEWEST}" in error.message


@pytest.mark.spec("E5")
@pytest.mark.parametrize("crashed", [False, True])
@pytest.mark.parametrize("version", [1, BASELINE - 1])
def test_an_older_database_is_refused_untouched(
    tmp_path: Path, version: int, crashed: bool
) -> None:
    """It has no claims: one line names its version and the command that brings its events along."""
    build(tmp_path, NEWEST)
    with opened(tmp_path) as connection:
        connection.execute("DROP TABLE claims")
        connection.pragma("user_version", version)
    folder = tmp_path
    if crashed:
        folder = tmp_path / "copy"
        crashed_copy(tmp_path, folder)
    message = refused(folder, "older_database").message
    assert f"schema {version}, this one reads {BASELINE} and later" in message
    assert "`memctl replay --into NEW`" in message
    assert "\n" not in message


@pytest.mark.spec("E1")
def test_an_older_database_answers_for_its_events_alone(tmp_path: Path) -> None:
    """Whatever its version, turns, operations and replies can be read; nothing can be written."""
    build(tmp_path, NEWEST)
    with opened(tmp_path) as connection:
        connection.execute("DROP TABLE claims")
        connection.pragma("user_version", BASELINE - 1)
    before = looked_at(tmp_path)
    with closing(OlderTruth(tmp_path, tenant="租户")) as truth:
        with truth.read() as transaction:
            assert "会话" == transaction.events.turn("turn-1").session_id
            assert ["commit"] == [step.stage for _, _, step in transaction.replayed.steps()]
            assert ["put"] == [one.kind for _, one in transaction.replayed.operations()]
            assert [("键", "body", {"turn_id": "turn-1"})] == [
                row[:3] for row in transaction.replayed.replies()
            ]
        with pytest.raises(UsageError, match="only read"), truth.write():
            pass
    assert before == looked_at(tmp_path)


@pytest.mark.spec("E1")
@pytest.mark.parametrize("version", [0, 4])
def test_a_database_that_tells_no_order_is_refused_even_to_read(
    tmp_path: Path, version: int
) -> None:
    """Before the steps of turns were stored nothing can be run again."""
    with opened(tmp_path) as connection:
        connection.pragma("user_version", version)
        connection.pragma("application_id", APPLICATION_ID if version else 0)
    with pytest.raises(AdapterError, match="in which order"):
        OlderTruth(tmp_path, tenant="租户")


@pytest.mark.spec("E5")
@pytest.mark.parametrize("crashed", [False, True])
@pytest.mark.parametrize("version", [0, 1, NEWEST, NEWEST + 7])
def test_somebody_elses_database_is_refused_untouched(
    tmp_path: Path, version: int, crashed: bool
) -> None:
    """Whatever its version number says, a file that is not ours is not made ours."""
    with opened(tmp_path) as connection:
        connection.execute("CREATE TABLE bookmarks (url); INSERT INTO bookmarks VALUES ('网址')")
        connection.pragma("user_version", version)
    folder = tmp_path
    if crashed:
        folder = tmp_path / "copy"
        crashed_copy(tmp_path, folder)
    assert "not a SmartBrain database" in refused(folder, "corrupt").message


@pytest.mark.spec("E5")
@pytest.mark.parametrize("content", [b"hello, this is text " * 300, "笔记".encode() * 4000])
def test_a_file_that_is_no_database_is_refused_untouched(tmp_path: Path, content: bytes) -> None:
    """A text file under our name stays a text file."""
    (tmp_path / DATABASE).write_bytes(content)
    assert "no readable database" in refused(tmp_path, "corrupt").message


def test_an_empty_file_becomes_a_database(tmp_path: Path) -> None:
    """What a crash left before the first byte is no obstacle."""
    (tmp_path / DATABASE).touch()
    assert 0 == schema_version(tmp_path, None)
    truth = open_truth(tmp_path)
    assert [] == truth.check()
    truth.close()
    assert NEWEST == schema_version(tmp_path, None)


@pytest.mark.spec("E5")
@pytest.mark.parametrize("version", [0, BASELINE])
def test_processes_that_migrate_at_once_all_succeed(tmp_path: Path, version: int) -> None:
    """Each waits or finds the work done; afterwards everybody writes into the same database."""
    script = """
number = sys.argv[2]
say("ready")
while folder := hear():
    truth = SqliteTruth(Path(folder), tenant="租户", clock=FakeClock())
    with truth.write() as transaction:
        transaction.events.add_turns([builders.turn(f"来自 {number}", 1)])
    truth.close()
    say("done")
"""
    with ExitStack() as stack:
        children = [stack.enter_context(Child(script, tmp_path, number)) for number in range(3)]
        assert ["ready"] * 3 == [child.hear() for child in children]
        for attempt in range(6):
            folder = tmp_path / str(attempt)
            folder.mkdir()
            if version:
                build(folder, version)
            for child in children:
                child.say(str(folder))
            assert ["done"] * 3 == [child.hear() for child in children]
            truth = open_truth(folder)
            assert 3 + bool(version) == truth.seq() == truth.counts()["turns"]
            assert [] == truth.check()
            truth.close()


@pytest.mark.spec("E5")
def test_a_look_in_the_middle_of_another_ones_migration_sees_one_state(tmp_path: Path) -> None:
    """A database that is made between two questions is not taken for somebody else's."""

    class Interrupted(apsw.Connection):
        def pragma(self, name: str, *given: object, **named: object) -> object:
            found = super().pragma(name, *given, **named)
            if name == "application_id":
                open_truth(tmp_path).close()
            return found

    with opened(tmp_path) as connection:
        connection.pragma("journal_mode", "wal")
        with closing(Interrupted(connection.filename)) as looking:
            assert 0 == migrate.version_of(looking, "brain.db")
            assert NEWEST == migrate.version_of(connection, "brain.db")


@pytest.mark.spec("E5")
def test_a_handle_notices_that_another_process_moved_the_schema(tmp_path: Path) -> None:
    """Reading and writing are refused by code until it is opened again; nothing is written."""
    truth = open_truth(tmp_path)
    with truth.write() as transaction:
        transaction.events.add_turns([builders.turn("会话", 1)])
    script = f"""
from smartbrain.adapters.sqlite import migrate
step = migrate.Migration({NEWEST + 1}, "next", "CREATE TABLE next (x TEXT) STRICT")
steps = (*migrate.migrations(), step)
migrate.migrations = lambda: steps
SqliteTruth(FOLDER, tenant="租户", clock=FakeClock()).close()
say("moved")
"""
    with Child(script, tmp_path) as other:
        assert "moved" == other.hear()
        other.end()

    def read() -> None:
        with truth.read():
            pass

    def write() -> None:
        with truth.write() as transaction:
            transaction.events.add_turns([builders.turn("会话", 2)])

    for call in (
        read,
        write,
        truth.seq,
        lambda: truth.changes(0),
        truth.counts,
        truth.check,
        write,
    ):
        with pytest.raises(Conflict, match="reopen") as caught:
            call()
        assert "schema_moved" == caught.value.code
    truth.close()
    version, _, rows = looked_at(tmp_path)
    assert (NEWEST + 1, 1) == (version, len(rows["turns"]))
    with pytest.raises(AdapterError, match="newer"):
        open_truth(tmp_path)
