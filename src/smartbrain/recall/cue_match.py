"""The words of a message as they are looked for in memories: names, codes and telling words.

In: the cues of a message and the words that few memories hold. Out: which of them a text holds,
in one pass over it. English words are found in their usual forms, names only as they are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

from smartbrain.domain.recall import Cues, Intent
from smartbrain.domain.recalled import RecalledRow
from smartbrain.text.pattern import pattern
from smartbrain.text.tokenise import index_terms

_MOST: Final = 64  # words of one kind that are looked for
_LONGEST: Final = 200  # characters; nothing longer is a word that anybody says again
_AFTER: Final = {
    # What may follow a form, by whether it is found with endings; then its word has to be over.
    True: pattern(
        r"(?:['’]s|s|es|d|ed|e|y|ing|ings|er|ers|or|ors|ly|ies|ied|ion|ions|ment|ments|al|able)?"
        r"(?![a-z0-9])"
    ),
    False: pattern(r"(?![a-z0-9])"),
}
_SPELLED_OTHERWISE: Final = pattern(
    # Full and half width, letters in parts, ligatures, circled and mathematical ones; the commas of
    # Chinese are in no word.
    "[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff66-\uffdc\u0300-\u036f\u1100-\u11ff\u3099\u309a"
    "\ufb00-\ufb06\ufb50-\ufdff\ufe70-\ufefc\u2070-\u209c\u2100-\u218f\u2460-\u24ff\u3131-\u318e"
    "\u3300-\u33ff\uf900-\ufaff\U0001d400-\U0001d7ff]"
)
# A letter with the marks that follow it, or a Korean syllable in parts.
_LETTERS: Final = pattern(
    "(?s)[\u1100-\u115f][\u1160-\u11a7]+[\u11a8-\u11ff]*|.[\u0300-\u036f\u3099\u309a]*"
)
_WORD: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_GOES_ON: Final = _WORD | frozenset("'’")  # what a form may end with, or has to end before


class _Form(NamedTuple):
    """A word in one form: whether it has to begin a word, and what may follow it if anything."""

    text: str
    begins: bool
    after: re.Pattern[str] | None


class CueWords:
    """What a message gives to look for, ready to be looked for in many memories.

    One that only `greets` or thanks gives names and codes at most.
    """

    def __init__(self, cues: Cues, rare: Collection[str] = ()) -> None:
        self.greets = cues.intent is Intent.CHIT_CHAT
        rare = () if self.greets else sorted(rare)
        keywords = () if self.greets else cues.keywords
        exact = (*cues.entities, *cues.referred, *cues.codes, *cues.phrases)
        self._exact = _looked_for(exact, endings=False)
        self._rare = _looked_for(rare, endings=True)
        self._words = _looked_for((*keywords, *rare), endings=True)

    def places(self, text: str) -> dict[str, tuple[int, int]]:
        """Return where a text first holds each name, code, phrase and rare word that it holds."""
        folded = _folded(text)
        spans = [
            span
            for forms in (self._exact, self._rare)
            for form in forms.values()
            if (span := _span(form, folded))
        ]
        found = {folded[start:end]: (start, end) for start, end in reversed(spans)}
        return found if len(folded) == len(text) else _in_original(found, text)

    def strong(self, text: str) -> set[str]:
        """Return what a text holds of names, codes, quoted phrases and rare words."""
        folded = _folded(text)
        return _found(self._exact, folded) | _found(self._rare, folded)

    def shared(self, text: str) -> set[str]:
        """Return everything of the message that a text holds."""
        folded = _folded(text)
        return _found(self._exact, folded) | _found(self._words, folded)

    def shared_and_strong(self, text: str) -> tuple[set[str], set[str]]:
        """Return everything of the message that a text holds, and what of it is strong."""
        folded = _folded(text)
        exact = _found(self._exact, folded)
        shared = exact | _found(self._words, folded)
        return shared, exact | _found(self._rare, folded) if shared else shared


def whole_word(word: str) -> re.Pattern[str]:
    """Return what finds a word as it stands and not within a longer one, where words have ends."""
    before = "(?<![A-Za-z0-9])" if re.match("[A-Za-z0-9]", word) else ""
    after = "(?![A-Za-z0-9])" if re.match("[A-Za-z0-9]", word[-1:]) else ""
    return re.compile(before + re.escape(word) + after)


def words_of(row: RecalledRow) -> str:
    """Return all that a memory says, for words to be looked for in it."""
    return "\n".join((row.title, row.text, *row.entities))


def _folded(text: str) -> str:
    """Return a text as the words of a message are spelled, whatever its letters are made of."""
    if not text.isascii() and _SPELLED_OTHERWISE.search(text):
        text = unicodedata.normalize("NFKC", text)
    return text.casefold()


def _in_original(found: Mapping[str, tuple[int, int]], text: str) -> dict[str, tuple[int, int]]:
    """Return where words stand in a text whose folded form is of another length."""
    starts: list[int] = []
    for letter in _LETTERS.finditer(text):
        starts += [letter.start()] * len(_folded(letter[0]))
    starts.append(len(text))
    last = len(starts) - 1
    return {
        word: (starts[min(start, last)], starts[min(end, last)])
        for word, (start, end) in found.items()
    }


def _looked_for(words: Iterable[str], *, endings: bool) -> dict[str, _Form]:
    short = (_folded(word.strip()) for word in words if len(word) <= _LONGEST)
    given = list(dict.fromkeys(filter(None, short)))[:_MOST]
    wanted = dict.fromkeys(form for word in given for form in _forms(word, endings))
    return {form: _bounded(form, endings) for form in wanted}


def _forms(word: str, endings: bool) -> Iterable[str]:
    """Return a word and, if it may be English, its stem; the stem alone where it finds the word."""
    stems = index_terms(word) if endings and word.isascii() and word.isalpha() else []
    stems = [stem for stem in stems if len(stem) > 2]
    found = any(word.startswith(one) and _AFTER[True].fullmatch(word, len(one)) for one in stems)
    return stems if found else (word, *stems)


def _bounded(form: str, endings: bool) -> _Form:
    """Return a form that is no part of another word, where words have ends."""
    first, last = (part.isascii() and part.isalnum() for part in (form[0], form[-1]))
    return _Form(form, first, _AFTER[endings and form[-1].isalpha()] if last else None)


def _found(forms: Mapping[str, _Form], text: str) -> set[str]:
    spans = (_span(one, text) for form, one in forms.items() if form in text)
    return {text[span[0] : span[1]] for span in spans if span}


def _span(form: _Form, text: str) -> tuple[int, int] | None:
    word, begins, after = form
    place = text.find(word)
    while place >= 0:
        end = place + len(word)
        if not (begins and place and text[place - 1] in _WORD):
            if after is None or text[end : end + 1] not in _GOES_ON:
                return place, end
            if ends := after.match(text, end):
                return place, ends.end()
        place = text.find(word, place + 1)
    return None
