"""The truth as a few dictionaries: what the random histories are compared with.

In: what a history does. Out: what the truth should then hold. Errors are foreseen by the rules of
the history, not here.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from smartbrain.domain.graph import Edge
from smartbrain.domain.memory import Memory, Status
from smartbrain.domain.turn import Turn


@dataclass
class Model:
    """What the truth should hold; `touched` is what the open transaction has changed."""

    seq: int = 0
    log: list[Counter[tuple[str, str]]] = field(default_factory=list)
    touched: dict[tuple[object, ...], str] = field(default_factory=dict)
    held: Counter[str] = field(default_factory=Counter)
    loose: Counter[str] = field(default_factory=Counter)
    known: dict[str, int] = field(default_factory=dict)
    made: int = 0
    turns: dict[tuple[str, int], Turn] = field(default_factory=dict)
    memories: dict[str, Memory] = field(default_factory=dict)
    edges: dict[str, Edge] = field(default_factory=dict)
    living: set[str] = field(default_factory=set)
    replies: dict[str, tuple[str, dict[str, int]]] = field(default_factory=dict)

    def hold(self, wanted: list[str]) -> None:
        for chunk in wanted:
            if chunk not in self.known:
                self.made += 1
                self.known[chunk] = self.made
                self.touched["raw", chunk, self.made] = "upsert"
            self.held[chunk] += 1
            self.loose[chunk] += 1

    def unreferenced(self) -> set[str]:
        """Return the chunks that nobody holds and nothing leads to."""
        led_to = {end for edge in self.edges.values() for end in (edge.src, edge.dst)}
        led_to |= {one.raw_id for memory in self.memories.values() for one in memory.raw_refs}
        return {chunk for chunk in self.known if not self.held[chunk] and chunk not in led_to}

    def active(self, key: str) -> list[Memory]:
        return [
            memory
            for memory in self.memories.values()
            if memory.key == key and memory.status is Status.ACTIVE
        ]

    def commit(self) -> None:
        if self.touched:
            self.seq += 1
            self.log.append(Counter((str(row[0]), op) for row, op in self.touched.items()))
            self.touched = {}
