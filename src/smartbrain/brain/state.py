"""The working state of a session as one file, as `brain.state` shows it: `context_state.json` (W8).

In: a session and a path. Out: plain JSON, a diff, or the file's content put in place, all of it or
nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from smartbrain.remember.names import read_id

if TYPE_CHECKING:
    from smartbrain.bootstrap.terms import Terms
    from smartbrain.brain.lease import Lease
    from smartbrain.domain.governed import Governed
    from smartbrain.domain.kept import Compaction


class State:
    """The working state of a tenant's sessions: `brain.state`."""

    def __init__(self, lease: Lease, terms: Terms) -> None:
        self._lease = lease
        self._terms = terms

    def export(
        self, session_id: str, path: str | os.PathLike[str] | None = None
    ) -> Mapping[str, Any]:
        """Return the state of a session, and write it to a file if one is named.

        Raises:
            UsageError: the session is no name, or the file cannot be written.
        """
        session = read_id(session_id, "session_id")
        with self._lease() as tenant:
            return self._terms.writing.governing.state.export(session, path, ports=tenant.ports)

    def diff(self, session_id: str, path: str | os.PathLike[str]) -> str:
        """Return how a file differs from what is stored, as a unified diff; empty if it does not.

        Raises:
            UsageError: the session is no name, or the file cannot be read.
        """
        session = read_id(session_id, "session_id")
        with self._lease() as tenant:
            return self._terms.writing.governing.state.diff(session, path, ports=tenant.ports)

    def load(
        self, session_id: str, path: str | os.PathLike[str], *, actor: str = "user"
    ) -> Mapping[str, int]:
        """Put what a file says in place and return the number of each list's last change.

        Raises:
            UsageError: the file cannot be read; or, code `bad_state_file`, something in it is
                wrong: the sentence has the line and the reason, and nothing was changed.
        """
        session = read_id(session_id, "session_id")
        with self._lease() as tenant:
            return self._terms.writing.governing.state.load(
                session, path, actor=actor, ports=tenant.ports
            )

    def governed(self, session_id: str) -> Governed:
        """Return the pins, the plan, the notes and the surface memory that a session is shown.

        Raises:
            UsageError: the session is no name.
        """
        session = read_id(session_id, "session_id")
        with self._lease() as tenant:
            return self._terms.writing.governing.state.governed(session, ports=tenant.ports)

    def compaction(self, session_id: str) -> Compaction:
        """Return how far the chat of a session is from its next soft compaction.

        Raises:
            UsageError: the session is no name.
        """
        session = read_id(session_id, "session_id")
        with self._lease() as tenant:
            return self._terms.writing.governing.state.compaction(session, ports=tenant.ports)
