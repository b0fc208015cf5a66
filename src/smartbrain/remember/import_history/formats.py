"""The way in to chat histories: a file is looked at, its format chosen, its turns read.

In: a path and a format's name, or `auto`. Out: an iterator of `HistoryTurn` values, among them a
`HistoryProblem` for every part that is left out; the rest goes on. Nothing is stored here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec

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


class _Format(msgspec.Struct, frozen=True):
    """How files of a format are read, how one must begin, and what is said of one that does not."""

    read: Callable[[Source], Iterator[HistoryTurn | HistoryProblem]]
    may_begin: Callable[[str], bool] | None = None
    refusal: str = ""


_FORMATS: Final = {
    "jsonl": _Format(
        read_jsonl,
        starts_jsonl,
        "is not JSONL of a chat: no line at its beginning is an object with 'role' and 'content',"
        " or with 'messages'",
    ),
    "json": _Format(
        read_json,
        starts_json,
        "is not JSON of a chat: it begins with no list of messages, nor with an object that has"
        " one",
    ),
    "chatgpt": _Format(CHATGPT.read),
    "claude": _Format(CLAUDE.read),
    "transcript": _Format(
        read_transcript,
        holds_message,
        "is not a transcript: no line at its beginning is like 'Alice: hello' or"
        " '[2024-03-01 10:00] Alice: hello'",
    ),
}
FORMATS: Final = tuple(_FORMATS)
"""The names of the formats."""


def open_history(
    path: Path,
    format: str = "auto",  # noqa: A002 - the public keyword of import_chat
) -> Iterator[HistoryTurn | HistoryProblem]:
    """Read the turns of a chat history, the oldest first.

    A part that cannot be read comes out as a `HistoryProblem`.

    Raises:
        UsageError: the file cannot be read, is empty, is no text, or is not of the format; what
            can only be seen by reading it, such as an export that breaks off, at the first step.
    """
    if format != "auto" and format not in _FORMATS:
        raise UsageError(
            f"the format {shown(format)} is not known{did_you_mean(format, FORMATS)};"
            f" give one of auto, {', '.join(FORMATS)}"
        )
    source = open_source(path)
    name = _guess_format(source) if format == "auto" else format
    chosen = _FORMATS[name]
    if chosen.may_begin is not None and source.is_packed:
        raise UsageError(f"{source.name}: an archive is read as an export; unpack it for {name}")
    if chosen.may_begin is not None and not chosen.may_begin(source.head):
        raise UsageError(f"{source.name}: {chosen.refusal}")
    return chosen.read(source)


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
