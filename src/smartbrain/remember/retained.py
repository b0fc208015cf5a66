"""What a commit says of a turn itself: its episode, and words that became nothing else.

In: the episode of a recorded turn, and what was read in it. Out: retentions with a code and a
sentence each, also of what is too much for one turn. What became of candidates is said where that
is decided.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from smartbrain.domain.result import Retention, RetentionAction
from smartbrain.remember.extract.statements import unread_after
from smartbrain.remember.extract.turn import NOTHING_LASTING
from smartbrain.remember.link import MOST_ENTITIES, MOST_STATEMENTS

if TYPE_CHECKING:
    from smartbrain.domain.memory import Memory
    from smartbrain.domain.statement import Statement
    from smartbrain.remember.extract.turn import Read
    from smartbrain.remember.link import Names
    from smartbrain.remember.record import Recorded

_KEPT: Final = frozenset({RetentionAction.WRITTEN, RetentionAction.MERGED})
_AHEAD: Final = timedelta(days=1)
"""How far a turn's time may be in the future, as clocks are set, before it is remarked on."""


def nothing_made(
    read: Read, reached: Set[int], names: Names, entities: Sequence[Retention]
) -> list[Retention]:
    """Say why a message became nothing but an event.

    To close a task is something, and so is to name an entity that is a memory.
    """
    kept = {one.key for one in entities if one.action in _KEPT}
    lasting = {*reached}
    lasting.update(message for message, key in names.said_in if key in kept)
    return [
        Retention(
            type="episodes",
            key="",
            action=RetentionAction.REFUSED,
            code=one.code,
            reason=one.reason,
        )
        for message, one in read.nothing
        if one.code not in NOTHING_LASTING or message not in lasting
    ]


def left_out(
    names: Names, read: Read, told: Sequence[tuple[int, Statement]]
) -> Iterator[Retention]:
    """Say how many names and statements are beyond what is kept of one step."""
    if names.left_out:
        reason = f"the first {MOST_ENTITIES} are kept, {len(names.left_out)} more left out"
        yield _over("entities", "entity_limit", reason)
    if len(told) < MOST_STATEMENTS:
        return
    more = len(told) - MOST_STATEMENTS
    unread = sum(
        unread_after([one for place, one in told if place == index], said)
        for index, said in read.said
    )
    if more or unread:
        reason = f"the first {MOST_STATEMENTS} are kept, {more} more left out, and {unread}"
        yield _over("statements", "statement_limit", f"{reason} sentences after them were not read")


def _over(type_name: str, code: str, reason: str) -> Retention:
    """Say that there is too much of a type."""
    return Retention(
        type=type_name, key="", action=RetentionAction.REFUSED, code=code, reason=reason
    )


def episode_kept(episode: Memory, recorded: Recorded) -> Retention:
    """Say that a turn left its episode, and whether its time is out of the order of turns."""
    step = recorded.said
    code, reason = "episode", "every turn leaves one episode that leads back to its original text"
    if recorded.is_late:
        code = "episode_late"
        reason = "it is older than the latest turn of its session; it is kept at its own time"
    elif step.at - step.created_at > _AHEAD:
        day = step.at.date().isoformat()
        code = "episode_ahead"
        reason = f"it is of {day}, which is still to come; until then what it says outranks others"
    return Retention(
        type=episode.type, key=episode.key, action=RetentionAction.WRITTEN, code=code, reason=reason
    )
