"""Chat histories and documents from elsewhere: turns to import, and what bringing them in added.

In: the parts that the readers of `remember.import_history` find, and counts of what was stored.
Out: one value a turn and one a problem; reports without times, so that the same file into the same
brain gives the same report.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from smartbrain.domain.record import Record


class HistoryTurn(Record, frozen=True, kw_only=True):
    """One turn of a chat history.

    `key` is the same whenever the same turn is read again, and differs as soon as anything in
    `events` does, so a commit under it is never refused for another body. `place` tells how much
    of the `total` bytes is done with it.
    """

    session_id: str
    events: Mapping[str, Any]
    key: str
    place: int
    total: int


class HistoryProblem(Record, frozen=True, kw_only=True):
    """A part of a history that was left out: the file, the place in it, and what is wrong."""

    file: str
    where: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}: {self.where}: {self.message}"


class ImportReport(Record, frozen=True, kw_only=True):
    """What became of a chat history.

    `turns` were stored now, `replayed` ones were there already, `refused` ones could not be stored;
    `memories` are the versions that the new turns wrote. `problems` names each part that was left
    out. If the tenant became full, `stopped` says of what, and `left` counts the turns that wait
    for room.
    """

    turns: int = 0
    replayed: int = 0
    refused: int = 0
    sessions: int = 0
    memories: int = 0
    left: int = 0
    stopped: str = ""
    problems: tuple[str, ...] = ()


class GraphReport(Record, frozen=True, kw_only=True):
    """What making a graph of ingested text has added."""

    chunks: int = 0
    episodes: int = 0
    entities: int = 0
    statements: int = 0
