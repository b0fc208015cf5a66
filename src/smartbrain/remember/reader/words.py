"""A message cut into tokens, clauses and sentences, with the words that the ontology knows.

In: the text of a message, and the assistant's message before it. Out: an `Analysis` that features
are computed from. English tokens are words, Chinese ones single characters; nothing is stemmed and
nothing is lost: every token has its place in the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from datetime import UTC, datetime
from typing import Final

import msgspec

from smartbrain.text.ontology import Ontology
from smartbrain.text.segment import tag as tag_words
from smartbrain.text.times import find_times

TOKEN: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9_]*(?:['’][A-Za-z]+)?|\d+(?:[.:,/-]\d+)*|[\u3400-\u4dbf\u4e00-\u9fff]"
    r"|[^\sA-Za-z\d\u3400-\u4dbf\u4e00-\u9fff]"
)
_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_STOPS: Final = (
    r"(?<![.!?。！？;；…])[.!?。！？;；…]+(?=\s|$|[^\x00-\x7f])|\n+|(?<![~～])[~～]+(?=\s|$)"
)
_SENTENCE_END: Final = re.compile(_STOPS)
_CLAUSE_END: Final = re.compile(
    rf"{_STOPS}|[,，](?=\s|[^\d\s])|\s[-–—]+\s|——|[(（)）]"
    r"|(?<=[\u4e00-\u9fff])[ \u3000]+(?=[\u4e00-\u9fff])"
    r"|\s(?=(?:and|but|so|because|also|then|which|cuz|cos|bc|though)\s(?:i|im|i'm|my|we|our|the|it|its|he|she|they)\b)",
    re.IGNORECASE,
)
_MIN_CLAUSE_EN: Final = 12
_MIN_CLAUSE_ZH: Final = 4
_DOMAINS: Final = "com|net|org|io|dev|cn|app|co|uk|de|local|internal|ai"
_CURRENCIES: Final = "k\\b|usd|eur|gbp|rmb|dollars?|euros?|quid|bucks|块|元|万|百块|千|刀"
_UNITS: Final = (
    "mg|ml|kg|g|km|cm|m|gb|tb|mb|h|hrs?|hours?|min|minutes?|years?|yrs?"
    "|岁|年|个月|天|小时|分钟|公里|斤|公斤|片|粒|次|个|人|楼|层|号"
)
_FIGURE: Final = r"(?<![\d.,])\d[\d.,]{0,14}\s?"
_SHAPES: Final = {
    "url": re.compile(
        r"(?:https?://|www\.)[^\s,，。）)]+"
        rf"|(?<![a-z0-9.-])[a-z0-9-]{{1,63}}(?:\.[a-z0-9-]{{1,63}}){{0,6}}\.(?:{_DOMAINS})\b",
        re.IGNORECASE,
    ),
    "email": re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}\.[\w.-]{1,64}"),
    "ip": re.compile(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}\b"),
    "path": re.compile(r"(?<![\w/:.~@-])[~.]{0,2}/[\w.@-]+(?:/[\w.@-]+)*/?|\b[A-Za-z]:\\[\w\\.-]+"),
    "version": re.compile(r"(?<![\d.])\bv?\d{1,4}\.\d{1,4}(?:\.\d{1,4}){0,2}\b", re.IGNORECASE),
    "money": re.compile(
        rf"[$€£¥₹]\s?\d[\d.,]{{0,14}}\s?[kKmM万]?|{_FIGURE}(?:{_CURRENCIES})", re.IGNORECASE
    ),
    "number": re.compile(r"(?<!\d)(?:\d{6,}|\d{3,4}[- ]\d{3,4}(?:[- ]\d{3,4})?)"),
    "amount": re.compile(rf"{_FIGURE}(?:{_UNITS})", re.IGNORECASE),
}
_SOME_DAY: Final = datetime(2026, 3, 5, 10, tzinfo=UTC)
"""Times are only marked here; whoever resolves one knows its day."""
MAX_SENTENCE: Final = 160
"""Tokens of a sentence that are tagged together; a longer one is cut."""


class Token(msgspec.Struct, frozen=True):
    """A word, number, Chinese character or sign, and where it stands."""

    start: int
    end: int
    norm: str
    word: str = ""
    """The Chinese word that a character belongs to."""
    tag: str = ""
    """Its part of speech, with its place in the word."""


class Cue(msgspec.Struct, frozen=True):
    """Words that the ontology knows: an attribute's cue or value, or a relation."""

    name: str
    kind: str
    start: int
    end: int


class Analysis(msgspec.Struct, frozen=True):
    """A message as features see it."""

    text: str
    tokens: tuple[Token, ...]
    clauses: tuple[tuple[int, int], ...]
    """From which token to which."""
    sentences: tuple[tuple[int, int], ...]
    cues: tuple[tuple[Cue, ...], ...]
    """What is known of each token."""
    before: tuple[str, ...]
    """The last words of the assistant's message, normalised."""
    before_asks: tuple[str, ...]
    opening: tuple[str, ...]

    def span_text(self, first: int, last: int) -> str:
        """Returns the text from a token to the one before another."""
        return self.text[self.tokens[first].start : self.tokens[last - 1].end]

    def clause_of(self, token: int) -> int:
        """Returns the index of the clause that a token stands in."""
        return bisect_right(self.clauses, token, key=_first_of) - 1


def _first_of(span: tuple[int, int]) -> int:
    return span[0]


def analyse(text: str, before: str, ontology: Ontology) -> Analysis:
    """Cuts a message and marks the words that the ontology knows."""
    tokens = tokenise(text)
    clauses = _token_spans(_clause_ends(text), tokens)
    sentences = _token_spans([end.end() for end in _SENTENCE_END.finditer(text)], tokens)
    last = _last_sentences(before)
    return Analysis(
        text=text,
        tokens=tokens,
        clauses=clauses,
        sentences=tuple(_short_enough(sentences)),
        cues=_cues_of(text, tokens, ontology),
        before=tuple(token.norm for token in tokenise(last))[-24:],
        before_asks=ontology.asked(last) if last else (),
        opening=tuple(token.norm for token in tokens[:6]),
    )


def tokenise(text: str) -> tuple[Token, ...]:
    """Returns the tokens of a text."""
    words = _words_at(text) if has_han(text) else {}
    return tuple(
        Token(m.start(), m.end(), normal_form(m[0]), *words.get(m.start(), ("", "")))
        for m in TOKEN.finditer(text)
    )


def _words_at(text: str) -> dict[int, tuple[str, str]]:
    """Returns the Chinese word at each place, and its part of speech with the place in it."""
    found, at = {}, 0
    for word, tag in tag_words(text):
        at = text.index(word, at)
        if has_han(word):
            for place in range(len(word)):
                found[at + place] = word, ("I" if place else "B") + tag
        at += len(word)
    return found


def normal_form(word: str) -> str:
    """Returns a word in small letters; a number by its shape."""
    if word[0].isdigit():
        return f"<num{min(len(word), 6)}>" if word.isdigit() else "<numx>"
    return word.lower().replace("’", "'")


def has_han(text: str) -> bool:
    """Tells whether there is a Chinese character in a text."""
    return _HAN.search(text) is not None


def _clause_ends(text: str) -> list[int]:
    """Returns where clauses end; a piece that is too short stays with the next one."""
    ends: list[int] = []
    past = letters = 0
    chinese = False
    for cut in _CLAUSE_END.finditer(text):
        piece = text[past : cut.end()]
        past = cut.end()
        letters += sum(char.isalnum() for char in piece)
        chinese = chinese or has_han(piece)
        least = _MIN_CLAUSE_ZH if chinese else _MIN_CLAUSE_EN
        if letters >= least or (letters and _SENTENCE_END.search(cut[0])):
            ends.append(past)
            letters, chinese = 0, False
    return ends


def _token_spans(ends: list[int], tokens: tuple[Token, ...]) -> tuple[tuple[int, int], ...]:
    starts = [token.start for token in tokens]
    spans, first = [], 0
    for end in ends:
        last = bisect_left(starts, end)
        if last > first:
            spans.append((first, last))
            first = last
    if first < len(tokens):
        spans.append((first, len(tokens)))
    return tuple(spans)


def _short_enough(spans: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    return [
        (start, min(start + MAX_SENTENCE, last))
        for first, last in spans
        for start in range(first, last, MAX_SENTENCE)
    ]


def _cues_of(
    text: str, tokens: tuple[Token, ...], ontology: Ontology
) -> tuple[tuple[Cue, ...], ...]:
    known: list[list[Cue]] = [[] for _ in tokens]
    starts = [token.start for token in tokens]
    found = [Cue(hit.attribute, hit.kind, hit.start, hit.end) for hit in ontology.find_cues(text)]
    found += [
        Cue(name, "relation", start, end) for name, start, end in ontology.find_relations(text)
    ]
    found += [
        Cue(name, "shape", hit.start(), hit.end())
        for name, shape in _SHAPES.items()
        for hit in shape.finditer(text)
    ]
    found += [
        Cue(time.kind.value, "time", time.offset, time.offset + time.length)
        for time in find_times(text, _SOME_DAY)
    ]
    for cue in found:
        for place in range(bisect_left(starts, cue.start), bisect_left(starts, cue.end)):
            known[place].append(cue)
    return tuple(map(tuple, known))


def _last_sentences(text: str) -> str:
    """Returns the end of the message before: what it asks stands there."""
    return text[-200:] if text else ""
