"""Which words a regular expression cannot match without, and what of many things a text may hold.

In: the source of a pattern. Out: words, or parts of words, of which a text must hold one to match,
or none where nothing is certain. In: a text. Out: the bits of everything registered that it may
hold a word of; what each of a text's words can stand for is found out once. A piece is one
character or three in a row, in small letters, and beyond ASCII also two; its middle is no blank.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import product
from operator import add
from threading import Lock
from typing import Any, Final, NamedTuple

# The parser of `re.compile`; whatever else it may come to tell of counts as matching anything.
_PARSER: Final[Any] = import_module("re._parser")
_LONGEST_WORD: Final = 20  # characters; longer ones hardly come again
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
_TOO_FREQUENT: Final = 0.05
"""Pieces that many texts hold one of are not worth asking for."""
_REPEATS: Final = frozenset(("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"))


class _Part(NamedTuple):
    """What is known of a part of a pattern; empty is what is not known.

    `strings` are all that it can match, and one of `needed` is in whatever it matches.
    """

    strings: frozenset[str]
    needed: frozenset[str]


_NONE: Final[frozenset[str]] = frozenset()
_NOTHING: Final = frozenset({""})
_ANYTHING: Final = _Part(_NONE, _NONE)


def folded(text: str) -> str:
    """Return a text in small letters, as patterns see it that ignore case."""
    if text.isascii():
        return text.lower()
    # The other characters that stand for one of a to z where case is ignored.
    return text.replace("İ", "i").replace("ı", "i").replace("ſ", "s").lower()


class Register:
    """The words of many things to look for, each known by a bit."""

    def __init__(self) -> None:
        self._lock = Lock()
        self.things = 0
        # By a piece, the parts of words that have it and the bits of all things with such a part.
        self._by_piece: dict[str, tuple[tuple[str, int], ...]] = {}
        # Texts are full of the same words, and the sentences of a message are searched by several
        # readers, one after the other.
        self._of_word = lru_cache(maxsize=4_096)(self._bits_of)
        self.bits_in = lru_cache(maxsize=4_096)(self._bits_in)

    def add(self, words: Iterable[str]) -> int:
        """Register a thing by words in small letters; return its bit."""
        with self._lock:
            bit = 1 << self.things
            for part in {_rarest_part(word) for word in words}:
                bits = dict(self._by_piece.get(rarest(part), ()))
                bits[part] = bits.get(part, 0) | bit
                self._by_piece[rarest(part)] = tuple(bits.items())
            self.things += 1
        return bit

    def held_by(self, text: str) -> int:
        """Return the bits of all things that a text may hold a word of."""
        return self.bits_in(text, self.things)

    def _bits_in(self, text: str, things: int) -> int:
        """Return the bits of the first things that a text may hold; others may be coming in."""
        found = 0
        for word in folded(text).split(" "):
            short = len(word) <= _LONGEST_WORD
            found |= self._of_word(word, things) if short else self._bits_of(word, things)
        return found

    def _bits_of(self, word: str, things: int) -> int:
        """Return the bits of the first things that stand in a word and the blanks beside it."""
        spaced, found = f" {word} ", 0
        pairs = list(map(add, spaced, spaced[1:]))
        threes = map(add, pairs, spaced[2:])
        pieces = {*spaced, *threes} if word.isascii() else {*spaced, *pairs, *threes}
        for piece in self._by_piece.keys() & pieces:
            for part, bits in self._by_piece[piece]:
                if part in spaced:
                    found |= bits
        return found & ((1 << things) - 1)


REGISTER: Final = Register()
"""What every text is looked through for at once."""


def _rarest_part(string: str) -> str:
    """Return the part of a string between blanks, with them, that the fewest texts hold."""
    words = string.split(" ")
    spaced = [
        " " * (at > 0) + word + " " * (at < len(words) - 1) for at, word in enumerate(words) if word
    ]
    return min(spaced, key=lambda part: _rarity(rarest(part)), default=" ")


def needed_by(source: str, flags: int) -> frozenset[str]:
    """Return words of which every text that a pattern matches in holds one at least.

    Where there are no such words, or many texts hold a piece of one, none are returned.
    """
    needed = _sequence(_PARSER.parse(source, flags)).needed
    return needed if _frequency(needed) < _TOO_FREQUENT else _NONE


def _certain(strings: frozenset[str]) -> frozenset[str]:
    """Return strings one of which is there; none where there may be nothing."""
    return _NONE if "" in strings else strings


@lru_cache(maxsize=1_024)  # patterns are full of the same words
def rarest(string: str) -> str:
    """Return the piece of a string, which is not empty, that the fewest texts hold."""
    threes = [string[at : at + 3] for at in range(len(string) - 2) if string[at + 1] != " "]
    if threes:
        return min(threes, key=_rarity)
    return string if len(string) == 2 and not string.isascii() else min(string, key=_rarity)


def _rarity(piece: str) -> float:
    """Guess how often a piece comes in a text."""
    if piece in _EVERYWHERE:
        return _RARE
    frequency = 1.0
    for letter in piece:
        frequency *= _FREQUENCIES.get(letter, _RARE)
    return frequency


def _frequency(words: Iterable[str]) -> float:
    """Guess how often a text holds the rarest piece of one of some words."""
    return sum(map(_rarity, set(map(rarest, words))))


def _rarer(one: frozenset[str], other: frozenset[str]) -> frozenset[str]:
    """Return those of two sets of words that fewer texts hold one of."""
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
            needed = _rarer(needed, _certain(run))
            run, whole = part.strings or _NOTHING, False
    if word:
        run = frozenset(one + word for one in run)
    return _Part(run if whole else _NONE, _rarer(needed, _certain(run)))


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
