"""What was masked in the events of an encrypted tenant, kept apart from them (C10).

In: differences by the ids of messages, tool calls and refs. Out: the same again. No index, no
memory and no context reads it; it goes with its turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from smartbrain.domain.withheld import Difference


class Withheld(Protocol):
    """What the parts of turns said before they were masked."""

    def keep(self, turn_id: str, differences: Mapping[str, Difference]) -> None:
        """Keep what was masked in parts of a stored turn; more of a known part joins it.

        Raises:
            NotFound: there is no turn of that id.
        """
        ...

    def of(self, turn_ids: Sequence[str]) -> dict[str, Difference]:
        """Return what is kept of these turns, by the ids of their parts."""
        ...
