"""The memories that a commit touches: read once, changed here, written at once at its end.

In: a writing transaction and where new memories come from. Out: rows, search texts, edges. Stages
see on the board what the stages before them have done. Nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from math import exp
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.chunk_text import chunk_text
from smartbrain.domain.graph import Edge, EdgeType, edge_id
from smartbrain.domain.ids import memory_id
from smartbrain.domain.memory import Memory, Status

if TYPE_CHECKING:
    from smartbrain.domain.policy import EdgeWeightRules
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.ports.truth import Transaction

_RECENT_DAYS: Final = 30.0  # in which the freshness of an edge falls to a third
_DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where new memories come from: a turn of a session, or an operation."""

    turn_id: str | None = None
    operation_id: str | None = None
    session_id: str = ""
    episode_id: str | None = None
    said_at: datetime
    now: datetime

    @property
    def id(self) -> str:
        """The id that derived ids are made of."""
        return self.turn_id or self.operation_id or ""


@dataclass(slots=True)
class Board:
    """The touched memories by id, as they will be."""

    transaction: Transaction
    types: TypeRegistry
    origin: Origin
    weighing: EdgeWeightRules
    looked_up: dict[str, list[tuple[Memory, frozenset[str]]]] = field(default_factory=dict)
    """The newest memories of types with their words, read once a commit."""
    _versions: dict[str, list[str]] = field(default_factory=dict)
    _memories: dict[str, Memory] = field(default_factory=dict)
    _new: dict[str, None] = field(default_factory=dict)
    _edges: dict[str, Edge] = field(default_factory=dict)
    _cut: dict[str, None] = field(default_factory=dict)
    _before: dict[str, Memory] = field(default_factory=dict)

    def read(self, keys: Iterable[str]) -> None:
        """Read the versions of keys that are not on the board yet, all with one query."""
        lacking = [key for key in dict.fromkeys(keys) if key not in self._versions]
        if not lacking:
            return
        found = self.transaction.remembering.histories(lacking)
        for key in lacking:
            self._versions[key] = [memory.id for memory in found.get(key, ())]
            for memory in found.get(key, ()):
                self.adopt(memory)

    def open(self, key: str) -> None:
        """Begin a key that nothing is stored under, for it is named after a new part of a turn."""
        self._versions[key] = []

    def adopt(self, memory: Memory) -> None:
        """Put a stored memory on the board as it is, whatever other versions it has."""
        self._memories.setdefault(memory.id, memory)

    def history(self, type_name: str, key: str) -> list[Memory]:
        """Return the versions of a key, oldest first by their own time."""
        if key not in self._versions:
            self.read([key])
        found = [self._memories[one] for one in self._versions[key]]
        return [memory for memory in found if memory.type == type_name]

    def standing(self, type_name: str, key: str) -> Memory | None:
        """Return the active version of a key, or its candidate."""
        wanted = (Status.ACTIVE, Status.CANDIDATE)
        return next((m for m in self.history(type_name, key) if m.status in wanted), None)

    def make(self, type_name: str, key: str, /, **fields: Any) -> Memory:
        """Return the next version of a key; `put` puts it on the board."""
        origin, before = self.origin, self.history(type_name, key)
        mine = [m for m in before if origin.id in (m.source_turn_id, m.source_operation_id)]
        fields.setdefault("valid_since", origin.said_at)
        return Memory(
            id=memory_id(origin.id, type_name, key, len(mine) + 1),
            type=type_name,
            key=key,
            version=1 + max((memory.version for memory in before), default=0),
            source_turn_id=origin.turn_id,
            source_operation_id=origin.operation_id,
            said_at=origin.said_at,
            created_at=origin.now,
            updated_at=origin.now,
            **fields,
        )

    def put(self, memory: Memory, **changes: Any) -> Memory:
        """Add a version, or change one that is there; `changes` are fields to put it with."""
        stored = self._memories.get(memory.id)
        if stored is not None:
            memory = replace(memory, updated_at=self.origin.now, **changes)
            if memory.id not in self._new:
                self._before.setdefault(memory.id, stored)
            self._memories[memory.id] = memory
            return memory
        if changes:
            memory = replace(memory, **changes)
        self.read([memory.key])
        versions = self._versions[memory.key]
        later = [m for m in versions if self._memories[m].said_at > memory.said_at]
        versions.insert(len(versions) - len(later), memory.id)
        self._memories[memory.id] = memory
        self._new[memory.id] = None
        return memory

    def written(self) -> list[Memory]:
        """Return the memories that are new or changed."""
        return [self._memories[one] for one in (*self._before, *self._new)]

    def get(self, memory_id: str) -> Memory:
        """Return a memory of the board."""
        return self._memories[memory_id]

    def link(self, src: str, kind: EdgeType, dst: str, weight: float = 1.0, **fields: Any) -> None:
        """Add an edge, or give it its new weight."""
        now = self.origin.now
        one = edge_id(src, kind, dst)
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
        for changed in self._before:
            memories.update(self._memories[changed])
        new = [self._memories[one] for one in self._new]
        if new:
            memories.add(new)
        retold = [one for one, before in self._before.items() if self._is_retold(before)]
        fresh = {one: [self._text(self._memories[one])] for one in (*retold, *self._new)}
        if fresh:
            memories.put_chunks(fresh)
        if self._cut:
            self.transaction.edges.delete(list(self._cut), self.origin.now)
        if self._edges:
            self.transaction.edges.add(list(self._edges.values()))

    def _is_retold(self, before: Memory) -> bool:
        """Tell whether a stored memory is searched by other words now."""
        now = self._memories[before.id]
        return _told(now) != _told(before) and self._text(now) != self._text(before)

    def _text(self, memory: Memory) -> str:
        """Return what a memory is searched by."""
        return chunk_text(memory, self.types.get(memory.type))


def _told(memory: Memory) -> tuple[Any, ...]:
    """Return what a version's search text is made of, as far as a version can change."""
    return memory.title, memory.text, memory.value, memory.said_at
