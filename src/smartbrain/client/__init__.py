"""A brain behind `memctl serve`, with the names of the library: change one line and go on.

`RemoteBrain` stands for `SmartBrain`, `AsyncRemoteBrain` for `AsyncSmartBrain`.
"""

from smartbrain.client.asynchronous import AsyncRemoteBrain
from smartbrain.client.handle import RemoteBrain

__all__ = ["AsyncRemoteBrain", "RemoteBrain"]
