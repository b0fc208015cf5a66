"""Features of clauses, tokens and spans: what the trained heads look at.

In: an `Analysis`. Out: lists of short texts, hashed by whoever weighs them. Training and reading
use the same functions, so a feature means the same to both.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final
from zlib import crc32

from smartbrain.remember.reader.words import Analysis, Token, has_han

HASH_BITS: Final = 22
_MASK: Final = (1 << HASH_BITS) - 1
_QUESTION_MARKS: Final = frozenset("?？")
_QUOTES: Final = frozenset('"“”「」『』')
_NEAR: Final = 4
_MESSAGE_WORDS: Final = 150
"""The first tokens of a message that every clause of it is judged beside."""
_ANSWERING: Final = 6
"""The first tokens of a message, which answer the one before it."""
_EDGE: Final = "<edge>"


def hash_features(features: Sequence[str]) -> list[int]:
    """Returns the numbers that features are weighed by, each once."""
    return list({crc32(one.encode("utf-8", "surrogatepass")) & _MASK for one in features})


def clause_features(message: Analysis, index: int) -> list[str]:
    """Returns what tells whether a clause says something lasting."""
    first, last = message.clauses[index]
    words = [token.norm for token in message.tokens[first:last]]
    own = message.span_text(first, last)
    chinese = has_han(own)
    found = [*_ngrams(["^", *words, "$"], 4 if chinese else 3, "w:")]
    if not chinese:
        found += _pieces(own)
    if index:
        start, end = message.clauses[index - 1]
        earlier = [token.norm for token in message.tokens[start:end]]
        found += ["p:" + word for word in earlier[-12:]]
        found += _ngrams(earlier[-3:], 2, "pp:")
    if index + 1 < len(message.clauses):
        start, end = message.clauses[index + 1]
        found += ["n:" + token.norm for token in message.tokens[start:end][:6]]
    found += _ngrams(message.opening, 2, "h:")
    found += _word_features(message, first, last, "W:")
    found += _cue_features(message, first, last, "k:")
    found += _before_features(message)
    found += _shape_features(message, index, words, own)
    return found


def message_features(message: Analysis) -> list[str]:
    """Returns what the whole message says of each of its clauses: its words, and two in a row."""
    words = [token.norm for token in message.tokens[:_MESSAGE_WORDS]]
    pairs = [f"MB:{one}_{other}" for one, other in pairwise(words)]
    return ["M:" + word for word in words] + pairs


def whole_features(message: Analysis) -> list[str]:
    """Returns what a message as a whole is judged by: its words, runs of them, known words."""
    words = [token.norm for token in message.tokens[:_MESSAGE_WORDS]]
    chinese = has_han(message.text)
    found = [*_ngrams(["^", *words, "$"], 4 if chinese else 3, "w:")]
    if not chinese:
        found += _pieces(message.text)
    found += _word_features(message, 0, len(words), "W:")
    found += _cue_features(message, 0, len(words), "k:")
    return found + _before_features(message)


def _shape_features(message: Analysis, index: int, words: Sequence[str], own: str) -> list[str]:
    count = len(message.clauses)
    found = [
        f"len{min(6, len(words) // 4)}",
        f"mlen{min(8, len(message.text) // 60)}",
        f"pos{min(index, 3)}",
        f"left{min(count - 1 - index, 2)}",
    ]
    text = message.text
    if not _QUESTION_MARKS.isdisjoint(own):
        found.append("Q")
    if text.rstrip()[-1:] in _QUESTION_MARKS:
        found.append("MQ")
    if not _QUOTES.isdisjoint(text) or "：" in text[:14] or ":" in text[:24]:
        found.append("quoted")
    if "\n" in text:
        found.append(f"lines{min(3, text.count(chr(10)))}")
    return found


def _before_features(message: Analysis) -> list[str]:
    if not message.before:
        return []
    short = len(message.tokens) <= 8
    found = [f"b{int(short)}:" + word for word in message.before[-10:]]
    found += [f"ba{int(short)}:" + name for name in message.before_asks]
    return [
        *found,
        f"b?{int('?' in message.before[-3:] or '？' in message.before[-3:])}{int(short)}",
    ]


def _word_features(message: Analysis, first: int, last: int, prefix: str) -> list[str]:
    """Returns the Chinese words of a run of tokens, two in a row, and their parts of speech."""
    words = [token for token in message.tokens[first:last] if token.tag[:1] == "B"]
    found = [prefix + token.word for token in words]
    found += [f"{prefix}{one.word}_{other.word}" for one, other in pairwise(words)]
    return [*found, *{f"{prefix}{token.tag[1:]}" for token in words}]


def _cue_features(message: Analysis, first: int, last: int, prefix: str) -> list[str]:
    cues = {cue for known in message.cues[first:last] for cue in known}
    return sorted({f"{prefix}{cue.kind[0]}:{cue.name}" for cue in cues})


def _ngrams(words: Sequence[str], most: int, prefix: str) -> Iterator[str]:
    for size in range(1, most + 1):
        for place in range(len(words) - size + 1):
            yield prefix + "_".join(words[place : place + size])


def _pieces(own: str) -> list[str]:
    """Returns runs of three and four letters, which outlive a typo."""
    low = f" {' '.join(own.lower().split())} "[:200]
    return ["c:" + low[at : at + size] for size in (3, 4) for at in range(len(low) - size + 1)]


def token_features(
    message: Analysis, first: int, last: int, likely: Sequence[int]
) -> list[list[str]]:
    """Returns the features of the tokens of a sentence.

    `likely` tells for each clause of the message how likely it says something lasting, in tenths.
    """
    tokens = message.tokens
    found = []
    clause = message.clause_of(first)
    for place in range(first, last):
        while place >= message.clauses[clause][1]:
            clause += 1
        start, end = message.clauses[clause]
        token = tokens[place]
        near = {
            at: tokens[place + at].norm if first <= place + at < last else _EDGE
            for at in (-3, -2, -1, 1, 2, 3)
        }
        own = token.norm
        shape = _shape(message.text, token)
        features = [
            "b",
            "0" + own,
            "s" + shape,
            "-1" + near[-1],
            "-2" + near[-2],
            "+1" + near[1],
            "+2" + near[2],
            f"-10{near[-1]}|{own}",
            f"0+1{own}|{near[1]}",
            f"-2-1{near[-2]}|{near[-1]}",
            f"+1+2{near[1]}|{near[2]}",
            f"-3-1{near[-3]}|{near[-2]}|{near[-1]}",
            f"-1+1{near[-1]}|{near[1]}",
            f"l{likely[clause]}",
            f"e{min(place - start, 3)}",
            f"f{min(end - 1 - place, 2)}",
        ]
        if token.tag:
            features += ["t" + token.tag, "W" + token.word]
        if not has_han(own):
            features += ["x" + own[-3:], "y" + own[:3]]
        features += _known_around(message, place, (first, last), (start, end))
        found.append(features)
    return found


def _known_around(
    message: Analysis, place: int, sentence: tuple[int, int], clause: tuple[int, int]
) -> list[str]:
    """Returns what is known of a token, of those beside it, and of its clause around it."""
    tokens, own = message.tokens, message.tokens[place].norm
    features = [f"c{cue.kind[0]}{cue.name}" for cue in message.cues[place]]
    for at, mark in ((place - 1, "d"), (place + 1, "g")):
        if sentence[0] <= at < sentence[1]:
            features += [f"{mark}{cue.kind[0]}{cue.name}" for cue in message.cues[at]]
            features.append(f"{mark}s{_shape(message.text, tokens[at])}")
            if tokens[at].tag:
                features += [f"{mark}t{tokens[at].tag}", f"{mark}W{tokens[at].word}"]
    near = message.cues[max(clause[0], place - 6) : min(clause[1], place + 7)]
    features += {f"C{cue.kind[0]}{cue.name}" for known in near for cue in known}
    if message.before and place < _ANSWERING:
        features += ["q", f"q0{own}", *(f"qa{name}" for name in message.before_asks)]
    return features


def _shape(text: str, token: Token) -> str:
    word = text[token.start : token.end]
    glued = token.start > 0 and not text[token.start - 1].isspace()
    if has_han(word):
        return "h" if glued else "_h"
    if word[0].isdigit():
        return token.norm + "g" * glued
    if word[0].isalpha():
        case = "A" if word.isupper() and len(word) > 1 else "T" if word[0].isupper() else "a"
        return case + "g" * glued
    return word


def span_features(message: Analysis, first: int, last: int) -> list[str]:
    """Returns what tells the attribute, the relation and the say of a value."""
    tokens = message.tokens
    index = message.clause_of(first)
    start, end = message.clauses[index]
    end = max(end, last)
    words = [token.norm for token in tokens[first:last]]
    left = [token.norm for token in tokens[max(0, first - _NEAR) : first]]
    right = [token.norm for token in tokens[last : last + _NEAR]]
    found = [*_ngrams(words[:12], 3, "v:")]
    found += [f"v^:{words[0]}", f"v$:{words[-1]}", f"vl{min(8, len(words))}"]
    found += [f"vs:{_shape(message.text, token)}" for token in tokens[first:last][:6]]
    found += [f"l{len(left) - at}:{word}" for at, word in enumerate(left)]
    found += [f"r{at}:{word}" for at, word in enumerate(right)]
    found += [f"l2:{'_'.join(left[-2:])}", f"l3:{'_'.join(left[-3:])}", f"r2:{'_'.join(right[:2])}"]
    found += _ngrams([token.norm for token in tokens[start:first]][-10:], 2, "cl:")
    found += _ngrams([token.norm for token in tokens[last:end]][:10], 2, "cr:")
    own = message.span_text(start, end)
    if not has_han(own):
        found += _pieces(message.span_text(max(start, first - _NEAR), min(end, last + _NEAR)))
    else:
        found += _ngrams([token.norm for token in tokens[start:end]], 3, "w:")
    found += _word_features(message, first, last, "vW:")
    found += _word_features(message, max(start, first - 8), first, "lW:")
    found += _word_features(message, last, min(end, last + 8), "rW:")
    found += _cue_features(message, first, last, "kv:")
    found += _cue_features(message, max(0, first - _NEAR), first, "kl:")
    found += _cue_features(message, last, min(len(tokens), last + _NEAR), "kr:")
    found += _cue_features(message, start, end, "kc:")
    found += _cue_features(message, 0, len(tokens), "km:") if len(tokens) < 120 else []
    if index:
        at, to = message.clauses[index - 1]
        found += ["p:" + token.norm for token in tokens[at:to][-8:]]
        found += _cue_features(message, at, to, "kp:")
    if index + 1 < len(message.clauses):
        at, to = message.clauses[index + 1]
        found += ["n:" + token.norm for token in tokens[at:to][:6]]
    found += _ngrams(message.opening, 2, "h:")
    found += _before_features(message)
    return found
