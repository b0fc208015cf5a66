"""The arms that look for words: memories by their text, and the same within a stretch of time.

In: cues and a plan. Out: numbers with BM25 scores. One query holds the message and everything that
widens it, each clause with its weight (R12).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Final, cast

from smartbrain.domain.memory import Status
from smartbrain.domain.plan import QueryMode
from smartbrain.domain.recall import Intent
from smartbrain.domain.search import Apart, IndexFilter, Scored, TextQuery
from smartbrain.recall.relevance import TermCounts, other_words, telling_terms
from smartbrain.text.query import text_query
from smartbrain.text.tokenise import index_terms, query_terms

if TYPE_CHECKING:
    from smartbrain.domain.plan import RetrievalPlan
    from smartbrain.domain.recall import Cues
    from smartbrain.ports.truth import Truth
    from smartbrain.recall.asked import Asked
    from smartbrain.recall.views.follow import Follower
    from smartbrain.recall.views.words import WordsView

_EVER: Final = tuple(one.value for one in Status if one is not Status.CANDIDATE)
_CROWDED: Final = 0.2  # of the best score for the last hit: below, nothing is crowded out
_APART: Final = 24  # memories of one kind that are looked for where there are many
_NAME: Final = 0.8  # what a name counts that the message has another one for
_ENOUGH: Final = 20  # by their words within a time, for the rest of it not to be looked at
_FALLS: Final = 0.25  # from the newest of a time to the first, where nothing else is asked for
_PHRASE: Final = 0.5  # what words that stand together count beside the words themselves


def query_of(plan: RetrievalPlan, cues: Cues) -> TextQuery:
    """Return all queries of a plan as the clauses of one."""
    if not plan.queries:
        return text_query("")
    message, *others = plan.queries
    return text_query(
        message.text,
        expansions=[
            (one.text, one.weight) for one in others if one.mode is not QueryMode.RELATIONAL
        ],
        should=[(phrase, _PHRASE) for phrase in cues.phrases],
        said=True,
    )


def widened(query: TextQuery, names: Sequence[str]) -> TextQuery:
    """Return a query that looks for names as well."""
    wider = text_query("", expansions=[(name, _NAME) for name in names], said=True)
    faint = query.faint | wider.faint
    return replace(query, terms=(*query.terms, *wider.terms), faint=faint)


def only_of(asked: Asked) -> IndexFilter:
    """Return what may answer at all: what holds, and what held where the past is asked for."""
    past = asked.history or asked.as_of is not None
    return IndexFilter(
        statuses=_EVER if past else (Status.ACTIVE.value,),
        types=asked.types,
        since=asked.since,
        until=asked.until,
    )


def search_text(
    query: TextQuery,
    only: IndexFilter,
    *,
    follower: Follower,
    k: int,
    kinds: tuple[tuple[str, ...], ...] = (),
    faintly: bool = False,
) -> list[Scored]:
    """Return the memories that hold the words; where many do, the best of each kind of types too.

    Args:
        query: what to look for.
        only: what may answer.
        follower: the views.
        k: how many at most, whatever their kind.
        kinds: the types of each kind.
        faintly: whether, where nothing is found, what says too little finds something.
    """
    index = cast("WordsView", follower.need("text")).index
    apart = Apart(kinds, _APART, _CROWDED) if kinds else None
    found = index.search(query, k=k, only=only, apart=apart)
    if found or not faintly or not query.faint:
        return found
    return index.search(replace(query, faint=frozenset()), k=k, only=only, apart=apart)


def asks_faintly(cues: Cues, asked: Asked) -> bool:
    """Tell whether to go by words that say little where no others find anything.

    Who recalls wants what there is, and so does who asks a question; but a packet is made for any
    message, and small talk brings nothing to mind.
    """
    if asked.rare_share is None:
        return cues.intent is not Intent.CHIT_CHAT
    return cues.intent is Intent.QA


def count_terms(cues: Cues, *, follower: Follower) -> TermCounts:
    """Return how many memories hold each telling term of a message (R9, R20)."""
    index = cast("WordsView", follower.need("text")).index
    terms = telling_terms(cues.text)
    alike = other_words(cues.text, terms)
    cut = {word: index_terms(word) for word in {each for some in alike.values() for each in some}}
    wanted = list(dict.fromkeys([*terms, *(part for parts in cut.values() for part in parts)]))
    held = dict(zip(wanted, index.holding(wanted), strict=True)) if wanted else {}
    # A phrase is held by no more memories than its rarest part.
    words = {word: min([held[part] for part in parts], default=0) for word, parts in cut.items()}
    return TermCounts(
        {term: held[term] for term in terms},
        index.stats().documents,
        alike,
        {term: max(map(words.__getitem__, some), default=0) for term, some in alike.items()},
    )


def search_times(
    query: TextQuery,
    asked: Asked,
    cues: Cues,
    *,
    follower: Follower,
    truth: Truth,
    k: int,
    by_words: bool = True,
) -> list[Scored]:
    """Return what was said in the times that a message speaks of: by its words, then the newest.

    Where few hold its words, the newest of that time come behind them.
    """
    query = _beside_time(query, cues)
    by_words = by_words and bool(query.terms or query.should) and follower.get("text") is not None
    found: dict[int, Scored] = {}
    for time in cues.times:
        since, until = _inner(asked, time.since, time.until)
        only = IndexFilter(
            statuses=(Status.ACTIVE.value,), types=asked.types, since=since, until=until
        )
        hits = search_text(query, only, follower=follower, k=k) if by_words else []
        if len(hits) < _ENOUGH:
            best = min([1.0, *(hit.score for hit in hits)])
            falls = best if names_more(cues) else _FALLS
            hits += _newest(since, until, (best, falls), truth=truth, k=k)
        for hit in hits:
            found.setdefault(hit.num, hit)
    return sorted(found.values(), key=lambda hit: (-hit.score, hit.num))[:k]


def names_more(cues: Cues) -> bool:
    """Tell whether a message has words to look for beside those that tell a time or only ask."""
    return any((cues.keywords, cues.entities, cues.referred, cues.codes, cues.phrases))


def _beside_time(query: TextQuery, cues: Cues) -> TextQuery:
    """Return a query without the words of a message that tell a time, only ask or say too little.

    Whoever asks for last week does not look for the words "last" and "week".
    """
    if not names_more(cues):
        return TextQuery()
    named = " ".join((*cues.keywords, *cues.entities, *cues.referred, *cues.codes, *cues.phrases))
    content = {one.term for one in query_terms(named)}
    message = {one.term for one in query_terms(cues.text)} - content
    terms = tuple(one for one in query.terms if one.term not in message)
    return replace(query, terms=terms, should=query.should if cues.phrases else ())


def _inner(asked: Asked, since: datetime, until: datetime) -> tuple[datetime, datetime]:
    """Return a stretch of time within the one that was asked for."""
    return max(since, asked.since or since), min(until, asked.until or until)


def _newest(
    since: datetime, until: datetime, scale: tuple[float, float], *, truth: Truth, k: int
) -> list[Scored]:
    """Return the episodes of a stretch of time: the best score for the newest, and how it falls."""
    best, falls = scale
    with truth.read() as rows:
        nums = rows.recalled.within(since, until, limit=k)
    return [Scored(num, best - falls * place / (len(nums) + 1)) for place, num in enumerate(nums)]
