"""What the write path decides by, and what its stages work with.

Out: the settings of a brain with their hash; and these with the open transaction and the ports, one
value that the stages are handed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules
    from smartbrain.ports.bundle import Ports
    from smartbrain.ports.truth import Transaction


@dataclass(frozen=True, slots=True)
class WriteRules:
    """The rules of a brain, and the hash of them that every event keeps."""

    rules: Rules
    hash: str


@dataclass(frozen=True, slots=True)
class WriteTools:
    """The open transaction, the ports and the rules of a write."""

    transaction: Transaction
    ports: Ports
    rules: Rules
