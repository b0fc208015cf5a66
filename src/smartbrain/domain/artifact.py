"""What `brain.artifacts` and `brain.call_tool` answer: runs of tools with their output, and texts.

Every answer that is not the whole says which part it is, and how to go on. `StoredCall` is a run
as it lies in the store. Parts of files, `Snippet`, are shown in the same way. A mistake of a model
that calls a tool is an answer like any other.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.domain.page import Page
from smartbrain.domain.record import Record
from smartbrain.domain.result import ArtifactSummary
from smartbrain.domain.turn import ToolCall
from smartbrain.errors import UsageError


class StoredCall(Record, frozen=True, kw_only=True):
    """A tool call and where it was committed."""

    call: ToolCall
    session_id: str
    turn_id: str
    created_at: datetime


class Artifact(ArtifactSummary, frozen=True, kw_only=True):
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


class FoundLine(Record, frozen=True):
    """A line by its number, 1 for the first; `match` tells it from those around it."""

    number: int
    text: str
    match: bool = True


class FoundLines(Record, frozen=True, kw_only=True):
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


class Snippet(Record, frozen=True, kw_only=True):
    """Some lines of a file, or bytes, as `shown` says; `path` is where it really lies."""

    path: str
    start: int
    end: int
    lines: int
    text: str = ""
    more: str | None = None
    shown: str = ""


class ArtifactPage(Page[Artifact], frozen=True):
    """Artifacts without their text, newest first."""


FORMATS: Final = ("openai", "anthropic")
"""The providers whose tools and messages can be written."""


def read_format(given: object) -> str:
    """Return the name of a provider's format."""
    if isinstance(given, str) and given in FORMATS:
        return given
    near = did_you_mean(given, FORMATS)
    raise UsageError(f"there is no format {shown(given)}; give {' or '.join(FORMATS)}{near}")


class ToolAnswer(Record, frozen=True, kw_only=True):
    """The answer to one call; `is_error` tells that the model has to change something.

    `call_id` is the provider's, None for a call that came without one.
    """

    name: str
    text: str
    is_error: bool = False
    call_id: str | None = None

    def message(self, format: str = "openai") -> dict[str, Any]:  # noqa: A002 - public
        """Return the message that brings this answer to the model, right after its call."""
        wanted = read_format(format)
        if self.call_id is None:
            raise UsageError(
                f"the call of {shown(self.name)} had no id, so no message can refer to it;"
                " use the text, or give calls with their ids"
            )
        if wanted == "openai":
            return {"role": "tool", "tool_call_id": self.call_id, "content": self.text}
        result: dict[str, Any] = {
            "type": "tool_result",
            "tool_use_id": self.call_id,
            "content": self.text,
        }
        if self.is_error:
            result["is_error"] = True
        return {"role": "user", "content": [result]}
