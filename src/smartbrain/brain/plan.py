"""The plan of each session, as `brain.plan` shows it: to-dos, and what makes them done (W4).

In: sessions, ids, texts. Out: steps, and the trail of their changes. A run of the session has the
same plan in mind.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from smartbrain.brain.trailed import Trailed
from smartbrain.remember.names import read_id

if TYPE_CHECKING:
    from smartbrain.domain.kept import TrailEntry
    from smartbrain.domain.packet import PlanEntry


class Plan(Trailed):
    """The plans of a tenant's sessions: `brain.plan`."""

    _kind = "plan"

    def add(
        self, session_id: str, text: str, done_when: str | None = None, *, actor: str = "user"
    ) -> PlanEntry:
        """Add a step and return it with its number.

        Args:
            session_id: the conversation.
            text: what is to be done.
            done_when: what makes it done.
            actor: `user` or `agent`.

        Raises:
            UsageError: an argument is malformed, or the plan is full; nothing was written.
        """
        given = {"text": text, "done_when": done_when}
        step: PlanEntry = self._do("add", given, actor, session=read_id(session_id, "session_id"))
        return step

    def check(
        self,
        session_id: str,
        id: int | str,  # noqa: A002 - the public keyword
        done: bool = True,
        *,
        actor: str = "user",
    ) -> PlanEntry:
        """Tick a step off, or open it again with `done=False`.

        Raises:
            UsageError: an argument is malformed; nothing was written.
            NotFound: there is no such step.
        """
        step: PlanEntry = self._do(
            "check", {"id": id, "done": done}, actor, session=read_id(session_id, "session_id")
        )
        return step

    def remove(
        self, session_id: str, ids: int | str | Sequence[int | str], *, actor: str = "user"
    ) -> Sequence[PlanEntry]:
        """Take steps out and return them.

        Raises:
            UsageError: there are no ids; nothing was written.
            NotFound: there is no such step; none was removed.
        """
        gone: Sequence[PlanEntry] = self._do(
            "remove", {"ids": ids}, actor, session=read_id(session_id, "session_id")
        )
        return gone

    def list(self, session_id: str) -> Sequence[PlanEntry]:
        """Return the plan of a session in order.

        Raises:
            UsageError: the session is no name.
        """
        session = read_id(session_id, "session_id")
        with self._lease() as tenant:
            return self._terms.writing.governing.state.plan(session, ports=tenant.ports)

    def history(self, session_id: str, limit: int = 100) -> Sequence[TrailEntry]:
        """Return the changes of a plan, newest first.

        Raises:
            UsageError: an argument is malformed.
        """
        return self._changes(limit, session=read_id(session_id, "session_id"))

    def rollback(self, session_id: str, to: int | datetime | str) -> Sequence[PlanEntry]:
        """Bring a plan back to what it was after a change, or at a time, and return it.

        Raises:
            UsageError: there is no such change.
            NotFound: code `gone`, if the trail does not reach back so far.
        """
        self._do("rollback", {"to": to}, session=read_id(session_id, "session_id"))
        return self.list(session_id)
