"""The rows of a vector index in memory, and the files that keep them.

`Rows` only grows: number, vector and facets of each node as it was given; a changed node is a new
row, and a mask says which rows live. Vectors lie in pieces that are scored block by block; facets
are small numbers, so that a filter is a comparison of arrays. Each array is a file of numpy's own
form; that no byte of it has changed is for the store of snapshots to see to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
import numpy.typing as npt
from msgspec import structs

from smartbrain.domain.search import Facets, IndexFilter
from smartbrain.domain.time import from_micros, to_micros
from smartbrain.errors import AdapterError, UsageError
from smartbrain.ports.blobs import disk_error

FIRST: Final = 64


class Growing:
    """Rows of one type and width; `most` caps the room that is asked for ahead."""

    __slots__ = ("_items", "count")

    def __init__(self, dtype: npt.DTypeLike, width: int | None = None) -> None:
        self._items: npt.NDArray[Any] = np.empty((0,) if width is None else (0, width), dtype)
        self.count = 0

    @classmethod
    def of(cls, items: npt.NDArray[Any]) -> Growing:
        """Return an array that begins with these rows, without copying them."""
        made = cls(items.dtype)
        made._items, made.count = items, len(items)
        return made

    def extend(self, items: npt.NDArray[Any]) -> None:
        count = self.count + len(items)
        if count > len(self._items):
            larger = np.empty(
                (max(count, FIRST, 2 * self.count), *self._items.shape[1:]), self._items.dtype
            )
            larger[: self.count] = self._items[: self.count]
            self._items = larger
        self._items[self.count : count] = items
        self.count = count

    def first(self, count: int) -> npt.NDArray[Any]:
        """Return the first `count` rows as they lie here; not to be written to."""
        return self._items[:count]

    @property
    def nbytes(self) -> int:
        return int(self._items[: self.count].nbytes)


CHUNK: Final = 131_072
"""Rows of a piece; the last piece grows up to this by doubling."""
BLOCK: Final = 4_096
"""Rows that are scored at once, so that what is made on the way stays in the cache."""
_SIXTEEN_BITS: Final = 32_767

Floats = npt.NDArray[np.float32]
RowNumbers = npt.NDArray[np.int64]

_rows_times: Final[Callable[[Floats, Floats], Floats]] = getattr(
    np, "vecdot", partial(np.einsum, "ij,j->i")
)
"""Rows times a vector; numpy 2 has its own function for it, which takes half of the time."""


class Chunk(NamedTuple):
    """One piece: rows in full without scales, or 16-bit parts with them."""

    parts: Growing
    scales: Growing | None

    @classmethod
    def empty(cls, dimensions: int, *, full: bool) -> Chunk:
        if full:
            return cls(Growing(np.float32, dimensions), None)
        return cls(Growing(np.int16, dimensions), Growing(np.float32))

    def extend(self, units: Floats) -> None:
        parts, scales = self.packed(units)
        if self.scales is not None:
            self.scales.extend(scales)
        self.parts.extend(parts)

    def packed(self, units: Floats) -> tuple[npt.NDArray[Any], Floats]:
        scales = np.abs(units).max(axis=1) / np.float32(_SIXTEEN_BITS)
        if self.scales is None:
            return units, scales
        return np.rint(units / scales[:, None]).astype(np.int16), scales

    def read(self, rows: RowNumbers | slice) -> tuple[Floats, Floats | None]:
        """Return the parts of rows as floats, and their scales if they are yet to be applied."""
        held = self.parts.first(self.parts.count)
        parts = held[rows] if isinstance(rows, slice) else held.take(rows, axis=0)
        if self.scales is None:
            return parts, None
        return parts.astype(np.float32), self.scales.first(self.scales.count)[rows]

    def same(self, row: int, unit: Floats) -> bool:
        """Tell whether a row is what would be kept of this vector."""
        parts, scales = self.packed(unit[None])
        return bool((self.parts.first(row + 1)[row] == parts[0]).all()) and (
            self.scales is None or bool(self.scales.first(row + 1)[row] == scales[0])
        )


class Chunks:
    """All rows; those of pieces that begin before row `full` are kept in float32."""

    def __init__(self, dimensions: int, full: float) -> None:
        self.dimensions = dimensions
        self.full = full
        self.count = 0
        self.pieces: list[Chunk] = []

    def extend(self, units: Floats) -> None:
        while len(units):
            inside = self.count % CHUNK
            if inside == 0:
                self.pieces.append(Chunk.empty(self.dimensions, full=self.count < self.full))
            taken = units[: CHUNK - inside]
            self.pieces[-1].extend(taken)
            self.count += len(taken)
            units = units[len(taken) :]

    def same(self, row: int, unit: Floats) -> bool:
        return self.pieces[row // CHUNK].same(row % CHUNK, unit)

    def take(self, rows: RowNumbers) -> Floats:
        if (rows[1:] < rows[:-1]).any():
            rising, places = np.unique(rows, return_inverse=True)
            return self.take(rising)[places]
        taken = np.empty((len(rows), self.dimensions), dtype=np.float32)
        for piece, inside, start in self._blocks(rows):
            parts, scales = piece.read(inside)
            factors = 1 if scales is None else scales[:, None]
            np.multiply(parts, factors, out=taken[start : start + len(inside)])
        return taken

    def score(self, rows: RowNumbers, query: Floats) -> Floats:
        """Return the cosines of rows, which must be in rising order.

        Equal rows get equal scores wherever they lie: each is summed by itself, in one order.
        """
        scores = np.empty(len(rows), dtype=np.float32)
        for piece, inside, start in self._blocks(rows):
            scores[start : start + len(inside)] = _dots(*piece.read(inside), query)
        return scores

    def score_first(self, count: int, query: Floats) -> Floats:
        scores = np.empty(count, dtype=np.float32)
        for start in range(0, count, BLOCK):
            stop, inside = min(count, start + BLOCK), start % CHUNK
            block = slice(inside, inside + stop - start)
            scores[start:stop] = _dots(*self.pieces[start // CHUNK].read(block), query)
        return scores

    @property
    def nbytes(self) -> int:
        return sum(
            piece.parts.nbytes + (0 if piece.scales is None else piece.scales.nbytes)
            for piece in self.pieces
        )

    def _blocks(self, rows: RowNumbers) -> Iterator[tuple[Chunk, RowNumbers, int]]:
        """Cut rising rows into blocks of one piece each: the piece, places in it, first index."""
        edges = np.searchsorted(rows, np.arange(len(self.pieces) + 1) * CHUNK)
        for number, piece in enumerate(self.pieces):
            low, high = int(edges[number]), int(edges[number + 1])
            for start in range(low, high, BLOCK):
                yield piece, rows[start : min(high, start + BLOCK)] - number * CHUNK, start


def _dots(parts: Floats, scales: Floats | None, query: Floats) -> Floats:
    dots = _rows_times(parts, query)
    return dots if scales is None else dots * scales


NO_TIME: Final = -(2**63)
REMEMBERED: Final = 16

Mask = npt.NDArray[np.bool_]
Profile = tuple[str, str, str, str]
T = TypeVar("T", bound=Hashable)


class Column(Generic[T]):
    """One facet of every row: values once each, and a code a row."""

    def __init__(self, values: Iterable[T] = (), codes: Growing | None = None) -> None:
        self.values = list(values)
        self.codes = codes or Growing(np.int32)
        self._code_of = {value: code for code, value in enumerate(self.values)}

    def extend(self, values: Iterable[T]) -> None:
        codes = []
        for value in values:
            code = self._code_of.get(value)
            if code is None:
                # The value is in place before any code names it, for readers that look meanwhile.
                code = len(self.values)
                self.values.append(value)
                self._code_of[value] = code
            codes.append(code)
        self.codes.extend(np.array(codes, dtype=np.int32))

    def at(self, row: int) -> T:
        return self.values[int(self.codes.first(row + 1)[row])]

    def mask(self, admits: Callable[[T], bool], start: int, stop: int) -> Mask:
        codes = self.codes.first(stop)[start:]
        if len(codes) < len(self.values):
            asked = (admits(self.values[code]) for code in codes.tolist())
            return np.fromiter(asked, dtype=np.bool_, count=len(codes))
        table = np.fromiter(map(admits, self.values), dtype=np.bool_)
        return table.take(codes)

    def subset(self, rows: npt.NDArray[np.int64]) -> Column[T]:
        """Return the column of these rows, without the values that none of them has."""
        codes = self.codes.first(self.codes.count)[rows]
        used, renumbered = np.unique(codes, return_inverse=True)
        values = [self.values[code] for code in used.tolist()]
        return Column(values, Growing.of(renumbered.astype(np.int32)))


class FacetColumns:
    """The facets of every row."""

    def __init__(self) -> None:
        self.profiles: Column[Profile] = Column()
        self.sources: Column[str] = Column()
        self.tags: Column[tuple[str, ...]] = Column()
        self.times = Growing(np.int64)
        self._remembered: dict[IndexFilter, Mask] = {}
        self._lock = Lock()

    def extend(self, facets: Sequence[Facets], times: Sequence[int]) -> None:
        """Add rows at the end; `times` are the facets' own, see `times_of`."""
        self.profiles.extend((one.type, one.status, one.layer, one.language) for one in facets)
        self.sources.extend(one.source for one in facets)
        self.tags.extend(tuple(one.tags) for one in facets)
        self.times.extend(np.array(times, dtype=np.int64))

    def at(self, row: int) -> Facets:
        micros = int(self.times.first(row + 1)[row])
        return structs.replace(
            _profile(self.profiles.at(row)),
            at=None if micros == NO_TIME else from_micros(micros),
            source=self.sources.at(row),
            tags=self.tags.at(row),
        )

    def mask(self, only: IndexFilter, count: int) -> Mask:
        with self._lock:
            known = self._remembered.pop(only, None)
            done = 0 if known is None else len(known)
            if known is None or done < count:
                more = self._evaluate(only, done, count)
                known = more if known is None else np.concatenate((known, more))
            self._remembered[only] = known
            if len(self._remembered) > REMEMBERED:
                del self._remembered[next(iter(self._remembered))]
        return known[:count]

    def subset(self, rows: npt.NDArray[np.int64]) -> FacetColumns:
        made = FacetColumns()
        for name, column in self.columns().items():
            setattr(made, name, column.subset(rows))
        made.times = Growing.of(self.times.first(self.times.count)[rows])
        return made

    def columns(self) -> dict[str, Column[Any]]:
        return {"profiles": self.profiles, "sources": self.sources, "tags": self.tags}

    @property
    def nbytes(self) -> int:
        """The memory of the columns; that of the values is estimated by their text."""
        columns = self.columns().values()
        values = sum(len(column.values) for column in columns) * 120
        return values + self.times.nbytes + sum(column.codes.nbytes for column in columns)

    def _evaluate(self, only: IndexFilter, start: int, stop: int) -> Mask:
        mask = np.ones(stop - start, dtype=np.bool_)
        plain = structs.replace(only, since=None, until=None, source_prefix=None, tags=())
        if plain != IndexFilter():
            mask &= self.profiles.mask(lambda one: plain.admits(_profile(one)), start, stop)
        if only.tags:
            tagged = IndexFilter(tags=only.tags)
            mask &= self.tags.mask(lambda tags: tagged.admits(Facets(tags=tags)), start, stop)
        if only.source_prefix:
            prefix = only.source_prefix
            mask &= self.sources.mask(lambda source: source.startswith(prefix), start, stop)
        if only.since is not None or only.until is not None:
            times = self.times.first(stop)[start:]
            mask &= times != NO_TIME
            if only.since is not None:
                mask &= times >= micros_of(only.since)
            if only.until is not None:
                mask &= times < micros_of(only.until)
        return mask


def times_of(facets: Iterable[Facets]) -> list[int]:
    """Return when the facets are from, as stored."""
    return [NO_TIME if one.at is None else micros_of(one.at) for one in facets]


def micros_of(time: datetime) -> int:
    """Return an aware time as stored."""
    if time.tzinfo is None:
        raise UsageError(f"{time} has no UTC offset; pass an aware datetime", code="bad_time")
    return to_micros(time)


def _profile(profile: Profile) -> Facets:
    kind, status, layer, language = profile
    return Facets(type=kind, status=status, layer=layer, language=language)


Bits = npt.NDArray[np.uint8]


class Rows:
    """Numbers, vectors and facets; written by one thread at a time, read by any."""

    def __init__(self, dimensions: int, full: float) -> None:
        self.nums = Growing(np.int64)
        self.vectors = Chunks(dimensions, full)
        self.facets = FacetColumns()

    @property
    def count(self) -> int:
        return self.nums.count

    def extend(self, nums: Sequence[int], units: Floats, facets: Sequence[Facets]) -> None:
        times = times_of(facets)
        self.vectors.extend(units)
        self.facets.extend(facets, times)
        self.nums.extend(np.array(nums, dtype=np.int64))

    def same(self, row: int, unit: Floats, facets: Facets) -> bool:
        return self.vectors.same(row, unit) and self.facets.at(row) == facets

    @property
    def nbytes(self) -> int:
        return self.nums.nbytes + self.vectors.nbytes + self.facets.nbytes


@dataclass(slots=True)
class Admitted:
    """The rows of one state that may answer: how many, and which (None is all)."""

    count: int
    mask: Mask | None = None
    _bits: Bits | None = None

    def rows(self, start: int, stop: int) -> RowNumbers:
        if self.mask is None:
            return np.arange(start, stop)
        return np.flatnonzero(self.mask[start:stop]) + start

    def bits(self, places: npt.NDArray[Any] | slice) -> Bits | None:
        """Return the mask at the places that the state's trained index has, packed, made once."""
        if self._bits is None and self.mask is not None:
            self._bits = np.packbits(self.mask[places], bitorder="little")
        return self._bits


class NearestGroup(NamedTuple):
    """So many of the nearest among rows that may answer; there are as many."""

    k: int
    admitted: Admitted


class TrainedIndex(Protocol):
    """An index over the first `count` rows; nothing in it ever changes."""

    kind: str
    count: int

    @property
    def nbytes(self) -> int: ...

    def nearest(self, query: Floats, k: int, admitted: Admitted, share: float) -> RowNumbers:
        """Return rows among which the `k` nearest are, most likely; `share` of all are admitted."""
        ...

    def arrays(self) -> Mapping[str, npt.NDArray[Any]]: ...


@dataclass(frozen=True, slots=True)
class State:
    """The first `count` rows, which of them are alive, and how they are searched.

    `where` names the row of each living number. `trained` has the first rows, `codes` one bit a
    dimension of the others, where faiss is used. Not to be changed, except `where` by the writer.
    """

    rows: Rows
    count: int = 0
    alive: Mask = field(default_factory=lambda: np.empty(0, dtype=np.bool_))
    live: int = 0
    where: dict[int, int] = field(default_factory=dict)
    trained: TrainedIndex | None = None
    codes: Growing | None = None

    @property
    def dead(self) -> int:
        return self.count - self.live

    @property
    def indexed(self) -> int:
        """How many rows, from the first, the trained index knows of."""
        return 0 if self.trained is None else self.trained.count

    def changed(self, alive: Mask) -> State:
        return replace(self, count=len(alive), alive=alive, live=len(self.where))

    def admitted(self, only: IndexFilter | None) -> Admitted:
        if only is None or only == IndexFilter():
            return Admitted(self.live, self.alive if self.dead else None)
        mask = self.rows.facets.mask(only, self.count)
        if self.dead:
            mask = mask & self.alive
        count = int(np.count_nonzero(mask))
        # What admits every row is no filter, and nothing has to be picked out for it.
        return Admitted(count, None if count == self.count else mask)


FORMAT: Final = 2
HEAD: Final = "index.json"
_UNREADABLE: Final = (FileNotFoundError, EOFError, ValueError, LookupError, TypeError)


def save_state(folder: Path, state: State) -> None:
    """Write a state into an empty folder, each array as a file, without copying the vectors."""
    count, rows, columns = state.count, state.rows, state.rows.facets.columns()
    head: dict[str, Any] = {
        "format": FORMAT,
        "dimensions": rows.vectors.dimensions,
        "count": count,
        "coded_from": None if state.codes is None else state.indexed,
        "trained": None if state.trained is None else state.trained.kind,
    }
    head |= {name: list(column.values) for name, column in columns.items()}
    arrays: dict[str, npt.NDArray[Any]] = {
        "nums": rows.nums.first(count),
        "alive": state.alive,
        "times": rows.facets.times.first(count),
        **{name: column.codes.first(count) for name, column in columns.items()},
    }
    for place, size in enumerate(_sizes(count)):
        piece = rows.vectors.pieces[place]
        arrays[f"parts-{place}"] = piece.parts.first(size)
        if piece.scales is not None:
            arrays[f"scales-{place}"] = piece.scales.first(size)
    if state.codes is not None:
        arrays["codes"] = state.codes.first(count - state.indexed)
    if state.trained is not None:
        arrays |= {f"trained-{name}": one for name, one in state.trained.arrays().items()}
    try:
        if not folder.is_dir() or any(folder.iterdir()):
            raise UsageError(f"{folder} is not an empty folder; save into a new one")
        for name, array in arrays.items():
            np.save(folder / name, array)
        (folder / HEAD).write_text(json.dumps(head), encoding="utf-8")
    except OSError as error:
        raise disk_error(error, f"write the vectors into {folder}") from error


class Saved:
    """What a folder holds; whether its files are those that were written is not looked at here."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.head: dict[str, Any] = json.loads((folder / HEAD).read_text(encoding="utf-8"))
        if self.head["format"] != FORMAT:
            raise ValueError(f"it is of format {self.head['format']}")

    def array(self, name: str, count: int | None = None) -> npt.NDArray[Any]:
        found: npt.NDArray[Any] = np.load(self._folder / f"{name}.npy", allow_pickle=False)
        if count not in (None, len(found)):
            raise ValueError(f"{name} does not have {count} rows")
        return found

    def column(self, name: str) -> Column[Any]:
        values = [tuple(one) if isinstance(one, list) else one for one in self.head[name]]
        return Column(values, Growing.of(self.array(name, self.head["count"])))


@contextmanager
def reading(folder: Path) -> Iterator[None]:
    """Say of a folder that cannot be read whether it or the disk is to blame."""
    try:
        yield
    except _UNREADABLE as error:
        raise AdapterError(f"{folder}: {error}; rebuild the vectors", code="corrupt") from error
    except OSError as error:
        raise disk_error(error, f"read the vectors in {folder}") from error


def read_state(saved: Saved, rows: Rows) -> State:
    """Fill empty rows from a folder and return their state."""
    dimensions, count = rows.vectors.dimensions, saved.head["count"]
    if saved.head["dimensions"] != dimensions:
        raise ValueError(f"vectors of {saved.head['dimensions']} dimensions, not {dimensions}")
    for place, size in enumerate(_sizes(count)):
        parts = saved.array(f"parts-{place}", size)
        full = parts.dtype == np.float32
        scales = None if full else Growing.of(saved.array(f"scales-{place}", size))
        rows.vectors.pieces.append(Chunk(Growing.of(parts), scales))
    rows.vectors.count = count
    rows.nums = Growing.of(saved.array("nums", count))
    rows.facets.times = Growing.of(saved.array("times", count))
    for name in rows.facets.columns():
        setattr(rows.facets, name, saved.column(name))
    alive = saved.array("alive", count)
    living = np.flatnonzero(alive)
    where = dict(zip(rows.nums.first(count)[living].tolist(), living.tolist(), strict=True))
    return State(rows, count, alive, len(where), where)


def _sizes(count: int) -> list[int]:
    return [min(CHUNK, count - start) for start in range(0, count, CHUNK)]
