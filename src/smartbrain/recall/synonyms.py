"""Words that mean nearly the same, in Chinese and English: rent, 房租, 租金.

In: a message. Out: what it names, each with its other words in the same language and those in the
other one. The groups are a data file, `synonyms.txt`; what only has another form in English, such
as go and went, is in `words.txt`. Only common words: the rest is left to the search by meaning.
Names of two characters go by their sound, as in `names.txt`: xiaoguo may be 小郭 or 晓国.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from itertools import pairwise
from operator import itemgetter
from pathlib import Path
from typing import Final, NamedTuple

from smartbrain.text.ontology import PhraseIndex, is_han
from smartbrain.text.pattern import pattern
from smartbrain.text.segment import tag
from smartbrain.text.tokenise import phrase_terms
from smartbrain.text.word_list import STOP_WORDS, stored_words

_GROUPS: Final = Path(__file__).with_name("synonyms.txt")
_SPELLED: Final = Path(__file__).with_name("names.txt")
_FORMS: Final = stored_words(__file__, "_FORMS")
_LATIN_WORD: Final = pattern(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z'’-]{0,29}(?![A-Za-z0-9])")
_PIECE: Final = pattern(r"[A-Za-z0-9][A-Za-z0-9'’.:-]*|[^\x00-\x7f]")
_NICKNAME: Final = pattern("[小老阿大][\u4e00-\u9fff]")
_SHORTEST: Final = 5  # letters of a name of two characters, not to take data or like for one
_NAMES: Final = 24
_LONGEST: Final = 3  # English words of a phrase
_MEANINGS: Final = 2  # that a word is taken for where it is put into the other language


class Synonyms(NamedTuple):
    """Something that a message names, and its other words in the same and in the other language."""

    said: str
    same: tuple[str, ...]
    other: tuple[str, ...]


_Group = tuple[tuple[str, ...], tuple[str, ...]]
"""Words that mean nearly the same, in Chinese and in English."""


@lru_cache(maxsize=2_048)  # messages are made of few words
def stem_of(word: str) -> str:
    """Return what the text index makes of one word."""
    return " ".join(phrase_terms(word))


@lru_cache(maxsize=128)  # a message is looked at for what to search, and again for what answers it
def find_synonyms(text: str) -> tuple[Synonyms, ...]:
    """Return what a text names, in its order; a part of a longer name is one of its own."""
    found: dict[str, Synonyms] = {}
    for said, groups in (*_named_in_chinese(text), *_named_in_english(text)):
        own_language = int(said.isascii())
        same = (word for group in groups for word in group[own_language])
        other = (word for group in groups for word in group[1 - own_language])
        own = stem_of(said)
        kept = {stem_of(word): word for word in same if stem_of(word) != own}
        found[said] = Synonyms(said, tuple(kept.values()), tuple(dict.fromkeys(other)))
    return tuple(found.values())


def translate_words(text: str) -> str:
    """Return what a text names in the other language, a word for each; names stay as they are."""
    return " ".join(dict.fromkeys(_in_english(text) if is_han(text) else _in_chinese(text)))


def _in_english(text: str) -> Iterator[str]:
    """Yield English words for the longest Chinese ones of a text, and what is no Chinese in it."""
    alone = {word for word, _ in tag(text) if len(word) == 1}
    hits = {hit.start: hit for hit in _index()[0].find(text)}
    past = 0
    for piece in _PIECE.finditer(text):
        hit = hits.get(piece.start())
        if hit and (hit.end - hit.start > 1 or piece[0] in alone):
            past = hit.end
            yield from _likeliest(hit.meanings, 1, text[hit.start : past])
        elif piece.start() >= past and piece[0].isascii():
            yield piece[0]


def _in_chinese(text: str) -> Iterator[str]:
    """Yield Chinese words for what an English text names, and its words that have none."""
    words = _LATIN_WORD.findall(text)
    stems = [stem_of(word) for word in words]
    known, place = _index()[1], 0
    while place < len(words):
        reach = range(min(_LONGEST, len(words) - place), 0, -1)
        runs = ((known.get(" ".join(stems[place : place + size])), size) for size in reach)
        groups, size = next((run for run in runs if run[0]), ((), 1))
        if size > 1 or words[place].lower() not in STOP_WORDS:
            said = " ".join(words[place : place + size])
            yield from _likeliest(groups or (), 0, said) or [said]
        place += size


def _likeliest(groups: Iterable[_Group], language: int, said: str) -> list[str]:
    """Return the first words of a few groups, those first that name what was said early."""
    stem = stem_of(said)
    places = [
        ([*map(stem_of, group[1 - language]), stem].index(stem), group[language][0])
        for group in groups
        if group[language]
    ]
    return [word for _, word in sorted(places, key=itemgetter(0))[:_MEANINGS]]


def _named_in_chinese(text: str) -> Iterator[tuple[str, tuple[_Group, ...]]]:
    """Yield the Chinese words of a text; one character is a word where it stands alone."""
    if text.isascii():
        return
    words = tag(text)
    alone = {word for word, _ in words if len(word) == 1}
    for hit in _index()[0].find_all(text):
        word = text[hit.start : hit.end]
        if len(word) > 1 or word in alone:
            yield word, hit.meanings
    for name in (*_NICKNAME.findall(text), *(word for word, kind in words if kind == "nr")):
        sounds = [_sounds()[one] for one in name if one in _sounds()]
        if len(name) == len(sounds) == 2 and not _index()[0].look_up(name):
            yield name, (((name,), ("".join(sounds), " ".join(sounds))),)


def _named_in_english(text: str) -> Iterator[tuple[str, tuple[_Group, ...]]]:
    words = _LATIN_WORD.findall(text)
    stems = [stem_of(word) for word in words]
    known = _index()[1]
    for place, word in enumerate(words):
        for length in range(1, _LONGEST + 1):
            groups = known.get(" ".join(stems[place : place + length]))
            is_whole = place + length <= len(words) and (
                length > 1 or word.lower() not in STOP_WORDS
            )
            if groups and is_whole:
                yield " ".join(words[place : place + length]).lower(), groups
        name = word.lower().removesuffix("'s")
        if stems[place] not in known and len(name) >= _SHORTEST:
            names = _names_that_sound((name[:end], name[end:]) for end in range(1, len(name)))
            if names:
                yield name, ((names, (name,)),)
    for pair in pairwise(word.lower() for word in words):
        if names := _names_that_sound([pair]):
            yield " ".join(pair), ((names, (" ".join(pair),)),)


def _names_that_sound(spellings: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return the Chinese names of two characters that sound so, the commonest first."""
    found = [
        (place + other, first + second)
        for left, right in spellings
        for place, first in enumerate(_characters().get(left, ""))
        for other, second in enumerate(_characters().get(right, ""))
    ]
    return tuple(name for _, name in sorted(found)[:_NAMES])


@cache
def _characters() -> dict[str, str]:
    """Return the characters that people are named by, by how they are spelled."""
    lines = _SPELLED.read_text(encoding="utf-8").splitlines()
    rows = (line.split() for line in lines if not line.startswith("#"))
    return {sound: "".join(characters) for sound, *characters in rows}


@cache
def _sounds() -> dict[str, str]:
    """Return how a character is spelled in a name, by the first row that has it."""
    rows = reversed(_characters().items())
    return {one: sound for sound, characters in rows for one in characters}


@cache
def _index() -> tuple[PhraseIndex[_Group], dict[str, tuple[_Group, ...]]]:
    """Return the groups by their Chinese words, and by the stems of their English ones."""
    chinese: list[tuple[str, _Group]] = []
    english: dict[str, tuple[_Group, ...]] = {}
    for group in _read_groups():
        chinese += [(word, group) for word in group[0]]
        for word in group[1]:
            stem = stem_of(word)
            english[stem] = (*english.get(stem, ()), group)
    return PhraseIndex(chinese), english


def _read_groups() -> Iterable[_Group]:
    for line in _GROUPS.read_text(encoding="utf-8").splitlines():
        chinese, between, english = line.partition("=")
        if between and not line.startswith("#"):
            words = (word.strip() for word in english.split(","))
            yield tuple(chinese.split()), tuple(filter(None, words))
    for family in "|".join(_FORMS.strip().splitlines()).split("|"):
        yield (), tuple(family.split())
