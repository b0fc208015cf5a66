"""The notebook of each session, as `brain.notebook` shows it: what was done, and why (W4).

In: sessions and lines. Out: notes, and the trail of their changes. Finished tool runs leave a note
without being asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from smartbrain.brain.arguments import page_size
from smartbrain.remember.names import read_id

if TYPE_CHECKING:
    from smartbrain.bootstrap.root import Root
    from smartbrain.brain.lease import Lease
    from smartbrain.domain.kept import Note, TrailEntry


class Notebook:
    """The notebooks of a tenant's sessions: `brain.notebook`."""

    def __init__(self, lease: Lease, root: Root) -> None:
        self._lease = lease
        self._root = root

    def add(
        self,
        session_id: str,
        text: str,
        *,
        source: str | None = None,
        milestone: bool = False,
        actor: str = "user",
    ) -> Note:
        """Write a line and return it with its number.

        Args:
            session_id: the conversation.
            text: what was done or decided, and why.
            source: where it comes from, such as `tool:<call id>`.
            milestone: whether compaction has to leave it as it is.
            actor: `user` or `agent`.

        Raises:
            UsageError: an argument is malformed; nothing was written.
            AdapterError: the storage failed; nothing was written.
        """
        given = {"text": text, "source": source, "milestone": milestone}
        note: Note = self._do("add", session_id, given, actor)
        return note

    def list(self, session_id: str) -> Sequence[Note]:
        """Return the notes of a session in order.

        Raises:
            UsageError: the session is no name.
            AdapterError: the storage failed.
        """
        session = read_id(session_id, "session_id")
        with self._lease() as tenant:
            return self._root.writing.governing.state.notes(session, ports=tenant.ports)

    def compact(self, session_id: str) -> Sequence[Note]:
        """Fold the older notes into one line now, milestones excepted, and return what is left.

        Raises:
            UsageError: the session is no name.
            AdapterError: the storage failed; nothing was written.
        """
        left: Sequence[Note] = self._do("compact", session_id, {}, "user")
        return left

    def history(self, session_id: str, limit: int = 100) -> Sequence[TrailEntry]:
        """Return the changes of a notebook, newest first.

        Raises:
            UsageError: an argument is malformed.
            AdapterError: the storage failed.
        """
        session, most = read_id(session_id, "session_id"), page_size(limit)
        with self._lease() as tenant:
            return self._root.writing.governing.state.history(
                "notebook", session, most, ports=tenant.ports
            )

    def rollback(self, session_id: str, to: int | datetime | str) -> Sequence[Note]:
        """Bring a notebook back to what it was after a change, or at a time, and return it.

        Raises:
            UsageError: there is no such change.
            NotFound: code `gone`, if the trail does not reach back so far.
            AdapterError: the storage failed; nothing was written.
        """
        self._do("rollback", session_id, {"to": to}, "user")
        return self.list(session_id)

    def _do(self, verb: str, session_id: str, given: dict[str, Any], actor: str) -> Any:
        session = read_id(session_id, "session_id")
        with self._lease() as tenant:
            return self._root.writing.governing.state.do(
                f"notebook.{verb}", {"session": session, **given}, ports=tenant.ports, actor=actor
            )
