"""What a commit says of a turn itself: its episode, and words that became nothing else.

In: the episode of a recorded turn, and what was read in it. Out: retentions with a code and a
sentence each. What became of candidates is said where that is decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from smartbrain.domain.result import Retention, RetentionAction

if TYPE_CHECKING:
    from smartbrain.domain.candidate import Candidate
    from smartbrain.domain.memory import Memory
    from smartbrain.remember.extract.turn import Read
    from smartbrain.remember.record import Recorded

_AHEAD: Final = timedelta(days=1)
"""How far a turn's time may be in the future, as clocks are set, before it is remarked on."""


def nothing_made(read: Read, closed: Sequence[Candidate]) -> list[Retention]:
    """Say why a message of the user became nothing but an event; to close a task is something."""
    return [
        Retention(
            type="episodes",
            key="",
            action=RetentionAction.REFUSED,
            code=one.code,
            reason=one.reason,
        )
        for one in read.nothing
        if not closed or one.code != "nothing_lasting"
    ]


def episode_kept(episode: Memory, recorded: Recorded) -> Retention:
    """Say that a turn left its episode, and whether its time is out of the order of turns."""
    step, previous = recorded.said, recorded.previous
    code, reason = "episode", "every turn leaves one episode that leads back to its original text"
    if previous is not None and previous.at > step.at:
        code = "episode_late"
        reason = "it is older than the last turn of its session; it is kept at its own time"
    elif step.at - step.created_at > _AHEAD:
        day = step.at.date().isoformat()
        code = "episode_ahead"
        reason = f"it is of {day}, which is still to come; until then what it says outranks others"
    return Retention(
        type=episode.type, key=episode.key, action=RetentionAction.WRITTEN, code=code, reason=reason
    )
