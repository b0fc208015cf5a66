"""What the tests of forgetting look at: all that a brain shows, and every byte that it keeps.

In: an open brain, or its folder. Out: one text, or the files that hold a word.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

from backports import zstd
from flow_builders import table_rows

from smartbrain import SmartBrain
from smartbrain.adapters.sqlite.rows import load_packed
from smartbrain.errors import AdapterError


def everything_shown(brain: SmartBrain, question: str, session: str = "asking") -> str:
    """Return all that any call shows, in one text; the question is not in it."""
    shown: list[object] = []
    for one in (session, *(found.id for found in brain.sessions.list(limit=1000).items)):
        shown.append(brain.build_memory_packet(one, question, audience="planner").to_dict())
        shown.append(brain.compose_context(one, None).text())
        shown += [turn.to_dict() for turn in brain.sessions.turns(one, limit=1000)]
        shown.append([line.to_dict() for line in brain.notebook.list(one)])
    shown += [item.to_dict() for item in brain.recall(question, include_history=True).items]
    shown += [one.to_dict() for one in brain.memories.list(status=None, limit=1000).items]
    shown += [one.to_dict() for one in brain.artifacts.list(limit=100).items]
    shown += [one.to_dict() for one in brain.pins.list()]
    return json.dumps(shown, ensure_ascii=False, default=str).replace(question, "")


def files_with(folder: Path, word: str) -> list[str]:
    """Return the files below a folder whose bytes hold a word, packed or not."""
    return sorted(
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and word.encode() in _opened(path)
    )


def _opened(path: Path) -> bytes:
    """Return what a file holds, and what it unpacks to."""
    data = path.read_bytes()
    if path.name.endswith(".blob.zst"):
        return data + zstd.decompress(data)
    if path.suffix == ".db" and data.startswith(b"SQLite"):
        rows = [row for rows in table_rows(path).values() for row in rows]
        cells = [_unpacked(cell) for row in rows for cell in row]
        texts = [cell for cell in cells if isinstance(cell, str | dict)]
        return data + json.dumps(texts, ensure_ascii=False).encode()
    return data


def _unpacked(cell: object) -> object:
    if isinstance(cell, bytes):
        with suppress(AdapterError):  # it is packed, or it is none of ours
            return load_packed(cell)
    return cell


def rows_with(database: Path, word: str) -> list[str]:
    """Return the tables, with the beginning of the rows, that hold a word."""
    return [
        f"{table}: {row!s:.300}"
        for table, rows in table_rows(database).items()
        for row in rows
        if word in json.dumps([_unpacked(one) for one in row], default=str)
    ]
