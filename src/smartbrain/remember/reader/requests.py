"""Requests to forget that are said in a turn: "forget my phone number", 忘掉张伟的事 (J7).

In: the user's words, and the assistant's message before them. Out: what they ask for: to forget
something named, to take the last forgetting back, or never to mention something. It is learned from
the labelled messages of data/forgetting: who has forgotten something, is told not to forget it, or
drops a plan asks for nothing. What is named is looked up by whoever acts on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from typing import Final

import msgspec

from smartbrain.remember.reader.features import token_features, whole_features
from smartbrain.remember.reader.read import spans_of
from smartbrain.remember.reader.weights import Weights, load_weights
from smartbrain.remember.reader.words import Analysis, analyse
from smartbrain.text.ontology import Ontology

NONE: Final = "none"
MIN_ASKED: Final = 0.6
"""How sure it must be that something is asked for."""
MIN_NAMED: Final = 0.25
"""How likely an attribute must be, to be one that the words name."""
MAX_TOKENS: Final = 150
"""Tokens of a message that is read as a whole; of a longer one each line is read alone."""
MAX_READ: Final = 4_000
"""Characters of either end of a message that are read."""
MAX_LINE: Final = 600
_WHOLE: Final = re.compile(
    r"\b(?:everything|anything|all|any (?:trace|mention)|every (?:trace|mention)|whatever)\b"
    r"|一切|所有|全部|任何|全都",
    re.IGNORECASE,
)
_LAST: Final = re.compile(
    r"\b(?:what i(?:'ve| have)? just (?:said|told you|wrote|sent)|(?:my|the|that) last "
    r"(?:message|sentence|thing|bit|line|one|text)"
    r"|(?:that|the) (?:message|thing) (?:just now|above))\b"
    r"|(?:刚才|刚刚|上面|上一|刚)(?:我)?(?:说|讲|发|打|写|告诉你)?的?(?:那)?(?:话|内容|句|条|段|番)",
    re.IGNORECASE,
)
_OF: Final = re.compile(
    r"\A(?:(?:my|our|the|all|any|about|of|everything|所有|全部|关于|有关|我们?的?|那个|这个"
    r"|那条|这条)\s*)+",
    re.IGNORECASE,
)


class AskKind(StrEnum):
    """What a message asks for."""

    FORGET = "forget"
    TAKE_BACK = "take_back"
    MUTE = "mute"


class ForgetWords(msgspec.Struct, frozen=True, kw_only=True):
    """One request: its kind, what it names, and where it stands in the text.

    `attributes` are those that the words name, the likeliest first; `whole` is whether all that is
    known of what is named is meant; `last` that it means what was said just before.
    """

    kind: AskKind
    named: str = ""
    attributes: tuple[str, ...] = ()
    whole: bool = False
    last: bool = False
    start: int = 0
    end: int = 0


def find_requests(
    text: str, before: str = "", *, ontology: Ontology, weights: Weights | None = None
) -> list[ForgetWords]:
    """Returns what a message of the user asks for, in the order of its words."""
    weights = weights or load_weights()
    if len(text) <= 2 * MAX_READ:
        message = analyse(text, before, ontology)
        if len(message.tokens) <= MAX_TOKENS:
            return list(_read_requests(message, ontology, weights))
    found = []
    for start, line in _lines_of(text):
        part = analyse(line, "", ontology)
        if len(part.tokens) <= MAX_TOKENS:
            found += [
                msgspec.structs.replace(one, start=one.start + start, end=one.end + start)
                for one in _read_requests(part, ontology, weights)
            ]
    return found


def _lines_of(text: str) -> Iterator[tuple[int, str]]:
    """Yields the lines of the head and of the tail of a text, each with its place."""
    head = text[:MAX_READ]
    tail = max(len(head), len(text) - MAX_READ)
    for start, part in ((0, head), (tail, text[tail:])):
        for line in part.splitlines(keepends=True):
            if len(line) <= MAX_LINE:
                yield start, line
            start += len(line)


def _read_requests(
    message: Analysis, ontology: Ontology, weights: Weights
) -> Iterator[ForgetWords]:
    """Yields what a short message asks for: one request for each thing that it names."""
    if not message.tokens:
        return
    features = whole_features(message)
    shares = weights.request.shares([features])[0].tolist()
    likely = dict(zip(weights.request.labels, shares, strict=True))
    kind = max((one for one in likely if one != NONE), key=lambda one: likely[one])
    if 1 - likely[NONE] < MIN_ASKED:
        return
    for first, last in _find_named(message, ontology, weights) or [(0, 0)]:
        words = message.span_text(first, last) if last else ""
        start, end = _sentences_around(message, first, last)
        yield ForgetWords(
            kind=AskKind(kind),
            named=words,
            attributes=_named_attributes(words or message.text, ontology, weights),
            whole=_WHOLE.search(message.text) is not None,
            last=_LAST.search(words or message.text) is not None,
            start=start,
            end=end,
        )


def _find_named(message: Analysis, ontology: Ontology, weights: Weights) -> list[tuple[int, int]]:
    """Returns the tokens that name what is meant, in the sentences that ask for something."""
    tokens = token_features(message, 0, len(message.tokens), [0] * len(message.clauses))
    tagged = spans_of(weights.target.tag(weights.target.score(tokens)))
    found = [(one.first, one.last) for one in tagged]
    if len(found) < 2:
        return found
    asking = [_ask_share(message, first, last, ontology, weights) for first, last in found]
    least = min(MIN_ASKED, max(asking)) / 2
    return [span for span, share in zip(found, asking, strict=True) if share >= least]


def _ask_share(
    message: Analysis, first: int, last: int, ontology: Ontology, weights: Weights
) -> float:
    """Returns how likely the sentences of a run of tokens ask for something by themselves."""
    start, end = _sentences_around(message, first, last)
    alone = analyse(message.text[start:end], "", ontology)
    shares = weights.request.shares([whole_features(alone)])[0].tolist()
    return 1 - float(shares[weights.request.labels.index(NONE)])


def _sentences_around(message: Analysis, first: int, last: int) -> tuple[int, int]:
    """Returns where the sentences of a run of tokens stand; without one, the whole message."""
    around = [one for one in message.sentences if one[0] < last and first < one[1]]
    if not around:
        return 0, len(message.text)
    return message.tokens[around[0][0]].start, message.tokens[around[-1][1] - 1].end


def _named_attributes(words: str, ontology: Ontology, weights: Weights) -> tuple[str, ...]:
    """Returns the attributes that words name: by the ontology's cues, and as questions do."""
    hits = [*ontology.find_cues(words), *ontology.find_asked(words)]
    asked = weights.asked.shares([whole_features(analyse(words, "", ontology))])[0].tolist()
    likely = sorted(zip(asked, weights.asked.labels, strict=True), reverse=True)
    learned = [name for share, name in likely if share >= MIN_NAMED and name != "other"]
    return tuple(dict.fromkeys([*(hit.attribute for hit in hits), *learned]))


def name_of(named: str) -> str:
    """Returns what is named without the small words in front of it."""
    return _OF.sub("", named).strip(" 的'’\"")
