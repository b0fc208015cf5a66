"""The shortest way between two sets of nodes, searched from both ends at once.

In: a start, goals, and a function that returns the slots beside nodes. Out: the slots of the way.
Searching from both ends keeps the two fronts small where one alone would cover the whole graph.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from smartbrain.adapters.graph.records import NODE, Ints, Slots, strongest

Beside = Callable[[Ints], Slots]
"""Returns every slot of some nodes."""


def shortest(start: int, goals: Ints, longest: int, beside: Beside) -> list[Slots] | None:
    """Return the slots of the shortest way, step by step; None if it is longer than allowed."""
    ahead, behind = [np.array([start])], [np.unique(goals)]
    while not np.isin(ahead[-1], behind[-1]).any():
        side = ahead if len(ahead[-1]) <= len(behind[-1]) else behind
        steps = len(ahead) + len(behind) - 2
        if steps == longest or len(side[-1]) == 0:
            return None
        reached = beside(side[-1])[:, NODE].astype(np.int64)
        side.append(np.setdiff1d(reached, np.concatenate(side[-2:])))
    return _walk(start, _stages(ahead, behind, beside), beside)


def _stages(ahead: list[Ints], behind: list[Ints], beside: Beside) -> list[Ints]:
    """Return for each step the nodes from which the goal is as near as it can be then."""
    stages = [np.intersect1d(ahead[-1], behind[-1]), *behind[-2::-1]]
    for level in ahead[-2::-1]:
        stages.insert(0, np.intersect1d(beside(stages[0])[:, NODE], level))
    return stages[1:]


def _walk(start: int, stages: list[Ints], beside: Beside) -> list[Slots]:
    """Take the strongest edge at each step among those that lead on."""
    way = []
    here = start
    for stage in stages:
        slots = beside(np.array([here]))
        slots = slots[np.isin(slots[:, NODE], stage)]
        way.append(slots[strongest(slots, np.zeros(len(slots), np.int64))[0]])
        here = int(way[-1][NODE])
    return way
