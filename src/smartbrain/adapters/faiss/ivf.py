"""Inverted lists: vectors by the nearest of some centres, in 8 bits a part or in product codes.

In: a state's living rows. Out: a faiss index that looks at a few lists a query. What is saved is
what was trained and which list each row is in: the lists are filled again from the rows, so that
faiss is never given a file, and the same way serves to add rows or to leave removed ones out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, log2, sqrt
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from smartbrain.adapters.faiss import binary
from smartbrain.adapters.faiss.chunks import BLOCK, Floats
from smartbrain.adapters.faiss.facets import Mask
from smartbrain.adapters.faiss.files import Contents, Pieces
from smartbrain.adapters.faiss.one_thread import library, one_thread, selecting
from smartbrain.adapters.faiss.rows import Admitted, RowNumbers, Rows, State, TrainedIndex

SQ8: Final = "ivf_sq8"
PQ: Final = "ivf_pq"
NOT_LISTED: Final = -1
_POINTS_PER_LIST: Final = 64
_POINTS_FOR_PQ: Final = 65_536
_FEWEST_LISTS_READ: Final = 16
_FEWEST_ROWS_READ: Final = 16_384
_ROWS_READ_PER_WANTED: Final = 160

Lists = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Learned:
    """What training found: centres, and how parts become codes; `size` is of how many rows."""

    kind: str
    centres: Floats
    parameters: Floats
    size: int

    def empty_index(self) -> Any:
        """Return a faiss index that knows this and has no rows."""
        dimensions = self.centres.shape[1]
        index = _untrained(self.kind, dimensions, len(self.centres))
        index.quantizer.add(self.centres)
        target = index.sq.trained if self.kind == SQ8 else index.pq.centroids
        library.copy_array_to_vector(self.parameters, target)
        index.is_trained = True
        return index


class InvertedLists:
    """A filled index; see `TrainedIndex`."""

    def __init__(self, learned: Learned, lists: Lists, index: Any) -> None:
        self.kind = learned.kind
        self.count = len(lists)
        self.learned = learned
        self.lists = lists
        self._index = index

    @property
    def nbytes(self) -> int:
        """The memory of codes, row numbers, centres and which list rows are in."""
        codes = self._index.ntotal * (self._index.code_size + 8)
        return int(codes + self.lists.nbytes + self.learned.centres.nbytes)

    def nearest(self, query: Floats, k: int, admitted: Admitted, share: float) -> RowNumbers:
        """Return rows among which the nearest are; the fewer are admitted, the more lists."""
        count = min(
            self._index.ntotal, 2 * k + 32 if self.kind == SQ8 else binary.wanted(k, len(query))
        )
        if count == 0:
            return np.empty(0, dtype=np.int64)
        selector = selecting(admitted.bits(slice(self.count)))
        options = library.SearchParametersIVF(nprobe=self.probes(k, share), sel=selector)
        with one_thread():
            found = self._index.search(query[None], count, params=options)[1][0]
        return np.asarray(found[found >= 0])

    def probes(self, k: int, share: float) -> int:
        """Return how many lists to read: the same number of rows, whatever the size of lists.

        If only a share is admitted, more are passed over, but the root of that is enough: for what
        is admitted the lists are finer.
        """
        centres, held = len(self.learned.centres), int(self._index.ntotal)
        rows = max(_FEWEST_ROWS_READ, _ROWS_READ_PER_WANTED * k) / sqrt(share)
        return min(centres, max(_FEWEST_LISTS_READ, ceil(rows * centres / held)))

    def outgrown(self, alive: Mask) -> bool:
        """Tell whether the living rows are so many more that it should be trained again."""
        return int(np.count_nonzero(alive)) > 4 * self.learned.size

    def head(self) -> dict[str, Any]:
        """Return what is to be saved as plain data."""
        return {
            "count": self.count,
            "centres": len(self.learned.centres),
            "size": self.learned.size,
        }

    def arrays(self) -> Mapping[str, Pieces]:
        """Return what is to be saved as arrays."""
        return {
            "centres": [self.learned.centres],
            "parameters": [self.learned.parameters],
            "lists": [self.lists],
        }


def build_lists(
    kind: str, rows: Rows, alive: Mask, older: TrainedIndex | None, sources: RowNumbers | None
) -> InvertedLists:
    """Return lists of the living rows; what `older` learned serves until they are fourfold.

    `sources` are the rows of `older` that the rows were, where they moved.
    """
    if not isinstance(older, InvertedLists) or older.kind != kind or older.outgrown(alive):
        return fill(learn(kind, rows, alive), rows, alive, np.empty(0, dtype=np.int32))
    known = older.lists
    if sources is not None:
        known = np.where(sources < len(known), known.take(sources, mode="clip"), NOT_LISTED)
    return fill(older.learned, rows, alive, known)


def learn(kind: str, rows: Rows, alive: Mask) -> Learned:
    """Train on an even sample of the living rows."""
    living = np.flatnonzero(alive)
    centres = max(1, min(len(living) // _POINTS_PER_LIST, 2 ** round(log2(sqrt(len(living))))))
    points = centres * _POINTS_PER_LIST if kind == SQ8 else max(_POINTS_FOR_PQ, centres * 64)
    chosen = np.linspace(0, len(living) - 1, min(points, len(living))).astype(np.int64)
    sample = rows.vectors.take(living[chosen])
    index = _untrained(kind, sample.shape[1], centres)
    index.cp.spherical = True
    index.cp.max_points_per_centroid = _POINTS_PER_LIST
    index.cp.min_points_per_centroid = 1
    if kind == PQ:
        index.pq.cp.min_points_per_centroid = 1
    with one_thread():
        index.train(sample)
    trained = index.sq.trained if kind == SQ8 else index.pq.centroids
    found = index.quantizer.reconstruct_n(0, centres)
    return Learned(kind, found, library.vector_to_array(trained), len(living))


def fill(learned: Learned, rows: Rows, alive: Mask, known: Lists) -> InvertedLists:
    """Put the living rows into lists; `known` says in which the first of them are, or -1."""
    lists = np.full(len(alive), NOT_LISTED, dtype=np.int32)
    lists[: len(known)] = known
    lists[~alive] = NOT_LISTED
    index = learned.empty_index()
    with one_thread():
        _assign(index, rows, lists, np.flatnonzero(alive & (lists == NOT_LISTED)))
        by_list = np.argsort(lists, kind="stable")
        edges = np.searchsorted(lists, np.arange(len(learned.centres) + 1), sorter=by_list)
        for number in range(len(learned.centres)):
            _fill_list(index, rows, number, by_list[edges[number] : edges[number + 1]])
    index.ntotal = int(edges[-1] - edges[0])
    return InvertedLists(learned, lists, index)


def _assign(index: Any, rows: Rows, lists: Lists, new: RowNumbers) -> None:
    """Find the list of each new row."""
    for start in range(0, len(new), BLOCK):
        block = new[start : start + BLOCK]
        lists[block] = index.quantizer.search(rows.vectors.take(block), 1)[1][:, 0]


def _fill_list(index: Any, rows: Rows, number: int, members: RowNumbers) -> None:
    """Encode the rows of one list; its size is set at once, so that no memory is left over."""
    index.invlists.resize(number, len(members))
    for start in range(0, len(members), BLOCK):
        block = members[start : start + BLOCK]
        units = rows.vectors.take(block)
        into = np.full(len(block), number, dtype=np.int64)
        codes = np.empty((len(block), index.code_size), dtype=np.uint8)
        point = library.swig_ptr
        index.encode_vectors(len(block), point(units), point(into), point(codes))
        index.invlists.update_entries(number, start, len(block), point(block), point(codes))


def read_lists(kind: str, contents: Contents, state: State) -> InvertedLists:
    """Return the lists that were saved with a state.

    Raises:
        AdapterError: `corrupt`: they are damaged or do not fit the rows.
    """
    saved = contents.head["trained"]
    dimensions, centres = state.rows.vectors.dimensions, saved["centres"]
    found = contents.array("trained-centres", np.float32, centres, dimensions)
    parameters = contents.array("trained-parameters", np.float32, _parameters(kind, dimensions))
    lists = contents.array("trained-lists", np.int32, saved["count"])
    lowest, highest = lists.min(initial=0), lists.max(initial=0)
    if len(lists) > state.count or lowest < NOT_LISTED or highest >= centres:
        raise contents.broken("its lists do not fit its rows")
    learned = Learned(kind, found, parameters, saved["size"])
    return fill(learned, state.rows, state.alive[: len(lists)], lists)


def _untrained(kind: str, dimensions: int, centres: int) -> Any:
    """Return the faiss index of a kind, with nothing in it."""
    quantizer = library.IndexFlatIP(dimensions)
    metric = library.METRIC_INNER_PRODUCT
    if kind == SQ8:
        bits = library.ScalarQuantizer.QT_8bit
        index = library.IndexIVFScalarQuantizer(quantizer, dimensions, centres, bits, metric)
    else:
        parts = max(n for n in range(1, max(2, dimensions // 8 + 1)) if dimensions % n == 0)
        index = library.IndexIVFPQ(quantizer, dimensions, centres, parts, 8, metric)
    return index


def _parameters(kind: str, dimensions: int) -> int:
    """Return how many numbers training leaves beside the centres."""
    return dimensions * (2 if kind == SQ8 else 256)
