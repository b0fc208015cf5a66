"""The arms that look for words: memories by their text, codes as they stand, whole sessions.

In: cues and a plan. Out: numbers with BM25 scores. One query holds the message and everything that
widens it, each clause with its weight (R12). A turn alone may hold few of the words that its
session is about; the turns around it hold the others, so sessions are scored by how many of their
turns hold each term.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from msgspec import structs

from smartbrain.domain.memory import Status
from smartbrain.domain.plan import QueryMode, RetrievalPlan
from smartbrain.domain.recall import Cues
from smartbrain.domain.search import IndexFilter, Scored, TextQuery
from smartbrain.recall.arms import raw
from smartbrain.recall.relevance import TermCounts, character_pairs, other_words, telling_terms
from smartbrain.recall.request import Question, RecallRequest
from smartbrain.recall.views.follow import Follower
from smartbrain.text.bm25 import K1, rarity, saturation
from smartbrain.text.query import text_query
from smartbrain.text.tokenise import index_terms

FEW_TERMS: Final = 6
"""Terms of a message up to which its turns tell more than whole sessions do."""
MANY_TERMS: Final = 16
"""From where on sessions count in full."""
MAX_TERMS: Final = 40
MAX_TURNS: Final = 300
"""Turns of a term that are counted, those first that hold it best."""
_EPISODES: Final = ("episodes",)


def is_about_more(cues: Cues) -> bool:
    """Tell whether a message is about more than what it names as it stands, or by its time."""
    is_named = cues.codes or cues.phrases or cues.times or cues.ahead or cues.referred
    return not is_named or len(telling_terms(cues.text)) > MANY_TERMS


def search_sessions(question: Question) -> dict[str, float]:
    """Return how well each session holds the words, from 0 to 1; of a short message, nothing."""
    query = text_query(question.cues.text)
    count = len(query.terms)
    if count <= FEW_TERMS:
        return {}
    index = question.tools.follower.words("text")
    only = structs.replace(question.only, types=_EPISODES)
    turns: dict[str, list[int]] = {}
    for term in query.terms[:MAX_TERMS]:
        if term.term not in query.faint:
            alone = replace(query, terms=(term,), should=(), faint=frozenset())
            turns[term.term] = [hit.num for hit in index.search(alone, k=MAX_TURNS, only=only)]
    with question.ports.truth.read() as rows:
        sessions = rows.recalled.sessions(sorted({num for nums in turns.values() for num in nums}))
    held = {
        term: Counter(sessions[num] for num in nums if num in sessions)
        for term, nums in turns.items()
    }
    full = min(1.0, (count - FEW_TERMS) / (MANY_TERMS - FEW_TERMS))
    return {session: full * score for session, score in score_sessions(held).items()}


def score_sessions(held: Mapping[str, Mapping[str, int]]) -> dict[str, float]:
    """Return the BM25 score of sessions as shares of the best."""
    count = len({session for counts in held.values() for session in counts})
    gains: dict[str, list[float]] = defaultdict(list)
    for counts in held.values():
        rare = rarity(count, len(counts))
        for session, turns in counts.items():
            gains[session].append(rare * saturation(turns, K1))
    scores = {session: math.fsum(some) for session, some in gains.items()}
    best = max(scores.values(), default=0.0)
    return {session: score / best for session, score in scores.items()} if best > 0 else {}


_EVER: Final = tuple(one.value for one in Status if one is not Status.CANDIDATE)
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


def filter_of(request: RecallRequest) -> IndexFilter:
    """Return what may answer at all: what holds, and what held where the past is asked for."""
    past = request.history or request.as_of is not None
    return IndexFilter(
        statuses=_EVER if past else (Status.ACTIVE.value,),
        types=request.types,
        since=request.since,
        until=request.until,
    )


def search_text(
    query: TextQuery, only: IndexFilter, *, follower: Follower, k: int, faintly: bool = False
) -> list[Scored]:
    """Return the memories that hold the words.

    Where none does, what says too little to find anything by itself is looked for `faintly`.
    """
    index = follower.words("text")
    found = index.search(query, k=k, only=only)
    if found or not faintly or not query.faint:
        return found
    return index.search(replace(query, faint=frozenset()), k=k, only=only)


def search_exact(question: Question, views: tuple[str, ...]) -> tuple[list[Scored], dict[int, int]]:
    """Return the memories whose own words hold a code or a phrase, best first, and passages (R5).

    A memory that only stands beside such a one is none of them, though it is indexed with the
    beginning of its neighbours. Where as many hold one as are looked for, none is returned: what is
    everywhere sets nothing apart.
    """
    cues, k, follower = question.cues, question.k, question.tools.follower
    query = text_query("", should=[(one, 1.0) for one in (*cues.codes, *cues.phrases)])
    if not query.should:
        return [], {}
    found: dict[int, float] = {}
    passages: dict[int, int] = {}
    everywhere = False
    for name in views:
        if name == "passages":
            hits, passages = raw.search_originals(question, query, k)
        else:
            hits = search_text(query, question.only, follower=follower, k=k)
        everywhere = everywhere or len(hits) >= k
        best = max([hit.score for hit in hits], default=1.0)
        for num, score in hits:
            found[num] = max(score / best, found.get(num, 0.0))
    if everywhere:
        return [], {}
    order = sorted(found.items(), key=lambda one: (-one[1], one[0]))
    return [Scored(num, share) for num, share in order], passages


def count_terms(question: Question) -> TermCounts:
    """Return how many memories hold each telling term of a message (R9, R20)."""
    cues, index = question.cues, question.tools.follower.words("text")
    terms = telling_terms(cues.text)
    alike = other_words(cues.text, terms)
    cut = {word: index_terms(word) for word in {each for some in alike.values() for each in some}}
    pairs = [pair for pair in character_pairs(cues.text) if pair not in terms]
    parts = [part for parts in cut.values() for part in parts]
    wanted = list(dict.fromkeys([*terms, *parts, *pairs]))
    held = dict(zip(wanted, index.holding(wanted), strict=True)) if wanted else {}
    # A phrase is held by no more memories than its rarest part.
    words = {word: min([held[part] for part in parts], default=0) for word, parts in cut.items()}
    return TermCounts(
        {term: held[term] for term in terms},
        index.stats().documents,
        alike,
        {term: max(map(words.__getitem__, some), default=0) for term, some in alike.items()},
        [pair for pair in pairs if held[pair]],
    )
