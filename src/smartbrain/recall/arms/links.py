"""The arm that follows relations: from what is named and found to what is tied to it (R3).

In: seeds with weights. Out: numbers with the PageRank that reaches them. Names of a message are
seeds through the keys of their entities and concepts, so that the graph also answers alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, cast

from smartbrain.domain.graph_search import GraphLayer, Spread
from smartbrain.domain.keys import segment_text
from smartbrain.domain.search import Scored

if TYPE_CHECKING:
    from smartbrain.domain.graph import EdgeType
    from smartbrain.domain.policy_recall import GraphRules
    from smartbrain.domain.recall import Cues
    from smartbrain.ports.graph_index import GraphIndex
    from smartbrain.ports.truth import Truth
    from smartbrain.recall.views.follow import Follower
    from smartbrain.recall.views.links import GraphView

_KINDS: Final = ("person", "org", "repo", "file", "url", "topic", "place", "object", "other")
_MOST_NAMES: Final = 24


def named(cues: Cues, *, truth: Truth) -> dict[int, float]:
    """Return the nodes of what a message names, with how much each counts as a seed."""
    weights: dict[str, float] = {}
    groups = ((cues.entities, 1.0), (cues.referred, 1.0), (cues.codes, 1.0), (cues.keywords, 0.3))
    for names, weight in groups:
        for name in names:
            for spelt in (name, name.lower()):
                weights.setdefault(segment_text(spelt), weight)
    keys = {
        key: weight
        for name, weight in list(weights.items())[:_MOST_NAMES]
        for key in (f"concept:{name}", *(f"entity:{kind}:{name}" for kind in _KINDS))
    }
    if not keys:
        return {}
    with truth.read() as rows:
        return {num: keys[key] for key, num in rows.recalled.keyed(list(keys)).items()}


def labelled(cues: Cues, *, truth: Truth, k: int) -> list[Scored]:
    """Return memories by their keywords alone, the newest first, where no text index answers."""
    words = [*cues.keywords, *cues.entities, *cues.referred, *cues.codes]
    if not words:
        return []
    with truth.read() as rows:
        nums = rows.recalled.labelled(words, limit=k)
    return [Scored(num, 1.0 - place / (len(nums) + 1)) for place, num in enumerate(nums)]


def spread(
    seeds: Mapping[int, float], *, follower: Follower, hops: int, rules: GraphRules, k: int
) -> list[Scored]:
    """Return what activation reaches from seeds."""
    return _index(follower).spread(seeds, _how(hops, rules, k))


def spread_over_concepts(
    seeds: Mapping[int, float], *, follower: Follower, hops: int, rules: GraphRules, k: int
) -> tuple[list[Scored], bool]:
    """Let activation pass between concepts first; return what it reaches, and if there are any."""
    index, how = _index(follower), _how(hops, rules, k)
    reached = dict(index.spread(seeds, replace(how, layer=GraphLayer.CONCEPTS)))
    there = reached.keys() != seeds.keys() or GraphLayer.CONCEPTS.name in index.stats().by_layer
    return index.spread(reached if there else seeds, how), there


def _index(follower: Follower) -> GraphIndex:
    return cast("GraphView", follower.get("graph")).index


def _how(hops: int, rules: GraphRules, k: int) -> Spread:
    return Spread(
        hops=hops,
        degree_cap=rules.degree_cap,
        type_weights=cast("Mapping[EdgeType, float]", rules.edge_weights),  # types are texts
        limit=k,
    )


def seeds_of(
    names: Mapping[int, float], found: Sequence[Sequence[Scored]], *, most: int
) -> dict[int, float]:
    """Return where to begin: what is named, and the best of what each arm found."""
    seeds = dict(names)
    for hits in found:
        best = hits[0].score if hits else 0.0
        for hit in hits[:most]:
            if hit.score > 0:
                seeds[hit.num] = max(seeds.get(hit.num, 0.0), hit.score / best)
    return seeds
