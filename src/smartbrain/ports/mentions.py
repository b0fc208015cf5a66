"""Which turns mention an entity, in the order of the turns' own times (C2).

In: entities and a turn. Out: how far from it others mention them, whatever order they arrived in.
Whether that makes an entity a memory is not decided here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Mentions(Protocol):
    """Mentions of entities by the turns of sessions."""

    def places(
        self, entity_ids: Sequence[str], turn_id: str, *, turns: int
    ) -> dict[str, list[int]]:
        """Return where around a turn entities are mentioned, in the order of the turns' own times.

        The turn just before it in its session is -1, the one just after it 1; those that are as
        many as `turns` away, and the turn itself, do not count. An entity that no turn of the
        session mentions may be left out.
        """
        ...

    def named_around(self, turn_id: str, *, turns: int) -> list[str]:
        """Return the keys of active entities that turns fewer than `turns` from one mention."""
        ...

    def is_frequent(self, entity_id: str, *, times: int, turns: int) -> bool:
        """Tell whether so many of some turns in a row, of one session, mention an entity."""
        ...

    def counted(
        self, entity_ids: Sequence[str], session_id: str, *, turns: int, without: str | None = None
    ) -> dict[str, int]:
        """Return in how many of a session's last turns each entity was mentioned.

        Args:
            entity_ids: the entities.
            session_id: the session.
            turns: how many of its turns, back from the last one.
            without: the id of a turn that does not count, such as the one being written.
        """
        ...
