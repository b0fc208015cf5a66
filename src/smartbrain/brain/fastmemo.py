"""The surface memory of a tenant, as `brain.fastmemo` shows it: five sections of short lines (W7).

In: a section and a line, or a text file. Out: the sections, which of them are due for compaction,
and the trail of their changes.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from smartbrain.brain.trailed import Trailed

if TYPE_CHECKING:
    from smartbrain.domain.kept import Memo, TrailEntry


class FastMemo(Trailed):
    """The surface memory of a tenant: `brain.fastmemo`."""

    _kind = "fastmemo"

    def add(self, section: str, text: str, *, actor: str = "user") -> Memo:
        """Keep a line; what the section says already is not repeated.

        Args:
            section: `self`, `user`, `environment`, `history` or `dynamic`, or a name of one in
                Chinese such as `用户感知`.
            text: a remark; line breaks become blanks, code and output of tools are refused.
            actor: `user` or `agent`.

        Raises:
            UsageError: there is no such section, or the text is no remark; nothing was written.
        """
        memo: Memo = self._do("add", {"section": section, "text": text}, actor)
        return memo

    def read(self) -> Memo:
        """Return the sections, and which of them are due for compaction."""
        with self._lease() as tenant:
            return self._terms.writing.governing.state.memo(ports=tenant.ports)

    def compact(self, bullets: Mapping[str, str] | None = None, *, actor: str = "user") -> Memo:
        """Make one line of each section; do this when nothing else is going on.

        Args:
            bullets: the line for each section that has any, if a model wrote them; by rule if not.
            actor: `user` or `agent`.

        Raises:
            UsageError: the lines are not well-formed; all stays as it was, and stays due.
        """
        memo: Memo = self._do("compact", {"bullets": bullets}, actor)
        return memo

    def export(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the sections as text with their headings, and write it to a file if one is named.

        Raises:
            UsageError: the file cannot be written.
        """
        with self._lease() as tenant:
            return self._terms.writing.governing.state.memo_file(path, ports=tenant.ports)

    def load(self, path: str | os.PathLike[str], *, actor: str = "user") -> Memo:
        """Put what a file of that form says into the place of all sections.

        Raises:
            UsageError: the file cannot be read, or a line is wrong, which is named.
        """
        with self._lease() as tenant:
            return self._terms.writing.governing.state.load_memo(
                path, actor=actor, ports=tenant.ports
            )

    def history(self, limit: int = 100) -> Sequence[TrailEntry]:
        """Return the changes, newest first.

        Raises:
            UsageError: the limit is none.
        """
        return self._changes(limit)

    def rollback(self, to: int | datetime | str) -> Memo:
        """Bring the sections back to what they were after a change, or at a time.

        Raises:
            UsageError: there is no such change.
            NotFound: code `gone`, if the trail does not reach back so far.
        """
        self._do("rollback", {"to": to})
        return self.read()
