"""Which pieces of text a regular expression cannot match without.

In: the source of a pattern, or words. Out: pieces of which a text must hold one to match, or none
where nothing is certain. In: a text. Out: all of its pieces. Where the two share none, there is
nothing to look for. A piece is one character or three in a row, in small letters, and in a text
beyond ASCII also two.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import pairwise, product
from typing import Any, Final, NamedTuple

Piece = str | tuple[str, ...]
"""One character, or several one by one."""

# The parser of `re.compile`; whatever else it may come to tell of counts as matching anything.
_PARSER: Final[Any] = import_module("re._parser")
_MOST: Final = 64  # strings into which a part of a pattern is spelled out
# Roughly how frequent the letters are in English; any other character is rarer.
_FREQUENCIES: Final = {
    letter: 0.18 / place for place, letter in enumerate(" etaoinshrdlucmwfygpbvkxjqz", start=1)
}
_RARE: Final = 0.002
_EVERYWHERE: Final = frozenset(
    (*("the", "and", "ing", "you", "for", "tha", "hat", "her", "his", "all", "was", "ere", "ent"),)
    + ("ion", "hav", "lik", "wha", "ver", "not")
)
_TOO_FREQUENT: Final = 0.015
"""Pieces that many texts hold one of are not worth asking for."""
_REPEATS: Final = frozenset(("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"))


class _Part(NamedTuple):
    """What is known of a part of a pattern; empty is what is not known.

    `strings` are all that it can match, and one of `needed` is in whatever it matches.
    """

    strings: frozenset[str]
    needed: frozenset[Piece]


_NONE: Final[frozenset[Any]] = frozenset()
_NOTHING: Final = frozenset({""})
_ANYTHING: Final = _Part(_NONE, _NONE)


@lru_cache(maxsize=64)  # a sentence is searched for one thing after the other
def pieces_of(text: str) -> frozenset[Piece]:
    """Return all pieces of a text."""
    if text.isascii():
        text = text.lower()
        return frozenset((*text, *_threes(text)))
    # The other characters that stand for one of a to z where case is ignored.
    text = text.replace("İ", "i").replace("ı", "i").replace("ſ", "s").lower()
    return frozenset((*text, *pairwise(text), *_threes(text)))


def needed_by(source: str, flags: int) -> frozenset[Piece]:
    """Return pieces of which every text that a pattern matches in holds one at least.

    Where there are no such pieces, or many texts hold one of them, none are returned.
    """
    needed = _sequence(_PARSER.parse(source, flags)).needed
    return needed if _frequency(needed) < _TOO_FREQUENT else _NONE


def _pieces_in(strings: frozenset[str]) -> frozenset[Piece]:
    """Return the rarest piece of each of some strings; none at all where one is empty."""
    return _NONE if "" in strings else frozenset(map(rarest, strings))


def _threes(text: str) -> Iterable[tuple[str, str, str]]:
    return zip(text, text[1:], text[2:], strict=False)


@lru_cache(maxsize=1_024)  # patterns are full of the same words
def rarest(string: str) -> Piece:
    """Return the piece of a string, which is not empty, that the fewest texts hold."""
    if len(string) > 2:
        return min(_threes(string), key=_rarity)
    return min(string, key=_rarity) if string.isascii() or len(string) < 2 else tuple(string)


def _rarity(piece: Piece) -> float:
    """Guess how often a piece comes in a text."""
    if len(piece) == 3 and "".join(piece) in _EVERYWHERE:
        return _RARE
    frequency = 1.0
    for letter in piece:
        frequency *= _FREQUENCIES.get(letter, _RARE)
    return frequency


def _frequency(pieces: Iterable[Piece]) -> float:
    """Guess how often one of some pieces comes in a text."""
    return sum(map(_rarity, pieces))


def _rarer(one: frozenset[Piece], other: frozenset[Piece]) -> frozenset[Piece]:
    """Return those of two sets of pieces that fewer texts hold one of."""
    if not (one and other):
        return one or other
    return min(one, other, key=_frequency)


def _sequence(parts: Iterable[tuple[Any, Any]]) -> _Part:
    """Read what stands one after the other, which makes longer strings of short ones."""
    needed, run, whole, word = _NONE, _NOTHING, True, ""
    for name, value in parts:
        if str(name) == "LITERAL" and (letter := _plain(value)):
            word += letter
            continue
        part = _part(str(name), value)
        needed = _rarer(needed, part.needed)
        if word:
            run, word = frozenset(one + word for one in run), ""
        if part.strings and len(part.strings) * len(run) <= _MOST:
            run = frozenset(map("".join, product(run, part.strings)))
        else:
            needed = _rarer(needed, _pieces_in(run))
            run, whole = part.strings or _NOTHING, False
    if word:
        run = frozenset(one + word for one in run)
    return _Part(run if whole else _NONE, _rarer(needed, _pieces_in(run)))


def _part(name: str, value: Any) -> _Part:
    """Read one part of a pattern as the parser tells it."""
    if name == "IN":
        return _choice(value)
    if name == "BRANCH":
        return _either([_sequence(each) for each in value[1]])
    if name in ("SUBPATTERN", "ATOMIC_GROUP"):
        return _sequence(value[-1] if name == "SUBPATTERN" else value)
    if name in _REPEATS:
        return _repeated(*value)
    if name == "ASSERT":
        return _Part(_NOTHING, _sequence(value[1]).needed)
    return _Part(_NOTHING, _NONE) if name in ("AT", "ASSERT_NOT") else _ANYTHING


def _plain(code: int) -> str:
    """Return a character as it is among pieces; empty for those with two cases beyond ASCII."""
    letter = chr(code)
    plain = letter.isascii() or letter.lower() == letter == letter.upper()
    return letter.lower() if plain else ""


def _choice(kinds: Sequence[tuple[Any, Any]]) -> _Part:
    """Read a choice of characters."""
    letters = [_plain(value) if str(kind) == "LITERAL" else "" for kind, value in kinds]
    return _Part(frozenset(letters), _NONE) if all(letters) else _ANYTHING


def _either(parts: Sequence[_Part]) -> _Part:
    """Read a choice of parts, each of which must be known."""
    strings, needed = zip(*parts, strict=True)
    return _Part(
        _NONE.union(*strings) if all(strings) else _NONE,
        _NONE.union(*needed) if all(needed) else _NONE,
    )


def _repeated(least: int, most: int, inner: Iterable[tuple[Any, Any]]) -> _Part:
    """Read what may stand there several times, or not at all."""
    part = _sequence(inner)
    if least:
        return part if most == 1 else _Part(_NONE, part.needed)
    return _Part(part.strings | _NOTHING, _NONE) if most == 1 and part.strings else _ANYTHING
