"""The vector index that looks at every vector: numpy alone, exact, for small sets.

In and out: as the port says. It also carries all that does not depend on how neighbours are found:
changes, files, moving rows together; `approximate.FaissVectors` adds faiss to it. Readers take no
lock: every change publishes a new `State`, and a search works on the one it took.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from operator import index
from pathlib import Path
from threading import Lock
from typing import Final

import numpy as np

from smartbrain.adapters.faiss.files import (
    BLOCK,
    Floats,
    Growing,
    NearestGroup,
    RowNumbers,
    Rows,
    Saved,
    State,
    TrainedIndex,
    read_state,
    reading,
    save_state,
)
from smartbrain.domain.search import Facets, IndexFilter, Scored
from smartbrain.errors import UsageError
from smartbrain.ports.vector_index import Trained, Vector, Vectors, VectorStats, Wanted

MOST_DIMENSIONS: Final = 65_536
LARGEST_NUM: Final = 2**63 - 1


def check_nums(nums: Sequence[int]) -> list[int]:
    """Return the numbers of nodes as plain integers."""
    try:
        plain = [index(num) for num in nums]
    except TypeError:
        raise bad_value("a node's number is a whole number; pass integers") from None
    if plain and not 0 <= min(plain) <= max(plain) <= LARGEST_NUM:
        raise bad_value("a node's number is from 0 to 2**63 - 1; pass the numbers of the truth")
    return plain


def unit_rows(vectors: Vectors, dimensions: int) -> Floats:
    """Return vectors as rows of length one."""
    try:
        rows = np.asarray(vectors, dtype=np.float64)
    except (TypeError, ValueError):
        raise bad_value(f"vectors are rows of {dimensions} numbers each") from None
    if rows.size == 0 and rows.ndim < 3 and len(rows) == 0:
        return np.empty((0, dimensions), dtype=np.float32)
    if rows.ndim != 2 or rows.shape[1] != dimensions:
        raise bad_value(
            f"a vector here has {dimensions} dimensions, not the shape {rows.shape[1:]}; "
            "embed with the model that this index is for"
        )
    # The largest part is taken out first, so that no square is too large or too small.
    largest = np.abs(rows).max(axis=1, keepdims=True)
    if not np.isfinite(largest).all():
        raise bad_value("a vector has a part that is not a finite number; embed the text again")
    if not largest.all():
        raise bad_value("a vector of zeros points nowhere; leave the node out")
    rows = rows / largest
    lengths = np.sqrt(np.einsum("ij,ij->i", rows, rows))
    return np.asarray(rows / lengths[:, None], dtype=np.float32)


def check_k(k: int) -> int:
    """Return how many are wanted."""
    try:
        plain = index(k)
    except TypeError:
        plain = 0
    if plain < 1:
        raise bad_value(f"k is a positive whole number, not {k!r}")
    return plain


def bad_value(sentence: str) -> UsageError:
    """Return the error of a value that cannot enter."""
    return UsageError(sentence, code="bad_value")


Found = tuple[TrainedIndex | None, Growing | None]
"""A trained index, and the codes of the rows that it does not have."""

Build = Callable[[State, RowNumbers | None], Found]
"""Trains on a state; told which rows its rows were before they moved, if they did."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a training made: the state it began with, and the one it came to.

    `sources` are the rows of the first that the rows of the second were, where they moved.
    """

    began: State
    reached: State
    sources: RowNumbers | None
    token: object

    @property
    def kind(self) -> str:
        """The kind of the trained index; empty where rows are searched without one."""
        return "" if self.reached.trained is None else self.reached.trained.kind


@dataclass(slots=True)
class Plan:
    """Work on one state: move the living rows together if they shall `move`, then build.

    Moved rows before row `full` are kept in float32. `token` tells the index whether the outcome
    is still of use to it.
    """

    reason: str
    state: State
    build: Build
    token: object
    move: bool
    full: float
    running: bool = field(default=False, init=False)

    def run(self) -> Outcome:
        self.running = True
        try:
            state, sources = moved(self.state, self.full) if self.move else (self.state, None)
            trained, codes = self.build(state, sources)
            reached = replace(state, trained=trained, codes=codes)
            return Outcome(self.state, reached, sources, self.token)
        finally:
            self.running = False


def moved(state: State, full: float) -> tuple[State, RowNumbers]:
    """Return the living rows in order of number without the dead, and which rows they were."""
    living = np.flatnonzero(state.alive)
    nums = state.rows.nums.first(state.count)[living]
    order = np.argsort(nums, kind="stable")
    sources, nums = living[order], nums[order]
    rows = Rows(state.rows.vectors.dimensions, full)
    for start in range(0, len(sources), BLOCK):
        rows.vectors.extend(state.rows.vectors.take(sources[start : start + BLOCK]))
    rows.facets = state.rows.facets.subset(sources)
    rows.nums = Growing.of(nums)
    where = dict(zip(nums.tolist(), range(len(nums)), strict=True))
    alive = np.ones(len(nums), dtype=np.bool_)
    return State(rows, len(nums), alive, len(nums), where), sources


def caught_up(outcome: Outcome, now: State) -> State:
    """Return the state that a training came to, with every change made since it began."""
    began, reached, sources = outcome.began, outcome.reached, outcome.sources
    if sources is None:
        codes = _extended(reached.codes, now, np.arange(began.count, now.count))
        return replace(now, trained=reached.trained, codes=codes)
    rows, where, before = reached.rows, reached.where, now.rows
    alive = now.alive[sources]
    for num in rows.nums.first(reached.count)[~alive].tolist():
        del where[num]
    added = np.flatnonzero(now.alive[began.count :]) + began.count
    nums = before.nums.first(now.count)[added].tolist()
    facets = [before.facets.at(row) for row in added.tolist()]
    rows.extend(nums, before.vectors.take(added), facets)
    where.update(zip(nums, range(reached.count, rows.count), strict=True))
    alive = np.concatenate((alive, np.ones(len(added), dtype=np.bool_)))
    codes = _extended(reached.codes, now, added)
    return replace(reached, codes=codes).changed(alive)


def _extended(codes: Growing | None, now: State, added: RowNumbers) -> Growing | None:
    if codes is not None and now.codes is not None:
        codes.extend(now.codes.first(now.codes.count)[added - now.indexed])
    return codes


BYTES_PER_ENTRY: Final = 105
"""What an integer to integer entry of a dictionary was measured to take."""
WORTH_COMPACTING: Final = 1_000
"""Fewer removed rows than this are not moved for, unless asked."""


class ExactVectors:
    """An index in memory over vectors of so many dimensions."""

    def __init__(self, dimensions: int) -> None:
        if not 1 <= dimensions <= MOST_DIMENSIONS:
            raise bad_value(f"an index has 1 to {MOST_DIMENSIONS:,} dimensions, not {dimensions}")
        self._dimensions = dimensions
        self._lock = Lock()
        self._token = object()
        self._plan: Plan | None = None
        self._state = self._blank()

    def upsert(self, nums: Sequence[int], vectors: Vectors, facets: Sequence[Facets]) -> None:
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
        query = unit_rows([vector], self._dimensions)[0]
        state = self._state
        groups = []
        for wanted in (Wanted(k, only), *also):
            admitted = state.admitted(wanted.only)
            groups.append(NearestGroup(min(check_k(wanted.k), admitted.count), admitted))
        groups = [group for group in groups if group.k]
        return _best_of_each(state, query, groups, self._candidates(state, query, groups))

    def vectors(self, nums: Sequence[int]) -> Floats:
        plain, state = check_nums(nums), self._state
        rows = np.array([state.where.get(num, -1) for num in plain], dtype=np.int64)
        there = np.flatnonzero(rows >= 0)
        found = np.zeros((len(plain), self._dimensions), dtype=np.float32)
        found[there] = state.rows.vectors.take(rows[there])
        return found

    def load(self, folder: Path) -> None:
        with reading(folder):
            saved = Saved(folder)
            state = self._revived(saved, read_state(saved, self._blank().rows))
        with self._lock:
            self._begin(state)

    def save(self, folder: Path) -> None:
        save_state(folder, self._state)

    def stats(self) -> VectorStats:
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
        with self._lock:
            self._plan = self._due(self._state, compact=compact)
        return self._plan

    def swap(self, trained: Trained) -> bool:
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
        return State(Rows(self._dimensions, self._full()))

    def _candidates(
        self, state: State, query: Floats, groups: Sequence[NearestGroup]
    ) -> list[RowNumbers]:
        """Return rising rows for each group, among which its nearest are; here all of it."""
        del query
        return [group.admitted.rows(0, state.count) for group in groups]

    def _coded(self, state: State, units: Floats) -> None:
        """Keep whatever else is needed of rows that are being added."""

    def _revived(self, saved: Saved, state: State) -> State:
        """Return a saved state with its trained index, and the codes of the rows it has not."""
        del saved
        return state

    def _due(self, state: State, *, compact: bool) -> Plan | None:
        if not due_for_move(state, compact=compact):
            return None
        return Plan("compact", state, lambda *_: (None, None), self._token, True, self._full())

    def _begin(self, state: State) -> None:
        self._state, self._token, self._plan = state, object(), None

    def _add(
        self, state: State, nums: Sequence[int], units: Floats, facets: Sequence[Facets]
    ) -> None:
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
    state: State, query: Floats, groups: Sequence[NearestGroup], candidates: Sequence[RowNumbers]
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
    if len(rows) > 2 * k:
        reached = scores >= np.partition(scores, -k)[-k]
        rows, scores = rows[reached], scores[reached]
    nums = state.rows.nums.first(state.count)[rows]
    scores = np.clip(scores, -1.0, 1.0)
    order = np.lexsort((nums, -scores))[:k]
    return nums[order], scores[order]
