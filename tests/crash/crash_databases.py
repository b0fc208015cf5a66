"""Databases of earlier schema versions, with rows in them, as an earlier SmartBrain left them.

In: a tenant's folder and a version. Out: a `brain.db` made by running that version's migrations
alone, and what can be read out of one without changing it. Version 0 is no database at all.
"""

from __future__ import annotations

import json
from pathlib import Path

import apsw

from smartbrain.adapters.blobs.cipher import AesGcm
from smartbrain.adapters.blobs.files import FileBlobs
from smartbrain.adapters.sqlite.connection import connect
from smartbrain.adapters.sqlite.migrate import APPLICATION_ID, latest, migrations
from smartbrain.domain.ids import raw_id

SESSION = "旧 old"
Tables = frozenset[tuple[str, str]]


def old_text(tenant: str) -> str:
    """Return what the one turn of an old database says."""
    return f"{tenant} 的旧内容, said long ago"


def build_old(folder: Path, version: int, key: bytes | None, *, tenant: str) -> None:
    """Make a database of a version with one turn in it; of version 0, nothing."""
    if not version:
        return
    connection = connect(str(folder / "brain.db"), key)
    connection.pragma("journal_mode", "wal")
    with connection:
        _run(connection, version)
        connection.execute("INSERT INTO tenant (id, name, created_at) VALUES (1, ?, 1)", (tenant,))
        data = old_text(tenant).encode()
        _insert_turn(
            connection, data, FileBlobs(folder, AesGcm(key) if key else None).address(data)
        )
        connection.execute(
            "INSERT INTO tombstones (kind, fingerprint, subject_id, reason, created_at)"
            " VALUES ('value', ?, 'x', '拒绝', 1)",
            (tenant,),
        )
    connection.close()


def tables_of(folder: Path, key: bytes | None) -> tuple[int, Tables]:
    """Return a database's version and everything its schema declares."""
    if not (folder / "brain.db").exists():
        return 0, frozenset()
    connection = connect(str(folder / "brain.db"), key, query_only=True)
    try:
        return int(connection.pragma("user_version")), _declared(connection)
    finally:
        connection.close()


def text_of(folder: Path, key: bytes | None) -> str | None:
    """Return what the one turn of a database says, None if there is no turn."""
    if not tables_of(folder, key)[0]:
        return None
    connection = connect(str(folder / "brain.db"), key, query_only=True)
    try:
        body = connection.execute(
            "SELECT r.body FROM messages m JOIN raw_chunks r ON r.num = m.spans ->> 0 ->> 0"
        ).get
        return None if body is None else body.decode()
    finally:
        connection.close()


def declared_by(version: int) -> Tables:
    """Return what a whole database of a version declares."""
    connection = apsw.Connection(":memory:")
    try:
        _run(connection, version)
        return _declared(connection)
    finally:
        connection.close()


def set_version(folder: Path, version: int, key: bytes | None = None) -> None:
    """Write another version number into a database."""
    connection = connect(str(folder / "brain.db"), key)
    connection.pragma("user_version", version)
    connection.close()


def versions() -> list[int]:
    """Return every version that a database may be of: none yet, and what each migration makes."""
    return [0, *(step.number for step in migrations())]


def _run(connection: apsw.Connection, version: int) -> None:
    for step in migrations():
        if step.number <= version:
            connection.execute(step.sql)
    connection.pragma("application_id", APPLICATION_ID)
    connection.pragma("user_version", version)
    assert version <= latest()


def _insert_turn(connection: apsw.Connection, data: bytes, address: str) -> None:
    connection.execute("INSERT INTO nodes (num, id, kind) VALUES (1, ?, 'Raw')", (raw_id(address),))
    connection.execute(
        "INSERT INTO raw_chunks (num, address, length, mime, body, tier, held, stored_at)"
        " VALUES (1, ?, ?, 'text/plain; charset=utf-8', ?, 'hot', 1, 1)",
        (address, len(data), data),
    )
    connection.execute(
        "INSERT INTO sessions (num, id, started_at, last_at, turns) VALUES (1, ?, 1, 1, 1)",
        (SESSION,),
    )
    connection.execute(
        "INSERT INTO turns (num, id, session, seq, at, utc_offset, rules_hash, proposals,"
        " created_at) VALUES (1, 'turn-1', 1, 1, 1, 0, '', '{}', 1)"
    )
    connection.execute(
        "INSERT INTO messages (turn, ordinal, id, role, meta, spans)"
        " VALUES (1, 0, 'message-1', 'user', '{}', ?)",
        (json.dumps([[1, 0, len(data)]]),),
    )


def _declared(connection: apsw.Connection) -> Tables:
    return frozenset(connection.execute("SELECT name, sql FROM sqlite_schema WHERE sql NOT NULL"))
