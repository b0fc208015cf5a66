"""The vector index on faiss: bits and a full score while small, lists of codes when large.

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
    Floats,
    Growing,
    Mask,
    NearestGroup,
    RowNumbers,
    Rows,
    Saved,
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


Codes = npt.NDArray[np.uint8]

FEWEST: Final = 800
"""Of 400, too few are right among vectors of scientific texts: 0.979 of ten; of 800, 0.996."""
PER_WANTED: Final = 5
TELLING_BITS: Final = 256
"""With fewer bits than this a code says less, and more of them have to be looked at."""


def coded(units: Floats) -> Codes:
    """Return the signs of vectors as packed bits, one row each."""
    return np.packbits(units > 0, axis=1)


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


SQ8: Final = "ivf_sq8"
NOT_LISTED: Final = -1
_POINTS_PER_LIST: Final = 64
_FEWEST_LISTS_READ: Final = 16
_FEWEST_ROWS_READ: Final = 16_384
_ROWS_READ_PER_WANTED: Final = 160

Lists = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Learned:
    """What training found: centres, and how parts become codes; `size` is of how many rows."""

    centres: Floats
    parameters: Floats
    size: int

    def empty_index(self) -> Any:
        index = _untrained(self.centres.shape[1], len(self.centres))
        index.quantizer.add(self.centres)
        library.copy_array_to_vector(self.parameters, index.sq.trained)
        index.is_trained = True
        return index


class InvertedLists:
    """A filled index of 8-bit codes; see `TrainedIndex`."""

    kind = SQ8

    def __init__(self, learned: Learned, lists: Lists, index: Any) -> None:
        self.count = len(lists)
        self.learned = learned
        self.lists = lists
        self._index = index

    @property
    def nbytes(self) -> int:
        codes = self._index.ntotal * (self._index.code_size + 8)
        return int(codes + self.lists.nbytes + self.learned.centres.nbytes)

    def nearest(self, query: Floats, k: int, admitted: Admitted, share: float) -> RowNumbers:
        """Return rows among which the nearest are; the fewer are admitted, the more lists."""
        count = min(self._index.ntotal, 2 * k + 32)
        if count == 0:
            return np.empty(0, dtype=np.int64)
        bits = admitted.bits(slice(self.count))
        selector = None if bits is None else library.IDSelectorBitmap(bits)
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

    def arrays(self) -> Mapping[str, npt.NDArray[Any]]:
        return {
            "centres": self.learned.centres,
            "parameters": self.learned.parameters,
            "lists": self.lists,
            "size": np.array([self.learned.size]),
        }


def build_lists(
    rows: Rows, alive: Mask, older: InvertedLists | None, sources: RowNumbers | None
) -> InvertedLists:
    """Return lists of the living rows; what `older` learned serves until they are fourfold.

    `sources` are the rows of `older` that the rows were, where they moved.
    """
    if older is None or int(np.count_nonzero(alive)) > 4 * older.learned.size:
        return fill(learn(rows, alive), rows, alive, np.empty(0, dtype=np.int32))
    known = older.lists
    if sources is not None:
        known = np.where(sources < len(known), known.take(sources, mode="clip"), NOT_LISTED)
    return fill(older.learned, rows, alive, known)


def learn(rows: Rows, alive: Mask) -> Learned:
    """Train on an even sample of the living rows."""
    living = np.flatnonzero(alive)
    centres = max(1, min(len(living) // _POINTS_PER_LIST, 2 ** round(log2(sqrt(len(living))))))
    chosen = np.linspace(0, len(living) - 1, min(centres * _POINTS_PER_LIST, len(living)))
    sample = rows.vectors.take(living[chosen.astype(np.int64)])
    index = _untrained(sample.shape[1], centres)
    index.cp.spherical = True
    index.cp.max_points_per_centroid = _POINTS_PER_LIST
    index.cp.min_points_per_centroid = 1
    with one_thread():
        index.train(sample)
    found = index.quantizer.reconstruct_n(0, centres)
    return Learned(found, library.vector_to_array(index.sq.trained), len(living))


def fill(learned: Learned, rows: Rows, alive: Mask, known: Lists) -> InvertedLists:
    """Put the living rows into lists; `known` says in which the first of them are, or -1."""
    lists = np.full(len(alive), NOT_LISTED, dtype=np.int32)
    lists[: len(known)] = known
    lists[~alive] = NOT_LISTED
    index = learned.empty_index()
    with one_thread():
        for block in _blocks(np.flatnonzero(alive & (lists == NOT_LISTED))):
            lists[block] = index.quantizer.search(rows.vectors.take(block), 1)[1][:, 0]
        by_list = np.argsort(lists, kind="stable")
        edges = np.searchsorted(lists, np.arange(len(learned.centres) + 1), sorter=by_list)
        for number in range(len(learned.centres)):
            _fill_list(index, rows, number, by_list[edges[number] : edges[number + 1]])
    index.ntotal = int(edges[-1] - edges[0])
    return InvertedLists(learned, lists, index)


def _fill_list(index: Any, rows: Rows, number: int, members: RowNumbers) -> None:
    """Encode the rows of one list; its size is set at once, so that no memory is left over."""
    index.invlists.resize(number, len(members))
    start, point = 0, library.swig_ptr
    for block in _blocks(members):
        units = rows.vectors.take(block)
        into = np.full(len(block), number, dtype=np.int64)
        codes = np.empty((len(block), index.code_size), dtype=np.uint8)
        index.encode_vectors(len(block), point(units), point(into), point(codes))
        index.invlists.update_entries(number, start, len(block), point(block), point(codes))
        start += len(block)


def _blocks(rows: RowNumbers) -> Iterator[RowNumbers]:
    for start in range(0, len(rows), BLOCK):
        yield rows[start : start + BLOCK]


def read_lists(saved: Saved, state: State) -> InvertedLists:
    """Return the lists that were saved with a state."""
    centres, parameters, lists, size = (
        saved.array(f"trained-{name}") for name in ("centres", "parameters", "lists", "size")
    )
    if len(lists) > state.count or lists.max(initial=0) >= len(centres):
        raise ValueError("its lists do not fit its rows")
    learned = Learned(centres, parameters, int(size[0]))
    return fill(learned, state.rows, state.alive[: len(lists)], lists)


def _untrained(dimensions: int, centres: int) -> Any:
    quantizer = library.IndexFlatIP(dimensions)
    bits, metric = library.ScalarQuantizer.QT_8bit, library.METRIC_INNER_PRODUCT
    return library.IndexIVFScalarQuantizer(quantizer, dimensions, centres, bits, metric)


Kind = Literal["auto", "exact", "binary", "ivf_sq8"]


@dataclass(frozen=True, slots=True)
class Sizes:
    """From how many nodes on what is done.

    `auto` goes by bits up to `binary`, by lists of 8-bit codes above. Up to `scan` admitted nodes
    are all scored in full. Nothing is trained below `least`, and new rows are taken in when they
    are more than `fresh` and a twentieth of all.
    """

    scan: int = 1_024
    binary: int = 200_000
    least: int = 4_096
    fresh: int = 20_000


class FaissVectors(ExactVectors):
    """An index in memory over vectors of so many dimensions, of one kind or `auto`."""

    def __init__(self, dimensions: int, *, kind: Kind = "auto", sizes: Sizes | None = None) -> None:
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
        blank = super()._blank()
        return replace(blank, codes=self._codes(blank, 0))

    def _coded(self, state: State, units: Floats) -> None:
        if state.codes is not None:
            state.codes.extend(coded(units))

    def _candidates(
        self, state: State, query: Floats, groups: Sequence[NearestGroup]
    ) -> list[RowNumbers]:
        scored = sum(wanted(group.k, self._dimensions) for group in groups)
        if state.codes is None or (state.trained is None and worth_scanning(scored, state.count)):
            return super()._candidates(state, query, groups)
        return [self._likely(state, state.codes, query, group) for group in groups]

    def _likely(
        self, state: State, codes: Growing, query: Floats, group: NearestGroup
    ) -> RowNumbers:
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

    def _revived(self, saved: Saved, state: State) -> State:
        if saved.head["trained"] and self._kind in ("auto", SQ8):
            state = replace(state, trained=read_lists(saved, state))
        first = state.indexed
        if self._kind == "exact" or saved.head["coded_from"] != first:
            return replace(state, codes=self._codes(state, first))
        return replace(state, codes=Growing.of(saved.array("codes", state.count - first)))

    def _due(self, state: State, *, compact: bool) -> Plan | None:
        target = self._target(state)
        move = due_for_move(state, compact=compact)
        kind = self._untrained_kind() if state.trained is None else SQ8
        if kind != target:
            reason = "train" if target == SQ8 else "shrink"
            # Rows in full are given up for half the memory once a trained index is there.
            move = move or target != SQ8 or state.rows.vectors.full > 0
        elif target == SQ8 and _fresh(state) > max(self._sizes.fresh, state.live // 20):
            reason = "extend"
        elif move:
            reason = "compact"
        else:
            return None
        build = partial(self._built, target == SQ8, state.trained)
        full = 0 if target == SQ8 else self._full()
        return Plan(reason, state, build, self._token, move, full)

    def _target(self, state: State) -> str:
        if self._kind == "auto":
            # An index that has shrunk a little is not worth a change and another one back.
            limit = self._sizes.binary // (1 if state.trained is None else 2)
            trained = state.live > limit
        else:
            trained = self._kind == SQ8
        return SQ8 if trained and state.live >= self._sizes.least else self._untrained_kind()

    def _built(
        self, train: bool, older: TrainedIndex | None, state: State, sources: RowNumbers | None
    ) -> Found:
        """Train on a state; what `older` learned serves again where it can."""
        trained: InvertedLists | None = None
        if train:
            known = older if isinstance(older, InvertedLists) else None
            try:
                trained = build_lists(state.rows, state.alive, known, sources)
            except RuntimeError as error:
                sentence = f"faiss could not train ({error}); what was there stays"
                raise AdapterError(sentence) from error
        return trained, self._codes(state, 0 if trained is None else trained.count)

    def _codes(self, state: State, first: int) -> Growing | None:
        if self._kind == "exact":
            return None
        codes = Growing(np.uint8, -(-self._dimensions // 8))
        for block in _blocks(np.arange(first, state.count)):
            codes.extend(coded(state.rows.vectors.take(block)))
        return codes


def _fresh(state: State) -> int:
    return int(np.count_nonzero(state.alive[state.indexed :]))
