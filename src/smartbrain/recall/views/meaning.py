"""The view that is searched by meaning: the vectors of one embedding in a vector index (R3).

In: vectors of the truth with the facets of their memories. Out: an index, made better in the
background when it has grown. Not an embedder: what has no vector yet is not in it.
"""

from __future__ import annotations

import logging
from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import ClassVar, Final

from smartbrain.domain.change import ChangeKind
from smartbrain.domain.indexed import Embedding
from smartbrain.domain.types import TypeRegistry
from smartbrain.errors import UsageError
from smartbrain.ports.truth import Transaction
from smartbrain.ports.vector_index import TrainableVectorIndex
from smartbrain.recall.views.view import View
from smartbrain.recall.views.words import facets_of, words_of

_LEAST: Final = 2_000
_SHARE: Final = 10
_log = logging.getLogger(__name__)


def view_name(embedding: Embedding) -> str:
    """Return what the view of an embedding is called."""
    return f"vector-{embedding.num}"


class VectorView(View):
    """The vectors of one embedder and model."""

    source: ClassVar = ChangeKind.MEMORY
    follows: ClassVar = frozenset({ChangeKind.MEMORY, ChangeKind.VECTOR})
    index: TrainableVectorIndex

    def __init__(
        self,
        make: Callable[[int], TrainableVectorIndex],
        embedding: Embedding,
        types: TypeRegistry,
    ) -> None:
        self._make = make
        self._types = types
        self.embedding = embedding
        self.name = view_name(embedding)
        self.index = make(embedding.dimensions)

    def fresh(self) -> VectorView:
        """Return an empty one."""
        return VectorView(self._make, self.embedding, self._types)

    def put(self, nums: Sequence[int], rows: Transaction) -> None:
        """Index the vectors that there are of these memories; one that is none is passed by."""
        size = self.embedding.dimensions * array("f").itemsize
        stored = rows.vectors.get(self.embedding.num, nums)
        for num in sorted(num for num, vector in stored.items() if len(vector) != size):
            del stored[num]
            _log.warning("%s: node %d is left out: its vector has another size", self.name, num)
        found = rows.followed.memories(sorted(stored))
        there = [row.num for row in found]
        vectors = [memoryview(stored[num]).cast("f") for num in there]
        facets = [facets_of(row, words_of(row, self._types)) for row in found]
        self.index.remove(sorted(set(nums).difference(there)))
        if not found:
            return
        try:
            self.index.upsert(there, vectors, facets)
        except UsageError:  # one of them is not usable, and none was put
            for num, vector, facet in zip(there, vectors, facets, strict=True):
                try:
                    self.index.upsert([num], [vector], [facet])
                except UsageError as error:
                    self.index.remove([num])
                    _log.warning("%s: node %d is left out: %s", self.name, num, error.message)

    def train(self) -> bool:
        """Do the training that is due; tell whether there was any."""
        training = self.index.needs_training()
        return training is not None and self.index.swap(training.run())

    def save(self, folder: Path | None) -> bool:
        """Write a snapshot; in memory there is nothing to do."""
        return False if folder is None else super().save(folder)

    def due(self, changed: int) -> bool:
        """A snapshot is written whole, so it waits for a tenth of the vectors to change."""
        return changed >= _LEAST and changed >= self.index.stats().count // _SHARE

    def figures(self) -> tuple[int, int]:
        """Return vectors and bytes in memory."""
        stats = self.index.stats()
        return stats.count, stats.bytes
