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
from smartbrain.remember.history import jsonl, transcript
from smartbrain.remember.history.chatgpt import CHATGPT
from smartbrain.remember.history.claude import CLAUDE
from smartbrain.remember.history.source import Source, open_source

_READERS: Final[dict[str, Callable[[Source], Iterator[HistoryTurn | HistoryProblem]]]] = {
    "jsonl": jsonl.read_jsonl,
    "json": jsonl.read_json,
    "chatgpt": CHATGPT.read,
    "claude": CLAUDE.read,
    "transcript": transcript.read_transcript,
}
FORMATS: Final = tuple(_READERS)
"""The names of the formats."""
_FIELD: Final = re.compile(rf'(?<!\\)"({CHATGPT.field}|{CLAUDE.field})"\s*:')
_BY_FIELD: Final = {one.field: one.name for one in (CHATGPT, CLAUDE)}
_JSONL_NAMES: Final = (".jsonl", ".ndjson")


def open_history(
    path: Path,
    format: str = "auto",  # noqa: A002 - the public keyword of import_chat
) -> Iterator[HistoryTurn | HistoryProblem]:
    """Read the turns of a chat history, each session's in the order of their times.

    JSONL and transcripts are read line by line; an export is read whole, and may be packed. Only
    sessions whose times go backwards are held in memory. A part that cannot be read comes out as a
    `HistoryProblem`, in the place of its turn where the file is in order.

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
    name = _guess(source) if format == "auto" else format
    _check(source, name)
    return _READERS[name](source)


def _guess(source: Source) -> str:
    """Choose the format by the file's name and its beginning."""
    head = source.head
    if source.path.suffix.lower() in _JSONL_NAMES or jsonl.looks_like(head):
        return "jsonl"
    field = _FIELD.search(head) if head.lstrip().startswith(("[", "{")) else None
    if field:
        return _BY_FIELD[field[1]]
    if jsonl.looks_cut(head):
        return "jsonl"
    if jsonl.looks_listed(head):
        return "json"
    if transcript.looks_like(head):
        return "transcript"
    raise UsageError(
        f"{source.name}: is not a chat history that we know; the formats are"
        f" {', '.join(FORMATS)}; if it is one of them, name it"
    )


def _check(source: Source, name: str) -> None:
    """Refuse a file that begins like another format than the one it is to be read in."""
    if source.members and name not in _BY_FIELD.values():
        raise UsageError(f"{source.name}: an archive is read as an export; unpack it for {name}")
    if name == "jsonl" and not (jsonl.looks_like(source.head) or jsonl.looks_cut(source.head)):
        raise UsageError(
            f"{source.name}: is not JSONL of a chat: no line at its beginning is an object with"
            " 'role' and 'content', or with 'messages'"
        )
    if name == "json" and not jsonl.looks_listed(source.head):
        raise UsageError(
            f"{source.name}: is not JSON of a chat: it begins with no list of messages, nor with"
            " an object that has one"
        )
    if name == "transcript" and not transcript.is_possible(source.head):
        raise UsageError(
            f"{source.name}: is not a transcript: no line at its beginning is like 'Alice: hello'"
            " or '[2024-03-01 10:00] Alice: hello'"
        )
