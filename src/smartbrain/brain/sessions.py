"""The conversations of a tenant, as `brain.sessions` shows them.

In: names and places. Out: sessions and turns, a page at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from smartbrain.brain.arguments import page_size, read_place, whole
from smartbrain.domain.page import SessionPage
from smartbrain.domain.turn import Turn
from smartbrain.govern.short_term import end_session, list_sessions, list_turns
from smartbrain.remember.arguments import read_id

if TYPE_CHECKING:
    from smartbrain.brain.arguments import Lease
    from smartbrain.domain.forgetting import ForgetReceipt


class Sessions:
    """The conversations of a tenant: `brain.sessions`."""

    def __init__(self, lease: Lease, forget: Callable[..., ForgetReceipt]) -> None:
        self._lease = lease
        self._forget = forget

    def list(self, limit: int = 100, cursor: str | None = None) -> SessionPage:
        """Return sessions, the one spoken in last first, a page at a time.

        A session that is spoken in meanwhile moves to the front, where a new listing finds it.

        Args:
            limit: how many at most, up to 1,000.
            cursor: the `cursor` of the page before.
        """
        after = None if cursor is None else read_place(cursor)
        with self._lease() as tenant:
            found = list_sessions(ports=tenant.ports, after=after, limit=page_size(limit) + 1)
        items = found[:limit]
        more = len(found) > limit
        return SessionPage(
            tuple(session for _, session in items),
            "{}.{}".format(*items[-1][0]) if more else None,
        )

    def turns(self, session_id: str, *, after: int = 0, limit: int = 100) -> Sequence[Turn]:
        """Return a session's turns in order with their text; an unknown session has none.

        Args:
            session_id: the conversation.
            after: the `seq` of the last turn already read.
            limit: how many turns at most.
        """
        session = read_id(session_id, "session_id")
        with self._lease() as tenant:
            return list_turns(
                session,
                ports=tenant.ports,
                after=whole(after, "after", 0),
                limit=page_size(limit),
            )

    def end(self, session_id: str) -> None:
        """Mark a session as ended; a later turn opens it again, with nothing of before in mind.

        Raises:
            NotFound: there is no such session.
        """
        session = read_id(session_id, "session_id")
        with self._lease() as tenant:
            end_session(session, ports=tenant.ports)

    def delete(self, session_id: str) -> ForgetReceipt:
        """Forget a session for good: its turns, and every memory that only it tells of.

        Raises:
            NotFound: there is no such session; nothing was deleted.
        """
        return self._forget(session_id=read_id(session_id, "session_id"))
