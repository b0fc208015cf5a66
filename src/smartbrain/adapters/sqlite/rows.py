"""Between domain records and rows: times as microseconds, JSON in its canonical spelling.

A record's form names its columns; how each is written and read follows from the types of its
fields. What is large and seldom read is packed: JSON that is a text with the compressed spelling of
a value. The numbers of nodes are looked up once a transaction.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from enum import Enum
from functools import cache, lru_cache
from importlib import resources
from json.encoder import encode_basestring
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar, get_args, get_origin, get_type_hints

import apsw

from smartbrain.adapters.sqlite.connection import translating
from smartbrain.domain.change import ChangeKind, ChangeOp
from smartbrain.domain.memory import Memory, Span
from smartbrain.domain.record import Record, canonical_json
from smartbrain.domain.time import from_micros, to_micros, utc_offset_seconds
from smartbrain.errors import AdapterError, NotFound

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

T = TypeVar("T")
Row = tuple[Any, ...]

LISTED: Final = "IN (SELECT value FROM json_each(?))"
"""The condition that a value is among those of a JSON list."""
_DECODED: Final = 500  # memories


def json_text(value: Any) -> str:
    """Return canonical JSON; the empty object that most rows hold skips the encoder."""
    return "{}" if value == {} else canonical_json(value)


def nums_json(nums: Iterable[int]) -> str:
    """Return numbers as a JSON list."""
    return f"[{','.join(map(str, nums))}]"


def texts_json(texts: Iterable[str]) -> str:
    """Return a list of texts as canonical JSON; the encoder for any value costs five times more."""
    return f"[{','.join(map(encode_basestring, texts))}]"


def load(text: str) -> Any:
    """Read stored JSON; the empty object that most rows hold skips the decoder."""
    if text == "{}":
        return {}
    try:
        return json.loads(text)
    except ValueError as error:
        raise AdapterError(
            f"a stored value is no JSON ({error}); restore the tenant from a backup", code="corrupt"
        ) from None


def load_list(text: str) -> tuple[Any, ...]:
    """Read a stored list; most are empty."""
    return () if text == "[]" else tuple(load(text))


def optional_micros(time: datetime | None) -> int | None:
    """Return a stored instant, or NULL."""
    return None if time is None else to_micros(time)


class Touched:
    """What a transaction has changed so far, and the numbers of the nodes that it has met."""

    def __init__(self, connection: apsw.Connection, tenant: str = "") -> None:
        self._connection = connection
        self.tenant = tenant
        self.changes: dict[ChangeKind, dict[int, ChangeOp]] = {}
        self.numbers: dict[str, int] = {}
        self.decoded: dict[Row, Memory] = {}  # by their rows, which mostly come again
        self.half_done = False

    def clear(self) -> None:
        self.changes.clear()
        self.numbers.clear()
        self.half_done = False
        if len(self.decoded) > _DECODED:
            self.decoded.clear()

    @contextmanager
    def whole(self) -> Iterator[None]:
        """Change many rows: where that fails half-way the transaction cannot commit."""
        try:
            yield
        except BaseException:
            self.half_done = True
            raise

    def note(self, kind: ChangeKind, nums: Collection[int], op: ChangeOp = ChangeOp.UPSERT) -> None:
        """Write down that rows were touched; the last change of a row is the one that counts."""
        if nums:
            self.changes.setdefault(kind, {}).update(dict.fromkeys(nums, op))

    def add_nodes(self, ids: Sequence[str], kind: str) -> list[int]:
        rows = self._connection.executemany(
            "INSERT INTO nodes (id, kind) VALUES (?, ?) RETURNING num",
            [(node_id, kind) for node_id in ids],
        )
        nums = [row[0] for row in rows]
        self.numbers.update(zip(ids, nums, strict=True))
        return nums

    def number(self, node_id: str) -> int:
        num = self.numbers.get(node_id)
        if num is None:
            num = self._connection.execute("SELECT num FROM nodes WHERE id = ?", (node_id,)).get
            if num is None:
                raise NotFound(f"there is no node {node_id!r} in this tenant")
            self.numbers[node_id] = num
        return num

    def spans(self, spans: Iterable[Span]) -> str:
        """Return spans as stored: raw chunk numbers with offset and length."""
        number = self.number
        parts = [f"[{number(span.raw_id)},{span.offset},{span.length}]" for span in spans]
        return f"[{','.join(parts)}]"

    def read_spans(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        """Read stored spans of many rows with one query for the chunks' ids."""
        parsed = [load_list(text) for text in texts]
        nums = {span[0] for spans in parsed for span in spans}
        if not nums:
            return [()] * len(parsed)
        ids = dict(
            self._connection.execute(
                f"SELECT num, id FROM nodes WHERE num {LISTED}", (nums_json(nums),)
            )
        )
        if len(ids) < len(nums):
            raise AdapterError(
                "a stored text leads to a raw chunk that is gone; restore the tenant from a backup",
                code="corrupt",
            )
        return [
            tuple([Span(ids[num], offset, length) for num, offset, length in spans])
            for spans in parsed
        ]


class Repository:
    """What every repository has: the connection, and what its transaction has touched.

    Its public methods raise our errors, for callers who catch them at once.
    """

    def __init__(self, connection: apsw.Connection, touched: Touched) -> None:
        self._connection = connection
        self._execute = connection.execute
        self._executemany = connection.executemany
        self._touched = touched

    def __init_subclass__(cls) -> None:
        translating(cls)

    def _rows(self, query: str, *given: Any) -> list[Row]:
        return self._execute(query, given).fetchall()

    def _column(self, query: str, *given: Any) -> list[Any]:
        return [row[0] for row in self._execute(query, given)]


class RowForm(Generic[T]):
    """How the records of a type lie in the rows of a table, column by column.

    Each column is named like its field, or says after a `=` where in the record its value is, as in
    `valence=sentiment.valence`; `utc_offset=said_at:` is the offset of a time. The types of the
    fields say how values are written and read: instants as microseconds, what JSON has a form for
    as its text, enums by their value.
    """

    def __init__(self, kind: type[T], columns: str) -> None:
        pairs = [one.partition("=") for one in columns.split()]
        self.names: Final = tuple(name for name, _, _ in pairs)
        self.columns: Final = ", ".join(self.names)
        self.marks: Final = ", ".join("?" * len(pairs))
        self._kind = kind
        self._paths = tuple(path or name for name, _, path in pairs)
        self._values = attrgetter(*[path.removesuffix(":") for path in self._paths])
        codecs = [_codec(_hint(kind, path)) for path in self._paths]
        self._writers = tuple(
            utc_offset_seconds if path.endswith(":") else write
            for path, (write, _) in zip(self._paths, codecs, strict=True)
        )
        self._any = [n for n, path in enumerate(self._paths) if _hint(kind, path) is Any]
        self._timed = [(path[:-1], path) for path in self._paths if path.endswith(":")]
        apart = {name for pair in self._timed for name in pair}  # their columns are read as one
        self._readers = tuple(
            (place, read)
            for place, (path, (_, read)) in enumerate(zip(self._paths, codecs, strict=True))
            if read is not None and path not in apart
        )
        parts: dict[str, list[str]] = {}
        for path in self._paths:
            if "." in path:
                parts.setdefault(path.partition(".")[0], []).append(path)
        self._parts = [
            (root, lru_cache(maxsize=64)(_hint(kind, root)), names)
            for root, names in parts.items()  # there are few of each, on many rows
        ]

    def prefixed(self, table: str) -> str:
        return ", ".join([f"{table}.{name}" for name in self.names])

    def row(self, record: T) -> Row:
        values = [
            value if write is None or value is None else write(value)
            for write, value in zip(self._writers, self._values(record), strict=True)
        ]
        for place in self._any:
            if values[place] is None:  # a value too, where anything may be one
                values[place] = json_text(None)
        return tuple(values)

    def read(self, row: Sequence[Any], **given: Any) -> T:
        """Return the record of a row that begins with the columns; `given` is what they lack."""
        values = list(row)
        for place, read in self._readers:
            if values[place] is not None:
                values[place] = read(values[place])
        given.update(zip(self._paths, values, strict=False))
        for name, offset in self._timed:
            given[name] = from_micros(given[name], given.pop(offset))
        for name, make, parts in self._parts:
            given[name] = make(*map(given.pop, parts))
        return self._kind(**given)


def _hint(kind: type, path: str) -> Any:
    for name in path.removesuffix(":").split("."):
        kind = get_type_hints(kind)[name]
    return kind


def _codec(hint: Any) -> tuple[Callable[[Any], Any] | None, Callable[[Any], Any] | None]:
    """Return how values of a type are written and read; nothing where they are stored as is."""
    options = get_args(hint)
    if type(None) in options:
        return _codec(options[0])
    if hint is datetime:
        return to_micros, from_micros
    if hint is Any or get_origin(hint) in (dict, Mapping):
        return json_text, load
    if get_origin(hint) is tuple:
        return texts_json, load_list
    if isinstance(hint, type) and issubclass(hint, Enum):
        return None, {one.value: one for one in hint}.__getitem__
    if isinstance(hint, type) and issubclass(hint, Record):
        return json_text, lambda text: hint.from_dict(load(text))
    return (int, bool) if hint is bool else (None, None)


_LEVEL: Final = 6


@cache
def packing_words() -> zstd.ZstdDict:
    """Return the names and sentences that what is packed repeats: they take hardly any room."""
    words = resources.files(__package__).joinpath("packing.txt").read_bytes()
    return zstd.ZstdDict(words, is_raw=True)


def packed_json(value: Any) -> bytes:
    """Return a value as compressed JSON; for what is seldom read."""
    return zstd.compress(json_text(value).encode(), level=_LEVEL, zstd_dict=packing_words())


def load_packed(packed: bytes) -> Any:
    """Read compressed JSON."""
    try:
        return load(zstd.decompress(packed, zstd_dict=packing_words()).decode())
    except (ValueError, zstd.ZstdError) as error:
        raise AdapterError(
            f"a stored value cannot be unpacked ({error}); restore the tenant from a backup",
            code="corrupt",
        ) from None
