"""The plan of a recall: which queries, within which limits, ranked how.

In: cues, the rules of recall, and how many items are wanted. Out: a `RetrievalPlan` that our own
arms and any resource backend can follow. Its filters are what the message asked for and nothing
else; `debug` tells which cue each query and each filter came from. Among memories they weigh, for
what answers may have been told at another time or without its place: `not_followed` says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any, Final

from smartbrain.domain.plan import (
    Filters,
    Fusion,
    FusionMethod,
    PlanBudget,
    PlanOutput,
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
from smartbrain.recall.cue_times import open_start
from smartbrain.recall.cue_words import languages_asked, simplified
from smartbrain.recall.expand import expand
from smartbrain.text.entities import find_entities

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
    """Return how to retrieve for a message; the same cues and rules give the same plan.

    Args:
        cues: what the message gives to look for.
        request_id: what the plan is filed under.
        rules: the rules of recall; the weights are those of the profile in use.
        k: how many items are wanted; never more than `rules.max_k`.
        expansion: how far the message is widened.
    """
    expansions = expand(cues, expansion)
    top_k = max(1, min(k, rules.max_k))
    filters, why = _filters(cues)
    weights: ScoreRules = getattr(rules.profiles, rules.profile)
    return RetrievalPlan(
        request_id=request_id,
        purpose=_purpose(cues.intent),
        queries=tuple(one.query for one in expansions),
        global_filters=filters,
        budget=PlanBudget(
            top_k=top_k,
            candidate_k=max(CANDIDATES, top_k),
            per_mode_k={mode: max(least, top_k) for mode, least in _FEWEST_BY_MODE.items()},
        ),
        ranking=Ranking(fusion=Fusion(method=FusionMethod.WEIGHTED_SUM, weights=_by_name(weights))),
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


def _by_name(weights: ScoreRules) -> dict[str, float]:
    return {one.name: getattr(weights, one.name) for one in fields(weights)}


def _purpose(intent: Intent) -> Purpose:
    return Purpose.OTHER if intent is Intent.CHIT_CHAT else Purpose(intent.value)


def _filters(cues: Cues) -> tuple[Filters, dict[str, Any]]:
    """Return what hits must satisfy, and the words of the message that say so."""
    languages = languages_asked(simplified(cues.text))
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
    prefixes = dict.fromkeys(prefix for scope in cues.scopes for prefix in _prefixes(scope))
    filters = Filters(source_uri_prefix=tuple(prefixes), language=languages, time_range=span)
    return filters, why


def _prefixes(scope: str) -> Iterator[str]:
    """Yield what the addresses in a scope begin with: a site is written with its scheme or not."""
    yield scope
    if "://" not in scope and any(one.kind == "url" for one in find_entities(scope)):
        yield f"https://{scope}"
        yield f"http://{scope}"
