"""What scores come to when those of all are known: of turns, what was read out of them, and votes.

In: memories with their scores, and what became of what turns told. Out: the score of each. What was
read out of a turn leans on it; what holds now comes before the turn that would answer with what
does not hold any more; what users pinned or voted for moves up, and down what they voted against.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from smartbrain.domain.recalled import RecalledRow
    from smartbrain.recall.replaced import Since

_EPISODES: Final = "episodes"
_BEFORE: Final = 1.02  # of a turn's, the score of what stands in the place of its answer
_BEHIND: Final = 0.98  # of a turn's, the score of what says still what the turn told
_LEAN: Final = 0.85  # how far a memory leans on its turn, by what it does not say itself
_ALONE: Final = 0.7  # what it has left of that part if the turn was not found


class Settling:
    """The scores of one question, beside each other."""

    def __init__(
        self,
        scored: Sequence[tuple[float, RecalledRow, object]],
        since: Since,
        *,
        covered: Mapping[int, float],
        boost: float,
    ) -> None:
        """Take the scores so far; `covered` is how much of the question each says itself."""
        self._since, self._covered, self._boost = since, covered, boost
        self._turns = {row.source_turn_id: score for score, row, _ in scored if _is_turn(row)}
        self._answering: dict[int, float] = {}
        for turns, share in ((since.outdated, _BEFORE), (since.holding, _BEHIND)):
            for score, row, _ in scored if turns else ():
                for num in turns.get(row.num, ()):
                    self._answering[num] = max(self._answering.get(num, 0.0), share * score)

    def of(self, score: float, row: RecalledRow, *, leans: bool) -> float:
        """Return what the score of a memory comes to; not all lean on the turns they are of."""
        if leans and row.source_turn_id is not None and not _is_turn(row):
            score = self._leaning(score, row)
        if self._answering:
            score = max(score, self._answering.get(row.num, 0.0))
        return score * self._boost**row.feedback if row.feedback else score

    def _leaning(self, score: float, row: RecalledRow) -> float:
        """Return the score of a memory, held down by that of the turn it was read out of.

        A few words out of a turn look more like a question than the turn, whatever it is about,
        unless they say all that is asked. Of several turns that told it the best one counts.
        """
        turn = self._turns.get(row.source_turn_id, _ALONE * score)
        for told in self._since.told.get(row.num, ()):
            turn = max(turn, self._turns.get(told, 0.0))
        lean = _LEAN * (1.0 - self._covered.get(row.num, 0.0) ** 2)
        return (1.0 - lean) * score + lean * min(score, turn)


def _is_turn(row: RecalledRow) -> bool:
    return row.type == _EPISODES
