"""What a message states and asks, by the trained heads: clauses → spans → frames with a certainty.

In: a message and the assistant's message before it. Out: frames (type, attribute, subject, value,
say, each with its place in the text) and the attributes that are asked about. Certainty decides
only whether a frame counts or is kept as a candidate (K6); nothing here looks at what is stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import exp, log
from typing import Final

import msgspec
import numpy as np
from numpy.typing import NDArray

from smartbrain.domain.recall import QuestionReading
from smartbrain.remember.reader.features import (
    clause_features,
    hash_features,
    message_features,
    span_features,
    token_features,
    whole_features,
)
from smartbrain.remember.reader.weights import Weights, load_weights
from smartbrain.remember.reader.words import Analysis, analyse, has_han
from smartbrain.text.ontology import OTHER, Ontology

USER: Final = "user"
SELF: Final = "self"
THINGS: Final = frozenset(("thing", "project"))
MIN_LASTING: Final = 0.15
"""A clause below this is not tagged at all."""
MAX_CLAUSES: Final = 400
"""Clauses of one message that are read."""
MAX_TAGGED: Final = 2_000
"""Tokens of one message that are tagged: more than 8 KB of words have."""
MAX_WHYS: Final = 8
"""Features that are named to explain a clause."""
TENTHS: Final = 10
OUTSIDE_BIAS: Final = 0.5
"""What a token outside of everything loses from the start, in log odds: values are rare."""
SILENT_STEP: Final = 1.0
"""What it loses more, where a clause says something and no value of it was found."""
MAX_TRIES: Final = 4
MIN_SURE: Final = 0.4
"""A clause from here on is asked again for its value."""
TAGGED_TYPE: Final = 0.5
"""How much of a value's type the tagger decides; the head of attributes decides the rest."""
ASKED_CUE: Final = 0.3
"""What the ontology's words for asking add to the share of an attribute."""
MAX_ASKED: Final = 3
MIN_ASKING: Final = 0.1
"""How likely a clause must ask for something remembered, before it asks at all."""
MIN_ASKED: Final = 0.02
_SHARES: Final = frozenset(
    ("lasting", "belief", "type", "attr", "say", "relation")
    + ("chinese belief", "chinese lasting", "chinese type")
)


class Frame(msgspec.Struct, frozen=True, kw_only=True):
    """One statement of a message, as the heads see it."""

    type: str
    attr: str
    subject: str
    relation: str
    value: str
    say: str
    start: int
    end: int
    clause: tuple[int, int]
    when: str = ""
    because: str = ""
    topic: str = ""
    scope: str = ""
    solution: str = ""
    certainty: float = 0.0
    attr_certainty: float = 0.0
    say_certainty: float = 0.0
    signals: dict[str, float] = {}
    label: str = ""
    """The likeliest attribute, named or not."""


class HeadShares(msgspec.Struct, frozen=True):
    """How likely each label of each head is, for one value."""

    lasting: float
    attribute: Mapping[str, float]
    say: Mapping[str, float]
    relation: Mapping[str, float]


class Tagged(msgspec.Struct, frozen=True):
    """A run of tokens of one kind."""

    kind: str
    first: int
    last: int
    belief: float = 1.0
    """How likely its tokens are of this kind, the least likely of them."""
    types: tuple[tuple[str, float], ...] = ()
    """Of a value: how likely each type is."""


def read_message(
    text: str, before: str = "", *, ontology: Ontology, weights: Weights | None = None
) -> tuple[Frame, ...]:
    """Reads what a message states."""
    weights = weights or load_weights()
    message = analyse(text, before, ontology)
    if not message.tokens:
        return ()
    features = [
        hash_features(clause_features(message, one))
        for one in range(min(len(message.clauses), MAX_CLAUSES))
    ]
    lasting = weights.lasting.shares(features, hash_features(message_features(message)))[:, 1]
    return tuple(_find_frames(message, lasting.tolist(), weights))


def read_asked(
    text: str, before: str = "", *, ontology: Ontology, weights: Weights | None = None
) -> tuple[str, ...]:
    """Returns the attributes that a message asks about, the likeliest first (K7)."""
    return read_question(text, before, ontology=ontology, weights=weights).attributes


def read_question(
    text: str, before: str = "", *, ontology: Ontology, weights: Weights | None = None
) -> QuestionReading:
    """Returns how likely a message asks for something that was told, and for which attributes."""
    weights = weights or load_weights()
    message = analyse(text, before, ontology)
    if not message.tokens:
        return QuestionReading()
    features = [
        hash_features(clause_features(message, one))
        for one in range(min(len(message.clauses), MAX_CLAUSES))
    ]
    asking = weights.asking.shares(features)[:, 1]
    cued = frozenset(ontology.asked(message.text))
    share = round(float(asking.max()), 4)
    if share < MIN_ASKING:
        return QuestionReading(share)
    shares = weights.asked.shares([hash_features(whole_features(message))])[0]
    scored = {
        name: share + ASKED_CUE * (name in cued)
        for name, share in zip(weights.asked.labels, shares.tolist(), strict=True)
    }
    kept = [name for name, share in scored.items() if share >= MIN_ASKED]
    likely = sorted(kept, key=lambda name: -scored[name])[:MAX_ASKED]
    return QuestionReading(share, tuple(likely))


def tag_sentences(message: Analysis, lasting: Sequence[float], weights: Weights) -> list[Tagged]:
    """Returns the values, times and subjects of sentences that may say something lasting."""
    likely = [min(TENTHS - 1, int(one * TENTHS)) for one in lasting]
    likely += [0] * (len(message.clauses) - len(likely))
    found: list[Tagged] = []
    left = MAX_TAGGED
    for first, last in message.sentences:
        clauses = range(message.clause_of(first), message.clause_of(last - 1) + 1)
        if not any(lasting[one] >= MIN_LASTING for one in clauses if one < len(lasting)):
            continue
        left -= last - first
        if left < 0:
            break
        found += _tag_sentence(message, (first, last), lasting, likely, weights)
    return found


def _tag_sentence(
    message: Analysis,
    sentence: tuple[int, int],
    lasting: Sequence[float],
    likely: Sequence[int],
    weights: Weights,
) -> list[Tagged]:
    """Tags one sentence; a clause that says something is asked again until it gives a value."""
    first, last = sentence
    features = token_features(message, first, last, likely)
    scores = weights.tagger.score(list(map(hash_features, features))).copy()
    outside = weights.tagger.labels.index("O")
    beliefs = weights.tagger.beliefs(scores)
    scores[:, outside] -= int(OUTSIDE_BIAS * weights.tagger.unit)
    tagged = spans_of(weights.tagger.tag(scores), first)
    for _ in range(MAX_TRIES):
        silent = [
            one
            for one in range(message.clause_of(first), message.clause_of(last - 1) + 1)
            if one < len(lasting)
            and lasting[one] >= MIN_SURE
            and not any(
                _touches(span, message.clauses[one]) for span in tagged if span.kind[0] == "V"
            )
        ]
        if not silent:
            break
        for one in silent:
            start, end = message.clauses[one]
            scores[max(0, start - first) : max(0, end - first), outside] -= int(
                SILENT_STEP * weights.tagger.unit
            )
        tagged = spans_of(weights.tagger.tag(scores), first)
    return [_with_belief(one, first, beliefs, weights.tagger.labels) for one in tagged]


def _with_belief(
    span: Tagged, offset: int, beliefs: NDArray[np.float64], labels: Sequence[str]
) -> Tagged:
    part = beliefs[span.first - offset : span.last - offset]
    by_kind: dict[str, float] = {}
    for label, share in zip(labels, part.mean(axis=0).tolist(), strict=True):
        by_kind[label[2:]] = by_kind.get(label[2:], 0.0) + share
    if span.kind[0] != "V":
        return Tagged(span.kind, span.first, span.last, by_kind[span.kind])
    values = {kind[2:]: share for kind, share in by_kind.items() if kind[:1] == "V"}
    total = sum(values.values()) or 1.0
    types = tuple((name, share / total) for name, share in sorted(values.items()))
    starts = [column for column, label in enumerate(labels) if label.startswith("B-V")]
    return Tagged("V", span.first, span.last, min(total, float(part[0, starts].sum())), types)


def _touches(span: Tagged, clause: tuple[int, int]) -> bool:
    return span.first < clause[1] and clause[0] < span.last


def spans_of(labels: Sequence[str], offset: int = 0) -> list[Tagged]:
    """Returns the runs that labels such as B-V, I-V mark."""
    found: list[Tagged] = []
    for place, label in enumerate((*labels, "O")):
        begins, _, kind = label.partition("-")
        if found and found[-1].last == -1 and (begins != "I" or kind != found[-1].kind):
            found[-1] = Tagged(found[-1].kind, found[-1].first, offset + place)
        if begins == "B" or (begins == "I" and (not found or found[-1].last != -1)):
            found.append(Tagged(kind, offset + place, -1))
    return found


def _find_frames(message: Analysis, lasting: Sequence[float], weights: Weights) -> Iterator[Frame]:
    tagged = tag_sentences(message, lasting, weights)
    values = [
        one
        for one in tagged
        if one.kind == "V" and lasting_of(message, lasting, one) >= MIN_LASTING
    ]
    if not values:
        return
    features = [hash_features(span_features(message, one.first, one.last)) for one in values]
    attribute = weights.attribute.shares(features)
    say = weights.say.shares(features)
    relation = weights.relation.shares(features)
    for place, value in enumerate(values):
        shares = HeadShares(
            lasting_of(message, lasting, value),
            dict(zip(weights.attribute.labels, attribute[place].tolist(), strict=True)),
            dict(zip(weights.say.labels, say[place].tolist(), strict=True)),
            dict(zip(weights.relation.labels, relation[place].tolist(), strict=True)),
        )
        yield _frame_of(message, value, tagged, shares, weights)


def lasting_of(message: Analysis, lasting: Sequence[float], value: Tagged) -> float:
    """Returns how likely the clause of a value says something lasting."""
    first, last = message.clause_of(value.first), message.clause_of(value.last - 1)
    return max((lasting[one] for one in range(first, last + 1) if one < len(lasting)), default=0.0)


def _frame_of(
    message: Analysis,
    value: Tagged,
    tagged: Sequence[Tagged],
    shares: HeadShares,
    weights: Weights,
) -> Frame:
    attribute, say, relation = shares.attribute, shares.say, shares.relation
    types = {name: TAGGED_TYPE * share for name, share in value.types}
    for label, share in attribute.items():
        name = label.partition(".")[0]
        types[name] = types.get(name, 0.0) + (1 - TAGGED_TYPE) * share
    type_name = max(types, key=lambda one: types[one])
    label = max(
        (one for one in attribute if one.startswith(type_name + ".")),
        key=lambda one: attribute[one],
    )
    said = max(say, key=lambda one: say[one])
    who = max(relation, key=lambda one: relation[one])
    subject, who = _subject_of(message, value, tagged, type_name, who)
    signals = _weigh_signals(message, value, types, shares)
    signals |= {
        "attr": attribute[label],
        "say": say[said],
        "subjectless": float(type_name == "facts" and subject == USER),
        type_name: 1.0,
        said: 1.0,
    }
    first, last = message.clauses[message.clause_of(value.first)]
    named = attribute[label] >= weights.thresholds["attribute"]
    around = _beside(message, value, tagged)
    return Frame(
        type=type_name,
        attr=label.partition(".")[2]
        if named or type_name in ("tasks", "events", "goals")
        else OTHER,
        subject=subject,
        relation=who,
        value=message.span_text(value.first, value.last),
        say=said,
        start=message.tokens[value.first].start,
        end=message.tokens[value.last - 1].end,
        clause=(message.tokens[first].start, message.tokens[max(last, value.last) - 1].end),
        when=around.get("W", ""),
        because=around.get("Y", ""),
        topic=around.get("T", ""),
        scope=around.get("P", ""),
        solution=around.get("M", ""),
        certainty=weigh_certainty(signals, weights.certainty),
        attr_certainty=attribute[label],
        say_certainty=say[said],
        signals=signals,
        label=label.partition(".")[2],
    )


def _weigh_signals(
    message: Analysis, value: Tagged, types: Mapping[str, float], shares: HeadShares
) -> dict[str, float]:
    """Returns how sure the heads are of a value and its type, in which language and how long."""
    best, second, *_ = sorted(types.values(), reverse=True)
    chinese = has_han(message.span_text(value.first, value.last))
    return {
        "lasting": shares.lasting,
        "belief": value.belief,
        "type": best,
        "margin": best - second,
        "clauses": min(1.0, len(message.clauses) / 10),
        "asks": float(message.text.rstrip()[-1:] in "?？"),
        "chinese": float(chinese),
        "chinese belief": value.belief if chinese else 0.5,
        "chinese lasting": shares.lasting if chinese else 0.5,
        "chinese type": best if chinese else 0.5,
        "relation": max(shares.relation.values()),
        "tokens": min(1.0, (value.last - value.first) / 12),
        "short": 1 / len(message.tokens),
        "alone": float(len(message.clauses) == 1),
    }


def weigh_certainty(signals: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Returns how likely a frame is right, from how sure each head is."""
    total = weights.get("bias", 0.0)
    for name, signal in signals.items():
        total += weights.get(name, 0.0) * signal_odds(name, signal)
    return 1 / (1 + exp(-max(-30.0, min(30.0, total))))


def signal_odds(name: str, signal: float) -> float:
    """Returns a share as log odds; what is no share as it is."""
    if name not in _SHARES:
        return signal
    share = min(max(signal, 0.001), 0.999)
    return log(share / (1 - share))


def _beside(message: Analysis, value: Tagged, tagged: Sequence[Tagged]) -> dict[str, str]:
    """Returns the nearest time, reason, topic and solution of a value's sentence."""
    found: dict[str, tuple[int, str]] = {}
    sentence = next(one for one in message.sentences if one[0] <= value.first < one[1])
    for one in tagged:
        if one.kind == "V" or not sentence[0] <= one.first < sentence[1]:
            continue
        distance = _distance(one, value)
        if one.kind not in found or distance < found[one.kind][0]:
            found[one.kind] = distance, message.span_text(one.first, one.last)
    return {kind: words for kind, (_, words) in found.items()}


def _distance(one: Tagged, value: Tagged) -> int:
    return value.first - one.last if one.last <= value.first else 2 * (one.first - value.last) + 1


def _subject_of(
    message: Analysis, value: Tagged, tagged: Sequence[Tagged], type_name: str, who: str
) -> tuple[str, str]:
    """Returns who or what a value is about: the nearest tagged subject, else a relation's words."""
    if who == SELF or type_name not in ("profile", "preferences", "facts"):
        return USER, SELF
    index = next(at for at, one in enumerate(message.sentences) if one[0] <= value.first < one[1])
    allowed = message.sentences[max(0, index - 1)][0], message.sentences[index][1]
    near = [one for one in tagged if one.kind == "S" and allowed[0] <= one.first < allowed[1]]
    if near:
        best = min(near, key=lambda one: _distance(one, value))
        return message.span_text(best.first, best.last), who
    cues = {
        cue
        for known in message.cues[allowed[0] : allowed[1]]
        for cue in known
        if cue.kind == "relation" and cue.name == who
    }
    at = message.tokens[value.first].start
    if cues:
        cue = min(cues, key=lambda one: abs(one.start - at))
        return message.text[cue.start : cue.end], who
    return USER, who


class ReadClause(msgspec.Struct, frozen=True, kw_only=True):
    """A clause of a message, how likely it says something lasting, and what decided that."""

    text: str
    lasting: float
    why: tuple[tuple[str, int], ...] = ()


def explain_clauses(text: str, before: str = "", *, ontology: Ontology) -> list[ReadClause]:
    """Returns the clauses of a message with what the reader makes of each."""
    weights, message = load_weights(), analyse(text, before, ontology)
    shared, label = message_features(message), weights.lasting.labels[1]
    found = []
    for index, (first, last) in enumerate(message.clauses[:MAX_CLAUSES]):
        features = clause_features(message, index)
        hashed = hash_features(features), hash_features(shared)
        lasting = float(weights.lasting.shares([hashed[0]], hashed[1])[0, 1])
        why = weights.lasting.explain([*features, *shared], label)[:MAX_WHYS]
        found.append(
            ReadClause(text=message.span_text(first, last), lasting=lasting, why=tuple(why))
        )
    return found
