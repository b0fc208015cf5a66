"""The memories and edges that a commit writes: gathered stage by stage, written at once at its end.

In: a writing transaction and where new memories come from: a turn of a session or an operation, and
when it was said. Out: rows, search texts, edges, and pairs of contradictions that are too close to
call, queued for people or agents to settle. Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from math import exp
from typing import Any, Final

from msgspec.structs import replace

from smartbrain.domain.graph import Edge, EdgeType, edge_id
from smartbrain.domain.ids import derive, memory_id
from smartbrain.domain.job import Job, WorkKind
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.memory_type import chunk_text
from smartbrain.domain.policy import EdgeWeightRules, Rules
from smartbrain.domain.result import MemoryWritten, WrittenMemory
from smartbrain.domain.turn import Operation, Turn
from smartbrain.domain.types import TypeRegistry
from smartbrain.ports.bundle import Ports
from smartbrain.ports.truth import Transaction
from smartbrain.remember.rules.forms import read_sentiment

_RECENT_DAYS: Final = 30.0  # in which the freshness of an edge falls to a third
_DAY: Final = 86_400.0
_STANDING: Final = (Status.ACTIVE, Status.CANDIDATE)
_TOLD: Final = WrittenMemory.__struct_fields__


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where new memories come from: a turn of a session, or an operation."""

    turn_id: str | None = None
    operation_id: str | None = None
    session_id: str = ""
    said_at: datetime
    now: datetime

    @property
    def id(self) -> str:
        """The id that derived ids are made of."""
        return self.turn_id or self.operation_id or ""


@dataclass(slots=True)
class WriteSet:
    """The touched memories by id, as they will be, and the edges that come and go."""

    transaction: Transaction
    types: TypeRegistry
    origin: Origin
    weighing: EdgeWeightRules
    _keys: dict[str, dict[str, None]] = field(default_factory=dict)
    _memories: dict[str, Memory] = field(default_factory=dict)
    _new: dict[str, None] = field(default_factory=dict)
    _before: dict[str, Memory] = field(default_factory=dict)
    _edges: dict[str, Edge] = field(default_factory=dict)
    _cut: dict[str, None] = field(default_factory=dict)

    @classmethod
    def of_turn(
        cls, turn: Turn, now: datetime, transaction: Transaction, ports: Ports, rules: Rules
    ) -> WriteSet:
        """Return an empty one for what a turn, or one of its steps, says."""
        origin = Origin(turn_id=turn.id, session_id=turn.session_id, said_at=turn.at, now=now)
        return cls(transaction, ports.types, origin, rules.policies.linking.edge_weight)

    @classmethod
    def of_operation(
        cls, operation: Operation, transaction: Transaction, ports: Ports, rules: Rules
    ) -> WriteSet:
        """Return an empty one for what an operation writes."""
        at, now = operation.at, operation.created_at
        origin = Origin(operation_id=operation.id, said_at=at, now=now)
        return cls(transaction, ports.types, origin, rules.policies.linking.edge_weight)

    def read(self, keys: Iterable[str]) -> None:
        """Read the standing versions of keys that were not read yet, all with one query."""
        lacking = [key for key in dict.fromkeys(keys) if key not in self._keys]
        if not lacking:
            return
        found = self.transaction.remembering.histories(lacking)
        for key in lacking:
            self._keys[key] = {}
            for memory in found.get(key, ()):
                if memory.deleted_at is None:
                    self.adopt(memory)
                    self._keys[key][memory.id] = None

    def open(self, key: str) -> None:
        """Begin a key that nothing is stored under, for it is named after a new part of a turn."""
        self._keys[key] = {}

    def adopt(self, memory: Memory) -> Memory:
        """Take a stored memory in as it is, unless it is here already."""
        return self._memories.setdefault(memory.id, memory)

    def standing(self, type_name: str, key: str) -> Memory | None:
        """Return the active version of a key, or its candidate."""
        if key not in self._keys:
            self.read([key])
        found = (self._memories[one] for one in reversed(self._keys[key]))
        return next((m for m in found if m.type == type_name and m.status in _STANDING), None)

    def last_number(self, type_name: str, key: str) -> int:
        """Return the highest number that a version of a key has."""
        numbers = [
            memory.version
            for memory in self._memories.values()
            if memory.key == key and memory.type == type_name
        ]
        stored = self.transaction.remembering.last_version(type_name, key)
        return max([stored, *numbers])

    def make(self, type_name: str, key: str, /, **fields: Any) -> Memory:
        """Return the next version of a key that is not folded from claims; `put` adds it."""
        origin, number = self.origin, self.last_number(type_name, key) + 1
        fields.setdefault("valid_since", origin.said_at)
        return Memory(
            id=memory_id(origin.id, type_name, key, number),
            type=type_name,
            key=key,
            version=number,
            source_turn_id=origin.turn_id,
            source_operation_id=origin.operation_id,
            said_at=origin.said_at,
            created_at=origin.now,
            updated_at=origin.now,
            **fields,
        )

    def put(self, memory: Memory, **changes: Any) -> Memory:
        """Add a version, or change one that is here; `changes` are fields to put it with."""
        stored = self._memories.get(memory.id)
        if stored is None:
            memory = replace(memory, **changes)
            memory = replace(memory, sentiment=read_sentiment(memory.text))
            self._new[memory.id] = None
            self._keys.setdefault(memory.key, {})[memory.id] = None
        else:
            memory = replace(memory, updated_at=self.origin.now, **changes)
            if memory.text != stored.text:
                memory = replace(memory, sentiment=read_sentiment(memory.text))
            if memory.id not in self._new:
                self._before.setdefault(memory.id, stored)
        self._memories[memory.id] = memory
        return memory

    def drop(self, memory: Memory) -> None:
        """Delete a version that nothing founds any more, and what leads to it."""
        self.adopt(memory)
        for outgoing in (True, False):
            for edge in self.transaction.edges.of(memory.id, outgoing=outgoing):
                self._cut[edge.id] = None
        self.put(memory, status=Status.ARCHIVED, deleted_at=self.origin.now)

    def get(self, memory_id: str) -> Memory:
        """Return a memory that is here."""
        return self._memories[memory_id]

    def items(self, ids: Iterable[str]) -> MemoryWritten:
        """Return memories that are here as a result tells them."""
        told = ({name: getattr(self.get(one), name) for name in _TOLD} for one in ids)
        return MemoryWritten(items=tuple(WrittenMemory(**fields) for fields in told))

    def written(self) -> list[Memory]:
        """Return the memories that are new or changed."""
        return [self._memories[one] for one in (*self._before, *self._new)]

    def link(self, src: str, kind: EdgeType, dst: str, weight: float = 1.0, **fields: Any) -> None:
        """Add an edge, or give it its new weight."""
        now, one = self.origin.now, edge_id(src, kind, dst)
        self._cut.pop(one, None)
        self._edges[one] = Edge(
            id=one,
            src=src,
            dst=dst,
            type=kind,
            weight=weight,
            created_at=now,
            updated_at=now,
            **fields,
        )

    def cut(self, src: str, kind: EdgeType, dst: str) -> None:
        """Take an edge away."""
        one = edge_id(src, kind, dst)
        self._edges.pop(one, None)
        self._cut[one] = None

    def weight(self, confidence: float, trust: float) -> float:
        """Return what an edge weighs that comes from this origin."""
        rules, origin = self.weighing, self.origin
        age = max(0.0, (origin.now - origin.said_at).total_seconds()) / _DAY
        weighed = (
            rules.extraction * confidence
            + rules.source_trust * trust
            + rules.recency * exp(-age / _RECENT_DAYS)
        )
        return round(min(1.0, weighed), 6)

    def write(self) -> None:
        """Write everything: what gives way first, so that no key has two active versions."""
        memories = self.transaction.memories
        changed = sorted(map(self.get, self._before), key=_stands)
        for one in changed:  # two keys may give each other what stands
            if _stands(one) and one.key != self._before[one.id].key:
                memories.update(replace(one, status=Status.SUPERSEDED))
        for one in changed:
            memories.update(one)
        new = [self._memories[one] for one in self._new]
        if new:
            memories.add(new)
        told = {one: self._text(self._memories[one]) for one in (*self._before, *self._new)}
        fresh = {
            one: [text]
            for one, text in told.items()
            if one in self._new or text != self._text(self._before[one])
        }
        if fresh:
            memories.put_chunks(fresh)
        edges = self.transaction.edges
        if self._cut:
            edges.delete(list(self._cut), self.origin.now)
        if self._edges:
            edges.add(list(self._edges.values()))

    def ask_for_review(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Queue pairs of a version that stands and one that disputes it, each once (C5)."""
        now, kind = self.origin.now, WorkKind.VERIFY.value
        for active, other in pairs:
            name, payload = derive("job", kind, active, other), {"active": active, "other": other}
            job = Job(id=name, kind=kind, payload=payload, created_at=now, updated_at=now)
            self.transaction.working.put_job(job)

    def _text(self, memory: Memory) -> str:
        return chunk_text(memory, self.types.get(memory.type))


def _stands(memory: Memory) -> bool:
    return memory.status in _STANDING
