"""Cut a Chinese clause into the words that its statement is read from (C7).

In: a clause with the names and the times in it. Out: words, each name as one, a verb and its object
apart, and which of them are verbs. Roles are given by `statements_zh`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from smartbrain.remember.extract.statement_nouns import (
    is_vehicle,
    kind_of,
)
from smartbrain.remember.extract.statement_words import Verb, phrases, verbs_zh
from smartbrain.remember.extract.statement_words_en import MANNERS as MANNERS_EN
from smartbrain.remember.extract.statement_words_zh import (
    BARE_VERBS,
    ENDINGS,
    GLUED,
    MANNERS,
    MARKS,
    NOT_VERBS,
    RIDING,
    ROLES,
    SKIPPED,
)
from smartbrain.text.entities import Entity
from smartbrain.text.pattern import pattern
from smartbrain.text.segment import tag

MANNER: Final = "manner"
"""The tag of a word that tells how something is done."""
_NEGATION: Final = pattern("[不没]")


class Word(NamedTuple):
    """A word, or a name as one."""

    text: str
    tag: str
    start: int
    entity: Entity | None = None

    @property
    def end(self) -> int:
        """Where the word ends."""
        return self.entity.end if self.entity else self.start + len(self.text)


def read_words(
    text: str, entities: Sequence[Entity], times: Sequence[tuple[int, int]]
) -> list[Word]:
    """Return the words of a clause without its times, each name as one word."""
    words: list[Word] = []
    stops = sorted([(one.offset, one.end, one) for one in entities], key=lambda stop: stop[0])
    spans = [*((start, end, None) for start, end in times), *stops]
    done = 0
    for start, end, entity in sorted(spans, key=lambda span: span[0]):
        if start < done:
            continue
        words += _cut(text[done:start], done)
        if entity:
            words.append(Word(entity.name, "name", start, entity))
        done = end
    return [*words, *_cut(text[done:], done)]


def _cut(text: str, start: int) -> Iterator[Word]:
    """Yield the words between two names; what tells how, with 地 or without, is one word."""
    held: Word | None = None
    for word in _parted(text, start):
        if word.text == "地" and held and len(held.text) > 1 and not is_known_verb(held):
            held = held._replace(text=f"{held.text}地", tag=MANNER)
            continue
        if held:
            yield held
        plain = word.text in MANNERS or (word.tag == "eng" and word.text in MANNERS_EN)
        held = word._replace(tag=MANNER) if plain else word
    if held:
        yield held


def _parted(text: str, start: int) -> Iterator[Word]:
    """Yield the words of a text; a verb and its object that stand as one are parted."""
    for word, kind in _tagged(text):
        if (
            word in GLUED
            or (
                len(word) > 2
                and word[0] in BARE_VERBS
                and not kind.startswith("v")
                and f"{word[0]}+{word[1:]}" in phrases()
            )
            or (
                len(word) > 2
                and word[0] in BARE_VERBS
                and kind in ("n", "nr", "l", "i")
                and _is_thing(word[1:])
            )
        ):
            yield Word(word[0], "v", start)
            yield Word(word[1:], "n", start + 1)
        elif len(word) == 2 and word[0] in "我他她" and (word[1] in ROLES or word[1] in verbs_zh()):
            yield Word(word[0], "r", start)
            yield Word(word[1], "v", start + 1)
        elif (
            len(word) == 2
            and word[1] in "在到"
            and word[0] in verbs_zh()
            and word not in verbs_zh()
        ):
            yield Word(word[0], "v", start)
            yield Word(word[1], "p", start + 1)
        elif len(word) > 1 and word[-1] in "里上" and kind_of(word[:-1]) == "place":
            yield Word(word[:-1], "n", start)
            yield Word(word[-1], "f", start + len(word) - 1)
        elif len(word) == 4 and word[:2] in MANNERS and word[2:] in verbs_zh():
            yield Word(word[:2], MANNER, start)
            yield Word(word[2:], "v", start + 2)
        elif len(word) > 1 and _begins_apart(word, kind):
            yield Word(word[0], "uv" if word[0] == "地" else "v", start)
            yield Word(word[1:], kind, start + 1)
        elif word.strip() and word not in MARKS:
            yield Word(word, kind, start)
        elif word in MARKS and word.strip():
            yield Word(word, "mark", start)
        start += len(word)


def _begins_apart(word: str, kind: str) -> bool:
    """Tell whether the first character is a word of its own: 地 before a verb, 坐 and a vehicle."""
    if word[0] == "地":
        return kind == "v"
    return word[0] in RIDING and is_vehicle(word[1:])


def _tagged(text: str) -> Iterator[tuple[str, str]]:
    """Yield the words of a text; a negation is always a word of its own."""
    done = 0
    for found in _NEGATION.finditer(text):
        at = found.start()
        if any(text[at + 1 : at + 1 + size] in verbs_zh() for size in (3, 2)):
            if at > done:
                yield from tag(text[done:at])
            yield found[0], "d"
            done = at + 1
    if done < len(text):
        yield from tag(text[done:])


def _is_thing(word: str) -> bool:
    """Tell whether the rest of a word is a noun of its own."""
    found = tag(word)
    return len(found) == 1 and found[0][1] in ("n", "nz", "vn", "nr", "eng") and len(word) > 1


def verb_of(word: Word) -> Verb | None:
    """Return the verb that a word is."""
    return None if word.entity else _verb(word.text, word.tag)


@lru_cache(maxsize=4_096)  # a word is asked for several times, and comes again
def _verb(text: str, tagged: str) -> Verb | None:
    if text in NOT_VERBS or text in SKIPPED:
        return None
    known = verbs_zh().get(text)
    if known:
        return known
    if text in phrases():
        return Verb(phrases()[text])
    for ending in ENDINGS:
        if text.endswith(ending) and (known := verbs_zh().get(text[: -len(ending)])):
            return known
    plain = tagged == "v" and len(text) > 1 and text[0] not in "有是很不没"
    return Verb(text) if plain else None


def is_known_verb(word: Word) -> bool:
    """Tell whether a verb is of the lists."""
    verb = verb_of(word)
    return verb is not None and verb.name != word.text
