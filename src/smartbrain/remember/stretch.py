"""The stretch of a key's versions that is made anew when something older arrives (M4).

In: a time, and the versions of keys. Out: what was said in the stretch, on a board where nothing
was said yet but what came before it. What came before a statement is not changed by it, and what
comes after mostly is not either: the versions are as they were from where they come out the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from smartbrain.domain.memory import OVER, Memory, Status
from smartbrain.domain.memory_type import ConflictClass
from smartbrain.remember.denials import ENDED, denials_of
from smartbrain.remember.dislikes import GOES_WITH
from smartbrain.remember.sayings import Saying, other_ends, sayings_of

if TYPE_CHECKING:
    from datetime import datetime

    from smartbrain.remember.board import Board
    from smartbrain.remember.outcome import Outcome

_NOTES: Final = (GOES_WITH, ENDED)
"""Rules of denials that are decided with what they go with, and not by themselves."""
_COMPARED: Final = ("value", "valid_since", "said_at", "frequency", "confidence", "tags")


@dataclass(frozen=True, slots=True)
class Stretch:
    """The versions of a key: those before what arrives, those to make anew, those after."""

    key: str
    before: list[Memory]
    told: list[Memory]
    after: list[Memory]

    def holds(self, at: datetime | None, moment: datetime) -> bool:
        """Tell whether a time lies in the stretch that something said at a moment begins."""
        first = self.told[0].valid_since if self.told else None
        if first is not None and first <= moment:
            return at is None or at >= first
        return at is None or at > moment

    @property
    def ends(self) -> datetime | None:
        """When the first version after the stretch was said first; nothing where there is none."""
        return self.after[0].valid_since if self.after else None


def stretch_of(type_name: str, key: str, size: int, board: Board) -> Stretch:
    """Return a stretch of some versions from what is said on the board on.

    Of facts it is all of them: which one stands depends on all that was said.
    """
    versions, at = board.history(type_name, key), board.origin.said_at
    if board.types.get(type_name).on_conflict is ConflictClass.PRIORITY:
        return Stretch(key, [], versions, [])
    first = next((n for n, one in enumerate(versions) if one.said_at > at), len(versions))
    return Stretch(key, versions[:first], versions[first:][:size], versions[first + size :])


def said_in(
    stretch: Stretch, type_name: str, until: datetime | None, board: Board, outcome: Outcome
) -> list[Saying]:
    """Return what was said in a stretch, up to a time."""
    kept = denials_of(type_name, stretch.key, board)
    near = [*stretch.before[-1:], *stretch.told, *stretch.after[:1]]
    kept += other_ends(near, kept, board)
    at, whole = board.origin.said_at, not stretch.before
    denials = [
        one
        for one in kept
        if (whole or stretch.holds(one.at, at)) and one.judged.candidate.rule not in _NOTES
    ]
    found = sayings_of(stretch.told, denials, board, outcome)
    return [one for one in found if until is None or one.origin.said_at < until]


def open_again(stretch: Stretch, type_name: str, board: Board, at: datetime) -> None:
    """Put what was said before a time on a board that stands apart, as it stood then."""
    known = list(stretch.before)
    if known and stretch.holds(known[-1].valid_until, at):
        known[-1] = replace(_not_over(known[-1]), status=Status.ACTIVE, valid_until=None)
    _adopt(known, stretch.key, type_name, board)


def goes_on(stretch: Stretch, type_name: str, until: datetime, board: Board) -> bool:
    """Tell whether the versions come out at the end of a stretch as they were."""
    was = next(reversed([*stretch.before, *stretch.told]), None)
    now = board.last(type_name, stretch.key)
    if was is None or now is None:
        return was is now
    ended = was.valid_until if was.status is Status.RETRACTED else None
    taken_back = ended is not None and ended < until
    if taken_back is not (now.status is Status.RETRACTED):
        return False
    was = was if taken_back else _not_over(was)
    return all(getattr(was, name) == getattr(now, name) for name in _COMPARED)


def _not_over(version: Memory) -> Memory:
    """Return a version as it was before it was said to be over."""
    return replace(version, tags=tuple(tag for tag in version.tags if tag != OVER))


def close(stretch: Stretch, type_name: str, board: Board) -> None:
    """Let the versions after a stretch follow as they were."""
    was = next(reversed([*stretch.before, *stretch.told]), None)
    now = board.last(type_name, stretch.key)
    if was is not None and now is not None:
        board.put(now, status=was.status, valid_until=was.valid_until, tags=was.tags)
    _adopt(stretch.after, stretch.key, type_name, board)


def _adopt(versions: Iterable[Memory], key: str, type_name: str, board: Board) -> None:
    """Put versions of a key on a board behind those that it has."""
    added = list(versions)
    for one in added:
        board.adopt(one)
    board.arrange(type_name, key, [*board.history(type_name, key), *added])
