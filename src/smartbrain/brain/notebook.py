"""The notebook of each session, as `brain.notebook` shows it: what was done, and why (W4).

In: sessions and lines. Out: notes, and the trail of their changes. Finished tool runs leave a note
without being asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from smartbrain.brain.trailed import Trailed
from smartbrain.remember.names import read_id

if TYPE_CHECKING:
    from smartbrain.domain.kept import Note, TrailEntry


class Notebook(Trailed):
    """The notebooks of a tenant's sessions: `brain.notebook`."""

    _kind = "notebook"

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
        """
        given = {"text": text, "source": source, "milestone": milestone}
        note: Note = self._do("add", given, actor, session=read_id(session_id, "session_id"))
        return note

    def list(self, session_id: str) -> Sequence[Note]:
        """Return the notes of a session in order.

        Raises:
            UsageError: the session is no name.
        """
        session = read_id(session_id, "session_id")
        with self._lease() as tenant:
            return self._terms.writing.governing.state.notes(session, ports=tenant.ports)

    def compact(self, session_id: str) -> Sequence[Note]:
        """Fold the older notes into one line now, milestones excepted, and return what is left.

        Raises:
            UsageError: the session is no name.
        """
        left: Sequence[Note] = self._do("compact", {}, session=read_id(session_id, "session_id"))
        return left

    def history(self, session_id: str, limit: int = 100) -> Sequence[TrailEntry]:
        """Return the changes of a notebook, newest first.

        Raises:
            UsageError: an argument is malformed.
        """
        return self._changes(limit, session=read_id(session_id, "session_id"))

    def rollback(self, session_id: str, to: int | datetime | str) -> Sequence[Note]:
        """Bring a notebook back to what it was after a change, or at a time, and return it.

        Raises:
            UsageError: there is no such change.
            NotFound: code `gone`, if the trail does not reach back so far.
        """
        self._do("rollback", {"to": to}, session=read_id(session_id, "session_id"))
        return self.list(session_id)
