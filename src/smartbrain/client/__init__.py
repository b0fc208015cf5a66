"""A brain behind `memctl serve`, with the names of the library: change one line and go on.

`RemoteBrain` stands for `SmartBrain`, `AsyncRemoteBrain` for `AsyncSmartBrain`.
"""

from smartbrain.client.handle import AsyncRemoteBrain, RemoteBrain

__all__ = ["AsyncRemoteBrain", "RemoteBrain"]
