"""The runs of tools by their ids and newest first, wherever they were committed (W6).

In: ids and places. Out: stored calls with the turn they belong to; their texts are spans, as in
`ports.repositories.Events`, which also writes them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from smartbrain.domain.artifact import StoredCall


class Calls(Protocol):
    """Tool calls, one by one."""

    def get(self, call_id: str) -> StoredCall | None:
        """Return the call of an id, ours or its caller's; of several, the latest."""
        ...

    def page(
        self,
        *,
        session_id: str | None = None,
        turn_id: str | None = None,
        before: tuple[int, int] | None = None,
        limit: int = 50,
    ) -> list[tuple[tuple[int, int], StoredCall]]:
        """Return calls with their places, newest first, those before place `before`."""
        ...
