"""The plan of a recall: which queries, within which limits, ranked how (R1, R12, R14).

In: cues, the rules of recall, and how many items are wanted. Out: a `RetrievalPlan` that our own
arms and any resource backend can follow; `debug` tells which cue each query and filter came from.
Queries beside the message widen a search and state nothing. Filters are what the message asked for;
among memories they weigh, for what answers may have been told at another time or without its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from itertools import islice, zip_longest
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from smartbrain.domain.plan import (
    Filters,
    Fusion,
    FusionMethod,
    PlanBudget,
    PlanOutput,
    PlanQuery,
    Purpose,
    QueryMode,
    Ranking,
    RetrievalPlan,
    SnippetPolicy,
    TimeRange,
)
from smartbrain.domain.policy import QueryExpansionRules
from smartbrain.domain.policy_recall import RecallRules, ScoreRules
from smartbrain.domain.reason import Reason
from smartbrain.domain.recall import Cues, Intent
from smartbrain.recall.cues import SOURCES, entities_of, listed_in_both, open_start, simplified
from smartbrain.recall.synonyms import find_synonyms
from smartbrain.text.entities import find_entities
from smartbrain.text.keywords import keywords_of
from smartbrain.text.pattern import pattern
from smartbrain.text.query import nouns_of_one

ASKING: Final = 0.5
"""How likely a message asks for what was told, for its attributes to count."""
CANDIDATES: Final = 200
"""How many candidates an arm may look at."""

_FEWEST_BY_MODE: Final = {QueryMode.EXACT: 10, QueryMode.SEMANTIC: 10, QueryMode.HYBRID: 30}


def make_plan(
    cues: Cues,
    *,
    request_id: str,
    rules: RecallRules,
    k: int,
    expansion: QueryExpansionRules,
) -> RetrievalPlan:
    """Return how to retrieve for a message; the same cues and rules give the same plan."""
    expansions = expand(cues, expansion)
    top_k = max(1, min(k, rules.max_k))
    filters, why = _filters(cues)
    weights: ScoreRules = getattr(rules.profiles, rules.profile)
    return RetrievalPlan(
        request_id=request_id,
        purpose=Purpose.OTHER if cues.intent is Intent.CHIT_CHAT else Purpose(cues.intent.value),
        queries=tuple(one.query for one in expansions),
        global_filters=filters,
        budget=PlanBudget(
            top_k=top_k,
            candidate_k=max(CANDIDATES, top_k),
            per_mode_k={mode: max(least, top_k) for mode, least in _FEWEST_BY_MODE.items()},
        ),
        ranking=Ranking(fusion=Fusion(method=FusionMethod.WEIGHTED_SUM, weights=asdict(weights))),
        output=PlanOutput(
            include_raw=cues.original,
            snippet_policy=SnippetPolicy.L2 if cues.original else SnippetPolicy.AUTO,
        ),
        debug={
            "intent": cues.intent.value,
            "profile": rules.profile,
            "queries": [one.cue for one in expansions],
            "filters": why,
        },
    )


def not_followed(plan: RetrievalPlan, rules: RecallRules) -> tuple[Reason, ...]:
    """Return which filters of a plan leave no memory out, and what they do instead (R14)."""
    filters = plan.global_filters
    found = []
    if span := filters.time_range:
        stretch = " ".join(
            f"{word} {time.isoformat(timespec='minutes')}"
            for word, time in (("from", span.since), ("to", span.until))
            if time is not None
        )
        counts = f"what was said {stretch} counts {rules.time_boost:g} times"
        sentence = f"{counts}; since and until leave out the rest"
        found.append(Reason("weighed", sentence, key="global_filters.time_range"))
    if filters.source_uri_prefix:
        named = ", ".join(filters.source_uri_prefix)
        sentence = f"what names {named} counts {rules.scope_boost:g} times; the rest may answer too"
        found.append(Reason("weighed", sentence, key="global_filters.source_uri_prefix"))
    if filters.language:
        sentence = f"memories in any language answer, not only in {', '.join(filters.language)}"
        found.append(Reason("ignored", sentence, key="global_filters.language"))
    return tuple(found)


def _filters(cues: Cues) -> tuple[Filters, dict[str, Any]]:
    """Return what hits must satisfy, and the words of the message that say so."""
    text = simplified(cues.text)  # sources may be asked for in a language, and not the answer
    languages = tuple(code for code, words in SOURCES.items() if words.found(text))
    why: dict[str, Any] = {}
    span = None
    if cues.times:
        # Several times are one stretch that holds them all: "compare May with last week".
        span = TimeRange(
            since=None
            if any(map(open_start, cues.times))
            else min(one.since for one in cues.times),
            until=max(one.until for one in cues.times),
        )
        why["time_range"] = [one.words for one in cues.times]
    if cues.scopes:
        why["source_uri_prefix"] = list(cues.scopes)
    if languages:
        why["language"] = list(languages)
    prefixes: dict[str, None] = {}
    for scope in cues.scopes:
        is_site = "://" not in scope and any(one.kind == "url" for one in find_entities(scope))
        spelt = [scope, f"https://{scope}", f"http://{scope}"] if is_site else [scope]
        prefixes |= dict.fromkeys(spelt)  # what the addresses in a scope begin with
    filters = Filters(source_uri_prefix=tuple(prefixes), language=languages, time_range=span)
    return filters, why


_TOPICS: Final = 4
_ATTRIBUTES: Final = 2
_WORDS: Final = 8
_MOST_ALIKE: Final = 40
_ASKED: Final = 500  # characters of a message in which its question is looked for
_CLAUSE: Final = pattern(
    r"[，,;；。！？!?\n]+|\.\s|\s(?:and|or|but|then)\s|以及|还有|并且|或者|另外|然后|[和与及或]"
)
# "What is left?" holds no word of a task that is `todo`, nor 介绍一下我 one of a profile.
_OF_USER: Final = (
    (listed_in_both(__file__, "PERSON"), "profile name role employer home pref goal"),
    (listed_in_both(__file__, "TASKS"), "task todo doing blocked"),
)
_LEAST, _SUREST = 0.5, 0.8  # what the sorts of queries weigh among each other


class Expansion(NamedTuple):
    """A query, and the cue that it came from."""

    cue: str
    query: PlanQuery


def expand(cues: Cues, rules: QueryExpansionRules) -> list[Expansion]:
    """Return the queries of a message: itself, then what widens it; none where it is empty."""
    if not cues.text.strip():
        return []
    message = _of_message(cues, QueryMode.HYBRID, 1.0)
    if not rules.enabled:
        return [message]
    found = {cues.text.casefold(): message}
    by_sort = zip_longest(
        *(
            [
                Expansion(cue, PlanQuery(text=text, mode=mode, weight=weight))
                for text in texts
                if text.strip()
            ]
            for cue, mode, weight, texts in _sorts(cues)
        )
    )
    for one in (one for turn in by_sort for one in turn if one):
        if len(found) >= rules.max_queries:
            break
        found.setdefault(one.query.text.casefold(), one)
    # A message of a word or two has nothing else to offer than itself, matched in other ways.
    again = (_of_message(cues, QueryMode.EXACT, 0.6), _of_message(cues, QueryMode.SEMANTIC, 0.5))
    _, *further = found.values()
    further += again[: max(0, rules.min_queries - len(found))]
    reach = rules.max_weight - rules.min_weight
    for place, one in enumerate(further):
        weight = rules.min_weight + (one.query.weight - _LEAST) / (_SUREST - _LEAST) * reach
        further[place] = one._replace(query=replace(one.query, weight=round(weight, 3)))
    return [message, *sorted(further, key=lambda one: -one.query.weight)]


def _of_message(cues: Cues, mode: QueryMode, weight: float) -> Expansion:
    return Expansion("message", PlanQuery(text=cues.text, mode=mode, weight=weight))


def _sorts(cues: Cues) -> list[tuple[str, QueryMode, float, Iterable[str]]]:
    """Return the ways to widen a search: the cue of each, how it is matched, what it counts."""
    asked = cues.attributes[:_ATTRIBUTES] if cues.asking >= ASKING else ()
    of_user = [words for sort, words in _OF_USER if sort.found(cues.text[:_ASKED])]
    return [
        ("codes", QueryMode.EXACT, 0.8, cues.codes),
        ("phrases", QueryMode.EXACT, 0.8, cues.phrases),
        ("referred", QueryMode.HYBRID, 0.8, cues.referred),
        ("keywords", QueryMode.HYBRID, 0.7, [" ".join(cues.keywords)]),
        ("entities", QueryMode.HYBRID, 0.7, cues.entities),
        ("aliases", QueryMode.HYBRID, 0.6, _aliases(cues)),
        ("attributes", QueryMode.HYBRID, 0.5, [" ".join(asked).replace("_", " ")]),
        ("own", QueryMode.HYBRID, 0.5, of_user),
        ("twins", QueryMode.HYBRID, 0.8, [_twins(cues)]),
        ("topics", QueryMode.HYBRID, 0.6, _topics(cues)),
    ]


def _aliases(cues: Cues) -> list[str]:
    """Return the other names of what is named or referred to."""
    named = {*cues.entities, *cues.referred}
    known = [
        *find_entities(cues.text),
        *(one for name in cues.referred for one in entities_of(name)),
    ]
    aliases = (alias for one in known if one.canonical in named for alias in one.aliases)
    return list(dict.fromkeys(aliases))


def _topics(cues: Cues) -> list[str]:
    """Return the content words of each clause, where there are several with any."""
    clauses = islice(_CLAUSE.split(cues.text), 4 * _TOPICS)
    topics = [words for one in clauses if (words := " ".join(keywords_of(one, _WORDS)))]
    return topics[:_TOPICS] if len(topics) > 1 else []


def _twins(cues: Cues) -> str:
    """Return the words of the other language for what a message names."""
    words = (word for one in find_synonyms(cues.text[:_ASKED]) for word in one.other)
    # A character alone is in too many words, but for what people say as one: 猫.
    told = (word for word in words if len(word) > 1 or nouns_of_one([word]))
    return " ".join(islice(dict.fromkeys(told), _MOST_ALIKE))
