"""Comparing two tenants that were told the same: memories, their search texts, and edges.

In: a reading transaction of each. Out: how many there are, and those that differ, in words. Rows
are matched by their ids, which are made of what they come from; numbers are not compared. Where
turns were read again, when something was last touched is not compared either, nor what is gone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.memory import Memory
from smartbrain.domain.record import Record, canonical_json
from smartbrain.domain.replay import Difference

if TYPE_CHECKING:
    from smartbrain.domain.graph import Edge
    from smartbrain.ports.truth import Transaction

_PAGE: Final = 500
_NAMED: Final = 20  # differences that are named
_LONGEST: Final = 80  # characters of a value that are shown
_NOT_TOLD: Final = ("last_access",)  # who looked at a memory is no part of what was told

_TOUCHED: Final = (*_NOT_TOLD, "updated_at")


@dataclass(slots=True)
class Comparison:
    """What is stored, held against what came of doing it again."""

    stored: Transaction
    again: Transaction
    reread: bool = False
    memories: int = 0
    edges: int = 0
    differing: int = 0
    differences: list[Difference] = field(default_factory=list)

    def run(self) -> Iterator[int]:
        """Compare everything; yield how many memories of a page are done."""
        for memories in _memories(self.stored):
            self._compare_memories(memories)
            yield len(memories)
        for edges in _edges(self.stored):
            self._compare_edges(edges)
        for memories in _memories(self.again):
            self._find_new("memory", memories, self.stored.memories.get(memories))
        for edges in _edges(self.again):
            self._find_new("edge", edges, self.stored.replayed.edges(edges))

    def _compare_memories(self, page: Mapping[str, Memory]) -> None:
        found = self.again.memories.get(page)
        texts = self.stored.replayed.chunks(page)
        others = self.again.replayed.chunks(page)
        self.memories += len(page)
        for one, memory in page.items():
            if one not in found:
                self._note("memory", memory, "was not made again")
                continue
            changes = self._changes(memory, found[one])
            changes += _changed("search texts", texts.get(one, []), others.get(one, []))
            if changes:
                self._note("memory", memory, "; ".join(changes))

    def _compare_edges(self, page: Mapping[str, Edge]) -> None:
        found = self.again.replayed.edges(page)
        self.edges += len(page)
        for one, edge in page.items():
            if one not in found:
                self._note("edge", edge, "was not made again")
            elif changes := self._changes(edge, found[one]):
                self._note("edge", edge, "; ".join(changes))

    def _find_new(self, kind: str, page: Mapping[str, Memory | Edge], known: Any) -> None:
        """Note what was made only when everything was done again."""
        for one, row in page.items():
            if one not in known:
                self._note(kind, row, "is not stored, but was made now")

    def _changes(self, stored: Memory | Edge, again: Memory | Edge) -> list[str]:
        return _changes(stored, again, _TOUCHED if self.reread else _NOT_TOLD)

    def _note(self, kind: str, row: Memory | Edge, what: str) -> None:
        if self.reread and row.deleted_at is not None:
            return
        self.differing += 1
        if len(self.differences) < _NAMED:
            self.differences.append(Difference(kind=kind, id=row.id, what=f"{_named(row)} {what}"))


def _memories(rows: Transaction) -> Iterator[dict[str, Memory]]:
    """Yield all memories, of every status, a page at a time."""
    after = 0
    while page := rows.memories.page(status=None, after=after, limit=_PAGE):
        yield {memory.id: memory for _, memory in page}
        after = page[-1][0]


def _edges(rows: Transaction) -> Iterator[dict[str, Edge]]:
    """Yield all edges, deleted ones too, a page at a time."""
    after = 0
    while page := rows.replayed.edge_page(after=after, limit=_PAGE):
        yield {edge.id: edge for _, edge in page}
        after = page[-1][0]


def _named(row: Memory | Edge) -> str:
    """Say which one it is in words that people know it by."""
    if isinstance(row, Memory):
        return f"{row.type} {row.key} v{row.version}:"
    return f"{row.src} {row.type.value} {row.dst}:"


def _changes(stored: Record, again: Record, untold: Collection[str]) -> list[str]:
    """Say in which fields two rows differ."""
    if stored == again:
        return []
    was, now = stored.to_dict(), again.to_dict()
    told = [name for name in was if name not in untold]
    return [change for name in told for change in _changed(name, was[name], now[name])]


def _changed(name: str, stored: Any, again: Any) -> list[str]:
    if stored == again:
        return []
    return [f"{name} is {_shown(stored)}, now came out as {_shown(again)}"]


def _shown(value: Any) -> str:
    text = canonical_json(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
