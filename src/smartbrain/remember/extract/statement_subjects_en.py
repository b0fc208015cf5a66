"""Read the words and the subject of an English clause (C7).

In: a clause with the names and the times in it. Out: its words, each name as one, and whom or what
it is about. What the verb says is read by `statements_en`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from smartbrain.remember.extract.statement_nouns import (
    Noun,
    kind_of,
    named,
)
from smartbrain.remember.extract.statement_words import verbs_en
from smartbrain.remember.extract.statement_words_en import (
    ADJECTIVES,
    ADVERBS,
    BE,
    DETERMINERS,
    HAVE,
    MODALS,
    NEGATIONS,
    OTHER_PREPOSITIONS,
    PLACED,
    PRONOUNS,
    SPEAKER,
    SPLIT,
    STOPS,
    WORD,
)
from smartbrain.text.entities import Entity

_BEGINS: Final = SPEAKER | PRONOUNS | DETERMINERS


class Item(NamedTuple):
    """A word, or a name as one.

    `lower` is the word in lower case, with straight apostrophes; nothing for a name.
    """

    text: str
    start: int
    end: int
    lower: str = ""
    entity: Entity | None = None


def _word(text: str, start: int) -> Item:
    return Item(text, start, start + len(text), text.lower().replace("’", "'"))


def read_items(
    text: str, entities: Sequence[Entity], times: Sequence[tuple[int, int]]
) -> Iterator[Item]:
    """Yield the words of a clause without its times, each name as one word."""
    held = {entity.offset: entity for entity in entities}
    done = 0
    joined = "'" in text or "’" in text
    for found in WORD.finditer(text):
        start, end = found.span()
        if start < done or (times and any(begin <= start < stop for begin, stop in times)):
            continue
        if entity := held.get(start):
            yield Item(entity.name, start, entity.end, entity=entity)
            done = entity.end
            if entity.end < end:
                yield _word(text[entity.end : end], entity.end)
        elif joined and (parts := SPLIT.match(found[0])):
            yield _word(parts[1], start)
            yield _word(parts[2], start + len(parts[1]))
        else:
            yield _word(found[0], start)


def may_begin_subject(item: Item) -> bool:
    """Tell whether whom or what a clause is about may begin with a word; most words cannot."""
    return (
        item.entity is not None
        or item.lower in _BEGINS
        or item.lower.isdigit()
        or _may_be_noun(item)
    )


def _may_be_noun(item: Item) -> bool:
    """Tell whether a word may be a subject without an article: several things, or somebody."""
    return item.lower.endswith("s") or kind_of(item.text) == "person"


def read_subject(items: Sequence[Item], at: int) -> tuple[list[Noun] | None, int] | None:
    """Return who a clause is about and where its verb may begin; None for the nouns: a pronoun."""
    if at >= len(items):
        return None
    if items[at].lower in SPEAKER or items[at].lower in PRONOUNS:
        follows = at + 1 < len(items) and not _is_noun(items[at + 1], items[at].lower)
        return (None, at + 1) if follows else _long_subject(items, at)
    if items[at].entity:
        return _names(items, at)
    return _long_subject(items, at)


def _is_noun(item: Item, before: str) -> bool:
    """Tell whether "this" and the like belong to the word that follows."""
    if before not in ("this", "that", "these", "those", "one"):
        return False
    return not (is_auxiliary(item) or item.lower in verbs_en() or item.lower in ADVERBS)


def _names(items: Sequence[Item], at: int) -> tuple[list[Noun] | None, int] | None:
    """Read a subject that begins with a name: one, or several with "and" between them."""
    nouns = []
    while at < len(items) and (entity := items[at].entity):
        after = items[at + 1].text if at + 1 < len(items) else ""
        owning = after in ("'", "’", "'s", "’s")
        if owning and not (at + 2 < len(items) and items[at + 2].lower.endswith("ing")):
            return _long_subject(items, at)
        nouns.append(named(entity))
        at += 1
        if at + 1 < len(items) and items[at].lower in ("and", ",", "&"):
            if items[at + 1].entity:
                at += 1
            elif items[at + 1].lower in SPEAKER:
                return nouns, at + 2
    return nouns, at


def _long_subject(items: Sequence[Item], at: int) -> tuple[list[Noun] | None, int] | None:
    """Read a subject of several words: up to the verb that fits it."""
    begin = at
    owned = items[at].entity is not None
    while at < len(items) and (items[at].lower in DETERMINERS or items[at].lower.isdigit()):
        at += 1
    bare = at == begin and not owned
    if bare and (is_auxiliary(items[at]) or not _may_be_noun(items[at])):
        return None
    cut = 0
    for end in range(at + 1, min(at + 9, len(items))):
        item = items[end]
        if item.lower in STOPS or item.text in ",;:()!?." or item.lower in SPEAKER | {"you"}:
            return None
        if item.lower in PLACED or item.lower in OTHER_PREPOSITIONS:
            cut = cut or end
            continue
        if cut and end == cut + 1:
            continue
        head = items[end - 1]
        form = verbs_en().get(item.lower)
        plural = head.lower.endswith("s") and not head.lower.endswith("ss")
        fits = form and (form[1] in ("s", "ed") or (form[1] == "" and plural))
        if is_auxiliary(item) or item.lower in NEGATIONS or (fits and not item.entity):
            if item.text in ("'", "'s", "’s") and owned and end == at + 1:
                continue
            noun = read_noun(items[begin : cut or end])
            return ([noun], end) if noun else None
    return None


def is_auxiliary(item: Item) -> bool:
    """Tell whether a word only helps a verb."""
    return item.lower in BE or item.lower in HAVE or item.lower in MODALS


def read_noun(items: Sequence[Item]) -> Noun | None:
    """Return a noun phrase as a noun: without articles, numbers and plain adjectives."""
    words = list(items)
    while words and (
        words[0].lower in DETERMINERS or words[0].lower in ADJECTIVES or words[0].text[0].isdigit()
    ):
        words = words[1:]
    if not words or len(words) > 4:
        return None
    last = words[-1]
    if last.entity and (len(words) == 1 or last.entity.kind in ("person", "place", "org")):
        return named(last.entity)
    name = ""
    for index, word in enumerate(words):
        gap = (
            " " if index and word.text[0] not in "'’" and words[index - 1].text not in "'’" else ""
        )
        name += gap + word.text
    if not re.search(r"[^\W\d_]{2}", name):
        return None
    plain = name if any(word.entity for word in words) else _plain(name)
    return Noun(kind_of(name), plain, words[0].start, last.end)


def _plain(name: str) -> str:
    """Return a common noun in lower case, with the names and acronyms in it as they are."""
    return " ".join(
        word.lower() if word[1:].islower() and word[0].isupper() and index == 0 else word
        for index, word in enumerate(name.split())
    )
