"""The episodes that came last, kept so that the next ones are put beside them at once.

In: episodes as they were read, and the documents made of them. Out: what is around a new episode
and around those that it has come beside, as the truth would tell. That is known only where every
change is seen: in a view that follows. Whatever is not plainly the next turn of a conversation is
left to the truth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from smartbrain.domain.indexed import REACH, IndexedMemory, NearbyEpisode, nearby_at
from smartbrain.domain.memory import OFF_RECORD
from smartbrain.recall.views.documents import EPISODES

if TYPE_CHECKING:
    from smartbrain.domain.search import TextDocument

_MOST: Final = 32
_ACTIVE: Final = "active"

_Told = dict[int, dict[int, str]]
"""Texts by the number of their episode, by the place of its turn in the session."""


class Lately:
    """What is known of episodes that changed last; not safe to use from several threads.

    The end of a session is all that its active episodes tell from three turns before its last on:
    as far as what is around an episode that the next turn comes beside can reach.
    """

    def __init__(self) -> None:
        self.rows: dict[int, IndexedMemory] = {}
        self.documents: dict[int, TextDocument] = {}
        self._ends: dict[str, _Told] = {}

    def drop(self, nums: Sequence[int]) -> None:
        """Forget episodes that have changed, and the ends of sessions that they are part of."""
        for num in nums:
            row = self.rows.pop(num, None)
            if row is not None:
                del self.documents[num]
                end = self._ends.get(row.session_id, {})
                if any(num in texts for texts in end.values()):
                    del self._ends[row.session_id]

    def beside(
        self, nums: Sequence[int], found: Sequence[IndexedMemory]
    ) -> dict[int, tuple[NearbyEpisode, ...]] | None:
        """Return what is around a new episode and those beside it; None where that is not known.

        Args:
            nums: what has changed, and was dropped here.
            found: what there is of it.
        """
        if len(found) < len(nums):
            self._ends.clear()  # where the others were is not known any more
            return None
        episodes = [row for row in found if row.type == EPISODES]
        if not episodes:
            return {}
        told = self._ends.get(episodes[0].session_id)
        if told is None or not _is_next(episodes):
            return None
        (new,) = episodes
        if new.turn <= max(told):
            return None
        told = {at: texts for at, texts in told.items() if at >= new.turn - 2 * REACH}
        told[new.turn] = {new.num: _nearby_text(new)}
        places = {num: at for at in told if at >= new.turn - REACH for num in told[at]}
        if any(num not in self.rows for num in places if num != new.num):
            return None
        self._ends[new.session_id] = told
        return {num: nearby_at(told, at) for num, at in places.items()}

    def learn(self, nums: Sequence[int], found: Sequence[IndexedMemory]) -> None:
        """Take what the truth has told around what changed for the ends of sessions."""
        episodes = [row for row in found if row.type == EPISODES]
        for row in episodes:
            self._ends.pop(row.session_id, None)
        changed = [row for row in episodes if row.num in nums]
        if not _is_next(changed):
            return
        (new,) = changed
        told: _Told = {new.turn: {new.num: _nearby_text(new)}}
        for near in new.nearby:
            told.setdefault(new.turn - near.distance, {})[near.num] = near.text
        before = told.get(new.turn - 1, {})
        for row in episodes:
            for near in row.nearby if row.num in before else ():
                if near.distance == REACH:
                    told.setdefault(new.turn - 1 - REACH, {})[near.num] = near.text
        self._ends[new.session_id] = told

    def keep(self, rows: Sequence[IndexedMemory], documents: Mapping[int, TextDocument]) -> None:
        """Keep episodes that have a document, until as many others have come."""
        for row in rows:
            if row.num in documents:
                self.rows[row.num] = row
                self.documents[row.num] = documents[row.num]
        while len(self.rows) > _MOST:
            self.drop([next(iter(self.rows))])


def _nearby_text(row: IndexedMemory) -> str:
    """Return what an episode adds to those beside it; nothing if it is off the record."""
    return "" if OFF_RECORD in row.tags else row.text


def _is_next(episodes: Sequence[IndexedMemory]) -> bool:
    """Tell whether these are one episode, which holds, of the last turn of its session."""
    return len(episodes) == 1 and episodes[0].last and episodes[0].status == _ACTIVE
