"""The vector index on faiss: bits and a full score while small, trained indexes when large.

In and out: as the port says. Rows that no trained index has yet are found by their bits, so a
change is seen at once and needs no training; `needs_training` says when that is worth doing. What
is trained covers the first rows and is never changed: the next training replaces it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from math import ceil, inf, log2, sqrt
from typing import Any, Final, Literal, get_args

import faiss
import numpy as np
import numpy.typing as npt

from smartbrain.adapters.faiss.exact import ExactVectors, Found, Plan, due_for_move, worth_scanning
from smartbrain.adapters.faiss.files import (
    BLOCK,
    Admitted,
    Contents,
    Floats,
    Group,
    Growing,
    Mask,
    Pieces,
    RowNumbers,
    Rows,
    State,
    TrainedIndex,
)
from smartbrain.errors import AdapterError, UsageError

library: Any = faiss
"""The faiss module; its published types do not cover what is used of it."""


@contextmanager
def one_thread() -> Iterator[None]:
    """Run faiss without helpers inside of the block."""
    before = library.omp_get_max_threads()
    if before != 1:
        library.omp_set_num_threads(1)
    try:
        yield
    finally:
        if before != 1:
            library.omp_set_num_threads(before)


def selecting(bits: npt.NDArray[np.uint8] | None) -> Any:
    """Return what lets faiss look at some places only, or None; to be held during the search."""
    return None if bits is None else library.IDSelectorBitmap(bits)


Codes = npt.NDArray[np.uint8]

FEWEST: Final = 800
"""Of 400, too few are right among vectors of scientific texts: 0.979 of ten; of 800, 0.996."""
PER_WANTED: Final = 5
TELLING_BITS: Final = 256
"""With fewer bits than this a code says less, and more of them have to be looked at."""


def coded(units: Floats) -> Codes:
    """Return the signs of vectors as packed bits, one row each."""
    return np.packbits(units > 0, axis=1)


def code_bytes(dimensions: int) -> int:
    """Return how long a code is."""
    return -(-dimensions // 8)


def wanted(k: int, dimensions: int) -> int:
    """Return how many to score in full so that the nearest `k` are most likely among them."""
    return max(FEWEST, PER_WANTED * k) * max(1, round(TELLING_BITS / dimensions))


def nearest_codes(
    codes: Codes, query: Floats, k: int, rows: npt.NDArray[np.int64] | None
) -> npt.NDArray[np.int64]:
    """Return the places of the codes nearest to a query, among `rows` if these are given."""
    if rows is not None:
        codes = codes.take(rows, axis=0)
    count = min(wanted(k, len(query)), len(codes))
    if count == len(codes):
        return np.arange(count) if rows is None else rows
    with one_thread():
        found = library.knn_hamming(coded(query[None]), codes, count, variant="mc")[1][0]
    places = np.asarray(found[found >= 0])
    return places if rows is None else rows[places]


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
    """Return the graph that was saved with a state."""
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
    index = library.IndexHNSWSQ(dimensions, library.ScalarQuantizer.QT_8bit, _LINKS)
    index.hnsw.efConstruction = _EFFORT_TO_BUILD
    return index


def _add(index: Any, rows: Rows, which: RowNumbers) -> None:
    with one_thread():
        for start in range(0, len(which), BLOCK):
            index.add(rows.vectors.take(which[start : start + BLOCK]))


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
        count = min(self._index.ntotal, 2 * k + 32 if self.kind == SQ8 else wanted(k, len(query)))
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
    """Return the lists that were saved with a state."""
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
    return dimensions * (2 if kind == SQ8 else 256)


Kind = Literal["auto", "exact", "binary", "hnsw", "ivf_sq8", "ivf_pq"]

TRAINED: Final = frozenset({HNSW, SQ8, PQ})
FEWEST_FOR_PQ: Final = 256
"""Product codes have so many values each, and faiss wants as many vectors to learn them."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """From how many nodes on what is done.

    `auto` goes by bits up to `binary`, by lists of 8-bit codes up to `lists`, and by product codes
    above. Up to `scan` admitted nodes are all scored in full. Nothing is trained below `least`, and
    new rows are taken in when they are more than `fresh` and a twentieth of all.
    """

    scan: int = 1_024
    binary: int = 200_000
    lists: int = 10_000_000
    least: int = 4_096
    fresh: int = 20_000


class FaissVectors(ExactVectors):
    """An index in memory over vectors of so many dimensions, of one kind or `auto`."""

    def __init__(self, dimensions: int, *, kind: Kind = "auto", sizes: Sizes | None = None) -> None:
        """Start empty."""
        if kind not in get_args(Kind):
            raise UsageError(f"{kind!r} is no kind of vector index; use one of {get_args(Kind)}")
        self._kind = kind
        self._sizes = sizes or Sizes()
        super().__init__(dimensions)

    def _untrained_kind(self) -> str:
        return "exact" if self._kind == "exact" else "binary"

    def _full(self) -> float:
        if self._kind in ("exact", "binary"):
            return inf
        return self._sizes.binary if self._kind == "auto" else 0

    def _blank(self) -> State:
        width = code_bytes(self._dimensions)
        codes = None if self._kind == "exact" else Growing(np.uint8, width)
        return replace(super()._blank(), codes=codes)

    def _coded(self, state: State, units: Floats) -> None:
        if state.codes is not None:
            state.codes.extend(coded(units))

    def _candidates(self, state: State, query: Floats, groups: Sequence[Group]) -> list[RowNumbers]:
        scored = sum(wanted(group.k, self._dimensions) for group in groups)
        if state.codes is None or (state.trained is None and worth_scanning(scored, state.count)):
            return super()._candidates(state, query, groups)
        return [self._likely(state, state.codes, query, group) for group in groups]

    def _likely(self, state: State, codes: Growing, query: Floats, group: Group) -> RowNumbers:
        """Return rising rows among which the nearest of a group are, most likely."""
        (k, admitted), first = group, state.indexed
        if admitted.count <= max(self._sizes.scan, k):
            return admitted.rows(0, state.count)
        parts = []
        if state.trained is not None:
            share = admitted.count / state.live
            parts.append(state.trained.nearest(query, k, admitted, share))
        if state.count > first:
            fresh = None if admitted.mask is None else admitted.rows(first, state.count) - first
            held = codes.first(state.count - first)
            parts.append(nearest_codes(held, query, k, fresh) + first)
        rows = np.sort(np.concatenate(parts))
        return rows if len(rows) >= k else admitted.rows(0, state.count)

    def _revived(self, contents: Contents, state: State) -> Found:
        saved = contents.head.get("trained")
        trained: TrainedIndex | None = None
        if saved is not None and self._kind in ("auto", saved["kind"]):
            if saved["kind"] not in TRAINED:
                raise contents.broken(f"{saved['kind']} is no kind of index")
            if saved["kind"] == HNSW:
                trained = read_graph(contents, state)
            else:
                trained = read_lists(saved["kind"], contents, state)
        first = 0 if trained is None else trained.count
        if self._kind == "exact" or contents.head.get("coded_from") != first:
            return trained, self._codes(state, first)
        width = code_bytes(self._dimensions)
        return trained, Growing.of(contents.array("codes", np.uint8, state.count - first, width))

    def _due(self, state: State, *, compact: bool) -> Plan | None:
        target = self._target(state)
        move = due_for_move(state, compact=compact)
        kind = self._untrained_kind() if state.trained is None else state.trained.kind
        if kind != target:
            reason = "train" if target in TRAINED else "shrink"
            # Rows in full are given up for half the memory once a trained index is there.
            move = move or target not in TRAINED or state.rows.vectors.full > 0
        elif target in TRAINED and _fresh(state) > max(self._sizes.fresh, state.live // 20):
            reason = "extend"
        elif move:
            reason = "compact"
        else:
            return None
        build = partial(self._built, target, state.trained)
        full = 0 if target in TRAINED else self._full()
        return Plan(reason, state, build, self._token, move, full)

    def _target(self, state: State) -> str:
        kind: str = self._kind
        if kind == "auto":
            # An index that has shrunk a little is not worth a change and another one back.
            limit = self._sizes.binary // (1 if state.trained is None else 2)
            kind = "binary" if state.live <= limit else SQ8
            if state.live > self._sizes.lists:
                kind = PQ
        least = max(self._sizes.least, FEWEST_FOR_PQ if kind == PQ else 1)
        if kind in TRAINED and state.live < least:
            return "binary"
        return kind

    def _built(
        self, kind: str, older: TrainedIndex | None, state: State, sources: RowNumbers | None
    ) -> Found:
        """Train on a state; what `older` learned serves again where it can."""
        rows, alive = state.rows, state.alive
        trained: TrainedIndex | None = None
        try:
            if kind == HNSW:
                trained = build_graph(rows, alive, older if sources is None else None)
            elif kind in TRAINED:
                trained = build_lists(kind, rows, alive, older, sources)
        except RuntimeError as error:
            raise AdapterError(f"faiss could not train ({error}); what was there stays") from error
        return trained, self._codes(state, 0 if trained is None else trained.count)

    def _codes(self, state: State, first: int) -> Growing | None:
        if self._kind == "exact":
            return None
        codes = Growing(np.uint8, code_bytes(self._dimensions))
        for start in range(first, state.count, BLOCK):
            block = np.arange(start, min(state.count, start + BLOCK))
            codes.extend(coded(state.rows.vectors.take(block)))
        return codes


def _fresh(state: State) -> int:
    return int(np.count_nonzero(state.alive[state.indexed :]))
