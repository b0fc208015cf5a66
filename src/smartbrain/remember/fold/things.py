"""The things that a task is about, by which a status finds it again (K11).

In: words such as "sara's floor plan sent" or 图纸发李工了, and the titles of open tasks. Out: the
things they share: nouns and names, but no verbs, for every task is sent, done or paid in the end.
"""

from __future__ import annotations

from typing import Final

from smartbrain.remember.extract.deeds import words_of
from smartbrain.remember.extract.tasks_words import VERBS
from smartbrain.text.phrase_index import is_han
from smartbrain.text.segment import tag

_NO_THINGS: Final = ("u", "r", "q", "p", "c", "d", "m", "x", "y", "t", "f", "zg")
"""Tags of Chinese words that name nothing: particles, pronouns, numbers, times."""
_LEAST_HAN: Final = 2


def things_in(text: str) -> set[str]:
    """Return the words of a text that name something."""
    found = {word for word in words_of(text) if word.isascii() and word not in VERBS}
    for word, kind in tag(text):
        if is_han(word) and len(word) >= _LEAST_HAN and not kind.startswith(_NO_THINGS):
            found.add(word)
    return found


def shared_things(things: set[str], title: str) -> set[str]:
    """Return the things that a title names as well."""
    words = {*words_of(title)}
    return {thing for thing in things if thing in (words if thing.isascii() else title)}


def are_apart(one: str, other: str, shared: set[str]) -> bool:
    """Tell whether two texts share no more than a part of two things: a login page, a login bug."""
    first, second = _read_words(one), _read_words(other)
    return all(_is_part(thing, first, second) for thing in shared)


def _is_part(thing: str, first: list[str], second: list[str]) -> bool:
    """Tell whether what stands beside a thing makes it another one in each of two texts."""
    if thing not in first or thing not in second:
        return False
    one, other = first.index(thing), second.index(thing)
    for step in (-1, 1):
        beside, known = _beside(first, one + step), _beside(second, other + step)
        if not beside or beside in second or (known and known in first):
            continue
        if known or (step > 0 and any(word in VERBS for word in first)):
            return True  # with a verb elsewhere, what follows is no verb: milk chocolate
    return False


def _beside(words: list[str], place: int) -> str:
    """Return the thing at a place, empty where there is none or it is a verb."""
    word = words[place] if 0 <= place < len(words) else ""
    return "" if word in VERBS else word


def _read_words(text: str) -> list[str]:
    """Return the words of a text in their order; those that name nothing are empty."""
    found: list[str] = []
    for word, kind in tag(text):
        if is_han(word):
            named = len(word) >= _LEAST_HAN and not kind.startswith(_NO_THINGS)
            found.append(word if named else "")
        elif word.strip():
            found.append(next(iter(words_of(word)), ""))
    return found
