"""The arm that follows relations: from what is named and found to what is tied to it (R3).

In: seeds with weights. Out: numbers with the PageRank that reaches them. Names of a message are
seeds through the keys of their entities and concepts, so that the graph also answers alone; a name
that is no entity's own is looked for among what entities are also called.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final, cast

from msgspec.structs import replace

from smartbrain.domain.graph import EdgeType
from smartbrain.domain.graph_search import GraphLayer, Spread
from smartbrain.domain.keys import segment_text
from smartbrain.domain.memory import Status
from smartbrain.domain.policy_recall import GraphRules
from smartbrain.domain.recall import Cues
from smartbrain.domain.recalled import RecalledRow
from smartbrain.domain.search import IndexFilter, Scored
from smartbrain.ports.truth import Truth
from smartbrain.recall.arms.attribute import MOST_FOUND
from smartbrain.recall.arms.text import search_text
from smartbrain.recall.request import Question
from smartbrain.recall.views.follow import Follower
from smartbrain.text.entity_words import named_things
from smartbrain.text.query import text_query

_KINDS: Final = ("person", "org", "repo", "file", "url", "topic", "place", "object", "other")
_MOST_NAMES: Final = 24
_ENTITIES: Final = "entities"
_ALIKE: Final = 32  # entities whose names are looked at for those of a message
_LOOKED_AT: Final = 500  # the newest, where there is no text index


def find_named(cues: Cues, *, truth: Truth) -> tuple[dict[int, float], frozenset[str]]:
    """Return the nodes of what a message names, with how much each counts as a seed."""
    weights: dict[str, float] = {}
    groups = ((cues.entities, 1.0), (cues.referred, 1.0), (cues.codes, 1.0), (cues.keywords, 0.3))
    for names, weight in groups:
        for name in names:
            for spelt in (name, name.lower(), *sorted(first for _, first in named_things(name))):
                weights.setdefault(segment_text(spelt), weight)
    keys = {
        key: weight
        for name, weight in list(weights.items())[:_MOST_NAMES]
        for key in (f"concept:{name}", *(f"entity:{kind}:{name}" for kind in _KINDS))
    }
    if not keys:
        return {}, frozenset()
    called = {_folded(name) for name in (*cues.entities, *cues.referred)}
    with truth.read() as rows:
        known = rows.recalled.keyed(list(keys))
        sure = sorted(
            num for key, num in known.items() if keys[key] == 1 and key.startswith("entity:")
        )
        own = rows.recalled.rows(sure) if called else []
    remembered = (_names(row) for row in own if row.status is Status.ACTIVE)
    seeds = {num: keys[key] for key, num in known.items()}
    return seeds, frozenset(called.difference(*remembered))


def find_owners(
    names: Collection[str], *, follower: Follower | None, truth: Truth
) -> tuple[dict[int, float], tuple[str, ...]]:
    """Return the entities that also go by some names, as seeds, and their other names."""
    alike: list[int] = []
    if follower is not None:
        query = text_query("", expansions=[(name, 1.0) for name in sorted(names)])
        only = IndexFilter(types=(_ENTITIES,), statuses=(Status.ACTIVE.value,))
        alike = [hit.num for hit in search_text(query, only, follower=follower, k=_ALIKE)]
    with truth.read() as rows:
        if follower is None:
            read = rows.recalled.standing((_ENTITIES,), limit=_LOOKED_AT)
        else:
            read = rows.recalled.rows(sorted(alike))
    found = {
        row.num: called for row in read if not (called := _names(row)).keys().isdisjoint(names)
    }
    others = {name: None for called in found.values() for name in called.values()}
    return dict.fromkeys(found, 1.0), tuple(name for name in others if _folded(name) not in names)


def _names(row: RecalledRow) -> dict[str, str]:
    """Return all that an entity is called, as it is compared and as it is written."""
    if row.type != _ENTITIES:
        return {}
    value = row.value
    first = value.get("name") or value["canonical"].replace("_", " ")
    return {_folded(name): name for name in (first, *value.get("aliases", ()))}


def _folded(name: str) -> str:
    return segment_text(name).casefold()


def search_labels(question: Question) -> list[Scored]:
    """Return memories by their keywords alone, the newest first, where no text index answers."""
    cues = question.cues
    labels = [*cues.keywords, *cues.entities, *cues.referred, *cues.codes]
    if not labels:
        return []
    with question.ports.truth.read() as rows:
        nums = rows.recalled.labelled(labels, limit=MOST_FOUND)
    return [Scored(num, 1.0 - place / (len(nums) + 1)) for place, num in enumerate(nums)]


def spread(
    seeds: Mapping[int, float], *, follower: Follower, hops: int, rules: GraphRules, k: int
) -> list[Scored]:
    """Return what activation reaches from seeds."""
    return follower.graph().spread(seeds, _how(hops, rules, k))


def spread_over_concepts(
    seeds: Mapping[int, float], *, follower: Follower, hops: int, rules: GraphRules, k: int
) -> tuple[list[Scored], bool]:
    """Let activation pass between concepts first; return what it reaches, and if there are any."""
    index, how = follower.graph(), _how(hops, rules, k)
    reached = dict(index.spread(seeds, replace(how, layer=GraphLayer.CONCEPTS)))
    there = reached.keys() != seeds.keys() or GraphLayer.CONCEPTS.name in index.stats().by_layer
    return index.spread(reached if there else seeds, how), there


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
