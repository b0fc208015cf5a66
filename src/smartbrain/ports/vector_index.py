"""The vector index: which nodes mean something near to a question (R3).

In: numbers of nodes with a vector and facets each. Out: the nearest numbers by cosine, best first,
ties by the lower number. One index holds the vectors of one embedder and model. A view of the
truth: it can be dropped and rebuilt at any time. Not an embedder: it never sees text.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeAlias

from smartbrain.domain.record import Record
from smartbrain.domain.search import Facets, IndexFilter, Scored

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Vector: TypeAlias = "Sequence[float] | npt.NDArray[np.floating]"
"""One vector, of any length but zero; it is normalised on entry."""

Vectors: TypeAlias = "Sequence[Vector] | npt.NDArray[np.floating]"
"""Some vectors, one a row."""


class VectorStats(Record, frozen=True, kw_only=True):
    """How an index stands; `kind` is the one that answers now.

    `bytes` is what it holds in memory, `fresh` how many nodes are found by a scan because the
    trained index does not have them yet, `removed` how many rows wait for a compaction.
    """

    kind: str
    count: int
    bytes: int
    building: bool = False
    fresh: int = 0
    removed: int = 0


class Wanted(NamedTuple):
    """So many of the nearest among the nodes that a filter admits; None admits all."""

    k: int
    only: IndexFilter | None = None


class VectorIndex(Protocol):
    """The vectors of one embedder and model. Safe to use from many threads.

    A search sees every change that returned before it began, whole changes only, and never waits
    for one. The scores are cosines between -1 and 1. What is no vector or number is `bad_value`;
    files that are not what `save` left are `corrupt`, and what was held before still answers.
    """

    def upsert(self, nums: Sequence[int], vectors: Vectors, facets: Sequence[Facets]) -> None:
        """Add nodes or replace those of the same number; all of them or, on error, none.

        A number given twice keeps what stands last.
        """

    def remove(self, nums: Sequence[int]) -> None:
        """Take nodes out; numbers that are not there are passed over."""

    def search(
        self,
        vector: Vector,
        *,
        k: int,
        only: IndexFilter | None = None,
        also: Sequence[Wanted] = (),
    ) -> list[Scored]:
        """Return the `k` nearest nodes among those that `only` admits, fewer if there are fewer.

        What is wanted `also` is looked for as if it were asked for alone, but in the same pass and
        at the same moment; the answer has all of it in one order, each node once.
        """

    def vectors(self, nums: Sequence[int]) -> npt.NDArray[np.float32]:
        """Return the normalised vectors of nodes, one a row; zeros where a number is not there."""

    def load(self, folder: Path) -> None:
        """Take over what `save` left in a folder, in place of what is held now."""

    def save(self, folder: Path) -> None:
        """Write all that is held into an empty folder, as of one moment; others go on meanwhile.

        The files are never changed later. They are not synced: who publishes the folder does that.
        """

    def stats(self) -> VectorStats:
        """Return how the index stands."""


class Training(Protocol):
    """Work that makes an index faster or smaller, on a copy as of one moment."""

    @property
    def reason(self) -> str:
        """Why it is due: `train`, `extend`, `shrink` or `compact`."""

    def run(self) -> Trained:
        """Do the work, which may take minutes; for a thread of its own."""


class Trained(Protocol):
    """What a training made, for the index that asked for it."""

    @property
    def kind(self) -> str:
        """The kind of index that will answer."""


class TrainableVectorIndex(VectorIndex, Protocol):
    """An index that is made better in the background, while it is searched and changed.

    training = index.needs_training()
    if training is not None:
        index.swap(training.run())
    """

    def needs_training(self, *, compact: bool = False) -> Training | None:
        """Return the work that is due, or nothing; `compact` asks for removed rows to go now."""

    def swap(self, trained: Trained) -> bool:
        """Answer from what was trained, with every change made meanwhile.

        False, and nothing happens, if the index was loaded or swapped since it was asked.
        """
