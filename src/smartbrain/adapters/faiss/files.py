"""The rows of a vector index in memory, and the files that keep them.

`Rows` only grows: number, vector and facets of each node as it was given; a changed node is a new
row, and a mask says which rows live. Vectors lie in pieces that are scored block by block; facets
are small numbers, so that a filter is a comparison of arrays. Files hold arrays one after another
with a sum of each, and are read only if every one is whole.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from io import BufferedReader
from pathlib import Path
from threading import Lock
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar, cast
from zlib import crc32

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
        """Add rows at the end."""
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
        """The memory of the rows that are in use."""
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
        """Return a piece without rows."""
        if full:
            return cls(Growing(np.float32, dimensions), None)
        return cls(Growing(np.int16, dimensions), Growing(np.float32))

    def extend(self, units: Floats) -> None:
        """Add rows."""
        parts, scales = self.packed(units)
        if self.scales is not None:
            self.scales.extend(scales)
        self.parts.extend(parts)

    def packed(self, units: Floats) -> tuple[npt.NDArray[Any], Floats]:
        """Return rows as this piece keeps them, and their scales."""
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
        """Add rows at the end."""
        while len(units):
            inside = self.count % CHUNK
            if inside == 0:
                self.pieces.append(Chunk.empty(self.dimensions, full=self.count < self.full))
            taken = units[: CHUNK - inside]
            self.pieces[-1].extend(taken)
            self.count += len(taken)
            units = units[len(taken) :]

    def same(self, row: int, unit: Floats) -> bool:
        """Tell whether a row is what would be kept of this vector."""
        return self.pieces[row // CHUNK].same(row % CHUNK, unit)

    def take(self, rows: RowNumbers) -> Floats:
        """Return rows as float32, in the order asked for."""
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
        """Return the cosines of the first `count` rows."""
        scores = np.empty(count, dtype=np.float32)
        for start in range(0, count, BLOCK):
            stop, inside = min(count, start + BLOCK), start % CHUNK
            block = slice(inside, inside + stop - start)
            scores[start:stop] = _dots(*self.pieces[start // CHUNK].read(block), query)
        return scores

    @property
    def nbytes(self) -> int:
        """The memory of the rows."""
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
    """Return the products of rows with a query, each row summed by itself."""
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
        """Add rows at the end."""
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
        """Return the value of a row."""
        return self.values[int(self.codes.first(row + 1)[row])]

    def mask(self, admits: Callable[[T], bool], start: int, stop: int) -> Mask:
        """Tell for the rows of a range whether their value is admitted."""
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
        """Return the facets of a row."""
        kind, status, layer, language = self.profiles.at(row)
        micros = int(self.times.first(row + 1)[row])
        return Facets(
            type=kind,
            status=status,
            layer=layer,
            at=None if micros == NO_TIME else from_micros(micros),
            source=self.sources.at(row),
            language=language,
            tags=self.tags.at(row),
        )

    def mask(self, only: IndexFilter, count: int) -> Mask:
        """Tell for the first `count` rows whether the filter admits them."""
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
        """Return the columns of these rows."""
        made = FacetColumns()
        made.profiles = self.profiles.subset(rows)
        made.sources = self.sources.subset(rows)
        made.tags = self.tags.subset(rows)
        made.times = Growing.of(self.times.first(self.times.count)[rows])
        return made

    @property
    def nbytes(self) -> int:
        """The memory of the columns; that of the values is estimated by their text."""
        columns: tuple[Column[Any], ...] = (self.profiles, self.sources, self.tags)
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


MAGIC: Final = "smartbrain vectors"
FORMAT: Final = 1
INDEX: Final = "index.json"
_PAGE: Final = 4_096

Pieces = Sequence[npt.NDArray[Any]]


def write_arrays(folder: Path, head: Mapping[str, Any], arrays: Mapping[str, Pieces]) -> None:
    """Write everything into an empty folder."""
    try:
        if not folder.is_dir() or any(folder.iterdir()):
            raise UsageError(f"{folder} is not an empty folder; save into a new one")
        listed = {name: _write(folder, name, pieces) for name, pieces in arrays.items()}
        whole = {"magic": MAGIC, "format": FORMAT, "head": dict(head), "arrays": listed}
        line = json.dumps(whole).encode()
        (folder / INDEX).write_bytes(b"%s\n%08x\n" % (line, crc32(line)))
    except OSError as error:
        raise disk_error(error, f"write the vectors into {folder}") from error


class Contents:
    """What a folder holds, read and checked array by array.

    Raises:
        AdapterError: `corrupt`, `read_only` or `io_error`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        whole = _checked_index(_read_bytes(folder / INDEX), folder)
        self.head: dict[str, Any] = whole["head"]
        self._arrays: dict[str, Any] = whole["arrays"]

    def pieces(self, name: str, dtype: npt.DTypeLike, width: int | None = None) -> Pieces:
        """Return an array in the pieces it was written in."""
        listed = self._arrays.get(name)
        tail = [] if width is None else [width]
        if listed is None or (listed["dtype"], listed["tail"]) != (np.dtype(dtype).str, tail):
            raise corrupt(self._folder, f"{name} is not what this version writes")
        shapes = [(piece["rows"], *tail) for piece in listed["pieces"]]
        path = self._folder / f"{name}.bin"
        try:
            with path.open("rb") as file:
                arrays = [_read_piece(file, np.empty(shape, dtype)) for shape in shapes]
                ended = not file.read(1)
        except FileNotFoundError:
            raise corrupt(self._folder, f"{path.name} is missing") from None
        except OSError as error:
            raise disk_error(error, f"read {path}") from error
        for array, piece in zip(arrays, listed["pieces"], strict=True):
            if not ended or array is None or checksum(array) != piece["check"]:
                raise corrupt(self._folder, f"{path.name} is damaged")
        return [array for array in arrays if array is not None]

    def array(
        self, name: str, dtype: npt.DTypeLike, count: int, width: int | None = None
    ) -> npt.NDArray[Any]:
        """Return an array of so many rows in one piece."""
        pieces = self.pieces(name, dtype, width)
        if sum(map(len, pieces)) != count:
            raise corrupt(self._folder, f"{name} does not have {count} rows")
        if len(pieces) == 1:
            return pieces[0]
        return np.concatenate([np.empty((0,) if width is None else (0, width), dtype), *pieces])

    def text(self, name: str) -> Any:
        """Return plain data."""
        return json.loads(b"".join(piece.tobytes() for piece in self.pieces(name, np.uint8)))

    def broken(self, what: str) -> AdapterError:
        """Return the error that this folder does not make sense."""
        return corrupt(self._folder, what)


def plain_bytes(value: Any) -> Pieces:
    """Return plain data as an array to be written."""
    return [np.frombuffer(json.dumps(value).encode(), dtype=np.uint8)]


def checksum(array: npt.NDArray[Any]) -> int:
    """Return a checksum of an array's bytes.

    A page is summed up in 8-byte words, and the sums go through CRC-32: any change within one word
    shows for certain, and it runs at the speed of memory, five times that of CRC-32 alone.
    """
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    whole = len(data) // _PAGE * _PAGE
    sums = data[:whole].view(np.uint64).reshape(-1, _PAGE // 8).sum(axis=1, dtype=np.uint64)
    return crc32(data[whole:].data, crc32(sums.data))


def corrupt(folder: Path, what: str) -> AdapterError:
    """Return the error of a folder that cannot be loaded."""
    return AdapterError(f"{folder}: {what}; rebuild the vectors", code="corrupt")


def _write(folder: Path, name: str, pieces: Iterable[npt.NDArray[Any]]) -> dict[str, Any]:
    listed = []
    first = None
    with (folder / f"{name}.bin").open("xb") as file:
        for piece in pieces:
            first = piece if first is None else first
            file.write(np.ascontiguousarray(piece).data)
            listed.append({"rows": len(piece), "check": checksum(piece)})
    if first is None:
        return {"dtype": "", "tail": [], "pieces": []}
    return {"dtype": first.dtype.str, "tail": list(first.shape[1:]), "pieces": listed}


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise corrupt(path.parent, f"{path.name} is missing") from None
    except OSError as error:
        raise disk_error(error, f"read {path}") from error


def _checked_index(data: bytes, folder: Path) -> dict[str, Any]:
    line, _, rest = data.partition(b"\n")
    if rest != b"%08x\n" % crc32(line):
        raise corrupt(folder, f"{INDEX} is damaged")
    whole: dict[str, Any] = json.loads(line)
    if (whole.get("magic"), whole.get("format")) != (MAGIC, FORMAT):
        raise corrupt(folder, "it is of another format")
    return whole


def _read_piece(file: BufferedReader, array: npt.NDArray[Any]) -> npt.NDArray[Any] | None:
    """Fill an array from a file; None if the file ends before."""
    view = array.reshape(-1).view(np.uint8).data
    return array if file.readinto(view) == len(view) else None


Bits = npt.NDArray[np.uint8]


class Rows:
    """Numbers, vectors and facets; written by one thread at a time, read by any."""

    def __init__(self, dimensions: int, full: float) -> None:
        self.nums = Growing(np.int64)
        self.vectors = Chunks(dimensions, full)
        self.facets = FacetColumns()

    @property
    def count(self) -> int:
        """How many rows are written."""
        return self.nums.count

    def extend(self, nums: Sequence[int], units: Floats, facets: Sequence[Facets]) -> None:
        """Add rows at the end."""
        times = times_of(facets)
        self.vectors.extend(units)
        self.facets.extend(facets, times)
        self.nums.extend(np.array(nums, dtype=np.int64))

    def same(self, row: int, unit: Floats, facets: Facets) -> bool:
        """Tell whether a row already says this."""
        return self.vectors.same(row, unit) and self.facets.at(row) == facets

    @property
    def nbytes(self) -> int:
        """The memory of all of it."""
        return self.nums.nbytes + self.vectors.nbytes + self.facets.nbytes


@dataclass(slots=True)
class Admitted:
    """The rows of one state that may answer: how many, and which (None is all)."""

    count: int
    mask: Mask | None = None
    _bits: Bits | None = None

    def rows(self, start: int, stop: int) -> RowNumbers:
        """Return the admitted rows of a range."""
        if self.mask is None:
            return np.arange(start, stop)
        return np.flatnonzero(self.mask[start:stop]) + start

    def bits(self, places: npt.NDArray[Any] | slice) -> Bits | None:
        """Return the mask at the places that the state's trained index has, packed, made once."""
        if self._bits is None and self.mask is not None:
            self._bits = np.packbits(self.mask[places], bitorder="little")
        return self._bits


class Group(NamedTuple):
    """So many of the nearest among rows that may answer; there are as many."""

    k: int
    admitted: Admitted


class TrainedIndex(Protocol):
    """An index over the first `count` rows; nothing in it ever changes."""

    kind: str
    count: int

    @property
    def nbytes(self) -> int:
        """Its memory beside the rows'."""
        ...

    def nearest(self, query: Floats, k: int, admitted: Admitted, share: float) -> RowNumbers:
        """Return rows among which the `k` nearest are, most likely; `share` of all are admitted."""
        ...

    def head(self) -> dict[str, Any]:
        """Return what is to be saved of it as plain data."""
        ...

    def arrays(self) -> Mapping[str, Pieces]:
        """Return what is to be saved of it as arrays."""
        ...


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
    remembered: dict[IndexFilter | None, Admitted] = field(default_factory=dict)

    @property
    def dead(self) -> int:
        """How many rows no longer count."""
        return self.count - self.live

    @property
    def indexed(self) -> int:
        """How many rows, from the first, the trained index knows of."""
        return 0 if self.trained is None else self.trained.count

    def changed(self, alive: Mask) -> State:
        """Return the state after rows were added or died."""
        return replace(self, count=len(alive), alive=alive, live=len(self.where), remembered={})

    def admitted(self, only: IndexFilter | None) -> Admitted:
        """Return which rows may answer."""
        if only == IndexFilter():
            only = None
        known = self.remembered.get(only)
        if known is None:
            known = self._admitted(only)
            if len(self.remembered) >= REMEMBERED:
                self.remembered.clear()
            self.remembered[only] = known
        return known

    def _admitted(self, only: IndexFilter | None) -> Admitted:
        if only is None:
            return Admitted(self.live, self.alive if self.dead else None)
        mask = self.rows.facets.mask(only, self.count)
        if self.dead:
            mask = mask & self.alive
        count = int(np.count_nonzero(mask))
        # What admits every row is no filter, and nothing has to be picked out for it.
        return Admitted(count, None if count == self.count else mask)


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
    """Fill empty rows from a folder and return their state."""
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
    return state.rows.vectors.pieces[: len(_sizes(state.count))]


def _sizes(count: int) -> list[int]:
    return [min(CHUNK, count - start) for start in range(0, count, CHUNK)]


def _read_pieces(contents: Contents, dimensions: int, count: int) -> list[Chunk]:
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
    codes = contents.array(name, np.int32, count)
    read = cast("list[Any]", contents.text(f"{name}-values"))
    values = [tuple(value) if isinstance(value, list) else value for value in read]
    if count and not 0 <= int(codes.min()) <= int(codes.max()) < len(values):
        raise contents.broken(f"{name} name a value that is not there")
    return Column(values, Growing.of(codes))
