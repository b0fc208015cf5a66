"""Where a session was ended last: opened again, it has only in mind what came after that (W2).

In: a session. Out: the place of its last turn by then, and the version of its summary. A turn opens
an ended session again; its turns and memories stay, and so do the summaries of before.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final, NamedTuple

from smartbrain.domain.job import StateEntry
from smartbrain.domain.summary import PROGRESS, SUMMARY, Summary, SummaryProgress

if TYPE_CHECKING:
    from smartbrain.ports.truth import Transaction

_ENDED: Final = "ended"


class SessionEnd(NamedTuple):
    """The last turn and the last summary that a session had when it was ended; none are 0."""

    turn: int = 0
    summary: int = 0


def last_end(session_id: str, *, transaction: Transaction) -> SessionEnd:
    """Return where a session was ended last."""
    entries = transaction.working.state(_owner(session_id), _ENDED)
    return SessionEnd(**entries[0].body) if entries else SessionEnd()


def note_end(session_id: str, at: datetime, *, transaction: Transaction) -> None:
    """Write down that a session ends where it is now; its next summary begins with nothing."""
    owner, working = _owner(session_id), transaction.working
    last = transaction.events.last_turn(session_id)
    written = [Summary.from_dict(one.body).version for one in working.state(owner, SUMMARY)]
    end = SessionEnd(last.seq if last else 0, max(written, default=0))
    progress = SummaryProgress(version=end.summary)
    for kind, body in ((_ENDED, end._asdict()), (PROGRESS, progress.to_dict())):
        working.put_state(
            StateEntry(owner=owner, kind=kind, id=kind, body=body, created_at=at, updated_at=at)
        )


def _owner(session_id: str) -> str:
    return f"session:{session_id}"
