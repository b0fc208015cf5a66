"""What is left of forgotten words in a tenant's folder, read as each engine reads its files.

In: forgotten terms and texts, what was said besides, and a folder. Out: where something is left.
Every file is searched byte by byte; packed originals are unpacked, every cell of the database is
read and unpacked, and the text indexes are opened with tantivy: their stored entries and terms.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import apsw
import numpy as np
from backports import zstd
from tantivy import Index, Query

from smartbrain.adapters.sqlite.rows import load_packed
from smartbrain.errors import AdapterError

RUN = 20
_WORD = re.compile(rb"[a-z0-9]{5,}")
_FACTOR = 0x9E3779B97F4A7C15
_PIECE = 1 << 24
_FIELDS = ("words", "own", "source", "tags")


class Forgotten:
    """Terms and runs of 20 bytes that nothing else says, and the search for them."""

    def __init__(self, terms: Iterable[str], texts: Iterable[str], besides: Iterable[str]) -> None:
        """Take what is forgotten, and all that is not."""
        self.terms = {term.encode() for term in terms}
        runs = {run for text in texts for run in _runs(text.encode())}
        for text in besides:
            data = text.encode()
            self.terms.difference_update(_WORD.findall(data.lower()))
            runs.difference_update(_runs(data))
        self.runs = runs
        joined = b"".join(runs)
        self._hashes = np.unique(_hashes(np.frombuffer(joined, np.uint8))[::RUN]) if runs else None

    def find(self, folder: Path) -> list[str]:
        """Return where something is left: a file or a cell, and the words."""
        left = []
        for place, data in _contents(folder):
            left += [f"{place}: {found!r}" for found in self._in(data)]
        for meta in sorted(folder.rglob("meta.json")):
            left += self._in_index(meta)
        return left

    def _in(self, data: bytes) -> set[bytes]:
        """Return what is left in one text."""
        found = self.terms.intersection(_WORD.findall(data.lower()))
        if self._hashes is None or len(data) < RUN:
            return found
        whole = np.frombuffer(data, np.uint8)
        for start in range(0, len(whole), _PIECE):
            piece = whole[start : start + _PIECE + RUN - 1]
            for at in np.flatnonzero(np.isin(_hashes(piece), self._hashes)):
                run = data[start + int(at) : start + int(at) + RUN]
                found |= {run} & self.runs
        return found

    def _in_index(self, meta: Path) -> list[str]:
        """Return the terms that an index knows, and the segments that keep what was deleted."""
        index = Index.open(str(meta.parent))
        searcher = index.searcher()
        left = [
            f"{meta.parent}: term {term!r}"
            for term in self.terms
            for field in _FIELDS
            if searcher.search(Query.term_query(index.schema, field, term.decode()), 1).hits
        ]
        segments = json.loads(meta.read_bytes())["segments"]
        return left + [f"{meta}: deleted rows" for one in segments if one.get("deletes")]


def _contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield what every file holds, and unpacks to."""
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        data = path.read_bytes()
        yield str(path), data
        if path.name.endswith(".blob.zst"):
            yield f"{path}, unpacked", zstd.decompress(data)
        elif path.suffix == ".db":
            yield from _cells(path)
        elif path.name == "meta.json":
            yield from _stored(path.parent)


def _cells(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield every column of a database, its cells unpacked and joined."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    tables = connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall()
    for (table,) in tables:
        for _, column, *_ in connection.execute(f"PRAGMA table_info({table})").fetchall():
            cells = [
                _unpacked(row[0])
                for row in connection.execute(f"SELECT {column} FROM {table}")
                if isinstance(row[0], str | bytes)
            ]
            yield f"{path}, {table}.{column}", b"\n\0".join(cells)
    connection.close()


def _unpacked(cell: str | bytes) -> bytes:
    if isinstance(cell, str):
        return cell.encode()
    with suppress(AdapterError):  # it is packed, or it is none of ours
        return json.dumps(load_packed(cell), ensure_ascii=False).encode()
    return cell


def _stored(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the entries that a text index keeps."""
    searcher = Index.open(str(folder)).searcher()
    count = searcher.num_docs
    if count:
        hits = searcher.search(Query.all_query(), count).hits
        kept = [bytes(one) for _, at in hits for one in searcher.doc(at).get_all("kept")]
        yield f"{folder}, entries", b"\n\0".join(kept)


def _runs(data: bytes) -> Iterator[bytes]:
    for at in range(len(data) - RUN + 1):
        yield data[at : at + RUN]


def _hashes(data: np.ndarray) -> np.ndarray:
    """Return the hash of every run in some bytes."""
    count = max(0, len(data) - RUN + 1)
    found = np.zeros(count, np.uint64)
    for step in range(RUN):
        found *= np.uint64(_FACTOR)
        found += data[step : step + count]
    return found
