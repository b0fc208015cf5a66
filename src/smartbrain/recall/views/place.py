"""A view in its place: how far it has come, how it stands, and how changes are put into it.

In: changes of the truth. Out: the view with the rows they name. `follow` decides when.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from smartbrain.domain.view import ArmState

if TYPE_CHECKING:
    from smartbrain.domain.change import Change
    from smartbrain.ports.truth import Transaction
    from smartbrain.recall.views.view import View

_AT_ONCE: Final = 5_000  # rows that are put at a time


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


def apply(
    place: Place,
    changes: Sequence[Change],
    rows: Transaction,
    between: Callable[[], None] = lambda: None,
) -> None:
    """Put the rows that changes name; with many of them `between` is called now and then.

    The newest go first: what has ended is gone only when what took its place is there.
    """
    view = place.view
    named = sorted({one.num for one in changes if one.seq > place.seq and one.kind in view.follows})
    for end in range(len(named), 0, -_AT_ONCE):
        between()
        part = named[max(0, end - _AT_ONCE) : end]
        view.apply(part, rows)
        place.changed += len(part)
    if changes:
        place.seq = max(place.seq, changes[-1].seq)
