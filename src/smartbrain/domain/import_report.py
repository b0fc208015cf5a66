"""What bringing in texts from elsewhere has added: a chat history's turns, a document's graph.

In: counts of what was stored. Out: what `import_chat` and `r2g` answer. No times in them: the same
file into the same brain gives the same report.
"""

from __future__ import annotations

from dataclasses import dataclass

from smartbrain.domain.record import Record


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class ImportReport(Record):
    """What became of a chat history.

    `turns` were stored now, `replayed` ones were there already, `refused` ones could not be stored;
    `memories` are the versions that the new turns wrote, `archived` the goals and tasks among all
    of them that are too old to be still open. `problems` names each part that was left out. If the
    tenant became full, `stopped` says of what, and `left` counts the turns that wait for room.
    """

    turns: int = 0
    replayed: int = 0
    refused: int = 0
    sessions: int = 0
    memories: int = 0
    archived: int = 0
    left: int = 0
    stopped: str = ""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class GraphReport(Record):
    """What making a graph of ingested text has added."""

    chunks: int = 0
    episodes: int = 0
    entities: int = 0
    statements: int = 0
