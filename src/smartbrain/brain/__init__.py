"""The facade: one handle is one tenant, and every verb is a few lines over a pipeline.

In: plain Python values. Out: frozen records with `to_dict()`. `handle` is the brain itself; what it
groups under a name (`brain.sessions`, `brain.graph` …) has a module of that name.
"""

from collections.abc import Mapping
from typing import Final

from smartbrain.bootstrap.observing import observe_verbs
from smartbrain.brain.artifacts import Artifacts
from smartbrain.brain.graph import Graph
from smartbrain.brain.handle import SmartBrain
from smartbrain.brain.memories import Memories
from smartbrain.brain.runs import Runs
from smartbrain.brain.sessions import Sessions
from smartbrain.brain.work import Jobs, WorkQueue
from smartbrain.brain.working import FastMemo, Notebook, Pins, Plan, State

__all__ = ["GROUPS", "SmartBrain"]

GROUPS: Final[Mapping[str, type]] = {
    "": SmartBrain,
    "artifacts": Artifacts,
    "fastmemo": FastMemo,
    "graph": Graph,
    "jobs": Jobs,
    "memories": Memories,
    "notebook": Notebook,
    "pins": Pins,
    "plan": Plan,
    "runs": Runs,
    "sessions": Sessions,
    "state": State,
    "work": WorkQueue,
}
"""The classes of verbs by the name that a brain has them under."""

for _group, _kind in GROUPS.items():
    observe_verbs(_kind, _group)
