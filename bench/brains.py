"""Brains whose time and ids are the same in every run, so that no score moves by chance.

In: a folder, a clock, and what `SmartBrain.open` takes beside. Out: an open brain. What is timed
may open its brains as a user does.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from smartbrain import SmartBrain
from smartbrain.bootstrap.root import Root
from smartbrain.domain.time import Clock
from smartbrain.testing.clock import seeded


def open_fixed(
    folder: Path, clock: Clock, tenant: str = "default", seed: int = 1, **given: Any
) -> SmartBrain:
    """Open a brain that takes its time from `clock` and its ids from a seed."""
    root = Root(folder, clock=clock, entropy=seeded(seed), **given)
    brain = SmartBrain(root, tenant, owner=True)
    with brain._lease(create=True):
        return brain
