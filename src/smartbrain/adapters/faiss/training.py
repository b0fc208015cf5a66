"""The work that makes a trained index, beside the searches and changes that go on.

In: a state and what is to become of it. Out: the state's rows, moved if they are to be, with a
trained index over them; `caught_up` then puts that under whatever the state has become meanwhile.
faiss is not needed here: what is trained, and how, is handed in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from smartbrain.adapters.faiss.chunks import BLOCK
from smartbrain.adapters.faiss.growing import Growing
from smartbrain.adapters.faiss.rows import RowNumbers, Rows, State, TrainedIndex

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
        """Do it; see `Training.run`."""
        self.running = True
        try:
            state, sources = moved(self.state, self.full) if self.move else (self.state, None)
            trained, codes = self.build(state, sources)
            reached = replace(state, trained=trained, codes=codes, remembered={})
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
        return replace(now, trained=reached.trained, codes=codes, remembered={})
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
    return replace(reached, codes=codes, remembered={}).changed(alive)


def _extended(codes: Growing | None, now: State, added: RowNumbers) -> Growing | None:
    """Return codes with those of rows that were added since."""
    if codes is not None and now.codes is not None:
        codes.extend(now.codes.first(now.codes.count)[added - now.indexed])
    return codes
