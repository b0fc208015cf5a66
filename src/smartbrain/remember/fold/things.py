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
    """Tell whether two texts share no more than the head of two things: a water, a power bill."""
    first, second = _before_each(one), _before_each(other)
    for thing in shared:
        before, known = first.get(thing, ""), second.get(thing, "")
        differ = before and known and before not in second and known not in first
        if not differ:
            return False
    return True


def _before_each(text: str) -> dict[str, str]:
    """Return each telling word of a text with the one that it stands right behind, if any."""
    found: dict[str, str] = {}
    last = ""
    for word in text.replace("'s", " ").split():
        (plain, *_) = (*words_of(word), "")
        found.setdefault(plain, "" if last in VERBS else last)
        last = plain
    return found
