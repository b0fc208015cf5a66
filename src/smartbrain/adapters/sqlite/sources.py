"""Where something that was said, called or referred to is found, by its name.

Implements `ports.sources.Sources`.
"""

from __future__ import annotations

from typing import Final

import apsw

from smartbrain.adapters.sqlite.connection import translating

_SESSION: Final = "SELECT s.id FROM sessions s JOIN turns t ON t.session = s.num "


@translating
class SqliteSources:
    """Lookups by names that callers write down."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute

    def said_in(self, name: str) -> str | None:
        """Return the session of the message or turn of that id."""
        return self._first(
            f"{_SESSION}WHERE t.id = ?1 UNION ALL"
            f" {_SESSION}JOIN messages m ON m.turn = t.num WHERE m.id = ?1",
            name,
        )

    def turns_ending(self, end: str, *, within: int) -> list[str]:
        """Return turns whose ids end so, two at most, of so many that were stored last."""
        found = self._execute(
            "SELECT id FROM turns WHERE num > (SELECT max(num) FROM turns) - ?2"
            " AND substr(id, -length(?1)) = ?1 ORDER BY num DESC LIMIT 2",
            (end, within),
        )
        return [row[0] for row in found]

    def called_in(self, name: str) -> str | None:
        """Return the session of the tool call that has that id, ours or its caller's."""
        calls = f"{_SESSION}JOIN tool_calls c ON c.turn = t.num WHERE "
        # The caller's id is in no index, and is asked for only if it is not one of ours.
        return self._first(f"{calls}c.id = ?1", name) or self._first(f"{calls}c.call_id = ?1", name)

    def referred_in(self, uri: str) -> str | None:
        """Return the first session that refers to an address."""
        return self._first(f"{_SESSION}JOIN refs r ON r.turn = t.num WHERE r.ref_uri = ?1", uri)

    def _first(self, sql: str, name: str) -> str | None:
        found: str | None = self._execute(f"{sql} LIMIT 1", (name,)).get
        return found
