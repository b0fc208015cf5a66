"""One order out of what the arms found: calibrated signals, weighed and added (R3, R6).

In: hits by arm and the rows behind them. Out: memories ranked, each with every signal that speaks
for it. Scores of an arm are brought to 0 to 1 within one question, because arms count in different
units; ranks are not used, for they forget how far the best stands out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from smartbrain.domain.evidence import Signals
from smartbrain.domain.recalled import Ranked
from smartbrain.recall.gather import GRAPH, LABELS, RAW, TEXT, TIME, VECTOR
from smartbrain.recall.node_weight import NodeWeights, days_since
from smartbrain.text.tokenise import index_terms

if TYPE_CHECKING:
    from datetime import datetime

    from smartbrain.domain.policy_recall import RecallRules, ScoreRules
    from smartbrain.domain.recall import Cues
    from smartbrain.domain.recalled import RecalledRow
    from smartbrain.domain.search import Scored
    from smartbrain.domain.types import TypeRegistry

_ASSISTANT: Final = "assistant"
_EPISODES: Final = "episodes"
_BESIDE: Final = (0.2, 0.1)  # what the turns one and two away count
_READ: Final = 2_000  # characters of a text that its coverage is measured on


def calibrated(found: Mapping[str, Sequence[Scored]]) -> dict[str, dict[int, float]]:
    """Return the hits of each arm by number, from 0 to 1."""
    best = max([score for _, score in found.get(TEXT, ())], default=0.0)
    return {
        name: _above_mean(hits)
        if name.startswith(VECTOR)
        else _of_best(hits, best if name == TIME else 0.0)
        for name, hits in found.items()
    }


def fuse(
    rows: Sequence[RecalledRow],
    signals: Mapping[str, Mapping[int, float]],
    cues: Cues,
    *,
    now: datetime,
    types: TypeRegistry,
    rules: RecallRules,
) -> list[Ranked]:
    """Return memories ranked, ties by id."""
    weights: ScoreRules = getattr(rules.profiles, rules.profile)
    text, time, graph = (signals.get(name, {}) for name in (TEXT, TIME, GRAPH))
    raw, labels = (signals.get(name, {}) for name in (RAW, LABELS))
    vectors = [
        _with_neighbours(rows, hits) for name, hits in signals.items() if name.startswith(VECTOR)
    ]
    ranks = _ranks(text), _ranks(max(vectors, key=len, default={}))
    covered = _coverage(rows, cues)
    favour = _Favour(cues, rules)
    node = NodeWeights(now, types=types, rules=rules.node_weight)
    by_name = list(signals.items())
    ranked = []
    for row in rows:
        num = row.num
        vector = max([hits.get(num, 0.0) for hits in vectors]) if vectors else 0.0
        age = days_since(row.said_at, now)
        recency = math.exp(-age / rules.recency_days) if rules.recency_days else 0.0
        weight = node.of(row, age)
        timely = favour.timely(row)
        fts, near, cover = text.get(num), graph.get(num), covered.get(num)
        score = (
            weights.text
            * max(
                fts or 0.0,
                time.get(num, 0.0),
                weights.raw * raw.get(num, 0.0),
                weights.raw * labels.get(num, 0.0),
            )
            + weights.vector * vector
            + weights.graph * (near or 0.0)
            + weights.weight * weight
            + weights.recency * recency
            + weights.coverage * (cover or 0.0)
        )
        found = Signals(
            fts_score=fts,
            fts_rank=ranks[0].get(num),
            vector_score=vector or None,
            vector_rank=ranks[1].get(num) if vector else None,
            graph_score=near,
            recency_score=recency,
            coverage_score=cover,
            time_score=1.0 if timely else None,
            weight_score=weight,
        )
        by = tuple([name for name, hits in by_name if num in hits])
        ranked.append(Ranked(row, score * favour.of(row, timely), found, by))
    return sorted(ranked, key=lambda one: (-one.score, one.row.id))


def _ranks(scores: Mapping[int, float]) -> dict[int, int]:
    """Return places by score, the best first."""
    order = sorted([(-score, num) for num, score in scores.items()])
    return {num: place for place, (_, num) in enumerate(order, 1)}


def _with_neighbours(rows: Sequence[RecalledRow], hits: Mapping[int, float]) -> dict[int, float]:
    """Return how near episodes are in meaning, the turns beside them counting along.

    A short turn means little by itself: what it answers and what answers it tell what it is about.
    """
    at = {
        (row.session_id, row.seq): hits.get(row.num, 0.0)
        for row in rows
        if row.type == _EPISODES and row.seq is not None
    }
    near = {}
    for row in rows:
        own = hits.get(row.num, 0.0)
        if row.type == _EPISODES and row.seq is not None:
            for distance, share in enumerate(_BESIDE, 1):
                for seq in (row.seq - distance, row.seq + distance):
                    own += share * at.get((row.session_id, seq), 0.0)
        near[row.num] = own
    best = max(near.values(), default=0.0)
    return {num: score / best for num, score in near.items()} if best else {}


class _Favour:
    """By how much it counts who said something and when, for one question."""

    def __init__(self, cues: Cues, rules: RecallRules) -> None:
        self._cues = cues
        self._rules = rules
        self._named: dict[tuple[str, ...], bool] = {}

    def timely(self, row: RecalledRow) -> bool:
        """Tell whether something was said in a time that the message speaks of."""
        times = self._cues.times
        return bool(times) and any(one.since <= row.said_at < one.until for one in times)

    def of(self, row: RecalledRow, timely: bool) -> float:
        """Return the factor of a memory."""
        rules, speakers = self._rules, row.speakers
        factor = rules.time_boost if timely else 1.0
        if speakers == (_ASSISTANT,):
            factor *= rules.user_boost if self._cues.assistant else 1 / rules.user_boost
        if speakers not in self._named:
            self._named[speakers] = any(_is_named(one, self._cues) for one in speakers)
        return factor * rules.speaker_boost if self._named[speakers] else factor


def _is_named(speaker: str, cues: Cues) -> bool:
    """Tell whether a message names somebody who speaks, by a word of its own."""
    name, text = speaker.casefold(), cues.text.casefold()
    place = text.find(name)
    while place >= 0:
        before, after = text[max(0, place - 1) : place], text[place + len(name) :][:1]
        if not _goes_on(before, name[0]) and not _goes_on(after, name[-1]):
            return True
        place = text.find(name, place + 1)
    return any(name == one.casefold() for one in cues.referred)


def _goes_on(one: str, other: str) -> bool:
    """Tell whether two characters may be of one word; scripts without blanks have none."""
    return one.isalnum() and one.isascii() and other.isascii()


def _coverage(rows: Sequence[RecalledRow], cues: Cues) -> dict[int, float]:
    """Return how much of what is asked each text says itself; a rare word counts more."""
    # A stem is the beginning of most of its forms, so it is looked for in the uncut text.
    # Sorted, for sums of floats tell in which order they were added.
    asked = sorted(set(index_terms(cues.text[:_READ])))
    held = {}
    count = dict.fromkeys(asked, 0)
    for row in rows:
        text = row.text[:_READ].lower()
        held[row.num] = terms = [term for term in asked if term in text]
        for term in terms:
            count[term] += 1
    rarity = {term: math.log(1 + len(rows) / (count[term] or 0.5)) for term in asked}
    total = sum(rarity.values())
    if not total:
        return {}
    return {num: sum([rarity[term] for term in terms]) / total for num, terms in held.items()}


def _of_best(hits: Sequence[Scored], best: float = 0.0) -> dict[int, float]:
    """Return scores as shares of the best one, here or where the same query found more."""
    best = best or max([score for _, score in hits], default=0.0)
    return {num: score / best for num, score in hits} if best > 0 else {}


def _above_mean(hits: Sequence[Scored]) -> dict[int, float]:
    """Return cosines by how far they stand above the mean of what was found."""
    if not hits:
        return {}
    scores = [score for _, score in hits]
    mean, best = sum(scores) / len(scores), max(scores)
    if best - mean <= 0:
        return {hit.num: 1.0 for hit in hits}
    return {num: max(0.0, (score - mean) / (best - mean)) for num, score in hits}
