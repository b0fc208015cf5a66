"""Whom and what a sentence names: the candidates of type entities (C2, C6).

In: a sentence of any mood, for a question names things as well as a statement. Out: a candidate a
name. Whether a name is worth a memory is not decided here: the gate counts how often it comes.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from smartbrain.domain.candidate import Candidate, Source
from smartbrain.remember.extract.said import Said, Sentence
from smartbrain.text.entities import Entity, find_entities
from smartbrain.text.pattern import pattern

TYPE: Final = "entities"

_DECLARED: Final = pattern(
    r"\b(?:remember|keep in mind|note down|make a note of)(?: (?:that|this|the|my|our|name|person"
    r"|friend|colleague))* \Z|\bkeep \Z"
    r"|(?:记住|记下来?|记一下|记着|别忘了|以后都[按用])[ ，,:：]?(?:这个人|一下)?[ ，,:：]?\Z",
    0x02,  # re.IGNORECASE
)


def find(sentence: Sentence, said: Said) -> Iterator[Candidate]:
    """Yield what a sentence names, each once."""
    user = said.source is Source.USER
    seen = set()
    for entity in find_entities(sentence.text):
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
            declared=user and bool(_DECLARED.search(sentence.text[: entity.offset])),
        )


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
