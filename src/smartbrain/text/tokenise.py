# mypy: disable-error-code="import-not-found"
"""Cut text into the terms that a search matches by, for Chinese, English and everything between.

In: any string, also with control characters or lone surrogates. Out: terms without blanks and of at
most 100 bytes. English words become their stems and stop words are left out; scripts without blanks
become pairs of characters; codes, paths, addresses and identifiers are kept whole beside their
parts. Phrases are cut finer: every word, also stop words, and every single character of a wide run.
Not a segmenter: it knows no Chinese words.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from operator import add
from typing import Final, NamedTuple, TypeVar

import Stemmer

from smartbrain.domain.search import WeightedTerm
from smartbrain.text.pattern import pattern
from smartbrain.text.word_list import STOP_WORDS

VERSION: Final = 2
"""Raised when the same text gives other terms than before: indexes have to be built again."""

LONGEST: Final = 100
"""The most bytes of a term; a longer one keeps its beginning and a fingerprint of the whole."""

SINGLE_WEIGHT: Final = 0.2
"""What a single character of a longer wide run counts in a query, beside its pairs."""

PART_WEIGHT: Final = 0.5
"""What a part of a code counts in a query, beside the code as a whole."""

_WIDE: Final = (
    "\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa"
    "\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_LETTER: Final = rf"[^\W_{_WIDE}]"
# Vowel signs and accents that stand beside their letter; they belong to the word.
_MARK: Final = "[\u0300-\u036f\u0483-\u0487\u0900-\u0963\u0966-\u0dff]"
_WORD: Final = rf"{_LETTER}++(?:{_MARK}++{_LETTER}*+)*+"
# What may stand inside a code, a path or an address, between its letters and digits.
_JOINT: Final = r"(?:['.\-_/\\:=@#?&%~+]{1,3}|(?<=[0-9]),(?=[0-9]))"
_EMOJI: Final = (
    "[\U0001f1e6-\U0001f1ff]{2}|[\u231a-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff]"
)
_ASCII_PIECES: Final = pattern(
    rf"[A-Za-z0-9]++(?:{_JOINT}[A-Za-z0-9]++)*+(?:(?:\+\+|\#)(?![A-Za-z0-9]))?"
)
_PIECES: Final = pattern(
    rf"[{_WIDE}]++|{_WORD}(?:{_JOINT}{_WORD})*+(?:(?:\+\+|\#)(?!{_LETTER}))?|{_EMOJI}"
)
# Control and invisible characters, joiners, variation selectors, skin tones, the points of Hebrew
# and Arabic, which most texts leave out, and halves of surrogate pairs.
_IGNORED: Final = pattern(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5"
    "\u05c7\u0610-\u061c\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8"
    "\u06ea-\u06ed\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ud800-\udfff\ufe00-\ufe0f\ufeff\ufff9-\ufffb\U0001f3fb-\U0001f3ff\U000e0000-\U000e0fff]+"
)
# Commas and the like in Chinese; a text that has any takes ten times as long to normalise.
_FULL_WIDTH: Final = pattern("[\uff01-\uff5e]")
_FROM_FULL_WIDTH: Final = 0xFEE0
_WIDE_START: Final = pattern(rf"[{_WIDE}]")
_PART: Final = pattern(rf"{_WORD}(?:'{_WORD})*+(?:(?:\+\+|\#)(?!{_LETTER}))?")
_ASCII_PART: Final = pattern(r"[A-Za-z0-9]++(?:'[A-Za-z0-9]++)*+(?:(?:\+\+|\#)(?![A-Za-z0-9]))?")
_CASE_CHANGE: Final = pattern("(?![0-9])[A-Za-z0-9]*?(?:[a-z][A-Z]|[A-Z]{2}[a-z]{2})")
_CASE_PART: Final = pattern("[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_CASE_PART_MEAN: Final = 3
_FEW_CASE_PARTS: Final = 3  # iPhone15, dbId; a code of chance has more
_ENGLISH: Final = pattern("[a-z']+")
_CODE: Final = pattern(r"[0-9_/\\:=@#?&%~+]|[^.]\.[^.]")

_Found = TypeVar("_Found")

# Without the stemmer's own cache, which costs ten times what it keeps.
_stem: Final[Callable[[str], str]] = Stemmer.Stemmer("english", 0).stemWord

_REMEMBERED: Final = 200_000
_LONGEST_REMEMBERED: Final = 40
_known_stems: Final[dict[str, str]] = {}  # of pieces like most, one term and one word
_known_cuts: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {}
_known_weights: Final[dict[str, tuple[WeightedTerm, ...]]] = {}


class Cut(NamedTuple):
    """A text cut into what it is found by, the words of its phrases, its single characters."""

    terms: list[str]
    words: list[str]
    singles: list[str]


def cut_text(text: str) -> Cut:
    """Return everything that a text is indexed by.

    A wide run is found by its pairs, and by each of its characters where a query is one character.
    Words of phrases are the finest terms in their order, stop words too: what stands beside what.
    """
    terms: list[str] = []
    words: list[str] = []
    wide: list[str] = []
    for piece in _pieces(text):
        stem = _known_stems.get(piece)
        if stem is not None:
            terms.append(stem)
            words.append(stem)
            continue
        known = _known_cuts.get(piece)
        if known is None:
            if _WIDE_START.match(piece):
                characters = [*piece]  # taken apart once: each is an object of its own
                terms += _pairs(characters)
                words += characters
                wide += characters
                continue
            known = _cut_piece(piece)
        terms += known[0]
        words += known[1]
    return Cut(terms, words, list(dict.fromkeys(wide)))


def says_something(text: str) -> bool:
    """Tell whether a text holds a word, a number or a sign of its own: no mere marks or blanks."""
    return bool(_pieces(text))


def index_terms(text: str) -> list[str]:
    """Return the terms a text is found by, in its order."""
    return cut_text(text).terms


def phrase_terms(text: str) -> list[str]:
    """Return the words of a phrase in their order."""
    return cut_text(text).words


def query_terms(text: str) -> list[WeightedTerm]:
    """Return what to look for, each term once with its weight, in the text's order.

    Words, pairs and whole codes weigh 1; the parts of a code and the single characters of a wide
    run weigh less: they find what was written another way and decide between what is alike.
    """
    found: dict[str, WeightedTerm] = {}
    for piece in _pieces(text):
        known = _known_weights.get(piece)
        for one in _weighted(piece) if known is None else known:
            other = found.setdefault(one[0], one)
            if other[1] < one[1]:
                found[one[0]] = one
    return list(found.values())


def _pieces(text: str) -> list[str]:
    """Cut a text into words, codes, wide runs and emoji, cleaned but in their own case."""
    if not (text.isascii() and text.isprintable()):
        text = _IGNORED.sub("", text)
    if text.isascii():
        return _ASCII_PIECES.findall(text)
    text = _FULL_WIDTH.sub(lambda found: chr(ord(found[0]) - _FROM_FULL_WIDTH), text)
    return _PIECES.findall(unicodedata.normalize("NFKC", text).replace("’", "'"))


def _cut_piece(piece: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what a piece is found by, and its finest terms."""
    term = _only_term(piece)
    if term is not None:
        if piece.lower() in STOP_WORDS:
            return _remember(_known_cuts, piece, ((), (term,)))
        _remember(_known_stems, piece, piece if term == piece else term)
        return (term,), (term,)
    whole, parts, words = _whole_and_parts(piece)
    return _remember(_known_cuts, piece, ((whole, *parts) if whole else parts, words))


def _weighted(piece: str) -> tuple[WeightedTerm, ...]:
    """Return the terms of a piece of a query with their weights."""
    if _WIDE_START.match(piece):
        singles = piece if len(piece) > 1 else ""
        return (
            *(WeightedTerm(pair) for pair in _pairs([*piece])),
            *(WeightedTerm(one, SINGLE_WEIGHT) for one in singles),
        )
    whole, parts, _ = _whole_and_parts(piece)
    found = tuple(WeightedTerm(part, PART_WEIGHT if whole else 1.0) for part in parts)
    return _remember(_known_weights, piece, (WeightedTerm(whole), *found) if whole else found)


def _only_term(piece: str) -> str | None:
    """Return the term of a piece like most: an English word, a number, small letters and digits.

    None of any other, which may have parts.
    """
    if not (piece.isascii() and piece.isalnum()):
        return None
    if not piece.isalpha():
        return None if piece != piece.lower() else _short(piece)
    return _short(_stem(piece.lower())) if piece.islower() or piece.istitle() else None


def _remember(known: dict[str, _Found], piece: str, found: _Found) -> _Found:
    """Keep what was found in a piece, if it is likely to come again, and return it."""
    if len(piece) <= _LONGEST_REMEMBERED:
        if len(known) >= _REMEMBERED:
            known.clear()
        known[piece] = found
    return found


def _pairs(characters: list[str]) -> list[str]:
    """Return the overlapping pairs of a wide run's characters, or its only character."""
    return [*map(add, characters, characters[1:])] or characters


def _whole_and_parts(piece: str) -> tuple[str, tuple[str, ...], tuple[str, ...]]:
    """Return a piece as one term, if it is more than a word or a few, the terms in it, its words.

    Words are the finest parts; a change of case begins a new one.
    """
    parts = (_ASCII_PART if piece.isascii() else _PART).findall(piece) or [piece]
    small = piece.lower()
    fine = parts if piece == small else _fine_of(parts)
    words = tuple(map(_word, fine))
    terms = [term for term, part in zip(words, fine, strict=True) if part not in STOP_WORDS]
    if len(parts) == 1:
        return (_word(small) if len(fine) > 1 else ""), tuple(terms), words
    if len(fine) > len(parts):
        terms += [_word(part.lower()) for part in parts if _CASE_CHANGE.match(part)]
    code = _CODE.search(piece)
    if not code:
        # Follow-up is also written followup.
        terms.append(_word("".join(parts).lower()))
    return (_short(small) if code else ""), tuple(dict.fromkeys(terms)), words


def _fine_of(parts: list[str]) -> list[str]:
    fine = []
    for part in parts:
        words = _CASE_PART.findall(part) if _CASE_CHANGE.match(part) else [part]
        # What changes its case at every other letter is a key or a hash, not words.
        told = (
            len(words) <= max(_FEW_CASE_PARTS, len(part) // _CASE_PART_MEAN)
            and part.isascii()
            and part.isalnum()
        )
        fine += [word.lower() for word in (words if told else [part])]
    return fine


@lru_cache(maxsize=10_000)
def _word(word: str) -> str:
    return _short(_stem(word) if _ENGLISH.fullmatch(word) else word)


def _short(term: str) -> str:
    if len(term) * 4 <= LONGEST:
        return term
    data = term.encode()
    if len(data) <= LONGEST:
        return term
    fingerprint = blake2b(data, digest_size=16).hexdigest()
    return f"{data[: LONGEST - 33].decode(errors='ignore')}~{fingerprint}"
