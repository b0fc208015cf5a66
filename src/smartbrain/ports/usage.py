"""How much a tenant holds, as far as a quota can limit it (S7).

In: nothing. Out: amounts, with what the transaction itself has written so far. Asked where a quota
is set, or where somebody wants to know what came of a document.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Usage(Protocol):
    """Amounts of one tenant."""

    def artifacts(self) -> int:
        """Return how many runs of tools are stored."""
        ...

    def memories(self) -> int:
        """Return how many memories there are, older versions included."""
        ...

    def counts(self, types: Sequence[str]) -> dict[str, int]:
        """Return how many memories of each type there are, whatever their status."""
        ...

    def bytes(self) -> int:
        """Return the size of the database and of the originals that lie beside it."""
        ...
