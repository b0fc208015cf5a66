"""A view in its place: how far it has come, how it stands, and how changes are put into it.

In: changes of the truth. Out: the view with the rows they name. `follow` decides when.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Final

from smartbrain.domain.change import Change
from smartbrain.domain.status import ArmState
from smartbrain.ports.snapshots import Seen, Snapshots
from smartbrain.ports.truth import Transaction, Truth
from smartbrain.recall.views.view import View

_PAGE: Final = 1_000  # rows that are read at a time
_AT_ONCE: Final = 5_000  # rows that are put at a time
_SELDOM: Final = 50  # times as long as it takes to look at files, until they are looked at again


@dataclass(slots=True)
class Place:
    """A view and how far it has come; `seq` is -1 until it is open.

    `saved` is the snapshot whose files it may share, `changed` counts the rows put since; `seen` is
    what it reads from while it answers, `look_at` when to look at that again, `doubted` the
    snapshot that it gave wrong answers from.
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
    seen: Seen = ()
    look_at: float = -inf
    doubted: Path | None = None

    @property
    def ready(self) -> bool:
        """Whether it answers."""
        return self.seq >= 0


def fill(
    fresh: Place, truth: Truth, between: Callable[[], None], progress: Callable[[str, int], None]
) -> None:
    """Put all rows of the truth into an empty view; between any two pages `between` is called."""
    after = 0
    while True:
        between()
        with truth.read() as rows:
            nums = rows.followed.nums(fresh.view.source, after=after, limit=_PAGE)
            if not nums:
                return
            fresh.view.put(nums, rows)
        after, fresh.changed = nums[-1], fresh.changed + len(nums)
        progress(fresh.view.name, fresh.changed)


def run_up(fresh: Place, truth: Truth, target: int, most: int) -> None:
    """Bring a view to a transaction that does not answer yet, so many changes at a time."""
    while fresh.seq < target:
        with truth.read() as rows:
            apply(fresh, rows.followed.changes(fresh.seq, limit=most).found, rows)


def reached(places: Iterable[Place]) -> float:
    """Return the transaction that all views which answer have come to."""
    return min((place.seq for place in places if place.ready), default=inf)


def altered(
    places: Iterable[Place], snapshots: Snapshots | None, timer: Callable[[], float]
) -> list[tuple[Place, str]]:
    """Return the views that read from files which somebody has written to or cut off, with one.

    To go on reading there may end the process. Every call looks; one of a crowd does it for all.
    """
    found = []
    for place in places:
        now = timer()
        if snapshots is not None and place.seen and place.ready and now >= place.look_at:
            path = snapshots.altered(place.seen)
            place.look_at = now + _SELDOM * (timer() - now)
            if path:
                found.append((place, path))
    return found


def waited(work: Future[None], seconds: float | None) -> BaseException | None:
    """Wait for work; return what it failed with, nothing if it goes on."""
    try:
        return work.exception(seconds)
    except TimeoutError:
        return None


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
