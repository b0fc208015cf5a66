"""One tenant's database as the truth: transactions, the change log, opening and closing (M4, E5).

Writers queue at the file lock, then BEGIN IMMEDIATE; readers each have a connection of their own
and never wait. Every call checks that no other process has moved the schema meanwhile. In memory
(`:memory:`) one connection serves both, behind one lock: there, transactions never overlap.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Final

import apsw

from smartbrain.adapters.sqlite.connection import (
    MEMORY,
    connect,
    keep_untouched,
    require_row,
    translated,
)
from smartbrain.adapters.sqlite.lock import WriteLock
from smartbrain.adapters.sqlite.migrate import any_version_of, latest, migrate, version_of
from smartbrain.adapters.sqlite.transaction import SqliteTransaction
from smartbrain.domain.change import Change
from smartbrain.domain.status import Finding, Severity
from smartbrain.domain.time import Clock, to_micros
from smartbrain.errors import AdapterError, InternalError, UsageError
from smartbrain.ports.truth import Transaction

Execute = Callable[..., apsw.Cursor]
"""Runs a query on a connection."""

# Every span of an event as (raw chunk number, offset, length).
_USES: Final = (
    "WITH lists (spans) AS (SELECT spans FROM messages"
    " UNION ALL SELECT result_spans FROM tool_calls UNION ALL SELECT stdout_spans FROM tool_calls"
    " UNION ALL SELECT stderr_spans FROM tool_calls{more}),"
    " parts (span) AS (SELECT CASE e.type WHEN 'array' THEN e.value END"
    " FROM lists, json_each(lists.spans) AS e),"
    " uses (num, start, size) AS (SELECT span ->> 0, span ->> 1, span ->> 2 FROM parts) "
)

# Every column that holds JSON, by its table.
JSON_COLUMNS: Final = (
    ("turns", ("proposals",)),
    ("messages", ("meta", "spans")),
    ("tool_calls", ("args", "result_spans", "stdout_spans", "stderr_spans")),
    ("refs", ("ref_meta",)),
    ("operations", ("input",)),
    ("idempotency_keys", ("result",)),
    ("explanations", ("body",)),
    ("steps", ("parts",)),
    ("memories", ("value", "evidence_refs", "raw_refs", "keywords", "entities", "tags")),
    ("claims", ("value", "fields", "detail", "spans")),
    ("edges", ("attrs",)),
    ("working_state", ("body",)),
    ("jobs", ("payload", "result")),
    ("audit", ("before", "after")),
    ("forgettings", ("words", "paths", "receipt")),
)

# (code, what is wrong, query that names the offenders)
_QUERIES: Final = (
    (
        "held_count",
        "a raw chunk's count differs from the number of rows that hold it",
        _USES.format(more="") + "SELECT n.id FROM raw_chunks r JOIN nodes n ON n.num = r.num"
        " LEFT JOIN (SELECT num, count(*) AS times FROM uses GROUP BY num) u ON u.num = r.num"
        " WHERE r.held <> coalesce(u.times, 0)",
    ),
    (
        "span_outside",
        "a span leaves its raw chunk or names none",
        _USES.format(
            more=" UNION ALL SELECT raw_refs FROM memories UNION ALL SELECT spans FROM claims"
        )
        + "SELECT u.num FROM uses u LEFT JOIN raw_chunks r ON r.num = u.num"
        " WHERE r.num IS NULL OR u.start < 0 OR u.size < 0 OR u.start + u.size > r.length",
    ),
    (
        "node_unowned",
        "a node is neither a memory nor a raw chunk",
        "SELECT n.id FROM nodes n WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.num = n.num)"
        " AND NOT EXISTS (SELECT 1 FROM raw_chunks r WHERE r.num = n.num)",
    ),
    (
        "claim_of_nothing",
        "a claim is part of a memory that does not exist",
        "SELECT c.id FROM claims c WHERE c.memory IS NOT NULL"
        " AND NOT EXISTS (SELECT 1 FROM nodes n JOIN memories m USING (num) WHERE n.id = c.memory)",
    ),
    (
        "turn_count",
        "a session's number of turns is wrong",
        "SELECT s.id FROM sessions s WHERE s.turns <>"
        " (SELECT count(*) FROM turns t WHERE t.session = s.num)",
    ),
    (
        "memory_place",
        "a memory has another place or speaker than the turn and the message it is read from",
        "SELECT n.id FROM memories m JOIN nodes n ON n.num = m.num"
        " LEFT JOIN turns t ON t.id = m.source_turn_id"
        " LEFT JOIN messages x ON x.id = m.source_message_id"
        " WHERE (m.session, m.seq, m.speaker) IS NOT (t.session, t.seq, coalesce(x.name, x.role))",
    ),
    (
        "change_ahead",
        "the change log is ahead of its own counter",
        "SELECT seq FROM changes WHERE seq > (SELECT seq FROM tenant) LIMIT 1",
    ),
    (
        "tenant_row",
        "the tenant's own row is missing",
        "SELECT 'tenant' WHERE NOT EXISTS (SELECT 1 FROM tenant)",
    ),
)


def check_database(execute: Execute) -> list[Finding]:
    """Return everything that is wrong: pages first, for nothing else can be trusted then."""
    damaged = [
        _finding("corrupt", "the database is damaged", str(row[0]))
        for row in execute("PRAGMA integrity_check(20)")
        if row[0] != "ok"
    ]
    if damaged:
        return damaged
    unreadable = [
        _finding("bad_json", "stored values are no JSON", f"{table}.{column}")
        for table, columns in JSON_COLUMNS
        for column in columns
        if execute(f"SELECT 1 FROM {table} WHERE NOT json_valid({column}) LIMIT 1").get
    ]
    if unreadable:
        return unreadable
    found = [
        _finding("foreign_key", "a row refers to one that does not exist", f"{row[0]} row {row[1]}")
        for row in execute("PRAGMA foreign_key_check")
    ]
    for code, sentence, query in _QUERIES:
        found += [_finding(code, sentence, str(row[0])) for row in execute(query)]
    return found


def _finding(code: str, sentence: str, subject: str) -> Finding:
    return Finding(Severity.ERROR, code, sentence, subject, "restore the tenant from a backup")


DATABASE: Final = "brain.db"
LOCK: Final = "write.lock"
_IDLE_READERS: Final = 2
_REWRITTEN_WHOLE: Final = 1 << 30  # bytes of a database that is written anew to purge it
_EVENTS_SINCE: Final = 7  # the version since which the tables of events are as they are now
_MARKED: Final = (
    "SELECT num || ' ' || id FROM nodes",
    "SELECT num || ' ' || id FROM operations",
    "SELECT num || ' ' || turn || ' ' || created_at FROM steps",
)


class SqliteTruth:
    """The truth of one tenant in one SQLite file."""

    def __init__(
        self,
        folder: Path | None,
        *,
        tenant: str,
        clock: Clock,
        key: bytes | None = None,
        lock_timeout: float = 30.0,
    ) -> None:
        """Open the database in a folder, or in memory where there is none.

        A new file is created and one since the baseline brought forward, both under the write lock.
        """
        self._tenant = tenant
        self._clock = clock
        self._key = key
        self._path = MEMORY if folder is None else str(folder / DATABASE)
        self._lock = WriteLock(folder / LOCK if folder is not None else None, lock_timeout)
        self._readers: deque[SqliteTransaction] = deque()
        self._writer: SqliteTransaction | None = None
        self._memory = folder is None
        self._closed = False
        try:
            self._open()
        except BaseException:
            self.close()
            raise

    @property
    def path(self) -> str:
        return self._path

    def write(self) -> AbstractContextManager[Transaction]:
        return self._writing()

    def read(self) -> AbstractContextManager[Transaction]:
        return self._reading_in_memory() if self._memory else self._reading()

    def seq(self) -> int:
        with self._raw_read() as execute:
            found: int | None = execute("SELECT seq FROM tenant").get
            return require_row(found, self._path)

    def mark(self, earlier: str | None = None) -> str:
        """Return number and id of a node, an operation and a step, a line each; empty for none.

        They are the last ones, or those of the numbers in an earlier mark.
        """
        nums: list[str | None] = [None] * len(_MARKED)
        if earlier is not None:
            nums = [line.partition(" ")[0] for line in earlier.split("\n")]
        with self._raw_read() as execute:
            return "\n".join(
                _marked(execute, select, num) for select, num in zip(_MARKED, nums, strict=False)
            )

    def changes(self, since: int, *, limit: int = 10_000) -> list[Change]:
        with self.read() as rows:
            return rows.followed.changes(since, limit=limit).found

    def counts(self) -> dict[str, int]:
        with self._raw_read() as execute:
            tables = [
                row[0]
                for row in execute(
                    "SELECT name FROM sqlite_schema WHERE type = 'table'"
                    " AND name NOT LIKE 'sqlite_%' AND name <> 'tenant' ORDER BY name"
                )
            ]
            return {table: execute(f"SELECT count(*) FROM {table}").get for table in tables}

    def check(self) -> list[Finding]:
        with self._raw_read() as execute:
            return check_database(execute)

    def purge(self) -> bool:
        if self._memory:
            return True
        with self._closing_if_asked(), self._lock, translated(self._path):
            self._refuse_if_closed()
            if self._writer is None:
                self._writer = self._connect(query_only=False)
            while self._readers:  # idle ones of ours hold nothing, but their caches do
                self._readers.pop().connection.close()
            execute = self._writer.connection.execute
            # Deleted cells are overwritten, but moving cells between pages leaves copies in their
            # gaps: only writing all pages anew is sure. It happens in memory, so not for any size.
            if Path(self._path).stat().st_size <= _REWRITTEN_WHOLE:
                execute("VACUUM").fetchall()
            else:
                execute("PRAGMA incremental_vacuum").fetchall()
                execute("REINDEX").fetchall()
            busy = execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]
            execute("PRAGMA shrink_memory").fetchall()
            return not busy

    def backup(self, path: Path) -> None:
        with self._raw_read() as _, translated(str(path)):
            source = self._connect(query_only=True).connection
            target = connect(str(path), self._key)
            try:
                with target.backup("main", source, "main") as copy:
                    while not copy.done:
                        copy.step(1_000)
            finally:
                target.close()
                source.close()

    def close(self) -> None:
        """Close what is not in use now, and let the transactions that are open close the rest.

        The last connection to close folds the write-ahead log into the database.
        """
        self._closed = True
        with translated(self._path):
            while self._readers:
                self._readers.pop().connection.close()
            with self._lock.idle() as idle:
                if idle and self._writer is not None:
                    self._writer.connection.close()
                    self._writer = None
                if idle:
                    self._lock.close()

    @contextmanager
    def _writing(self) -> Iterator[SqliteTransaction]:
        with self._closing_if_asked(), self._lock, translated(self._path):
            self._refuse_if_closed()
            if self._writer is None:
                self._writer = self._connect(query_only=False)
            try:
                self._writer.begin(self._path, write=True)
                yield self._writer
                self._writer.commit()
            except BaseException:
                self._writer.abort()
                raise
            for action in self._writer.take_actions():
                action()

    @contextmanager
    def _reading(self) -> Iterator[SqliteTransaction]:
        self._refuse_if_closed()
        with self._closing_if_asked(), translated(self._path):
            try:
                transaction = self._readers.pop()
            except IndexError:
                transaction = self._connect(query_only=True)
            try:
                transaction.begin(self._path)
                yield transaction
            finally:
                transaction.abort()
                if len(self._readers) >= _IDLE_READERS:
                    transaction.connection.close()
                else:
                    self._readers.append(transaction)

    @contextmanager
    def _reading_in_memory(self) -> Iterator[SqliteTransaction]:
        """Serve a read from the one connection there is; what runs after a commit may read too."""
        writer = self._writer
        committed = self._lock.mine and writer and not writer.connection.in_transaction
        lock = nullcontext() if committed else self._lock
        with self._closing_if_asked(), lock, translated(self._path):
            self._refuse_if_closed()
            assert self._writer is not None
            connection = self._writer.connection
            connection.execute("PRAGMA query_only = ON")
            try:
                self._writer.begin(self._path)
                yield self._writer
            finally:
                self._writer.abort()
                connection.execute("PRAGMA query_only = OFF")

    @contextmanager
    def _raw_read(self) -> Iterator[Execute]:
        reading = self._reading_in_memory() if self._memory else self._reading()
        with reading as transaction:
            yield transaction.connection.execute

    @contextmanager
    def _closing_if_asked(self) -> Iterator[None]:
        """Close what was in use when somebody else closed the truth."""
        try:
            yield
        finally:
            if self._closed:
                self.close()

    def _connect(self, *, query_only: bool) -> SqliteTransaction:
        connection = connect(self._path, self._key, query_only=query_only)
        return SqliteTransaction(connection, self._tenant, self._clock)

    def _open(self) -> None:
        """Open the first connection, and create or upgrade the database where that is needed."""
        if self._memory:
            self._writer = self._connect(query_only=False)
            self._migrate()
            return
        reader = self._connect(query_only=True)
        self._readers.append(reader)
        with translated(self._path):
            if self._version_untouched(reader.connection) == latest():
                return
            with self._lock:
                self._writer = self._connect(query_only=False)
                self._migrate()

    def _version_untouched(self, connection: apsw.Connection) -> int:
        """Return the version of a database; one that we refuse is closed as it was found."""
        try:
            version = version_of(connection, self._path)
            if version:
                self._refuse_another_tenants(connection)
        except AdapterError:
            keep_untouched(connection)
            raise
        return version

    def _refuse_another_tenants(self, connection: apsw.Connection) -> None:
        name = connection.execute("SELECT name FROM tenant").get
        if name and name != self._tenant:
            raise AdapterError(
                f"{self._path} is the database of tenant {name!r}, not of {self._tenant!r};"
                " move it back to its own folder, or restore the right one",
                code="corrupt",
            )

    def _migrate(self) -> None:
        assert self._writer is not None
        now = to_micros(self._clock())
        with translated(self._path):
            migrate(self._writer.connection, self._path, tenant=self._tenant, now=now)

    def _refuse_if_closed(self) -> None:
        if self._closed:
            raise UsageError(f"{self._path} is closed; open the brain again", code="closed")


class OlderTruth(SqliteTruth):
    """The truth of a tenant of an older schema, for its events to be read; nothing is written.

    Only sessions, turns, operations and originals answer: other tables may be of another form.
    """

    def __init__(self, folder: Path, *, tenant: str, key: bytes | None = None) -> None:
        """Open the database in a folder as it is, whatever its version."""
        self._version: int | None = None
        super().__init__(folder, tenant=tenant, clock=_no_clock, key=key)

    def write(self) -> AbstractContextManager[Transaction]:
        raise UsageError(f"{self.path} is only read; it is of an older SmartBrain")

    def _open(self) -> None:
        with _opened_to_read(self._path, self._key) as connection:
            version = any_version_of(connection, self._path)
        if version < _EVENTS_SINCE:
            raise AdapterError(
                f"{self._path}: its schema {version} does not tell in which order it was"
                f" written; from {_EVENTS_SINCE} on events can be run again",
                code="older_database",
            )
        self._version = version

    def _connect(self, *, query_only: bool) -> SqliteTransaction:
        """Open another connection, which leaves the file as it is when it is closed."""
        connection = connect(self._path, self._key, query_only=query_only, create=False)
        keep_untouched(connection)
        return SqliteTransaction(connection, self._tenant, self._clock, self._version)


def _no_clock() -> datetime:
    """Give no time: what is only read dates nothing."""
    raise InternalError("a database that is only read asked for the time")


@contextmanager
def _opened_to_read(path: str, key: bytes | None) -> Iterator[apsw.Connection]:
    with translated(path):
        connection = connect(path, key, query_only=True, create=False)
        keep_untouched(connection)
        try:
            yield connection
        finally:
            connection.close()


def schema_version(folder: Path, key: bytes | None) -> int:
    """Return the schema version of a tenant's database without changing it."""
    path = str(folder / DATABASE)
    with _opened_to_read(path, key) as connection:
        return version_of(connection, path)


def _marked(execute: Execute, select: str, num: str | None) -> str:
    if num is None:
        return execute(f"{select} ORDER BY num DESC LIMIT 1").get or ""
    return (execute(f"{select} WHERE num = ?", (num,)).get or "gone") if num else ""


def hash_content(database: Path, key: bytes | None) -> str:
    """Return the hash of all rows of a database, which is equal however its pages lie."""
    digest = sha256()
    with _opened_to_read(str(database), key) as connection:
        execute = connection.execute
        names = execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table'"
            " AND name NOT LIKE 'sqlite_%' ORDER BY name"
        ).fetchall()
        for (name,) in names:
            digest.update(f"\n{name}\n".encode())
            columns = execute(f"SELECT count(*) FROM pragma_table_info('{name}')")
            order = ", ".join(str(one + 1) for one in range(columns.get))
            for row in execute(f"SELECT * FROM {name} ORDER BY {order}"):
                digest.update(repr(row).encode())
    return digest.hexdigest()


def raw_paths(database: Path, key: bytes | None) -> list[str]:
    """Return the paths of the originals that lie in files."""
    with _opened_to_read(str(database), key) as connection:
        execute = connection.execute
        rows = execute("SELECT path FROM raw_chunks WHERE path IS NOT NULL ORDER BY path")
        return [str(row[0]) for row in rows]
