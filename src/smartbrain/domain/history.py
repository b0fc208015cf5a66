"""Chat histories as they are read from files: turns to import, and what could not be read.

In: the parts that the readers of `remember.history` find. Out: one value a turn, those of a session
in the order of their times, and one a problem. Nothing is stored here; importing hands `events` to
a commit.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from smartbrain.domain.record import Record


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class HistoryTurn(Record):
    """One turn of a chat history.

    `key` is the same whenever the same turn is read again, and differs as soon as anything in
    `events` does, so a commit under it is never refused for another body. `place` and `total`
    count bytes of a file read line by line, and conversations of an export.
    """

    session_id: str
    events: Mapping[str, Any]
    key: str
    place: int
    total: int | None = None
    title: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class HistoryProblem(Record):
    """A part of a history that was left out: the file, the place in it, and what is wrong."""

    file: str
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}: {self.where}: {self.message}"
