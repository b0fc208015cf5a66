"""SmartBrain: a local-first memory runtime for LLM agents.

Open a brain with `SmartBrain.open(path)`; call `commit_turn` after every model call. In an event
loop `AsyncSmartBrain` does the same, awaited.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from smartbrain.brain import SmartBrain
from smartbrain.errors import (
    AdapterError,
    Conflict,
    InternalError,
    NotFound,
    SmartBrainError,
    UsageError,
)

if TYPE_CHECKING:
    from smartbrain.brain.async_handle import AsyncSmartBrain
    from smartbrain.domain.claim import Claim

__version__ = "0.1.0"

__all__ = [
    "AdapterError",
    "AsyncSmartBrain",
    "Claim",
    "Conflict",
    "InternalError",
    "NotFound",
    "SmartBrain",
    "SmartBrainError",
    "UsageError",
    "__version__",
]

_ON_DEMAND = {
    "AsyncSmartBrain": "smartbrain.brain.async_handle",
    "Claim": "smartbrain.domain.claim",
}


def __getattr__(name: str) -> object:
    """Load what brings more with it, such as asyncio, when somebody asks for it."""
    if name in _ON_DEMAND:
        return getattr(import_module(_ON_DEMAND[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
