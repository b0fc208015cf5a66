"""How the ontology is declared: its structs, and reading them from TOML or from brain.yml.

In: `ontology.toml`, or the tables that a user gives. Out: attributes, relations and the small words
around them, checked: names, words and values that contradict each other are refused by one line
that says where. What can be asked of them is in `text.ontology`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, Literal, TypeVar, get_args

import msgspec

from smartbrain.errors import UsageError
from smartbrain.text.phrase_index import fold_text, is_han

OTHER: Final = "other"
"""The attribute of what has none."""

_NAME: Final = re.compile(r"[^\W\d_]\w{0,39}")
_PLACE: Final = re.compile(r" - at `\$\.?(?P<place>[^`]*)`")
_Read = TypeVar("_Read")

MemoryTypeName = Literal[
    "profile", "preferences", "facts", "decisions", "goals", "tasks", "events", "cases", "patterns"
]
Cardinality = Literal["one", "many", "log"]
_ALLOWED: Final = {
    "type": get_args(MemoryTypeName),
    "types": get_args(MemoryTypeName),
    "cardinality": get_args(Cardinality),
}


class Wording(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words and short phrases in either language."""

    en: tuple[str, ...] = ()
    zh: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[str]:
        yield from self.en
        yield from self.zh


class Title(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What people call something in either language."""

    en: str
    zh: str


class Attribute(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that can be told of somebody or something; the file says what the fields mean."""

    name: str
    type: MemoryTypeName
    title: Title
    cardinality: Cardinality = "one"
    types: tuple[MemoryTypeName, ...] = ()
    observed: bool = False
    aliases: tuple[str, ...] = ()
    cues: Wording = Wording()
    asked: Wording = Wording()
    values: tuple[tuple[str, ...], ...] = ()
    exclusive: tuple[tuple[str, ...], ...] = ()

    @property
    def all_types(self) -> tuple[str, ...]:
        """Its own memory type, then the further ones that it may occur in."""
        return (self.type, *self.types)


class Relation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What somebody or something is to the user, and the words for that.

    `alike` are words that mean the same one of several: the first set may mean any of them.
    """

    name: str
    words: Wording
    alike: tuple[tuple[str, ...], ...] = ()


class PlainWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The small words around attributes and relations."""

    question: Wording
    negation: Wording
    owner: Wording
    qualifier: Wording
    unnamed: Wording


class OntologyTables(msgspec.Struct, frozen=True):
    """Everything that the file declares."""

    attributes: tuple[Attribute, ...]
    relations: tuple[Relation, ...]
    words: PlainWords


def read_tables(source: str) -> OntologyTables:
    """Read the declarations of an ontology from TOML.

    Raises:
        UsageError: something in it is not declared right.
    """
    tables = tomllib.loads(source)
    attributes = tuple(
        _read_attribute({**table, "name": name}, f"attribute.{name}")
        for name, table in tables["attribute"].items()
    )
    check_names(attributes)
    relations = tuple(
        _convert(
            {"name": name, "alike": table.pop("alike", ()), "words": table},
            Relation,
            f"relation.{name}",
        )
        for name, table in tables["relation"].items()
    )
    _check_apart([[*one.words] for one in relations], "relation")
    return OntologyTables(attributes, relations, _convert(tables["words"], PlainWords, "words"))


def read_added(tables: Mapping[str, Any]) -> tuple[Attribute, ...]:
    """Read attributes that brain.yml adds, by name.

    Words may be a plain list instead of one for each language, and a title one text for both.

    Raises:
        UsageError: one of them is not declared right; the sentence says what to change.
    """
    found = []
    for name, table in tables.items():
        where = f"ontology.attributes.{name}"
        if not isinstance(table, Mapping):
            raise UsageError(f"{where} must be a block with at least a type and cues")
        given = {"title": name, **table, "name": name}
        for key in ("cues", "asked"):
            if isinstance(words := given.get(key), list | tuple):
                given[key] = _by_language(words)
        if isinstance(title := given["title"], str):
            given["title"] = {"en": title, "zh": title}
        found.append(_read_attribute(given, where))
    return tuple(found)


def check_names(attributes: Iterable[Attribute]) -> None:
    """Raise UsageError where two attributes of a memory type go by one name or alias."""
    owners: dict[tuple[str, str], str] = {}
    for one in attributes:
        for name in (one.name, *one.aliases):
            for memory_type in one.all_types:
                owner = owners.setdefault((memory_type, plain_name(name)), one.name)
                if owner != one.name:
                    raise UsageError(
                        f"attribute.{one.name}: {name!r} in {memory_type} is {owner} already"
                    )


def plain_name(name: str) -> str:
    """Return the one spelling of a name: `Reply language` is `reply_language`."""
    return "_".join(re.split(r"[\s_-]+", fold_text(name).strip()))


def _read_attribute(table: Mapping[str, Any], where: str) -> Attribute:
    one: Attribute = _convert(table, Attribute, where)
    if not _NAME.fullmatch(one.name) or one.name != one.name.lower() or one.name == OTHER:
        raise UsageError(f"{where}: a name is small letters, digits and _, and not {OTHER!r}")
    words = (*one.aliases, *one.cues, *one.asked, *(word for same in one.values for word in same))
    if not all(word.strip() for word in words):
        raise UsageError(f"{where} holds an empty word; remove it")
    if not all(one.values):
        raise UsageError(f"{where}.values holds an empty list; remove it")
    _check_apart(one.values, f"{where}.values")
    named = {same[0] for same in one.values}
    unknown = [word for together in one.exclusive for word in together if word not in named]
    if unknown:
        raise UsageError(f"{where}.exclusive: {unknown[0]!r} starts none of the lists of values")
    if one.exclusive and one.cardinality != "many":
        raise UsageError(f"{where}.exclusive is for the cardinality many alone; remove it")
    return one


def _check_apart(classes: Iterable[Iterable[str]], where: str) -> None:
    """Raise UsageError where one word stands in two lists."""
    seen: set[str] = set()
    for words in classes:
        folded = {fold_text(word) for word in words}
        if twice := sorted(seen & folded):
            raise UsageError(f"{where}: {twice[0]!r} stands in two lists; keep one")
        seen |= folded


def _by_language(words: Iterable[object]) -> dict[str, list[object]]:
    found: dict[str, list[object]] = {"en": [], "zh": []}
    for word in words:
        found["zh" if isinstance(word, str) and is_han(word) else "en"].append(word)
    return found


def _convert(table: Mapping[str, Any], kind: type[_Read], where: str) -> _Read:
    try:
        return msgspec.convert(table, kind)
    except msgspec.ValidationError as error:
        told = str(error)
        place = _PLACE.search(told)
        inner = place["place"] if place else ""
        allowed = _ALLOWED.get(inner.partition("[")[0])
        told = f"one of {', '.join(allowed)}" if allowed else _PLACE.sub("", told)
        raise UsageError(f"{where}{'.' if inner else ''}{inner}: {told}") from None
