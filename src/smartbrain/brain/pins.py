"""The pins of a tenant, as `brain.pins` shows them: a few key facts that every context has (W5).

In: ids, texts and plain values. Out: pins, and the trail of their changes.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from smartbrain.brain.trailed import Trailed

if TYPE_CHECKING:
    from smartbrain.domain.kept import Pin, TrailEntry


class Pins(Trailed):
    """The pins of a tenant: `brain.pins`."""

    _kind = "pins"

    def add(
        self,
        type: str,  # noqa: A002 - the public keyword
        title: str,
        summary: str,
        source: str,
        artifact_ref: str | None = None,
        ttl: int | str | None = None,
        *,
        actor: str = "user",
    ) -> Pin:
        """Pin a key fact and return it with its number.

        Args:
            type: `constraint`, `path`, `command`, `code` or `conclusion`.
            title: what it is about, in a few words.
            summary: the fact itself, at most 600 characters.
            source: `chat:<message or turn id>`, `tool:<call id>` or `file:<path>#L<line>`.
            artifact_ref: where the rest is, if the summary is one of something longer.
            ttl: how long it lives: `7` or `"7d"` are days, `"30 sessions"` sessions; by default 7
                days or 30 sessions, whichever ends first.
            actor: `user`, or `agent` for a pin that may have to wait until it is accepted.

        Raises:
            UsageError: a field is malformed or too long, or the source leads nowhere.
            Conflict: code `pins_full`; the sentence names pins to remove.
        """
        given = {
            "type": type,
            "title": title,
            "summary": summary,
            "source": source,
            "artifact_ref": artifact_ref,
            "ttl": ttl,
        }
        pin: Pin = self._do("add", given, actor)
        return pin

    def update(
        self,
        id: int | str,  # noqa: A002 - the public keyword
        *,
        actor: str = "user",
        **fields: Any,
    ) -> Pin:
        """Change fields of a pin: type, title, summary, source, artifact_ref or ttl.

        Raises:
            UsageError: there is nothing to change, or a field is unknown, malformed or too long.
            NotFound: there is no such pin.
        """
        pin: Pin = self._do("update", {"id": id, **fields}, actor)
        return pin

    def remove(self, ids: int | str | Sequence[int | str], *, actor: str = "user") -> Sequence[Pin]:
        """Take pins off and return them.

        Raises:
            UsageError: there are no ids.
            NotFound: there is no such pin; none was removed.
        """
        gone: Sequence[Pin] = self._do("remove", {"ids": ids}, actor)
        return gone

    def renew(
        self,
        ids: int | str | Sequence[int | str],
        ttl: int | str | None = None,
        *,
        actor: str = "user",
    ) -> Sequence[Pin]:
        """Let pins live on from now, as long as before or as `ttl` says; expired ones come back.

        Raises:
            UsageError: there are no ids, or the time to live is none.
            NotFound: there is no such pin, and none that has expired.
            Conflict: code `pins_full`; there is no place for one that has expired.
        """
        renewed: Sequence[Pin] = self._do("renew", {"ids": ids, "ttl": ttl}, actor)
        return renewed

    def accept(self, ids: int | str | Sequence[int | str]) -> Sequence[Pin]:
        """Let pins be shown that an agent has proposed.

        Raises:
            UsageError: there are no ids.
            NotFound: there is no such pin.
        """
        accepted: Sequence[Pin] = self._do("accept", {"ids": ids})
        return accepted

    def list(self) -> Sequence[Pin]:
        """Return the pins that have not expired, proposed ones too, by their numbers."""
        with self._lease() as tenant:
            return self._terms.writing.governing.state.pins(ports=tenant.ports)

    def history(self, limit: int = 100) -> Sequence[TrailEntry]:
        """Return the changes of the board, newest first.

        Raises:
            UsageError: the limit is none.
        """
        return self._changes(limit)

    def rollback(self, to: int | datetime | str) -> Sequence[Pin]:
        """Bring the board back to what it was after a change, or at a time, and return it.

        Args:
            to: the number of a change as `history` lists it, 0 for the empty board; or a time.

        Raises:
            UsageError: there is no such change.
            NotFound: code `gone`, if the trail does not reach back so far.
        """
        self._do("rollback", {"to": to})
        return self.list()
