"""Writing segments and opening them again: the folder that a saved text index is.

In: entries, and the segments they are added to. Out: segments in a new folder, or in memory. A
folder shares the files of the one before by hard links; tantivy never changes a file it has
written. A writer is open only while it writes. Not atomic: whoever asked decides when a folder
counts.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from tantivy import Index, IndexWriter

from smartbrain.adapters.tantivy.parts import Entry
from smartbrain.adapters.tantivy.schema import build_schema, padding, to_document
from smartbrain.adapters.tantivy.segments import FORMAT, Segments, State
from smartbrain.domain.plain import canonical_json
from smartbrain.errors import AdapterError, UsageError
from smartbrain.text.tokenise import VERSION

STATE: Final = "state.json"
LOCKS: Final = ".lock"
_HEAP_BYTES: Final = 100_000_000


def write_anew(folder: Path | None, entries: Iterable[Entry], typical: int) -> Segments:
    """Write entries as a whole index."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    index = Index(build_schema(), path=None if folder is None else str(folder))
    return _write(index, folder, State(highest=-1), entries, typical)


def write_more(
    folder: Path | None, before: Segments, state: State, entries: Iterable[Entry], typical: int
) -> Segments:
    """Write entries beside those that are written, which are in a folder if these shall be."""
    if folder is None or before.folder is None:
        return _write(before.index, None, state, entries, typical)
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(before.folder.iterdir()):
        if path.name != STATE and not path.name.endswith(LOCKS):
            _link(path, folder / path.name)
    return _write(Index.open(str(folder)), folder, state, entries, typical)


def open_folder(folder: Path) -> Segments:
    """Open what was written.

    Raises:
        AdapterError: code `corrupt`; it is of another format, or damaged.
    """
    try:
        state = State.from_dict(json.loads((folder / STATE).read_bytes()))
    except (FileNotFoundError, UsageError, ValueError) as error:
        raise AdapterError(f"{folder} is no saved text index: {error}", code="corrupt") from error
    if (state.format, state.tokeniser) != (FORMAT, VERSION):
        raise AdapterError(f"{folder} is of another format; build it again", code="corrupt")
    return Segments(Index.open(str(folder)), folder, state)


def _write(
    index: Index, folder: Path | None, state: State, entries: Iterable[Entry], typical: int
) -> Segments:
    """Add entries and padding; on error what tantivy has committed before is all that is there."""
    index.config_reader("manual")
    groups = {group: number for number, group in enumerate(state.groups)}
    rows, tokens, highest = state.rows, state.tokens, state.highest
    writer = index.writer(_HEAP_BYTES, 1)
    try:
        for entry in entries:
            facets = entry.facets
            key = (facets.type, facets.status, facets.layer, facets.language)
            writer.add_document(to_document(entry, rows, groups.setdefault(key, len(groups))))
            rows += 1
            tokens += entry.length
            highest = None if highest is None else max(highest, entry.num)
        state = replace(
            state,
            rows=rows,
            tokens=tokens,
            groups=tuple(groups),
            typical_length=typical,
            highest=highest,
        )
        state = _pad(writer, state)
        writer.commit()
        writer.wait_merging_threads()
    finally:
        # An exception's traceback would keep the writer alive, and with it the lock on the index.
        del writer
    if folder is not None:
        _write_state(folder / STATE, state)
    return Segments(index, folder, state)


def _pad(writer: IndexWriter, state: State) -> State:
    """Add documents without words, and words without meaning, until the average is the typical.

    tantivy divides all tokens by all documents; with whole numbers both ways that comes out exact.
    """
    documents = state.rows + state.padding_documents
    tokens = state.tokens + state.padding_tokens
    more = max(0, -(-tokens // state.typical_length) - documents)
    missing = (documents + more) * state.typical_length - tokens
    if missing and not more:
        more, missing = 1, missing + state.typical_length
    for number in range(more):
        writer.add_document(padding(0 if number else missing))
    return replace(
        state,
        padding_documents=state.padding_documents + more,
        padding_tokens=state.padding_tokens + (missing if more else 0),
    )


def _link(source: Path, target: Path) -> None:
    """Let a file have a second name, or copy it where that cannot be."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _write_state(path: Path, state: State) -> None:
    """Write the state durably."""
    with path.open("w", encoding="utf-8") as file:
        file.write(canonical_json(state.to_dict()))
        file.flush()
        os.fsync(file.fileno())
