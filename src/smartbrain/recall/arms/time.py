"""The arms that look for times: what was said in a stretch of time, and what bears a day of it.

In: the stretches that a message speaks of, that were or are to come. Out: numbers with scores: by
the message's other words, then the newest; what happens or is to be done on a day, the soonest
first (R2, R3). What bears a day is read, for a text may name another day beside its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from msgspec import structs

from smartbrain.domain.graph import NodeKind
from smartbrain.domain.memory import Status
from smartbrain.domain.recall import Cues, CueTime
from smartbrain.domain.search import IndexFilter, Scored, TextQuery, WeightedTerm
from smartbrain.domain.shapes import Date, When
from smartbrain.domain.types import TypeRegistry
from smartbrain.recall.arms import text
from smartbrain.recall.arms.attribute import MOST_FOUND
from smartbrain.recall.candidates import closed
from smartbrain.recall.request import Question
from smartbrain.recall.views.follow import Follower
from smartbrain.text.tokenise import query_terms

_ENOUGH: Final = 20  # by their words within a time, for the rest of it not to be looked at
_FALLS: Final = 0.25  # from the newest of a time to the first, where nothing else is asked for
_MAX_DAYS: Final = 366
_MAX_DATED: Final = 500  # of each type, the newest, where there is no text index
_DATED_KINDS: Final = (NodeKind.EPISODE, NodeKind.TASK)  # what happens, and what is to be done
_LONGEST: Final = timedelta(days=32)  # in a longer stretch of the past too much has happened
_DAY: Final = timedelta(days=1)
_DAY_LENGTH: Final = len(date.min.isoformat())


def search_times(question: Question) -> list[Scored]:
    """Return what was said in the times that a message speaks of: by its words, then the newest.

    Where few hold its words, the newest of that time come behind them. Without a follower nothing
    is looked for by words.
    """
    cues, request, k = question.cues, question.request, MOST_FOUND
    query = _without_times(question.query, cues)
    follower = _text_index(question) if query.terms or query.should else None
    found: dict[int, Scored] = {}
    for time in cues.times:
        since = max(time.since, request.since or time.since)
        until = min(time.until, request.until or time.until)
        only = IndexFilter(
            statuses=(Status.ACTIVE.value,), types=request.types, since=since, until=until
        )
        hits = text.search_text(query, only, follower=follower, k=k) if follower else []
        if len(hits) < _ENOUGH:
            best = min([1.0, *(hit.score for hit in hits)])
            falls = best if names_more(cues) else _FALLS
            with question.ports.truth.read() as rows:
                nums = rows.recalled.within(since, until, limit=k)
            size = len(nums) + 1
            hits += [Scored(num, best - falls * place / size) for place, num in enumerate(nums)]
        for hit in hits:
            found.setdefault(hit.num, hit)
    return sorted(found.values(), key=lambda hit: (-hit.score, hit.num))[:k]


def names_more(cues: Cues) -> bool:
    """Tell whether a message has words to look for beside those that tell a time or only ask."""
    return any((cues.keywords, cues.entities, cues.referred, cues.codes, cues.phrases))


def search_days(question: Question) -> list[Scored]:
    """Return what bears a day that a message speaks of, the soonest first."""
    cues, only, k = question.cues, question.only, MOST_FOUND
    coming = {day for time in cues.ahead for day in _days(time)}
    gone = [time for time in cues.times if time.until - time.since <= _LONGEST]
    days = sorted(coming.union(*map(_days, gone)))[-_MAX_DAYS:]
    fields = _day_fields(question.ports.types, only.types)
    if not fields or not days:
        return []
    nums = None
    if follower := _text_index(question):
        query = TextQuery(terms=tuple(WeightedTerm(day) for day in days))
        dated = structs.replace(only, types=tuple(fields))
        nums = [hit.num for hit in text.search_text(query, dated, follower=follower, k=k)]
    with question.ports.truth.read() as rows:
        if nums is None:
            read = rows.recalled.standing(tuple(fields), limit=_MAX_DATED)
        else:
            read = rows.recalled.rows(nums)
    found = sorted(
        (day, row.num)
        for row in read
        for day in [str(row.value.get(fields[row.type]))[:_DAY_LENGTH]]
        if day in days and (day not in coming or not closed(row))
    )[:k]
    return [Scored(num, 1.0 - place / (len(found) + 1)) for place, (_, num) in enumerate(found)]


def _text_index(question: Question) -> Follower | None:
    """Return what is searched for words, if words may be searched for at all."""
    is_used = question.rules.use_node_index and question.tools.follower.get("text") is not None
    return question.tools.follower if is_used else None


def _without_times(query: TextQuery, cues: Cues) -> TextQuery:
    """Return a query without the words of a message that tell a time, only ask or say too little.

    Whoever asks for last week does not look for the words "last" and "week".
    """
    if not names_more(cues):
        return TextQuery()
    named = (*cues.keywords, *cues.entities, *cues.referred, *cues.codes, *cues.phrases)
    content = {one.term for one in query_terms(" ".join(named))}
    message = {one.term for one in query_terms(cues.text)} - content
    terms = tuple(one for one in query.terms if one.term not in message)
    return replace(query, terms=terms, should=query.should if cues.phrases else ())


def _days(time: CueTime) -> Iterator[str]:
    last = (time.until - timedelta.resolution).date()
    for place in range(min(_MAX_DAYS, (last - time.since.date()).days + 1)):
        yield (time.since.date() + place * _DAY).isoformat()


def _day_fields(types: TypeRegistry, request: Sequence[str]) -> dict[str, str]:
    """Return the types that bear a day, of those asked for, and the field that tells it."""
    found = {}
    for kind in types:
        names = [
            name for name, shape in kind.value.fields.items() if isinstance(shape, Date | When)
        ]
        if names and kind.node_kind in _DATED_KINDS and (not request or kind.name in request):
            found[kind.name] = names[0]
    return found
