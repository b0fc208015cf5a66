"""The way in to chat histories: a file is looked at, its format chosen, its turns read.

In: a path and a format's name, or `auto`. Out: an iterator of `HistoryTurn` values, among them a
`HistoryProblem` for every part that is left out; the rest goes on. Nothing is stored here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from smartbrain.domain.hints import did_you_mean, shown
from smartbrain.domain.history import HistoryProblem, HistoryTurn
from smartbrain.errors import UsageError
from smartbrain.remember.import_history.exports import CHATGPT, CLAUDE
from smartbrain.remember.import_history.messages import (
    holds_entry,
    read_json,
    read_jsonl,
    starts_json,
    starts_jsonl,
)
from smartbrain.remember.import_history.source import Source, open_source
from smartbrain.remember.import_history.transcript import (
    holds_message,
    is_transcript,
    read_transcript,
)

_FIELD: Final = re.compile(rf'(?<!\\)"({CHATGPT.field}|{CLAUDE.field})"\s*:')


Turns = Iterator[HistoryTurn | HistoryProblem]
_READERS: Final[dict[str, Callable[[Source], Turns]]] = {
    "jsonl": read_jsonl,
    "json": read_json,
    "chatgpt": CHATGPT.read,
    "claude": CLAUDE.read,
    "transcript": read_transcript,
}
FORMATS: Final = tuple(_READERS)
"""The names of the formats."""
_BEGINNINGS: Final = {
    "jsonl": (
        starts_jsonl,
        "JSONL of a chat: no line at its beginning is an object with 'role' and"
        " 'content', or with 'messages'",
    ),
    "json": (
        starts_json,
        "JSON of a chat: it begins with no list of messages, nor with an object that has one",
    ),
    "transcript": (
        holds_message,
        "a transcript: no line at its beginning is like 'Alice: hello' or"
        " '[2024-03-01 10:00] Alice: hello'",
    ),
}
"""How a file of a format must begin, and what is said of one that does not."""


def open_history(
    path: Path,
    format: str = "auto",  # noqa: A002 - the public keyword of import_chat
) -> Turns:
    """Read the turns of a chat history, the oldest first.

    A part that cannot be read comes out as a `HistoryProblem`.

    Raises:
        UsageError: the file cannot be read, is empty, is no text, or is not of the format; what
            can only be seen by reading it, such as an export that breaks off, at the first step.
    """
    if format != "auto" and format not in _READERS:
        raise UsageError(
            f"the format {shown(format)} is not known{did_you_mean(format, FORMATS)};"
            f" give one of auto, {', '.join(FORMATS)}"
        )
    source = open_source(path)
    name = _guess_format(source) if format == "auto" else format
    if name in _BEGINNINGS:
        may_begin, what = _BEGINNINGS[name]
        if source.is_packed:
            why = f"an archive is read as an export; unpack it for {name}"
            raise UsageError(f"{source.name}: {why}")
        if not may_begin(source.head):
            raise UsageError(f"{source.name}: is not {what}")
    return _READERS[name](source)


def _guess_format(source: Source) -> str:
    """Choose the format by the file's name and its beginning."""
    head = source.head
    field = _FIELD.search(head) if head.lstrip().startswith(("[", "{")) else None
    if source.path.suffix.lower() in (".jsonl", ".ndjson") or holds_entry(head):
        return "jsonl"
    if field:
        return next(one.name for one in (CHATGPT, CLAUDE) if one.field == field[1])
    if starts_jsonl(head):
        return "jsonl"
    if starts_json(head):
        return "json"
    if is_transcript(head):
        return "transcript"
    raise UsageError(
        f"{source.name}: is not a chat history that we know; the formats are"
        f" {', '.join(FORMATS)}; if it is one of them, name it"
    )
