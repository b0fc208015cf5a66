"""Time: aware instants, their stored form, intervals, and the times that a text speaks of.

In: datetimes, ISO strings, epochs, what the reader of time expressions found. Out: aware datetimes,
or integer microseconds since 1970 UTC as stored. A turn keeps its own UTC offset beside its
instant, so local words such as "yesterday" can be read again later. No clock here: now is always
handed in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from enum import StrEnum
from functools import lru_cache
from typing import Final

from smartbrain.errors import UsageError

Clock = Callable[[], datetime]
"""Returns the present as an aware datetime; injected everywhere."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_BELIEVED: Final = timedelta(days=1)
_LATEST_EPOCH: Final = 10**11  # seconds; later than year 5000, so surely milliseconds


class Granularity(StrEnum):
    """How precise a time expression was, coarse to fine; `unspecified` when it did not say."""

    UNSPECIFIED = "unspecified"
    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"
    WEEK = "week"
    DAY = "day"
    PART_OF_DAY = "part_of_day"
    HOUR = "hour"
    MINUTE = "minute"
    SECOND = "second"


@lru_cache(maxsize=64)  # the rows of a turn share their times
def to_micros(time: datetime) -> int:
    """Return an aware time as stored: whole microseconds since 1970 UTC."""
    return (time - _EPOCH) // _MICROSECOND


@lru_cache(maxsize=2_048)  # questions read the same rows again
def from_micros(micros: int, offset_seconds: int = 0) -> datetime:
    """Return a stored instant as an aware datetime at the given UTC offset."""
    zone = timezone(timedelta(seconds=offset_seconds)) if offset_seconds else UTC
    return (_EPOCH + micros * _MICROSECOND).astimezone(zone)


def utc_offset_seconds(time: datetime) -> int:
    """Return the UTC offset of an aware time in whole seconds."""
    offset = time.utcoffset()
    return int(offset.total_seconds()) if offset else 0


@dataclass(frozen=True, slots=True)
class ZonedClock:
    """A clock that tells the present at the offset that a zone has just then.

    The offset alone, as stored times have it: two times of a zone are subtracted by its clocks'
    hands, which summer time moves.
    """

    clock: Clock
    zone: tzinfo

    def __call__(self) -> datetime:
        """Return the present."""
        now = self.clock().astimezone(self.zone)
        return now.replace(tzinfo=timezone(timedelta(seconds=utc_offset_seconds(now))))


class SteadyClock:
    """A clock that goes on by a hair while another is set back, so that order is kept.

    What is said next is later than what was said before, whatever the machine thinks by now. A
    clock that is set back by more than a day is believed: it was wrong before.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last: datetime | None = None

    def __call__(self) -> datetime:
        """Return the present."""
        now, last = self._clock(), self._last
        if last is not None and timedelta(0) < last - now <= _BELIEVED:
            now = last + _MICROSECOND
        self._last = now
        return now


def read_time(value: object, zone: tzinfo, name: str = "time") -> datetime:
    """Read an aware datetime from a datetime, an ISO 8601 string or an epoch in seconds.

    A naive value is read in `zone`. The result stands at its own offset. A refusal (`bad_time`)
    names the field.
    """
    if isinstance(value, datetime):
        return _aware(value, zone, value, name)
    if isinstance(value, str):
        try:
            return _aware(datetime.fromisoformat(value.strip()), zone, value, name)
        except ValueError:
            raise _bad(name, value, "give ISO 8601 such as 2026-03-01T09:30:00+08:00") from None
    if isinstance(value, int | float) and not isinstance(value, bool):
        if abs(value) >= _LATEST_EPOCH:
            raise _bad(name, value, "an epoch is in seconds; this looks like milliseconds")
        try:
            return (_EPOCH + timedelta(seconds=value)).astimezone(zone)
        except (OverflowError, ValueError):
            raise _bad(name, value, "the years 1 to 9999 can be stored") from None
    raise _bad(name, value, "give an aware datetime, an ISO 8601 string or an epoch in seconds")


def _aware(time: datetime, zone: tzinfo, value: object, name: str) -> datetime:
    """Place a naive time in `zone` and refuse what cannot be expressed in UTC."""
    placed = time.replace(tzinfo=zone) if time.utcoffset() is None else time
    try:
        placed.astimezone(UTC)
    except OverflowError:
        raise _bad(name, value, "the years 1 to 9999 can be stored") from None
    return placed


def _bad(name: str, value: object, remedy: str) -> UsageError:
    """Build the one-line refusal of a time."""
    return UsageError(f"{name} {value!r:.80} is not a time we can read; {remedy}", code="bad_time")


_MOMENT: Final = timedelta(microseconds=1)
_CLOCKS: Final = (Granularity.HOUR, Granularity.MINUTE, Granularity.SECOND)
_WITHIN_DAY: Final = (Granularity.PART_OF_DAY, *_CLOCKS)


class TimeKind(StrEnum):
    """What a time expression names: a place on the calendar, a stretch of it, or a habit."""

    POINT = "point"
    RANGE = "range"
    RECURRING = "recurring"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSpan:
    """A time expression with what it means; a recurring one means its next occurrence.

    `start` is before `end`, `end` is excluded, and both are aware. `words` are those of the text
    from `offset` on, `length` characters of it.
    """

    start: datetime
    end: datetime
    granularity: Granularity
    kind: TimeKind
    words: str
    offset: int
    length: int

    @property
    def name(self) -> str:
        """What this time is called, whatever words say it: 2026-03-04, 2026-W10, 2025-Q3.

        A stretch that is no whole unit of the calendar is named by its two ends, and what recurs by
        its own words.
        """
        if self.kind is TimeKind.RECURRING:
            return " ".join(self.words.lower().split())
        last = self.end - _MOMENT
        begins, ends = _unit(self.start, self.granularity), _unit(last, self.granularity)
        if begins == ends or (self.granularity in _CLOCKS and self.kind is TimeKind.POINT):
            return begins
        if self.granularity not in _WITHIN_DAY:
            return f"{self.start.date()}/{last.date()}"
        until = self.end.isoformat()[:16]
        return f"{begins}/{until[11:] if last.date() == self.start.date() else until}"


def _unit(moment: datetime, granularity: Granularity) -> str:
    """Return the name of the unit of the calendar that a moment lies in."""
    said = moment.isoformat()
    if granularity is Granularity.YEAR:
        return said[:4]
    if granularity is Granularity.QUARTER:
        return f"{said[:4]}-Q{(moment.month + 2) // 3}"
    if granularity is Granularity.MONTH:
        return said[:7]
    if granularity is Granularity.WEEK:
        year, week, _ = moment.isocalendar()
        return f"{year:04}-W{week:02}"
    return said[:16] if granularity in _WITHIN_DAY else said[:10]
