"""A view in its place: how far it has come, how it stands, and how changes are put into it.

In: changes of the truth. Out: the view with the rows they name. `follow` decides when.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from smartbrain.domain.view import ArmState

if TYPE_CHECKING:
    from smartbrain.domain.change import Change
    from smartbrain.ports.truth import Transaction
    from smartbrain.recall.views.view import View


@dataclass(slots=True)
class Place:
    """A view and how far it has come; `seq` is -1 until it is open.

    `saved` is the snapshot whose files it may share, `changed` counts the rows put since.
    """

    view: View
    seq: int = -1
    saved: Path | None = None
    changed: int = 0
    state: ArmState = ArmState.IDLE
    code: str = "not_loaded"
    reason: str = "it is loaded by the first recall"
    opening: Future[None] | None = None
    saving: Future[None] | None = None

    @property
    def ready(self) -> bool:
        """Whether it answers."""
        return self.seq >= 0


def apply(place: Place, changes: Sequence[Change], rows: Transaction) -> None:
    """Put the rows that changes name."""
    view = place.view
    named = {one.num for one in changes if one.seq > place.seq and one.kind in view.follows}
    if named:
        view.apply(sorted(named), rows)
        place.changed += len(named)
    if changes:
        place.seq = max(place.seq, changes[-1].seq)
