"""Every vector index, held to the one contract of the port.

In: numpy's exact index, and faiss of every kind, untrained as they start and trained after every
change. Out: nothing if they all do the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from smartbrain.adapters.faiss.approximate import FaissVectors, Sizes
from smartbrain.adapters.faiss.exact import ExactVectors
from smartbrain.domain.search import Facets
from smartbrain.ports.vector_index import VectorIndex, Vectors
from smartbrain.testing.contracts.vector_index import VectorIndexContract

SMALL = Sizes(scan=0, binary=0, least=1, fresh=0)


@pytest.mark.spec("R3", "R4")
class TestExactVectors(VectorIndexContract):
    def make(self, dimensions: int) -> VectorIndex:
        return ExactVectors(dimensions)


@pytest.mark.spec("R3")
class TestFaissVectors(VectorIndexContract):
    def make(self, dimensions: int) -> VectorIndex:
        return FaissVectors(dimensions)


@pytest.mark.spec("R3")
class TestFaissBits(VectorIndexContract):
    def make(self, dimensions: int) -> VectorIndex:
        return FaissVectors(dimensions, kind="binary", sizes=SMALL)


class AlwaysTrained(FaissVectors):
    """Trains after every change, so that the smallest set is answered by what was trained."""

    def upsert(self, nums: Sequence[int], vectors: Vectors, facets: Sequence[Facets]) -> None:
        super().upsert(nums, vectors, facets)
        self._train()

    def remove(self, nums: Sequence[int]) -> None:
        super().remove(nums)
        self._train()

    def _train(self) -> None:
        training = self.needs_training(compact=self.stats().count % 2 == 0)
        if training is not None:
            self.swap(training.run())


@pytest.mark.spec("R3")
class TestFaissLists(VectorIndexContract):
    def make(self, dimensions: int) -> VectorIndex:
        return AlwaysTrained(dimensions, kind="ivf_sq8", sizes=SMALL)

    def test_the_trained_index_answers(self) -> None:
        """The kind under test is the one in use, so the suite has tested it."""
        assert "ivf_sq8" == self.filled().stats().kind
