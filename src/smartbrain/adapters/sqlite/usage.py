"""How much a tenant holds, from indexes and pragmas, never by a look at every row.

Implements `ports.usage.Usage`.
"""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from smartbrain.adapters.sqlite.connection import translating
from smartbrain.adapters.sqlite.rows import texts_json


@translating
class SqliteUsage:
    """Amounts of one tenant."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def artifacts(self) -> int:
        """Return how many runs of tools are stored."""
        return self._number("SELECT count(*) FROM tool_calls")

    def memories(self) -> int:
        """Return how many memories there are, older versions included."""
        # Two counts by indexes; those that are not deleted would be a look at every row.
        deleted = self._number("SELECT count(*) FROM memories WHERE deleted_at IS NOT NULL")
        return self._number("SELECT count(*) FROM memories") - deleted

    def counts(self, types: Sequence[str]) -> dict[str, int]:
        """Return how many memories of each type there are."""
        rows = self._execute(
            "SELECT g.value, (SELECT count(*) FROM memories m WHERE m.type = g.value"
            " AND m.deleted_at IS NULL) FROM json_each(?) g",
            (texts_json(types),),
        )
        return dict(rows)

    def bytes(self) -> int:
        """Return the size of the database's pages in use and of the originals in files."""
        files = self._number(
            "SELECT coalesce(sum(length), 0) FROM raw_chunks WHERE path IS NOT NULL"
        )
        pages = self._number("PRAGMA page_count") - self._number("PRAGMA freelist_count")
        return pages * self._number("PRAGMA page_size") + files

    def _number(self, sql: str) -> int:
        found: int = self._execute(sql).get
        return found
