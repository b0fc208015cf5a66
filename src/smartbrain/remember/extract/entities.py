"""Whom and what a sentence names: the candidates of type entities (C2, C6).

In: a sentence of any mood, for a question names things as well as a statement. Out: a candidate a
name. Whether a name is worth a memory is not decided here: the gate counts how often it comes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.declared_names import declared_at, name_at
from smartbrain.remember.extract.said import Said, Sentence
from smartbrain.text.entities import Entity, find_entities

TYPE: Final = "entities"


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
        if all(given.offset <= one.offset and one.length < given.length for one in within):
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
