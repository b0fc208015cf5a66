"""Requests to forget that are said in a turn: "forget my phone number", 忘掉张伟的事 (J7).

In: the user's words, and the assistant's message before them. Out: what they ask for: to forget
something named, to take the last forgetting back, or never to mention something. It is learned from
the labelled messages of data/forgetting: who has forgotten something, is told not to forget it, or
drops a plan asks for nothing. What is named is looked up by whoever acts on it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from typing import Final

import msgspec

from smartbrain.domain.forgetting import find_clauses
from smartbrain.remember.reader.features import hash_features, token_features, whole_features
from smartbrain.remember.reader.read import spans_of
from smartbrain.remember.reader.weights import Weights, load_weights
from smartbrain.remember.reader.words import Analysis, analyse
from smartbrain.text.ontology import Ontology
from smartbrain.text.word_list import word_pattern


class AskKind(StrEnum):
    """What a message asks for."""

    FORGET = "forget"
    TAKE_BACK = "take_back"
    MUTE = "mute"


NONE: Final = "none"
MIN_SURE: Final = {AskKind.FORGET: 0.55, AskKind.TAKE_BACK: 0.4, AskKind.MUTE: 0.9}
"""How sure it must be that something is asked for; to be hidden it must also clearly be named."""
MIN_ODD: Final = 0.97
"""How sure, where the words hardly ever ask for it, such as "gone" or "not kept"."""
MIN_LOOSE: Final = 0.6
"""How sure, where no words were found that name what is meant."""
MAX_LOOSE: Final = 20
"""Words of a message of which, where nothing else is named, all that is left may name something."""
MAX_WHOLE: Final = 30
"""Words, or Chinese characters, of a message that is read as a whole; of a longer one each sentence
is read alone, for among many words something always sounds like a request."""
MAX_TOKENS: Final = 60
"""Tokens of a sentence that is read."""
MAX_READ: Final = 4_000
"""Characters of either end of a message that are read."""
_FORGETS, _KEEPS, _DENIES, _MENTIONS, _MEMORY, _SPARED, _SPARES, _ASKS, _TAKES_BACK = (
    re.compile(word_pattern(__file__, name), re.IGNORECASE)
    for name in (
        *("FORGETS", "KEEPS", "DENIES", "MENTIONS", "MEMORY", "SPARED", "SPARES"),
        *("ASKS", "TAKES_BACK"),
    )
)
_WORDS: Final = re.compile(r"[a-z0-9']+|[\u3400-\u9fff]|[^\s\w]")
_QUOTED: Final = re.compile(
    r"\"[^\"\n]{0,200}\"|“[^”\n]{0,200}”|「[^」\n]{0,200}」|(?<!\w)'[^'\n]{0,200}'(?!\w)"
)
_SENTENCE: Final = re.compile(r"[!?。！？;；\n]+|\.(?=\s|\Z)")
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


class ForgetWords(msgspec.Struct, frozen=True, kw_only=True):
    """One request: its kind, what it names, and where it stands in the text.

    `named` are the words that name what is meant, `asking` texts that may name it too, the
    clearest first, `spared` the words of what is to stay; `last` is whether what was said just
    before is meant.
    """

    kind: AskKind
    named: tuple[str, ...] = ()
    asking: tuple[str, ...] = ()
    spared: str = ""
    last: bool = False
    start: int = 0
    end: int = 0


def find_requests(
    text: str, before: str = "", *, ontology: Ontology, weights: Weights | None = None
) -> list[ForgetWords]:
    """Returns what a message of the user asks for, in the order of its words."""
    weights = weights or load_weights()
    found = []
    for start, part in split_message(text):
        if any(may_ask(part, kind, oddly=True) for kind in AskKind):
            message = analyse(part, before if part == text else "", ontology)
            found += [
                msgspec.structs.replace(one, start=one.start + start, end=one.end + start)
                for one in _read_requests(message, weights, is_whole=part == text)
            ]
    if not found:
        return []
    spared = "; ".join(
        text[slice(*span)] for span in find_clauses(text) if _spares(text[slice(*span)])
    )
    return [msgspec.structs.replace(one, spared=spared) for one in found]


def split_message(text: str) -> Iterator[tuple[int, str]]:
    """Yields a short message, or the sentences at both ends of a longer one, with their places."""
    if len(text) <= MAX_READ and len(_WORDS.findall(text)) <= MAX_WHOLE:
        yield 0, text
        return
    head = text[:MAX_READ]
    tail = max(len(head), len(text) - MAX_READ)
    for start, part in ((0, head), (tail, text[tail:])):
        begin = 0
        for mark in (*_SENTENCE.finditer(part), None):
            end = len(part) if mark is None else mark.end()
            if part[begin:end].strip():
                yield start + begin, part[begin:end]
            begin = end


def _read_requests(message: Analysis, weights: Weights, *, is_whole: bool) -> Iterator[ForgetWords]:
    """Yields what a short message or a sentence asks for."""
    if not 0 < len(message.tokens) <= MAX_TOKENS:
        return
    shares = weights.request.shares([hash_features(request_features(message))])[0].tolist()
    likely = dict(zip(weights.request.labels, shares, strict=True))
    kind = AskKind(max((one for one in likely if one != NONE), key=lambda one: likely[one]))
    asked = 1 - likely[NONE]
    is_odd = kind is AskKind.FORGET and not may_ask(message.text, kind)
    if asked < (MIN_ODD if is_odd else MIN_SURE[kind]) or not may_ask(
        message.text, kind, oddly=is_odd
    ):
        return
    if kind is AskKind.MUTE and not is_whole:
        return
    clauses = [*find_clauses(message.text)]
    spared = [span for span in clauses if _spares(message.text[slice(*span)])]
    named = [span for span in _find_named(message, weights) if not _is_inside(span, spared)]
    is_last = _LAST.search(message.text) is not None
    if not (named or is_last or (is_whole and not is_odd)):
        return  # what it points at was named in another sentence
    start, end = _sentences_around(message, named)
    left = [message.text[slice(*span)] for span in clauses if span not in spared]
    asking = [one for one in left if may_ask(one, kind)]
    is_short = len(_WORDS.findall(message.text)) <= MAX_LOOSE
    texts = ((asking, left) if is_short else (asking,)) if asked >= MIN_LOOSE else ()
    yield ForgetWords(
        kind=kind,
        named=tuple(message.text[slice(*span)] for span in named),
        asking=tuple(_FORGETS.sub(" ", "; ".join(some)) for some in texts),
        last=is_last,
        start=start,
        end=end,
    )


def may_ask(text: str, kind: AskKind, *, oddly: bool = False) -> bool:
    """Tells whether a text has words at all that ask for something of a kind.

    To forget needs a word of forgetting, or one of keeping that is denied: who asks to remember
    something for ever never asks to forget it. `oddly` lets words count that hardly ever ask.
    """
    if kind is AskKind.TAKE_BACK:
        return _TAKES_BACK.search(text) is not None
    words = _SPARED.sub(" ", _QUOTED.sub(" ", text.replace("’", "'")))
    if kind is AskKind.MUTE:
        return _denies(words, _MENTIONS)
    if not oddly:
        return _ASKS.search(words) is not None
    return _FORGETS.search(words) is not None or _denies(words, _KEEPS)


def _denies(text: str, words: re.Pattern[str]) -> bool:
    """Tells whether one of some words is denied in a sentence of a text."""
    denied = ((one, _DENIES.search(one)) for one in _SENTENCE.split(text))
    return any(found and words.search(one, found.end()) for one, found in denied)


def request_features(message: Analysis) -> list[str]:
    """Returns what a message is judged by: as a whole, and around each word of forgetting."""
    found = whole_features(message)
    text = _QUOTED.sub(lambda quoted: " " * len(quoted[0]), message.text.replace("’", "'"))
    is_memory = _MEMORY.search(text) is not None
    found += [f"fm:{is_memory}", f"fq:{text != message.text}"]
    for start, end in find_clauses(text):
        clause = text[start:end]
        denied = _DENIES.search(clause)
        if denied and (kept := _KEEPS.search(clause, denied.end())):
            found += ["fk:", f"fk:{is_memory}", f"fk:{kept[0].lower()}"]
        for word in _FORGETS.finditer(_SPARED.sub(lambda one: " " * len(one[0]), clause)):
            own = word[0].lower()
            before = _WORDS.findall(clause[: word.start()].lower())[-2:]
            after = _WORDS.findall(clause[word.end() :].lower())[:2]
            found += [f"fw:{own}", f"fb:{'_'.join(before)}", f"fb1:{''.join(before[-1:])}"]
            found += [f"fa:{'_'.join(after)}", f"fa1:{''.join(after[:1])}", f"fi:{not before}"]
            found += [f"fw:{own}|{''.join(after[:1])}", f"fw:{own}|{is_memory}|{not before}"]
    return found


def _spares(clause: str) -> bool:
    spares = _SPARES.search(clause)
    if spares is None or _DENIES.search(clause, 0, spares.start()):
        return False
    return not _FORGETS.search(_SPARED.sub(" ", clause))


def _is_inside(span: tuple[int, int], places: Iterable[tuple[int, int]]) -> bool:
    return any(start <= span[0] < end for start, end in places)


def _find_named(message: Analysis, weights: Weights) -> list[tuple[int, int]]:
    tokens = token_features(message, 0, len(message.tokens), [0] * len(message.clauses))
    tagged = spans_of(weights.target.tag(weights.target.score(list(map(hash_features, tokens)))))
    return [(message.tokens[one.first].start, message.tokens[one.last - 1].end) for one in tagged]


def _sentences_around(message: Analysis, named: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Returns where the sentences that name something stand; without one, the whole message."""
    places = [(message.tokens[a].start, message.tokens[b - 1].end) for a, b in message.sentences]
    around = [
        place
        for place in places
        if any(place[0] < end and start < place[1] for start, end in named)
    ]
    return (around[0][0], around[-1][1]) if around else (0, len(message.text))


def name_of(named: str) -> str:
    """Returns what is named without the small words in front of it."""
    return _OF.sub("", named).strip(" 的'’\"")
