"""What the write path decides by: the settings of a brain, and their hash.

Out: one frozen value that every stage of the write path is handed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from smartbrain.domain.policy import Rules


@dataclass(frozen=True, slots=True)
class WriteRules:
    """The rules of a brain, and the hash of them that every event keeps."""

    rules: Rules
    hash: str
