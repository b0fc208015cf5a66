"""The memories that a commit touches: read once, changed here, written at once at its end.

In: a writing transaction and where new memories come from. Out: rows, search texts, edges. Stages
see on the board what the stages before them have done. Nothing is decided here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from math import exp
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.chunk_text import chunk_text
from smartbrain.domain.graph import Edge, EdgeType, edge_id
from smartbrain.domain.ids import memory_id
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.quick import replace
from smartbrain.remember.origin import Origin
from smartbrain.remember.sameness import says_same, senses

if TYPE_CHECKING:
    from smartbrain.domain.job import Tombstone
    from smartbrain.domain.policy import EdgeWeightRules
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.ports.truth import Transaction

_RECENT_DAYS: Final = 30.0  # in which the freshness of an edge falls to a third
_DAY: Final = 86_400.0
_LAST: Final = "last"  # no id of a source
_STANDING: Final = (Status.ACTIVE, Status.CANDIDATE)
_PUT_AWAY: Final = ("goals", "tasks")  # types of what may be put away for its age


@dataclass(slots=True)
class Board:
    """The touched memories by id, as they will be."""

    transaction: Transaction
    types: TypeRegistry
    origin: Origin
    weighing: EdgeWeightRules
    apart: bool = False
    """Whether it is only tried out here what versions would come of sayings; nothing is written."""
    again: bool = False
    """Whether what is said has been said before, so that nothing but versions comes of it."""
    rejected: dict[str, Tombstone] = field(default_factory=dict)
    """What was rejected on a board that stands apart, by its fingerprint."""
    looked_up: dict[str, list[tuple[Memory, frozenset[str]]]] = field(default_factory=dict)
    """The newest memories of types with their words, read once a commit."""
    _versions: dict[str, list[str]] = field(default_factory=dict)
    _gone: dict[str, list[Memory]] = field(default_factory=dict)
    _memories: dict[str, Memory] = field(default_factory=dict)
    _new: dict[str, None] = field(default_factory=dict)
    _edges: dict[str, Edge] = field(default_factory=dict)
    _cut: dict[str, None] = field(default_factory=dict)
    _before: dict[str, Memory] = field(default_factory=dict)
    _counted: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    _led: dict[tuple[str, str], None] = field(default_factory=dict)
    _left: dict[tuple[str, str], list[Memory]] = field(default_factory=dict)
    _saying: dict[tuple[str, str], dict[Hashable, set[str]]] = field(default_factory=dict)

    @contextmanager
    def spoken_at(self, origin: Origin) -> Iterator[None]:
        """Let what is made meanwhile come from another turn than the board's own."""
        was, self.origin = self.origin, replace(origin, now=self.origin.now)
        yield
        self.origin = was

    def aside(self, keys: Iterable[str]) -> Board:
        """Return a board beside this one on which some keys have no versions yet."""
        other = Board(self.transaction, self.types, self.origin, self.weighing, apart=True)
        for key in keys:
            other.open(key)
        return other

    def read(self, keys: Iterable[str]) -> None:
        """Read the versions of keys that are not on the board yet, all with one query."""
        lacking = [key for key in dict.fromkeys(keys) if key not in self._versions]
        if not lacking:
            return
        found = self.transaction.remembering.histories(lacking)
        for key in lacking:
            living = [memory for memory in found.get(key, ()) if memory.deleted_at is None]
            self._versions[key] = [memory.id for memory in living]
            for memory in living:
                self.adopt(memory)
            if len(living) < len(found.get(key, ())):
                self._gone[key] = [one for one in found[key] if one.deleted_at is not None]

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

    def last(self, type_name: str, key: str) -> Memory | None:
        """Return the version of a key that was said last."""
        if key not in self._versions:
            self.read([key])
        found = (self._memories[one] for one in reversed(self._versions[key]))
        return next((memory for memory in found if memory.type == type_name), None)

    def newest(self, type_name: str, *, limit: int) -> list[Memory]:
        """Return the standing memories of a type that were written last, newest first.

        Behind them come those that were put away for their age.
        """
        if not self.apart:
            stored = self.transaction.remembering
            found = stored.newest(type_name, limit=limit)
            if type_name not in _PUT_AWAY:
                return found
            keys = {one.key for one in found}
            old = stored.newest(type_name, limit=limit, put_away=True)
            return found + [one for one in old if one.key not in keys]
        each = (self.standing(type_name, key) for key in self._versions)
        known = [one for one in each if one is not None]
        return sorted(known, key=lambda one: one.said_at, reverse=True)[:limit]

    def standing(self, type_name: str, key: str) -> Memory | None:
        """Return the active version of a key, or its candidate.

        Where there is none, it is the one that was put away for its age: it may end, or go on.
        """
        if key not in self._versions:
            self.read([key])
        found = (self._memories[one] for one in reversed(self._versions[key]))
        return _leading(memory for memory in found if memory.type == type_name)

    def beside(self, memory: Memory) -> tuple[Memory | None, Memory | None]:
        """Return the versions of a key just before and just after one, by their own time."""
        after = None
        versions = (self._memories[one] for one in reversed(self._versions[memory.key]))
        for one in versions:
            if one.id == memory.id:
                break
            after = one if one.type == memory.type else after
        return next((one for one in versions if one.type == memory.type), None), after

    def alike(self, memory: Memory, status: Status | None = None) -> Memory | None:
        """Return the last other version of a key, of a status, whose fact says the same."""
        where, said = (memory.type, memory.key), memory.value.get("value")
        if where not in self._saying:
            self._saying[where] = {}
            for one in self.history(*where):
                self._note_sense(one)
        saying = self._saying[where]
        found = {one for sense in senses(said) for one in saying.get(sense, ())} - {memory.id}
        for version in reversed(self._versions[memory.key]) if found else ():
            other = self._memories[version]
            if version not in found or status not in (None, other.status):
                continue
            if says_same(other.value.get("value"), said, (other.said_at, memory.said_at)):
                return other
        return None

    def _note_sense(self, memory: Memory) -> None:
        """Write down what a version says, where that is looked for."""
        saying = self._saying.get((memory.type, memory.key))
        if saying is not None:
            for sense in senses(memory.value.get("value")):
                saying.setdefault(sense, set()).add(memory.id)

    def make(self, type_name: str, key: str, /, **fields: Any) -> Memory:
        """Return the next version of a key; `put` puts it on the board."""
        origin = self.origin
        counted = self._count(type_name, key)
        fields.setdefault("valid_since", origin.said_at)
        apart = "apart_" if self.apart else ""  # it may come to be another version
        return Memory(
            id=apart + memory_id(origin.id, type_name, key, counted[origin.id] + 1),
            type=type_name,
            key=key,
            version=counted[_LAST] + 1,
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
            self._note_sense(memory)
            return memory
        memory = replace(memory, **changes) if changes else memory
        counted = self._count(memory.type, memory.key)
        versions = self._versions[memory.key]
        place = len(versions)
        while place and self._memories[versions[place - 1]].said_at > memory.said_at:
            place -= 1
        versions.insert(place, memory.id)
        self._memories[memory.id] = memory
        self._new[memory.id] = None
        self._note_sense(memory)
        counted[_LAST] = max(counted[_LAST], memory.version)
        counted[_source(memory)] += 1
        return memory

    def _count(self, type_name: str, key: str) -> Counter[str]:
        """Return how many versions of a key come from each source, and the number of the last."""
        counted = self._counted.get((type_name, key))
        if counted is None:
            versions = self.history(type_name, key) + self._gone.get(key, [])
            counted = self._counted[type_name, key] = Counter(map(_source, versions))
            counted[_LAST] = max((one.version for one in versions), default=0)
        return counted

    def last_number(self, type_name: str, key: str) -> int:
        """Return the highest number that a version of a key has."""
        return self._count(type_name, key)[_LAST]

    def keys(self) -> list[str]:
        """Return the keys whose versions are on the board."""
        return sorted(self._versions)

    def has(self, memory_id: str) -> bool:
        """Tell whether a memory is on the board."""
        return memory_id in self._memories

    def linked(self, kind: EdgeType) -> list[tuple[str, str, Mapping[str, Any]]]:
        """Return the ends and the attributes of the edges of a kind that were added here."""
        return [(one.src, one.dst, one.attrs) for one in self._edges.values() if one.type is kind]

    def edges_of(
        self, node_id: str, *, outgoing: bool = True, kind: EdgeType | None = None
    ) -> list[Edge]:
        """Return the edges that lead from a node, or to it, as they are when all is written."""
        stored = self.transaction.edges.of(node_id, outgoing=outgoing, kind=kind)
        found = {one.id: one for one in stored if one.id not in self._cut}
        for one in self._edges.values():
            if node_id == (one.src if outgoing else one.dst) and kind in (None, one.type):
                found[one.id] = one
        return list(found.values())

    def arrange(self, type_name: str, key: str, versions: Iterable[Memory]) -> None:
        """Let a key have these versions of a type, which are on the board, in the order given."""
        told = [memory.id for memory in versions]
        others = [self._memories[one] for one in self._versions[key] if one not in told]
        self._versions[key] = [one.id for one in others if one.type != type_name] + told
        gone = (one for one in others if one.type == type_name and one.id not in self._new)
        left = self._left.setdefault((type_name, key), [])
        left += [self._before[one.id] for one in gone]
        self._counted.clear()
        self._saying.clear()

    def drop(self, memory: Memory) -> None:
        """Delete a version that is another one now, and what leads to it."""
        for edge in (*self.edges_of(memory.id), *self.edges_of(memory.id, outgoing=False)):
            self.cut(edge.src, edge.type, edge.dst)
        gone = self.put(memory, status=Status.ARCHIVED, deleted_at=self.origin.now)
        self._gone.setdefault(memory.key, []).append(gone)

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

    def lead(self, type_name: str, key: str) -> None:
        """Let every other version of a key lead to the one that stands when all is written."""
        self._led[type_name, key] = None

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
        retold = [one for one, before in self._before.items() if self._is_retold(before)]
        fresh = {one: [self._text(self._memories[one])] for one in (*retold, *self._new)}
        if fresh:
            memories.put_chunks(fresh)
        edges, now = self.transaction.edges, self.origin.now
        led = [self._point(type_name, key) for type_name, key in self._led]
        if self._cut:
            edges.delete(list(self._cut), now)
        for stands, versions in led:
            found = edges.lead(list(versions), stands, now) if versions else set()
            for src in (src for edge, src in versions.items() if edge not in found):
                self.link(src, EdgeType.ACTIVE_OF, stands)
        if self._edges:
            edges.add(list(self._edges.values()))

    def _point(self, type_name: str, key: str) -> tuple[str, dict[str, str]]:
        """Return what stands of a key now, and what is yet to lead to it: sources by their edges.

        Cut are the edges from what stands itself, from all if nothing does, and from what has left.
        """
        versions = self.history(type_name, key)
        left = self._left.get((type_name, key), [])
        stored = [self._before.get(one.id, one) for one in versions if one.id not in self._new]
        known = [one for one in stored if one.key == key]
        stood, stands = _leading([*reversed(known), *left]), _leading(reversed(versions))
        ended = stored if stands is None else [one for one in stored if one.id == stands.id]
        for one in (*ended, *left):
            self.cut(one.id, EdgeType.ACTIVE_OF, one.id)
        if stands is None:
            return "", {}
        same = stood is not None and stood.id == stands.id
        had = {stands.id, *(one.id for one in known if same)}
        others = [one.id for one in versions if one.id not in had]
        for src in filter(self._new.__contains__, others):
            self.link(src, EdgeType.ACTIVE_OF, stands.id)
        others = [src for src in others if src not in self._new]
        return stands.id, {edge_id(src, EdgeType.ACTIVE_OF, stands.id): src for src in others}

    def _is_retold(self, before: Memory) -> bool:
        """Tell whether a stored memory is searched by other words now."""
        now = self._memories[before.id]
        return _told(now) != _told(before) and self._text(now) != self._text(before)

    def _text(self, memory: Memory) -> str:
        """Return what a memory is searched by."""
        return chunk_text(memory, self.types.get(memory.type))


def _source(memory: Memory) -> str:
    """Return the id of what a version comes from."""
    return memory.source_turn_id or memory.source_operation_id or ""


def _leading(newest_first: Iterable[Memory]) -> Memory | None:
    """Return the version that stands, there is at most one; else the last, if it was put away."""
    last = None
    for one in newest_first:
        if one.status in _STANDING:
            return one
        last = last or one
    return last if last is not None and last.status is Status.ARCHIVED else None


def _stands(memory: Memory) -> bool:
    """Tell whether a version stands."""
    return memory.status in _STANDING


def _told(memory: Memory) -> tuple[Any, ...]:
    """Return what a version's search text is made of, as far as a version can change."""
    return memory.key, memory.title, memory.text, memory.value, memory.said_at
