"""The one name that a place or a thing is filed under, whatever it is called: 北京 is Beijing (C7).

In: a name as somebody says it. Out: the first of the names that the lists give for the same thing,
and the others. A name that is in no list is its own first one. What a text means by a name is
found by the recogniser of entities.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from smartbrain.text.entity_places import places
from smartbrain.text.entity_words import OBJECT, ORG, named_together

_PLACE: Final = "place"


def first_name(kind: str, name: str) -> str:
    """Return the name that an entity of a kind is filed under."""
    names = _names().get((kind, name.casefold()))
    return names[0] if names else name


def all_names(kind: str, name: str) -> tuple[str, ...]:
    """Return what the lists call an entity of a kind, the first name first."""
    return _names().get((kind, name.casefold()), (name,))


def same_thing(one: str, other: str) -> bool:
    """Tell whether two texts are names of one place or thing."""
    return bool(named_things(one) & named_things(other))


def named_things(text: str) -> frozenset[tuple[str, str]]:
    """Return what a text may be a name of, where something has several: kind and first name."""
    named = text.casefold().strip()
    found = ((kind, _names().get((kind, named))) for kind in (_PLACE, ORG, OBJECT))
    return frozenset((kind, names[0]) for kind, names in found if names)


@cache
def _names() -> dict[tuple[str, str], tuple[str, ...]]:
    """Return all names of each thing that has several, by its kind and each of them."""
    found: dict[tuple[str, str], tuple[str, ...]] = {}
    for name, other in places().values():
        if other and "\u3400" <= name[0] <= "\u9fff":
            found[_PLACE, name] = (other, name)
            found[_PLACE, other.casefold()] = (other, name)
    for kind, names in named_together():
        for name in names if len(names) > 1 else ():
            found.setdefault((kind, name.casefold()), names)
    return found
