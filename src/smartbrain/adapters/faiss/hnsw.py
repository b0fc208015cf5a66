"""A navigable graph over vectors in 8 bits a part: no lists, more memory, slow to build.

In: a state's living rows. Out: a faiss index whose nodes are those rows, in their order. Nodes
cannot be taken out: removed ones are masked until rows are moved together. The graph is saved as
plain arrays and the codes are made again from the rows, so that faiss is never given a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from smartbrain.adapters.faiss.chunks import BLOCK, Floats
from smartbrain.adapters.faiss.facets import Mask
from smartbrain.adapters.faiss.files import Contents, Pieces
from smartbrain.adapters.faiss.one_thread import library, one_thread, selecting
from smartbrain.adapters.faiss.rows import Admitted, RowNumbers, Rows, State, TrainedIndex

HNSW: Final = "hnsw"
_LINKS: Final = 16
_EFFORT_TO_BUILD: Final = 80
_FEWEST_VISITED: Final = 128
_MOST_VISITED: Final = 4_096
_SAMPLE: Final = 65_536


class NavigableGraph:
    """A built graph over the first `count` rows; see `TrainedIndex`."""

    kind = HNSW

    def __init__(self, count: int, nodes: npt.NDArray[np.int32], index: Any) -> None:
        self.count = count
        self.nodes = nodes
        self._index = index

    @property
    def nbytes(self) -> int:
        """The memory of codes, links and which rows the nodes are."""
        graph = self._index.hnsw
        codes = self._index.ntotal * self._index.d
        return int(codes + 4 * graph.neighbors.size() + 12 * len(self.nodes) + self.nodes.nbytes)

    def nearest(self, query: Floats, k: int, admitted: Admitted, share: float) -> RowNumbers:
        """Return rows among which the nearest are; the fewer are admitted, the more are visited."""
        count = min(self._index.ntotal, 2 * k + 32)
        if count == 0:
            return np.empty(0, dtype=np.int64)
        visited = max(_FEWEST_VISITED, 2 * count, min(int(count / share), _MOST_VISITED))
        selector = selecting(admitted.bits(self.nodes))
        options = library.SearchParametersHNSW(efSearch=visited, sel=selector)
        with one_thread():
            found = self._index.search(query[None], count, params=options)[1][0]
        return np.asarray(self.nodes[found[found >= 0]], dtype=np.int64)

    def extended(self, rows: Rows, alive: Mask) -> NavigableGraph:
        """Return a graph with the living rows that came since; this one stays as it is."""
        with one_thread():
            index = library.clone_index(self._index)
        later = np.flatnonzero(alive[self.count :]) + self.count
        _add(index, rows, later)
        nodes = np.concatenate((self.nodes, later.astype(np.int32)))
        return NavigableGraph(len(alive), nodes, index)

    def head(self) -> dict[str, Any]:
        """Return what is to be saved as plain data."""
        graph = self._index.hnsw
        return {
            "count": self.count,
            "nodes": len(self.nodes),
            "links": graph.neighbors.size(),
            "entry": graph.entry_point,
            "level": graph.max_level,
        }

    def arrays(self) -> Mapping[str, Pieces]:
        """Return what is to be saved as arrays."""
        graph = self._index.hnsw
        storage = library.downcast_index(self._index.storage)
        read = library.vector_to_array
        return {
            "parameters": [read(storage.sq.trained)],
            "nodes": [self.nodes],
            "levels": [read(graph.levels)],
            "offsets": [read(graph.offsets).astype(np.int64)],
            "links": [read(graph.neighbors)],
        }


def build_graph(rows: Rows, alive: Mask, older: TrainedIndex | None) -> NavigableGraph:
    """Return a graph of the living rows; `older`, if it has the first of them, is grown."""
    if isinstance(older, NavigableGraph):
        return older.extended(rows, alive)
    living = np.flatnonzero(alive)
    chosen = np.linspace(0, len(living) - 1, min(_SAMPLE, len(living))).astype(np.int64)
    index = _empty(rows.vectors.dimensions)
    with one_thread():
        index.train(rows.vectors.take(living[chosen]))
    _add(index, rows, living)
    return NavigableGraph(len(alive), living.astype(np.int32), index)


def read_graph(contents: Contents, state: State) -> NavigableGraph:
    """Return the graph that was saved with a state.

    Raises:
        AdapterError: `corrupt`: it is damaged or does not fit the rows.
    """
    saved = contents.head["trained"]
    count, dimensions = saved["nodes"], state.rows.vectors.dimensions
    nodes = contents.array("trained-nodes", np.int32, count)
    levels = contents.array("trained-levels", np.int32, count)
    offsets = contents.array("trained-offsets", np.int64, count + 1)
    links = contents.array("trained-links", np.int32, saved["links"])
    parameters = contents.array("trained-parameters", np.float32, 2 * dimensions)
    index = _empty(dimensions)
    room = library.vector_to_array(index.hnsw.cum_nneighbor_per_level)
    fits = (
        0 <= nodes.min(initial=0) <= nodes.max(initial=-1) < saved["count"] <= state.count
        and 1 <= levels.min(initial=1) <= levels.max(initial=1) < len(room)
        and -1 <= links.min(initial=0) <= links.max(initial=-1) < count
        and bool((np.concatenate(([0], np.cumsum(room[levels]))) == offsets).all())
        and offsets[-1] == len(links)
        and 0 <= saved["entry"] < count
        and saved["level"] == levels[saved["entry"]] - 1
    )
    if not fits:
        raise contents.broken("its graph does not fit its rows")
    storage, graph = library.downcast_index(index.storage), index.hnsw
    library.copy_array_to_vector(parameters, storage.sq.trained)
    index.is_trained = storage.is_trained = True
    with one_thread():
        for start in range(0, count, BLOCK):
            storage.add(state.rows.vectors.take(nodes[start : start + BLOCK].astype(np.int64)))
    library.copy_array_to_vector(levels, graph.levels)
    library.copy_array_to_vector(offsets.astype(np.uint64), graph.offsets)
    library.copy_array_to_vector(links, graph.neighbors)
    graph.entry_point, graph.max_level = saved["entry"], saved["level"]
    index.ntotal = count
    return NavigableGraph(saved["count"], nodes, index)


def _empty(dimensions: int) -> Any:
    """Return a faiss graph without nodes; for vectors of length one, L2 ranks as cosine does."""
    index = library.IndexHNSWSQ(dimensions, library.ScalarQuantizer.QT_8bit, _LINKS)
    index.hnsw.efConstruction = _EFFORT_TO_BUILD
    return index


def _add(index: Any, rows: Rows, which: RowNumbers) -> None:
    """Add rows to a graph."""
    with one_thread():
        for start in range(0, len(which), BLOCK):
            index.add(rows.vectors.take(which[start : start + BLOCK]))
