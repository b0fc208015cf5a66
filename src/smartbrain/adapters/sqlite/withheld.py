"""What was masked in events, as rows of an encrypted database.

Implements `ports.withheld.Withheld`. Not a change that views follow: they never see it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import apsw

from smartbrain.adapters.sqlite.connection import translating
from smartbrain.adapters.sqlite.rows import json_text, load
from smartbrain.domain.withheld import Difference
from smartbrain.errors import NotFound


@translating
class SqliteWithheld:
    """What the parts of turns said before they were masked."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._executemany = connection.executemany

    def keep(self, turn_id: str, differences: Mapping[str, Difference]) -> None:
        """Keep what was masked in parts of a stored turn; more of a known part joins it."""
        num: int | None = self._execute("SELECT num FROM turns WHERE id = ?", (turn_id,)).get
        if num is None:
            raise NotFound(f"there is no turn {turn_id!r} in this tenant")
        self._executemany(
            "INSERT INTO withheld (turn, part, was) VALUES (?, ?, ?)"
            " ON CONFLICT DO UPDATE SET was = json_patch(was, excluded.was)",
            [(num, part, json_text(was)) for part, was in differences.items()],
        )

    def of(self, turn_ids: Sequence[str]) -> dict[str, Difference]:
        """Return what is kept of these turns, by the ids of their parts."""
        rows = self._execute(
            "SELECT w.part, w.was FROM withheld w JOIN turns t ON t.num = w.turn"
            " WHERE t.id IN (SELECT value FROM json_each(?))",
            (json.dumps(list(turn_ids)),),
        )
        return {part: load(was) for part, was in rows}
