"""The arm that looks for days: memories of what happens or is to be done on them (R2, R3).

In: stretches of time, that were or are to come. Out: numbers of what bears a day within them, the
soonest first. A day is a word of the texts that such memories are found by; what it finds is read,
for a text may name another day beside its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from smartbrain.domain.graph import NodeKind
from smartbrain.domain.search import Scored, TextQuery, WeightedTerm
from smartbrain.domain.shapes import Date, When
from smartbrain.recall.arms import words
from smartbrain.recall.standing import closed

if TYPE_CHECKING:
    from smartbrain.domain.recall import Cues, CueTime
    from smartbrain.domain.recalled import RecalledRow
    from smartbrain.domain.search import IndexFilter
    from smartbrain.domain.types import TypeRegistry
    from smartbrain.ports.truth import Truth
    from smartbrain.recall.views.follow import Follower

_MOST_DAYS: Final = 366
_LOOKED_AT: Final = 500  # of each type, the newest, where there is no text index
_KINDS: Final = (NodeKind.EPISODE, NodeKind.TASK)  # what happens, and what is to be done
_LONGEST: Final = timedelta(days=32)  # in a longer stretch of the past too much has happened
_DAY: Final = timedelta(days=1)


def search_days(
    cues: Cues,
    only: IndexFilter,
    *,
    types: TypeRegistry,
    follower: Follower | None,
    truth: Truth,
    k: int,
) -> list[Scored]:
    """Return what bears a day that a message speaks of, the soonest first.

    Of the days to come what is closed does not.
    """
    coming = {day for time in cues.ahead for day in _days(time)}
    gone = [time for time in cues.times if time.until - time.since <= _LONGEST]
    days = sorted(coming.union(*map(_days, gone)))[-_MOST_DAYS:]
    fields = _fields(types, only.types)
    if not fields or not days:
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
    dated = [(_day(row, fields), row) for row in read]
    borne = [(day, row.num) for day, row in dated if day not in coming or not closed(row)]
    found = sorted(one for one in borne if one[0] in days)[:k]
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
    """Return the day that a memory bears."""
    return str(row.value.get(fields[row.type]))[: len(date.min.isoformat())]
