"""Whom and what a sentence names: the candidates of type entities (C2, C6).

In: a sentence of any mood, for a question names things as well as a statement. Out: a candidate a
name. Whether a name is worth a memory is not decided here: the gate counts how often it comes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.declared_names import declared_at, name_at
from smartbrain.remember.extract.said import Said, Sentence
from smartbrain.text.entities import Entity, find_entities
from smartbrain.text.pattern import pattern

TYPE: Final = "entities"

_MOST_ATTRS: Final = 10  # versions of one thing
_NUMBERS: Final = pattern(r"(\d{1,18})")


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield what a sentence names, each once."""
    user = said.source is Source.USER
    declared = declared_at(sentence, said)
    seen = set()
    for entity in _named(sentence, said, [start for start, _ in declared]):
        if (entity.kind, entity.canonical.lower()) in seen:
            continue
        seen.add((entity.kind, entity.canonical.lower()))
        yield Candidate(
            type=TYPE,
            value=value_of(entity),
            text=entity.name,
            rule=f"entities.{entity.kind}",
            source=said.source,
            confidence=(0.9 if entity.structural else 0.8) if user else 0.6,
            offset=sentence.offset + entity.offset,
            length=entity.length,
            declared=any(start <= entity.offset < end for start, end in declared),
        )


def _named(sentence: Sentence, said: Said, starts: Sequence[int]) -> list[Entity]:
    """Return what a sentence names, with what the user gives as a name to remember."""
    found = find_entities(sentence.text)
    for given in filter(None, (name_at(start, sentence, said) for start in starts)):
        within = [one for one in found if one.offset < given.end and given.offset < one.end]
        more = given.length + (given.kind != "object")  # the user says what it is
        if all(given.offset <= one.offset and one.length < more for one in within):
            found = [one for one in found if one not in within]
            found.append(given)
    return sorted(found, key=lambda one: one.offset)


def value_of(entity: Entity) -> dict[str, Any]:
    """Return the value of an entity's memory."""
    value: dict[str, Any] = {"kind": entity.kind, "canonical": entity.canonical}
    names = (entity.name, *entity.aliases)
    aliases = [name for name in dict.fromkeys(names) if name != entity.canonical]
    if aliases and entity.kind != "topic":
        value["aliases"] = aliases
    if entity.attrs:
        value["attrs"] = dict(entity.attrs)
    return value


def merged(older: Mapping[str, Any], newer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of an entity that was named as both say, whichever was told first.

    It goes by the name of the older one, has all others as aliases, and every version of it.
    """
    value = {**newer, **older}
    names = {*older.get("aliases", ()), *newer.get("aliases", ()), newer.get("canonical")}
    aliases = sorted(name for name in names if name and name != value["canonical"])
    value.pop("aliases", None)
    if aliases:
        value["aliases"] = aliases
    attrs: dict[str, Any] = {**newer.get("attrs", {}), **older.get("attrs", {})}
    for name, told in newer.get("attrs", {}).items():
        both = {one for text in (attrs[name], told) for one in str(text).split(", ")}
        attrs[name] = ", ".join(sorted(both, key=_by_number)[-_MOST_ATTRS:])
    return {**value, "attrs": attrs} if attrs else value


def _by_number(text: str) -> list[tuple[int, str]]:
    """Return what versions are sorted by: 3.9 comes before 3.12."""
    return [(int(part) if part.isdecimal() else -1, part) for part in _NUMBERS.split(text)]
