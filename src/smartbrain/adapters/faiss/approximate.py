"""The vector index on faiss: bits and a full score while small, trained indexes when large.

In and out: as the port says. Rows that no trained index has yet are found by their bits, so a
change is seen at once and needs no training; `needs_training` says when that is worth doing. What
is trained covers the first rows and is never changed: the next training replaces it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Final, Literal, get_args

import numpy as np

from smartbrain.adapters.faiss import binary
from smartbrain.adapters.faiss.chunks import BLOCK, Floats
from smartbrain.adapters.faiss.exact import ExactVectors, due_for_move, worth_scanning
from smartbrain.adapters.faiss.files import Contents
from smartbrain.adapters.faiss.growing import Growing
from smartbrain.adapters.faiss.hnsw import HNSW, build_graph, read_graph
from smartbrain.adapters.faiss.ivf import PQ, SQ8, build_lists, read_lists
from smartbrain.adapters.faiss.rows import Group, RowNumbers, State, TrainedIndex
from smartbrain.adapters.faiss.training import Found, Plan
from smartbrain.errors import AdapterError, UsageError

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
        """Start empty.

        Raises:
            UsageError: the dimensions are not from 1 to 65,536, or there is no such kind.
        """
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
        width = binary.code_bytes(self._dimensions)
        codes = None if self._kind == "exact" else Growing(np.uint8, width)
        return replace(super()._blank(), codes=codes)

    def _coded(self, state: State, units: Floats) -> None:
        if state.codes is not None:
            state.codes.extend(binary.coded(units))

    def _candidates(self, state: State, query: Floats, groups: Sequence[Group]) -> list[RowNumbers]:
        scored = sum(binary.wanted(group.k, self._dimensions) for group in groups)
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
            parts.append(binary.nearest_codes(held, query, k, fresh) + first)
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
        width = binary.code_bytes(self._dimensions)
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
        """Return which kind a state should be searched by."""
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
        """Return the bits of the rows from `first` on, where bits are used."""
        if self._kind == "exact":
            return None
        codes = Growing(np.uint8, binary.code_bytes(self._dimensions))
        for start in range(first, state.count, BLOCK):
            block = np.arange(start, min(state.count, start + BLOCK))
            codes.extend(binary.coded(state.rows.vectors.take(block)))
        return codes


def _fresh(state: State) -> int:
    """Return how many living rows the trained index does not have."""
    return int(np.count_nonzero(state.alive[state.indexed :]))
