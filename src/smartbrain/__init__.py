"""SmartBrain: a local-first memory runtime for LLM agents.

Open a brain with `SmartBrain.open(path)`; call `commit_turn` after every model call.
"""

from smartbrain.brain import SmartBrain
from smartbrain.errors import (
    AdapterError,
    Conflict,
    InternalError,
    NotFound,
    SmartBrainError,
    UsageError,
)

__version__ = "0.1.0"

__all__ = [
    "AdapterError",
    "Conflict",
    "InternalError",
    "NotFound",
    "SmartBrain",
    "SmartBrainError",
    "UsageError",
    "__version__",
]
