"""Time: aware instants, their stored form, and intervals that remember how precise they are.

In: datetimes, ISO strings, epochs. Out: aware datetimes, or integer microseconds since 1970 UTC as
stored. A turn keeps its own UTC offset beside its instant, so local words such as "yesterday" can
be read again later. No clock here: now is always handed in.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from enum import StrEnum
from functools import lru_cache
from typing import Final

from smartbrain.domain.record import Record
from smartbrain.errors import UsageError

Clock = Callable[[], datetime]
"""Returns the present as an aware datetime; injected everywhere."""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
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


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Interval(Record):
    """A stretch of time, end excluded, with its precision and the words it was read from."""

    start: datetime
    end: datetime
    granularity: Granularity = Granularity.UNSPECIFIED
    words: str = ""

    def __post_init__(self) -> None:
        for name, value in (("start", self.start), ("end", self.end)):
            if value.tzinfo is None:
                raise UsageError(f"interval {name} has no UTC offset: {value}", code="bad_time")
        if self.end < self.start:
            raise UsageError(
                f"interval ends ({self.end.isoformat()}) before it starts"
                f" ({self.start.isoformat()}); swap the two",
                code="bad_time",
            )


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


def read_time(value: object, zone: tzinfo, name: str = "time") -> datetime:
    """Read an aware datetime from a datetime, an ISO 8601 string or an epoch in seconds.

    A naive value is read in `zone`. The result stands at its own offset.

    Raises:
        UsageError: code `bad_time`, naming the field, the value and what would be accepted.
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
