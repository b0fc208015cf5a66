"""One order out of what the arms found: calibrated signals, weighed and added (R3, R6).

In: hits by arm and the rows behind them. Out: memories ranked, each with every signal that speaks
for it. Scores of an arm are brought to 0 to 1 within one question, because arms count in different
units; ranks are not used, for they forget how far the best stands out.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from smartbrain.domain.evidence import Signals
from smartbrain.domain.policy_recall import NodeWeightRules, RecallRules, ScoreRules
from smartbrain.domain.recall import Cues
from smartbrain.domain.recalled import Ranked, RecalledRow
from smartbrain.domain.search import Scored
from smartbrain.domain.types import TypeRegistry
from smartbrain.recall.cue_match import whole_word
from smartbrain.recall.gather import (
    ATTRIBUTES,
    DAYS,
    EXACT,
    FACTS,
    GRAPH,
    LABELS,
    RAW,
    SESSIONS,
    TEXT,
    TIME,
    VECTOR,
)
from smartbrain.recall.relevance import is_chinese, other_words, telling_terms
from smartbrain.text.pattern import pattern
from smartbrain.text.tokenise import index_terms

Scores = Mapping[int, float]
"""From 0 to 1, by the number of a memory."""
_ASSISTANT: Final = "assistant"
_EPISODES: Final = "episodes"
_BESIDE: Final = (0.2, 0.1)  # what the turns one and two away count
_NOISE: Final = 0.09  # of the way from the mean cosine to the best says nothing yet
_NEWS: Final = 0.5  # as much as the graph has to say beyond the others, to be counted in full
_ON_THE_DAY: Final = 0.5  # what bearing a day that is asked for counts, as words in common
_HOLDS: Final = 0.6  # at least, of what holds a code or a phrase of the message as it stands
_BESIDE_IT: Final = 0.45  # what the words of a turn count that only stands beside such a one
_ABOVE: Final = 1.02  # of an outdated turn's score, that of what stands in the place of its answer
_REPLY: Final = 0.25  # what a reply gains of the score of the turn that asks
_END: Final = 200  # characters at the end of a turn in which it asks
_ASKS: Final = pattern("[?？]")
_READ: Final = 2_000  # characters of a text that its coverage is measured on
_DAY: Final = 86_400.0
_OFTEN: Final = math.log(1 + 100)
_TAU: Final = 90.0  # days, of a type whose kind is not known


def calibrate(
    found: Mapping[str, Sequence[Scored]], *, time_alone: bool = False, beyond: bool = True
) -> dict[str, dict[int, float]]:
    """Return the hits of each arm by number, from 0 to 1.

    Within a time and among facts the same words are looked for as anywhere, and count the same;
    where a message asks for nothing but a time (`time_alone`) what was said then counts by itself.
    Of the graph that counts which the others do not tell (`beyond`), or all.
    """
    best = max([score for _, score in found.get(TEXT, ())], default=0.0)
    bests = {TIME: 0.0 if time_alone else best, FACTS: best}
    signals = {
        name: _above_mean(hits) if name.startswith(VECTOR) else _of_best(hits, bests.get(name, 0.0))
        for name, hits in found.items()
    }
    if facts := signals.pop(FACTS, {}):
        signals[TEXT] = {**facts, **signals.get(TEXT, {})}
    if beyond and GRAPH in signals:
        signals[GRAPH] = _beyond_others(signals)
    return signals


def fuse(
    rows: Sequence[RecalledRow],
    signals: Mapping[str, Scores],
    cues: Cues,
    *,
    outdated: Mapping[int, Sequence[int]] | None = None,
    now: datetime,
    types: TypeRegistry,
    rules: RecallRules,
) -> list[Ranked]:
    """Return memories ranked, ties by the lower number, as the indexes have them.

    What stands in the place of what an `outdated` turn answers with comes before that turn.
    """
    weights: ScoreRules = getattr(rules.profiles, rules.profile)
    words = _word_scores(rows, signals, weights.raw)
    vectors = (hits for name, hits in signals.items() if name.startswith(VECTOR))
    meanings = [_with_neighbours(rows, hits) for hits in vectors]
    names, covered = (TEXT, GRAPH, SESSIONS, ATTRIBUTES, DAYS), _coverage(rows, cues)
    text, graph, whole, told, days = (signals.get(name, {}) for name in names)
    by_text, by_meaning = _ranks(text), _ranks(max(meanings, key=len, default={}))
    near = _nearness(rows, meanings, is_chinese(cues.text), (words, covered))
    scores, spoken = dict[int, float](), dict[int, Signals]()
    for row in rows:
        num, age, vector = row.num, days_since(row.said_at, now), near.get(row.num, 0.0)
        recency = math.exp(-age / rules.recency_days) if rules.recency_days else 0.0
        weight = weigh_node(row, age, now=now, types=types, rules=rules.node_weight)
        timely = num in days or any(one.since <= row.said_at < one.until for one in cues.times)
        scores[num] = _factor(row, cues, rules, timely=timely) * (
            weights.text * words.get(num, 0.0)
            + weights.vector * vector
            + weights.graph * graph.get(num, 0.0)
            + weights.weight * weight
            + weights.recency * recency
            + weights.coverage * covered.get(num, 0.0)
            + weights.attributes * told.get(num, 0.0)
        )
        spoken[num] = Signals(
            fts_score=text.get(num),
            fts_rank=by_text.get(num),
            vector_score=vector or None,
            vector_rank=by_meaning.get(num) if vector else None,
            graph_score=graph.get(num),
            recency_score=recency,
            coverage_score=covered.get(num),
            session_score=whole.get(num),
            time_score=1.0 if timely else None,
            weight_score=weight,
        )
    _add_surroundings(scores, _find_replies(rows, cues), whole, weights.session)
    for turn, num in ((turn, num) for turn, stand in (outdated or {}).items() for num in stand):
        scores[num] = max(scores[num], _ABOVE * scores[turn])
    ranked, arms = [], [name for name in signals if name != SESSIONS]
    for row in rows:
        score = scores[row.num] * rules.feedback_boost**row.feedback
        found_by = tuple(name for name in arms if row.num in signals[name])
        ranked.append(Ranked(row, score, spoken[row.num], found_by, words.get(row.num, 0.0)))
    return sorted(ranked, key=lambda one: (-one.score, one.row.num))


def _nearness(
    rows: Sequence[RecalledRow], meanings: Sequence[Scores], chinese: bool, told: Sequence[Scores]
) -> dict[int, float]:
    """Return how near memories are in meaning; by their words, where no embedder reads them."""
    foreign = {row.num for row in rows if is_chinese(row.text) != chinese}
    is_read = any(hits.get(num) for hits in meanings for num in foreign)
    near: dict[int, float] = {}
    for row in rows if meanings else ():
        lists = meanings if is_read or row.num not in foreign else (*meanings, *told)
        near[row.num] = max(hits.get(row.num, 0.0) for hits in lists)
    return near


def _add_surroundings(
    scores: dict[int, float], replies: Mapping[int, int], whole: Scores, share: float
) -> None:
    """Add to scores what the turn before a reply, and a whole session, say for a memory."""
    gains = {num: _REPLY * scores[asking] for num, asking in replies.items()}
    for num, gain in gains.items():
        scores[num] += gain
    best = share * max(scores.values(), default=0.0)
    for num, held in whole.items():
        scores[num] += best * held


def _find_replies(rows: Sequence[RecalledRow], cues: Cues) -> dict[int, int]:
    """Return which turns follow one that asks, each with that one.

    What somebody asked has the words of a question to memory; what answers it often has none.
    """
    turns = {(row.session_id, row.seq): row for row in rows if row.type == _EPISODES}
    found = {}
    for (session, seq), row in turns.items():
        asking = turns.get((session, seq - 1)) if seq is not None else None
        is_reply = cues.assistant or row.speakers != (_ASSISTANT,)
        if asking and is_reply and _ASKS.search(asking.text.rsplit("\n", 1)[-1][-_END:]):
            found[row.num] = asking.num
    return found


def weigh_node(
    row: RecalledRow, age: float, *, now: datetime, types: TypeRegistry, rules: NodeWeightRules
) -> float:
    """Return how easily a memory comes to mind, whatever is asked, from 0 to 1 (R6)."""
    kind = types.get(row.type).node_kind if row.type in types else None
    tau = rules.tau_days.get(kind, _TAU) if kind is not None else _TAU
    total = (
        rules.importance * row.importance
        + rules.frequency * min(1.0, math.log(1 + row.frequency) / _OFTEN)
        + rules.recency * math.exp(-age / tau)
        + rules.emotion * row.arousal
        + rules.feedback * row.feedback
    )
    if row.valid_until is not None and row.valid_until <= now:
        total -= rules.staleness
    return max(0.0, min(total, 1.0))


def days_since(time: datetime, now: datetime) -> float:
    """Return how many days ago something was; none if it is still to come."""
    return max(0.0, (now - time).total_seconds() / _DAY)


def _word_scores(
    rows: Sequence[RecalledRow], signals: Mapping[str, Scores], share: float
) -> dict[int, float]:
    """Return how well each memory holds the words, in its text or in what leads to it.

    Where some hold a code or a phrase as it stands, they come before the turns around them, which
    are found by the same words and are often shorter, and so seem to be about nothing else.
    """
    words = dict(signals.get(TEXT, {}))
    for name, counts in ((TIME, 1.0), (DAYS, _ON_THE_DAY), (RAW, share), (LABELS, share)):
        for num, score in signals.get(name, {}).items():
            words[num] = max(words.get(num, 0.0), counts * score)
    held = signals.get(EXACT, {})
    for row in rows if held else ():
        score = words.get(row.num, 0.0)
        if row.num in held:
            words[row.num] = max(_HOLDS, score)
        elif row.type == _EPISODES:
            words[row.num] = _BESIDE_IT * score
    return words


def _ranks(scores: Scores) -> dict[int, int]:
    order = sorted(scores.items(), key=lambda one: (-one[1], one[0]))
    return {num: place for place, (num, _) in enumerate(order, 1)}


def _with_neighbours(rows: Sequence[RecalledRow], hits: Scores) -> dict[int, float]:
    """Return how near episodes are in meaning, the turns beside them counting along.

    A short turn means little by itself: what it answers and what answers it tell what it is about.
    """
    seqs = {row.num: row.seq for row in rows if row.type == _EPISODES and row.seq is not None}
    sessions = {row.num: row.session_id for row in rows}
    at = {(sessions[num], seq): hits.get(num, 0.0) for num, seq in seqs.items()}
    near = {num: hits.get(num, 0.0) for num in sessions}
    for num, seq in seqs.items():
        for distance, share in enumerate(_BESIDE, 1):
            for beside in (seq - distance, seq + distance):
                near[num] += share * at.get((sessions[num], beside), 0.0)
    best = max(near.values(), default=0.0)
    return {num: score / best for num, score in near.items()} if best else {}


def _factor(row: RecalledRow, cues: Cues, rules: RecallRules, *, timely: bool) -> float:
    factor = rules.time_boost if timely else 1.0
    if row.speakers == (_ASSISTANT,):
        factor *= rules.user_boost if cues.assistant else 1 / rules.user_boost
    if any(_is_named(one, cues) for one in row.speakers):
        factor *= rules.speaker_boost
    scopes = cues.scopes
    named = any(
        scope in row.text or any(name.startswith(scope) for name in row.entities)
        for scope in scopes
    )
    return factor * rules.scope_boost if named else factor


def _is_named(speaker: str, cues: Cues) -> bool:
    """Tell whether a message names somebody who speaks, by a word of its own."""
    name = speaker.casefold()
    if name in (referred.casefold() for referred in cues.referred):
        return True
    return whole_word(name).search(cues.text.casefold()) is not None


def _coverage(rows: Sequence[RecalledRow], cues: Cues) -> dict[int, float]:
    """Return how much of what is asked each text says itself; a rare word counts more."""
    # A stem is the beginning of most of its forms, so it is looked for in the uncut text.
    # Sorted, for sums of floats tell in which order they were added.
    terms = telling_terms(cues.text) or index_terms(cues.text[:_READ])
    alike = other_words(cues.text, terms)
    texts = {row.num: row.text[:_READ].lower() for row in rows}
    held = dict.fromkeys(texts, 0.0)
    total = 0.0
    for term in sorted(set(terms)):
        forms = (term, *alike.get(term, ()))
        holding = [num for num, text in texts.items() if any(one in text for one in forms)]
        rarity = math.log(1 + len(rows) / (len(holding) or 0.5))
        total += rarity
        for num in holding:
            held[num] += rarity
    return {num: score / total for num, score in held.items()} if total else {}


def _of_best(hits: Sequence[Scored], best: float = 0.0) -> dict[int, float]:
    """Return scores as shares of the best one, here or where the same query found more."""
    best = best or max([score for _, score in hits], default=0.0)
    return {num: score / best for num, score in hits} if best > 0 else {}


def _beyond_others(signals: Mapping[str, Scores]) -> dict[int, float]:
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
