"""The facade: one handle is one tenant, and every verb is a few lines over a pipeline.

In: plain Python values. Out: frozen records with `to_dict()`. `handle` is the brain itself; what it
groups under a name (`brain.sessions`, `brain.graph` …) has a module of that name.
"""

from smartbrain.brain.handle import SmartBrain

__all__ = ["SmartBrain"]
