"""Between domain records and rows: times as microseconds, JSON in its canonical spelling.

Pure functions shared by the repositories; the numbers of nodes are looked up once a transaction.
An enum's member is bound as it is: it is its own text.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from functools import lru_cache
from json.encoder import encode_basestring
from typing import Any, Final

import apsw

from smartbrain.domain.change import ChangeKind, ChangeOp
from smartbrain.domain.graph import Provenance
from smartbrain.domain.memory import (
    Compression,
    Layer,
    Memory,
    Privacy,
    Scope,
    Sentiment,
    Span,
    Status,
)
from smartbrain.domain.record import canonical_json
from smartbrain.domain.time import from_micros, to_micros, utc_offset_seconds
from smartbrain.errors import AdapterError, NotFound

Row = tuple[Any, ...]
_decode: Final = json.JSONDecoder().raw_decode  # canonical JSON has no blanks around it

_KNOWN: Final = 10_000  # numbers of nodes
_DECODED: Final = 500  # memories
_STATES: Final = 200  # owners and kinds whose working state is held


def json_text(value: Any) -> str:
    """Return canonical JSON; the empty object that most rows hold skips the encoder."""
    return "{}" if value == {} else canonical_json(value)


def nums_json(nums: Iterable[int]) -> str:
    """Return numbers as a JSON list."""
    return f"[{','.join(map(str, nums))}]"


def texts_json(texts: Iterable[str]) -> str:
    """Return a list of texts as canonical JSON; the encoder for any value costs five times more."""
    return f"[{','.join(map(encode_basestring, texts))}]"


def optional_json(value: Any) -> str | None:
    """Return canonical JSON, or NULL for nothing."""
    return None if value is None else canonical_json(value)


def load(text: str) -> Any:
    """Read stored JSON; the empty object that most rows hold skips the decoder.

    Raises:
        AdapterError: it is damaged.
    """
    if text == "{}":
        return {}
    try:
        value, end = _decode(text)
    except ValueError as error:
        problem = str(error)
    else:
        if end == len(text):
            return value
        problem = f"it ends at {end} of {len(text)}"
    raise AdapterError(
        f"a stored value is no JSON ({problem}); restore the tenant from a backup", code="corrupt"
    )


def load_list(text: str) -> tuple[Any, ...]:
    """Read a stored list; most are empty."""
    return () if text == "[]" else tuple(load(text))


def optional_load(text: str | None) -> Any:
    """Read stored JSON that may be NULL."""
    return None if text is None else load(text)


def optional_micros(time: datetime | None) -> int | None:
    """Return a stored instant, or NULL."""
    return None if time is None else to_micros(time)


def optional_time(micros: int | None) -> datetime | None:
    """Read a stored instant that may be NULL."""
    return None if micros is None else from_micros(micros)


class _Whole:
    """A change of many rows: one that fails half-way leaves a transaction that cannot commit."""

    __slots__ = ("_touched",)

    def __init__(self, touched: Touched) -> None:
        self._touched = touched

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._touched.half_done = True


class Touched:
    """What a transaction has changed so far, and what is known of the rows it has met.

    The second outlives the transaction, as long as nobody else writes.
    """

    __slots__ = (
        "_connection",
        "_last",
        "_unlinked",
        "changes",
        "decoded",
        "fresh",
        "half_done",
        "lacking",
        "numbers",
        "sessions",
        "standing",
        "states",
        "stored",
        "whole",
    )

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection
        self.whole = _Whole(self)
        self.changes: dict[ChangeKind, dict[int, ChangeOp]] = {}
        self.numbers: dict[str, int] = {}
        self.sessions: dict[str, int] = {}  # the numbers of those that were asked for
        self.stored: dict[int, Row] = {}  # memories as they were read, until they are changed
        self.decoded: dict[int, tuple[Row, Memory]] = {}  # memories of rows that come again
        self.standing: dict[str, dict[int, list[Memory]]] = {}  # the newest of types, by how many
        self.lacking: set[str] = set()  # types of which no memory stands
        # Working state as it is stored, by owner and kind: a session's counts are read each turn.
        self.states: dict[tuple[str, str | None], list[Row]] = {}
        self.fresh: set[int] = set()  # new memories that cannot have search texts yet
        self.half_done = False
        self._last: dict[str, int] = {}  # the last number that rows of each table were given
        self._unlinked: int | None = None  # the first node that no edge can lead to yet

    def clear(self) -> None:
        """Start afresh for the next transaction."""
        self.changes.clear()
        self.stored.clear()
        self.standing.clear()
        self.fresh.clear()
        self.half_done = False
        self._last.clear()  # an edge that was there has not taken the number kept for it
        self._unlinked = None
        if len(self.numbers) > _KNOWN or len(self.decoded) > _DECODED:
            self.forget()
        if len(self.states) > _STATES:
            self.states.clear()

    def forget(self) -> None:
        """Take nothing for known that an earlier transaction has read or written."""
        self.numbers.clear()
        self.sessions.clear()
        self.decoded.clear()
        self.lacking.clear()
        self.states.clear()

    def note(self, kind: ChangeKind, nums: Collection[int], op: ChangeOp = ChangeOp.UPSERT) -> None:
        """Write down that rows were touched; the last change of a row is the one that counts."""
        if nums:
            self.changes.setdefault(kind, {}).update(dict.fromkeys(nums, op))

    def write_type(self, type_name: str) -> None:
        """Take what stands of a type for unknown, as a memory of it is being written."""
        self.lacking.discard(type_name)
        self.standing.pop(type_name, None)

    def new_numbers(self, table: str, count: int) -> range:
        """Return the numbers that the next rows of a table get; asking SQLite for each is slow."""
        if not self._last:
            self._last.update(self._connection.execute("SELECT name, seq FROM sqlite_sequence"))
        first = self._last.get(table, 0) + 1
        self._last[table] = first + count - 1
        return range(first, first + count)

    def add_nodes(self, ids: Sequence[str], kind: str) -> range:
        """Number new nodes and return the numbers in order."""
        nums = self.new_numbers("nodes", len(ids))
        self._connection.executemany(
            "INSERT INTO nodes (num, id, kind) VALUES (?, ?, ?)",
            [(num, node_id, kind) for num, node_id in zip(nums, ids, strict=True)],
        )
        self.numbers.update(zip(ids, nums, strict=True))
        self._unlinked = self._unlinked or nums.start
        return nums

    def lead_to_new(self, edges: Sequence[Row]) -> bool:
        """Tell whether edges just written, as (id, source, target), cannot have been there.

        Each has a node at one end that was made after the edges written before.
        """
        first, self._unlinked = self._unlinked, None
        return (
            first is not None
            and len({edge[0] for edge in edges}) == len(edges)
            and all(src >= first or dst >= first for _, src, dst in edges)
        )

    def number(self, node_id: str) -> int:
        """Return a node's number.

        Raises:
            NotFound: there is no such node.
        """
        num = self.numbers.get(node_id)
        if num is None:
            num = self._connection.execute("SELECT num FROM nodes WHERE id = ?", (node_id,)).get
            if num is None:
                raise NotFound(f"there is no node {node_id!r} in this tenant")
            self.numbers[node_id] = num
        return num

    def spans(self, spans: Iterable[Span]) -> str:
        """Return spans as stored: raw chunk numbers with offset and length."""
        known = self.numbers.get
        parts = [
            f"[{known(span.raw_id) or self.number(span.raw_id)},{span.offset},{span.length}]"
            for span in spans
        ]
        return f"[{','.join(parts)}]"

    def read_spans(self, texts: Sequence[str]) -> list[tuple[Span, ...]]:
        """Read stored spans of many rows with one query for the chunks' ids."""
        parsed = [load_list(text) for text in texts]
        nums = {span[0] for spans in parsed for span in spans}
        if not nums:
            return [()] * len(parsed)
        ids = dict(
            self._connection.execute(
                "SELECT num, id FROM nodes WHERE num IN (SELECT value FROM json_each(?))",
                (nums_json(nums),),
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


MEMORY_COLUMNS: Final = (
    "num, type, key, version, status, title, text, value, confidence, valid_since, valid_until,"
    " source_turn_id, source_message_id, source_operation_id, said_at, evidence_refs, raw_refs,"
    " keywords, entities, tags, valence, arousal, importance, frequency, last_access, pii, scope,"
    " creator, creator_version, layer, compression, created_at, updated_at, deleted_at, utc_offset"
)


_STATUSES: Final = {status.value: status for status in Status}
_LAYERS: Final = {layer.value: layer for layer in Layer}
_COMPRESSIONS: Final = {compression.value: compression for compression in Compression}


def memory_row(num: int, memory: Memory, raw_refs: str) -> Row:
    """Return a memory as a row of `memories`, in the order of MEMORY_COLUMNS."""
    return (
        num,
        memory.type,
        memory.key,
        memory.version,
        memory.status,
        memory.title,
        memory.text,
        json_text(memory.value),
        memory.confidence,
        None if memory.valid_since is None else to_micros(memory.valid_since),
        None if memory.valid_until is None else to_micros(memory.valid_until),
        memory.source_turn_id,
        memory.source_message_id,
        memory.source_operation_id,
        to_micros(memory.said_at),
        texts_json(memory.evidence_refs),
        raw_refs,
        texts_json(memory.keywords),
        texts_json(memory.entities),
        texts_json(memory.tags),
        memory.sentiment.valence,
        memory.sentiment.arousal,
        memory.importance,
        memory.frequency,
        None if memory.last_access is None else to_micros(memory.last_access),
        int(memory.privacy.pii),
        memory.privacy.scope,
        memory.provenance.creator,
        memory.provenance.version,
        memory.layer,
        memory.compression,
        to_micros(memory.created_at),
        to_micros(memory.updated_at),
        None if memory.deleted_at is None else to_micros(memory.deleted_at),
        utc_offset_seconds(memory.said_at),
    )


def memory_of(row: Row, node_id: str, raw_refs: tuple[Span, ...], tenant: str) -> Memory:
    """Read a row of `memories`, in the order of MEMORY_COLUMNS, back into a memory."""
    return Memory(
        id=node_id,
        type=row[1],
        key=row[2],
        version=row[3],
        status=_STATUSES[row[4]],
        title=row[5],
        text=row[6],
        value=load(row[7]),
        confidence=row[8],
        valid_since=optional_time(row[9]),
        valid_until=optional_time(row[10]),
        source_turn_id=row[11],
        source_message_id=row[12],
        source_operation_id=row[13],
        said_at=from_micros(row[14], row[34]),
        evidence_refs=load_list(row[15]),
        raw_refs=raw_refs,
        keywords=load_list(row[17]),
        entities=load_list(row[18]),
        tags=load_list(row[19]),
        sentiment=_sentiment(row[20], row[21]),
        importance=row[22],
        frequency=row[23],
        last_access=optional_time(row[24]),
        privacy=_privacy(row[25], row[26]),
        provenance=provenance_of(row[27], row[28]),
        layer=_LAYERS[row[29]],
        compression=_COMPRESSIONS[row[30]],
        tenant_id=tenant,
        created_at=from_micros(row[31]),
        updated_at=from_micros(row[32]),
        deleted_at=optional_time(row[33]),
    )


@lru_cache(maxsize=64)  # there are few of each, on many rows
def provenance_of(creator: str, version: int) -> Provenance:
    """Read who made a memory or an edge."""
    return Provenance(creator, version)


@lru_cache(maxsize=64)
def _sentiment(valence: float, arousal: float) -> Sentiment:
    return Sentiment(valence, arousal)


@lru_cache(maxsize=8)
def _privacy(pii: int, scope: str) -> Privacy:
    return Privacy(bool(pii), Scope(scope))
