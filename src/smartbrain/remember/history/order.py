"""Entries of a history in the order of their times, where the file has them in another (M4).

In: the entries of a source, which is read twice. Out: its turns. A session whose times never go
backwards is read as it stands in the file, and nothing of it is held. One whose times do, such as
that of a log with the newest first, is held up to a limit; it comes behind the rest, by its times.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Final

from smartbrain.domain.history import HistoryProblem, HistoryTurn
from smartbrain.errors import UsageError
from smartbrain.remember.history.source import Source
from smartbrain.remember.history.turns import Entry, TurnMaker

Entries = Iterable[Entry | HistoryProblem]
_Dated = tuple[datetime, list[Entry]]
"""An entry with those behind it that have no time, at its time."""

_LARGEST: Final = 1 << 30  # bytes of what is held, which take several times as much in memory
_COARSE: Final = timedelta(seconds=1)  # what a clock that counts whole seconds may be behind
_FIRST: Final = datetime.min.replace(tzinfo=UTC)


def turns_of(
    read: Callable[[], Entries], turns: TurnMaker, total: int, source: Source
) -> Iterator[HistoryTurn | HistoryProblem]:
    """Yield the turns that entries make, and their problems.

    Args:
        read: begins to read the entries, each time from the first.
        turns: makes them turns.
        total: what the places of entries are out of.
        source: where they are from.

    Raises:
        UsageError: there is too much out of order to be held.
    """
    late = _backwards(read(), source)
    for one in _in_order(read(), late) if late else read():
        if isinstance(one, HistoryProblem):
            yield one
        else:
            yield from turns.take(one)
    yield from turns.close_all(total)


def _backwards(entries: Entries, source: Source) -> set[str]:
    """Return the sessions whose times go backwards."""
    found: set[str] = set()
    latest: dict[tuple[str, bool], datetime] = {}
    sizes: Counter[str] = Counter()
    ended = 0
    for one in entries:
        if isinstance(one, HistoryProblem):
            continue
        sizes[one.session_id] += one.place - ended
        ended = one.place
        if one.at is None:
            continue
        at = datetime.fromisoformat(one.at)
        clock = one.session_id, at.tzinfo is None  # the two cannot be compared here
        last = latest.setdefault(clock, at)
        if at < last - (timedelta(0) if one.begins else _COARSE):
            found.add(one.session_id)
        latest[clock] = max(last, at)
    if sum(sizes[one] for one in found) > _LARGEST:
        raise UsageError(
            f"{source.name}: more than {_LARGEST:,} bytes of it are in sessions whose times go"
            " backwards, and those are held in memory; sort its lines by time, or split it"
        )
    return found


def _in_order(entries: Entries, late: set[str]) -> Iterator[Entry | HistoryProblem]:
    """Yield entries, those of some sessions by time behind the rest; places count what is done."""
    held: dict[str, list[Entry]] = {one: [] for one in late}
    ended = done = 0
    for one in entries:
        if isinstance(one, HistoryProblem):
            yield one
            continue
        size, ended = one.place - ended, one.place
        if one.session_id in late:
            held[one.session_id].append(one._replace(place=size))
        else:
            done += size
            yield one._replace(place=done)
    sessions = [_dated(one) for one in held.values()]
    for dated in sorted(sessions, key=lambda one: min(at for at, _ in one)):
        for entry in _by_time(dated):
            done += entry.place
            yield entry._replace(place=done)


def _dated(entries: Iterable[Entry]) -> list[_Dated]:
    """Return entries with their times; one without stays behind the one it follows."""
    found: list[_Dated] = []
    for one in entries:
        if one.at is None and found:
            found[-1][1].append(one)
            continue
        at = datetime.fromisoformat(one.at) if one.at else _FIRST
        found.append((at if at.tzinfo else at.replace(tzinfo=UTC), [one]))
    return found


def _by_time(dated: list[_Dated]) -> Iterator[Entry]:
    """Yield the entries of a session by their times."""
    newest_first = all(one >= other for (one, _), (other, _) in pairwise(dated))
    for _, same in groupby(sorted(dated, key=itemgetter(0)), key=itemgetter(0)):
        told = [entries for _, entries in same]
        begins, ends = told[0][0].begins, told[-1][0].begins
        # A user's message comes before what answers it, wherever that stands.
        if ends if begins != ends else newest_first:
            told.reverse()
        for entries in told:
            yield from entries
