"""SmartBrain: a local-first memory runtime for LLM agents.

Open a brain with `SmartBrain.open(path)`; call `commit_turn` after every model call. In an event
loop `AsyncSmartBrain` does the same, awaited.
"""

from importlib import import_module
from typing import TYPE_CHECKING

from smartbrain.brain import SmartBrain
from smartbrain.domain.claim import Claim
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


def __getattr__(name: str) -> object:
    """Load the asynchronous handle, which brings asyncio, when somebody asks for it."""
    if name == "AsyncSmartBrain":
        return import_module("smartbrain.brain.async_handle").AsyncSmartBrain
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
