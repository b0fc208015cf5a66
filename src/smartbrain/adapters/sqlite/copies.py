"""Copies of a tenant's database: what they hold, as one hash of all rows, and their files.

In: a database file and perhaps its key. Out: a hash that is equal where every row is, however the
pages lie, and the paths of the originals in files. Copying itself is the truth's.
"""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from smartbrain.adapters.sqlite.connection import connect, translated


def hash_content(database: Path, key: bytes | None) -> str:
    """Return the hash of all rows of a database."""
    path = str(database)
    connection = connect(path, key, query_only=True, create=False)
    digest = sha256()
    try:
        with translated(path):
            names = connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table'"
                " AND name NOT LIKE 'sqlite_%' ORDER BY name"
            ).fetchall()
            for (name,) in names:
                digest.update(f"\n{name}\n".encode())
                columns = connection.execute(f"SELECT count(*) FROM pragma_table_info('{name}')")
                order = ", ".join(str(one + 1) for one in range(columns.get))
                for row in connection.execute(f"SELECT * FROM {name} ORDER BY {order}"):
                    digest.update(repr(row).encode())
    finally:
        connection.close()
    return digest.hexdigest()


def raw_paths(database: Path, key: bytes | None) -> list[str]:
    """Return the paths of the originals that lie in files."""
    path = str(database)
    connection = connect(path, key, query_only=True, create=False)
    try:
        with translated(path):
            rows = connection.execute(
                "SELECT path FROM raw_chunks WHERE path IS NOT NULL ORDER BY path"
            ).fetchall()
            return [str(row[0]) for row in rows]
    finally:
        connection.close()
