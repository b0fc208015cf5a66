"""Keeping views in step with the truth: open, catch up, write snapshots, build anew (R4).

In: the views of one tenant, its truth and its snapshots. Out: the views that are ready, caught up
to the last commit before the call. A snapshot that is missing, damaged, of another format, or of
another history than the truth's is not used: the view is built again from rows, logged and counted.
What takes long happens in the background; whoever cannot wait goes on without that view. One whose
files are damaged while it answers from them is opened again as well.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from math import inf
from pathlib import Path
from typing import Final, cast

from smartbrain.domain.change import Change
from smartbrain.domain.status import ArmState
from smartbrain.errors import AdapterError, NotFound, SmartBrainError, UsageError
from smartbrain.ports.graph_index import GraphIndex
from smartbrain.ports.snapshots import Refused, Seen, Snapshots, SnapshotStamp, Writing
from smartbrain.ports.text_index import TextIndex
from smartbrain.ports.truth import Transaction, Truth
from smartbrain.recall.views.links import GraphView
from smartbrain.recall.views.view import View
from smartbrain.recall.views.words import WordsView

# Changes that are read at once, and those that are applied by a caller who has a deadline. Whoever
# lacks more has all of them applied behind their back: rows are read as they are now, so a part of
# what is lacking would take away what has ended, and not yet bring what took its place.
_MANY: Final = 10_000
_FEW: Final = 1_000
_log = logging.getLogger(__name__)

Submit = Callable[[Callable[[], None]], "Future[None]"]
"""Runs something in the background."""
OnProgress = Callable[[str, int], None]
"""Told of a view that is being built: its name and how many rows it has so far."""


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


class Follower:
    """The views of one tenant, following its truth. Safe to use from many threads."""

    def __init__(
        self,
        truth: Truth,
        views: Sequence[View],
        snapshots: Snapshots | None,
        submit: Submit,
        timer: Callable[[], float],
    ) -> None:
        """Follow with these views; without `snapshots` nothing is written to disk."""
        self._truth = truth
        self._snapshots = snapshots
        self._submit = submit
        self._timer = timer
        self._places = {view.name: Place(view) for view in views}
        self._lock = threading.Lock()
        self._closed = False
        self._following: Future[None] | None = None
        self.rebuilds: Counter[str] = Counter()

    def add(self, view: View) -> None:
        """Follow with one more view; one of that name is kept as it is."""
        with self._lock:
            self._places.setdefault(view.name, Place(view))

    def names(self) -> list[str]:
        """Return the names of the views."""
        return list(self._places)

    def seq(self) -> int:
        """Return the transaction that all views which answer have come to; 0 if none does."""
        return min((place.seq for place in self._ready()), default=0)

    def place(self, name: str) -> Place:
        """Return how a view stands."""
        return self._places[name]

    def get(self, name: str) -> View | None:
        """Return a view if it is ready to answer; `catch_up` first."""
        place = self._places.get(name)
        return place.view if place is not None and place.ready else None

    def need(self, name: str) -> View:
        """Return a view that is to answer."""
        place = self._places[name]
        if not place.ready:
            raise AdapterError(f"the view {name} cannot answer: {place.reason}", code=place.code)
        return place.view

    def words(self, name: str) -> TextIndex:
        """Return the text index of a view that is to answer."""
        return cast(WordsView, self.need(name)).settled()

    def graph(self) -> GraphIndex:
        """Return the graph index, if it is to answer."""
        return cast(GraphView, self.need(GraphView.name)).index

    def doubt(self, name: str, view: View | None, reason: str) -> None:
        """Stop answering from a view that is damaged; the next call has it built from the truth."""
        with self._locked(self._timer()) as locked:
            place = self._places[name]
            if locked and place.ready and place.view is view:
                place.doubted = place.saved
                self._lose(place, "corrupt", reason)

    def catch_up(self, names: Sequence[str], *, seconds: float | None = None) -> int:
        """Bring views to the last commit, and return how many transactions the last is behind.

        With `seconds` it stops waiting then: views that are not open yet go on opening in the
        background, and the others are at the transaction that they have reached. One whose files
        are found damaged is left to the next call.
        """
        deadline = None if seconds is None else self._timer() + seconds
        lost = self._lose_altered(deadline)
        places = [self._places[name] for name in names if deadline is None or name not in lost]
        self._open(places, deadline)
        target = self._follow(deadline)
        if any(not place.ready and place.opening is None for place in places):
            # One could not follow any more.
            self._open(places, deadline)
            target = self._follow(deadline)
        self._save_due(places)
        return max((target - place.seq for place in places if place.ready), default=0)

    def rebuild(self, names: Sequence[str], on_progress: OnProgress | None = None) -> None:
        """Drop all snapshots and build views anew; until then the old ones answer."""
        self._settle()
        if self._snapshots is not None:
            self._snapshots.drop()
        for name in names:
            place = self._places[name]
            self._build(place, "asked", "rebuild was asked for", on_progress)
            if isinstance(place.view, WordsView):
                place.view.settled()
            if place.view.due(place.changed):
                self._save(place)
        self.catch_up(names)

    def save(self, names: Sequence[str]) -> None:
        """Write snapshots now, due or not, unless another process is writing some."""
        self.catch_up(names)
        self._settle()
        for name in names:
            self._save(self._places[name])

    def close(self) -> None:
        """Stop building views, and wait for snapshots that are being written."""
        self._closed = True
        for place in self._places.values():
            for work in (place.opening, place.saving, self._following):
                if work is not None and not work.cancel():
                    work.exception()

    def _open(self, places: Sequence[Place], deadline: float | None) -> None:
        if all(place.ready for place in places):
            return
        begun = []
        with self._locked(deadline) as locked:
            if not locked:
                return
            for place in places:
                if place.ready:
                    continue
                if place.opening is None or place.opening.done():
                    place.state, place.code = ArmState.BUILDING, "opening"
                    place.reason = "its snapshot is read, or it is built from the truth"
                    place.opening = self._submit(partial(self._open_one, place))
                begun.append(place.opening)
        for opening in begun:
            failure = waited(opening, self._left(deadline))
            if failure is not None and deadline is None:
                raise failure

    def _open_one(self, place: Place) -> None:
        try:
            if refused := self._load(place):
                self._build(place, refused.code, refused.reason)
        except SmartBrainError as error:
            place.state, place.code, place.reason = ArmState.FAILED, error.code, error.message
            if not self._closed:
                _log.warning("the view %s cannot be opened: %s", place.view.name, error.message)
            raise

    def _load(self, place: Place) -> Refused | None:
        """Take the newest snapshot; return why not, if not."""
        if self._snapshots is None:
            return Refused("no_files", "an encrypted tenant keeps its views in memory")
        try:
            found = self._snapshots.newest(place.view.name, place.view.version)
            if isinstance(found, Refused):
                return found
            if found.seq > self._truth.seq() or self._truth.mark(found.mark) != found.mark:
                return Refused("ahead", "its snapshot is of another history than the truth's")
            if found.folder == place.doubted:
                return Refused("corrupt", "it gave wrong answers from its snapshot")
            seen = found.seen if place.view.maps else ()
            fresh = Place(place.view.fresh(), seq=found.seq, saved=found.folder, seen=seen)
            fresh.view.load(found.folder)
            if path := self._snapshots.altered(found.seen):
                return Refused("corrupt", f"{path} was changed while it was opened")
            self._swap(place, fresh)
        except SmartBrainError as error:
            return Refused(error.code, error.message)
        except FileNotFoundError as error:  # forgetting elsewhere drops snapshots at any moment
            return Refused("missing", f"its snapshot went while it was read: {error.filename}")
        return None

    def _build(
        self, place: Place, code: str, reason: str, on_progress: OnProgress | None = None
    ) -> None:
        name = place.view.name
        self.rebuilds[f"{name}:{code}"] += 1
        seq = self._truth.seq()
        if seq:
            level = logging.INFO if code in ("missing", "asked", "no_files") else logging.WARNING
            _log.log(level, "building the view %s: %s", name, reason)
        fresh = Place(place.view.fresh(), seq=seq)
        fill(fresh, self._truth, self._check_open, on_progress or (lambda _name, _rows: None))
        self._swap(place, fresh)

    def _swap(self, place: Place, fresh: Place) -> None:
        """Answer from a view that was opened beside the one before, once it knows no less."""
        self._run_up(fresh, self._truth.seq())
        with self._lock:
            self._run_up(fresh, place.seq)
            place.view, place.seq, place.saved = fresh.view, fresh.seq, fresh.saved
            place.changed, place.seen = fresh.changed, fresh.seen
            place.state, place.code, place.reason = ArmState.UP, "ok", "it answers"

    def _run_up(self, fresh: Place, target: int) -> None:
        """Bring a view to a transaction that does not answer yet."""
        while fresh.seq < target:
            with self._truth.read() as rows:
                apply(fresh, rows.followed.changes(fresh.seq, limit=_MANY).found, rows)

    def _ready(self) -> list[Place]:
        return [place for place in self._places.values() if place.ready]

    def _follow(self, deadline: float | None) -> int:
        target = None
        while True:
            with self._locked(deadline) as locked:
                if locked:
                    target = self._advance(_MANY if deadline is None else _FEW)
                    if target is not None and all(p.seq >= target for p in self._ready()):
                        return target
            if target is None and deadline is not None:
                self._follow_behind(deadline)
            if deadline is not None and self._timer() >= deadline:
                return self._truth.seq()

    def _follow_behind(self, deadline: float) -> None:
        """Apply more than there is time for in the background, and wait as long as there is."""

        def catch_up() -> None:  # however long it takes
            with self._lock:
                self._advance(_MANY)

        with self._locked(deadline) as locked:
            if locked and (self._following is None or self._following.done()):
                self._following = self._submit(catch_up)
        if self._following is not None:
            failure = waited(self._following, self._left(deadline))
            if failure is not None:
                raise failure

    def _advance(self, most: int) -> int | None:
        """Apply the next changes to every view that lacks them; nothing if they are too many."""
        places = self._ready()
        if not places:
            return self._truth.seq()
        since = min(place.seq for place in places)
        with self._truth.read() as rows:
            try:
                target, changes = rows.followed.changes(since, limit=most)
            except NotFound:
                for place in places:
                    if place.seq == since:
                        self._lose(place, "gone", "the changes it lacks have been dropped")
                return self._truth.seq()
            if most < _MANY and (len(changes) > most or (changes and changes[-1].seq < target)):
                return None
            while changes and changes[-1].seq < target:
                changes += rows.followed.changes(changes[-1].seq, limit=most).found
            for place in places:
                try:
                    apply(place, changes, rows, self._check_open)
                except SmartBrainError as error:
                    if self._closed:
                        raise
                    self._lose(place, error.code, error.message)
        return target

    def _check_open(self) -> None:
        """Go on with what takes long only as long as somebody may ask for it."""
        if self._closed:
            raise UsageError("the brain was closed; open it again", code="closed")

    def _lose_altered(self, deadline: float | None) -> list[str]:
        lost = altered(self._places.values(), self._snapshots, self._timer)
        for place, path in lost:
            with self._locked(deadline):  # or without: nobody may read there
                self._lose(place, "corrupt", f"{path} was changed while it was read from")
        return [place.view.name for place, _ in lost]

    def _lose(self, place: Place, code: str, reason: str) -> None:
        """Stop answering from a view that cannot follow; it is opened again."""
        _log.warning("the view %s is opened again: %s", place.view.name, reason)
        place.seq, place.opening = -1, None
        place.state, place.code, place.reason = ArmState.FAILED, code, reason

    def _save_due(self, places: Sequence[Place]) -> None:
        for place in places:
            busy = place.saving is not None and not place.saving.done()
            if place.ready and not busy and place.view.due(place.changed):
                with self._locked(self._timer()) as locked:
                    if locked and (place.saving is None or place.saving.done()):
                        place.saving = self._submit(partial(self._save_quietly, place))

    def _left(self, deadline: float | None) -> float | None:
        return None if deadline is None else max(0.0, deadline - self._timer())

    def _settle(self) -> None:
        for place in self._places.values():
            if place.saving:
                waited(place.saving, None)

    def _save_quietly(self, place: Place) -> None:
        """Write a snapshot that nobody waits for; a failure only costs time at the next start."""
        try:
            self._save(place)
        except SmartBrainError as error:
            _log.warning("no snapshot of %s was written: %s", place.view.name, error.message)

    def _save(self, place: Place) -> None:
        if self._snapshots is None:
            changed = place.changed
            place.view.save(None)
            place.changed -= changed
            return
        self._lose_altered(None)
        with self._snapshots.writing() as writing:
            if writing is None or not place.ready:
                return
            if writing.newest(place.view.name) != place.saved:
                refused = self._load(place)  # what another process has written meanwhile
                if refused is None and not place.changed:
                    return
                if refused is not None and place.saved is not None:
                    with self._lock:
                        self._lose(place, refused.code, "the snapshot it was read from was deleted")
                    return
            self._write(place, writing)

    def _write(self, place: Place, writing: Writing) -> None:
        """Write a view as it is at one transaction; later changes in it do no harm."""
        with self._lock:
            view, seq, changed = place.view, place.seq, place.changed
        folder = writing.folder(view.name, seq)
        alone = view.save(folder)
        try:
            mark = self._truth.mark()  # only now, so that the view has nothing from after it
            about = SnapshotStamp(seq, view.version, mark)
            seen = writing.publish(view.name, folder, about, alone=alone)
        except SmartBrainError as error:
            with self._lock:
                self._lose(place, error.code, "its files are in a snapshot that does not count")
            raise
        with self._lock:
            if place.view is view:
                place.saved, place.changed = folder, place.changed - changed
                place.seen = seen if view.maps else ()

    @contextmanager
    def _locked(self, deadline: float | None) -> Iterator[bool]:
        """Hold the lock; false where it did not come in time."""
        left = self._left(deadline)
        locked = self._lock.acquire(timeout=-1 if left is None else left)
        try:
            yield locked
        finally:
            if locked:
                self._lock.release()
