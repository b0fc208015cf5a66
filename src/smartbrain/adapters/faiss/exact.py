"""The vector index that looks at every vector: numpy alone, exact, for small sets.

In and out: as the port says. It also carries all that does not depend on how neighbours are found:
changes, files, moving rows together; `approximate.FaissVectors` adds faiss to it. Readers take no
lock: every change publishes a new `State`, and a search works on the one it took.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np

from smartbrain.adapters.faiss.chunks import Floats
from smartbrain.adapters.faiss.entry import (
    bad_value,
    check_dimensions,
    check_k,
    check_nums,
    unit_rows,
)
from smartbrain.adapters.faiss.files import Contents, write_arrays
from smartbrain.adapters.faiss.rows import Group, RowNumbers, Rows, State
from smartbrain.adapters.faiss.snapshot import read_state, state_arrays, state_head
from smartbrain.adapters.faiss.training import Found, Outcome, Plan, caught_up
from smartbrain.domain.search import Facets, IndexFilter, Scored
from smartbrain.errors import UsageError
from smartbrain.ports.vector_index import Trained, Vector, Vectors, VectorStats, Wanted

BYTES_PER_ENTRY: Final = 105
"""What an integer to integer entry of a dictionary was measured to take."""
WORTH_COMPACTING: Final = 1_000
"""Fewer removed rows than this are not moved for, unless asked."""


class ExactVectors:
    """An index in memory over vectors of so many dimensions."""

    def __init__(self, dimensions: int) -> None:
        """Start empty.

        Raises:
            UsageError: the dimensions are not from 1 to 65,536.
        """
        self._dimensions = check_dimensions(dimensions)
        self._lock = Lock()
        self._token = object()
        self._plan: Plan | None = None
        self._state = self._blank()

    def upsert(self, nums: Sequence[int], vectors: Vectors, facets: Sequence[Facets]) -> None:
        """Add or replace nodes; see the port."""
        plain, units = check_nums(nums), unit_rows(vectors, self._dimensions)
        if not len(plain) == len(units) == len(facets):
            counts = f"{len(plain)} numbers, {len(units)} vectors and {len(facets)} facets"
            raise bad_value(f"each node has a number, a vector and facets, not {counts}")
        last = {num: place for place, num in enumerate(plain)}
        with self._lock:
            state = self._state
            places = [
                place
                for num, place in last.items()
                if num not in state.where
                or not state.rows.same(state.where[num], units[place], facets[place])
            ]
            if places:
                chosen = [plain[place] for place in places]
                self._add(state, chosen, units[places], [facets[place] for place in places])

    def remove(self, nums: Sequence[int]) -> None:
        """Take nodes out; see the port."""
        plain = check_nums(nums)
        with self._lock:
            state = self._state
            rows = [state.where.pop(num) for num in set(plain) if num in state.where]
            if rows:
                alive = state.alive.copy()
                alive[rows] = False
                self._state = state.changed(alive)

    def search(
        self,
        vector: Vector,
        *,
        k: int,
        only: IndexFilter | None = None,
        also: Sequence[Wanted] = (),
    ) -> list[Scored]:
        """Return the nearest nodes; see the port."""
        query = unit_rows([vector], self._dimensions)[0]
        state = self._state
        groups = []
        for wanted in (Wanted(k, only), *also):
            admitted = state.admitted(wanted.only)
            groups.append(Group(min(check_k(wanted.k), admitted.count), admitted))
        groups = [group for group in groups if group.k]
        return _best_of_each(state, query, groups, self._candidates(state, query, groups))

    def vectors(self, nums: Sequence[int]) -> Floats:
        """Return the vectors of nodes; see the port."""
        plain, state = check_nums(nums), self._state
        rows = np.array([state.where.get(num, -1) for num in plain], dtype=np.int64)
        there = np.flatnonzero(rows >= 0)
        found = np.zeros((len(plain), self._dimensions), dtype=np.float32)
        found[there] = state.rows.vectors.take(rows[there])
        return found

    def load(self, folder: Path) -> None:
        """Take over what was saved; see the port."""
        contents = Contents(folder)
        state = read_state(contents, self._blank().rows)
        trained, codes = self._revived(contents, state)
        with self._lock:
            self._begin(replace(state, trained=trained, codes=codes))

    def save(self, folder: Path) -> None:
        """Write everything into an empty folder; see the port."""
        state = self._state
        head, arrays = state_head(state), state_arrays(state)
        if state.trained is not None:
            head["trained"] = {"kind": state.trained.kind, **state.trained.head()}
            arrays |= {f"trained-{name}": one for name, one in state.trained.arrays().items()}
        write_arrays(folder, head, arrays)

    def clear(self) -> None:
        """Forget everything; see the port."""
        with self._lock:
            self._begin(self._blank())

    def stats(self) -> VectorStats:
        """Return how the index stands; see the port."""
        state, plan = self._state, self._plan
        trained, codes = state.trained, state.codes
        return VectorStats(
            kind=self._untrained_kind() if trained is None else trained.kind,
            count=state.live,
            bytes=state.rows.nbytes
            + len(state.where) * BYTES_PER_ENTRY
            + (0 if trained is None else trained.nbytes)
            + (0 if codes is None else codes.nbytes),
            building=plan is not None and plan.running,
            fresh=int(np.count_nonzero(state.alive[state.indexed :])),
            removed=state.dead,
        )

    def needs_training(self, *, compact: bool = False) -> Plan | None:
        """Return the work that is due; see the port."""
        with self._lock:
            self._plan = self._due(self._state, compact=compact)
        return self._plan

    def swap(self, trained: Trained) -> bool:
        """Answer from what was trained; see the port."""
        if not isinstance(trained, Outcome):
            raise UsageError(f"{type(trained).__name__} is not what a training here returns")
        with self._lock:
            if trained.token is not self._token:
                return False
            self._begin(caught_up(trained, self._state))
        return True

    def _untrained_kind(self) -> str:
        """Return how rows are searched that no trained index has."""
        return "exact"

    def _full(self) -> float:
        """Return the row from which on vectors are kept in 16 bits instead of float32."""
        return inf

    def _blank(self) -> State:
        """Return a state without rows."""
        return State(Rows(self._dimensions, self._full()))

    def _candidates(self, state: State, query: Floats, groups: Sequence[Group]) -> list[RowNumbers]:
        """Return rising rows for each group, among which its nearest are; here all of it."""
        del query
        return [group.admitted.rows(0, state.count) for group in groups]

    def _coded(self, state: State, units: Floats) -> None:
        """Keep whatever else is needed of rows that are being added."""

    def _revived(self, contents: Contents, state: State) -> Found:
        """Return the trained index of a saved folder, and the codes of the rows it has not."""
        del contents, state
        return None, None

    def _due(self, state: State, *, compact: bool) -> Plan | None:
        """Return the work that a state needs."""
        if not due_for_move(state, compact=compact):
            return None
        return Plan("compact", state, lambda *_: (None, None), self._token, True, self._full())

    def _begin(self, state: State) -> None:
        """Publish a state that no training under way knows of."""
        self._state, self._token, self._plan = state, object(), None

    def _add(
        self, state: State, nums: Sequence[int], units: Floats, facets: Sequence[Facets]
    ) -> None:
        """Append rows and publish the state that has them instead of older ones."""
        state.rows.extend(nums, units, facets)
        self._coded(state, units)
        alive = np.concatenate((state.alive, np.ones(len(nums), dtype=np.bool_)))
        for row, num in enumerate(nums, start=state.count):
            older = state.where.get(num)
            if older is not None:
                alive[older] = False
            state.where[num] = row
        self._state = state.changed(alive)


def due_for_move(state: State, *, compact: bool) -> bool:
    """Tell whether so many rows are dead that the living should be moved together."""
    return state.dead >= (1 if compact else max(WORTH_COMPACTING, state.live // 4))


def _best_of_each(
    state: State, query: Floats, groups: Sequence[Group], candidates: Sequence[RowNumbers]
) -> list[Scored]:
    """Return the best of every group in one order, each node once, ties by number."""
    held = state.rows.vectors
    if worth_scanning(sum(map(len, candidates)), state.count):
        every = held.score_first(state.count, query)
        scored = [(rows, every[rows]) for rows in candidates]
    else:
        scored = [(rows, held.score(rows, query)) for rows in candidates]
    found = [_best(state, *each, group.k) for each, group in zip(scored, groups, strict=True)]
    if not found:
        return []
    nums, scores = found[0]
    if len(found) > 1:
        nums, first = np.unique(np.concatenate([each[0] for each in found]), return_index=True)
        scores = np.concatenate([each[1] for each in found])[first]
        order = np.argsort(-scores, kind="stable")
        nums, scores = nums[order], scores[order]
    return list(map(Scored, nums.tolist(), scores.tolist()))


def worth_scanning(wanted: int, count: int) -> bool:
    """Tell whether to score all of `count` rows in their order rather than the `wanted` ones.

    Rows that are picked out take three to four times as long each.
    """
    return wanted * 4 >= count


def _best(state: State, rows: RowNumbers, scores: Floats, k: int) -> tuple[RowNumbers, Floats]:
    """Return the numbers and scores of the best `k` of scored rows, ties by number."""
    if len(rows) > 2 * k:
        reached = scores >= np.partition(scores, -k)[-k]
        rows, scores = rows[reached], scores[reached]
    nums = state.rows.nums.first(state.count)[rows]
    scores = np.clip(scores, -1.0, 1.0)
    order = np.lexsort((nums, -scores))[:k]
    return nums[order], scores[order]
