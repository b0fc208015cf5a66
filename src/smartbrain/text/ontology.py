"""The ontology: which attributes memories have, and what they are called, told and asked by.

In: `ontology.toml`, and attributes that brain.yml adds. Out: lookups by name, words and values in
Chinese and English: which attribute a name means, whether two values are the same, which relation
`my daughter Nora` has, what a question asks about. Not a reader of statements: the cue words are
features for one.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, cached_property, lru_cache
from itertools import product
from pathlib import Path
from typing import Any, Final, Generic, Literal, NamedTuple, TypeVar, get_args

import msgspec

from smartbrain.domain.record import canonical_json
from smartbrain.errors import UsageError
from smartbrain.text.language import plain_text
from smartbrain.text.sentences import sentence_spans

Meaning = TypeVar("Meaning")

_START: Final = re.compile(r"[a-z0-9]+|[^\sa-z0-9]")
_HAN: Final = re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")
_PLAIN: Final[dict[int, str]] = {
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
    **{ord(char): "'" for char in "’‘ʼ`"},
    **{ord(char): " " for char in "\t\r\v\f\u00a0\u3000"},
}


class PhraseHit(NamedTuple, Generic[Meaning]):
    """A phrase in a text: from where to where, and everything that it stands for."""

    start: int
    end: int
    meanings: tuple[Meaning, ...]


class PhraseIndex(Generic[Meaning]):
    """Phrases by the word, or the Chinese character, that they start with."""

    def __init__(self, phrases: Iterable[tuple[str, Meaning]]) -> None:
        """Take phrases with what each stands for; one phrase may stand for several things."""
        found: dict[str, list[Meaning]] = {}
        for phrase, meaning in phrases:
            meanings = found.setdefault(fold_text(phrase), [])
            if meaning not in meanings:
                meanings.append(meaning)
        self._meanings = {phrase: tuple(meanings) for phrase, meanings in found.items()}
        lengths: dict[str, set[int]] = {}
        for phrase in found:
            if start := _START.match(phrase):
                lengths.setdefault(start[0], set()).add(len(phrase))
        self._lengths = {
            start: tuple(sorted(sizes, reverse=True)) for start, sizes in lengths.items()
        }

    def look_up(self, phrase: str) -> tuple[Meaning, ...]:
        """Return what a whole text stands for."""
        return self._meanings.get(fold_text(phrase).strip(), ())

    def meanings_in(self, text: str) -> set[Meaning]:
        """Return everything that the phrases in a text stand for."""
        if self._lengths.keys().isdisjoint(_START.findall(fold_text(text))):
            return set()
        return {meaning for hit in self.find(text) for meaning in hit.meanings}

    def match_at(self, folded: str, place: int) -> PhraseHit[Meaning] | None:
        """Return the longest phrase that starts at a place of a text that `fold_text` returned."""
        start = _START.match(folded, place)
        return next(self._matches(folded, start), None) if start else None

    def find(self, text: str) -> Iterator[PhraseHit[Meaning]]:
        """Yield the phrases in a text from left to right; places are those of the text itself."""
        past = 0
        folded = fold_text(text)
        for start in _START.finditer(folded):
            hit = next(self._matches(folded, start), None) if start.start() >= past else None
            if hit:
                past = hit.end
                yield hit

    def find_all(self, text: str) -> Iterator[PhraseHit[Meaning]]:
        """Yield the phrases in a text, those inside and across others too."""
        folded = fold_text(text)
        for start in _START.finditer(folded):
            yield from self._matches(folded, start)

    def _matches(self, folded: str, start: re.Match[str]) -> Iterator[PhraseHit[Meaning]]:
        place = start.start()
        for length in self._lengths.get(start[0], ()):
            end = place + length
            meanings = self._meanings.get(folded[place:end])
            if end > len(folded) or not meanings:
                continue
            if end == len(folded) or not (_goes_on(folded[end - 1]) and _goes_on(folded[end])):
                yield PhraseHit(place, end, meanings)


def fold_text(text: str) -> str:
    """Return a text in small letters and plain forms, each character at its place."""
    quick = text.isascii() and text.isprintable() and "`" not in text
    plain = text if quick else text.translate(_PLAIN)
    small = plain.lower()
    if len(small) == len(plain):
        return small
    return "".join(low if len(low := char.lower()) == 1 else char for char in plain)


def is_han(text: str) -> bool:
    """Tell whether a text holds Chinese characters."""
    return _HAN.search(text) is not None


def _goes_on(char: str) -> bool:
    return char.isalnum() and not _HAN.match(char)


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
    """Read the declarations of an ontology from TOML."""
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


THING: Final = "thing"
PROJECT: Final = "project"

_NAMED_FIRST: Final = re.compile(r"(?:(?<!\s)\s++)?[,，(（]\s*+|(?<!\s)\s++(?=my\s)")
_JOINT: Final = re.compile(r"[\s,，:：(（-]*(?:(?:named|called|名叫|叫做|叫)\s*)?", re.IGNORECASE)
_AROUND_NAMES: Final = " \t\n,.;:!?，。；：！？、()（）\"'“”「」《》"
_OF_ANOTHER: Final = re.compile(r"['’]s?(?!\w)|的(?=.)")
_MAX_NAME_WORDS: Final = 3
_MAX_HAN_NAME: Final = 4


class PersonWords(NamedTuple):
    """The words for somebody.

    `kind` is which of those who bear the relation, daughter or son, empty where it may be any;
    `which` tells two of a kind apart: the older, 二.
    """

    relation: str
    kind: str
    which: str
    name: str


def _skip_space(text: str, place: int) -> int:
    while text[place : place + 1] == " ":
        place += 1
    return place


__all__ = [
    "MAX_ATTRIBUTES",
    "OTHER",
    "Attribute",
    "CueHit",
    "Ontology",
    "Relation",
    "extend_ontology",
    "load_ontology",
]

MAX_ATTRIBUTES: Final = 60
"""How many attributes the file may have; brain.yml adds to them."""

_FILE: Final = Path(__file__).with_name("ontology.toml")
_EDGES: Final = " \t\n,.;:!?，。；：！？、()（）\"'“”「」"
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)*")


class CueHit(msgspec.Struct, frozen=True):
    """Words of a text that stand for an attribute: a cue, a value it can have, or asking for it."""

    attribute: str
    kind: Literal["cue", "value", "asked"]
    start: int
    end: int


class Ontology(msgspec.Struct, frozen=True, dict=True, eq=False):
    """All attributes and relations, with the lookups over them."""

    attributes: tuple[Attribute, ...]
    relations: tuple[Relation, ...]
    words: PlainWords

    def attribute(self, name: str, memory_type: str = "") -> Attribute | None:
        """Return the attribute of a name or an alias, in whatever case.

        With a memory type its aliases alone count: the location of a thing (`facts`) is its place,
        that of a person (`profile`) the home.
        """
        key = plain_name(name)
        return self._by_name.get((memory_type, key)) or self._by_own_name.get(key)

    def is_name(self, name: str) -> bool:
        """Tell whether an attribute has just this name."""
        return any(one.name == name for one in self.attributes)

    def canonical(self, name: str, memory_type: str = "") -> str:
        """Return the one name of an attribute; a name that means none is returned as it is."""
        found = self.attribute(name, memory_type)
        return found.name if found else name

    def value_class(self, attribute: str, text: str) -> str | None:
        """Return the name of the one value that a text tells: `allergic to eggs` tells `egg`.

        None where it tells no value that the attribute's lexicon knows, or several.
        """
        index = self._values.get(attribute) or self._values.get(self.canonical(attribute))
        if index is None:
            return None
        told = index.meanings_in(text)
        return told.pop() if len(told) == 1 else None

    def same_value(self, attribute: str, one: str, other: str) -> bool:
        """Tell whether two texts tell the same value of an attribute, in either language.

        Other numbers make another value (`ubuntu 22`, `ubuntu 24`), and so does a denial.
        """
        if plain_text(one) == plain_text(other):
            return True
        told = self.value_class(attribute, one)
        if told is None or told != self.value_class(attribute, other):
            return False
        beside = [self._beside_value(attribute, text) for text in (one, other)]
        numbers = [_NUMBER.findall(text) for text in beside]
        denied = [any(self._small_words["negation"].find(text)) for text in beside]
        return denied[0] == denied[1] and (numbers[0] == numbers[1] or not all(numbers))

    def excludes(self, attribute: str, one: str, other: str) -> bool:
        """Tell whether two values of a `many` cannot stand together: vegan and vegetarian."""
        found = self.attribute(attribute)
        first, second = (self.value_class(attribute, text) for text in (one, other))
        if found is None or first == second:
            return False
        return any({first, second} <= {*values} for values in found.exclusive)

    def asked(self, text: str) -> tuple[str, ...]:
        """Return the attributes that a text asks about, in the order in which it does."""
        return tuple(dict.fromkeys(hit.attribute for hit in self.find_asked(text)))

    def find_asked(self, text: str) -> tuple[CueHit, ...]:
        """Return the words by which the sentences of a text that ask name attributes."""
        found: list[CueHit] = []
        for start, end in sentence_spans(text):
            sentence = text[start:end]
            hits = list(self._asked.find(sentence))
            if hits and self._asks(sentence, hits[0].start, hits[-1].end):
                found += [
                    CueHit(name, "asked", start + hit.start, start + hit.end)
                    for hit in hits
                    for name in hit.meanings
                ]
        return tuple(found)

    def find_cues(self, text: str) -> tuple[CueHit, ...]:
        """Return the words of a text that signal an attribute, from left to right."""
        hits = [
            CueHit(name, "cue", hit.start, hit.end)
            for hit in self._cues.find_all(text)
            for name in hit.meanings
        ]
        hits += [
            CueHit(name, "value", hit.start, hit.end)
            for hit in self._all_values.find_all(text)
            for name in hit.meanings
        ]
        return tuple(sorted(hits, key=lambda hit: (hit.start, hit.end)))

    def relation_of(self, words: str) -> tuple[str, str] | None:
        """Return the relation that words name and the name beside it: `my daughter Nora`.

        A thing goes by its own words: `the staging server` is the thing `staging server`. None
        where the words name nobody that is known so, or somebody else's: `my daughter's teacher`.
        """
        words = words.strip(_AROUND_NAMES)
        if known := self._relation_index.look_up(words):
            return known[0], words if known[0] == THING else ""
        return self._relation_first(words) or self._name_first(words) or self._named_thing(words)

    def read_person(self, words: str) -> PersonWords | None:
        """Return what words tell of somebody: the relation, which of several, and the name."""
        found = self.relation_of(words)
        if found is None:
            return None
        relation, name = found
        folded = fold_text(words.replace(name, " ") if name else words)
        hits = [hit for hit in self._relation_index.find(folded) if relation in hit.meanings]
        if not hits:
            return PersonWords(relation, "", "", name)
        said = folded[hits[0].start : hits[0].end]
        which = folded[self._skip_owners(folded) : hits[0].start].strip(_AROUND_NAMES)
        kinds = self._kinds[relation]
        for place in range(len(said)):
            word = said[place:]
            if word in kinds and (place == 0 or is_han(word) or said[place - 1] in " -"):
                return PersonWords(relation, kinds[word], which + said[:place].strip(" -"), name)
        return PersonWords(relation, said if kinds else "", which, name)

    def find_relations(self, text: str) -> list[tuple[str, int, int]]:
        """Return the words of a text that name a relation: its name, start and end."""
        return [(hit.meanings[0], hit.start, hit.end) for hit in self._relation_index.find(text)]

    def _skip_owners(self, folded: str) -> int:
        """Return the place after the words that tell whose it is."""
        place = 0
        while hit := self._small_words["owner"].match_at(folded, place):
            place = _skip_space(folded, hit.end)
        return place

    def _relation_first(self, words: str) -> tuple[str, str] | None:
        folded = fold_text(words)
        place = self._skip_owners(folded)
        while not (hit := self._relation_index.match_at(folded, place)):
            qualifier = self._small_words["qualifier"].match_at(folded, place)
            if not qualifier:
                return None
            place = _skip_space(folded, qualifier.end)
        relation, rest = hit.meanings[0], words[hit.end :]
        if relation == THING or _OF_ANOTHER.match(rest):
            return None
        joint = _JOINT.match(rest)
        name = rest[joint.end() if joint else 0 :].strip(_AROUND_NAMES + "的")
        return (relation, name) if not name or self._is_name(name, relation) else None

    def _name_first(self, words: str) -> tuple[str, str] | None:
        name, *others = _NAMED_FIRST.split(words, maxsplit=1)
        found = self._relation_first(others[0].strip(_AROUND_NAMES)) if others and name else None
        if not found or found[1] or not self._is_name(name, found[0]):
            return None
        return found[0], name

    def _named_thing(self, words: str) -> tuple[str, str] | None:
        hits = list(self._relation_index.find(words))
        if not hits or hits[-1].end != len(words):
            return None
        relation = hits[-1].meanings[0]
        start = self._skip_owners(fold_text(words))
        if relation not in (THING, PROJECT) or _OF_ANOTHER.search(words, start):
            return None
        name = words[start:] if relation == THING else words[start : hits[-1].start]
        return relation, name.strip(_AROUND_NAMES)

    def _is_name(self, words: str, relation: str) -> bool:
        if is_han(words):
            other = self._relation_index.look_up(words)
            short = len(words) <= _MAX_HAN_NAME and not any(
                self._small_words["unnamed"].find(words)
            )
            return short and (not other or other[0] == relation)
        parts = words.split()
        if len(parts) > _MAX_NAME_WORDS or any(map(self._small_words["unnamed"].look_up, parts)):
            return False
        return words[0].isalpha() and (
            words[0].isupper() or not self._relation_index.look_up(words)
        )

    def without_owner(self, words: str) -> str:
        """Return the words for a thing without those that tell whose it is: my car is a car."""
        return words[self._skip_owners(fold_text(words)) :]

    def with_attributes(self, extra: Mapping[str, Any]) -> Ontology:
        """Return the ontology with further attributes, by name, as brain.yml gives them."""
        added = read_added(extra)
        check_names(added)
        for one in added:
            where = f"ontology.attributes.{one.name}"
            if one.name in self._by_own_name:
                raise UsageError(f"{where} is there already; choose another name")
            for alias, memory_type in product(one.aliases, one.all_types):
                if known := self.attribute(alias, memory_type):
                    raise UsageError(f"{where}.aliases: {alias!r} means {known.name}; remove it")
        return Ontology((*self.attributes, *added), self.relations, self.words) if added else self

    @cached_property
    def _by_own_name(self) -> Mapping[str, Attribute]:
        return {one.name: one for one in self.attributes}

    @cached_property
    def _by_name(self) -> Mapping[tuple[str, str], Attribute]:
        """Attributes by memory type, or none, and name; names come before aliases."""
        found: dict[tuple[str, str], Attribute] = {}
        for one in self.attributes:
            found.update({(memory_type, one.name): one for memory_type in ("", *one.all_types)})
        for one in self.attributes:
            for alias in map(plain_name, one.aliases):
                for memory_type in ("", *one.all_types):
                    found.setdefault((memory_type, alias), one)
        return found

    @cached_property
    def _asked(self) -> PhraseIndex[str]:
        return PhraseIndex((word, one.name) for one in self.attributes for word in one.asked)

    @cached_property
    def _cues(self) -> PhraseIndex[str]:
        return PhraseIndex((word, one.name) for one in self.attributes for word in one.cues)

    @cached_property
    def _all_values(self) -> PhraseIndex[str]:
        return PhraseIndex(
            (word, one.name) for one in self.attributes for same in one.values for word in same
        )

    @cached_property
    def _values(self) -> Mapping[str, PhraseIndex[str]]:
        """The words for the values of each attribute, with the name of the value."""
        return {
            one.name: PhraseIndex((word, same[0]) for same in one.values for word in same)
            for one in self.attributes
        }

    @cached_property
    def _small_words(self) -> Mapping[str, PhraseIndex[bool]]:
        return {
            kind: PhraseIndex((word, True) for word in getattr(self.words, kind))
            for kind in self.words.__struct_fields__
        }

    @cached_property
    def _kinds(self) -> Mapping[str, Mapping[str, str]]:
        """The kind that each word of a relation means; empty for words that may mean any."""
        return {
            one.name: {
                fold_text(word): words[0] if place else ""
                for place, words in enumerate(one.alike)
                for word in words
            }
            for one in self.relations
        }

    @cached_property
    def _relation_index(self) -> PhraseIndex[str]:
        return PhraseIndex((word, one.name) for one in self.relations for word in one.words)

    def _asks(self, sentence: str, start: int, end: int) -> bool:
        """Tell whether a sentence asks: by its mark, by its words, or as there is nothing else.

        我的职业 is nothing else; `start` and `end` are where the words for attributes stand.
        """
        if sentence.rstrip().endswith(("?", "？")) or any(
            self._small_words["question"].find(sentence)
        ):
            return True
        folded = fold_text(sentence)
        return self._skip_owners(folded) >= start and not folded[end:].strip(_EDGES)

    def _beside_value(self, attribute: str, text: str) -> str:
        kept, past = [], 0
        for hit in self._values[self.canonical(attribute)].find(text):
            kept.append(text[past : hit.start])
            past = hit.end
        return " ".join((*kept, text[past:]))


@cache
def load_ontology() -> Ontology:
    """Return the ontology of the package, read once."""
    tables = read_tables(_FILE.read_text(encoding="utf-8"))
    return Ontology(tables.attributes, tables.relations, tables.words)


def extend_ontology(attributes: Mapping[str, Any]) -> Ontology:
    """Return the ontology with the attributes of `rules.ontology`, made once for the same ones."""
    return _extend(canonical_json(attributes)) if attributes else load_ontology()


@lru_cache(maxsize=16)
def _extend(attributes: str) -> Ontology:
    return load_ontology().with_attributes(json.loads(attributes))
