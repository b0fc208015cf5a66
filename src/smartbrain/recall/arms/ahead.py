"""The arm that looks for days to come: memories of what is to happen or to be done then (R2, R3).

In: stretches of time that are not over. Out: numbers of what bears a day within them, the soonest
first. A day is a word of the texts that such memories are found by; what it finds is read, for a
text may name another day beside its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from smartbrain.domain.graph import NodeKind
from smartbrain.domain.search import Scored
from smartbrain.domain.shapes import Date, When
from smartbrain.domain.text_search import TextQuery, WeightedTerm
from smartbrain.recall.arms import words
from smartbrain.recall.standing import closed

if TYPE_CHECKING:
    from smartbrain.domain.recall import CueTime
    from smartbrain.domain.recalled import RecalledRow
    from smartbrain.domain.search import IndexFilter
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.ports.truth import Truth
    from smartbrain.recall.views.follow import Follower

_MOST_DAYS: Final = 366
_LOOKED_AT: Final = 500  # of each type, the newest, where there is no text index
_KINDS: Final = (NodeKind.EPISODE, NodeKind.TASK)  # what happens, and what is to be done
_DAY: Final = timedelta(days=1)


def search_ahead(
    times: Sequence[CueTime],
    only: IndexFilter,
    *,
    types: TypeRegistry,
    follower: Follower | None,
    truth: Truth,
    k: int,
) -> list[Scored]:
    """Return what bears a day of these stretches, the soonest first; what is closed does not."""
    days = list(dict.fromkeys(day for time in times for day in _days(time)))
    fields = _fields(types, only.types)
    if not fields:
        return []
    nums = None
    if follower is not None and follower.get("text") is not None:
        query = TextQuery(terms=tuple(WeightedTerm(day) for day in days))
        hits = words.search_text(query, replace(only, types=tuple(fields)), follower=follower, k=k)
        nums = [hit.num for hit in hits]
    with truth.read() as rows:
        if nums is None:
            read = rows.recalled.standing(tuple(fields), limit=_LOOKED_AT)
        else:
            read = rows.recalled.rows(nums)
    wanted = frozenset(days)
    dated = [(day, row.num) for row in read if (day := _day(row, fields)) in wanted]
    found = sorted(dated)[:k]
    return [Scored(num, 1.0 - place / (len(found) + 1)) for place, (_, num) in enumerate(found)]


def _days(time: CueTime) -> Iterator[str]:
    """Yield the days of a stretch, as they are written."""
    last = (time.until - timedelta.resolution).date()
    for place in range(min(_MOST_DAYS, (last - time.since.date()).days + 1)):
        yield (time.since.date() + place * _DAY).isoformat()


def _fields(types: TypeRegistry, asked: Sequence[str]) -> dict[str, str]:
    """Return the types that bear a day, of those asked for, and the field that tells it."""
    return {
        kind.name: next(name for name, shape in kind.value.fields.items() if _tells_day(shape))
        for kind in types
        if kind.node_kind in _KINDS
        and (not asked or kind.name in asked)
        and any(map(_tells_day, kind.value.fields.values()))
    }


def _tells_day(shape: object) -> bool:
    return isinstance(shape, Date | When)


def _day(row: RecalledRow, fields: Mapping[str, str]) -> str:
    """Return the day that a memory bears, if it is not closed."""
    return "" if closed(row) else str(row.value.get(fields[row.type]))[: len(date.min.isoformat())]
