"""The ports a stage may use, handed over as one value.

Made by the composition root for one open tenant; stages name what they need from it. Not a port
itself, and nothing here knows which adapters stand behind.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from smartbrain.domain.ids import IdSource
    from smartbrain.domain.time import Clock
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.ports.blobs import Blobs
    from smartbrain.ports.truth import Truth


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything outside the pure rules that one tenant's pipelines work with."""

    truth: Truth
    blobs: Blobs
    clock: Clock
    ids: IdSource
    types: TypeRegistry
