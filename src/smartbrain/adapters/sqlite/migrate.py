"""The schema's history: numbered SQL files, applied forward in one transaction.

In: a connection under the write lock. Out: a database of the newest version, or untouched. The
first file is the baseline; an older database has no claims and is refused, for its events alone can
be brought along. The version is SQLite's `user_version`; `application_id` tells our files apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Final

import apsw

from smartbrain.errors import AdapterError, InternalError

APPLICATION_ID: Final = int.from_bytes(b"SBrn", "big")
BASELINE: Final = 14
"""The first version that is read: memories are folded from claims since."""


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the schema: its number, its name and its SQL."""

    number: int
    name: str
    sql: str


@cache
def migrations() -> tuple[Migration, ...]:
    """Return all migrations in order, numbered from the baseline on without a gap."""
    folder = resources.files(__package__) / "migrations"
    found = []
    for entry in sorted(folder.iterdir(), key=lambda item: item.name):
        if entry.name.endswith(".sql"):
            number, _, name = entry.name.removesuffix(".sql").partition("_")
            found.append(Migration(int(number), name, entry.read_text(encoding="utf-8")))
    if [step.number for step in found] != list(range(BASELINE, BASELINE + len(found))):
        first = ", ".join(str(BASELINE + place) for place in range(3))
        raise InternalError(f"the migrations of the package are not numbered {first}, …")
    return tuple(found)


@cache
def latest() -> int:
    """Return the schema version that this SmartBrain reads and writes."""
    return migrations()[-1].number


def version_of(connection: apsw.Connection, path: str) -> int:
    """Return a database's schema version, 0 for an empty file."""
    version = any_version_of(connection, path)
    if 0 < version < BASELINE:
        raise AdapterError(
            f"{path}: made by an older SmartBrain (schema {version}, this one reads {BASELINE} and"
            " later); `memctl replay --into NEW` makes a new brain from its events, nothing was"
            " touched",
            code="older_database",
        )
    return version


def any_version_of(connection: apsw.Connection, path: str) -> int:
    """Return a database's schema version, that of an older SmartBrain too."""
    with connection:  # one state for all three, or another process's upgrade falls between them
        version = int(connection.pragma("user_version"))
        owner = int(connection.pragma("application_id"))
        empty = not connection.execute("SELECT count(*) FROM sqlite_schema").get
    if version == latest() and owner == APPLICATION_ID:
        return version
    if owner != APPLICATION_ID and not (empty and version == 0):
        raise AdapterError(
            f"{path}: this is not a SmartBrain database; move it away", code="corrupt"
        )
    if version > latest():
        raise AdapterError(
            f"{path}: made by a newer SmartBrain (schema {version}, this one knows {latest()});"
            " upgrade smartbrain, nothing was touched",
            code="newer_database",
        )
    return version


def pending(version: int) -> tuple[Migration, ...]:
    """Return the migrations that a database of this version still needs."""
    return tuple(step for step in migrations() if step.number > version)


def migrate(connection: apsw.Connection, path: str, *, tenant: str, now: int) -> int:
    """Bring a database forward in one transaction and return the version it had.

    The caller holds the write lock; the version is read again inside the transaction, so the
    second of two processes finds nothing left to do. A new file can give freed pages back.
    """
    connection.pragma("auto_vacuum", 2)  # incremental; it counts before the first table alone
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = version_of(connection, path)
        for step in pending(version):
            connection.execute(step.sql)
        if version == 0:
            connection.pragma("application_id", APPLICATION_ID)
            connection.execute(
                "INSERT INTO tenant (id, name, created_at) VALUES (1, ?, ?)", (tenant, now)
            )
        if version < latest():
            connection.pragma("user_version", latest())
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return version
