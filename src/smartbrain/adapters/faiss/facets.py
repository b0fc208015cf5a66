"""What nodes can be filtered by, in columns beside their vectors.

In: the facets of each row, at the end. Out: for a filter, which of the first so many rows it
admits, exactly as `IndexFilter.admits` says. Values are kept once and rows name them by a code; the
answer for a filter is remembered and only grows by the rows that came since.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from threading import Lock
from typing import Any, Final, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from smartbrain.adapters.faiss.growing import Growing
from smartbrain.domain.search import Facets, IndexFilter
from smartbrain.domain.time import from_micros, to_micros
from smartbrain.errors import UsageError

NO_TIME: Final = -(2**63)
REMEMBERED: Final = 16

Mask = npt.NDArray[np.bool_]
Profile = tuple[str, str, str, str]
T = TypeVar("T", bound=Hashable)


class Column(Generic[T]):
    """One facet of every row: values once each, and a code a row."""

    def __init__(self, values: Iterable[T] = (), codes: Growing | None = None) -> None:
        self.values = list(values)
        self.codes = codes or Growing(np.int32)
        self._code_of = {value: code for code, value in enumerate(self.values)}

    def extend(self, values: Iterable[T]) -> None:
        """Add rows at the end."""
        codes = []
        for value in values:
            code = self._code_of.get(value)
            if code is None:
                # The value is in place before any code names it, for readers that look meanwhile.
                code = len(self.values)
                self.values.append(value)
                self._code_of[value] = code
            codes.append(code)
        self.codes.extend(np.array(codes, dtype=np.int32))

    def at(self, row: int) -> T:
        """Return the value of a row."""
        return self.values[int(self.codes.first(row + 1)[row])]

    def mask(self, admits: Callable[[T], bool], start: int, stop: int) -> Mask:
        """Tell for the rows of a range whether their value is admitted."""
        codes = self.codes.first(stop)[start:]
        if len(codes) < len(self.values):
            asked = (admits(self.values[code]) for code in codes.tolist())
            return np.fromiter(asked, dtype=np.bool_, count=len(codes))
        table = np.fromiter(map(admits, self.values), dtype=np.bool_)
        return table.take(codes)

    def subset(self, rows: npt.NDArray[np.int64]) -> Column[T]:
        """Return the column of these rows, without the values that none of them has."""
        codes = self.codes.first(self.codes.count)[rows]
        used, renumbered = np.unique(codes, return_inverse=True)
        values = [self.values[code] for code in used.tolist()]
        return Column(values, Growing.of(renumbered.astype(np.int32)))


class FacetColumns:
    """The facets of every row."""

    def __init__(self) -> None:
        self.profiles: Column[Profile] = Column()
        self.sources: Column[str] = Column()
        self.tags: Column[tuple[str, ...]] = Column()
        self.times = Growing(np.int64)
        self._remembered: dict[IndexFilter, Mask] = {}
        self._lock = Lock()

    def extend(self, facets: Sequence[Facets], times: Sequence[int]) -> None:
        """Add rows at the end; `times` are the facets' own, see `times_of`."""
        self.profiles.extend((one.type, one.status, one.layer, one.language) for one in facets)
        self.sources.extend(one.source for one in facets)
        self.tags.extend(tuple(one.tags) for one in facets)
        self.times.extend(np.array(times, dtype=np.int64))

    def at(self, row: int) -> Facets:
        """Return the facets of a row."""
        kind, status, layer, language = self.profiles.at(row)
        micros = int(self.times.first(row + 1)[row])
        return Facets(
            type=kind,
            status=status,
            layer=layer,
            at=None if micros == NO_TIME else from_micros(micros),
            source=self.sources.at(row),
            language=language,
            tags=self.tags.at(row),
        )

    def mask(self, only: IndexFilter, count: int) -> Mask:
        """Tell for the first `count` rows whether the filter admits them.

        Raises:
            UsageError: `bad_time`: the filter has a time without a UTC offset.
        """
        with self._lock:
            known = self._remembered.pop(only, None)
            done = 0 if known is None else len(known)
            if known is None or done < count:
                more = self._evaluate(only, done, count)
                known = more if known is None else np.concatenate((known, more))
            self._remembered[only] = known
            if len(self._remembered) > REMEMBERED:
                del self._remembered[next(iter(self._remembered))]
        return known[:count]

    def subset(self, rows: npt.NDArray[np.int64]) -> FacetColumns:
        """Return the columns of these rows."""
        made = FacetColumns()
        made.profiles = self.profiles.subset(rows)
        made.sources = self.sources.subset(rows)
        made.tags = self.tags.subset(rows)
        made.times = Growing.of(self.times.first(self.times.count)[rows])
        return made

    @property
    def nbytes(self) -> int:
        """The memory of the columns; that of the values is estimated by their text."""
        columns: tuple[Column[Any], ...] = (self.profiles, self.sources, self.tags)
        values = sum(len(column.values) for column in columns) * 120
        return values + self.times.nbytes + sum(column.codes.nbytes for column in columns)

    def _evaluate(self, only: IndexFilter, start: int, stop: int) -> Mask:
        """Ask the filter itself about every value, and the clock's columns about the times."""
        mask = np.ones(stop - start, dtype=np.bool_)
        plain = replace(only, since=None, until=None, source_prefix=None, tags=())
        if plain != IndexFilter():
            mask &= self.profiles.mask(lambda one: plain.admits(_profile(one)), start, stop)
        if only.tags:
            tagged = IndexFilter(tags=only.tags)
            mask &= self.tags.mask(lambda tags: tagged.admits(Facets(tags=tags)), start, stop)
        if only.source_prefix:
            prefix = only.source_prefix
            mask &= self.sources.mask(lambda source: source.startswith(prefix), start, stop)
        if only.since is not None or only.until is not None:
            times = self.times.first(stop)[start:]
            mask &= times != NO_TIME
            if only.since is not None:
                mask &= times >= micros_of(only.since)
            if only.until is not None:
                mask &= times < micros_of(only.until)
        return mask


def times_of(facets: Iterable[Facets]) -> list[int]:
    """Return when the facets are from, as stored.

    Raises:
        UsageError: `bad_time`: one has no UTC offset.
    """
    return [NO_TIME if one.at is None else micros_of(one.at) for one in facets]


def micros_of(time: datetime) -> int:
    """Return an aware time as stored.

    Raises:
        UsageError: `bad_time`: it has no UTC offset.
    """
    if time.tzinfo is None:
        raise UsageError(f"{time} has no UTC offset; pass an aware datetime", code="bad_time")
    return to_micros(time)


def _profile(profile: Profile) -> Facets:
    kind, status, layer, language = profile
    return Facets(type=kind, status=status, layer=layer, language=language)
