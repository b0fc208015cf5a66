"""The words of a message as they are looked for in memories: names, codes and telling words.

In: the cues of a message and the words that few memories hold. Out: which of them a text holds,
in one pass over it. English words are found in their usual forms, names only as they are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Final

from smartbrain.text.tokenise import index_terms

if TYPE_CHECKING:
    from smartbrain.domain.recall import Cues
    from smartbrain.domain.recalled import RecalledRow

_MOST: Final = 64  # words of one kind that are looked for
_LONGEST: Final = 200  # characters; nothing longer is a word that anybody says again
_ENDINGS: Final = (
    r"(?:['’]s|s|es|d|ed|e|y|ing|ings|er|ers|or|ors|ly|ies|ied|ion|ions|ment|ments|al|able)?"
)
_NO_MORE: Final = r"(?![a-z0-9])"
_NOT_INSIDE: Final = r"(?<![a-z0-9])"
_Forms = tuple[tuple[str, re.Pattern[str]], ...]


class CueWords:
    """What a message gives to look for, ready to be looked for in many memories."""

    def __init__(self, cues: Cues, rare: Collection[str] = ()) -> None:
        rare = sorted(rare)
        exact = (*cues.entities, *cues.referred, *cues.codes, *cues.phrases)
        self._exact = _looked_for(exact, endings=False)
        self._rare = _looked_for(rare, endings=True)
        self._words = _looked_for((*cues.keywords, *rare), endings=True)

    def strong(self, text: str) -> set[str]:
        """Return what a text holds of names, codes, quoted phrases and rare words."""
        folded = text.casefold()
        return _found(self._exact, folded) | _found(self._rare, folded)

    def shared(self, text: str) -> set[str]:
        """Return everything of the message that a text holds."""
        folded = text.casefold()
        return _found(self._exact, folded) | _found(self._words, folded)


def words_of(row: RecalledRow) -> str:
    """Return all that a memory says, for words to be looked for in it."""
    return "\n".join((row.title, row.text, *row.entities))


def _looked_for(words: Iterable[str], *, endings: bool) -> _Forms:
    """Return the forms that words are looked for in, each with its pattern."""
    short = (word.strip().casefold() for word in words if len(word) <= _LONGEST)
    given = list(dict.fromkeys(filter(None, short)))[:_MOST]
    wanted = dict.fromkeys(form for word in given for form in _forms(word, endings))
    return tuple((form, re.compile(_bounded(form, endings))) for form in wanted)


def _forms(word: str, endings: bool) -> Iterable[str]:
    """Return a word and, if it may be English, its stem."""
    stems = index_terms(word) if endings and word.isascii() and word.isalpha() else []
    return (word, *(stem for stem in stems if len(stem) > 2))


def _bounded(form: str, endings: bool) -> str:
    """Return the pattern of a form that is no part of another word, where words have ends."""
    first, last = (part.isascii() and part.isalnum() for part in (form[0], form[-1]))
    after = f"{_ENDINGS if endings and form[-1].isalpha() else ''}{_NO_MORE}" if last else ""
    return f"{_NOT_INSIDE if first else ''}{re.escape(form)}{after}"


def _found(forms: _Forms, text: str) -> set[str]:
    """Return what a text holds of some forms; that it lacks most of them is quick to see."""
    present = (pattern.search(text) for form, pattern in forms if form in text)
    return {found.group() for found in present if found}
