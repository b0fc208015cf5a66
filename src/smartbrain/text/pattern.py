"""Regular expressions that are compiled when they are first used, and signs to look for.

In: a pattern as `re.compile` takes it, or words. Out: something to use like the compiled one.
Compiling those of the text functions takes tens of milliseconds, which `import smartbrain` must not
cost. A sign is one of many that a text is searched for, mostly in vain: what the text lacks the
words for is not looked for at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property
from itertools import count
from sys import maxsize
from typing import Any, Final, Generic, TypeVar, cast

from smartbrain.text.needed import REGISTER, needed_by

_LONGEST: Final = 2_000  # characters of a text whose words are looked at
_OFTEN: Final = 100  # times; to find out what a pattern needs takes as long as to compile it

# Chinese characters have no case; not told so, `re` folds each of them to find that out.
_HAN: Final = re.compile(r"\[\\u(?:3400|4e00)-\\u9fff\]")

_Key = TypeVar("_Key")


def _compiled(source: str, flags: int) -> re.Pattern[str]:
    """Compile a pattern."""
    if flags & re.IGNORECASE:
        source = _HAN.sub(r"(?-i:\g<0>)", source)
    return re.compile(source, flags)


class _Pattern:
    """Stands for a compiled pattern until somebody asks it something."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # Kept on the instance, so that each method is looked for here only once.
        found = getattr(_compiled(self._source, self._flags), name)
        self.__dict__[name] = found
        return found


class _Sign(_Pattern):
    """Stands for a pattern that is searched for in the same texts as many others."""

    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)
        if name not in ("search", "match"):
            return found
        asked = count(1)

        def look(string: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
            if next(asked) == _OFTEN:
                self.__dict__[name] = _sooner(found, needed_by(self._source, self._flags))
            match: re.Match[str] | None = found(string, pos, endpos)
            return match

        self.__dict__[name] = look
        return look


def _sooner(found: Any, needed: frozenset[str]) -> Any:
    """Return a method of a pattern that looks at those texts only that may hold a match."""
    if not needed:
        return found
    bit, bits_in = REGISTER.add(needed), REGISTER.bits_in

    def look(string: str, pos: int = 0, endpos: int = maxsize) -> re.Match[str] | None:
        if len(string) <= _LONGEST and not bits_in(string, REGISTER.things) & bit:
            return None
        match: re.Match[str] | None = found(string, pos, endpos)
        return match

    return look


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern to be compiled on first use; a wrong one raises `re.error` only then."""
    return cast("re.Pattern[str]", _Pattern(source, flags))


def sign(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return a pattern that few texts hold, to look for among others in whole sentences."""
    return cast("re.Pattern[str]", _Sign(source, flags))


def strip_end(text: str, ending: re.Pattern[str], longest: int) -> str:
    """Return a text without the match of a pattern that ends it.

    The match is looked for in the last `longest` characters only: a pattern that begins anywhere
    and goes on to the end takes a time that grows with the square of what it looks at.
    """
    found = ending.search(text, max(0, len(text) - longest))
    return text[: found.start()] if found else text


class WordIndex(Generic[_Key]):
    """Which of several things a text may hold, each told by its words or parts of words."""

    def __init__(self, words: Iterable[tuple[_Key, str]]) -> None:
        """Take each thing with its words, in small letters and separated by `|`."""
        self._words = list(words)

    @cached_property
    def _bits(self) -> list[tuple[int, list[str], _Key]]:
        split = [(words.split("|"), key) for key, words in self._words]
        return [(REGISTER.add(words), words, key) for words, key in split]

    @cached_property
    def _any(self) -> int:
        return sum(bit for bit, _, _ in self._bits)

    def in_(self, text: str) -> set[_Key]:
        """Return the things of which a word stands in a text, in whatever case."""
        held = self._any
        if len(text) <= _LONGEST:
            held &= REGISTER.bits_in(text, REGISTER.things)
        if not held:
            return set()
        holds = text.lower().__contains__
        return {key for bit, words, key in self._bits if held & bit and any(map(holds, words))}


class Words:
    """Words, or parts of words, of which a text may hold one."""

    def __init__(self, words: str) -> None:
        """Take words in small letters, separated by `|`."""
        self._index = WordIndex([(True, words)])

    def in_(self, text: str) -> bool:
        """Tell whether one of the words stands in a text, in whatever case."""
        return bool(self._index.in_(text))
