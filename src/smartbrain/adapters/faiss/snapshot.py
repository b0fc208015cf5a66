"""The rows of an index to and from a folder; see `files` for how arrays are written.

In: a state. Out: a head and arrays, and from these the state again. Removed rows are written too,
as rows that no longer count: what is trained over the rows names them by their place. They are
gone from the files that are written after a compaction.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from smartbrain.adapters.faiss.chunks import CHUNK, Chunk
from smartbrain.adapters.faiss.facets import Column
from smartbrain.adapters.faiss.files import Contents, Pieces, plain_bytes
from smartbrain.adapters.faiss.growing import Growing
from smartbrain.adapters.faiss.rows import Rows, State


def state_head(state: State) -> dict[str, Any]:
    """Return what a state is, as plain data."""
    return {
        "dimensions": state.rows.vectors.dimensions,
        "count": state.count,
        "full": [piece.scales is None for piece in _pieces(state)],
        "coded_from": None if state.codes is None else state.indexed,
    }


def state_arrays(state: State) -> dict[str, Pieces]:
    """Return the rows of a state as arrays, without copying the vectors."""
    count, facets = state.count, state.rows.facets
    sizes = _sizes(count)
    held = list(zip(_pieces(state), sizes, strict=True))
    arrays: dict[str, Pieces] = {
        "nums": [state.rows.nums.first(count)],
        "alive": [np.packbits(state.alive)],
        "times": [facets.times.first(count)],
        "full": [piece.parts.first(size) for piece, size in held if piece.scales is None],
        "short": [piece.parts.first(size) for piece, size in held if piece.scales is not None],
        "scales": [piece.scales.first(size) for piece, size in held if piece.scales is not None],
    }
    columns: Sequence[tuple[str, Column[Any]]] = (
        ("profiles", facets.profiles),
        ("sources", facets.sources),
        ("tags", facets.tags),
    )
    for name, column in columns:
        arrays[name] = [column.codes.first(count)]
        arrays[f"{name}-values"] = plain_bytes(column.values)
    if state.codes is not None:
        arrays["codes"] = [state.codes.first(count - state.indexed)]
    return {name: pieces for name, pieces in arrays.items() if pieces}


def read_state(contents: Contents, rows: Rows) -> State:
    """Fill empty rows from a folder and return their state.

    Raises:
        AdapterError: `corrupt`: it is damaged, or its parts do not fit together.
    """
    head = contents.head
    dimensions, count = rows.vectors.dimensions, head["count"]
    if head["dimensions"] != dimensions:
        raise contents.broken(f"its vectors have {head['dimensions']} dimensions, not {dimensions}")
    rows.vectors.pieces = _read_pieces(contents, dimensions, count)
    rows.vectors.count = count
    rows.nums = Growing.of(contents.array("nums", np.int64, count))
    facets = rows.facets
    facets.times = Growing.of(contents.array("times", np.int64, count))
    facets.profiles = _read_column(contents, "profiles", count)
    facets.sources = _read_column(contents, "sources", count)
    facets.tags = _read_column(contents, "tags", count)
    packed = contents.array("alive", np.uint8, -(-count // 8))
    alive = np.unpackbits(packed, count=count).astype(np.bool_)
    living = np.flatnonzero(alive)
    nums = rows.nums.first(count)[living].tolist()
    where = dict(zip(nums, living.tolist(), strict=True))
    if len(where) != len(nums):
        raise contents.broken("a node is in it twice")
    return State(rows, count, alive, len(nums), where)


def _pieces(state: State) -> list[Chunk]:
    """Return the pieces that hold the rows of a state."""
    return state.rows.vectors.pieces[: len(_sizes(state.count))]


def _sizes(count: int) -> list[int]:
    """Return how many of so many rows are in each piece."""
    return [min(CHUNK, count - start) for start in range(0, count, CHUNK)]


def _read_pieces(contents: Contents, dimensions: int, count: int) -> list[Chunk]:
    """Return the pieces with the vectors."""
    kinds, sizes = contents.head["full"], _sizes(count)
    full = list(contents.pieces("full", np.float32, dimensions)) if any(kinds) else []
    short, scales = [], []
    if not all(kinds):
        short = list(contents.pieces("short", np.int16, dimensions))
        scales = list(contents.pieces("scales", np.float32))
    counted = (len(kinds), len(full), len(short), len(scales))
    if counted != (len(sizes), sum(kinds), len(sizes) - sum(kinds), len(sizes) - sum(kinds)):
        raise contents.broken("pieces of it are missing")
    made = []
    for is_full, size in zip(kinds, sizes, strict=True):
        parts = full.pop(0) if is_full else short.pop(0)
        scale = None if is_full else scales.pop(0)
        if len(parts) != size or (scale is not None and len(scale) != size):
            raise contents.broken("a piece of it has another size")
        made.append(Chunk(Growing.of(parts), None if scale is None else Growing.of(scale)))
    return made


def _read_column(contents: Contents, name: str, count: int) -> Column[Any]:
    """Return one facet of every row."""
    codes = contents.array(name, np.int32, count)
    read = cast("list[Any]", contents.text(f"{name}-values"))
    values = [tuple(value) if isinstance(value, list) else value for value in read]
    if count and not 0 <= int(codes.min()) <= int(codes.max()) < len(values):
        raise contents.broken(f"{name} name a value that is not there")
    return Column(values, Growing.of(codes))
