"""What `brain.artifacts` answers: the run of a tool with a part of its output, lines found, pages.

Every answer that is not the whole says which part it is, and how to go on. `StoredCall` is a run
as it lies in the store. Parts of files, `Snippet`, are shown in the same way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from smartbrain.domain.record import Record
from smartbrain.domain.result import ArtifactSummary
from smartbrain.domain.turn import ToolCall


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class StoredCall(Record):
    """A tool call and where it was committed."""

    call: ToolCall
    session_id: str
    turn_id: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Artifact(ArtifactSummary):
    """One run of a tool; `text` is the part of its output that `shown` names, in a list none.

    `lines` counts those of the whole output. `more` says how to go on, None at its end.
    """

    args: Any = None
    owner: str = "main"
    session_id: str
    turn_id: str
    created_at: datetime
    lines: int = 0
    text: str = ""
    shown: str = ""
    more: str | None = None


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class FoundLine(Record):
    """A line by its number, 1 for the first; `match` tells it from those around it."""

    number: int
    text: str
    match: bool = True


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class FoundLines(Record):
    """The lines of an output that match a pattern, with those around them; print it to read it."""

    id: str
    pattern: str
    matches: int = 0
    lines: tuple[FoundLine, ...] = ()
    more: str | None = None

    def __iter__(self) -> Iterator[FoundLine]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def __str__(self) -> str:
        shown = [f"{one.number}{':' if one.match else '-'} {one.text}" for one in self.lines]
        return "\n".join([*shown, *([self.more] if self.more else [])])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Snippet(Record):
    """Some lines of a file, or bytes, as `shown` says; `path` is where it really lies."""

    path: str
    start: int
    end: int
    lines: int
    text: str = ""
    more: str | None = None
    shown: str = ""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ArtifactPage(Record):
    """Artifacts without their text, newest first; `cursor` is None on the last page."""

    items: tuple[Artifact, ...] = ()
    cursor: str | None = None

    def __iter__(self) -> Iterator[Artifact]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)
