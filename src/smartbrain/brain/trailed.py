"""What the groups of working state share: a verb that leaves a trail, and the trail itself (W4).

In: the name of a verb of `govern.verbs` and what it is given, for one session or for the tenant.
Out: what the verb returns, or the changes so far. The groups say what their own verbs mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from smartbrain.brain.arguments import page_size

if TYPE_CHECKING:
    from smartbrain.bootstrap.terms import Terms
    from smartbrain.brain.lease import Lease
    from smartbrain.domain.kept import TrailEntry


class Trailed:
    """A group whose changes are numbered; `_kind` is what its verbs begin with.

    A session is one that was read: what is none never gets here.
    """

    _kind: str

    def __init__(self, lease: Lease, terms: Terms) -> None:
        self._lease = lease
        self._terms = terms

    def _do(
        self, verb: str, given: dict[str, Any], actor: str = "user", *, session: str | None = None
    ) -> Any:
        """Do a verb, for a session if the group belongs to one."""
        if session is not None:
            given = {"session": session, **given}
        with self._lease() as tenant:
            return self._terms.writing.governing.state.do(
                f"{self._kind}.{verb}", given, ports=tenant.ports, actor=actor
            )

    def _changes(self, limit: int, *, session: str | None = None) -> Sequence[TrailEntry]:
        """Return the changes so far, newest first."""
        most = page_size(limit)
        with self._lease() as tenant:
            return self._terms.writing.governing.state.history(
                self._kind, session, most, ports=tenant.ports
            )
