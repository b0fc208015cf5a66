"""What "that repo", 上次那个链接 or "she" stands for in the turns before.

In: a message, the entities it names itself, and recent turns as they were spoken. Out: names. The
latest turn that has something of the kind answers; a pronoun only where that is one thing alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from smartbrain.domain.recalled import Recent
from smartbrain.recall.cue_words import TwoTongues, listed, listed_in_both
from smartbrain.text.entities import find_entities
from smartbrain.text.entity_words import Entity
from smartbrain.text.pattern import pattern
from smartbrain.text.word_list import word_pattern

TURNS: Final = 8
"""How many recent turns are looked at."""
READ_CHARACTERS: Final = 2_000
"""How much of a recent turn is read."""
MAX_NAMES: Final = 3
"""The most names that one expression stands for."""

_PERSON: Final = "person"
_KINDS: Final = ("repo", "url", "file", _PERSON, "org", "place", "object")
_THAT: Final = (listed(__file__, "THAT_EN"), listed(__file__, "THAT_ZH"))
_NOUNS: Final = {kind: listed_in_both(__file__, kind.upper()) for kind in _KINDS}
_HE: Final = listed_in_both(__file__, "HE")
_IT: Final = TwoTongues(
    pattern(word_pattern(__file__, "IT_EN")), pattern(word_pattern(__file__, "IT_ZH"))
)
_NOT_IT: Final = frozenset((_PERSON, "place", "topic"))


class _Named(NamedTuple):
    kind: str
    name: str
    address: bool


def refers_back(text: str) -> bool:
    """Tell whether a message, in simplified characters, may refer to turns before it."""
    return bool(_kinds_of(text)) or _IT.found(text) or _HE.found(text)


def referred_to(text: str, entities: Iterable[Entity], recent: Sequence[Recent]) -> tuple[str, ...]:
    """Return the names that the expressions of a message stand for, each once.

    What it names itself comes first: "that repo a/b" and "Ann says she" refer to nothing else.
    `recent` are turns in the order they were spoken, the latest last.
    """
    if not recent:
        return ()
    own = [_named(one) for one in entities]
    turns = [_named_in(turn) for turn in recent[: -TURNS - 1 : -1]]
    found: dict[str, None] = {}
    for kind in _kinds_of(text):
        if not any(_fits(one, kind) for one in own):
            found.update(dict.fromkeys(_latest(turns, kind)[:MAX_NAMES]))
    # After "that repo", or a thing with a name, "it" is that.
    if not found and not any(_fits(one, "") for one in own) and _IT.found(text):
        found.update(_alone(_latest(turns, "")))
    if not any(one.kind == _PERSON for one in own) and _HE.found(text):
        found.update(_alone(_latest(turns, _PERSON)))
    return tuple(found)


def entities_of(name: str) -> list[Entity]:
    """Return what a stored name is by its form; owner/name alone is the name of a repository."""
    found = find_entities(name)
    if not found and "/" in name:
        found = find_entities(f"github {name}")
    return [one for one in found if one.name == name]


def _kinds_of(text: str) -> list[str]:
    """Return the kinds of things that a text refers back to, in its order, each once."""
    found = (match[match.lastgroup or 0] for words in _THAT for match in words.finditer(text))
    return list(
        dict.fromkeys(
            kind
            for noun in found
            for kind, nouns in _NOUNS.items()
            if nouns.en.fullmatch(noun) or nouns.zh.fullmatch(noun)
        )
    )


def _latest(turns: Iterable[Sequence[_Named]], kind: str) -> list[str]:
    """Return what the latest turn that has any names of a kind; no kind means a thing."""
    for named in turns:
        fitting = [one.name for one in named if _fits(one, kind)]
        if fitting:
            return list(dict.fromkeys(fitting))
    return []


def _named_in(turn: Recent) -> list[_Named]:
    """Return what a turn names in its words, and what else is known to be named there."""
    found = [_named(one) for one in find_entities(turn.text[:READ_CHARACTERS])]
    known = {one.name.casefold() for one in found}
    for name in turn.entities:
        if name.casefold() not in known:
            found += [_named(one)._replace(name=name) for one in entities_of(name)]
    return found


def _named(one: Entity) -> _Named:
    return _Named(one.kind, one.canonical, "://" in one.name or bool(one.attrs.get("host")))


def _fits(one: _Named, kind: str) -> bool:
    """Tell whether something is of a kind; the address of a repository is a link too."""
    if not kind:
        return one.kind not in _NOT_IT
    return one.kind == kind or (kind == "url" and one.address)


def _alone(names: list[str]) -> dict[str, None]:
    return dict.fromkeys(names) if len(names) == 1 else {}
