"""What common nouns stand for in a statement: people, places, organisations or things (C7).

In: a noun of either language. Out: the kind of entity it is. Only nouns that many sentences have;
any other is a thing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from smartbrain.domain.graph import EdgeType
from smartbrain.text.entities import Entity
from smartbrain.text.entity_people import NICKNAMES_ZH
from smartbrain.text.word_list import stored_words, word_set


class Noun(NamedTuple):
    """A noun or a name and where it stands in the clause."""

    kind: str
    name: str
    start: int
    end: int


class Part(NamedTuple):
    """A noun with the role it plays."""

    role: EdgeType
    noun: Noun


class Event(NamedTuple):
    """What a clause says happens, placed in the clause.

    `spoken` is whether the speaker, or whoever a pronoun stands for, is the one who does it.
    """

    predicate: str
    words: str
    negation: bool
    parts: tuple[Part, ...]
    spoken: bool = False
    reported: bool = False

    def agents(self) -> list[Noun]:
        """Return who does it."""
        return [part.noun for part in self.parts if part.role is EdgeType.AGENT]


_PEOPLE: Final = word_set(stored_words(__file__, "_PEOPLE"))
_PLACES: Final = word_set(stored_words(__file__, "_PLACES"))
_VEHICLES: Final = word_set(stored_words(__file__, "_VEHICLES"))
_ORGS: Final = word_set(stored_words(__file__, "_ORGS"))
_ORDER: Final = (
    EdgeType.AGENT,
    EdgeType.PATIENT,
    EdgeType.RECIPIENT,
    EdgeType.BENEFICIARY,
    EdgeType.INSTRUMENT,
    EdgeType.LOCATION,
    EdgeType.MANNER,
    EdgeType.CAUSE,
)
CAUSE: Final = "cause"
"""The predicate of what brings something about."""
_FAMILY: Final = ("爸", "妈", "哥", "姐", "弟", "妹", "爷", "奶")


def kind_of(noun: str) -> str:
    """Return what kind of entity a common noun names."""
    last = noun.split()[-1].lower() if noun.isascii() else noun
    if last in _PEOPLE or noun.endswith(_FAMILY) or noun in NICKNAMES_ZH:
        return "person"
    if last in _ORGS:
        return "org"
    return "place" if last in _PLACES else "object"


def is_place(noun: Noun) -> bool:
    """Tell whether something can happen at a noun: a place, an organisation, a building."""
    last = noun.name.split()[-1].lower() if noun.name.isascii() and noun.name else noun.name
    return noun.kind in ("place", "org") or last in _PLACES or last in _VEHICLES


def tells(parts: Iterable[Part]) -> list[Part]:
    """Return the parts without which there is no event: how and why alone are none."""
    return [one for one in parts if one.role not in (EdgeType.MANNER, EdgeType.CAUSE)]


def with_causer(event: Event) -> tuple[Part, ...]:
    """Return the parts of an event; what causes something is its cause as well."""
    if event.predicate != CAUSE:
        return event.parts
    return (*event.parts, *(Part(EdgeType.CAUSE, noun) for noun in event.agents()))


def is_vehicle(name: str) -> bool:
    """Tell whether somebody goes by a thing: a train, a bus."""
    return name in _VEHICLES


def circumstance(name: str, start: int, end: int) -> Noun:
    """Return words that tell how or why, and name nobody and no thing, as a noun."""
    return Noun("other", name, start, end)


def named(entity: Entity, shift: int = 0) -> Noun:
    """Return an entity of the text as a noun of the clause."""
    return Noun(entity.kind, entity.canonical, entity.offset - shift, entity.end - shift)


def unlike(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return the parts, each thing in each role once, the main roles first."""
    found = {(part.role, part.noun.kind, part.noun.name): part for part in parts}
    return tuple(sorted(found.values(), key=lambda part: _ORDER.index(part.role)))
