"""Timing alternatives fairly on a machine that does other things too.

In: two or more actions. Out: their times, taken in turns, so that a slow moment hits all of them,
and the ratio of two medians with how far it moves between parts of the run. Nothing is printed.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import resource
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import TypeVar

PARTS = 10  # a ratio's spread is taken over this many consecutive parts of the run

Found = TypeVar("Found")
Action = Callable[[], object]
Preparation = Callable[[], Action]
"""Makes ready what an action needs, untimed, and returns the action to be timed."""


@dataclass(frozen=True, slots=True)
class Times:
    """The times of one action in seconds, in the order they were taken."""

    seconds: tuple[float, ...]

    @property
    def p50(self) -> float:
        """The median."""
        return median(self.seconds)

    @property
    def p99(self) -> float:
        """The time that 99 of 100 calls stay under."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))]

    def __str__(self) -> str:
        return f"{milliseconds(self.p50)} p50, {milliseconds(self.p99)} p99"


@dataclass(frozen=True, slots=True)
class Ratio:
    """How much longer one action takes than another: ratio of medians, and its quartiles."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ({self.low:.2f}–{self.high:.2f})"


def interleave(
    contenders: Mapping[str, Preparation], *, rounds: int, warmup: int = 0
) -> dict[str, Times]:
    """Run each contender once a round, changing who goes first, and return the times of each.

    The collector of garbage runs between rounds, outside of what is timed.
    """
    names = list(contenders)
    times: dict[str, list[float]] = {name: [] for name in names}
    with collector_paused():
        for turn in range(warmup + rounds):
            for place in range(len(names)):
                name = names[(turn + place) % len(names)]
                action = contenders[name]()
                start = perf_counter()
                action()
                passed = perf_counter() - start
                if turn >= warmup:
                    times[name].append(passed)
            if turn % 50 == 0:
                gc.collect()
    return {name: Times(tuple(taken)) for name, taken in times.items()}


def ratio(ours: Times, peer: Times) -> Ratio:
    """Compare two actions that were interleaved."""
    parts = sorted(
        median(mine) / median(other)
        for mine, other in zip(_parts(ours.seconds), _parts(peer.seconds), strict=True)
    )
    return Ratio(ours.p50 / peer.p50, parts[len(parts) // 4], parts[-1 - len(parts) // 4])


def timed(actions: Mapping[str, Action], *, rounds: int, warmup: int = 0) -> dict[str, Times]:
    """Run actions that need nothing made ready, once a round each, and return their times."""
    return interleave(
        {name: partial(_same, action) for name, action in actions.items()},
        rounds=rounds,
        warmup=warmup,
    )


def _same(action: Action) -> Action:
    return action


@contextmanager
def collector_paused() -> Iterator[None]:
    """Keep garbage collection out of the timed parts; its turn comes between them."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def in_own_process(work: Callable[..., Found], *given: object) -> Found:
    """Return what work finds in a new process, untouched by what was done in this one before."""
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(max_workers=1, mp_context=spawn) as pool:
        return pool.submit(work, *given).result()


@contextmanager
def one_core() -> Iterator[None]:
    """Keep every thread of this process on one core, where the system lets one choose."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    _keep_on({max(before)})
    try:
        yield
    finally:
        _keep_on(before)


def _keep_on(cores: set[int]) -> None:
    """Let all threads run on these cores alone; those to come begin where their maker runs."""
    for thread in Path("/proc/self/task").iterdir():
        with suppress(ProcessLookupError):  # it has just ended
            os.sched_setaffinity(int(thread.name), cores)


def resident() -> int:
    """Return the bytes of memory that this process holds now, or held at most where unknown."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return pages * resource.getpagesize()


def milliseconds(seconds: float) -> str:
    """Spell a time in milliseconds with three digits that matter."""
    value = seconds * 1000
    return f"{value:.0f} ms" if value >= 100 else f"{value:.3g} ms"


def _parts(seconds: Sequence[float]) -> list[Sequence[float]]:
    """Cut times into consecutive parts, fewer where there are not enough of them."""
    count = min(PARTS, len(seconds))
    edges = [len(seconds) * place // count for place in range(count + 1)]
    return [seconds[start:end] for start, end in pairwise(edges)]
