"""The peer that truth is measured against: SQLite through apsw with nothing above it.

In: a database file. Out: a connection with the pragmas of ours, and `Recorder`, which learns from
the session extension exactly which rows a transaction wrote, so that `replay` can write the same
rows into a second database: ready-made tuples, prepared statements, one transaction.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apsw

PRAGMAS = """
PRAGMA foreign_keys = ON;
PRAGMA synchronous = FULL;
PRAGMA secure_delete = ON;
PRAGMA temp_store = MEMORY;
"""

Row = tuple[Any, ...]
Statement = tuple[str, list[Row]]


def connect(path: Path, key: bytes | None = None) -> apsw.Connection:
    """Open a database with the pragmas that SmartBrain opens it with."""
    connection = apsw.Connection(str(path))
    if key is not None:
        connection.pragma("key", f"raw:{key.hex()}")
    connection.set_busy_timeout(10_000)
    connection.execute(PRAGMAS)
    return connection


def drop_triggers(connection: apsw.Connection) -> None:
    """Let a peer write what triggers of the schema write by hand, as it repeats every row."""
    found = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for (name,) in found:
        connection.execute(f"DROP TRIGGER {name}")


def replay(connection: apsw.Connection, statements: Sequence[Statement]) -> None:
    """Write recorded rows in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    for sql, rows in statements:
        connection.executemany(sql, rows)
    connection.execute("COMMIT")


@dataclass(frozen=True, slots=True)
class _Table:
    """What is needed to write a table's rows: its columns and its primary key."""

    name: str
    columns: tuple[str, ...]
    key: tuple[int, ...]


class Recorder:
    """Tells which rows each transaction of a connection writes."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._tables = _tables(connection)

    @contextmanager
    def recording(self) -> Iterator[list[Statement]]:
        """Fill the yielded list with the statements that repeat what the block committed."""
        session = apsw.Session(self._connection, "main")
        session.attach()
        statements: list[Statement] = []
        try:
            yield statements
            statements += self._statements(session.changeset())
        finally:
            session.close()

    def _statements(self, changeset: bytes) -> list[Statement]:
        """Put a changeset into statements, parents before children, rows in key order."""
        found: dict[tuple[int, str], list[tuple[Row, Row]]] = {}
        places = {table.name: place for place, table in enumerate(self._tables)}
        for change in apsw.Changeset.iter(changeset):
            place = places[change.name]
            sql, key, row = _repeated(self._tables[place], change)
            found.setdefault((place, sql), []).append((key, row))
        return [(sql, [row for _, row in sorted(rows)]) for (_, sql), rows in sorted(found.items())]


def contents(connection: apsw.Connection) -> dict[str, list[Row]]:
    """Return every row of every table, for telling whether two databases are the same."""
    return {
        table.name: list(connection.execute(f"SELECT * FROM {table.name} ORDER BY 1, 2"))
        for table in _tables(connection)
    }


def _repeated(table: _Table, change: Any) -> tuple[str, Row, Row]:
    """Return the statement that repeats one change, the key of its row and the values."""
    known = change.new if change.op == "INSERT" else change.old
    key = tuple(known[place] for place in table.key)
    if change.op == "INSERT":
        names, marks = ", ".join(table.columns), ", ".join("?" * len(table.columns))
        return f"INSERT INTO {table.name} ({names}) VALUES ({marks})", key, change.new
    where = " AND ".join(f"{table.columns[place]} = ?" for place in table.key)
    if change.op == "DELETE":
        return f"DELETE FROM {table.name} WHERE {where}", key, key
    changed = [place for place, value in enumerate(change.new) if value is not apsw.no_change]
    assigned = ", ".join(f"{table.columns[place]} = ?" for place in changed)
    values = tuple(change.new[place] for place in changed)
    return f"UPDATE {table.name} SET {assigned} WHERE {where}", key, values + key


def _tables(connection: apsw.Connection) -> list[_Table]:
    """Return the tables in the order the schema makes them, which is parents first."""
    names = connection.execute(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        " ORDER BY rowid"
    )
    return [_table(connection, name) for (name,) in list(names)]


def _table(connection: apsw.Connection, name: str) -> _Table:
    """Read a table's columns and key."""
    rows = list(connection.execute("SELECT name, pk FROM pragma_table_info(?)", (name,)))
    key = tuple(place for place, (_, number) in enumerate(rows) if number)
    return _Table(name, tuple(row[0] for row in rows), key)
