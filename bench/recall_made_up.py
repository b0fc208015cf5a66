"""Made-up memories to recall from: a tenant of any size, ten edges a memory, and vectors of words.

In: a folder and a size. Out: a brain whose memories tell sentences of a made-up language, the same
every time, with its views built and saved. Vectors are made by hashing words: no model's time is in
what is measured with them.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import cast

import numpy as np
from msgspec import structs

from bench.corpus import START, Append
from bench.views_follow import fill, turns
from smartbrain.bootstrap.root import Root
from smartbrain.domain.graph import Edge, EdgeType, edge_id
from smartbrain.domain.memory import Memory

NOW = START + timedelta(days=365)
FILLED = "filled"
EDGES_A_MEMORY, TRIES = 10, 100
_MEMORIES_A_TURN = 3
_KINDS = (EdgeType.ABOUT, EdgeType.SIMILAR_TO, EdgeType.MENTIONS)
_SHARES = (0.5, 0.3, 0.2)


class WordVectors:
    """An embedder that adds up a fixed vector for each word; it costs next to nothing."""

    name, model, dimensions = "words", "words-384", 384
    languages: tuple[str, ...] = ()

    def __init__(self) -> None:
        table = np.random.default_rng(3).standard_normal((4_096, self.dimensions))
        self._table = table.astype(np.float32)

    def embed_query(self, text: str) -> Sequence[float]:
        """Return the sum of the words' vectors, of length one."""
        places = [sum(map(ord, word)) * len(word) % len(self._table) for word in text.split()]
        total = self._table[places or [0]].sum(axis=0)
        return cast("Sequence[float]", total / np.linalg.norm(total))

    def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        """Return one vector a text."""
        return [self.embed_query(text) for text in texts]

    def close(self) -> None:
        """Do nothing."""


def fill_tenant(folder: Path, size: int) -> None:
    """Fill a tenant through the truth port, its views built and saved."""
    shutil.rmtree(folder, ignore_errors=True)
    root = Root(folder, clock=lambda: NOW)
    with root.tenants.lease("default") as tenant:
        fill(tenant, linked(turns(-(-size // _MEMORIES_A_TURN))))
        rules = root.settings.rules.recall
        tenant.views.ready(rules, wait=True)
        tenant.views.save(rules)
    root.close()
    (folder / FILLED).touch()


def linked(appends: Iterator[Append]) -> Iterator[Append]:
    """Give turns edges until each memory has ten: to topics, to those said nearby, to any.

    Few topics are very popular. Each memory names two people of a thousand, some more often.
    """
    random = Random(4)
    known: list[str] = []
    for append in appends:
        memories = tuple(
            structs.replace(memory, entities=tuple(_person(random) for _ in range(2)))
            for memory in append.memories
        )
        edges = {edge.id: edge for edge in append.edges}
        known += [memory.id for memory in memories]
        for memory in islice(cycle(memories), TRIES):  # some would be there already
            edge = _edge(memory, known, random)
            edges[edge.id] = edge
            if len(edges) == EDGES_A_MEMORY * _MEMORIES_A_TURN:
                break
        yield replace(append, memories=memories, edges=tuple(edges.values()))


def _edge(memory: Memory, known: Sequence[str], random: Random) -> Edge:
    """Return an edge from a memory to one that is there already."""
    (kind,) = random.choices(_KINDS, _SHARES)
    place = {
        EdgeType.ABOUT: int(len(known) // 50 * random.random() ** 3) * 50,
        EdgeType.SIMILAR_TO: max(0, len(known) - 1 - random.randrange(1, 100)),
        EdgeType.MENTIONS: random.randrange(len(known)),
    }[kind]
    return Edge(
        id=edge_id(memory.id, kind, known[place]),
        src=memory.id,
        dst=known[place],
        type=kind,
        weight=random.uniform(0.3, 1.0),
        created_at=memory.created_at,
        updated_at=memory.created_at,
    )


def _person(random: Random) -> str:
    return f"Person{int(1_000 * random.random() ** 3)}"
