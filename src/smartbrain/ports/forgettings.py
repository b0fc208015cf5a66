"""The register of forgettings: what was asked for, what it left, and its receipts (J7).

In: forgettings with their words, until these are erased. Out: receipts, keyed hashes, and what
closed claims leave. The key is the tenant's own, made by the first forgetting.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from smartbrain.domain.claim import Claim
    from smartbrain.domain.forgetting import ClosedClaim, ForgetReceipt, Forgetting


class Forgettings(Protocol):
    """Forgettings by the order in which they were asked for."""

    def add(self, forgetting: Forgetting, undo: bytes | None) -> None:
        """Append a forgetting that is hidden; `undo` is what takes it back."""

    def update(self, receipt: ForgetReceipt) -> None:
        """Write how far a forgetting has come; one that is no longer hidden loses its words."""

    def get(self, forgetting_id: str) -> Forgetting | None:
        """Return a forgetting by its id."""

    def receipts(self, last: int | None = None) -> list[ForgetReceipt]:
        """Return all receipts, or the last ones, oldest first."""

    def waiting(self, due: datetime | None = None) -> list[Forgetting]:
        """Return what is hidden and not erased, all of it or what is due by a time."""

    def fingerprints(self, texts: Iterable[str]) -> list[str]:
        """Return the keyed hash of each text; in a writing transaction the key is made."""

    def close_claims(self, forgetting_id: str, claims: Sequence[Claim], at: datetime) -> None:
        """Leave a wordless mark of forgotten claims."""

    def closed(self, groups: Iterable[str]) -> list[ClosedClaim]:
        """Return what forgotten claims of groups have left."""

    def forgotten(self, claims: Sequence[Claim]) -> set[str]:
        """Return the ids of claims that say what was forgotten, and may not bring it back."""

    def take_back(self, forgetting_id: str) -> None:
        """Put back all rows that a forgetting has changed and nobody else since."""
