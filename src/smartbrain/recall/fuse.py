"""One order out of what the arms found: calibrated signals, weighed and added (R3, R6).

In: hits by arm and the rows behind them. Out: memories ranked, each with every signal that speaks
for it. Scores of an arm are brought to 0 to 1 within one question, because arms count in different
units; ranks are not used, for they forget how far the best stands out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

from smartbrain.domain.evidence import Signals
from smartbrain.domain.recalled import Ranked
from smartbrain.recall.gather import ATTRIBUTES, DAYS, EXACT, GRAPH, LABELS, RAW, TEXT, TIME, VECTOR
from smartbrain.recall.node_weight import NodeWeights, days_since
from smartbrain.recall.relevance import other_words, telling_terms
from smartbrain.recall.replaced import Since
from smartbrain.recall.settle import Settling
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
_NOISE: Final = 0.09  # of the way from the mean cosine to the best says nothing yet
_NEWS: Final = 0.5  # as much as the graph has to say beyond the others, to be counted in full
_ON_THE_DAY: Final = 0.5  # what bearing a day that is asked for counts, as words in common
_HOLDS: Final = 0.6  # at least, of what holds a code or a phrase of the message as it stands
_BESIDE_IT: Final = 0.45  # what the words of a turn count that only stands beside such a one
_READ: Final = 2_000  # characters of a text that its coverage is measured on


def calibrated(
    found: Mapping[str, Sequence[Scored]], *, time_alone: bool = False, beyond: bool = True
) -> dict[str, dict[int, float]]:
    """Return the hits of each arm by number, from 0 to 1.

    Within a time the same words are looked for as anywhere, and count the same; where a message
    asks for nothing but a time (`time_alone`) what was said then counts by itself. Of the graph
    that counts which the others do not tell (`beyond`), or all.
    """
    texts = () if time_alone else found.get(TEXT, ())
    best = max([score for _, score in texts], default=0.0)
    signals = {
        name: _above_mean(hits)
        if name.startswith(VECTOR)
        else _of_best(hits, best if name == TIME else 0.0)
        for name, hits in found.items()
    }
    if beyond and GRAPH in signals:
        signals[GRAPH] = _beyond(signals)
    return signals


def fuse(
    rows: Sequence[RecalledRow],
    signals: Mapping[str, Mapping[int, float]],
    cues: Cues,
    *,
    since: Since | None = None,
    now: datetime,
    types: TypeRegistry,
    rules: RecallRules,
) -> list[Ranked]:
    """Return memories ranked, ties by the lower number, as the indexes have them."""
    weights: ScoreRules = getattr(rules.profiles, rules.profile)
    sources = _Sources(rows, signals, cues)
    said = _exactly(_said(signals, weights.raw), signals.get(EXACT, {}), rows)
    vectors, graph, covered = sources.vectors, sources.graph, sources.covered
    on_the_day, told = signals.get(DAYS, {}), signals.get(ATTRIBUTES, {})
    favour = _Favour(cues, rules)
    node = NodeWeights(now, types=types, rules=rules.node_weight)
    fades, timed = rules.recency_days, bool(cues.times)
    scored = []
    for row in rows:
        num = row.num
        vector = max([hits.get(num, 0.0) for hits in vectors]) if vectors else 0.0
        age = days_since(row.said_at, now)
        recency = math.exp(-age / fades) if fades else 0.0
        weight = node.of(row, age)
        timely = num in on_the_day or (timed and favour.timely(row))
        score = (
            weights.text * said.get(num, 0.0)
            + weights.vector * vector
            + weights.graph * graph.get(num, 0.0)
            + weights.weight * weight
            + weights.recency * recency
            + weights.coverage * covered.get(num, 0.0)
            + weights.attributes * told.get(num, 0.0)
        ) * favour.of(row, timely)
        scored.append((score, row, (sources, vector, recency, timely, weight)))
    settling = Settling(scored, since or Since(), covered=covered, boost=rules.feedback_boost)
    order = [
        (-settling.of(score, row, leans=row.num not in on_the_day), row.num, row, parts)
        for score, row, parts in scored
    ]
    order.sort(key=itemgetter(0, 1))
    return [
        _fused((row, -lost, parts, sources, said.get(row.num, 0.0)))
        for lost, _, row, parts in order
    ]


class _Sources:
    """What speaks for the memories of one question, by number."""

    def __init__(
        self, rows: Sequence[RecalledRow], signals: Mapping[str, Mapping[int, float]], cues: Cues
    ) -> None:
        self.by_name = signals
        self.text, self.graph = signals.get(TEXT, {}), signals.get(GRAPH, {})
        self.vectors = [
            _with_neighbours(rows, hits)
            for name, hits in signals.items()
            if name.startswith(VECTOR)
        ]
        self.covered = _coverage(rows, cues)

    @cached_property
    def ranks(self) -> tuple[dict[int, int], dict[int, int]]:
        """The places by text and by meaning."""
        return _ranks(self.text), _ranks(max(self.vectors, key=len, default={}))


class _Fused(Ranked):
    """A memory whose signals are put together when somebody looks: most are never shown."""

    __slots__ = ()

    @property
    def signals(self) -> Signals:
        held: tuple[Any, ...] = self
        sources, vector, recency, timely, weight = held[2]
        num = self.row.num
        ranks = sources.ranks
        return Signals(
            fts_score=sources.text.get(num),
            fts_rank=ranks[0].get(num),
            vector_score=vector or None,
            vector_rank=ranks[1].get(num) if vector else None,
            graph_score=sources.graph.get(num),
            recency_score=recency,
            coverage_score=sources.covered.get(num),
            time_score=1.0 if timely else None,
            weight_score=weight,
        )

    @property
    def found_by(self) -> tuple[str, ...]:
        held: tuple[Any, ...] = self
        num = self.row.num
        return tuple([name for name, hits in held[3].by_name.items() if num in hits])


_fused: Final = partial(tuple.__new__, _Fused)  # a hundred at a time


def _said(signals: Mapping[str, Mapping[int, float]], share: float) -> Mapping[int, float]:
    """Return how well each memory holds the words, in its text or in what leads to it."""
    said = signals.get(TEXT, {})
    for name, counts in ((TIME, 1.0), (DAYS, _ON_THE_DAY), (RAW, share), (LABELS, share)):
        hits = signals.get(name)
        if hits:
            said = dict(said)
            for num, score in hits.items():
                said[num] = max(said.get(num, 0.0), counts * score)
    return said


def _exactly(
    said: Mapping[int, float], held: Mapping[int, float], rows: Sequence[RecalledRow]
) -> Mapping[int, float]:
    """Return how well memories hold the words where some hold a code or a phrase as it stands.

    Those come before the turns around them, which are found by the same words and are often
    shorter, and so seem to be about nothing else.
    """
    if not held:
        return said
    beside = {
        row.num: _BESIDE_IT * said.get(row.num, 0.0)
        for row in rows
        if row.type == _EPISODES and row.num not in held
    }
    holding = {num: max(_HOLDS, said.get(num, 0.0)) for num in held}
    return {**said, **beside, **holding}


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
    """By how much it counts who said something, when and of which place, for one question."""

    def __init__(self, cues: Cues, rules: RecallRules) -> None:
        self._cues = cues
        self._rules = rules
        self._factors: dict[bool, dict[tuple[str, ...], float]] = {False: {}, True: {}}

    def timely(self, row: RecalledRow) -> bool:
        """Tell whether something was said in a time that the message speaks of."""
        return any(one.since <= row.said_at < one.until for one in self._cues.times)

    def of(self, row: RecalledRow, timely: bool) -> float:
        """Return the factor of a memory."""
        known, speakers = self._factors[timely], row.speakers
        if speakers not in known:
            known[speakers] = self._factor(speakers, timely)
        factor, scopes = known[speakers], self._cues.scopes
        if scopes and any(one in row.text or _begins(row.entities, one) for one in scopes):
            factor *= self._rules.scope_boost
        return factor

    def _factor(self, speakers: tuple[str, ...], timely: bool) -> float:
        rules = self._rules
        factor = rules.time_boost if timely else 1.0
        if speakers == (_ASSISTANT,):
            factor *= rules.user_boost if self._cues.assistant else 1 / rules.user_boost
        named = any(_is_named(one, self._cues) for one in speakers)
        return factor * rules.speaker_boost if named else factor


def _begins(names: Sequence[str], scope: str) -> bool:
    """Tell whether one of the names lies in a folder or on a site."""
    return any(name.startswith(scope) for name in names)


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
    """Return how much of what is asked each text says itself; a rare word counts more.

    Other words for the same count as its own, in either language.
    """
    # A stem is the beginning of most of its forms, so it is looked for in the uncut text.
    # Sorted, for sums of floats tell in which order they were added.
    terms = telling_terms(cues.text) or index_terms(cues.text[:_READ])
    alike = other_words(cues.text, terms)
    forms = {term: (term, *alike.get(term, ())) for term in sorted(set(terms))}
    texts = [row.text[:_READ].lower() for row in rows]
    holding = {term: _holding(texts, told) for term, told in forms.items()}
    rarity = {term: math.log(1 + len(rows) / (len(holding[term]) or 0.5)) for term in forms}
    total = sum(rarity.values())
    if not total:
        return {}
    held = [0.0] * len(rows)
    for term, places in holding.items():
        counts = rarity[term]
        for place in places:
            held[place] += counts
    return {row.num: one / total for row, one in zip(rows, held, strict=True)}


def _holding(texts: Sequence[str], told: Sequence[str]) -> list[int]:
    """Return the places of the texts that hold one of some words."""
    latin = [one for one in told if one.isascii()]
    places = []
    for place, text in enumerate(texts):
        for one in latin if text.isascii() else told:
            if one in text:
                places.append(place)
                break
    return places


def _of_best(hits: Sequence[Scored], best: float = 0.0) -> dict[int, float]:
    """Return scores as shares of the best one, here or where the same query found more."""
    best = best or max([score for _, score in hits], default=0.0)
    return {num: score / best for num, score in hits} if best > 0 else {}


def _beyond(signals: Mapping[str, Mapping[int, float]]) -> dict[int, float]:
    """Return how near memories are in the graph, beyond what their words and meaning tell.

    The walk begins at what was found by those: its best are near themselves, which says nothing
    that has not been counted.
    """
    text = signals.get(TEXT, {})
    vectors = [hits for name, hits in signals.items() if name.startswith(VECTOR)]
    near = {}
    for num, score in signals[GRAPH].items():
        told = text.get(num, 0.0)
        if vectors:
            told = (told + max([hits.get(num, 0.0) for hits in vectors])) / 2
        near[num] = max(0.0, score - told)
    most = max(_NEWS, *near.values()) if near else 1.0
    return {num: score / most for num, score in near.items()}


def _above_mean(hits: Sequence[Scored]) -> dict[int, float]:
    """Return cosines by how far they stand above the mean of what was found, and a little more."""
    if not hits:
        return {}
    scores = [score for _, score in hits]
    mean, best = sum(scores) / len(scores), max(scores)
    least = mean + _NOISE * (best - mean)
    if best - least <= 0:
        return {hit.num: 1.0 for hit in hits}
    return {num: max(0.0, (score - least) / (best - least)) for num, score in hits}
